//! Renders long replies on a thread of their own: a megabyte of text takes milliseconds, in which a
//! thread of the runtime would answer nobody, and no deadline would end the call.

use fault::{Case, Fault, Origin};

/// The result of `render`. A call that gives up does not wait for it.
pub(super) async fn rendered<T: Send + 'static>(
    render: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let rendering = tokio::task::spawn_blocking(render).await;
    // Only after a panic, which is logged already.
    rendering.map_err(|_| Fault::new(Case::Internal, Origin::Local))
}

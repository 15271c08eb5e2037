//! The signals that end a server.

/// Resolves on SIGINT or SIGTERM. The handlers are installed by this call and not by the first
/// poll, so that no signal is missed in between. Must be called within a runtime.
pub fn stop_signal() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    let signal = {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
        );
        async move {
            match (interrupt, terminate) {
                (Ok(mut interrupt), Ok(mut terminate)) => {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                }
                // Without these handlers, a signal ends the process by default.
                _ => std::future::pending().await,
            }
        }
    };
    #[cfg(not(unix))]
    let signal = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    signal
}

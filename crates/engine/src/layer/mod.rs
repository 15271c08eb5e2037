//! Layers: one concern each, around any upstream.

mod limits;
mod trace;

use fault::Origin;

pub use limits::Limits;
pub use trace::Trace;

use crate::upstream::Upstream;

/// The stack around every upstream, outermost first:
///
/// 1. `Trace` sees the whole time and the final outcome, so it stands outside.
/// 2. `Limits` ends the work at the deadline or when the caller withdraws, whatever the upstream is doing. The upstream
///    itself knows the same deadline and usually notices first, with more to say.
pub fn stack<U: Upstream>(upstream: U, origin: Origin) -> Trace<Limits<U>> {
    Trace::new(Limits::new(upstream, origin))
}

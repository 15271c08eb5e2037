//! Layers: one concern each, around any upstream.

mod cache;
mod coalesce;
mod limits;
mod trace;

use fault::Origin;

pub use cache::{Aged, Cache, Fresh, Keyed};
pub use coalesce::Coalesce;
pub use limits::Limits;
pub use trace::Trace;

use crate::upstream::Upstream;

/// The stack around the reading of pages.
pub type PageStack<U> = Trace<Cache<Coalesce<Limits<U>>>>;

/// Outermost first:
///
/// 1. `Trace` sees the whole time and the final outcome, so it stands outside.
/// 2. `Cache` answers what is still fresh without any work, and repeats a wait that a source asked for.
/// 3. `Coalesce` lets identical questions share one piece of work; inside the cache, so that the shared answer is kept once.
/// 4. `Limits` ends the work at the deadline or when nobody waits for it any more, whatever the upstream is doing. The upstream
///    itself knows the same deadline and usually notices first, with more to say.
pub fn page_stack<U>(upstream: U) -> PageStack<U>
where
    U: Upstream + 'static,
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Clone + Fresh + Sync + 'static,
{
    Trace::new(Cache::new(Coalesce::new(Limits::new(upstream, Origin::Page))))
}

//! Layers: one concern each, around any upstream.

mod breaker;
mod cache;
mod coalesce;
mod limiter;
mod retry;
mod shared_cache;
mod shared_limits;
mod stored_limits;
mod timeout;
mod trace;

use std::sync::Arc;

use fault::Origin;

pub use breaker::Breaker;
pub use cache::{Aged, Cache, Cacheable, Keyed};
pub use coalesce::Coalesce;
pub use limiter::Limiter;
pub use retry::{Patience, Retry};
pub use shared_cache::SharedCache;
pub use shared_limits::{BreakerHandle, InMemoryLimits, Pace, SharedLimits, Trip, TurnFuture};
pub use stored_limits::StoredLimits;
pub use timeout::Timeout;
pub use trace::Trace;

use crate::upstream::Upstream;

/// The stack around the reading of pages.
pub type PageStack<U> = Trace<Cache<Coalesce<Timeout<U>>>>;

/// Outermost first:
///
/// 1. `Trace` sees the whole time and the final outcome, so it stands outside.
/// 2. `Cache` answers what is still fresh without any work, and repeats a wait that a source asked
///    for.
/// 3. `Coalesce` lets identical questions share one piece of work; inside the cache, so that the
///    shared answer is kept once.
/// 4. `Timeout` ends the work at the deadline or when nobody waits for it any more, whatever the
///    upstream is doing. The upstream itself knows the same deadline and usually notices first,
///    with more to say.
pub fn page_stack<U>(upstream: U, shared: Option<SharedCache>) -> PageStack<U>
where
    U: Upstream + 'static,
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Clone + Cacheable + Sync + 'static,
{
    Trace::new(Cache::new(Coalesce::new(Timeout::new(upstream, Origin::Page))).shared(shared))
}

/// The stack around one search provider.
pub type ProviderStack<U> = Trace<Retry<Breaker<Limiter<Timeout<U>>>>>;

/// Outermost first:
///
/// 1. `Trace` sees every question that went past the memory, with its retries.
/// 2. `Retry` stands outside the breaker, so that each try is counted there and a retry is refused
///    like any other call once the breaker has tripped.
/// 3. `Breaker` stands outside the limiter: a refusal costs neither a place nor a turn.
/// 4. `Limiter` queues for a place and a turn. It looks at the breaker's handle while it waits, so
///    that a queue in front of a dead provider dissolves at once.
/// 5. `Timeout` ends the work at the deadline; the provider's own timeout, which holds for each
///    request, is usually earlier.
pub fn provider_stack<U: Upstream>(
    provider: U,
    breaker: &Arc<BreakerHandle>,
    pace: Option<Pace>,
    at_once: usize,
    retries: u32,
) -> ProviderStack<U> {
    let limited = Limiter::new(
        Timeout::new(provider, Origin::Provider),
        Arc::clone(breaker),
        pace,
        at_once,
    );
    Trace::new(Retry::new(
        Breaker::new(limited, Arc::clone(breaker)),
        retries,
    ))
}

/// The memory in front of all providers.
pub type SearchStack<U> = Cache<Coalesce<U>>;

/// Outermost first:
///
/// 1. `Cache` answers what is still fresh without any work. Only whole answers are fresh; failures
///    are kept no longer than the wait their source asked for.
/// 2. `Coalesce` lets identical questions to the same provider share one piece of work.
///
/// One memory for all providers, because what bounds it is the machine's memory; the provider is
/// part of the key. The desk inside finds the provider's own stack, see [`provider_stack`].
pub fn search_stack<U>(desk: U, shared: Option<SharedCache>) -> SearchStack<U>
where
    U: Upstream + 'static,
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Clone + Cacheable + Sync + 'static,
{
    Cache::new(Coalesce::new(desk)).shared(shared)
}

//! Layers: each wraps any upstream and adds one concern.

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
pub use cache::{Aged, Cache, CacheSize, Cacheable, Keyed};
pub use coalesce::Coalesce;
pub use limiter::Limiter;
pub use retry::{Patience, Retry};
pub use shared_cache::{SharedCache, SharedStore};
pub use shared_limits::{BreakerHandle, InMemoryLimits, Pace, SharedLimits, Trip, TurnFuture};
pub use stored_limits::StoredLimits;
pub use timeout::Timeout;
pub use trace::Trace;

use crate::upstream::Upstream;

/// The stack that reads pages.
pub type PageStack<U> = Trace<Cache<Coalesce<Timeout<Retry<U>>>>>;

/// A failure that passes within a moment does not cost the agent a call of its own.
const PAGE_RETRIES: u32 = 1;

/// Outermost first:
///
/// 1. `Trace` is outermost, so that it sees the whole time and the final outcome.
/// 2. `Cache` serves what is still fresh, and repeats a wait that a source asked for.
/// 3. `Coalesce` lets identical requests share one piece of work. It is inside the cache, so that
///    the shared answer is cached once.
/// 4. `Timeout` ends the work at the deadline or when the call is cancelled, whatever the upstream
///    is doing. The upstream knows the same deadline and usually notices first, with a more precise
///    fault.
/// 5. `Retry` is innermost, so that one piece of shared work is repeated, within the deadline.
pub fn page_stack<U>(upstream: U, shared: Option<SharedCache>) -> PageStack<U>
where
    U: Upstream + 'static,
    U::Ask: Keyed + Patience + Clone + 'static,
    U::Answer: Clone + Cacheable + Sync + 'static,
{
    let patient = Timeout::new(Retry::new(upstream, PAGE_RETRIES), Origin::Page);
    Trace::new(Cache::new(Coalesce::new(patient)).shared(shared))
}

/// The stack around one search provider.
pub type ProviderStack<U> = Trace<Retry<Breaker<Limiter<Timeout<U>>>>>;

/// Outermost first:
///
/// 1. `Trace` sees every request that the cache did not answer, with its retries.
/// 2. `Retry` is outside the breaker, so that the breaker counts each try, and refuses a retry like
///    any other call once it has tripped.
/// 3. `Breaker` is outside the limiter, so that a refused call takes neither a slot nor a turn.
/// 4. `Limiter` queues for a turn and a slot. It watches the breaker while it waits, so that a
///    queue in front of a failing provider is refused at once.
/// 5. `Timeout` ends the work at the deadline. The provider's own timeout, which applies to each
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

/// The cache in front of all providers.
pub type SearchStack<U> = Cache<Coalesce<U>>;

/// Outermost first:
///
/// 1. `Cache` serves what is still fresh. Only complete answers are fresh; failures are cached no
///    longer than the wait their source asked for.
/// 2. `Coalesce` lets identical requests to the same provider share one piece of work.
///
/// There is one cache for all providers, because its limit is the machine's memory; the provider is
/// part of the key. `providers` passes a request on to the provider's own stack, see
/// [`provider_stack`].
pub fn search_stack<U>(providers: U, shared: Option<SharedCache>) -> SearchStack<U>
where
    U: Upstream + 'static,
    U::Ask: Keyed + Clone + 'static,
    U::Answer: Clone + Cacheable + Sync + 'static,
{
    Cache::new(Coalesce::new(providers)).shared(shared)
}

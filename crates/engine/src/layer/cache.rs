//! Caches answers for as long as they are fresh, and failures for no longer than the wait that came
//! with them.
//!
//! A cached failure is returned with the time that is left of its wait, and it has expired when a
//! client that waited as advised comes back. Failures without a wait of their own are not cached.
//!
//! A caller that continues in the middle of an answer gets the answer it started with, fresh or
//! not: a cursor counts the characters of that text and is meaningless in another, and a page that
//! forbids caching must not be requested again for every part of it. That holds for the same user
//! only: what a page marks as private is never served to another.

use std::sync::Arc;
use std::time::Duration;

use fault::{Fault, Retry};
use quick_cache::sync::{Cache as Entries, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use tokio::time::Instant;

use super::shared_cache::SharedCache;
use crate::call::Call;
use crate::store::Tenant;
use crate::upstream::{Answering, Spec, Upstream};

/// A request with a cache key.
pub trait Keyed {
    /// Everything that changes the answer, in one string; `None` when the answer must not be
    /// shared.
    fn key(&self) -> Option<String>;

    /// Whether it continues an earlier answer.
    fn reads_on(&self) -> bool {
        false
    }
}

/// An answer that can be cached.
pub trait Cacheable {
    /// How long it may be served from the cache.
    fn fresh_for(&self) -> Duration;

    /// Its approximate size in bytes.
    fn weight(&self) -> u64;

    /// Whether it may be shown again only to the user that asked for it.
    fn is_private(&self) -> bool {
        false
    }

    /// A text form that another process can read; `None` when the answer must not leave this
    /// process.
    fn packed(&self) -> Option<String> {
        None
    }

    /// Reads what [`packed`](Cacheable::packed) wrote.
    fn unpacked(_text: &str) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// The limit for all cached answers together.
const CAPACITY_BYTES: u64 = 64 * 1024 * 1024;
const EXPECTED_ENTRIES: usize = 1_000;

/// What the table and the allocator add to an entry, about.
const PER_ENTRY: usize = 128;

/// How long an answer can be continued, even if it is fresh for a shorter time.
const READING_TIME: Duration = Duration::from_secs(600);

/// A failure with a longer wait is not cached: the source may recover earlier.
const LONGEST_CACHED_WAIT: Duration = Duration::from_secs(300);

/// Caches outcomes in memory, and answers in a [`SharedCache`] as well if there is one.
#[derive(Debug)]
pub struct Cache<U: Upstream> {
    inner: U,
    entries: Entries<CacheKey, CachedOutcome<U::Answer>, WeightByBytes>,
    shared: Option<SharedCache>,
}

/// How much a cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSize {
    pub entries: usize,
    /// About how much memory they take.
    pub bytes: u64,
}

#[derive(Debug, Clone)]
struct CachedOutcome<T> {
    outcome: Result<T, Fault>,
    kept_at: Instant,
    good_until: Instant,
    readable_until: Instant,
    weight: u64,
}

/// What an outcome is found by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CacheKey {
    request: String,
    /// The only user that it may be served to; `None` when it is for everyone.
    only_for: Option<Tenant>,
}

impl CacheKey {
    fn for_everyone(request: &str) -> CacheKey {
        CacheKey {
            request: request.to_owned(),
            only_for: None,
        }
    }

    fn private(request: &str, tenant: &Tenant) -> CacheKey {
        CacheKey {
            request: request.to_owned(),
            only_for: Some(tenant.clone()),
        }
    }
}

#[derive(Debug, Clone)]
struct WeightByBytes;

impl<T> Weighter<CacheKey, CachedOutcome<T>> for WeightByBytes {
    fn weight(&self, key: &CacheKey, entry: &CachedOutcome<T>) -> u64 {
        let own = size_of::<CacheKey>() + size_of::<CachedOutcome<T>>() + PER_ENTRY;
        (key.request.len() + own) as u64 + entry.weight
    }
}

/// An answer and its age.
#[derive(Debug, Clone)]
pub struct Aged<T> {
    pub answer: T,
    /// `None` when the answer did not come from a cache.
    pub age: Option<Duration>,
}

impl<U: Upstream> Cache<U>
where
    U::Answer: Clone + Cacheable,
    U::Ask: Keyed,
{
    pub fn new(inner: U) -> Cache<U> {
        Cache {
            inner,
            entries: entries(),
            shared: None,
        }
    }

    /// What it holds now, expired answers included.
    #[must_use]
    pub fn size(&self) -> CacheSize {
        CacheSize {
            entries: self.entries.len(),
            bytes: self.entries.weight(),
        }
    }

    /// Adds a second level that other processes share.
    #[must_use]
    pub fn shared(self, shared: Option<SharedCache>) -> Cache<U> {
        Cache { shared, ..self }
    }

    /// Looks an answer up in the shared cache and copies it into this one.
    async fn find_shared(&self, key: &str) -> Option<Aged<U::Answer>> {
        let found = self.shared.as_ref()?.find::<U::Answer>(key).await?;
        let now = Instant::now();
        let (kept_at, good_until) = (now.checked_sub(found.age).unwrap_or(now), now + found.left);
        let (outcome, weight) = (Ok(found.answer.clone()), found.answer.weight());
        let readable_until = good_until.max(now + READING_TIME);
        self.entries.insert(
            CacheKey::for_everyone(key),
            CachedOutcome {
                outcome,
                kept_at,
                good_until,
                readable_until,
                weight,
            },
        );
        Some(Aged {
            answer: found.answer,
            age: Some(found.age),
        })
    }

    /// The user's own answer, or the one for everyone.
    fn cached(
        &self,
        key: &str,
        reads_on: bool,
        tenant: &Tenant,
    ) -> Option<Result<Aged<U::Answer>, Fault>> {
        let own = self.cached_at(&CacheKey::private(key, tenant), reads_on);
        own.or_else(|| self.cached_at(&CacheKey::for_everyone(key), reads_on))
    }

    fn cached_at(&self, key: &CacheKey, reads_on: bool) -> Option<Result<Aged<U::Answer>, Fault>> {
        let (entry, now) = (self.entries.get(key)?, Instant::now());
        let until = if reads_on {
            entry.readable_until
        } else {
            entry.good_until
        };
        let left = until
            .checked_duration_since(now)
            .filter(|left| !left.is_zero())?;
        Some(match entry.outcome {
            Ok(answer) => Ok(Aged {
                answer,
                age: Some(now - entry.kept_at),
            }),
            Err(fault) => Err(fault.requested_wait(left).remembered(true)),
        })
    }

    fn put(&self, key: &str, outcome: &Result<U::Answer, Fault>, tenant: &Tenant) {
        let (good_for, readable_for, weight) = match outcome {
            Ok(answer) => (
                answer.fresh_for(),
                answer.fresh_for().max(READING_TIME),
                answer.weight(),
            ),
            Err(fault) => (cached_for(fault), cached_for(fault), 1_024),
        };
        let key = if outcome.as_ref().is_ok_and(Cacheable::is_private) {
            CacheKey::private(key, tenant)
        } else {
            CacheKey::for_everyone(key)
        };
        if !readable_for.is_zero() {
            let kept_at = Instant::now();
            let (good_until, readable_until) = (kept_at + good_for, kept_at + readable_for);
            self.entries.insert(
                key,
                CachedOutcome {
                    outcome: outcome.clone(),
                    kept_at,
                    good_until,
                    readable_until,
                    weight,
                },
            );
        }
    }
}

/// Uses a single shard: with several, an answer larger than one shard's share of the capacity could
/// not be stored.
fn entries<T: Clone>() -> Entries<CacheKey, CachedOutcome<T>, WeightByBytes> {
    let options = OptionsBuilder::new()
        .shards(1)
        .estimated_items_capacity(EXPECTED_ENTRIES)
        .weight_capacity(CAPACITY_BYTES)
        .build();
    match options {
        Ok(options) => Entries::with_options(
            options,
            WeightByBytes,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        ),
        Err(_) => Entries::with_weighter(EXPECTED_ENTRIES, CAPACITY_BYTES, WeightByBytes),
    }
}

/// How long a failure is cached: for the wait that the source asked for, because it asked us not to
/// come back earlier.
///
/// The catalogue has no field for this: a failure is cached only if the source itself named a wait,
/// whatever its case.
fn cached_for(fault: &Fault) -> Duration {
    match (fault.source_requested_wait(), fault.advice()) {
        (true, Retry::After(wait)) if wait <= LONGEST_CACHED_WAIT => wait,
        _ => Duration::ZERO,
    }
}

impl<U: Upstream> Upstream for Cache<U>
where
    U::Answer: Clone + Cacheable + Sync,
    U::Ask: Keyed,
{
    type Ask = U::Ask;
    type Answer = Aged<U::Answer>;

    fn spec(&self) -> &'static Spec {
        self.inner.spec()
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a U::Ask) -> Answering<'a, Aged<U::Answer>> {
        Box::pin(async move {
            let key = ask.key();
            if let Some(outcome) = key
                .as_deref()
                .and_then(|key| self.cached(key, ask.reads_on(), &call.tenant))
            {
                call.observer.looked_up(self.spec().id, true);
                return outcome;
            }
            if let Some(key) = &key
                && let Some(answer) = self.find_shared(key).await
            {
                call.observer.looked_up(self.spec().id, true);
                return Ok(answer);
            }
            if key.is_some() {
                call.observer.looked_up(self.spec().id, false);
            }
            let outcome = self.inner.ask(call, ask).await;
            if let Some(key) = key {
                if let (Some(shared), Ok(answer)) = (&self.shared, &outcome) {
                    shared.put(&key, answer);
                }
                self.put(&key, &outcome, &call.tenant);
            }
            outcome.map(|answer| Aged { answer, age: None })
        })
    }
}

impl<T: Cacheable> Cacheable for Arc<T> {
    fn fresh_for(&self) -> Duration {
        self.as_ref().fresh_for()
    }

    fn weight(&self) -> u64 {
        self.as_ref().weight()
    }

    fn is_private(&self) -> bool {
        self.as_ref().is_private()
    }

    fn packed(&self) -> Option<String> {
        self.as_ref().packed()
    }

    fn unpacked(text: &str) -> Option<Arc<T>> {
        T::unpacked(text).map(Arc::new)
    }
}

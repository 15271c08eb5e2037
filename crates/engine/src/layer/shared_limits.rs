//! What breakers and limiters must agree on: which upstream is not asked now and why, and whose
//! turn it is.
//!
//! One process keeps it in memory. Servers that share their users keep it in a common store behind
//! the same trait, which is why a [`Trip`] is plain data and not a fault: it must survive a round
//! trip through somebody else's memory. Reading a trip happens several times in every call and may
//! not wait, so such a limits keeps a local copy that it refreshes by itself; taking a turn may wait
//! for the store.

use std::collections::HashMap;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, ProviderId, Say};
use tokio::sync::Notify;
use tokio::time::Instant;

/// So many requests in so long a time: at once if nobody asked before, evenly after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How many.
    pub requests: u32,
    /// In how long.
    pub per: Duration,
}

impl Pace {
    /// So many requests in a second.
    pub const fn per_second(requests: u32) -> Pace {
        Pace {
            requests,
            per: Duration::from_secs(1),
        }
    }

    /// One request in so many seconds.
    pub const fn one_in(seconds: u64) -> Pace {
        Pace {
            requests: 1,
            per: Duration::from_secs(seconds),
        }
    }
}

/// Why an upstream is not asked, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trip {
    /// The case that tripped it.
    pub case: Case,
    /// The status that came with it.
    pub status: Option<u16>,
    /// When somebody may try again.
    pub until: Instant,
}

/// A turn under way: the wait until it comes, or the wait that was too long to be worth a place in
/// the queue.
pub type TurnFuture<'a> = Pin<Box<dyn Future<Output = Result<Duration, Duration>> + Send + 'a>>;

/// How often a queue looks whether others have learnt that it waits for nothing.
const LISTENING: Duration = Duration::from_millis(500);

/// The common knowledge.
pub trait SharedLimits: Debug + Send + Sync {
    /// The trip of an upstream, over or not.
    fn trip(&self, id: &'static str) -> Option<Trip>;

    /// Notes a trip, or that it is over for good.
    fn set_trip(&self, id: &'static str, trip: Option<Trip>);

    /// Takes the next turn of an upstream, unless it comes later than `longest`.
    fn take_turn<'a>(&'a self, id: &'static str, pace: Pace, longest: Duration) -> TurnFuture<'a>;

    /// Brings the copy of a common limits up to date, where it is one.
    fn refresh<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(std::future::ready(()))
    }

    /// Whether trips can come from elsewhere.
    fn is_shared(&self) -> bool {
        false
    }

    /// How long it is to the next turn, as far as is known without waiting.
    fn next_turn(&self, id: &'static str, pace: Pace) -> Duration;
}

/// The limits of one process.
#[derive(Debug, Default)]
pub struct InMemoryLimits {
    trips: Mutex<HashMap<&'static str, Trip>>,
    /// When the turns that were given out are used up, per upstream.
    booked: Mutex<HashMap<&'static str, Instant>>,
}

impl InMemoryLimits {
    /// When the turns that were given out end, and how long it is to the one after them.
    fn next(end: Option<&Instant>, pace: Pace, now: Instant) -> (Instant, Duration) {
        let end = end.map_or(now, |end| (*end).max(now)) + pace.per / pace.requests.max(1);
        // Whoever comes after a pause finds as many turns at once as the pace allows in its time.
        (
            end,
            end.saturating_duration_since(now).saturating_sub(pace.per),
        )
    }
}

impl SharedLimits for InMemoryLimits {
    fn trip(&self, id: &'static str) -> Option<Trip> {
        lock(&self.trips).get(id).copied()
    }

    fn set_trip(&self, id: &'static str, trip: Option<Trip>) {
        let mut trips = lock(&self.trips);
        match trip {
            Some(trip) => trips.insert(id, trip),
            None => trips.remove(id),
        };
    }

    fn take_turn<'a>(&'a self, id: &'static str, pace: Pace, longest: Duration) -> TurnFuture<'a> {
        Box::pin(async move {
            let (mut booked, now) = (lock(&self.booked), Instant::now());
            let (end, wait) = InMemoryLimits::next(booked.get(id), pace, now);
            if wait > longest {
                return Err(wait);
            }
            booked.insert(id, end);
            Ok(wait)
        })
    }

    fn next_turn(&self, id: &'static str, pace: Pace) -> Duration {
        InMemoryLimits::next(lock(&self.booked).get(id), pace, Instant::now()).1
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One upstream's line on the limits, shared by its breaker and its limiter: what the first learns,
/// the queue in the second must hear of at once.
#[derive(Debug)]
pub struct BreakerHandle {
    provider: ProviderId,
    limits: Arc<dyn SharedLimits>,
    tripped: Notify,
}

impl BreakerHandle {
    /// The line of a provider.
    pub fn new(provider: ProviderId, limits: Arc<dyn SharedLimits>) -> Arc<BreakerHandle> {
        Arc::new(BreakerHandle {
            provider,
            limits,
            tripped: Notify::new(),
        })
    }

    /// Whose line it is.
    pub fn provider(&self) -> ProviderId {
        self.provider
    }

    /// Its trip, over or not.
    pub(super) fn trip(&self) -> Option<Trip> {
        self.limits.trip(self.provider.as_str())
    }

    /// Why it must not be asked now, told with the time that is really left.
    pub fn refusal(&self) -> Option<Fault> {
        let trip = self.trip()?;
        let left = trip
            .until
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())?;
        let why = Say::new("not asked again: it failed just before");
        let fault = Fault::new(trip.case, Origin::Provider)
            .provider(self.provider)
            .status(trip.status);
        Some(
            fault
                .told_wait(left)
                .phase(Phase::Policy)
                .remembered(true)
                .detail(why),
        )
    }

    pub(super) fn set(&self, trip: Option<Trip>) {
        self.limits.set_trip(self.provider.as_str(), trip);
        if trip.is_some() {
            self.tripped.notify_waiters();
        }
    }

    /// The refusal that comes while somebody waits for something else.
    pub(super) async fn refused(&self) -> Fault {
        loop {
            let tripped = self.tripped.notified();
            if let Some(fault) = self.refusal() {
                return fault;
            }
            if self.limits.is_shared() {
                let _ = tokio::time::timeout(LISTENING, tripped).await;
                self.limits.refresh().await;
            } else {
                tripped.await;
            }
        }
    }

    pub(super) fn next_turn(&self, pace: Pace) -> Duration {
        self.limits.next_turn(self.provider.as_str(), pace)
    }

    pub(super) fn take_turn(&self, pace: Pace, longest: Duration) -> TurnFuture<'_> {
        self.limits.take_turn(self.provider.as_str(), pace, longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_come_at_the_pace_after_a_first_burst() {
        let (limits, pace) = (InMemoryLimits::default(), Pace::per_second(2));
        let mut waits = Vec::new();
        for _ in 0..5 {
            waits.push(
                limits
                    .take_turn("a", pace, Duration::from_secs(9))
                    .await
                    .map(|wait| wait.as_millis()),
            );
        }
        assert_eq!(waits, [Ok(0), Ok(0), Ok(500), Ok(1_000), Ok(1_500)]);
        assert_eq!(
            limits.take_turn("b", pace, Duration::ZERO).await,
            Ok(Duration::ZERO)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_comes_too_late_is_not_booked() {
        let (limits, pace) = (InMemoryLimits::default(), Pace::one_in(10));
        assert_eq!(
            limits.take_turn("a", pace, Duration::ZERO).await,
            Ok(Duration::ZERO)
        );
        for _ in 0..3 {
            assert_eq!(
                limits.take_turn("a", pace, Duration::from_secs(1)).await,
                Err(Duration::from_secs(10))
            );
        }
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(
            limits.take_turn("a", pace, Duration::ZERO).await,
            Ok(Duration::ZERO)
        );
    }
}

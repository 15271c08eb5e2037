//! The state that breakers and limiters share: which upstreams must not be asked now, and when the
//! next request to each of them may be sent.
//!
//! A single process keeps it in memory. Servers that share their users keep it in a common store
//! behind the same trait, which is why a [`Trip`] is plain data and not a fault: it must survive a
//! round trip through the store. A trip is read several times in every call and reading it must not
//! block, so an implementation with a store keeps a local copy; taking a turn may wait for the
//! store.

use std::collections::HashMap;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, ProviderId, Say};
use tokio::sync::Notify;
use tokio::time::Instant;

/// A rate limit: this many requests in a period, evenly spaced; after a pause, all of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    pub requests: u32,
    pub per: Duration,
}

impl Pace {
    /// This many requests in a second.
    pub const fn per_second(requests: u32) -> Pace {
        Pace {
            requests,
            per: Duration::from_secs(1),
        }
    }

    /// One request in this many seconds.
    pub const fn one_in(seconds: u64) -> Pace {
        Pace {
            requests: 1,
            per: Duration::from_secs(seconds),
        }
    }
}

/// A tripped breaker: why an upstream is not asked, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trip {
    /// The case that tripped it.
    pub case: Case,
    /// The HTTP status that came with it.
    pub status: Option<u16>,
    /// When a probe may be sent.
    pub until: Instant,
}

/// The wait until the turn that was taken. The error is a wait that was too long; no turn was taken
/// then.
pub type TurnFuture<'a> = Pin<Box<dyn Future<Output = Result<Duration, Duration>> + Send + 'a>>;

/// How often a queued call checks whether another process has tripped its breaker.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// State that breakers and limiters share, by the id of the upstream.
pub trait SharedLimits: Debug + Send + Sync {
    /// The last trip of an upstream, even if it is over.
    fn trip(&self, id: &'static str) -> Option<Trip>;

    /// Stores a trip; `None` closes the breaker.
    fn set_trip(&self, id: &'static str, trip: Option<Trip>);

    /// Takes the next turn of an upstream, unless its wait is longer than `longest`.
    fn take_turn<'a>(&'a self, id: &'static str, pace: Pace, longest: Duration) -> TurnFuture<'a>;

    /// Updates the local copy, if there is one, of state that other processes change.
    fn refresh<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(std::future::ready(()))
    }

    /// Whether other processes can set trips.
    fn is_shared(&self) -> bool {
        false
    }

    /// The time until the next turn, as far as this process knows.
    fn next_turn(&self, id: &'static str, pace: Pace) -> Duration;
}

/// The state of a single process.
#[derive(Debug, Default)]
pub struct InMemoryLimits {
    trips: Mutex<HashMap<&'static str, Trip>>,
    /// When the last granted turn ends, by upstream.
    booked: Mutex<HashMap<&'static str, Instant>>,
}

impl InMemoryLimits {
    /// When the last granted turn ends, and the time until the turn after it.
    fn next(end: Option<&Instant>, pace: Pace, now: Instant) -> (Instant, Duration) {
        let end = end.map_or(now, |end| (*end).max(now)) + pace.per / pace.requests.max(1);
        // After a pause, all turns of one period are free at once.
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

/// The state of one provider, shared by its breaker and its limiter: when the breaker trips, calls
/// that queue in the limiter are refused at once.
#[derive(Debug)]
pub struct BreakerHandle {
    provider: ProviderId,
    limits: Arc<dyn SharedLimits>,
    tripped: Notify,
}

impl BreakerHandle {
    pub fn new(provider: ProviderId, limits: Arc<dyn SharedLimits>) -> Arc<BreakerHandle> {
        Arc::new(BreakerHandle {
            provider,
            limits,
            tripped: Notify::new(),
        })
    }

    pub fn provider(&self) -> ProviderId {
        self.provider
    }

    /// The last trip, even if it is over.
    pub(super) fn trip(&self) -> Option<Trip> {
        self.limits.trip(self.provider.as_str())
    }

    /// The fault for a call that must not be made now, with the wait that is left; `None` when the
    /// provider may be asked.
    pub fn refusal(&self) -> Option<Fault> {
        let trip = self.trip()?;
        let left = trip
            .until
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())?;
        let why = Say::new("not asked again: it failed a moment ago");
        let fault = Fault::new(trip.case, Origin::Provider)
            .provider(self.provider)
            .status(trip.status);
        // What the catalogue calls final stays final: that we ask again when the trip is over does
        // not mean that a plan has credits by then.
        Some(
            fault
                .requested_wait(left)
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

    /// Waits until the breaker trips.
    pub(super) async fn refused(&self) -> Fault {
        loop {
            let tripped = self.tripped.notified();
            if let Some(fault) = self.refusal() {
                return fault;
            }
            if self.limits.is_shared() {
                let _ = tokio::time::timeout(POLL_INTERVAL, tripped).await;
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
    async fn turns_are_evenly_spaced_after_a_first_burst() {
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
    async fn a_turn_that_comes_too_late_is_not_taken() {
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

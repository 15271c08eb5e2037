//! Limits how many calls an upstream gets at the same time, and at what rate.
//!
//! Calls queue. A call whose turn would come after its deadline is refused at once, with the wait.
//! When the breaker trips, the whole queue is refused at once.

use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Limit, Origin, Result, Retry, Say};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::retry::{Patience, USEFUL};
use super::shared_limits::{BreakerHandle, Pace};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// Queues calls in front of an upstream.
#[derive(Debug)]
pub struct Limiter<U> {
    inner: U,
    breaker: Arc<BreakerHandle>,
    pace: Option<Pace>,
    at_once: Semaphore,
    places: usize,
}

/// An estimate of when a slot is free again, for calls that waited for one until their deadline.
const BUSY: Duration = Duration::from_secs(2);

impl<U> Limiter<U> {
    pub fn new(
        inner: U,
        breaker: Arc<BreakerHandle>,
        pace: Option<Pace>,
        at_once: usize,
    ) -> Limiter<U> {
        Limiter {
            inner,
            breaker,
            pace,
            at_once: Semaphore::new(at_once),
            places: at_once,
        }
    }

    /// Waits for a turn, then for a slot. The turn comes first because a turn that is too late is
    /// refused at once, while a missing slot is only noticed at the deadline. A call that gets both
    /// too late for an answer is not sent: the source would be blamed for our queue.
    async fn enter(&self, call: &Call, patience: Duration) -> Result<SemaphorePermit<'_>> {
        let entered = Instant::now();
        if let Some(pace) = self.pace {
            let left = call
                .deadline
                .saturating_duration_since(Instant::now())
                .saturating_sub(USEFUL)
                .min(patience);
            let wait = self
                .unless_refused(call, self.breaker.take_turn(pace, left))
                .await?
                .map_err(|wait| self.full(wait))?;
            if !wait.is_zero() {
                self.unless_refused(call, tokio::time::sleep(wait)).await?;
            }
        }
        let place = async {
            self.at_once
                .acquire()
                .await
                .map_err(|_| Fault::new(Case::Internal, Origin::Local))
        };
        let place = self.unless_refused(call, place).await??;
        let has_waited = entered.elapsed() >= USEFUL;
        if has_waited && Instant::now() + USEFUL > call.deadline {
            return Err(self.busy());
        }
        Ok(place)
    }

    /// Awaits `wait` until the call is cancelled, the breaker trips or the deadline passes.
    async fn unless_refused<T>(&self, call: &Call, wait: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            fault = self.breaker.refused() => Err(fault),
            done = wait => Ok(done),
            () = tokio::time::sleep_until(call.deadline) => Err(self.busy()),
        }
    }

    /// Extends the wait of a fault so that it does not end before a turn is free: advice is a
    /// promise.
    fn in_turn(&self, fault: Fault) -> Fault {
        let next = self
            .pace
            .map_or(Duration::ZERO, |pace| self.breaker.next_turn(pace));
        match fault.advice() {
            Retry::After(wait) if wait < next => fault.retry(Retry::After(next)),
            Retry::Now if !next.is_zero() => fault.retry(Retry::After(next)),
            _ => fault,
        }
    }

    fn busy(&self) -> Fault {
        self.full(BUSY).limit(Limit::Count(self.places as u64))
    }

    /// The limit is ours, but the origin is the provider, so that this fault does not take
    /// precedence over the faults of other providers.
    fn full(&self, wait: Duration) -> Fault {
        Fault::new(Case::LocalLimit, Origin::Provider)
            .provider(self.breaker.provider())
            .remembered(true)
            .retry(Retry::After(wait))
            .detail(self.pace.map(|pace| Say::at_most(pace.requests, pace.per)))
    }
}

impl<U: Upstream> Upstream for Limiter<U>
where
    U::Ask: Patience,
{
    type Ask = U::Ask;
    type Answer = U::Answer;

    fn spec(&self) -> &'static Spec {
        self.inner.spec()
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a U::Ask) -> Answering<'a, U::Answer> {
        Box::pin(async move {
            let _place = self.enter(call, ask.turn_patience()).await?;
            self.inner
                .ask(call, ask)
                .await
                .map_err(|fault| self.in_turn(fault))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use fault::ProviderId;

    use super::super::shared_limits::{InMemoryLimits, Trip};
    use super::*;

    #[derive(Debug, Default)]
    struct Slow {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    impl Upstream for Slow {
        type Ask = ();
        type Answer = ();

        fn spec(&self) -> &'static Spec {
            &Spec { id: "slow" }
        }

        fn ask<'a>(&'a self, _: &'a Call, (): &'a ()) -> Answering<'a, ()> {
            Box::pin(async move {
                let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_secs(1)).await;
                self.now.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        }
    }

    fn limiter(pace: Option<Pace>) -> Arc<Limiter<Slow>> {
        let breaker =
            BreakerHandle::new(ProviderId::new("slow"), Arc::new(InMemoryLimits::default()));
        Arc::new(Limiter::new(Slow::default(), breaker, pace, 3))
    }

    #[tokio::test(start_paused = true)]
    async fn only_so_many_calls_run_at_once() {
        let limiter = limiter(None);
        let calls: Vec<_> = (0..10)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                tokio::spawn(async move {
                    limiter
                        .ask(&Call::within(Duration::from_secs(30)), &())
                        .await
                })
            })
            .collect();
        for outcome in calls {
            assert!(outcome.await.is_ok_and(|outcome| outcome.is_ok()));
        }
        assert_eq!(limiter.inner.most.load(Ordering::SeqCst), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_after_the_deadline_is_refused_at_once() {
        let limiter = limiter(Some(Pace::one_in(60)));
        assert!(
            limiter
                .ask(&Call::within(Duration::from_secs(5)), &())
                .await
                .is_ok()
        );
        let (call, asked) = (Call::within(Duration::from_secs(5)), Instant::now());
        let fault = limiter.ask(&call, &()).await.expect_err("no turn in time");
        assert_eq!(
            (fault.case(), fault.advice().seconds()),
            (Case::LocalLimit, Some(59))
        );
        assert_eq!(asked.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn only_calls_whose_turn_comes_in_time_are_queued() {
        let limiter = limiter(Some(Pace::per_second(1)));
        let asked = Instant::now();
        let calls: Vec<_> = (0..100)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                tokio::spawn(async move {
                    let outcome = limiter
                        .ask(&Call::within(Duration::from_secs(10)), &())
                        .await;
                    (outcome.is_ok(), Instant::now())
                })
            })
            .collect();
        let mut answered = 0;
        for outcome in calls {
            let (ok, at) = outcome.await.expect("a call");
            answered += usize::from(ok);
            assert!(ok || at == asked, "the others are refused at once");
        }
        assert_eq!(answered, 10, "a turn at the deadline itself is too late");
    }

    #[tokio::test(start_paused = true)]
    async fn no_wait_ends_before_a_turn_is_free() {
        let limiter = limiter(Some(Pace::one_in(20)));
        assert!(
            limiter
                .ask(&Call::within(Duration::from_secs(5)), &())
                .await
                .is_ok()
        );
        let hasty =
            Fault::new(Case::Http429, Origin::Provider).requested_wait(Duration::from_secs(3));
        assert_eq!(limiter.in_turn(hasty).advice().seconds(), Some(19));
        let patient =
            Fault::new(Case::Http429, Origin::Provider).requested_wait(Duration::from_secs(30));
        assert_eq!(limiter.in_turn(patient).advice().seconds(), Some(30));
        let hopeless = Fault::new(Case::BadKey, Origin::Provider);
        assert_eq!(limiter.in_turn(hopeless).advice(), Retry::Never);
        let at_once = || Fault::new(Case::Http429, Origin::Provider).retry(Retry::Now);
        assert_eq!(limiter.in_turn(at_once()).advice().seconds(), Some(19));
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(limiter.in_turn(at_once()).advice(), Retry::Now);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slot_that_is_free_too_late_for_an_answer_is_not_used() {
        let limiter = limiter(None);
        let busy: Vec<_> = (0..3)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                tokio::spawn(async move {
                    limiter
                        .ask(&Call::within(Duration::from_secs(30)), &())
                        .await
                })
            })
            .collect();
        tokio::task::yield_now().await;
        // The slots are free after one second.
        let late = Call::within(Duration::from_secs(1) + USEFUL / 2);
        let fault = limiter.ask(&late, &()).await.expect_err("too late");
        assert_eq!(
            (fault.case(), fault.advice().seconds()),
            (Case::LocalLimit, Some(BUSY.as_secs()))
        );
        for outcome in busy {
            assert!(outcome.await.is_ok_and(|outcome| outcome.is_ok()));
        }
        let hurried = Call::within(USEFUL / 2);
        let asked = limiter.enter(&hurried, Duration::MAX).await;
        assert!(asked.is_ok(), "a call that did not wait may try");
    }

    #[tokio::test(start_paused = true)]
    async fn a_trip_refuses_the_whole_queue_at_once() {
        let limiter = limiter(Some(Pace::one_in(10)));
        let queue: Vec<_> = (0..5)
            .map(|_| {
                let limiter = Arc::clone(&limiter);
                tokio::spawn(async move {
                    limiter
                        .ask(&Call::within(Duration::from_secs(60)), &())
                        .await
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_secs(2)).await;
        limiter.breaker.set(Some(Trip {
            case: Case::HttpStatus,
            status: Some(503),
            until: Instant::now() + Duration::from_secs(30),
        }));
        let asked = Instant::now();
        let mut refused = 0;
        for outcome in queue {
            refused += usize::from(outcome.await.is_ok_and(|outcome| outcome.is_err()));
        }
        assert_eq!((refused, asked.elapsed()), (4, Duration::ZERO));
    }
}

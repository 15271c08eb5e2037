//! Stops asking an upstream that fails, and refuses calls with the reason and the time left.
//!
//! It trips at once when the source names a wait, has no credits left or blocks us as a robot, and
//! otherwise after [`FAILURES`] failures in a row. Wrong keys, refused requests and unreadable
//! answers say nothing about the source's health and never trip it. When its time is over, one call
//! goes through as a probe; calls that arrive meanwhile wait for the probe's outcome and share it,
//! so a caller that waited as advised is not refused again.
//!
//! **Advice is a promise.** The failures before the trip were reported with a wait. The breaker
//! therefore closes no later than the earliest of these waits that is still running, and a failure
//! that arrives after the trip does not move its end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fault::{Case, Fault, Health, Origin, Phase, Result, Retry};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::shared_limits::{BreakerHandle, Trip, lock};
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// How many failures in a row trip the breaker.
const FAILURES: u32 = 5;

/// How long the breaker stays open after a fault that names no wait.
const DEFAULT_WAIT: Duration = Duration::from_secs(60);

/// The longest time the breaker stays open: a source may recover before a longer wait is over.
const LONGEST: Duration = Duration::from_secs(3_600);

/// Refuses calls of `inner` while its breaker is open.
#[derive(Debug)]
pub struct Breaker<U> {
    inner: U,
    breaker: Arc<BreakerHandle>,
    state: Mutex<BreakerState>,
    probed: Notify,
}

#[derive(Debug, Default)]
struct BreakerState {
    failures: u32,
    /// The earliest end of the waits that were reported during this row of failures.
    promised: Option<Instant>,
    probing: bool,
}

enum Admission {
    Pass,
    Probe,
    Wait,
    Refuse(Fault),
}

impl<U> Breaker<U> {
    pub fn new(inner: U, breaker: Arc<BreakerHandle>) -> Breaker<U> {
        Breaker {
            inner,
            breaker,
            state: Mutex::default(),
            probed: Notify::new(),
        }
    }

    fn admit(&self) -> Admission {
        let mut state = lock(&self.state);
        if let Some(fault) = self.breaker.refusal() {
            return Admission::Refuse(fault);
        }
        match (self.breaker.trip(), state.probing) {
            (None, _) => Admission::Pass,
            (Some(_), true) => Admission::Wait,
            (Some(_), false) => {
                state.probing = true;
                Admission::Probe
            }
        }
    }

    /// Waits until the call is let through or refused. Returns whether the call is the probe.
    async fn enter(&self, call: &Call) -> Result<bool> {
        loop {
            let probed = self.probed.notified();
            tokio::pin!(probed);
            // Registered before the state is read, so that a probe that ends in between is noticed.
            probed.as_mut().enable();
            match self.admit() {
                Admission::Pass => return Ok(false),
                Admission::Probe => return Ok(true),
                Admission::Refuse(fault) => return Err(fault),
                Admission::Wait => {}
            }
            tokio::select! {
                biased;
                () = call.cancel.cancelled() => return Err(Fault::new(Case::Cancelled, Origin::Local)),
                () = probed => {}
                () = tokio::time::sleep_until(call.deadline) => return Err(self.too_late(call)),
            }
        }
    }

    fn too_late(&self, call: &Call) -> Fault {
        let fault = Fault::new(Case::Timeout, Origin::Provider).provider(self.breaker.provider());
        fault.phase(Phase::Work).elapsed(call.started.elapsed())
    }

    fn record<T>(&self, outcome: &Result<T>, is_probe: bool) {
        let mut state = lock(&self.state);
        match outcome.as_ref().map_err(signal) {
            Err(Signal::Unknown) => {}
            Ok(_) | Err(Signal::Healthy) => {
                *state = BreakerState {
                    probing: state.probing,
                    ..BreakerState::default()
                };
                // Only the probe closes it: a call that was in progress when the source asked for
                // a wait does not end that wait.
                if is_probe {
                    self.breaker.set(None);
                }
            }
            Err(Signal::Unhealthy(problem)) => self.failed(&mut state, problem, is_probe),
        }
    }

    fn failed(&self, state: &mut BreakerState, problem: HealthProblem, is_probe: bool) {
        let now = Instant::now();
        let end = now + problem.wait.min(LONGEST);
        let promised = state
            .promised
            .filter(|promised| *promised > now)
            .map_or(end, |promised| promised.min(end));
        (state.failures, state.promised) = (state.failures.saturating_add(1), Some(promised));
        let trips = is_probe || problem.at_once || state.failures >= FAILURES;
        if trips && self.breaker.refusal().is_none() {
            let until = if is_probe || problem.at_once {
                end
            } else {
                promised
            };
            self.breaker.set(Some(Trip {
                case: problem.case,
                status: problem.status,
                until,
            }));
            *state = BreakerState {
                probing: state.probing,
                ..BreakerState::default()
            };
        }
    }
}

/// What an outcome says about the source.
enum Signal {
    Healthy,
    Unhealthy(HealthProblem),
    /// No information: the source was not asked, or the caller withdrew.
    Unknown,
}

struct HealthProblem {
    case: Case,
    status: Option<u16>,
    wait: Duration,
    at_once: bool,
}

fn signal(fault: &Fault) -> Signal {
    if fault.is_remembered() || fault.origin() == Origin::Local {
        return Signal::Unknown;
    }
    let at_once = match fault.row().health {
        Health::Unknown => return Signal::Unknown,
        Health::Healthy => return Signal::Healthy,
        Health::Failing => false,
        Health::Limiting => fault.source_requested_wait(),
        Health::Refusing => true,
    };
    let wait = match fault.advice() {
        Retry::After(wait) => wait,
        Retry::Now => Duration::ZERO,
        Retry::Never => DEFAULT_WAIT,
    };
    Signal::Unhealthy(HealthProblem {
        case: fault.case(),
        status: fault.seen_status(),
        wait,
        at_once,
    })
}

/// Allows the next probe when dropped, however this one ends.
struct Probing<'a, U>(&'a Breaker<U>);

impl<U> Drop for Probing<'_, U> {
    fn drop(&mut self) {
        lock(&self.0.state).probing = false;
        self.0.probed.notify_waiters();
    }
}

impl<U: Upstream> Upstream for Breaker<U> {
    type Ask = U::Ask;
    type Answer = U::Answer;

    fn spec(&self) -> &'static Spec {
        self.inner.spec()
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a U::Ask) -> Answering<'a, U::Answer> {
        Box::pin(async move {
            let is_probe = self.enter(call).await?;
            let _probing = is_probe.then(|| Probing(self));
            let outcome = self.inner.ask(call, ask).await;
            if outcome.is_ok() || !call.was_too_short() {
                self.record(&outcome, is_probe);
            }
            outcome
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use fault::ProviderId;

    use super::super::shared_limits::InMemoryLimits;
    use super::*;

    #[derive(Debug)]
    struct Scripted {
        asked: AtomicUsize,
        script: fn(usize) -> Result<()>,
        takes: Duration,
    }

    impl Upstream for Scripted {
        type Ask = ();
        type Answer = ();

        fn spec(&self) -> &'static Spec {
            &Spec { id: "scripted" }
        }

        fn ask<'a>(&'a self, _: &'a Call, (): &'a ()) -> Answering<'a, ()> {
            Box::pin(async move {
                let number = self.asked.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(self.takes).await;
                (self.script)(number)
            })
        }
    }

    fn breaker(script: fn(usize) -> Result<()>) -> Breaker<Scripted> {
        let inner = Scripted {
            asked: AtomicUsize::new(0),
            script,
            takes: Duration::from_millis(10),
        };
        Breaker::new(
            inner,
            BreakerHandle::new(
                ProviderId::new("scripted"),
                Arc::new(InMemoryLimits::default()),
            ),
        )
    }

    fn down() -> Fault {
        Fault::new(Case::HttpStatus, Origin::Provider).status(503u16)
    }

    fn call() -> Call {
        Call::within(Duration::from_secs(30))
    }

    async fn fail(breaker: &Breaker<Scripted>) -> Fault {
        breaker
            .ask(&call(), &())
            .await
            .expect_err("scripted to fail")
    }

    fn asked(breaker: &Breaker<Scripted>) -> usize {
        breaker.inner.asked.load(Ordering::SeqCst)
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_breaker_refuses_with_the_reason_and_the_time_left() {
        let breaker = breaker(|_| Err(down()));
        for _ in 0..FAILURES {
            fail(&breaker).await;
        }
        tokio::time::advance(Duration::from_secs(4)).await;
        let fault = fail(&breaker).await;
        assert_eq!(
            (fault.case(), fault.seen_status(), asked(&breaker)),
            (Case::HttpStatus, Some(503), FAILURES as usize)
        );
        assert!(
            fault
                .advice()
                .seconds()
                .is_some_and(|left| (10..=11).contains(&left)),
            "{fault:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_waits_as_any_failure_advised_is_not_refused() {
        let breaker = breaker(|_| Err(down()));
        let first = fail(&breaker).await.advice();
        let told = Instant::now() + Duration::from_secs(first.seconds().unwrap_or(0));
        tokio::time::advance(Duration::from_secs(10)).await;
        for _ in 0..FAILURES {
            fail(&breaker).await;
        }
        tokio::time::sleep_until(told).await;
        let before = asked(&breaker);
        fail(&breaker).await;
        assert_eq!(asked(&breaker), before + 1, "the call was let through");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_during_a_probe_share_its_outcome() {
        let breaker = Arc::new(breaker(|number| {
            if number < FAILURES as usize {
                Err(down())
            } else {
                Ok(())
            }
        }));
        for _ in 0..FAILURES {
            fail(&breaker).await;
        }
        tokio::time::advance(Duration::from_secs(16)).await;
        let calls = (0..50).map(|_| {
            let breaker = Arc::clone(&breaker);
            tokio::spawn(async move { breaker.ask(&call(), &()).await })
        });
        for outcome in calls.collect::<Vec<_>>() {
            assert!(outcome.await.is_ok_and(|outcome| outcome.is_ok()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_probe_refuses_every_call_that_waited_for_it() {
        let breaker = Arc::new(breaker(|_| Err(down())));
        for _ in 0..FAILURES {
            fail(&breaker).await;
        }
        tokio::time::advance(Duration::from_secs(16)).await;
        let calls = (0..50).map(|_| {
            let breaker = Arc::clone(&breaker);
            tokio::spawn(async move { breaker.ask(&call(), &()).await })
        });
        for outcome in calls.collect::<Vec<_>>() {
            assert!(outcome.await.is_ok_and(|outcome| outcome.is_err()));
        }
        assert_eq!(asked(&breaker), FAILURES as usize + 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_call_is_the_probe_after_a_cancelled_one() {
        let breaker = breaker(|number| {
            if number < FAILURES as usize {
                Err(down())
            } else {
                Ok(())
            }
        });
        for _ in 0..FAILURES {
            fail(&breaker).await;
        }
        tokio::time::advance(Duration::from_secs(16)).await;
        let dropped =
            tokio::time::timeout(Duration::from_millis(1), breaker.ask(&call(), &())).await;
        assert!(dropped.is_err());
        assert!(breaker.ask(&call(), &()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn wrong_keys_and_unreadable_answers_never_trip_it() {
        for case in [
            Case::BadKey,
            Case::Forbidden,
            Case::BadShape,
            Case::BadRequest,
            Case::LegalBlock,
        ] {
            let inner = breaker(|_| Err(Fault::new(Case::BadKey, Origin::Provider)));
            for _ in 0..20 {
                inner.record::<()>(&Err(Fault::new(case, Origin::Provider)), false);
            }
            assert!(inner.breaker.refusal().is_none(), "{case:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_named_by_the_source_trips_it_at_once_for_exactly_that_long() {
        let breaker = breaker(|_| {
            Err(Fault::new(Case::Http429, Origin::Provider)
                .status(429u16)
                .requested_wait(Duration::from_secs(7)))
        });
        fail(&breaker).await;
        assert_eq!(fail(&breaker).await.advice().seconds(), Some(7));
        assert_eq!(asked(&breaker), 1);
        tokio::time::advance(Duration::from_secs(7)).await;
        fail(&breaker).await;
        assert_eq!(asked(&breaker), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_passes_is_refused_without_a_promise() {
        for case in [Case::QuotaExhausted, Case::BotChallenge, Case::Http403] {
            let breaker = breaker(|_| Ok(()));
            breaker.record::<()>(&Err(Fault::new(case, Origin::Provider)), false);
            let refusal = breaker.breaker.refusal().expect("tripped at once");
            assert_eq!(
                (refusal.case(), refusal.advice()),
                (case, Retry::Never),
                "the end of our own pause is no date on which it passes"
            );
            tokio::time::advance(DEFAULT_WAIT).await;
            assert!(breaker.breaker.refusal().is_none(), "it is asked again");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_named_by_the_source_is_not_shortened_by_an_earlier_failure() {
        let breaker = breaker(|number| {
            if number == 0 {
                return Err(down());
            }
            let busy = Fault::new(Case::Http429, Origin::Provider).status(429u16);
            Err(busy.requested_wait(Duration::from_secs(60)))
        });
        fail(&breaker).await;
        fail(&breaker).await;
        assert_eq!(fail(&breaker).await.advice().seconds(), Some(60));
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_call_that_ends_during_a_probe_does_not_start_another_probe() {
        let earlier: [Result<()>; 2] = [Ok(()), Err(down())];
        for outcome in earlier {
            let breaker = breaker(|_| Err(down()));
            for _ in 0..FAILURES {
                fail(&breaker).await;
            }
            tokio::time::advance(Duration::from_secs(16)).await;
            assert!(breaker.enter(&call()).await.is_ok_and(|is_probe| is_probe));
            for _ in 0..FAILURES {
                breaker.record(&outcome, false);
            }
            tokio::time::advance(Duration::from_secs(16)).await;
            assert!(matches!(breaker.admit(), Admission::Wait), "{outcome:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failures_of_our_own_and_remembered_ones_say_nothing_about_the_source() {
        let ours = Fault::new(Case::Timeout, Origin::Local);
        let remembered = down().remembered(true);
        for fault in [ours, remembered] {
            let breaker = breaker(|_| Ok(()));
            for _ in 0..20 {
                breaker.record::<()>(&Err(fault.clone()), false);
            }
            assert!(breaker.breaker.refusal().is_none(), "{fault:?}");
        }
    }
}

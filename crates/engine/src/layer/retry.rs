//! Retries a failed call where that can help.
//!
//! It retries reads that met 429, 500, 502, 503, 504, or a refused or reset connection. A timeout
//! has used up the time already; a wrong key, a refused request, an unreadable answer and a
//! certificate error would be the same the second time. The wait is the one the source asked for.
//! Without one it is random (full jitter: callers that failed together must not come back
//! together); where nobody else is waiting to answer, it is a second longer, because most short
//! outages are over by then and a failed reply costs the caller more. When the wait would end after
//! the deadline, the call fails at once with that wait.
//!
//! A budget bounds the retries of all calls together: each call adds a tenth of a retry, each retry
//! takes one. When everything fails, the load on the source grows by a tenth instead of being
//! multiplied.

use std::sync::Mutex;
use std::time::Duration;

use fault::{Case, Fault, Health, Origin, Repeat, Result, Retry as Advice};
use tokio::time::Instant;

use super::shared_limits::lock;
use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// The longest first wait when the source named none; it doubles with each try.
const STEP: Duration = Duration::from_millis(500);

/// How long most short outages last: a restart, a reset, a failing backend that is taken out.
const SHORT_OUTAGE: Duration = Duration::from_secs(1);

/// A random part of this is added to a wait that the source named, so that callers with the same
/// wait do not return at the same instant.
const SPREAD: Duration = Duration::from_millis(250);

/// The least time an answer takes: with less time left before the deadline, there is no retry.
pub(super) const USEFUL: Duration = Duration::from_millis(200);

/// The most retries the budget can hold, and the fraction of a retry that each call adds.
const RESERVE: f64 = 10.0;
const SHARE: f64 = 0.1;

/// A request that knows how long to wait for this source before another one is asked.
pub trait Patience {
    /// The longest acceptable wait.
    fn patience(&self) -> Duration {
        Duration::MAX
    }

    /// The longest acceptable wait for a turn that this program's own pace imposes. The source is
    /// well, so it is usually longer than the patience with one that fails.
    fn turn_patience(&self) -> Duration {
        self.patience()
    }

    /// Whether a source that wants fewer requests, and did not say for how long, may be asked again
    /// after a moment. It is an API's business to limit its users, and a site's to be left alone.
    fn presses_limited_sources(&self) -> bool {
        true
    }
}

/// Retries failed calls within a budget.
#[derive(Debug)]
pub struct Retry<U> {
    inner: U,
    retries: u32,
    saved: Mutex<f64>,
}

impl<U> Retry<U> {
    /// Retries one call at most `retries` times.
    pub fn new(inner: U, retries: u32) -> Retry<U> {
        Retry {
            inner,
            retries,
            saved: Mutex::new(RESERVE),
        }
    }

    fn deposit(&self) {
        let mut saved = lock(&self.saved);
        *saved = (*saved + SHARE).min(RESERVE);
    }

    fn withdraw(&self) -> bool {
        let mut saved = lock(&self.saved);
        let enough = *saved >= 1.0;
        if enough {
            *saved -= 1.0;
        }
        enough
    }

    /// How long to wait before the retry; `None` when the call should not be retried.
    fn wait(
        &self,
        call: &Call,
        ask: &impl Patience,
        fault: &Fault,
        tries: u32,
    ) -> Option<Duration> {
        if tries > self.retries || !may_pass(fault) {
            return None;
        }
        let patience = ask.patience();
        let in_time =
            |wait: &Duration| *wait <= patience && Instant::now() + *wait + USEFUL <= call.deadline;
        let is_limited = fault.row().health == Health::Limiting;
        let wait = match (fault.source_requested_wait(), fault.advice()) {
            (_, Advice::Never) => None,
            (false, _) if is_limited && !ask.presses_limited_sources() => None,
            (true, Advice::After(wait)) => Some(wait + part_of(SPREAD)).filter(in_time),
            _ => {
                let jitter = part_of(STEP * 2u32.saturating_pow(tries - 1));
                [SHORT_OUTAGE + jitter, jitter].into_iter().find(in_time)
            }
        };
        wait.filter(|_| self.withdraw())
    }
}

/// Whether a fault may pass, and came from the source itself.
fn may_pass(fault: &Fault) -> bool {
    let by_case = match fault.row().repeat {
        Repeat::No => false,
        Repeat::Yes => true,
        Repeat::ByStatus => matches!(fault.seen_status(), Some(200 | 500 | 502 | 503 | 504)),
    };
    by_case && !fault.is_remembered()
}

/// A random duration of at most `most`.
fn part_of(most: Duration) -> Duration {
    most.mul_f64(fastrand::f64())
}

impl<U: Upstream> Upstream for Retry<U>
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
            self.deposit();
            let (mut tries, mut last) = (0, None::<Fault>);
            loop {
                tries += 1;
                let again;
                let call = if tries == 1 {
                    call
                } else {
                    call.observer.retried(self.spec().id);
                    again = call.resent(tries - 1);
                    &again
                };
                let fault = match self.inner.ask(call, ask).await {
                    Ok(answer) => return Ok(answer),
                    // A retry that was refused locally says less than the failure before it.
                    Err(fault) if fault.is_remembered() => return Err(last.unwrap_or(fault)),
                    Err(fault) => fault.tries(tries),
                };
                let Some(wait) = self.wait(call, ask, &fault, tries) else {
                    return Err(fault);
                };
                pause(call, wait).await?;
                last = Some(fault);
            }
        })
    }
}

async fn pause(call: &Call, wait: Duration) -> Result<()> {
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
        () = tokio::time::sleep(wait) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    impl Patience for () {}

    #[derive(Debug)]
    struct Failing {
        asked: AtomicUsize,
        fault: Fault,
    }

    impl Upstream for Failing {
        type Ask = ();
        type Answer = ();

        fn spec(&self) -> &'static Spec {
            &Spec { id: "failing" }
        }

        fn ask<'a>(&'a self, _: &'a Call, (): &'a ()) -> Answering<'a, ()> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Err(self.fault.clone()) })
        }
    }

    fn failing(case: Case, status: Option<u16>) -> Retry<Failing> {
        let fault = Fault::new(case, Origin::Provider).status(status);
        Retry::new(
            Failing {
                asked: AtomicUsize::new(0),
                fault,
            },
            1,
        )
    }

    async fn tries(retry: &Retry<Failing>, limit: u64) -> (usize, u32) {
        let before = retry.inner.asked.load(Ordering::SeqCst);
        let fault = retry
            .ask(&Call::within(Duration::from_secs(limit)), &())
            .await
            .expect_err("always fails");
        (
            retry.inner.asked.load(Ordering::SeqCst) - before,
            fault.seen_tries(),
        )
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_may_pass_is_asked_again() {
        let again = [
            (Case::Http429, Some(429)),
            (Case::HttpStatus, Some(500)),
            (Case::HttpStatus, Some(502)),
            (Case::HttpStatus, Some(503)),
            (Case::HttpStatus, Some(504)),
            (Case::ConnectionRefused, None),
            (Case::ConnectionReset, None),
        ];
        let once = [
            (Case::Timeout, None),
            (Case::BadKey, Some(401)),
            (Case::BadShape, Some(200)),
            (Case::BadRequest, Some(400)),
            (Case::TlsHandshake, None),
            (Case::TlsCertificate, None),
            (Case::QuotaExhausted, Some(429)),
            (Case::HttpStatus, Some(501)),
            (Case::Cancelled, None),
            (Case::BotChallenge, Some(202)),
        ];
        for (case, status) in again {
            assert_eq!(
                tries(&failing(case, status), 30).await,
                (2, 2),
                "{case:?} {status:?}"
            );
        }
        for (case, status) in once {
            assert_eq!(
                tries(&failing(case, status), 30).await,
                (1, 1),
                "{case:?} {status:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        let mut retry = failing(Case::Http429, Some(429));
        retry.inner.fault = retry.inner.fault.requested_wait(Duration::from_secs(20));
        let started = Instant::now();
        assert_eq!(tries(&retry, 10).await, (1, 1));
        assert_eq!(tries(&retry, 20).await, (1, 1), "no time would be left");
        assert_eq!(started.elapsed(), Duration::ZERO);
        assert_eq!(tries(&retry, 30).await, (2, 2));
        assert!(started.elapsed() >= Duration::from_secs(20));
    }

    /// As a page is asked for.
    struct Polite;

    impl Patience for Polite {
        fn presses_limited_sources(&self) -> bool {
            false
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_that_wants_fewer_requests_is_left_alone_and_one_in_trouble_is_not() {
        let retry = failing(Case::Http429, Some(429));
        let call = Call::within(Duration::from_secs(30));
        let waits = |case, status: u16| {
            let fault = Fault::new(case, Origin::Page).status(status);
            retry.wait(&call, &Polite, &fault, 1).is_some()
        };
        assert!(!waits(Case::Http429, 429));
        assert!(waits(Case::HttpStatus, 503));
    }

    #[tokio::test(start_paused = true)]
    async fn many_failing_calls_share_one_budget() {
        let retry = failing(Case::HttpStatus, Some(503));
        let mut asked = 0;
        for _ in 0..1_000 {
            asked += tries(&retry, 30).await.0;
        }
        assert!((1_100..=1_111).contains(&asked), "{asked}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_call_does_not_wait_for_its_retry() {
        let mut retry = failing(Case::Http429, Some(429));
        retry.inner.fault = retry.inner.fault.requested_wait(Duration::from_secs(20));
        let call = Call::within(Duration::from_secs(60));
        call.cancel.cancel();
        let fault = retry.ask(&call, &()).await.expect_err("withdrawn");
        assert_eq!(fault.case(), Case::Cancelled);
    }
}

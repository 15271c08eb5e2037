//! Ends the work of an upstream at the deadline, or when the call is cancelled.

use std::time::Duration;

use fault::{Case, Fault, Origin, Phase};

use crate::call::Call;
use crate::upstream::{Answering, Spec, Upstream};

/// Time for an upstream to notice the deadline by itself: its fault is more precise than this
/// layer's.
const GRACE: Duration = Duration::from_millis(150);

/// Stops waiting for `inner` at the deadline.
#[derive(Debug)]
pub struct Timeout<U> {
    inner: U,
    origin: Origin,
}

impl<U> Timeout<U> {
    /// `origin` is the origin of the fault for a late answer.
    pub fn new(inner: U, origin: Origin) -> Timeout<U> {
        Timeout { inner, origin }
    }
}

impl<U: Upstream> Upstream for Timeout<U> {
    type Ask = U::Ask;
    type Answer = U::Answer;

    fn spec(&self) -> &'static Spec {
        self.inner.spec()
    }

    fn ask<'a>(&'a self, call: &'a Call, ask: &'a U::Ask) -> Answering<'a, U::Answer> {
        Box::pin(async move {
            let too_late = tokio::time::sleep_until(call.deadline + GRACE);
            tokio::select! {
                biased;
                () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
                answer = self.inner.ask(call, ask) => answer,
                () = too_late => Err(Fault::new(Case::Timeout, self.origin).phase(Phase::Work).elapsed(call.started.elapsed())),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Never;

    impl Upstream for Never {
        type Ask = ();
        type Answer = ();

        fn spec(&self) -> &'static Spec {
            &Spec { id: "never" }
        }

        fn ask<'a>(&'a self, _: &'a Call, (): &'a ()) -> Answering<'a, ()> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_ends_work_that_does_not_notice_it() {
        let call = Call::within(Duration::from_secs(2));
        let fault = Timeout::new(Never, Origin::Page)
            .ask(&call, &())
            .await
            .expect_err("never answers");
        assert_eq!(fault.case(), Case::Timeout);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_call_is_not_reported_as_late() {
        let call = Call::within(Duration::from_secs(2));
        call.cancel.cancel();
        let fault = Timeout::new(Never, Origin::Page)
            .ask(&call, &())
            .await
            .expect_err("never answers");
        assert_eq!(fault.case(), Case::Cancelled);
    }
}

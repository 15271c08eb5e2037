//! Tries tiers in order until one reads the page. If none does, their faults become one.

use fault::{Case, Climb, Fault, Origin, Result, composite};

use super::tier::BoxedTier;
use super::{TierRequest, WholePage};
use crate::call::Call;

#[derive(Debug)]
pub(super) struct Ladder {
    tiers: Vec<BoxedTier>,
}

impl Ladder {
    pub(super) fn new(tiers: Vec<BoxedTier>) -> Ladder {
        Ladder { tiers }
    }

    pub(super) async fn ask(&self, call: &Call, request: &TierRequest) -> Result<WholePage> {
        let mut faults = Vec::new();
        let mut part = None;
        for tier in &self.tiers {
            match tier.ask(call, request).await {
                Ok(page) if !gets_more(&page) => return Ok(page),
                // Returned if no later tier gets more.
                Ok(page) => part = part.or(Some(page)),
                Err(fault) => {
                    call.attempts.record(tier.spec().id, Some(&fault));
                    let is_last = is_definitive(&fault);
                    faults.push((tier.spec().id, fault));
                    if is_last {
                        break;
                    }
                }
            }
        }
        if let Some(page) = part {
            return Ok(page);
        }
        Err(composite(faults).unwrap_or_else(|| Fault::new(Case::Internal, Origin::Local)))
    }
}

/// Whether another tier may get more of the page than this one did.
fn gets_more(page: &WholePage) -> bool {
    page.partial
        .is_some_and(|case| case.row().climb == Climb::Next)
}

/// Whether no further tier is tried. Only a page that refused this tier, or that had no text for
/// it, may give more to another; any other fault is final. A failure of a third party says nothing
/// about the page.
fn is_definitive(fault: &Fault) -> bool {
    match fault.origin() {
        Origin::Provider => fault.is_withdrawn(),
        _ => fault.row().climb == Climb::Stop,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::upstream::{Answering, Spec, Upstream};

    #[derive(Debug)]
    struct Fails(Case, Arc<AtomicUsize>);

    impl Upstream for Fails {
        type Ask = TierRequest;
        type Answer = WholePage;

        fn spec(&self) -> &'static Spec {
            &Spec { id: "tier" }
        }

        fn ask<'a>(&'a self, _: &'a Call, _: &'a TierRequest) -> Answering<'a, WholePage> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let case = self.0;
            Box::pin(async move { Err(Fault::new(case, Origin::Page)) })
        }
    }

    async fn climb(cases: &[Case]) -> (Case, usize) {
        let asked = Arc::new(AtomicUsize::new(0));
        let tiers = cases
            .iter()
            .map(|case| Box::new(Fails(*case, asked.clone())) as BoxedTier)
            .collect();
        let fault = Ladder::new(tiers)
            .ask(
                &Call::within(Duration::from_secs(1)),
                &TierRequest {
                    url: String::new(),
                    raw: false,
                    reads_on: false,
                },
            )
            .await
            .expect_err("all tiers fail");
        (fault.case(), asked.load(Ordering::Relaxed))
    }

    #[tokio::test]
    async fn a_definitive_answer_is_not_asked_for_again() {
        for case in [
            Case::Http404,
            Case::MissingCredentials,
            Case::Http429,
            Case::PolicyPrivateAddress,
            Case::Cancelled,
        ] {
            assert_eq!(climb(&[case, Case::Empty]).await, (case, 1));
        }
    }

    #[tokio::test]
    async fn other_failures_go_on_and_the_weightiest_speaks() {
        assert_eq!(
            climb(&[Case::Empty, Case::Http403, Case::ConnectionReset]).await,
            (Case::Http403, 3)
        );
        assert_eq!(
            climb(&[Case::JsShell, Case::NotInstalled]).await,
            (Case::NotInstalled, 2)
        );
    }
}

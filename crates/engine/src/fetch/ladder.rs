//! Tries tiers in order until one reads the page. If none does, their faults become one.

use fault::{Case, Climb, Fault, Origin, Result, composite};
use tokio::time::Instant;

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
            let started = Instant::now();
            let question = call.for_question();
            let asked = tier.ask(&question, request).await;
            call.tell_asked(&question, tier.spec().id, started, asked.as_ref().err());
            match asked {
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

    /// What a tier does when it is asked.
    #[derive(Debug, Clone, Copy)]
    enum Plays {
        Fails(Case, Origin),
        /// Gives this text; the rest of the page is missing for that reason, if there is one.
        Reads(&'static str, Option<Case>),
    }

    #[derive(Debug)]
    struct PlayedTier(Plays, Arc<AtomicUsize>);

    impl Upstream for PlayedTier {
        type Ask = TierRequest;
        type Answer = WholePage;

        fn spec(&self) -> &'static Spec {
            &Spec { id: "tier" }
        }

        fn ask<'a>(&'a self, _: &'a Call, _: &'a TierRequest) -> Answering<'a, WholePage> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let plays = self.0;
            Box::pin(async move {
                match plays {
                    Plays::Fails(case, origin) => Err(Fault::new(case, origin)),
                    Plays::Reads(text, partial) => Ok(WholePage {
                        partial,
                        ..WholePage::new(String::new(), "tier", text.to_owned())
                    }),
                }
            })
        }
    }

    /// The text or the fault, and how many tiers were asked.
    async fn climb(plays: &[Plays]) -> (std::result::Result<String, Case>, usize) {
        let asked = Arc::new(AtomicUsize::new(0));
        let tiers = plays
            .iter()
            .map(|plays| Box::new(PlayedTier(*plays, asked.clone())) as BoxedTier)
            .collect();
        let request = TierRequest {
            url: String::new(),
            raw: false,
            reads_on: false,
            chosen_by: crate::ChosenBy::Caller,
            part: None,
            password: None,
            formulas: false,
            scans: reading::document::scan::WantedScans::ALL,
            wanted: None,
            only_these_parts: false,
        };
        let answer = Ladder::new(tiers)
            .ask(&Call::within(Duration::from_secs(1)), &request)
            .await;
        let answer = answer.map(|page| page.text).map_err(|fault| fault.case());
        (answer, asked.load(Ordering::Relaxed))
    }

    fn fails(case: Case) -> Plays {
        Plays::Fails(case, Origin::Page)
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
            assert_eq!(
                climb(&[fails(case), fails(Case::Empty)]).await,
                (Err(case), 1)
            );
        }
    }

    #[tokio::test]
    async fn other_failures_go_on_and_the_weightiest_speaks() {
        assert_eq!(
            climb(&[Case::Empty, Case::Http403, Case::ConnectionReset].map(fails)).await,
            (Err(Case::Http403), 3)
        );
        assert_eq!(
            climb(&[Case::JsShell, Case::NotInstalled].map(fails)).await,
            (Err(Case::NotInstalled), 2)
        );
    }

    #[tokio::test]
    async fn a_failure_of_a_third_party_is_not_the_page_s_answer() {
        let limited = Plays::Fails(Case::Http429, Origin::Provider);
        let whole = Plays::Reads("all", None);
        assert_eq!(climb(&[limited, whole]).await, (Ok("all".to_owned()), 2));
        let cancelled = Plays::Fails(Case::Cancelled, Origin::Provider);
        assert_eq!(climb(&[cancelled, whole]).await, (Err(Case::Cancelled), 1));
    }

    #[tokio::test]
    async fn a_part_is_returned_when_no_later_tier_gets_more() {
        let whole = Plays::Reads("all", None);
        let part = Plays::Reads("part", Some(Case::JsShell));
        let cut = Plays::Reads("cut", Some(Case::TooLong));
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(climb(&[whole, part]).await, (text("all"), 1));
        assert_eq!(climb(&[part, whole]).await, (text("all"), 2));
        assert_eq!(
            climb(&[part, fails(Case::NotInstalled)]).await,
            (text("part"), 2)
        );
        assert_eq!(
            climb(&[cut, whole]).await,
            (text("cut"), 1),
            "another tier would cut it too"
        );
    }
}

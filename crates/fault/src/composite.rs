//! Combines the faults of several attempts into one.
//!
//! When every tier of a ladder or every provider of a router failed, the answer is one fault. Kind,
//! reason and sentence are those of the most actionable attempt, the headline. Whether and when the
//! call may succeed belongs to the call: it may succeed as soon as one attempt may.

use crate::catalogue::Climb;
use crate::fault::{Attempt, Fault};
use crate::kind::{Kind, Origin};
use crate::remedy::Retry;

/// The fault of several ways to get the same thing; `None` when there are none. A definitive answer
/// about the thing itself, such as a 404 of the page, decides alone whether to try again.
pub fn composite(faults: Vec<(&'static str, Fault)>) -> Option<Fault> {
    let call = call_retry(&faults);
    let is_empty = page_is_empty(&faults);
    let headline = headline(faults, headline_order)?;
    // A page that stays empty after its scripts ran is as empty the next time.
    if is_definitive(&headline) || headline.row().settled_by_scripts && is_empty {
        return Some(headline);
    }
    Some(with_call_retry(headline, call))
}

/// The fault of several things that were asked for at once, none of which was got; `None` when
/// there are none. The call is worth repeating as soon as one of them may come, so the headline is
/// the one that may come first: kind, reason and wait then belong together. Words that only one of
/// them has do not speak for all.
pub fn composite_of_several(faults: Vec<(&'static str, Fault)>) -> Option<Fault> {
    let order = |fault: &Fault, needs_scripts| {
        let seconds = fault.advice().seconds().unwrap_or(u64::MAX);
        (seconds, headline_order(fault, needs_scripts))
    };
    let is_single = faults.len() == 1;
    let headline = headline(faults, order)?;
    Some(if is_single {
        headline
    } else {
        headline.saying(None).advising(None)
    })
}

fn call_retry(faults: &[(&'static str, Fault)]) -> Retry {
    let retries = faults.iter().map(|(_, fault)| fault.advice());
    retries.fold(Retry::Never, Retry::earlier)
}

/// Overrides the headline's own retry only where the call's differs, so that a wait which the
/// headline's source asked for stays known as such.
fn with_call_retry(headline: Fault, call: Retry) -> Fault {
    if headline.advice() == call {
        headline
    } else {
        headline.retry(call)
    }
}

/// Whether the page had no text for any way that asked it. What a third party did says nothing about
/// the page.
fn page_is_empty(faults: &[(&'static str, Fault)]) -> bool {
    let mut asked = faults
        .iter()
        .filter(|(_, fault)| fault.origin() == Origin::Page);
    asked.all(|(_, fault)| fault.kind() == Kind::ContentEmpty)
}

/// Whether the page itself has answered, for every way of reading it.
fn is_definitive(fault: &Fault) -> bool {
    fault.origin() == Origin::Page && fault.row().climb == Climb::Stop
}

fn headline<Order: Ord>(
    faults: Vec<(&'static str, Fault)>,
    order: impl Fn(&Fault, bool) -> Order,
) -> Option<Fault> {
    let attempts: Vec<Attempt> = faults
        .iter()
        .map(|(name, fault)| Attempt::new(name, fault))
        .collect();
    let needs_scripts = faults
        .iter()
        .any(|(_, fault)| fault.row().settled_by_scripts);
    let headline = faults
        .into_iter()
        .map(|(_, fault)| fault)
        .min_by_key(|fault| order(fault, needs_scripts))?;
    Some(headline.attempts(attempts))
}

/// The sort key; the lowest fault is the headline, and the first among equals, because the cheapest
/// attempt is made first and later ones mostly repeat it.
///
/// A page's own answer comes before a failure of the provider that should read it. A missing
/// browser matters only to a page that needs one. Our own limits come last, because they only say
/// that a source was not asked. Then the kind decides; within a kind, a page that needs scripts comes
/// before one that is merely empty, and a fault that may pass before one that does not.
fn headline_order(fault: &Fault, needs_scripts: bool) -> (bool, bool, bool, usize, bool, bool) {
    (
        fault.origin() == Origin::Provider,
        fault.kind() == Kind::BrowserUnavailable && !needs_scripts,
        fault.row().speaks_last,
        fault.kind().rank(),
        !fault.row().settled_by_scripts,
        fault.advice() == Retry::Never,
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Case, Size};

    fn page(case: Case) -> Fault {
        Fault::new(case, Origin::Page)
    }

    fn kind_of(cases: &[Case]) -> Kind {
        composite(cases.iter().map(|case| ("tier", page(*case))).collect())
            .expect("not empty")
            .kind()
    }

    #[test]
    fn the_headline_is_the_kind_that_comes_first_in_the_order() {
        assert_eq!(kind_of(&[Case::Http403, Case::Http404]), Kind::NotFound);
        assert_eq!(
            kind_of(&[Case::Http404, Case::PolicyPrivateAddress]),
            Kind::Validation
        );
        assert_eq!(
            kind_of(&[Case::Http429, Case::MissingCredentials]),
            Kind::AuthRequired
        );
        assert_eq!(
            kind_of(&[Case::JsShell, Case::NotInstalled]),
            Kind::BrowserUnavailable
        );
    }

    #[test]
    fn an_empty_page_is_empty_whether_there_is_a_browser_or_not() {
        assert_eq!(
            kind_of(&[Case::Empty, Case::NotInstalled]),
            Kind::ContentEmpty
        );
    }

    #[test]
    fn the_call_may_pass_as_soon_as_one_attempt_may() {
        let limited = |wait| {
            Fault::new(Case::Http429, Origin::Provider).requested_wait(Duration::from_secs(wait))
        };
        let bad_key = Fault::new(Case::BadKey, Origin::Provider);
        let fault = composite(vec![
            ("brave", bad_key),
            ("tavily", limited(20)),
            ("exa", limited(6)),
        ])
        .expect("not empty");
        assert_eq!(
            (fault.case(), fault.advice().seconds()),
            (Case::BadKey, Some(6))
        );
    }

    #[test]
    fn a_page_that_stays_empty_after_its_scripts_ran_is_not_asked_again() {
        let ways = vec![
            ("html", page(Case::JsShell)),
            ("browser", page(Case::Empty)),
        ];
        let fault = composite(ways).expect("not empty");
        assert_eq!(
            (fault.case(), fault.advice()),
            (Case::JsShell, Retry::Never)
        );
    }

    #[test]
    fn what_a_third_party_did_does_not_make_an_empty_page_worth_a_retry() {
        let third_party = |case| Fault::new(case, Origin::Provider);
        for case in [Case::Http429, Case::Timeout, Case::PolicyPrivateAddress] {
            let ways = vec![
                ("html", page(Case::JsShell)),
                ("reader", third_party(case)),
                ("browser", page(Case::Empty)),
                ("exa", third_party(Case::BadKey)),
            ];
            let fault = composite(ways).expect("not empty");
            assert_eq!(
                (fault.case(), fault.advice(), fault.action()),
                (Case::JsShell, Retry::Never, crate::Action::InformUser)
            );
        }
        let late = vec![
            ("html", page(Case::JsShell)),
            ("browser", page(Case::Timeout)),
        ];
        let retry = composite(late).map(|fault| fault.advice());
        assert!(retry.is_some_and(Retry::is_possible), "its scripts may end");
    }

    #[test]
    fn of_several_things_the_one_that_may_come_first_is_the_headline() {
        let limited = page(Case::Http429).requested_wait(Duration::from_secs(40));
        let down = page(Case::HttpStatus).requested_wait(Duration::from_secs(7));
        let gone = page(Case::Http404);
        let things = vec![("page", gone), ("page", limited), ("page", down)];
        let fault = composite_of_several(things).expect("not empty");
        assert_eq!(
            (fault.case(), fault.advice().seconds()),
            (Case::HttpStatus, Some(7))
        );
    }

    #[test]
    fn of_several_things_one_that_may_come_is_the_headline() {
        let things = vec![("page", page(Case::Http404)), ("page", page(Case::Http429))];
        let fault = composite_of_several(things).expect("not empty");
        assert_eq!(
            (fault.case(), fault.advice().seconds()),
            (Case::Http429, Some(60))
        );
    }

    #[test]
    fn within_a_kind_the_attempt_that_may_pass_is_the_headline() {
        let provider = |case| ("provider", Fault::new(case, Origin::Provider));
        let faults = vec![provider(Case::QuotaExhausted), provider(Case::Http429)];
        assert_eq!(composite(faults).map(|it| it.case()), Some(Case::Http429));
    }

    #[test]
    fn the_earlier_wait_counts_in_any_order() {
        let wait = |seconds| Retry::After(Duration::from_secs(seconds));
        for (one, other, earlier) in [
            (wait(6), wait(20), wait(6)),
            (wait(20), wait(6), wait(6)),
            (wait(20), Retry::Now, Retry::Now),
            (Retry::Never, wait(20), wait(20)),
            (wait(20), Retry::Never, wait(20)),
            (Retry::Never, Retry::Never, Retry::Never),
        ] {
            assert_eq!(one.earlier(other), earlier);
        }
    }

    #[test]
    fn a_page_that_does_not_exist_is_not_asked_again_however_a_tier_failed() {
        let ways = vec![
            ("html", page(Case::Http404)),
            ("browser", page(Case::Timeout)),
        ];
        let pages = ways.clone();
        assert_eq!(
            composite(ways).map(|fault| fault.advice()),
            Some(Retry::Never)
        );
        let retry = composite_of_several(pages).map(|fault| fault.advice());
        assert!(
            retry.is_some_and(Retry::is_possible),
            "another page may come"
        );
    }

    #[test]
    fn network_is_the_headline_only_when_every_attempt_was_network() {
        assert_eq!(kind_of(&[Case::Timeout, Case::Dns]), Kind::Network);
        assert_eq!(kind_of(&[Case::Timeout, Case::Empty]), Kind::ContentEmpty);
    }

    #[test]
    fn a_reader_s_failure_never_hides_the_page_s_own_answer() {
        let reader = Fault::new(Case::BadKey, Origin::Provider);
        let fault = composite(vec![
            ("html", page(Case::JsShell)),
            ("reader", reader.clone()),
        ])
        .expect("not empty");
        assert_eq!(fault.case(), Case::JsShell);
        assert_eq!(
            composite(vec![
                ("a", reader),
                ("b", Fault::new(Case::Timeout, Origin::Provider))
            ])
            .map(|it| it.case()),
            Some(Case::BadKey)
        );
    }

    #[test]
    fn our_own_limit_is_the_headline_only_when_nothing_else_failed() {
        assert_eq!(
            kind_of(&[Case::LocalLimit, Case::HttpStatus]),
            Kind::UpstreamUnavailable
        );
        assert_eq!(
            kind_of(&[Case::LocalLimit, Case::LocalLimit]),
            Kind::RateLimited
        );
    }

    #[test]
    fn every_tier_is_named_in_order() {
        let faults = vec![
            ("markdown", page(Case::Empty)),
            ("stealth", page(Case::Http403).status(403u16)),
            ("html", page(Case::Empty).size(Size::Bytes(12))),
            ("browser", page(Case::LaunchFailed)),
        ];
        let fault = composite(faults).expect("not empty");
        assert_eq!(
            fault.tiers().as_deref(),
            Some(
                "(markdown: empty, stealth: HTTP 403, html: 12 bytes, browser: chrome launch failed)"
            )
        );
    }
}

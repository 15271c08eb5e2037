//! Combines the faults of several attempts into one.
//!
//! When every tier of a ladder or every provider of a router failed, the answer is one fault: the
//! one whose kind comes first in [`Kind::PRECEDENCE`](crate::Kind::PRECEDENCE), with the outcome of
//! each attempt. Among equals the first one wins, because the cheapest tier runs first and later
//! ones mostly repeat it.

use crate::fault::{Attempt, Fault};
use crate::kind::Origin;
use crate::remedy::Retry;

/// The fault that represents all of them; `None` when there are none.
pub fn composite(faults: Vec<(&'static str, Fault)>) -> Option<Fault> {
    let attempts: Vec<Attempt> = faults
        .iter()
        .map(|(name, fault)| Attempt::new(name, fault))
        .collect();
    let headline = faults
        .into_iter()
        .map(|(_, fault)| fault)
        .min_by_key(headline_order)?;
    Some(headline.attempts(attempts))
}

/// The sort key; the lowest fault is the headline. A page's own answer comes before a failure of
/// the provider that should read it. Our own limits come last, because they only say that a source
/// was not asked. Then the kind decides; within a kind, a fault that may pass comes before one that
/// does not.
fn headline_order(fault: &Fault) -> (bool, bool, usize, bool) {
    (
        fault.origin() == Origin::Provider,
        fault.row().speaks_last,
        fault.kind().rank(),
        fault.advice() == Retry::Never,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Kind, Size};

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
            kind_of(&[Case::Empty, Case::NotInstalled]),
            Kind::BrowserUnavailable
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

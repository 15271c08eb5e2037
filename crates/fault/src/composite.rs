//! Several attempts, one fault.
//!
//! When every tier of a ladder or every provider of a router failed, one fault answers: the one
//! whose kind comes first in [`Kind::PRECEDENCE`](crate::Kind::PRECEDENCE), with what each attempt
//! saw. Among equals the first one wins, because the cheapest tier runs first and later ones mostly
//! repeat it.

use crate::fault::{Attempt, Fault};
use crate::kind::Origin;
use crate::remedy::Retry;

/// The fault that speaks for all of them, or nothing when there were none.
pub fn composite(faults: Vec<(&'static str, Fault)>) -> Option<Fault> {
    let attempts: Vec<Attempt> = faults
        .iter()
        .map(|(name, fault)| Attempt::of(name, fault))
        .collect();
    let headline = faults
        .into_iter()
        .map(|(_, fault)| fault)
        .min_by_key(headline_order)?;
    Some(headline.attempts(attempts))
}

/// What a page said before what a helper on the way to it said of itself; what anybody said before
/// a limit of ours, which only says that somebody was not asked; then the kind; within a kind, the
/// fault that promises a recovery before the one that does not.
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
    use crate::{Case, Kind};

    fn page(case: Case) -> Fault {
        Fault::new(case, Origin::Page)
    }

    fn kind_of(cases: &[Case]) -> Kind {
        composite(cases.iter().map(|case| ("tier", page(*case))).collect())
            .expect("not empty")
            .kind()
    }

    #[test]
    fn the_order_of_seed_000_holds() {
        // 000_…, "Composite Error (All Tiers Failed)"
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
    fn network_speaks_only_for_itself() {
        assert_eq!(kind_of(&[Case::Timeout, Case::Dns]), Kind::Network);
        assert_eq!(kind_of(&[Case::Timeout, Case::Empty]), Kind::ContentEmpty);
    }

    #[test]
    fn a_helper_s_own_trouble_never_hides_what_the_page_said() {
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
    fn a_limit_of_ours_speaks_only_for_itself() {
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
        // 000_…, "Composite Error (All Tiers Failed)": the list in parentheses
        let faults = vec![
            ("markdown", page(Case::Empty)),
            ("stealth", page(Case::Http403).status(403u16)),
            ("html", page(Case::Empty).size(12u64)),
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

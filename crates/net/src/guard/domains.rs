//! Which domains the operator lets callers read: a list to allow, a list to deny, or both.
//!
//! A rule names a domain and covers its subdomains, by whole labels. A denied domain stays denied
//! whatever else is allowed, so that a part of an allowed domain can be closed. Without an allow
//! list every domain is allowed that is not denied.

use std::net::IpAddr;
use std::str::FromStr;

use super::TargetHost;
use super::address::plain;
use super::target::{clean_name, is_under};

/// One domain with its subdomains, or one address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DomainRule(RuledHost);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum RuledHost {
    Domain(String),
    Ip(IpAddr),
}

/// A domain rule that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DomainRuleError;

impl std::fmt::Display for DomainRuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected a domain such as example.com, without scheme, port or path")
    }
}

impl std::error::Error for DomainRuleError {}

impl FromStr for DomainRule {
    type Err = DomainRuleError;

    /// Names go through the URL parser, so that rules and URLs are compared in the same form.
    /// `*.example.com` means the same as `example.com`.
    fn from_str(text: &str) -> Result<Self, DomainRuleError> {
        let text = text.trim();
        let name = text.strip_prefix("*.").unwrap_or(text);
        if name.contains(['/', '*', '@', '?', '#', '%', ':']) && !name.starts_with('[') {
            return Err(DomainRuleError);
        }
        match url::Host::parse(name).map_err(|_| DomainRuleError)? {
            url::Host::Domain(name) => clean_name(&name)
                .map(|name| Self(RuledHost::Domain(name)))
                .map_err(|_| DomainRuleError),
            url::Host::Ipv4(ip) => Ok(Self(RuledHost::Ip(IpAddr::V4(ip)))),
            url::Host::Ipv6(ip) => Ok(Self(RuledHost::Ip(plain(IpAddr::V6(ip))))),
        }
    }
}

impl DomainRule {
    pub(crate) fn matches(&self, host: &TargetHost) -> bool {
        match (&self.0, host) {
            (RuledHost::Domain(domain), TargetHost::Name(name)) => is_under(name, domain),
            (RuledHost::Ip(mine), TargetHost::Ip(ip)) => *mine == plain(*ip),
            _ => false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Denied, Policy};
    use super::*;

    fn rules(texts: &[&str]) -> Vec<DomainRule> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn policy(allow: &[&str], deny: &[&str]) -> Policy {
        Policy::default().with_domains(rules(allow), rules(deny))
    }

    fn is_refused(policy: &Policy, url: &str) -> bool {
        match policy.target(url) {
            Ok(_) => false,
            Err(denied) => {
                assert_eq!(denied, Denied::Domain, "{url}");
                true
            }
        }
    }

    #[test]
    fn a_rule_covers_the_domain_and_its_subdomains_by_whole_labels() {
        let policy = policy(&[], &["Example.com.", "*.bücher.example", "192.0.0.9"]);
        for closed in [
            "http://example.com/",
            "https://a.b.example.com:8443/x",
            "http://EXAMPLE.com./",
            "http://xn--bcher-kva.example/",
            "http://www.bücher.example/",
        ] {
            assert!(is_refused(&policy, closed), "{closed}");
        }
        for open in [
            "http://notexample.com/",
            "http://example.com.other.example/",
            "http://example.org/?u=example.com",
        ] {
            assert!(!is_refused(&policy, open), "{open}");
        }
    }

    #[test]
    fn with_an_allow_list_all_else_is_closed_and_denied_parts_stay_so() {
        let policy = policy(&["example.com"], &["private.example.com"]);
        assert!(!is_refused(&policy, "http://docs.example.com/"));
        assert!(is_refused(&policy, "http://a.private.example.com/"));
        assert!(is_refused(&policy, "http://example.org/"));
        assert!(is_refused(&policy, "http://93.184.216.34/"));
    }

    #[test]
    fn a_private_host_that_the_operator_opened_is_allowed_too() {
        let opened = Policy::new(vec!["wiki.internal".parse().unwrap()])
            .with_domains(rules(&["example.com"]), Vec::new());
        assert!(!is_refused(&opened, "http://wiki.internal/"));
        let denied = Policy::new(vec!["wiki.internal".parse().unwrap()])
            .with_domains(Vec::new(), rules(&["wiki.internal"]));
        assert!(is_refused(&denied, "http://wiki.internal/"));
    }

    #[test]
    fn what_is_no_domain_is_refused_as_a_rule() {
        for bad in [
            "",
            "https://example.com",
            "example.com/a",
            "a b",
            "example.com:80",
            "*",
        ] {
            assert_eq!(bad.parse::<DomainRule>(), Err(DomainRuleError), "{bad}");
        }
    }
}

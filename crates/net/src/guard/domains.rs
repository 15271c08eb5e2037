//! Which domains the operator lets callers read: a list to allow, a list to deny, or both.
//!
//! A rule names a domain and covers its subdomains, by whole labels. A denied domain stays denied
//! whatever else is allowed, so that a part of an allowed domain can be closed. Without an allow
//! list every domain is allowed that is not denied.

use std::net::IpAddr;
use std::str::FromStr;

use super::TargetHost;
use super::address::{plain, same_prefix_v4, same_prefix_v6};
use super::target::{clean_name, is_under};

/// One domain with its subdomains, one address, or one network of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DomainRule(RuledHost);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum RuledHost {
    Domain(String),
    /// The addresses that share this many bits with one.
    Network(IpAddr, u32),
}

/// A domain rule that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DomainRuleError;

impl std::fmt::Display for DomainRuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "expected a domain such as example.com, an address or a network such as 10.0.0.0/8, without scheme, port or path",
        )
    }
}

impl std::error::Error for DomainRuleError {}

impl FromStr for DomainRule {
    type Err = DomainRuleError;

    /// Names go through the URL parser, so that rules and URLs are compared in the same form.
    /// `*.example.com` means the same as `example.com`.
    fn from_str(text: &str) -> Result<Self, DomainRuleError> {
        let text = text.trim();
        if let Some(network) = network(text) {
            return Ok(Self(network));
        }
        let name = text.strip_prefix("*.").unwrap_or(text);
        if name.contains(['/', '*', '@', '?', '#', '%', ':']) && !name.starts_with('[') {
            return Err(DomainRuleError);
        }
        match url::Host::parse(name).map_err(|_| DomainRuleError)? {
            url::Host::Domain(name) => clean_name(&name)
                .map(|name| Self(RuledHost::Domain(name)))
                .map_err(|_| DomainRuleError),
            // Such as 127.1, which URLs may have too.
            url::Host::Ipv4(ip) => Ok(Self(RuledHost::Network(IpAddr::V4(ip), 32))),
            url::Host::Ipv6(ip) => Ok(Self(one_address(IpAddr::V6(ip)))),
        }
    }
}

/// An address, in brackets or not, or a network in CIDR form.
fn network(text: &str) -> Option<RuledHost> {
    let (base, bits) = match text.split_once('/') {
        Some((base, bits)) => (base, Some(bits.parse::<u32>().ok()?)),
        None => (text, None),
    };
    let bare = base
        .strip_prefix('[')
        .and_then(|base| base.strip_suffix(']'));
    let base: IpAddr = bare.unwrap_or(base).parse().ok()?;
    let most = if base.is_ipv4() { 32 } else { 128 };
    match bits {
        None => Some(one_address(base)),
        Some(bits) if bits <= most => Some(RuledHost::Network(base, bits)),
        Some(_) => None,
    }
}

fn one_address(ip: IpAddr) -> RuledHost {
    let ip = plain(ip);
    RuledHost::Network(ip, if ip.is_ipv4() { 32 } else { 128 })
}

impl DomainRule {
    pub(crate) fn matches(&self, host: &TargetHost) -> bool {
        match (&self.0, host) {
            (RuledHost::Domain(domain), TargetHost::Name(name)) => is_under(name, domain),
            (RuledHost::Network(base, bits), TargetHost::Ip(ip)) => match (base, plain(*ip)) {
                (IpAddr::V4(base), IpAddr::V4(ip)) => same_prefix_v4(*base, ip, *bits),
                (IpAddr::V6(base), IpAddr::V6(ip)) => same_prefix_v6(*base, ip, *bits),
                _ => false,
            },
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
    fn a_rule_may_be_an_address_or_a_network() {
        let rules = rules(&[
            "::1",
            "[fd00::2]",
            "10.0.0.0/8",
            "2001:db8::/32",
            "192.0.2.7",
        ]);
        let covered = |ip: &str| {
            let host = TargetHost::Ip(ip.parse().unwrap());
            rules.iter().any(|rule| rule.matches(&host))
        };
        for inside in ["::1", "fd00::2", "10.255.0.1", "2001:db8:1::1", "192.0.2.7"] {
            assert!(covered(inside), "{inside}");
        }
        for outside in ["::2", "fd00::3", "11.0.0.1", "2001:db9::1", "192.0.2.8"] {
            assert!(!covered(outside), "{outside}");
        }
        let name = TargetHost::Name("10.example".to_owned());
        assert!(!rules.iter().any(|rule| rule.matches(&name)));
        for wrong in [
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "example.com/8",
            "10.0.0.0/8/8",
        ] {
            assert!(wrong.parse::<DomainRule>().is_err(), "{wrong}");
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

//! What the operator allows: `HOST[:PORT]` or `CIDR[:PORT]`. A rule allows exactly what it names.
//!
//! A name rule allows the name whatever it resolves to. An address rule allows addresses, however a
//! URL names them, but not the names that the URL rules refuse. A rule with a port allows that port
//! only, and is the only way to use a port of the bad-port list.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::address::{check_ip, plain, same_prefix_v4, same_prefix_v6};
use super::target::clean_name;
use super::{Denied, DomainRule, TargetHost};

/// One rule of the operator's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AllowRule {
    host: AllowedHost,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum AllowedHost {
    Name(String),
    V4(Ipv4Addr, u32),
    V6(Ipv6Addr, u32),
}

/// An allow rule that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowRuleError {
    /// Not one of the forms that a rule can have.
    Form,
    /// An IPv6 address whose last group could also be a port.
    NeedsBrackets,
}

impl std::fmt::Display for AllowRuleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Form => "expected HOST, HOST:PORT, CIDR or CIDR:PORT, for example 10.0.0.0/8, localhost:8080 or [fd00::/8]:443",
            Self::NeedsBrackets => "an IPv6 address that may end in a port needs brackets, for example [::1]:8080 or [::1:8080]",
        })
    }
}

impl std::error::Error for AllowRuleError {}

impl FromStr for AllowRule {
    type Err = AllowRuleError;

    fn from_str(text: &str) -> Result<Self, AllowRuleError> {
        let (host, port) = split_port(text.trim())?;
        let port = port
            .map(|port| port.parse::<u16>().map_err(|_| AllowRuleError::Form))
            .transpose()?;
        if port == Some(0) {
            return Err(AllowRuleError::Form);
        }
        Ok(Self {
            host: parse_host(host)?,
            port,
        })
    }
}

/// Splits off the port. IPv6 needs brackets, because the address itself contains colons.
fn split_port(text: &str) -> Result<(&str, Option<&str>), AllowRuleError> {
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, after) = rest.split_once(']').ok_or(AllowRuleError::Form)?;
        return match after {
            "" => Ok((inside, None)),
            _ => Ok((
                inside,
                Some(after.strip_prefix(':').ok_or(AllowRuleError::Form)?),
            )),
        };
    }
    match text.matches(':').count() {
        0 => Ok((text, None)),
        1 => text
            .split_once(':')
            .map(|(host, port)| (host, Some(port)))
            .ok_or(AllowRuleError::Form),
        _ if could_end_in_a_port(text) => Err(AllowRuleError::NeedsBrackets),
        _ => Ok((text, None)),
    }
}

/// `::1:8080` is a valid address, but its author most likely meant a port. Read as an address it
/// would allow something else, on every port.
fn could_end_in_a_port(text: &str) -> bool {
    text.rsplit_once(':')
        .is_some_and(|(host, port)| host.parse::<Ipv6Addr>().is_ok() && port.parse::<u16>().is_ok())
}

fn parse_host(text: &str) -> Result<AllowedHost, AllowRuleError> {
    let (base, bits) = match text.split_once('/') {
        Some((base, bits)) => (
            base,
            Some(bits.parse::<u32>().map_err(|_| AllowRuleError::Form)?),
        ),
        None => (text, None),
    };
    match (base.parse::<IpAddr>(), bits) {
        (Ok(IpAddr::V4(ip)), bits) => v4_block(ip, bits.unwrap_or(32)),
        (Ok(IpAddr::V6(ip)), bits) => v6_block(ip, bits.unwrap_or(128)),
        (Err(_), None) => parse_name(text),
        (Err(_), Some(_)) => Err(AllowRuleError::Form),
    }
}

fn v4_block(ip: Ipv4Addr, bits: u32) -> Result<AllowedHost, AllowRuleError> {
    if bits <= 32 {
        Ok(AllowedHost::V4(ip, bits))
    } else {
        Err(AllowRuleError::Form)
    }
}

/// A block of IPv4-mapped addresses becomes the IPv4 block, because addresses are compared in their
/// IPv4 form.
fn v6_block(ip: Ipv6Addr, bits: u32) -> Result<AllowedHost, AllowRuleError> {
    match ip.to_ipv4_mapped() {
        _ if bits > 128 => Err(AllowRuleError::Form),
        Some(inner) if bits >= 96 => v4_block(inner, bits - 96),
        _ => Ok(AllowedHost::V6(ip, bits)),
    }
}

/// Names go through the URL parser, so that rules and URLs are compared in the same form.
fn parse_name(text: &str) -> Result<AllowedHost, AllowRuleError> {
    if text.contains(['/', '*', '@', '?', '#', '%']) {
        return Err(AllowRuleError::Form);
    }
    match url::Host::parse(text).map_err(|_| AllowRuleError::Form)? {
        url::Host::Domain(name) => clean_name(&name)
            .map(AllowedHost::Name)
            .map_err(|_| AllowRuleError::Form),
        url::Host::Ipv4(ip) => Ok(AllowedHost::V4(ip, 32)),
        url::Host::Ipv6(ip) => v6_block(ip, 128),
    }
}

impl AllowRule {
    fn matches_port(&self, port: u16) -> bool {
        self.port.is_none_or(|mine| mine == port)
    }

    fn matches_name(&self, name: &str) -> bool {
        matches!(&self.host, AllowedHost::Name(mine) if mine == name)
    }

    fn matches_address(&self, ip: IpAddr) -> bool {
        match (&self.host, ip) {
            (AllowedHost::V4(base, bits), IpAddr::V4(ip)) => same_prefix_v4(*base, ip, *bits),
            (AllowedHost::V6(base, bits), IpAddr::V6(ip)) => same_prefix_v6(*base, ip, *bits),
            _ => false,
        }
    }
}

/// The guard's rules and what the operator allows.
#[derive(Debug, Clone, Default, Hash)]
pub struct Policy {
    allow: Vec<AllowRule>,
    allowed_domains: Vec<DomainRule>,
    denied_domains: Vec<DomainRule>,
    trusting: bool,
}

impl Policy {
    #[must_use]
    pub fn new(allow: Vec<AllowRule>) -> Self {
        Self {
            allow,
            ..Self::default()
        }
    }

    /// Limits callers to these domains; an empty list of allowed ones allows all.
    #[must_use]
    pub fn with_domains(self, allowed: Vec<DomainRule>, denied: Vec<DomainRule>) -> Self {
        Self {
            allowed_domains: allowed,
            denied_domains: denied,
            ..self
        }
    }

    /// For endpoints the operator configured: only the form of the URL is checked.
    pub(crate) fn trusting() -> Self {
        Self {
            trusting: true,
            ..Self::default()
        }
    }

    /// The rules for what a public page leads to: nothing that only the operator's rules open.
    #[must_use]
    pub(crate) fn for_public_pages(&self) -> Self {
        Self {
            allow: Vec::new(),
            trusting: false,
            ..self.clone()
        }
    }

    /// Whether something is reachable here that is not for everyone.
    pub(crate) fn opens_anything(&self) -> bool {
        self.trusting || !self.allow.is_empty()
    }

    pub(crate) fn is_trusting(&self) -> bool {
        self.trusting
    }

    /// Checks an address before it is connected to. `name` is the name it was resolved from.
    ///
    /// # Errors
    /// The special range that contains the address.
    pub fn check_address(&self, name: Option<&str>, ip: IpAddr, port: u16) -> Result<(), Denied> {
        let ip = plain(ip);
        let opened = self.trusting
            || name.is_some_and(|name| self.vouches_for(name, port))
            || self
                .allow
                .iter()
                .any(|rule| rule.matches_port(port) && rule.matches_address(ip));
        if opened { Ok(()) } else { check_ip(ip) }
    }

    /// Whether the operator named this host, as an endpoint or in a rule.
    pub(crate) fn vouches_for(&self, name: &str, port: u16) -> bool {
        self.trusting || self.opens_name(name, port)
    }

    pub(super) fn opens_name(&self, name: &str, port: u16) -> bool {
        self.allow
            .iter()
            .any(|rule| rule.matches_port(port) && rule.matches_name(name))
    }

    /// Whether the operator's lists let callers read this host. A private host that the operator
    /// opened by name or address needs no second rule.
    pub(super) fn admits_domain(&self, host: &TargetHost, port: u16) -> bool {
        let covers = |rules: &[DomainRule]| rules.iter().any(|rule| rule.matches(host));
        !covers(&self.denied_domains)
            && (self.allowed_domains.is_empty()
                || covers(&self.allowed_domains)
                || self.opens(host, port))
    }

    fn opens(&self, host: &TargetHost, port: u16) -> bool {
        self.allow.iter().any(|rule| {
            rule.matches_port(port)
                && match host {
                    TargetHost::Name(name) => rule.matches_name(name),
                    TargetHost::Ip(ip) => rule.matches_address(plain(*ip)),
                }
        })
    }

    /// A port of the bad-port list is only allowed by a rule that names the port.
    pub(super) fn opens_port(&self, host: &TargetHost, port: u16) -> bool {
        self.allow.iter().any(|rule| {
            rule.port == Some(port)
                && match host {
                    TargetHost::Name(name) => rule.matches_name(name),
                    TargetHost::Ip(ip) => rule.matches_address(plain(*ip)),
                }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn policy(rules: &[&str]) -> Policy {
        Policy::new(rules.iter().map(|rule| rule.parse().unwrap()).collect())
    }

    #[test]
    fn rules_are_read_in_every_form() {
        for good in [
            "localhost",
            "LocalHost:80",
            "10.0.0.0/8",
            "10.1.2.3:8080",
            "[::1]:80",
            "::1",
            "fd00::/8",
            "[fd00::/8]:443",
            "searx.internal.",
            "bücher.local",
        ] {
            assert!(good.parse::<AllowRule>().is_ok(), "{good}");
        }
        for bad in [
            "",
            ":80",
            "host:",
            "host:0",
            "host:70000",
            "10.0.0.0/33",
            "::/129",
            "a/8",
            "[::1",
            "[::1]80",
            "http://a",
            "*.local",
            "a b",
            "a@b",
        ] {
            assert_eq!(bad.parse::<AllowRule>(), Err(AllowRuleError::Form), "{bad}");
        }
    }

    #[test]
    fn an_address_that_may_end_in_a_port_needs_brackets() {
        for ambiguous in ["::1:8080", "fd00::1:443", "fe80::1:2:80"] {
            assert_eq!(
                ambiguous.parse::<AllowRule>(),
                Err(AllowRuleError::NeedsBrackets),
                "{ambiguous}"
            );
        }
        for clear in [
            "[::1:8080]",
            "[::1]:8080",
            "fd00::1",
            "1:2:3:4:5:6:7:8",
            "fd00::1:2/64",
            "fd00::a:b",
            "::ffff:10.0.0.1",
        ] {
            assert!(clear.parse::<AllowRule>().is_ok(), "{clear}");
        }
    }

    #[test]
    fn a_rule_allows_exactly_what_it_names() {
        let policy = policy(&["10.1.0.0/16:8080", "wiki.internal", "[::1]:9000"]);
        assert!(policy.target("http://10.1.2.3:8080/").is_ok());
        assert!(policy.target("http://10.1.2.3/").is_err());
        assert!(policy.target("http://10.2.2.3:8080/").is_err());
        assert!(policy.target("http://wiki.internal./").is_ok());
        assert!(policy.target("http://a.wiki.internal/").is_err());
        assert!(policy.target("http://[::1]:9000/").is_ok());
        assert!(policy.target("http://[::ffff:10.1.2.3]:8080/").is_ok());
        assert!(policy.target("http://localhost:9000/").is_err());
    }

    #[test]
    fn only_a_rule_with_the_port_allows_a_bad_port() {
        assert!(
            policy(&["irc.example.com"])
                .target("http://irc.example.com:6667/")
                .is_err()
        );
        assert!(
            policy(&["irc.example.com:6667"])
                .target("http://irc.example.com:6667/")
                .is_ok()
        );
    }

    #[test]
    fn an_allowed_name_may_resolve_to_a_private_address() {
        let policy = policy(&["wiki.internal:80"]);
        let private = IpAddr::from([10, 0, 0, 7]);
        assert!(
            policy
                .check_address(Some("wiki.internal"), private, 80)
                .is_ok()
        );
        assert!(
            policy
                .check_address(Some("wiki.internal"), private, 81)
                .is_err()
        );
        assert!(
            policy
                .check_address(Some("other.example"), private, 80)
                .is_err()
        );
    }
}

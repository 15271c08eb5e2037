//! The rules for a URL. All of them are decided from its text, without a DNS query.
//!
//! Parsing follows the WHATWG URL standard (the `url` crate), so decimal, octal, hexadecimal and
//! short IPv4 forms, full-width digits and mixed case are already one canonical host.

use std::net::IpAddr;

use url::{Host, Url};

use super::{Denied, NameRule, Policy, address::plain};

/// The longest URL that is fetched.
pub const MAX_URL_BYTES: usize = 8192;

/// A URL that passed the rules of this file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
    host: TargetHost,
    port: u16,
}

/// The host of a [`Target`]: a lower-case name without a trailing dot, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TargetHost {
    Name(String),
    Ip(IpAddr),
}

impl TargetHost {
    /// The name. `None` for an address.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Ip(_) => None,
        }
    }
}

impl Target {
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    #[must_use]
    pub fn host(&self) -> &TargetHost {
        &self.host
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// Checks a URL without allow rules: what a user may request by default.
///
/// # Errors
/// The first rule the URL breaks.
pub fn parse_target(text: &str) -> Result<Target, Denied> {
    Policy::default().target(text)
}

impl Policy {
    /// Checks a URL under this policy. Names are checked by their text; their addresses are checked
    /// when they are connected to.
    ///
    /// # Errors
    /// The first rule the URL breaks.
    pub fn target(&self, text: &str) -> Result<Target, Denied> {
        if text.len() > MAX_URL_BYTES {
            return Err(Denied::TooLong { bytes: text.len() });
        }
        if has_zone_id(text) {
            return Err(Denied::ZoneId);
        }
        let url = Url::parse(text.trim()).map_err(refused_by_parser)?;
        if matches!(url.scheme(), "http" | "https") && lacks_host(text.trim()) {
            return Err(Denied::BadHost);
        }
        self.target_of(url)
    }

    pub(crate) fn target_of(&self, mut url: Url) -> Result<Target, Denied> {
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(Denied::TooLong {
                bytes: url.as_str().len(),
            });
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Denied::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Denied::Credentials);
        }
        let host = host_of(&url)?;
        if let TargetHost::Name(name) = &host {
            // From here on the Host header, TLS and the allow rules see the name without a trailing
            // dot.
            url.set_host(Some(name)).map_err(|_| Denied::BadHost)?;
        }
        let port = url.port_or_known_default().ok_or(Denied::Scheme)?;
        self.check_host(&host, port)?;
        Ok(Target { url, host, port })
    }

    /// Checks a host and port by their text. The connector calls this again, so no connection can
    /// avoid it.
    pub(crate) fn check_host(&self, host: &TargetHost, port: u16) -> Result<(), Denied> {
        if self.is_trusting() {
            return Ok(());
        }
        if !self.admits_domain(host, port) {
            return Err(Denied::Domain);
        }
        let is_closed = is_bad_port(port) && !self.opens_port(host, port);
        // "That is a private address" is the more useful answer, so it comes first.
        match self.check_private(host, port) {
            Err(denied) if is_closed && denied.may_be_opened() => Err(Denied::PrivatePort),
            Err(denied) => Err(denied),
            Ok(()) if is_closed => Err(Denied::Port(port)),
            Ok(()) => Ok(()),
        }
    }

    fn check_private(&self, host: &TargetHost, port: u16) -> Result<(), Denied> {
        match host {
            TargetHost::Ip(ip) => self.check_address(None, *ip, port),
            TargetHost::Name(name) if self.opens_name(name, port) => Ok(()),
            TargetHost::Name(name) => {
                name_rule(name).map_or(Ok(()), |rule| Err(Denied::Name(rule)))
            }
        }
    }
}

fn refused_by_parser(error: url::ParseError) -> Denied {
    use url::ParseError as E;
    match error {
        E::EmptyHost | E::IdnaError | E::InvalidDomainCharacter => Denied::BadHost,
        E::InvalidIpv4Address | E::InvalidIpv6Address => Denied::BadHost,
        _ => Denied::Unparsable,
    }
}

/// `https:///path`: browsers take the path for the host, which is never intended.
fn lacks_host(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(_, rest)| rest.starts_with("///"))
}

/// A percent sign inside the brackets of an IPv6 host. The parser would only report a plain error.
fn has_zone_id(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    host.strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
        .is_some_and(|inside| inside.contains('%'))
}

/// The host of a URL in the form that rules, records and connections use.
pub(crate) fn host_of(url: &Url) -> Result<TargetHost, Denied> {
    match url.host().ok_or(Denied::BadHost)? {
        Host::Ipv4(ip) => Ok(TargetHost::Ip(IpAddr::V4(ip))),
        Host::Ipv6(ip) => Ok(TargetHost::Ip(plain(IpAddr::V6(ip)))),
        Host::Domain(name) => clean_name(name).map(TargetHost::Name),
    }
}

/// A valid DNS name without its trailing dot.
pub(super) fn clean_name(name: &str) -> Result<String, Denied> {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let fits = !name.is_empty() && name.len() <= 253;
    let labels_fit = name
        .split('.')
        .all(|label| !label.is_empty() && label.len() <= 63);
    if fits && labels_fit {
        Ok(name)
    } else {
        Err(Denied::BadHost)
    }
}

/// Suffixes that exist only on local networks, and `.localdomain`, which hosts files map to
/// loopback.
const LOCAL_SUFFIXES: &[&str] = &["local", "internal", "home.arpa", "svc", "localdomain"];

/// Metadata services with public names. The others end in `.internal`.
const METADATA_NAMES: &[&str] = &[
    "metadata.goog",
    "metadata.azure.com",
    "metadata.azure.net",
    "metadata.tencentyun.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
    "metadata.nicp.net",
    "metadata.oraclecloud.com",
    "api.metadata.cloud.ibm.com",
    "instance-data.ec2.amazonaws.com",
];

fn name_rule(name: &str) -> Option<NameRule> {
    if is_under(name, "localhost") {
        return Some(NameRule::Loopback);
    }
    if METADATA_NAMES
        .iter()
        .any(|metadata| is_under(name, metadata))
        || name == "metadata.google.internal"
    {
        return Some(NameRule::Metadata);
    }
    if LOCAL_SUFFIXES.iter().any(|suffix| is_under(name, suffix)) {
        return Some(NameRule::LocalSuffix);
    }
    if is_under(name, "onion") {
        return Some(NameRule::Onion);
    }
    (!name.contains('.')).then_some(NameRule::SingleLabel)
}

/// Whether `name` is `zone` or a subdomain of it.
pub(super) fn is_under(name: &str, zone: &str) -> bool {
    name.strip_suffix(zone)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The bad-port list of the Fetch standard: ports where another protocol could misread an HTTP
/// request.
const BAD_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

fn is_bad_port(port: u16) -> bool {
    BAD_PORTS.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bad_port_list_is_sorted_for_the_search() {
        assert!(BAD_PORTS.is_sorted());
        assert!(is_bad_port(25) && is_bad_port(6667) && !is_bad_port(443));
    }

    #[test]
    fn suffixes_match_whole_labels_only() {
        assert!(is_under("a.local", "local"));
        assert!(!is_under("notlocal", "local"));
        assert_eq!(name_rule("thelocal.se"), None);
        assert_eq!(name_rule("svc.example.com"), None);
    }

    #[test]
    fn a_trailing_dot_is_the_same_name() {
        let target = parse_target("http://example.com./a").map(|t| t.url().to_string());
        assert_eq!(target.as_deref(), Ok("http://example.com/a"));
        assert_eq!(
            parse_target("http://localhost./"),
            Err(Denied::Name(NameRule::Loopback))
        );
        assert_eq!(parse_target("http://example.com../"), Err(Denied::BadHost));
    }

    #[test]
    fn zone_ids_are_refused_as_such() {
        assert_eq!(
            parse_target("http://[fe80::1%25eth0]/"),
            Err(Denied::ZoneId)
        );
        assert_eq!(
            parse_target("http://[fe80::1%eth0]:80/"),
            Err(Denied::ZoneId)
        );
        assert!(parse_target("http://example.com/[a%25b]").is_ok());
    }
}

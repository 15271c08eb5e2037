//! The hosts and web origins that this server knows as its own or as trusted.

use std::net::IpAddr;

/// The names under which this server is known.
#[derive(Debug, Clone)]
pub(super) struct KnownHosts(pub(super) Vec<String>);

impl KnownHosts {
    /// Whether a `Host` header names this server. A host that is an address cannot be a name that
    /// somebody else directs to this machine.
    pub(super) fn knows(&self, host: &str) -> bool {
        let Ok(host) = host.parse::<http::uri::Authority>() else {
            return false;
        };
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        let is_known = |known: &String| known.eq_ignore_ascii_case(name);
        name.parse::<IpAddr>().is_ok() || self.0.iter().any(is_known)
    }
}

/// Whether an origin is in the list, as the SDK compares them.
pub(super) fn is_listed(origins: &[String], origin: &str) -> bool {
    let Ok(url) = url::Url::parse(origin) else {
        return false;
    };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return false;
    };
    let place = format!("{}://{host}", url.scheme());
    origins
        .iter()
        .any(|allowed| match allowed.strip_suffix(":*") {
            Some(any_port) => any_port == place,
            None => *allowed == format!("{place}:{port}"),
        })
}

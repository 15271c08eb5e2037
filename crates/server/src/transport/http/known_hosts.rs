//! Names under which this server is known, and origins whose pages may use it.
//!
//! A web page that somebody's browser shows must not reach this server through a name that leads to
//! it: so a host that is a name must be one that the operator knows. A host that is an address cannot
//! be such a trick.

use std::net::IpAddr;

use http::{HeaderMap, HeaderValue, header, uri::Authority};
use url::Url;

#[derive(Debug, Clone)]
pub(super) struct KnownHosts {
    pub(super) names: Vec<String>,
    /// Origins whose pages may call MCP, as `scheme://host:port`, where the port may be `*`.
    pub(super) origins: Vec<String>,
    /// Origins that the operator says are this server: where a proxy changes the host, its pages
    /// come from there.
    pub(super) own: Vec<String>,
}

impl KnownHosts {
    /// Whether the request names a host that is an address or a known name.
    pub(super) fn knows(&self, headers: &HeaderMap) -> bool {
        host(headers).is_some_and(|host| {
            let name = host.host().trim_start_matches('[').trim_end_matches(']');
            let is_known = |known: &String| known.eq_ignore_ascii_case(name);
            name.parse::<IpAddr>().is_ok() || self.names.iter().any(is_known)
        })
    }

    /// Whether the page that makes the request is of this server itself: its origin is the host that
    /// it asks, or one that the operator names. `None` when the request names no page.
    pub(super) fn is_own_page(&self, headers: &HeaderMap) -> Option<bool> {
        let origin = headers.get(header::ORIGIN)?;
        let url = origin.to_str().ok().and_then(|text| Url::parse(text).ok());
        let is_own = url.is_some_and(|url| {
            let asked = host(headers).map(|host| {
                let port = host.port_u16().or(url.port_or_known_default());
                (host.host().to_ascii_lowercase(), port)
            });
            asked
                == Some((
                    url.host_str().unwrap_or_default().to_owned(),
                    url.port_or_known_default(),
                ))
        });
        Some(is_own || is_listed(&self.own, origin))
    }

    /// Whether pages of an origin may call MCP.
    pub(super) fn allows(&self, origin: &HeaderValue) -> bool {
        is_listed(&self.origins, origin)
    }
}

/// Matches an origin as the SDK does.
fn is_listed(origins: &[String], origin: &HeaderValue) -> bool {
    let Some(url) = origin.to_str().ok().and_then(|text| Url::parse(text).ok()) else {
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

fn host(headers: &HeaderMap) -> Option<Authority> {
    headers.get(header::HOST)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &'static str, origin: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        headers
    }

    #[test]
    fn only_addresses_and_known_names_are_hosts() {
        let hosts = KnownHosts {
            names: vec!["localhost".to_owned(), "mcp.example".to_owned()],
            origins: Vec::new(),
            own: Vec::new(),
        };
        for known in [
            "localhost:8080",
            "127.0.0.1:1",
            "[::1]:9",
            "MCP.example",
            "10.0.0.7",
        ] {
            assert!(hosts.knows(&headers(known, None)), "{known}");
        }
        for unknown in [
            "evil.example",
            "mcp.example.evil.example",
            "localhost.evil.example:8080",
        ] {
            assert!(!hosts.knows(&headers(unknown, None)), "{unknown}");
        }
    }

    #[test]
    fn a_page_of_another_port_or_site_is_not_our_own() {
        let hosts = KnownHosts {
            names: Vec::new(),
            origins: vec!["http://127.0.0.1:*".to_owned()],
            own: vec!["https://app.example:443".to_owned()],
        };
        let is_own = |host, origin| hosts.is_own_page(&headers(host, origin));
        assert_eq!(is_own("127.0.0.1:80", None), None);
        assert_eq!(
            is_own("mcp.example", Some("https://mcp.example")),
            Some(true)
        );
        assert_eq!(
            is_own("127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            Some(true)
        );
        assert_eq!(
            is_own("127.0.0.1:8080", Some("http://127.0.0.1:3000")),
            Some(false)
        );
        assert_eq!(
            is_own("mcp.example", Some("https://evil.example")),
            Some(false)
        );
        assert_eq!(is_own("mcp.example", Some("null")), Some(false));
        assert_eq!(
            is_own("mcp.example", Some("https://app.example")),
            Some(true)
        );
    }
}

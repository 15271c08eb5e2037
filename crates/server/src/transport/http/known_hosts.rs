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
    /// The address under which others reach this server, if the operator names it.
    pub(super) public: Option<Url>,
    /// Whether this server speaks TLS itself.
    pub(super) is_tls: bool,
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
        let is_own =
            url.is_some_and(|url| host(headers).is_some_and(|host| self.is_asked(&host, &url)));
        Some(is_own || is_listed(&self.own, origin))
    }

    /// Whether an origin is the host that a request asks. A host without a port means that of our own
    /// scheme. Where that is not known, since a proxy may speak TLS for us, the origin must have none
    /// either.
    fn is_asked(&self, host: &Authority, origin: &Url) -> bool {
        let is_same_host = origin.host_str() == Some(&host.host().to_ascii_lowercase());
        let scheme = self.scheme(host).unwrap_or(origin.scheme());
        let port = host.port_u16().or(default_port(scheme));
        is_same_host && scheme == origin.scheme() && port == origin.port_or_known_default()
    }

    /// The scheme under which browsers reach a host, if it is known.
    fn scheme(&self, host: &Authority) -> Option<&str> {
        let is_public = |public: &&Url| {
            let port = public.port_or_known_default();
            public.host_str() == Some(&host.host().to_ascii_lowercase())
                && host.port_u16().or(port) == port
        };
        let public = self.public.as_ref().filter(is_public).map(Url::scheme);
        public.or(self.is_tls.then_some("https"))
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

/// Whether a browser says that a page of another site makes the request.
pub(super) fn is_of_other_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    !matches!(site, None | Some(b"same-origin" | b"none"))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    }
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
            public: None,
            is_tls: false,
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
            public: Url::parse("https://public.example").ok(),
            is_tls: false,
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
        for (host, other) in [
            ("mcp.example", "https://mcp.example:8443"),
            ("mcp.example", "http://mcp.example:8080"),
            ("public.example", "http://public.example"),
            ("public.example:443", "http://public.example:443"),
        ] {
            assert_eq!(is_own(host, Some(other)), Some(false), "{other}");
        }
        assert_eq!(
            is_own("public.example:8080", Some("http://public.example:8080")),
            Some(true),
            "asked directly, and not through the proxy"
        );
        assert_eq!(
            is_own("mcp.example", Some("https://app.example")),
            Some(true)
        );
    }

    #[test]
    fn a_server_that_speaks_tls_has_pages_over_tls_only() {
        let hosts = KnownHosts {
            names: Vec::new(),
            origins: Vec::new(),
            own: Vec::new(),
            public: None,
            is_tls: true,
        };
        let is_own = |host, origin| hosts.is_own_page(&headers(host, Some(origin)));
        assert_eq!(is_own("10.0.0.7", "https://10.0.0.7"), Some(true));
        assert_eq!(is_own("10.0.0.7", "http://10.0.0.7"), Some(false));
        assert_eq!(is_own("10.0.0.7:8443", "https://10.0.0.7:8443"), Some(true));
        assert_eq!(is_own("10.0.0.7:8443", "http://10.0.0.7:8443"), Some(false));
    }
}

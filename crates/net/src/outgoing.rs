//! One request of a redirect chain: its URL, its headers, and where its response redirects to.

use bytes::Bytes;
use fault::Phase;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_body_util::Full;
use url::Url;

use crate::cookies::Cookies;
use crate::decode::ACCEPTED;
use crate::guard::{Denied, Policy, Target};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::request::Request;

/// The headers that are kept when a redirect leads to another origin. A list of headers to remove
/// would always miss a secret one.
const HARMLESS: &[HeaderName] = &[header::ACCEPT, header::ACCEPT_LANGUAGE, header::USER_AGENT];

/// Headers that only the client itself sets.
const OURS: &[HeaderName] = &[
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
    header::EXPECT,
    header::UPGRADE,
    header::TE,
];

#[derive(Debug, Clone)]
pub(crate) struct OutgoingRequest {
    pub(crate) target: Target,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

impl OutgoingRequest {
    pub(crate) fn first(target: Target, request: &Request, user_agent: &HeaderValue) -> Self {
        let mut headers = request.headers.clone();
        for name in OURS {
            headers.remove(name);
        }
        headers
            .entry(header::USER_AGENT)
            .or_insert_with(|| user_agent.clone());
        headers
            .entry(header::ACCEPT)
            .or_insert(HeaderValue::from_static("*/*"));
        Self {
            target,
            method: request.method.clone(),
            headers,
            body: request.body.clone(),
        }
    }

    pub(crate) fn url(&self) -> &Url {
        self.target.url()
    }

    pub(crate) fn request(&self) -> Result<http::Request<Full<Bytes>>, NetworkError> {
        let mut url = self.url().clone();
        url.set_fragment(None);
        let uri: Uri = url
            .as_str()
            .parse()
            .map_err(|_| NetworkError::denied(Denied::Unparsable))?;
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = self.headers.clone();
        request
            .headers_mut()
            .insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
        Ok(request)
    }

    /// The redirect target of a response. `None` unless a GET request is redirected.
    pub(crate) fn location<'a>(
        &self,
        status: StatusCode,
        headers: &'a HeaderMap,
    ) -> Option<&'a HeaderValue> {
        let moved = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
        headers
            .get(header::LOCATION)
            .filter(|value| moved && self.method == Method::GET && !value.is_empty())
    }

    /// The URL that a `Location` header means. An invalid one is the site's mistake, not the
    /// caller's.
    pub(crate) fn resolve(&self, location: &HeaderValue) -> Result<Url, NetworkError> {
        // Raw UTF-8 in this header is common and means the same as in a page.
        let text = String::from_utf8_lossy(location.as_bytes());
        let broken = text.contains(char::REPLACEMENT_CHARACTER);
        let joined = self
            .url()
            .join(&single_authority(&text))
            .ok()
            .filter(|_| !broken);
        let mut url = joined.ok_or_else(|| NetworkError::location(&text).at(Phase::Redirect))?;
        if url.fragment().is_none() {
            url.set_fragment(self.url().fragment());
        }
        Ok(url)
    }

    /// The request for the redirect target, which is checked like a URL of the caller's.
    pub(crate) fn next(&self, policy: &Policy, url: Url) -> Result<Self, NetworkError> {
        let target = policy.target_of(url).map_err(|denied| {
            NetworkError::new(NetworkErrorKind::Denied(denied)).at(Phase::Redirect)
        })?;
        let mut next = Self {
            target,
            ..self.clone()
        };
        if next.url().origin() != self.url().origin() {
            next.headers = self
                .headers
                .iter()
                .filter(|(name, _)| HARMLESS.contains(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
        }
        Ok(next)
    }
}

impl OutgoingRequest {
    /// Adds the cookies that this chain has set for the URL.
    pub(crate) fn with_cookies(mut self, cookies: &Cookies) -> Self {
        if let Some(value) = cookies.header(self.url()) {
            self.headers.insert(header::COOKIE, value);
        }
        self
    }
}

/// Browsers treat any number of slashes before a host as two; the URL parser does so only after a
/// scheme.
fn single_authority(location: &str) -> String {
    let slash = ['/', '\\'];
    let text: String = location
        .chars()
        .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
        .collect();
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let rest = text.trim_start_matches(slash);
    if text.len() - rest.len() > 2 {
        format!("//{rest}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hop() -> OutgoingRequest {
        let target = Policy::default()
            .target("https://example.com/dir/page")
            .unwrap();
        OutgoingRequest::first(
            target,
            &Request::get("https://example.com/dir/page"),
            &HeaderValue::from_static("test"),
        )
    }

    fn leads_to(location: &'static [u8]) -> Result<String, NetworkErrorKind> {
        let next = hop()
            .resolve(&HeaderValue::from_bytes(location).unwrap())
            .and_then(|url| hop().next(&Policy::default(), url));
        next.map(|next| next.url().to_string())
            .map_err(|error| error.kind)
    }

    #[test]
    fn a_redirect_target_is_checked_before_connecting() {
        for inside in [
            "http://127.0.0.1/",
            "//localhost/",
            "http://[::1]/",
            "https://0x7f.1/",
            "http://metadata.google.internal/",
        ] {
            let refused = leads_to(inside.as_bytes());
            assert!(
                matches!(
                    refused,
                    Err(NetworkErrorKind::Denied(
                        Denied::Address(_) | Denied::Name(_)
                    ))
                ),
                "{inside}: {refused:?}"
            );
        }
        assert_eq!(
            leads_to(b"file:///etc/passwd"),
            Err(NetworkErrorKind::Denied(Denied::Scheme))
        );
        assert_eq!(
            leads_to(b"https://me:pw@example.com/"),
            Err(NetworkErrorKind::Denied(Denied::Credentials))
        );
        assert_eq!(
            leads_to(b"https://example.com:25/"),
            Err(NetworkErrorKind::Denied(Denied::Port(25)))
        );
    }

    #[test]
    fn locations_are_read_as_browsers_read_them() {
        let cases: &[(&[u8], &str)] = &[
            (b"next", "https://example.com/dir/next"),
            (b"//other.example/a", "https://other.example/a"),
            (b"///other.example/a", "https://other.example/a"),
            (b"/\\/other.example/a", "https://other.example/a"),
            (b" /\t/\t/other.example/a", "https://other.example/a"),
            (b"https:///other.example/a", "https://other.example/a"),
            ("/caf\u{e9}".as_bytes(), "https://example.com/caf%C3%A9"),
        ];
        for (location, expected) in cases {
            assert_eq!(leads_to(location).as_deref(), Ok(*expected), "{location:?}");
        }
    }

    #[test]
    fn an_invalid_location_is_not_reported_as_a_bad_head() {
        for location in [&b"http://[broken/"[..], b"http://\xff\xfe/", b"http://a b/"] {
            assert_eq!(
                leads_to(location),
                Err(NetworkErrorKind::BadLocation),
                "{location:?}"
            );
        }
    }
}

//! One step on the way to an answer: which URL, which headers, and where a redirect leads.

use bytes::Bytes;
use fault::Phase;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_body_util::Full;
use url::Url;

use crate::decode::ACCEPTED;
use crate::guard::{Denied, Policy, Target};
use crate::request::Request;
use crate::trouble::{Trouble, What};

/// The headers that may follow a redirect to another origin. Everything else a caller sent was meant for the
/// first origin only: a list of secrets would always miss one.
const HARMLESS: &[HeaderName] = &[header::ACCEPT, header::ACCEPT_LANGUAGE, header::USER_AGENT];

/// The headers the client itself is responsible for.
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
pub(crate) struct Hop {
    pub(crate) target: Target,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
}

impl Hop {
    pub(crate) fn first(target: Target, request: &Request, user_agent: &HeaderValue) -> Self {
        let mut headers = request.headers.clone();
        for name in OURS {
            headers.remove(name);
        }
        headers.entry(header::USER_AGENT).or_insert_with(|| user_agent.clone());
        headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        Self { target, method: request.method.clone(), headers, body: request.body.clone() }
    }

    pub(crate) fn url(&self) -> &Url {
        self.target.url()
    }

    pub(crate) fn request(&self) -> Result<http::Request<Full<Bytes>>, Trouble> {
        let mut url = self.url().clone();
        url.set_fragment(None);
        let uri: Uri = url.as_str().parse().map_err(|_| Trouble::denied(Denied::Unparsable))?;
        let mut request = http::Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED));
        Ok(request)
    }

    /// Where this answer sends us, if it does. Only reads are sent on; anything else keeps its 3xx.
    pub(crate) fn location<'a>(&self, status: StatusCode, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
        let moved = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
        headers.get(header::LOCATION).filter(|value| moved && self.method == Method::GET && !value.is_empty())
    }

    /// The URL a `Location` means. One that is no URL is the site's mistake, not the caller's.
    pub(crate) fn resolve(&self, location: &HeaderValue) -> Result<Url, Trouble> {
        let bad = || Trouble::new(What::BadHead).at(Phase::Redirect);
        // Raw UTF-8 in the header is common and means what it would mean in a page.
        let text = std::str::from_utf8(location.as_bytes()).map_err(|_| bad())?;
        let mut url = self.url().join(text.trim()).map_err(|_| bad())?;
        if url.fragment().is_none() {
            url.set_fragment(self.url().fragment());
        }
        Ok(url)
    }

    /// The next hop, judged as if it had been asked for directly.
    pub(crate) fn next(&self, policy: &Policy, url: Url) -> Result<Self, Trouble> {
        let target = policy.target_of(url).map_err(|denied| Trouble::new(What::Denied(denied)).at(Phase::Redirect))?;
        let mut next = Self { target, ..self.clone() };
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

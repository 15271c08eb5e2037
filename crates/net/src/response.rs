//! What came back.

use bytes::Bytes;
use fault::{Fault, Origin};
use http::HeaderMap;
use url::Url;

use crate::classify;
use crate::problem::ProblemDetails;
use crate::progress::Timings;

/// An answer, whatever its status, with its body decoded.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    /// Where the redirects ended.
    pub final_url: Url,
    pub body: Bytes,
    /// The body goes on beyond what is here: a cap was met, or the other side broke off.
    pub truncated: bool,
    /// Bytes of body that came over the wire.
    pub raw_bytes: u64,
    /// The hops that led here, in order.
    pub redirects: Vec<FollowedRedirect>,
    pub timings: Timings,
}

/// One redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedRedirect {
    pub status: u16,
    pub from: Url,
}

impl Response {
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The media type in lower case, without parameters. Of a type that is sent twice the first one
    /// counts.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        let essence = self
            .header("content-type")?
            .split([';', ','])
            .next()?
            .trim();
        (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
    }

    /// The charset the header names, in lower case.
    #[must_use]
    pub fn charset(&self) -> Option<String> {
        let mut parameters = self
            .header("content-type")?
            .split([';', ','])
            .filter_map(|part| part.split_once('='));
        let (_, value) =
            parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
        let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        (!value.is_empty()).then_some(value)
    }

    /// The machine-readable part of a problem document, if the body is one.
    #[must_use]
    pub fn problem(&self) -> Option<ProblemDetails> {
        ProblemDetails::parse(self.content_type().as_deref(), &self.body)
    }

    /// The fault this answer's status means, if it means one.
    #[must_use]
    pub fn fault(&self, origin: Origin) -> Option<Fault> {
        let problem = self.problem();
        let fault = classify::status_fault(self.status, &self.headers, problem.as_ref(), origin)?;
        Some(self.attributed(fault))
    }

    /// The same fault, naming the host that was asked and never one that a redirect chose.
    #[must_use]
    pub fn attributed(&self, fault: Fault) -> Fault {
        let asked = self
            .redirects
            .first()
            .map_or(&self.final_url, |hop| &hop.from);
        classify::attributed(fault, Some(asked), Some(&self.final_url))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn typed(value: &str) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", value.parse().unwrap());
        Response {
            status: 200,
            headers,
            final_url: Url::parse("http://example.com/").unwrap(),
            body: Bytes::new(),
            truncated: false,
            raw_bytes: 0,
            redirects: Vec::new(),
            timings: Timings::default(),
        }
    }

    #[test]
    fn media_types_and_charsets_are_read_leniently() {
        let cases = [
            ("text/html; charset=UTF-8", Some("text/html"), Some("utf-8")),
            (
                "Text/HTML;charset=\"Shift_JIS\"",
                Some("text/html"),
                Some("shift_jis"),
            ),
            ("application/json", Some("application/json"), None),
            (
                "text/plain; boundary=x; Charset = 'latin1'",
                Some("text/plain"),
                Some("latin1"),
            ),
            ("text/html, text/html", Some("text/html"), None),
            (
                "text/html; charset=UTF-8, text/html",
                Some("text/html"),
                Some("utf-8"),
            ),
            (";charset=", None, None),
        ];
        for (value, media, charset) in cases {
            let response = typed(value);
            assert_eq!(
                (
                    response.content_type().as_deref(),
                    response.charset().as_deref()
                ),
                (media, charset),
                "{value}"
            );
        }
    }
}

//! What a request returns.

use bytes::Bytes;
use fault::{Fault, Origin};
use http::HeaderMap;
use url::Url;

use crate::classify;
use crate::problem::ProblemDetails;
use crate::progress::Timings;
use crate::redirect_chain::{FollowedRedirect, RedirectChain};

/// A response of any status, with its body decoded.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    /// The URL after all redirects.
    pub final_url: Url,
    pub body: Bytes,
    /// The body is incomplete: a limit was reached or the connection ended early.
    pub truncated: bool,
    /// Body bytes received, before decoding.
    pub raw_bytes: u64,
    /// The redirects that were followed, in order.
    pub redirects: Vec<FollowedRedirect>,
    /// The page or one that led to it came from the public internet. `false` where the policy opens
    /// nothing else, because then it does not matter.
    pub(crate) has_public_page: bool,
    pub timings: Timings,
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

    /// The media type in lower case, without parameters. If it is sent twice, the first one counts.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        let essence = self
            .header("content-type")?
            .split([';', ','])
            .next()?
            .trim();
        (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
    }

    /// The charset in the header, in lower case.
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

    /// The machine-readable part of an error body. `None` when the body is something else.
    #[must_use]
    pub fn problem(&self) -> Option<ProblemDetails> {
        ProblemDetails::parse(self.content_type().as_deref(), &self.body)
    }

    /// The fault that the status means. `None` when it is no error.
    #[must_use]
    pub fn fault(&self, origin: Origin) -> Option<Fault> {
        let problem = self.problem();
        let fault = classify::status_fault(self.status, &self.headers, problem.as_ref(), origin)?;
        Some(self.attributed(fault))
    }

    /// The way from the URL that the caller chose to this response.
    #[must_use]
    pub fn chain(&self) -> RedirectChain {
        RedirectChain {
            redirects: self.redirects.clone(),
            has_public_page: self.has_public_page,
            is_search_result: false,
        }
    }

    /// The way to a page that this one leads to by other means than a redirect.
    #[must_use]
    pub fn chain_onward(&self) -> RedirectChain {
        let mut chain = self.chain();
        chain.redirects.push(FollowedRedirect {
            status: self.status,
            from: self.final_url.clone(),
        });
        chain
    }

    /// Adds the requested host to a fault, never a host that a redirect chose.
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
            has_public_page: false,
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

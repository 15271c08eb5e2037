//! Problem details (RFC 9457) and similar error bodies. Only numbers, booleans and codes are read.
//!
//! Titles and details are the sender's prose. They are never read, so they cannot influence a
//! classification or reach an agent.

use serde_json::{Map, Value};

use crate::duration::parse_seconds;

/// The machine-readable part of an error body.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct ProblemDetails {
    /// In seconds.
    pub retry_after: Option<f64>,
    pub retryable: Option<bool>,
    pub cloudflare: Option<Cloudflare>,
}

/// The meaning of Cloudflare's own error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cloudflare {
    AccessDenied,
    CountryBanned,
    RateLimited,
    Other,
}

/// Larger bodies are not parsed.
const MAX_BODY: usize = 64 * 1024;

impl ProblemDetails {
    /// Parses a body of the media type `application/problem+json` or `application/json`. `None` for
    /// anything else.
    #[must_use]
    pub fn parse(content_type: Option<&str>, body: &[u8]) -> Option<Self> {
        let is_json = matches!(
            content_type,
            Some("application/problem+json" | "application/json")
        );
        if !is_json || body.len() > MAX_BODY {
            return None;
        }
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let Ok(Value::Object(top)) = serde_json::from_slice(body) else {
            return None;
        };
        Some(Self {
            retry_after: wait_in(&top),
            retryable: boolean(&top, "retryable"),
            cloudflare: cloudflare(&top),
        })
    }
}

/// Many APIs nest the error object one level deeper.
fn wait_in(top: &Map<String, Value>) -> Option<f64> {
    let nested = top.get("error").and_then(Value::as_object);
    [Some(top), nested].into_iter().flatten().find_map(|map| {
        let seconds = [
            "retry_after",
            "retryAfter",
            "retry-after",
            "retryAfterSeconds",
            "retry_after_seconds",
        ];
        seconds.iter().find_map(|name| number(map.get(*name)?))
    })
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| parse_seconds(value.as_str()?))
}

fn boolean(map: &Map<String, Value>, name: &str) -> Option<bool> {
    map.get(name).and_then(Value::as_bool)
}

/// Cloudflare's 1xxx codes only count in bodies that say they are Cloudflare's own.
fn cloudflare(map: &Map<String, Value>) -> Option<Cloudflare> {
    if boolean(map, "cloudflare_error") != Some(true) {
        return None;
    }
    Some(match map.get("error_code").and_then(Value::as_u64)? {
        1006..=1008 | 1010 | 1012 | 1020 => Cloudflare::AccessDenied,
        1009 => Cloudflare::CountryBanned,
        1015 => Cloudflare::RateLimited,
        _ => Cloudflare::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Option<ProblemDetails> {
        ProblemDetails::parse(Some("application/problem+json"), body.as_bytes())
    }

    #[test]
    fn numbers_and_codes_are_read() {
        let body = r#"{"type":"about:blank","title":"Error 1015","status":429,"cloudflare_error":true,"error_code":1015,"retryable":true,"retry_after":30}"#;
        let problem = ProblemDetails {
            retry_after: Some(30.0),
            retryable: Some(true),
            cloudflare: Some(Cloudflare::RateLimited),
        };
        assert_eq!(parse(body), Some(problem));
        assert_eq!(
            parse("\u{feff}{\"retry_after\":\"30s\"}").and_then(|problem| problem.retry_after),
            Some(30.0)
        );
        assert_eq!(
            parse(r#"{"error":{"retry_after":"2.5"}}"#).and_then(|problem| problem.retry_after),
            Some(2.5)
        );
    }

    #[test]
    fn prose_in_an_error_body_is_ignored() {
        let body = r#"{"title":"rate limited, retry_after 30","detail":"403 quota timeout","error_code":1015}"#;
        assert_eq!(parse(body), Some(ProblemDetails::default()));
        assert_eq!(
            ProblemDetails::parse(Some("text/html"), b"{\"retry_after\":3}"),
            None
        );
        assert_eq!(parse("[1]"), None);
        assert_eq!(parse("not json"), None);
    }
}

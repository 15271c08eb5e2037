//! What Chromium's network codes mean, by exact code: they are a stable list of the browser's, not
//! prose.

use crate::trouble::{BadCertificate, Trouble, What};
use fault::Phase;

/// A navigation that was called off: by a newer one, by a download, or by an answer without
/// content.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// The trouble behind a code. `None` for one that says nothing in particular.
pub(super) fn trouble(code: &str) -> Option<Trouble> {
    let name = code.strip_prefix("net::ERR_")?;
    let (what, phase) = match name {
        "NAME_NOT_RESOLVED" => (What::NoSuchName, Phase::Dns),
        "NAME_RESOLUTION_FAILED"
        | "DNS_TIMED_OUT"
        | "DNS_SERVER_FAILED"
        | "DNS_MALFORMED_RESPONSE" => (What::DnsFailed, Phase::Dns),
        "CONNECTION_REFUSED"
        | "CONNECTION_FAILED"
        | "PROXY_CONNECTION_FAILED"
        | "TUNNEL_CONNECTION_FAILED" => (What::Refused, Phase::Connect),
        "ADDRESS_UNREACHABLE"
        | "INTERNET_DISCONNECTED"
        | "NETWORK_UNREACHABLE"
        | "NETWORK_ACCESS_DENIED" => (What::Unreachable, Phase::Connect),
        "CONNECTION_RESET"
        | "CONNECTION_ABORTED"
        | "CONNECTION_CLOSED"
        | "EMPTY_RESPONSE"
        | "SOCKET_NOT_CONNECTED"
        | "NETWORK_CHANGED" => (What::Reset, Phase::Headers),
        "CONNECTION_TIMED_OUT" | "TIMED_OUT" => (What::Timeout, Phase::Connect),
        "TOO_MANY_REDIRECTS" => (
            What::RedirectLoop {
                followed: MAX_REDIRECTS,
            },
            Phase::Redirect,
        ),
        "CONTENT_LENGTH_MISMATCH" | "INCOMPLETE_CHUNKED_ENCODING" | "INCOMPLETE_HTTP2_STREAM" => {
            (What::CutBody, Phase::Body)
        }
        "CONTENT_DECODING_FAILED" | "CONTENT_DECODING_INIT_FAILED" => {
            (What::BadEncoding, Phase::Decode)
        }
        "INVALID_RESPONSE"
        | "INVALID_HTTP_RESPONSE"
        | "INVALID_CHUNKED_ENCODING"
        | "INVALID_REDIRECT"
        | "UNSAFE_REDIRECT"
        | "HTTP2_PROTOCOL_ERROR"
        | "RESPONSE_HEADERS_TOO_BIG"
        | "RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH"
        | "RESPONSE_HEADERS_MULTIPLE_LOCATION"
        | "RESPONSE_HEADERS_MULTIPLE_CONTENT_DISPOSITION"
        | "RESPONSE_HEADERS_TRUNCATED"
        | "RESPONSE_BODY_TOO_BIG_TO_DRAIN" => (What::BadHead, Phase::Headers),
        "CERT_COMMON_NAME_INVALID" => (What::Certificate(BadCertificate::WrongHost), Phase::Tls),
        "CERT_AUTHORITY_INVALID" => (What::Certificate(BadCertificate::UnknownIssuer), Phase::Tls),
        "CERT_REVOKED" => (What::Certificate(BadCertificate::Revoked), Phase::Tls),
        name if name.starts_with("CERT_") => (What::Certificate(BadCertificate::Other), Phase::Tls),
        name if name.starts_with("SSL_")
            || name.starts_with("ECH_")
            || name == "BAD_SSL_CLIENT_AUTH_CERT" =>
        {
            (What::TlsHandshake, Phase::Tls)
        }
        _ => return None,
    };
    Some(Trouble {
        words: Some(code.to_owned()),
        ..Trouble::new(what).at(phase)
    })
}

/// How many redirects Chromium follows.
const MAX_REDIRECTS: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_exactly() {
        let what = |code| trouble(code).map(|trouble| trouble.what);
        assert_eq!(what("net::ERR_NAME_NOT_RESOLVED"), Some(What::NoSuchName));
        assert_eq!(
            what("net::ERR_CERT_DATE_INVALID"),
            Some(What::Certificate(BadCertificate::Other))
        );
        assert_eq!(
            what("net::ERR_SSL_PROTOCOL_ERROR"),
            Some(What::TlsHandshake)
        );
        assert_eq!(
            what("net::ERR_TUNNEL_CONNECTION_FAILED"),
            Some(What::Refused)
        );
        assert_eq!(what("net::ERR_FAILED"), None);
        assert_eq!(what("the page says net::ERR_CERT_REVOKED"), None);
    }
}

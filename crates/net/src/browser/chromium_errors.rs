//! The meaning of Chromium's network error codes. They are a stable list of constants, not prose.

use crate::network_error::{BadCertificate, NetworkError, NetworkErrorKind};
use fault::Phase;

/// A cancelled navigation: replaced by a newer one, by a download, or by a response without
/// content.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// The error a code means. `None` for an unspecific one.
pub(super) fn error(code: &str) -> Option<NetworkError> {
    let name = code.strip_prefix("net::ERR_")?;
    let (kind, phase) = match name {
        "NAME_NOT_RESOLVED" => (NetworkErrorKind::NoSuchName, Phase::Dns),
        "NAME_RESOLUTION_FAILED"
        | "DNS_TIMED_OUT"
        | "DNS_SERVER_FAILED"
        | "DNS_MALFORMED_RESPONSE" => (NetworkErrorKind::DnsFailed, Phase::Dns),
        "CONNECTION_REFUSED"
        | "CONNECTION_FAILED"
        | "PROXY_CONNECTION_FAILED"
        | "TUNNEL_CONNECTION_FAILED" => (NetworkErrorKind::Refused, Phase::Connect),
        "ADDRESS_UNREACHABLE"
        | "INTERNET_DISCONNECTED"
        | "NETWORK_UNREACHABLE"
        | "NETWORK_ACCESS_DENIED" => (NetworkErrorKind::Unreachable, Phase::Connect),
        "CONNECTION_RESET"
        | "CONNECTION_ABORTED"
        | "CONNECTION_CLOSED"
        | "EMPTY_RESPONSE"
        | "SOCKET_NOT_CONNECTED"
        | "NETWORK_CHANGED" => (NetworkErrorKind::Reset, Phase::Headers),
        "CONNECTION_TIMED_OUT" | "TIMED_OUT" => (NetworkErrorKind::Timeout, Phase::Connect),
        "TOO_MANY_REDIRECTS" => (
            NetworkErrorKind::RedirectLoop {
                followed: MAX_REDIRECTS,
            },
            Phase::Redirect,
        ),
        "CONTENT_LENGTH_MISMATCH" | "INCOMPLETE_CHUNKED_ENCODING" | "INCOMPLETE_HTTP2_STREAM" => {
            (NetworkErrorKind::CutBody, Phase::Body)
        }
        "CONTENT_DECODING_FAILED" | "CONTENT_DECODING_INIT_FAILED" => {
            (NetworkErrorKind::BadEncoding, Phase::Decode)
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
        | "RESPONSE_BODY_TOO_BIG_TO_DRAIN" => (NetworkErrorKind::BadHead, Phase::Headers),
        "CERT_COMMON_NAME_INVALID" => (
            NetworkErrorKind::Certificate(BadCertificate::WrongHost),
            Phase::Tls,
        ),
        "CERT_AUTHORITY_INVALID" => (
            NetworkErrorKind::Certificate(BadCertificate::UnknownIssuer),
            Phase::Tls,
        ),
        "CERT_REVOKED" => (
            NetworkErrorKind::Certificate(BadCertificate::Revoked),
            Phase::Tls,
        ),
        name if name.starts_with("CERT_") => (
            NetworkErrorKind::Certificate(BadCertificate::Other),
            Phase::Tls,
        ),
        name if name.starts_with("SSL_")
            || name.starts_with("ECH_")
            || name == "BAD_SSL_CLIENT_AUTH_CERT" =>
        {
            (NetworkErrorKind::TlsHandshake, Phase::Tls)
        }
        _ => return None,
    };
    Some(NetworkError {
        message: Some(code.to_owned()),
        ..NetworkError::new(kind).at(phase)
    })
}

/// The most redirects that Chromium follows.
const MAX_REDIRECTS: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_match_exactly() {
        let kind = |code| error(code).map(|error| error.kind);
        assert_eq!(
            kind("net::ERR_NAME_NOT_RESOLVED"),
            Some(NetworkErrorKind::NoSuchName)
        );
        assert_eq!(
            kind("net::ERR_CERT_DATE_INVALID"),
            Some(NetworkErrorKind::Certificate(BadCertificate::Other))
        );
        assert_eq!(
            kind("net::ERR_SSL_PROTOCOL_ERROR"),
            Some(NetworkErrorKind::TlsHandshake)
        );
        assert_eq!(
            kind("net::ERR_TUNNEL_CONNECTION_FAILED"),
            Some(NetworkErrorKind::Refused)
        );
        assert_eq!(kind("net::ERR_FAILED"), None);
        assert_eq!(kind("the page says net::ERR_CERT_REVOKED"), None);
    }
}

//! The meaning of Chromium's network error codes. They are a stable list of constants, not prose.

use crate::network_error::{BadCertificate, NetworkError, NetworkErrorKind};
use fault::Phase;

/// A cancelled navigation: replaced by a newer one, by a download, or by a response without
/// content.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// The most redirects that Chromium follows.
const MAX_REDIRECTS: u64 = 20;

/// The codes with an exact meaning, without their prefix.
const CODES: &[(&str, NetworkErrorKind, Phase)] = &[
    (
        "NAME_NOT_RESOLVED",
        NetworkErrorKind::NoSuchName,
        Phase::Dns,
    ),
    (
        "NAME_RESOLUTION_FAILED",
        NetworkErrorKind::DnsFailed,
        Phase::Dns,
    ),
    ("DNS_TIMED_OUT", NetworkErrorKind::DnsFailed, Phase::Dns),
    ("DNS_SERVER_FAILED", NetworkErrorKind::DnsFailed, Phase::Dns),
    (
        "DNS_MALFORMED_RESPONSE",
        NetworkErrorKind::DnsFailed,
        Phase::Dns,
    ),
    (
        "CONNECTION_REFUSED",
        NetworkErrorKind::Refused,
        Phase::Connect,
    ),
    (
        "CONNECTION_FAILED",
        NetworkErrorKind::Refused,
        Phase::Connect,
    ),
    (
        "PROXY_CONNECTION_FAILED",
        NetworkErrorKind::Refused,
        Phase::Connect,
    ),
    (
        "TUNNEL_CONNECTION_FAILED",
        NetworkErrorKind::Refused,
        Phase::Connect,
    ),
    (
        "ADDRESS_UNREACHABLE",
        NetworkErrorKind::Unreachable,
        Phase::Connect,
    ),
    (
        "INTERNET_DISCONNECTED",
        NetworkErrorKind::Unreachable,
        Phase::Connect,
    ),
    (
        "NETWORK_UNREACHABLE",
        NetworkErrorKind::Unreachable,
        Phase::Connect,
    ),
    (
        "NETWORK_ACCESS_DENIED",
        NetworkErrorKind::Unreachable,
        Phase::Connect,
    ),
    ("CONNECTION_RESET", NetworkErrorKind::Reset, Phase::Headers),
    (
        "CONNECTION_ABORTED",
        NetworkErrorKind::Reset,
        Phase::Headers,
    ),
    ("CONNECTION_CLOSED", NetworkErrorKind::Reset, Phase::Headers),
    ("EMPTY_RESPONSE", NetworkErrorKind::Reset, Phase::Headers),
    (
        "SOCKET_NOT_CONNECTED",
        NetworkErrorKind::Reset,
        Phase::Headers,
    ),
    ("NETWORK_CHANGED", NetworkErrorKind::Reset, Phase::Headers),
    (
        "CONNECTION_TIMED_OUT",
        NetworkErrorKind::Timeout,
        Phase::Connect,
    ),
    ("TIMED_OUT", NetworkErrorKind::Timeout, Phase::Connect),
    (
        "TOO_MANY_REDIRECTS",
        NetworkErrorKind::RedirectLoop {
            followed: MAX_REDIRECTS,
        },
        Phase::Redirect,
    ),
    (
        "CONTENT_LENGTH_MISMATCH",
        NetworkErrorKind::CutBody,
        Phase::Body,
    ),
    (
        "INCOMPLETE_CHUNKED_ENCODING",
        NetworkErrorKind::CutBody,
        Phase::Body,
    ),
    (
        "INCOMPLETE_HTTP2_STREAM",
        NetworkErrorKind::CutBody,
        Phase::Body,
    ),
    (
        "CONTENT_DECODING_FAILED",
        NetworkErrorKind::BadEncoding,
        Phase::Decode,
    ),
    (
        "CONTENT_DECODING_INIT_FAILED",
        NetworkErrorKind::BadEncoding,
        Phase::Decode,
    ),
    (
        "INVALID_RESPONSE",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "INVALID_HTTP_RESPONSE",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "INVALID_CHUNKED_ENCODING",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "INVALID_REDIRECT",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    ("UNSAFE_REDIRECT", NetworkErrorKind::BadHead, Phase::Headers),
    (
        "HTTP2_PROTOCOL_ERROR",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_TOO_BIG",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_MULTIPLE_LOCATION",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_MULTIPLE_CONTENT_DISPOSITION",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_TRUNCATED",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_BODY_TOO_BIG_TO_DRAIN",
        NetworkErrorKind::BadHead,
        Phase::Headers,
    ),
    (
        "CERT_COMMON_NAME_INVALID",
        NetworkErrorKind::Certificate(BadCertificate::WrongHost),
        Phase::Tls,
    ),
    (
        "CERT_AUTHORITY_INVALID",
        NetworkErrorKind::Certificate(BadCertificate::UnknownIssuer),
        Phase::Tls,
    ),
    (
        "CERT_REVOKED",
        NetworkErrorKind::Certificate(BadCertificate::Revoked),
        Phase::Tls,
    ),
    (
        "BAD_SSL_CLIENT_AUTH_CERT",
        NetworkErrorKind::TlsHandshake,
        Phase::Tls,
    ),
];

/// The error a code means. `None` for an unspecific one.
pub(super) fn error(code: &str) -> Option<NetworkError> {
    let name = code.strip_prefix("net::ERR_")?;
    let listed = CODES.iter().find(|(listed, ..)| *listed == name);
    let (kind, phase) = match listed {
        Some((_, kind, phase)) => (*kind, *phase),
        None => (tls_error(name)?, Phase::Tls),
    };
    Some(NetworkError {
        message: Some(code.to_owned()),
        ..NetworkError::new(kind).at(phase)
    })
}

/// The codes of TLS that are not listed, by their prefix.
fn tls_error(name: &str) -> Option<NetworkErrorKind> {
    if name.starts_with("CERT_") {
        return Some(NetworkErrorKind::Certificate(BadCertificate::Other));
    }
    let is_tls = name.starts_with("SSL_") || name.starts_with("ECH_");
    is_tls.then_some(NetworkErrorKind::TlsHandshake)
}

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

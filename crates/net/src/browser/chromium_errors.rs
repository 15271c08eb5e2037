//! The meaning of Chromium's network error codes. They are a stable list of constants, not prose.

use crate::network_error::{BadCertificate, NetworkError, NetworkErrorKind as Kind};
use fault::Phase;

/// A cancelled navigation: replaced by a newer one, by a download, or by a response without
/// content.
pub(super) const ABORTED: &str = "net::ERR_ABORTED";

/// The most redirects that Chromium follows.
const MAX_REDIRECTS: u64 = 20;

/// The codes with an exact meaning, without their prefix.
const CODES: &[(&str, Kind, Phase)] = &[
    ("NAME_NOT_RESOLVED", Kind::NoSuchName, Phase::Dns),
    ("NAME_RESOLUTION_FAILED", Kind::DnsFailed, Phase::Dns),
    ("DNS_TIMED_OUT", Kind::DnsFailed, Phase::Dns),
    ("DNS_SERVER_FAILED", Kind::DnsFailed, Phase::Dns),
    ("DNS_MALFORMED_RESPONSE", Kind::DnsFailed, Phase::Dns),
    ("CONNECTION_REFUSED", Kind::Refused, Phase::Connect),
    ("CONNECTION_FAILED", Kind::Refused, Phase::Connect),
    ("PROXY_CONNECTION_FAILED", Kind::Refused, Phase::Connect),
    ("TUNNEL_CONNECTION_FAILED", Kind::Refused, Phase::Connect),
    ("ADDRESS_UNREACHABLE", Kind::Unreachable, Phase::Connect),
    ("INTERNET_DISCONNECTED", Kind::Unreachable, Phase::Connect),
    ("NETWORK_UNREACHABLE", Kind::Unreachable, Phase::Connect),
    ("NETWORK_ACCESS_DENIED", Kind::Unreachable, Phase::Connect),
    ("CONNECTION_RESET", Kind::Reset, Phase::Headers),
    ("CONNECTION_ABORTED", Kind::Reset, Phase::Headers),
    ("CONNECTION_CLOSED", Kind::Reset, Phase::Headers),
    ("EMPTY_RESPONSE", Kind::Reset, Phase::Headers),
    ("SOCKET_NOT_CONNECTED", Kind::Reset, Phase::Headers),
    ("NETWORK_CHANGED", Kind::Reset, Phase::Headers),
    ("CONNECTION_TIMED_OUT", Kind::Timeout, Phase::Connect),
    ("TIMED_OUT", Kind::Timeout, Phase::Connect),
    (
        "TOO_MANY_REDIRECTS",
        Kind::RedirectLoop {
            followed: MAX_REDIRECTS,
        },
        Phase::Redirect,
    ),
    ("CONTENT_LENGTH_MISMATCH", Kind::CutBody, Phase::Body),
    ("INCOMPLETE_CHUNKED_ENCODING", Kind::CutBody, Phase::Body),
    ("INCOMPLETE_HTTP2_STREAM", Kind::CutBody, Phase::Body),
    ("CONTENT_DECODING_FAILED", Kind::BadEncoding, Phase::Decode),
    (
        "CONTENT_DECODING_INIT_FAILED",
        Kind::BadEncoding,
        Phase::Decode,
    ),
    ("INVALID_RESPONSE", Kind::BadHead, Phase::Headers),
    ("INVALID_HTTP_RESPONSE", Kind::BadHead, Phase::Headers),
    ("INVALID_CHUNKED_ENCODING", Kind::BadHead, Phase::Headers),
    ("INVALID_REDIRECT", Kind::BadHead, Phase::Headers),
    ("UNSAFE_REDIRECT", Kind::BadHead, Phase::Headers),
    ("HTTP2_PROTOCOL_ERROR", Kind::BadHead, Phase::Headers),
    ("RESPONSE_HEADERS_TOO_BIG", Kind::BadHead, Phase::Headers),
    (
        "RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH",
        Kind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_MULTIPLE_LOCATION",
        Kind::BadHead,
        Phase::Headers,
    ),
    (
        "RESPONSE_HEADERS_MULTIPLE_CONTENT_DISPOSITION",
        Kind::BadHead,
        Phase::Headers,
    ),
    ("RESPONSE_HEADERS_TRUNCATED", Kind::BadHead, Phase::Headers),
    (
        "RESPONSE_BODY_TOO_BIG_TO_DRAIN",
        Kind::BadHead,
        Phase::Headers,
    ),
    (
        "CERT_COMMON_NAME_INVALID",
        Kind::Certificate(BadCertificate::WrongHost),
        Phase::Tls,
    ),
    (
        "CERT_AUTHORITY_INVALID",
        Kind::Certificate(BadCertificate::UnknownIssuer),
        Phase::Tls,
    ),
    (
        "CERT_REVOKED",
        Kind::Certificate(BadCertificate::Revoked),
        Phase::Tls,
    ),
    ("BAD_SSL_CLIENT_AUTH_CERT", Kind::TlsHandshake, Phase::Tls),
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
fn tls_error(name: &str) -> Option<Kind> {
    if name.starts_with("CERT_") {
        return Some(Kind::Certificate(BadCertificate::Other));
    }
    let is_tls = name.starts_with("SSL_") || name.starts_with("ECH_");
    is_tls.then_some(Kind::TlsHandshake)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_match_exactly() {
        let kind = |code| error(code).map(|error| error.kind);
        assert_eq!(kind("net::ERR_NAME_NOT_RESOLVED"), Some(Kind::NoSuchName));
        assert_eq!(
            kind("net::ERR_CERT_DATE_INVALID"),
            Some(Kind::Certificate(BadCertificate::Other))
        );
        assert_eq!(
            kind("net::ERR_SSL_PROTOCOL_ERROR"),
            Some(Kind::TlsHandshake)
        );
        assert_eq!(
            kind("net::ERR_TUNNEL_CONNECTION_FAILED"),
            Some(Kind::Refused)
        );
        assert_eq!(kind("net::ERR_FAILED"), None);
        assert_eq!(kind("the page says net::ERR_CERT_REVOKED"), None);
    }
}

//! What went wrong on the network, before `classify` turns it into a fault.
//!
//! Errors of other crates are converted by their types and kinds alone. Their messages are kept for
//! the operator and decide nothing. The type implements `Error` so that it can pass through the
//! HTTP library's boxed errors, and `Clone` because it can only be borrowed from them.

use std::error::Error;
use std::fmt;
use std::io;

use fault::Phase;
use hickory_resolver::net::NetError;
use tokio_rustls::rustls;

use crate::guard::Denied;

#[derive(Debug, Clone)]
pub(crate) struct NetworkError {
    pub(crate) kind: NetworkErrorKind,
    /// Where it happened, if that is known more precisely than by the request's progress.
    pub(crate) phase: Option<Phase>,
    /// The other crate's message, for the operator only.
    pub(crate) message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkErrorKind {
    Denied(Denied),
    NoSuchName,
    DnsFailed,
    Refused,
    Unreachable,
    Reset,
    TlsHandshake,
    Certificate(BadCertificate),
    /// The operator's file of extra authorities cannot be used.
    AuthorityFile,
    /// The operator's proxy does not let this connection through.
    ProxyRefused,
    /// The operator's proxy does not allow connections to this host.
    ProxyDeniesHost,
    /// The operator's proxy wants fewer requests.
    ProxyBusy,
    /// The operator's proxy did not reach the host.
    ProxyFailed,
    /// The operator's proxy cannot be reached.
    ProxyUnreachable,
    /// The operator's proxy did not say whether it reached the host.
    ProxySilent,
    Timeout,
    Cancelled,
    RedirectLoop {
        followed: u64,
    },
    /// The body ended too early.
    CutBody,
    /// A head that is not valid HTTP/1.1.
    BadHead,
    /// A head with more bytes or headers than we read.
    LargeHead,
    /// A body whose chunks are not valid HTTP/1.1.
    BadChunks,
    /// A redirect to something that is not a URL.
    BadLocation,
    UnknownEncoding,
    /// Other bodies had taken the memory of this process until the deadline.
    NoMemory,
    /// The body does not match its content encoding.
    BadEncoding,
    /// A bug of ours.
    Internal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadCertificate {
    Expired,
    NotYetValid,
    UnknownIssuer,
    WrongHost,
    Revoked,
    Other,
}

impl NetworkError {
    pub(crate) fn new(kind: NetworkErrorKind) -> Self {
        Self {
            kind,
            phase: None,
            message: None,
        }
    }

    pub(crate) fn at(mut self, phase: Phase) -> Self {
        self.phase.get_or_insert(phase);
        self
    }

    /// Whether the operator's proxy is to blame, so that no other address helps.
    pub(crate) fn is_of_the_proxy(&self) -> bool {
        matches!(
            self.kind,
            NetworkErrorKind::ProxyRefused
                | NetworkErrorKind::ProxyBusy
                | NetworkErrorKind::ProxyUnreachable
        )
    }

    fn with_message(kind: NetworkErrorKind, words: &dyn fmt::Display) -> Self {
        Self {
            kind,
            phase: None,
            message: Some(words.to_string()),
        }
    }

    pub(crate) fn denied(denied: Denied) -> Self {
        Self::new(NetworkErrorKind::Denied(denied)).at(Phase::Policy)
    }

    pub(crate) fn location(text: &str) -> Self {
        Self::with_message(NetworkErrorKind::BadLocation, &text)
    }

    /// A failed TCP connection.
    pub(crate) fn connect(error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::ConnectionRefused => NetworkErrorKind::Refused,
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => {
                NetworkErrorKind::Reset
            }
            io::ErrorKind::TimedOut => NetworkErrorKind::Timeout,
            _ => NetworkErrorKind::Unreachable,
        };
        Self::with_message(kind, error).at(Phase::Connect)
    }

    /// A failed TLS handshake. A socket error during the handshake counts as a failed handshake.
    pub(crate) fn tls(error: &io::Error) -> Self {
        let kind = match find::<rustls::Error>(error) {
            Some(rustls::Error::InvalidCertificate(reason)) => {
                NetworkErrorKind::Certificate(bad_certificate(reason))
            }
            Some(rustls::Error::NoCertificatesPresented | rustls::Error::UnsupportedNameType) => {
                NetworkErrorKind::Certificate(BadCertificate::Other)
            }
            _ => NetworkErrorKind::TlsHandshake,
        };
        Self::with_message(kind, error).at(Phase::Tls)
    }

    pub(crate) fn dns(error: &NetError) -> Self {
        // A name without any address is as final as one that does not exist.
        let kind = if error.is_no_records_found() {
            NetworkErrorKind::NoSuchName
        } else {
            NetworkErrorKind::DnsFailed
        };
        Self::with_message(kind, error).at(Phase::Dns)
    }

    /// An error of the pooled client: our own connector's, or an HTTP error while sending.
    pub(crate) fn exchange(error: &hyper_util::client::legacy::Error) -> Self {
        if let Some(own) = find::<NetworkError>(error) {
            return own.clone();
        }
        match find::<hyper::Error>(error) {
            Some(inner) => Self::with_message(in_head(inner), error).at(Phase::Headers),
            None => Self::with_message(NetworkErrorKind::Internal, error),
        }
    }

    /// A single exchange that failed before the response head was complete.
    pub(crate) fn sending(error: &hyper::Error) -> Self {
        Self::with_message(in_head(error), error).at(Phase::Headers)
    }

    pub(crate) fn body(error: &hyper::Error) -> Self {
        Self::with_message(in_body(error), error).at(Phase::Body)
    }

    pub(crate) fn authority_file(error: &dyn fmt::Display) -> Self {
        Self::with_message(NetworkErrorKind::AuthorityFile, error).at(Phase::Tls)
    }
}

fn bad_certificate(reason: &rustls::CertificateError) -> BadCertificate {
    use rustls::CertificateError as E;
    match reason {
        E::Expired | E::ExpiredContext { .. } => BadCertificate::Expired,
        E::NotValidYet | E::NotValidYetContext { .. } => BadCertificate::NotYetValid,
        E::UnknownIssuer => BadCertificate::UnknownIssuer,
        E::NotValidForName | E::NotValidForNameContext { .. } => BadCertificate::WrongHost,
        E::Revoked => BadCertificate::Revoked,
        _ => BadCertificate::Other,
    }
}

/// The error before the response head was complete.
fn in_head(error: &hyper::Error) -> NetworkErrorKind {
    match error {
        error if error.is_parse_too_large() => NetworkErrorKind::LargeHead,
        error if error.is_parse() => NetworkErrorKind::BadHead,
        error if error.is_timeout() => NetworkErrorKind::Timeout,
        // Closed before a complete head: the same advice as for a reset.
        error if error.is_incomplete_message() || error.is_closed() || error.is_canceled() => {
            NetworkErrorKind::Reset
        }
        error => of_socket(error, NetworkErrorKind::Reset),
    }
}

/// The error while reading the body.
fn in_body(error: &hyper::Error) -> NetworkErrorKind {
    match error {
        error if error.is_incomplete_message() => NetworkErrorKind::CutBody,
        error if error.is_timeout() => NetworkErrorKind::Timeout,
        error => of_socket(error, NetworkErrorKind::CutBody),
    }
}

fn of_socket(error: &hyper::Error, at_end: NetworkErrorKind) -> NetworkErrorKind {
    let Some(socket) = find::<io::Error>(error) else {
        return NetworkErrorKind::Reset;
    };
    if find::<rustls::Error>(socket).is_some() {
        return NetworkErrorKind::TlsHandshake;
    }
    match socket.kind() {
        io::ErrorKind::UnexpectedEof => at_end,
        io::ErrorKind::TimedOut => NetworkErrorKind::Timeout,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => NetworkErrorKind::BadChunks,
        _ => NetworkErrorKind::Reset,
    }
}

/// Searches the chain of sources for an error type, also inside I/O errors.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        // `source` of an I/O error skips the error that it wraps.
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        current = match wrapped {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)
    }
}

impl Error for NetworkError {}

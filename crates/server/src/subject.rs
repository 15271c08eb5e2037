//! The user that the authenticating proxy in front of an HTTP server names in a header.

use http::{HeaderMap, HeaderName};

/// What is wrong with the header. Such a request belongs to nobody, so it is refused: any tenant it
/// could be given would be shared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectError {
    Missing,
    Empty,
    Repeated,
}

impl SubjectError {
    /// For whoever runs the proxy; no client can repair it.
    pub(crate) fn message(self) -> &'static str {
        match self {
            SubjectError::Missing => {
                "The proxy in front of this server must name the user in the header that --subject-header sets; this request has no such header."
            }
            SubjectError::Empty => {
                "The proxy in front of this server must name the user in the header that --subject-header sets; in this request it is empty."
            }
            SubjectError::Repeated => {
                "The proxy in front of this server must name the user once, and remove such headers that the client sent; this request has several."
            }
        }
    }
}

/// The user of a request. The header's bytes decide, whatever their encoding.
pub(crate) fn subject<'h>(
    headers: &'h HeaderMap,
    name: &HeaderName,
) -> Result<&'h [u8], SubjectError> {
    let mut values = headers.get_all(name).iter();
    let subject = values.next().ok_or(SubjectError::Missing)?.as_bytes();
    if values.next().is_some() {
        return Err(SubjectError::Repeated);
    }
    if subject.trim_ascii().is_empty() {
        return Err(SubjectError::Empty);
    }
    Ok(subject)
}

//! Amounts with their unit, so that bytes are never shown as characters.

use std::fmt;

/// How much was received or found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Bytes of a response or a file.
    Bytes(u64),
    /// Characters of decoded text.
    Characters(u64),
    /// Results of a search.
    Results(u64),
    /// Redirects that were followed.
    Redirects(u64),
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of a response or a file.
    Bytes(u64),
    /// Characters of decoded text.
    Characters(u64),
    /// The number of things that the sentence names: concurrent calls, entries of an archive.
    Count(u64),
}

impl Size {
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Size::Bytes(0) | Size::Characters(0))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Size::Characters(characters) => write!(f, "{characters} characters"),
            Size::Results(results) => write!(f, "{results} results"),
            Size::Redirects(1) => f.write_str("1 redirect"),
            Size::Redirects(redirects) => write!(f, "{redirects} redirects"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Limit::Characters(characters) => write!(f, "{characters} characters"),
            Limit::Count(count) => write!(f, "{count}"),
        }
    }
}

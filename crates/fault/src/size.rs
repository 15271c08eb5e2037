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

/// A number of things: `1 call`, `2 calls`.
pub fn counted(number: u64, unit: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

impl Size {
    pub(crate) fn is_zero(self) -> bool {
        matches!(self, Size::Bytes(0) | Size::Characters(0))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bytes(bytes) => f.write_str(&counted(*bytes, "byte")),
            Size::Characters(characters) => f.write_str(&counted(*characters, "character")),
            Size::Results(results) => f.write_str(&counted(*results, "result")),
            Size::Redirects(redirects) => f.write_str(&counted(*redirects, "redirect")),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Bytes(bytes) => f.write_str(&counted(*bytes, "byte")),
            Limit::Characters(characters) => f.write_str(&counted(*characters, "character")),
            Limit::Count(count) => write!(f, "{count}"),
        }
    }
}

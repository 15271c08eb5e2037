//! A view of the examined text, with the byte-level operations that the recognisers share.
//!
//! Recognisers work on bytes because every relevant delimiter is ASCII or a known quotation mark.
//! The engine widens a span to character boundaries before it replaces it, so no recogniser can
//! split a character.

use std::ops::Range;

/// A part of the text that is a secret and will be replaced.
pub(super) type Span = Range<usize>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t> {
    pub(super) str: &'t str,
    pub(super) bytes: &'t [u8],
}

impl<'t> Text<'t> {
    pub(super) fn new(str: &'t str) -> Self {
        Self {
            str,
            bytes: str.as_bytes(),
        }
    }

    pub(super) fn len(self) -> usize {
        self.bytes.len()
    }

    /// The byte at `index`, or 0 after the end, which belongs to no class.
    pub(super) fn at(self, index: usize) -> u8 {
        spend(1);
        self.bytes.get(index).copied().unwrap_or(0)
    }

    /// The byte before `index`, or 0 at the start.
    pub(super) fn before(self, index: usize) -> u8 {
        if index == 0 { 0 } else { self.at(index - 1) }
    }

    /// The bytes from `index` on.
    pub(super) fn from(self, index: usize) -> &'t [u8] {
        self.bytes.get(index..).unwrap_or_default()
    }

    /// Compares the first byte itself, which nearly always decides and saves a call of the library.
    #[inline]
    pub(super) fn starts_with(self, index: usize, prefix: &str) -> bool {
        let prefix = prefix.as_bytes();
        let Some(rest) = self.bytes.get(index..) else {
            return false;
        };
        rest.first() == prefix.first() && rest.starts_with(prefix)
    }

    #[inline]
    pub(super) fn starts_with_ignoring_case(self, index: usize, prefix: &str) -> bool {
        let head = self.bytes.get(index..index + prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
    }

    /// The end of the run of bytes of a class that starts at `index`, reading at most `limit` bytes
    /// ahead.
    pub(super) fn run(self, index: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
        let stop = self.len().min(index.saturating_add(limit));
        let mut end = index.min(stop);
        while end < stop && class(self.bytes[end]) {
            end += 1;
        }
        spend(end.saturating_sub(index) + 1);
        end
    }

    /// The start of the run of bytes of a class that ends at `index`, reading at most `limit` bytes
    /// back.
    pub(super) fn run_back(self, index: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
        let stop = index.saturating_sub(limit);
        let mut start = index;
        while start > stop && class(self.bytes[start - 1]) {
            start -= 1;
        }
        spend(index - start + 1);
        start
    }

    /// The text of a span, widened to character boundaries.
    #[inline]
    pub(super) fn slice(self, span: Span) -> &'t str {
        spend(span.len());
        match self.str.get(span.clone()) {
            Some(slice) => slice,
            None => &self.str[self.widened(span)],
        }
    }

    pub(super) fn widened(self, span: Span) -> Span {
        let mut start = span.start.min(self.len());
        let mut end = span.end.clamp(start, self.len());
        while !self.str.is_char_boundary(start) {
            start -= 1;
        }
        while !self.str.is_char_boundary(end) {
            end += 1;
        }
        start..end
    }

    /// The start of the line that contains `index`, reading at most `limit` bytes back; `None` if
    /// it is further.
    pub(super) fn line_start(self, index: usize, limit: usize) -> Option<usize> {
        let start = self.run_back(index, limit, |byte| byte != b'\n' && byte != b'\r');
        let reached = start == 0 || matches!(self.before(start), b'\n' | b'\r');
        reached.then_some(start)
    }
}

/// Counts bytes that are read, in tests: hostile text must not make recognisers read far again and
/// again.
#[inline]
pub(super) fn spend(_bytes: usize) {
    #[cfg(test)]
    tests::WORK.with(|work| work.set(work.get() + _bytes));
}

#[cfg(test)]
pub(super) use self::tests::work_of;

pub(super) fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Whether a byte continues an ASCII word: a key never starts in the middle of one, but may follow
/// any other script.
pub(super) fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte continues a word of any script.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

pub(super) fn is_base64_any(byte: u8) -> bool {
    is_base64(byte) || matches!(byte, b'-' | b'_')
}

pub(super) fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

pub(super) fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

pub(super) fn is_upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    thread_local! {
        pub(super) static WORK: Cell<usize> = const { Cell::new(0) };
    }

    /// How many bytes are read while this runs.
    pub(crate) fn work_of(run: impl FnOnce()) -> usize {
        WORK.with(|work| work.set(0));
        run();
        WORK.with(Cell::get)
    }
}

//! The line of a name, and whether it can hold a drawn value at all.

use memchr::{memchr, memchr3_iter, memrchr};

use crate::text::{Span, Text, spend};

/// Longer lines are data or code without line ends, in which neighbours mean nothing.
const LONGEST_LINE: usize = 240;

/// The same for the line of a value that stands alone.
const LONGEST_BELOW: usize = 120;

/// How many lines below a name are read for a value that stands alone.
pub(super) const LINES_BELOW: usize = 3;

/// The spaces of a frame around a value, and of the name or the speaker before it.
const MOST_BLANKS: usize = 24;

/// Shorter words are not looked at.
pub(super) const SHORTEST: usize = 8;

/// How far a line that is too long is skipped, in bytes.
const SKIPPED: usize = 64;

pub(super) struct Line {
    span: Span,
    open: bool,
}

impl Line {
    pub(super) const fn none() -> Self {
        Self {
            span: 0..0,
            open: false,
        }
    }

    pub(super) fn around(text: Text<'_>, name: &Span) -> Self {
        match span_around(text, name) {
            Some(span) => Self {
                open: has_mixed_word(&text.bytes[span.clone()]) || is_mixed_below(text, span.end),
                span,
            },
            None => Self {
                span: name.end..name.end + SKIPPED,
                open: false,
            },
        }
    }

    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    pub(super) fn end(&self) -> usize {
        self.span.end
    }

    pub(super) fn may_hold_value(&self) -> bool {
        self.open
    }
}

fn span_around(text: Text<'_>, name: &Span) -> Option<Span> {
    let from = name.start.saturating_sub(LONGEST_LINE);
    let start = match memrchr(b'\n', &text.bytes[from..name.start]) {
        Some(at) => from + at + 1,
        None if from == 0 => 0,
        None => return None,
    };
    let end = end_within(text, name.end, LONGEST_LINE)?;
    spend(end - start);
    Some(start..end)
}

fn end_within(text: Text<'_>, from: usize, most: usize) -> Option<usize> {
    let to = text.len().min(from + most);
    match memchr(b'\n', text.bytes.get(from..to)?) {
        Some(at) => Some(from + at),
        None => (to == text.len()).then_some(to),
    }
}

/// The line after the one that ends at `end`, if it is short.
pub(super) fn next(text: Text<'_>, end: usize) -> Option<Span> {
    let start = end + 1;
    let end = end_within(text, start, LONGEST_BELOW)?;
    spend(end - start);
    (start < text.len()).then_some(start..end)
}

fn is_mixed_below(text: Text<'_>, end: usize) -> bool {
    let mut end = end;
    for _ in 0..LINES_BELOW {
        let Some(line) = next(text, end) else {
            return false;
        };
        let bytes = &text.bytes[line.clone()];
        let numbered = || has_marked_number(bytes) || has_joined_number(bytes);
        if (is_mixed(bytes) || numbered()) && may_stand_alone(bytes) {
            return true;
        }
        end = line.end;
    }
    false
}

/// Whether a line may hold nothing but a value: it is no markup or code, and has few words.
fn may_stand_alone(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let mut blanks = 0;
    !line.contains(&b' ') && !line.starts_with(b"<")
        || line.iter().all(|byte| {
            blanks += usize::from(*byte == b' ');
            blanks <= MOST_BLANKS && !matches!(byte, b'<' | b'(' | b'{' | b';')
        })
}

/// Whether a letter and a digit stand beside each other, as they do in every drawn value. Without
/// branches, so that the compiler compares many bytes at once.
pub(super) fn is_mixed(line: &[u8]) -> bool {
    let digit = |byte: u8| u8::from(byte.wrapping_sub(b'0') < 10);
    let letter = |byte: u8| u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let next = line.get(1..).unwrap_or_default();
    line.iter().zip(next).fold(0, |any, (first, second)| {
        any | digit(*first) & letter(*second) | letter(*first) & digit(*second)
    }) != 0
}

/// Whether a mark of a password joins a letter and a number: `Fussball#8051`.
fn has_marked_number(line: &[u8]) -> bool {
    memchr3_iter(b'#', b'@', b'!', line).any(|at| joins_number(line, at))
}

/// The same with the marks that names have, too: `Vera_1967`, `copper-mango-59`.
fn has_joined_number(line: &[u8]) -> bool {
    memchr3_iter(b'_', b'-', b'?', line).any(|at| joins_number(line, at))
}

fn joins_number(line: &[u8], at: usize) -> bool {
    at > 0 && line[at - 1].is_ascii_alphabetic() && line.get(at + 1).is_some_and(u8::is_ascii_digit)
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const MARK: u8 = 8;
/// A letter that no hexadecimal number has.
const BEYOND_HEX: u8 = 16;
/// A mark that joins the words of names, too.
const JOINS: u8 = 32;
/// A mark that ends a value in most texts, and stands inside of some passwords.
const ENDS: u8 = 64;

/// The class of each byte; none for what ends a word.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let beyond = if matches!(byte as u8 | 0x20, b'g'..=b'z') {
            BEYOND_HEX
        } else {
            0
        };
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER | beyond,
            b'A'..=b'Z' => UPPER | beyond,
            b'0'..=b'9' => DIGIT,
            b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'~' => MARK,
            b'@' | b'-' | b'_' | b'.' | b'+' | b'/' | b':' => JOINS,
            b'"' | b'\'' | b'`' => 0,
            0x21..=0x7e => ENDS,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// What a value consists of where nothing quotes it.
pub(super) fn is_value(byte: u8) -> bool {
    CLASSES[usize::from(byte)] & !ENDS != 0
}

/// The same for a value with all the marks of a keyboard but quotation marks.
pub(super) fn is_graphic(byte: u8) -> bool {
    CLASSES[usize::from(byte)] != 0
}

/// Whether a digit follows or precedes a letter that no number has, with at most one letter between
/// them, as in every value that is no hexadecimal number. Without branches, too.
fn is_mixed_beyond_hex(line: &[u8]) -> bool {
    let digit = |byte: u8| u8::from(byte.wrapping_sub(b'0') < 10);
    let beyond = |byte: u8| {
        u8::from((byte | 0x20).wrapping_sub(b'g') < 20) | u8::from(byte.wrapping_sub(b'A') < 6)
    };
    let [second, third] = [1, 2].map(|skip| line.get(skip..).unwrap_or_default());
    let near = line.iter().zip(second).zip(third);
    near.fold(0, |any, ((first, second), third)| {
        any | digit(*first) & (beyond(*second) | beyond(*third))
            | beyond(*first) & (digit(*second) | digit(*third))
    }) != 0
}

/// The classes of a word with the marks that end others.
#[derive(Default)]
struct Whole {
    seen: u8,
    length: usize,
}

/// What a password with all the marks of a keyboard has.
const EVERY: u8 = LOWER | UPPER | DIGIT | ENDS;

/// Whether a word of a line has digits and letters as a secret has them. Most lines have none, and
/// this is much faster than to judge each word.
fn has_mixed_word(line: &[u8]) -> bool {
    // The first test is the cheaper one, and decides for prose.
    if !is_mixed(line) || !is_mixed_beyond_hex(line) {
        return has_marked_number(line);
    }
    let (mut seen, mut length, mut whole) = (0, 0, Whole::default());
    for byte in line.iter().chain(b" ") {
        let class = CLASSES[usize::from(*byte)];
        if class & !ENDS != 0 {
            seen |= class;
            length += 1;
            continue;
        }
        let letters = seen & LOWER != 0 && seen & UPPER != 0;
        if length >= SHORTEST && seen & DIGIT != 0 && (letters || seen & (MARK | BEYOND_HEX) != 0) {
            return true;
        }
        whole.seen |= seen | class;
        whole.length += length + 1;
        if class == 0 {
            if whole.length > SHORTEST && whole.seen & EVERY == EVERY {
                return true;
            }
            whole = Whole::default();
        }
        (seen, length) = (0, 0);
    }
    false
}

//! Escapes of every kind: how long each is, what it means, and whether a text ends with one.

use memchr::{memchr, memchr_iter, memmem};

/// What a plus is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plus {
    /// A plus.
    Itself,
    /// A space of a form, or a digit of base64 that was not escaped.
    Perhaps,
    /// A space, because escapes touch it: `token+%3D+…`.
    Space,
}

impl Plus {
    /// The ways to read it, as whether it is a space.
    pub(super) fn readings(self) -> impl Iterator<Item = bool> {
        let (first, second) = match self {
            Plus::Itself => (false, None),
            Plus::Perhaps => (false, Some(true)),
            Plus::Space => (true, None),
        };
        std::iter::once(first).chain(second)
    }
}

/// Escapes that mean something only if others occur too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) form: Plus,
    /// In mail, an equals sign starts an escape.
    pub(super) mail: bool,
}

impl Style {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            form: Self::form(bytes),
            mail: memmem::find(bytes, b"=3D").is_some(),
        }
    }

    fn form(bytes: &[u8]) -> Plus {
        if memchr(b'+', bytes).is_none() {
            return Plus::Itself;
        }
        let mut escapes = memchr_iter(b'%', bytes).filter(|at| {
            let digits = bytes.get(at + 1..at + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        });
        let Some(first) = escapes.next() else {
            let spaced = memchr(b' ', bytes).is_some();
            return if spaced { Plus::Itself } else { Plus::Perhaps };
        };
        let touches = |at: usize| {
            bytes.get(at + 3) == Some(&b'+') || at > 0 && bytes.get(at - 1) == Some(&b'+')
        };
        if touches(first) || escapes.any(touches) {
            Plus::Space
        } else {
            Plus::Perhaps
        }
    }
}

/// The bytes that can start an escape.
const STARTS: [bool; 256] = {
    let mut starts = [false; 256];
    let bytes = *b"\x1b^\\&%+=";
    let mut index = 0;
    while index < bytes.len() {
        starts[bytes[index] as usize] = true;
        index += 1;
    }
    starts
};

/// Whether a byte can start an escape.
#[inline]
pub(super) fn may_escape(byte: u8) -> bool {
    STARTS[usize::from(byte)]
}

/// Whether `rest` starts with an escape behind which an ASCII character, a space or a colour hides.
/// `&amp;` hides a mark only if it escapes an escape.
pub(super) fn hides_ascii(rest: &[u8]) -> bool {
    match rest {
        [0x1b, ..] => true,
        [b'\\', b'u', digits @ ..] => digits.starts_with(b"00"),
        [b'\\', b'0', rest @ ..] => rest.starts_with(b"33"),
        [b'\\', b'e', next, ..] => *next == b'[',
        [b'\\', next, ..] => matches!(
            next,
            b'n' | b'r' | b't' | b'"' | b'\'' | b'/' | b'\\' | b'`' | b'x'
        ),
        [b'%', first, second, ..] => matches!(first, b'0'..=b'7') && second.is_ascii_hexdigit(),
        [b'&', b'#', ..] => entity(rest).is_some_and(|(_, meaning)| {
            meaning.is_some_and(|meaning| meaning.is_ascii() || meaning == '\u{a0}')
        }),
        [b'&', b'a', b'm', b'p', b';', next, ..] => matches!(next, b'#' | b'q' | b'l' | b'g'),
        [b'&', rest @ ..] => ["quot;", "lt;", "gt;", "apos;", "nbsp;"]
            .iter()
            .any(|name| rest.starts_with(name.as_bytes())),
        _ => false,
    }
}

/// The length of the escape at the start of `rest`, and what it means; nothing for colour codes.
pub(super) fn escape(
    rest: &[u8],
    plus_is_space: bool,
    style: Style,
) -> Option<(usize, Option<char>)> {
    match rest[0] {
        0x1b => Some((1 + control_sequence(&rest[1..]), None)),
        b'^' if rest.starts_with(b"^[[") => Some((2 + control_sequence(&rest[2..]), None)),
        b'\\' => backslash(rest),
        b'&' => entity(rest),
        b'%' => percent(rest),
        b'+' if plus_is_space => Some((1, Some(' '))),
        b'=' if style.mail && rest.starts_with(b"=\r\n") => Some((3, None)),
        b'=' if style.mail && rest.starts_with(b"=\n") => Some((2, None)),
        b'=' if style.mail => hex(rest.get(1..3)?).map(|c| (3, Some(c))),
        _ => None,
    }
}

/// The length of what follows the escape byte: colours and cursor moves, titles, character sets.
fn control_sequence(rest: &[u8]) -> usize {
    let until = |from: usize, most: usize, last: fn(&u8) -> bool| {
        let end = rest.iter().skip(from).take(most).position(last);
        end.map_or(from, |at| from + at + 1)
    };
    match rest.first() {
        Some(b'[') => until(1, 32, |byte| (0x40..=0x7e).contains(byte)),
        Some(b']') => until(1, 256, |byte| *byte == 0x07 || *byte == b'\\'),
        // The name of a character set is ASCII; anything else is text.
        Some(b'(' | b')') if rest.get(1).is_some_and(u8::is_ascii) => 2,
        _ => 0,
    }
}

fn backslash(rest: &[u8]) -> Option<(usize, Option<char>)> {
    let (length, meaning) = match rest.get(1)? {
        b'n' => (2, '\n'),
        b'r' => (2, '\r'),
        b't' => (2, '\t'),
        mark @ (b'"' | b'\'' | b'/' | b'\\' | b'`') => (2, char::from(*mark)),
        b'x' => (4, hex(rest.get(2..4)?)?),
        b'u' => (6, code_point(rest.get(2..6)?)?),
        b'e' if rest.get(2) == Some(&b'[') => (2, '\u{1b}'),
        b'0' if rest.starts_with(b"\\033") => (4, '\u{1b}'),
        _ => return None,
    };
    Some((length, Some(meaning)))
}

/// `%3D`, or the two to four bytes of a character beyond ASCII.
fn percent(rest: &[u8]) -> Option<(usize, Option<char>)> {
    let byte = |index: usize| {
        let digits = rest.get(3 * index..3 * index + 3)?;
        let digits = std::str::from_utf8(digits).ok()?.strip_prefix('%')?;
        is_hexadecimal(digits).then(|| u8::from_str_radix(digits, 16).ok())?
    };
    let length = match byte(0)? {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map_while(byte).collect();
    let c = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((3 * length, Some(c)))
}

/// The character of some hexadecimal digits. Bytes beyond ASCII are parts of characters, and no
/// recogniser needs them.
fn hex(digits: &[u8]) -> Option<char> {
    code_point(digits).filter(char::is_ascii)
}

/// The parser of numbers would take a sign, too.
fn is_hexadecimal(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn code_point(digits: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(digits).ok()?;
    if !is_hexadecimal(digits) {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

fn entity(rest: &[u8]) -> Option<(usize, Option<char>)> {
    let end = rest.iter().take(10).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&rest[1..end]).ok()?;
    let meaning = match name {
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        _ => {
            let code = name.strip_prefix('#')?;
            match code.strip_prefix(['x', 'X']) {
                Some(digits) => hex(digits.as_bytes())?,
                None if code.starts_with('+') => return None,
                None => char::from_u32(code.parse().ok()?)?,
            }
        }
    };
    Some((end + 1, Some(meaning)))
}

/// Whether the text ends with an escape: `%20`, `%2520`, `\n`, `\x20`, `\u0022`, `=3D`, or the code
/// of a colour.
pub(super) fn ends_with_escape(text: &[u8]) -> bool {
    let hexadecimal = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match text {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        _ => {
            let tail = |length: usize| text.len().checked_sub(length).map(|at| &text[at..]);
            let escaped = |prefix: &[u8], digits: usize| {
                tail(prefix.len() + digits).is_some_and(|tail| {
                    tail.starts_with(prefix) && hexadecimal(&tail[prefix.len()..])
                })
            };
            escaped(b"%", 2)
                || escaped(b"%25", 2)
                || escaped(b"\\x", 2)
                || escaped(b"\\u", 4)
                || escaped(b"=3", 1)
                || ends_with_colour(text)
        }
    }
}

/// `ESC[1;32m`, with the escape byte itself or as a program writes it.
pub(super) fn ends_with_colour(text: &[u8]) -> bool {
    let Some((b'm', rest)) = text.split_last() else {
        return false;
    };
    let codes = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
    let open = rest.len() - rest.iter().rev().take(16).take_while(codes).count();
    let lead = &rest[..open];
    [
        &b"\x1b["[..],
        b"\\x1b[",
        b"\\x1B[",
        b"\\u001b[",
        b"\\u001B[",
        b"\\033[",
        b"\\e[",
        b"^[[",
    ]
    .iter()
    .any(|start| lead.ends_with(start))
}

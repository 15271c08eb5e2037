//! What dumps and debuggers print between a joint and the value: types, lengths, addresses,
//! brackets. `string(12) "…"`, `[]string{"…"}`, `0x7ffe "…"`, `[…]`, `{"value":"…"`.

use super::extent;
use super::text::{Text, is_blank, is_hex, is_space, is_word};
use super::value;

/// Skips what is printed before the value at `at`.
pub(super) fn past(text: Text<'_>, at: usize) -> usize {
    let mut at = at;
    for _ in 0..3 {
        match past_one(text, at) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

fn past_one(text: Text<'_>, at: usize) -> Option<usize> {
    match text.at(at) {
        b's' if text.starts_with(at, "string(") => {
            let digits = text.run(at + 7, 6, |byte| byte.is_ascii_digit());
            text.starts_with(digits, ") ").then_some(digits + 2)
        }
        b'\n' | b'\r' => {
            let below = text.run(at, 24, is_space);
            text.starts_with(below, "string(").then_some(below)
        }
        b'[' => past_bracket(text, at),
        b'(' => past_types(text, at).or_else(|| past_wrapping(text, at, b')')),
        b'&' => {
            // `&anchor value`, not `&str = …`.
            let end = text.run(at + 1, 24, is_word);
            let next = text.at(end + 1);
            let follows = extent::is_mark(text, end + 1) || is_word(next);
            (end > at + 1 && text.at(end) == b' ' && follows).then_some(end + 1)
        }
        b'0' if text.at(at + 1) == b'x' => {
            let end = text.run(at + 2, 16, is_hex);
            (text.at(end) == b' ' && extent::is_mark(text, end + 1)).then_some(end + 1)
        }
        b'<' if text.starts_with(at, "<<") && extent::is_mark(text, at + 2) => Some(at + 2),
        b'<' if is_here_text(text, at) => past_here_mark(text, at),
        b'<' if !text.starts_with(at, "<!") => past_wrapping(text, at, b'>'),
        b'!' if text.starts_with(at, "!!str ") => Some(at + 6),
        b'{' => past_brace(text, at).or_else(|| past_wrapping(text, at, b'}')),
        b'$' if text.at(at + 1) == b'\'' => Some(at + 1),
        // The line goes on below.
        b'\\' if matches!(text.at(at + 1), b'\n' | b'\r') => Some(text.run(at + 1, 40, is_space)),
        _ => None,
    }
}

/// Whether a text for standard input follows: `<<EOF`, `<<-'EOF'`, `<<~EOS`, `<<< "…"`.
pub(super) fn is_here_text(text: Text<'_>, at: usize) -> bool {
    let mark = text.run(at + 2, 3, |byte| {
        matches!(byte, b'-' | b'~' | b'<' | b'"' | b'\'' | b' ')
    });
    text.starts_with(at, "<<") && (text.at(at + 2) == b'<' || text.at(mark).is_ascii_uppercase())
}

/// Skips `<<<`, or the mark of a here-document and its line.
fn past_here_mark(text: Text<'_>, at: usize) -> Option<usize> {
    if text.starts_with(at, "<<<") {
        return Some(text.run(at + 3, 4, is_blank));
    }
    let line = text.run(at, 40, |byte| !matches!(byte, b'\n' | b'\r'));
    matches!(text.at(line), b'\n' | b'\r').then(|| text.run(line, 40, is_space))
}

/// A generated value in brackets, alone or as the last word: `<…>`, `{…}`, `(…)`. Placeholders look
/// like words.
fn past_wrapping(text: Text<'_>, open: usize, close: u8) -> Option<usize> {
    let end = text.run(open + 1, value::EXAMINED, |byte| {
        byte != close && !matches!(byte, b'\n' | b'"' | b'\'' | b'<' | b'{' | b'(')
    });
    let last = text.run_back(end, end - open - 1, |byte| !is_blank(byte));
    if value::is_assignment(text.slice(last..end)) {
        return None;
    }
    let made = value::is_key_like(text.slice(last..end), 12)
        || last == open + 1 && value::is_password_like(text.slice(last..end));
    (text.at(end) == close && made).then_some(last)
}

/// Functions that decode their first argument.
const DECODERS: &[&str] = &[
    "Buffer.from",
    "bytes.fromhex",
    "bytearray.fromhex",
    "binascii.unhexlify",
    "unhexlify",
    "base64.b64decode",
    "b64decode",
    "atob",
    "hex.decode",
    "hex.DecodeString",
    "base64_decode",
    "hex2bin",
    "Convert.FromBase64String",
];

/// Where the only argument of a constructor starts: `Optional("…")`, `Str(…)`, `Some(⏎ "…"⏎)`,
/// `Field(default="…")`. The value must give evidence of its own, because `Column("password")` has
/// the same form.
/// The second part says whether the function only decodes, so that the value stays what it was.
pub(super) fn past_constructor(text: Text<'_>, at: usize) -> Option<(usize, bool)> {
    let open = text.run(at, 40, |byte| is_word(byte) || byte == b'.');
    let decodes = || DECODERS.contains(&text.slice(at..open));
    if text.at(open) != b'(' || !text.at(at).is_ascii_uppercase() && !decodes() {
        return None;
    }
    let mut inner = text.run(open + 1, 24, |byte| is_space(byte) || byte == b'[');
    if text.starts_with(inner, "default=") {
        inner += "default=".len();
    }
    if let Some(value) = extent::quoted(text, inner) {
        let after = text.run(value.span.end + 1, 24, |byte| {
            is_space(byte) || matches!(byte, b',' | b']')
        });
        let alone = text.at(after) == b')' || text.before(inner) == b'=' || decodes();
        return alone.then(|| (inner, decodes()));
    }
    past_wrapping(text, open, b')').map(|inner| (inner, false))
}

/// `(string) (len=12) "…"`, `(*string)(0xc000)((len=12) "…")`
fn past_types(text: Text<'_>, at: usize) -> Option<usize> {
    let mut index = at;
    for _ in 0..4 {
        let open = text.run(index, 2, |byte| byte == b'(');
        let close = text.run(open, 40, |byte| {
            is_word(byte) || matches!(byte, b'*' | b'=' | b'.' | b'[' | b']')
        });
        if open == index || text.at(close) != b')' {
            return None;
        }
        index = text.run(close + 1, 1, is_blank);
        if extent::is_mark(text, index) {
            return Some(index);
        }
    }
    None
}

/// `[…]` around a bare value, as Go prints headers, and `[]string{"…"}`.
fn past_bracket(text: Text<'_>, at: usize) -> Option<usize> {
    if text.at(at + 1) == b']' {
        let brace = text.run(at + 2, 24, is_word);
        return (matches!(text.at(brace), b'{' | b'(') && extent::is_mark(text, brace + 1))
            .then_some(brace + 1);
    }
    let inner = text.run(at + 1, 2, is_blank);
    let close = text.run(inner, value::EXAMINED, |byte| {
        !is_space(byte) && !matches!(byte, b']' | b'[' | b',' | b';')
    });
    let bare = close > inner && text.at(close) == b']' && !extent::is_mark(text, inner);
    // The only element of a list; with several, the first may be another name.
    let alone = || {
        extent::quoted(text, inner).is_some_and(|value| {
            let close = text.run(value.span.end + 1, 4, is_blank);
            text.at(close) == b']'
        })
    };
    let spaced = inner > at + 1 && extent::is_mark(text, inner);
    (bare || spaced && alone()).then_some(inner)
}

/// Members of an object that hold the value of the name before it.
const VALUE_MEMBERS: &[&str] = &[
    "value",
    "example",
    "default",
    "S",
    "stringValue",
    "string",
    "plaintext",
    "base64",
    "$binary",
    "current",
];

/// `{"value": "…"`, as state files and environment dumps nest it, also after other members:
/// `{"sensitive": true, "type": "string", "value": "…"`.
fn past_brace(text: Text<'_>, at: usize) -> Option<usize> {
    let mut member = at + 1;
    for _ in 0..4 {
        let word = text.run(member, 24, |byte| {
            is_space(byte) || matches!(byte, b'"' | b'\'' | b'\\')
        });
        let word_end = text.run(word, 16, |byte| is_word(byte) || byte == b'$');
        let end = text.run(word_end, 4, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
        let joint = text.run(end, 4, is_blank);
        if word_end == word || !matches!(text.at(joint), b':' | b'=') {
            return None;
        }
        let name = text.slice(word..word_end);
        if VALUE_MEMBERS
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
        {
            return Some(text.run(joint + 1, 8, is_blank));
        }
        member = text.run(joint, 64, |byte| {
            !matches!(byte, b',' | b'\n' | b'{' | b'}' | b'[')
        });
        if !matches!(text.at(member), b',' | b'\n') {
            return None;
        }
        member += 1;
    }
    None
}

/// Skips how PHP marks properties: `["apiKey":protected]=>`, `[apiKey:App\Client:private] =>`.
pub(super) fn past_visibility(text: Text<'_>, at: usize) -> usize {
    if text.at(at) != b':' {
        return at;
    }
    let end = text.run(at, 64, |byte| {
        is_word(byte) || matches!(byte, b':' | b'\\' | b'"')
    });
    let marked = ["protected", "private", "public"]
        .iter()
        .any(|word| text.slice(at..end).ends_with(word));
    if marked && text.at(end) == b']' {
        end
    } else {
        at
    }
}

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
        b'(' => past_types(text, at),
        b'&' => {
            let end = text.run(at + 1, 24, is_word);
            (text.at(end) == b' ' && extent::is_mark(text, end + 1)).then_some(end + 1)
        }
        b'0' if text.at(at + 1) == b'x' => {
            let end = text.run(at + 2, 16, is_hex);
            (text.at(end) == b' ' && extent::is_mark(text, end + 1)).then_some(end + 1)
        }
        b'<' if text.starts_with(at, "<<") && extent::is_mark(text, at + 2) => Some(at + 2),
        b'!' if text.starts_with(at, "!!str ") => Some(at + 6),
        b'{' => past_brace(text, at),
        _ => None,
    }
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

/// `{"value": "…"`, as state files and environment dumps nest it.
fn past_brace(text: Text<'_>, at: usize) -> Option<usize> {
    let word = text.run(at + 1, 24, |byte| {
        is_space(byte) || matches!(byte, b'"' | b'\'' | b'\\')
    });
    let known = ["value", "example", "default", "S\"", "stringValue"]
        .iter()
        .find(|known| text.starts_with_ignoring_case(word, known))?;
    let end = text.run(word + known.trim_end_matches('"').len(), 4, |byte| {
        matches!(byte, b'"' | b'\'' | b'\\')
    });
    let joint = text.run(end, 4, is_blank);
    matches!(text.at(joint), b':' | b'=').then(|| text.run(joint + 1, 8, is_blank))
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

//! Where the value after a joint starts and ends, without what code puts around it.

use crate::extent::{self, Style, Value};
use crate::text::{Text, is_space};

/// Wrappers whose content is the value: `SecretStr('…')`, `Some("…")`, `b'…'`.
const WRAPPERS: &[&str] = &[
    "Some(",
    "SecretStr(",
    "SecretString(",
    "Secret(",
    "String::from(",
    "String(",
    "str(",
    "bytes(",
    "Ok(",
    "b",
    "r",
    "R",
    "u",
    "f",
    "@",
    "N",
    "quote(",
    "Token(",
    "encode(",
    "@\"",
];

/// Where the quoted content of a wrapper starts.
fn past_wrapper(text: Text<'_>, at: usize) -> Option<usize> {
    // Most values are quoted themselves.
    if !text.at(at).is_ascii_alphabetic() && text.at(at) != b'@' {
        return None;
    }
    WRAPPERS
        .iter()
        .filter(|wrapper| text.starts_with(at, wrapper))
        .map(|wrapper| at + wrapper.len())
        .find(|inner| extent::is_mark(text, *inner) && !matches!(text.at(*inner), b'%' | b'&'))
}

pub(crate) fn value_at(text: Text<'_>, at: usize, style: Style) -> Value {
    if let Some(inner) = past_wrapper(text, at) {
        return extent::quoted(text, inner).unwrap_or_else(|| extent::bare(text, at, style, false));
    }
    if text.starts_with(at, "[[")
        && let Some(value) = extent::quoted(text, at)
    {
        return value;
    }
    // `["…"]`: the only element of a list.
    let inner = text.run(at, 1, |byte| byte == b'[' || byte == b'(');
    let inner = if inner > at && text.at(at) == b'(' {
        text.run(inner, 24, is_space)
    } else {
        inner
    };
    if extent::is_mark(text, inner) {
        if let Some(value) = extent::quoted(text, inner) {
            return value;
        }
        let marks = text.run(inner, 8, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
        if marks > inner {
            return extent::bare(text, marks, style, false);
        }
    }
    extent::bare(text, at, style, false)
}

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

pub(crate) fn value_at(text: Text<'_>, at: usize, style: Style) -> Value {
    for wrapper in WRAPPERS {
        if text.starts_with(at, wrapper)
            && extent::is_mark(text, at + wrapper.len())
            && !matches!(text.at(at + wrapper.len()), b'%' | b'&')
        {
            return extent::quoted(text, at + wrapper.len())
                .unwrap_or_else(|| extent::bare(text, at, style, false));
        }
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

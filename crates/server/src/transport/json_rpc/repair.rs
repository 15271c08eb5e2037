//! Repairs a message that is almost JSON, or at least finds the ids of its requests.
//!
//! Programs do write lone surrogates, numbers out of range and very deep nesting, and then wait for
//! an answer. Text with invalid characters is repaired and parsed; for anything else the id is
//! found without parsing, so that the refusal can be sent under it.

use std::{borrow::Cow, sync::Arc};

use rmcp::model::RequestId;

/// At most this many requests of one message are refused by id.
pub(super) const MAX_IDS: usize = 16;

/// The text with invalid UTF-8 and lone surrogates replaced by U+FFFD, or `None` when it has none.
pub(crate) fn repair(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    match without_lone_surrogates(text.as_bytes()) {
        Some(repaired) => Some(repaired),
        None if matches!(text, Cow::Owned(_)) => Some(text.into_owned().into_bytes()),
        None => None,
    }
}

fn without_lone_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    let mut kept = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(offset) = text[at..].iter().position(|byte| *byte == b'\\') {
        at += offset;
        let (length, is_lone) = escape_at(&text[at..]);
        if is_lone {
            kept.extend_from_slice(&text[copied..at]);
            kept.extend_from_slice(b"\\ufffd");
            copied = at + length;
        }
        at = (at + length).min(text.len());
    }
    if copied == 0 {
        return None;
    }
    kept.extend_from_slice(&text[copied..]);
    Some(kept)
}

/// The length of the escape sequence at the start, and whether it is a lone surrogate.
fn escape_at(text: &[u8]) -> (usize, bool) {
    match code_unit(text) {
        None => (2, false),
        Some(0xD800..=0xDBFF)
            if matches!(text.get(6..).and_then(code_unit), Some(0xDC00..=0xDFFF)) =>
        {
            (12, false)
        }
        Some(0xD800..=0xDFFF) => (6, true),
        Some(_) => (6, false),
    }
}

/// The value of `\uXXXX`.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The ids of the requests in this text: one for each top-level object that is not a response.
pub(crate) fn request_ids(text: &[u8]) -> Vec<RequestId> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let (mut id, mut is_reply) = (None, false);
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        at += 1;
        match byte {
            b'"' => {
                let end = string_end(text, at);
                let name = &text[at..end];
                at = end + 1;
                if let Some(value) = value_after(text, at).filter(|_| depth == 1) {
                    at = value;
                    match name {
                        b"id" => id = id.or_else(|| id_at(&text[at..])),
                        b"result" | b"error" => is_reply = true,
                        _ => {}
                    }
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth == 1 {
                    (id, is_reply) = (None, false);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && !is_reply {
                    found.extend(id.take());
                }
            }
            _ => {}
        }
        if found.len() == MAX_IDS {
            return found;
        }
    }
    // A truncated message may still have its id.
    if depth > 0 && !is_reply {
        found.extend(id);
    }
    found
}

/// The index after the colon, if the next character is one.
fn value_after(text: &[u8], at: usize) -> Option<usize> {
    let colon = at + leading_blanks(text.get(at..)?);
    (text.get(colon) == Some(&b':')).then_some(colon + 1)
}

fn leading_blanks(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// The index of the closing quote of the string that starts at `from`, or the end of the text.
fn string_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn id_at(text: &[u8]) -> Option<RequestId> {
    let text = &text[leading_blanks(text)..];
    if let Some(rest) = text.strip_prefix(b"\"") {
        let quoted = text.get(..string_end(rest, 0) + 2)?;
        return serde_json::from_slice::<String>(quoted)
            .ok()
            .map(|id| RequestId::String(Arc::from(id)));
    }
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'-')
        .count();
    let whole = text
        .get(length)
        .is_none_or(|next| matches!(next, b',' | b'}') || next.is_ascii_whitespace());
    let digits = std::str::from_utf8(&text[..length]).ok()?;
    digits.parse().ok().filter(|_| whole).map(RequestId::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> Option<String> {
        repair(text.as_bytes()).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        assert_eq!(
            repaired(r#"{"a":"x\ud800y"}"#).as_deref(),
            Some(r#"{"a":"x\ufffdy"}"#)
        );
        assert_eq!(
            repaired(r#""\udc00\uD83D\uDE00\ud83d""#).as_deref(),
            Some(r#""\ufffd\uD83D\uDE00\ufffd""#)
        );
        for whole in [r#""\\ud800""#, r#""😀\uD83D\uDE00\n""#, "\"\\", "\\u12", ""] {
            assert_eq!(repaired(whole), None, "{whole}");
        }
        assert_eq!(
            repair(b"\"a\xffb\""),
            Some("\"a\u{fffd}b\"".as_bytes().to_vec())
        );
    }

    #[test]
    fn the_id_is_found_anywhere_at_the_top_level() {
        let number = |id| vec![RequestId::Number(id)];
        assert_eq!(
            request_ids(br#"{"jsonrpc":"2.0","id":7,"params":{"id":8,"n":1e999}}"#),
            number(7)
        );
        assert_eq!(
            request_ids(br#"{"params":{"id":1},"id" : -3 }"#),
            number(-3)
        );
        assert_eq!(
            request_ids(br#"{"id":"a\"b","x":NaN}"#),
            vec![RequestId::String("a\"b".into())]
        );
        assert_eq!(
            request_ids(br#"{"id":1,"method":"a"}{"id":2,"method":"b"}"#),
            vec![RequestId::Number(1), RequestId::Number(2)]
        );
        assert_eq!(request_ids(br#"{"id":5,"method":"tools/ca"#), number(5));
        for text in [
            r#"{"id":1,"result":NaN}"#,
            r#"{"id":1.5,"x":NaN}"#,
            r#"{"x":"id"}"#,
            "",
            "\"",
            "{\"id\"",
            "{\"id\":",
            "id:1",
        ] {
            assert!(request_ids(text.as_bytes()).is_empty(), "{text}");
        }
    }
}

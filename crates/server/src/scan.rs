//! Reads what can be read of a message that is not quite JSON.
//!
//! Programs do write lone surrogates, numbers beyond any range and nests without end, and they wait
//! for the answer. A text that merely holds an impossible character is repaired and goes on; for
//! the rest at least the id is found, so that the refusal reaches whoever waits for it.

use std::{borrow::Cow, sync::Arc};

use rmcp::model::RequestId;

/// More ids than this on one line are not answered one by one.
const MOST_IDS: usize = 16;

/// The bytes with every impossible character replaced by U+FFFD, or nothing when there is none.
pub(crate) fn repaired(bytes: &[u8]) -> Option<Vec<u8>> {
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

/// The length of the escape that begins here, and whether it is half of a pair whose other half is
/// missing.
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

/// The ids of the requests in this text: of each object at its top level that is no reply.
pub(crate) fn ids(text: &[u8]) -> Vec<RequestId> {
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
                let after = at + blanks(&text[at.min(text.len())..]);
                if depth == 1 && text.get(after) == Some(&b':') {
                    at = after + 1;
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
        if found.len() == MOST_IDS {
            return found;
        }
    }
    // What was cut off may still have said who waits.
    if depth > 0 && !is_reply {
        found.extend(id);
    }
    found
}

fn blanks(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// Where the string that begins at `from` ends: at its closing quote, or at the end of the text.
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
    let text = &text[blanks(text)..];
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

    fn mended(text: &str) -> Option<String> {
        repaired(text.as_bytes()).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn half_a_pair_becomes_the_replacement_character() {
        assert_eq!(
            mended(r#"{"a":"x\ud800y"}"#).as_deref(),
            Some(r#"{"a":"x\ufffdy"}"#)
        );
        assert_eq!(
            mended(r#""\udc00\uD83D\uDE00\ud83d""#).as_deref(),
            Some(r#""\ufffd\uD83D\uDE00\ufffd""#)
        );
        for whole in [r#""\\ud800""#, r#""😀\uD83D\uDE00\n""#, "\"\\", "\\u12", ""] {
            assert_eq!(mended(whole), None, "{whole}");
        }
        assert_eq!(
            repaired(b"\"a\xffb\""),
            Some("\"a\u{fffd}b\"".as_bytes().to_vec())
        );
    }

    #[test]
    fn the_id_is_found_wherever_it_stands_at_the_top() {
        let number = |id| vec![RequestId::Number(id)];
        assert_eq!(
            ids(br#"{"jsonrpc":"2.0","id":7,"params":{"id":8,"n":1e999}}"#),
            number(7)
        );
        assert_eq!(ids(br#"{"params":{"id":1},"id" : -3 }"#), number(-3));
        assert_eq!(
            ids(br#"{"id":"a\"b","x":NaN}"#),
            vec![RequestId::String("a\"b".into())]
        );
        assert_eq!(
            ids(br#"{"id":1,"method":"a"}{"id":2,"method":"b"}"#),
            vec![RequestId::Number(1), RequestId::Number(2)]
        );
        assert_eq!(ids(br#"{"id":5,"method":"tools/ca"#), number(5));
        for nobody in [
            r#"{"id":1,"result":NaN}"#,
            r#"{"id":1.5,"x":NaN}"#,
            r#"{"x":"id"}"#,
            "",
            "\"",
            "{\"id\"",
            "{\"id\":",
            "id:1",
        ] {
            assert!(ids(nobody.as_bytes()).is_empty(), "{nobody}");
        }
    }
}

//! Finds configured secrets by their exact value in every encoded form: unchanged, percent-encoded,
//! JSON-escaped (once or twice), HTML-escaped, and inside base64, alone or after `user:`.
//!
//! Patterns guess; this part knows. It therefore runs on every text, whatever the patterns find.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use url::form_urlencoded;

use super::base64;
use super::text::{Span, Text, is_base64_any};

/// The encoded forms of shorter secrets would match ordinary text.
const SHORTEST_DISGUISED: usize = 4;

#[derive(Clone)]
pub(super) struct Exact {
    automaton: AhoCorasick,
    /// Whether the form with this index is a part of base64 text, to be widened to the whole run.
    inside_base64: Vec<bool>,
}

impl Exact {
    /// `None` when no secret is configured, so that the common case costs nothing.
    pub(super) fn new<'s>(secrets: impl Iterator<Item = &'s str>) -> Option<Self> {
        let mut forms: Vec<(String, bool)> = Vec::new();
        for secret in secrets {
            let secret = secret.trim();
            if secret.chars().all(|c| c == '*') {
                continue;
            }
            add_forms(secret, &mut forms);
        }
        forms.retain(|(form, _)| !form.is_empty());
        forms.sort();
        forms.dedup_by(|left, right| left.0 == right.0);
        if forms.is_empty() {
            return None;
        }
        let automaton = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms.iter().map(|(form, _)| form))
            .ok()?;
        Some(Self {
            automaton,
            inside_base64: forms.iter().map(|(_, inside)| *inside).collect(),
        })
    }

    pub(super) fn find(&self, text: Text<'_>, spans: &mut Vec<Span>) {
        let mut done = 0;
        for found in self.automaton.find_iter(text.bytes) {
            if found.end() <= done {
                continue;
            }
            let mut span = found.span().range();
            if self.inside_base64[found.pattern().as_usize()] {
                span.start = text.run_back(span.start, span.start - done, is_base64_any);
                span.end = text.run(span.end, usize::MAX, is_base64_any);
            }
            done = span.end;
            spans.push(span);
        }
    }
}

fn add_forms(secret: &str, forms: &mut Vec<(String, bool)>) {
    forms.push((secret.to_owned(), false));
    if secret.chars().count() < SHORTEST_DISGUISED {
        return;
    }
    for encoded in percent_forms(secret) {
        forms.push((encoded.to_ascii_lowercase_hex(), false));
        forms.push((encoded, false));
    }
    for escaped in json_forms(secret) {
        forms.push((escaped, false));
    }
    forms.push((html_form(secret), false));
    for url_safe in [false, true] {
        for offset in 0..3 {
            let core = base64::core(secret.as_bytes(), offset, url_safe);
            if core.len() >= SHORTEST_DISGUISED {
                forms.push((core, true));
            }
        }
    }
}

/// Encoders differ in the characters that they escape, so there is one form for each kind of
/// encoder.
fn percent_forms(secret: &str) -> Vec<String> {
    let form: String = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let component = percent(secret, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte)
    });
    let unreserved = percent(secret, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
    });
    let path = percent(secret, |byte| {
        byte.is_ascii_graphic() && !b"\"#%<>?`{}".contains(&byte)
    });
    let user = percent(secret, |byte| {
        byte.is_ascii_graphic() && !b"\"#%<>?`{}/:;=@[\\]^|".contains(&byte)
    });
    let query = percent(secret, |byte| {
        byte.is_ascii_graphic() && !b"\"#<>'".contains(&byte)
    });
    let slashes = percent(secret, |byte| {
        byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte)
    });
    let everything = percent(secret, |byte| byte.is_ascii_alphanumeric());
    let twice = percent(&unreserved, |byte| byte != b'%');
    vec![
        form, component, unreserved, path, user, query, slashes, everything, twice,
    ]
}

fn percent(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if keep(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

trait LowercaseHex {
    fn to_ascii_lowercase_hex(&self) -> String;
}

impl LowercaseHex for String {
    /// Lowercases percent-escapes (`%2F` to `%2f`) and nothing else.
    fn to_ascii_lowercase_hex(&self) -> String {
        let mut out = String::with_capacity(self.len());
        let mut hex_left = 0;
        for c in self.chars() {
            out.push(if hex_left > 0 {
                c.to_ascii_lowercase()
            } else {
                c
            });
            hex_left = if c == '%' {
                2
            } else {
                usize::saturating_sub(hex_left, 1)
            };
        }
        out
    }
}

fn json_forms(secret: &str) -> Vec<String> {
    let once = json(secret);
    let slashes = once.replace('/', "\\/");
    let ascii = ascii_json(&once);
    let twice = json(&once);
    let single_quotes = secret.replace('\\', "\\\\").replace('\'', "\\'");
    vec![once, slashes, ascii, twice, single_quotes]
}

fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// JSON text in which everything beyond ASCII is escaped.
fn ascii_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

fn html_form(secret: &str) -> String {
    secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(secret: &str, text: &str) -> usize {
        let exact = Exact::new([secret].into_iter()).expect("one secret is configured");
        let mut spans = Vec::new();
        exact.find(Text::new(text), &mut spans);
        spans.len()
    }

    #[test]
    fn every_disguise_is_found() {
        let secret = "p&ss/w\"rd ü";
        for text in [
            "p&ss/w\"rd ü",
            "p%26ss%2Fw%22rd%20%C3%BC",
            "p%26ss%2fw%22rd+%c3%bc",
            "p&ss/w\\\"rd ü",
        ] {
            assert_eq!(found(secret, text), 1, "{text}");
        }
        assert_eq!(found(secret, "p&ss\\/w\\\"rd ü"), 1);
        assert_eq!(found(secret, "p&ss/w\\\"rd \\u00fc"), 1);
    }

    #[test]
    fn blank_and_starry_secrets_are_ignored() {
        assert!(Exact::new(["", "  ", "***"].into_iter()).is_none());
    }
}

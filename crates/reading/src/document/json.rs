//! JSON and JSON lines, as a code block.
//!
//! JSON is checked. It is given as it is if it has lines, indented if it is one long line, and with
//! a warning if it does not parse. No value is rewritten: numbers keep their digits and keys their
//! order.

use std::fmt::Write as _;

use serde::de::IgnoredAny;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::text::{fenced, with_decoded_text};
use super::{Document, Input};

impl DocumentKind {
    /// JSON.
    pub const JSON: DocumentKind = DocumentKind::named("json");
    /// One JSON value per line.
    pub const JSON_LINES: DocumentKind = DocumentKind::named("json-lines");
}

pub(super) static JSON: Format = Format {
    kind: DocumentKind::JSON,
    label: Some("JSON"),
    media_types: &[
        "application/json",
        "text/json",
        "application/x-json",
        "*+json",
    ],
    extensions: &["json", "geojson", "webmanifest"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_json,
};

pub(super) static JSON_LINES: Format = Format {
    kind: DocumentKind::JSON_LINES,
    label: None,
    media_types: &[
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/x-jsonlines",
    ],
    extensions: &["jsonl", "ndjson"],
    signature: Signature::None,
    needs_worker: false,
    is_text: true,
    read: read_json_lines,
};

/// A line of more bytes than this is easier to read indented.
const LONG_LINE: usize = 200;

pub(super) fn read_json(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let valid = serde_json::from_str::<IgnoredAny>(text).is_ok();
        let long = valid && text.lines().any(|line| line.len() > LONG_LINE);
        let shown = long
            .then(|| indented(text))
            .flatten()
            .unwrap_or_else(|| text.to_owned());
        let mut document = fenced(DocumentKind::JSON, "json", &shown, input);
        if !valid && !text.trim().is_empty() {
            document.warn(Warning::Malformed);
        }
        document
    }))
}

fn read_json_lines(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let valid = lines.all(|line| serde_json::from_str::<IgnoredAny>(line).is_ok());
        let mut document = fenced(DocumentKind::JSON_LINES, "json", text, input);
        if !valid {
            document.warn(Warning::Malformed);
        }
        document
    }))
}

/// JSON nested deeper than this is not indented: it would become mostly blanks, many times its
/// size.
const MAX_DEPTH: usize = 100;

/// Indents valid JSON character by character, so that no number or escape is rewritten. `None` for
/// JSON that is nested too deep.
fn indented(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len() + json.len() / 4);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut letters = json.chars().peekable();
    while let Some(letter) = letters.next() {
        if in_string {
            out.push(letter);
            in_string = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' => {
                in_string = true;
                out.push(letter);
            }
            '{' | '[' => {
                out.push(letter);
                while letters.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(close) = letters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else if depth < MAX_DEPTH {
                    depth += 1;
                    new_line(&mut out, depth);
                } else {
                    return None;
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            letter if letter.is_ascii_whitespace() => {}
            letter => out.push(letter),
        }
    }
    Some(out)
}

fn new_line(out: &mut String, depth: usize) {
    let _ = write!(out, "\n{:width$}", "", width = 2 * depth);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_without_rewriting_it() {
        assert_eq!(
            indented(r#"{"a":[1.0e2,{}],"b":"x,{\"}","c":[]}"#).as_deref(),
            Some("{\n  \"a\": [\n    1.0e2,\n    {}\n  ],\n  \"b\": \"x,{\\\"}\",\n  \"c\": []\n}")
        );
    }

    #[test]
    fn json_that_is_too_deep_is_not_indented() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(indented(&nested(MAX_DEPTH)).is_some());
        assert_eq!(indented(&nested(MAX_DEPTH + 1)), None);
    }
}

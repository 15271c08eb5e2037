//! Formats that are text already: JSON, YAML, source, Markdown, plain text, and pages of HTML.
//!
//! JSON is checked and given as it stands where it has lines, indented where it is one long line;
//! JSON that does not parse is given all the same, with a warning. Nothing here rewrites a value:
//! numbers keep their digits and keys their order.

use std::fmt::Write as _;

use super::error::{DocumentError, Warning};
use super::kind::language;
use super::{Document, Input, Kind};
use crate::extract;
use crate::extract::charset;

/// A line longer than this is easier to read indented.
const LONG_LINE: usize = 200;

pub(super) fn read_text(kind: Kind, input: &Input<'_>) -> Result<Document, DocumentError> {
    let decoded = charset::decode(input.bytes, input.hint.charset());
    let text = decoded.text.trim_start_matches('\u{FEFF}');
    let mut document = match kind {
        Kind::Html => html(text, input),
        Kind::Json => json(text, input),
        Kind::JsonLines => json_lines(text, input),
        Kind::Yaml => fenced(kind, "yaml", text, input),
        Kind::Source => {
            let name = input.hint.name().unwrap_or_default();
            fenced(
                kind,
                language(&name)
                    .or_else(|| declared_language(input))
                    .unwrap_or_default(),
                text,
                input,
            )
        }
        _ => as_it_stands(kind, text, input),
    };
    if decoded.lossy {
        document.warn(Warning::Lossy);
    }
    Ok(document)
}

fn declared_language(input: &Input<'_>) -> Option<&'static str> {
    let declared = input
        .hint
        .media_type
        .as_deref()?
        .split(';')
        .next()?
        .trim()
        .to_ascii_lowercase();
    Some(match declared.rsplit('/').next()? {
        "javascript" | "x-javascript" => "javascript",
        "css" => "css",
        "sql" => "sql",
        "toml" => "toml",
        "x-sh" => "sh",
        "x-python" => "python",
        "x-rust" => "rust",
        "x-c" => "c",
        "graphql" => "graphql",
        _ => return None,
    })
}

fn as_it_stands(kind: Kind, text: &str, input: &Input<'_>) -> Document {
    let mut markdown = input.markdown();
    markdown.block(&text.replace("\r\n", "\n").replace('\0', ""));
    let mut document = Document::new(kind, markdown);
    if kind == Kind::Markdown {
        let heading = text
            .lines()
            .take(50)
            .find_map(|line| line.strip_prefix("# "));
        document.title = heading.and_then(super::present);
    }
    document
}

fn fenced(kind: Kind, language: &str, text: &str, input: &Input<'_>) -> Document {
    let mut markdown = input.markdown();
    if !text.trim().is_empty() {
        markdown.code(language, &text.replace("\r\n", "\n"));
    }
    Document::new(kind, markdown)
}

fn json(text: &str, input: &Input<'_>) -> Document {
    let valid = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let long = valid && text.lines().any(|line| line.len() > LONG_LINE);
    let shown = long
        .then(|| indented(text))
        .flatten()
        .unwrap_or_else(|| text.to_owned());
    let mut document = fenced(Kind::Json, "json", &shown, input);
    if !valid && !text.trim().is_empty() {
        document.warn(Warning::Malformed);
    }
    document
}

fn json_lines(text: &str, input: &Input<'_>) -> Document {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let valid = lines.all(|line| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok());
    let mut document = fenced(Kind::JsonLines, "json", text, input);
    if !valid {
        document.warn(Warning::Malformed);
    }
    document
}

/// Nobody nests data deeper than this; what does would become mostly blanks, many times its size.
const DEEPEST: usize = 100;

/// Indents valid JSON by its own characters, so that no number or escape is rewritten. Nothing for
/// JSON that is too deep for it.
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
                if letters
                    .peek()
                    .is_some_and(|next| !matches!(next, '}' | ']'))
                {
                    depth += 1;
                    if depth > DEEPEST {
                        return None;
                    }
                    new_line(&mut out, depth);
                } else if let Some(close) = letters.next() {
                    out.push(close);
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

fn html(text: &str, input: &Input<'_>) -> Document {
    let page = extract::markdown(text, input.hint.url.as_deref().unwrap_or("about:blank"));
    let mut markdown = input.markdown();
    markdown.block(&page.markdown);
    let mut document = Document::new(Kind::Html, markdown);
    document.title = page.metadata.title;
    document.author = page.metadata.author;
    document.date = page.metadata.published;
    document.language = page.metadata.language;
    document
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
        assert!(indented(&nested(DEEPEST)).is_some());
        assert_eq!(indented(&nested(DEEPEST + 1)), None);
    }
}

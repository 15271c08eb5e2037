//! Secrets in a map whose name says so: `secrets: {db: …, cache: …}`, or the indented lines below
//! `credentials:`. The names inside say nothing, so each value must look like a password or a
//! generated key.

use super::extent::{self, Style};
use super::text::{Span, Text, is_space, is_word};
use super::value;

/// How much of a map is read, in bytes.
const LONGEST_MAP: usize = 600;

pub(super) fn is_collection(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [
        "secrets",
        "credentials",
        "passwords",
        "creds",
        "secretstrings",
        "stringdata",
    ]
    .iter()
    .any(|word| lower.ends_with(word))
}

/// Masks the values of the map that starts at `at`.
pub(super) fn values(text: Text<'_>, name_start: usize, at: usize, spans: &mut Vec<Span>) {
    let end = match text.at(at) {
        b'{' => text.run(at + 1, LONGEST_MAP, |byte| !matches!(byte, b'}')),
        b'\n' | b'\r' => block_end(text, name_start, at),
        _ => return,
    };
    let mut index = at;
    while index < end {
        index = text.run(index, end - index, |byte| !matches!(byte, b':' | b'='));
        if index >= end {
            return;
        }
        let start = text.run(index + 1, 8, |byte| matches!(byte, b' ' | b'\t' | b'>'));
        let value = extent::quoted(text, start)
            .unwrap_or_else(|| extent::bare(text, start, Style::Field, false));
        if value.span.end <= end + 1
            && is_word(text.before(index)) | matches!(text.before(index), b'"' | b'\'' | b' ')
        {
            spans.extend(counts(text, value.span.clone()));
        }
        index = value.span.end.max(index + 1);
    }
}

fn counts(text: Text<'_>, span: Span) -> Option<Span> {
    let shown = text.slice(span.clone());
    let looks = shown.len() >= 6 && value::is_password_like(shown) || value::is_key_like(shown, 12);
    (looks
        && !value::is_uuid(shown)
        && !value::is_placeholder(shown)
        && !value::is_code(shown)
        && !value::is_assignment(shown))
    .then_some(span)
}

/// The end of the lines below the name that are indented deeper than it.
fn block_end(text: Text<'_>, name_start: usize, at: usize) -> usize {
    let Some(line) = text.line_start(name_start, 64) else {
        return at;
    };
    let indent = text.run(line, 64, is_space) - line;
    let stop = text.len().min(at + LONGEST_MAP);
    let mut end = at;
    while end < stop {
        let start = text.run(end, 2, |byte| matches!(byte, b'\r' | b'\n'));
        let word = text.run(start, 64, |byte| matches!(byte, b' ' | b'\t'));
        if start == end || word - start <= indent {
            break;
        }
        end = text.run(word, stop - word.min(stop), |byte| {
            !matches!(byte, b'\r' | b'\n')
        });
    }
    end
}

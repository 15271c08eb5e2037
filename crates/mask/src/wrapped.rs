//! Secrets that go on in the next line: a token that a mail program or a terminal wrapped.

use super::text::{Span, Text, is_base64_any, is_blank, is_hex};
use super::value;

/// Shorter lines are not wrapped.
const SHORTEST_LINE: usize = 40;

/// More lines than any wrapped token has.
const MOST_LINES: usize = 64;

/// Adds the lines that go on with a secret whose line it fills to its end.
pub(super) fn find(text: Text<'_>, spans: &mut Vec<Span>) {
    for index in 0..spans.len() {
        let mut span = spans[index].clone();
        for _ in 0..MOST_LINES {
            let Some(next) = next_of_list(text, &span).or_else(|| continuation(text, &span)) else {
                break;
            };
            spans.push(next.clone());
            span = next;
        }
    }
}

/// The next key of a list: `APP_KEYS=…,…`. It must be as long as the one before it.
fn next_of_list(text: Text<'_>, span: &Span) -> Option<Span> {
    let padded = text.run(span.end, 2, |byte| byte == b'=');
    let start = padded + 1;
    let end = text.run(start, value::EXAMINED, is_part);
    let alike = end - start.min(end) == padded - span.start;
    (text.at(padded) == b',' && alike && value::is_key_like(text.slice(start..end), 16))
        .then_some(start..end)
}

/// The next line, if it holds nothing but more of the same. A mark may say that the line goes on: a
/// backslash, the equals sign of mail, a plus between two texts.
fn continuation(text: Text<'_>, span: &Span) -> Option<Span> {
    let mut end = span.end;
    let marked = matches!(text.before(end), b'\\' | b'=') || matches!(text.at(end), b'\\' | b'=');
    end += usize::from(matches!(text.at(end), b'\\' | b'='));
    let quote = Some(text.at(end)).filter(|byte| matches!(byte, b'"' | b'\''));
    if quote.is_some() {
        end = text.run(end + 1, 4, |byte| {
            is_blank(byte) || matches!(byte, b'+' | b'.' | b'\\')
        });
    }
    let line = text.run_back(span.end, SHORTEST_LINE, is_part);
    let below = text.run(end, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let filled = span.end - line >= SHORTEST_LINE && quote.is_none();
    if below == end || !filled && !marked && quote.is_none() {
        return None;
    }
    let below = past_offset(text, below);
    let indented = text.run(below, 40, |byte| {
        is_blank(byte) || matches!(byte, b'>' | b'+' | b'.')
    });
    let start = match quote {
        Some(quote) if text.at(indented) == quote => indented + 1,
        Some(_) => return None,
        None => indented,
    };
    let end = text.run(start, value::EXAMINED, is_part);
    // After the mark of mail, the text goes on behind the value.
    let mail = (text.at(span.end) == b'=' || text.before(span.end) == b'=')
        && text
            .slice(span.start.saturating_sub(80)..span.end)
            .contains("=3D");
    let alone = match quote {
        Some(quote) => text.at(end) == quote,
        None => {
            matches!(text.at(end), b'\n' | b'\r' | b'"' | b'\'' | b'\\' | 0)
                || mail && is_blank(text.at(end))
        }
    };
    let shown = text.slice(start..end).trim_end_matches('=');
    (alone && value::is_key_like(shown, 12)).then(|| start..start + shown.len())
}

/// Skips the offset before each line of a dump: `009b: …`.
fn past_offset(text: Text<'_>, at: usize) -> usize {
    let end = text.run(at, 8, is_hex);
    if end - at >= 4 && text.starts_with(end, ": ") {
        end + 2
    } else {
        at
    }
}

fn is_part(byte: u8) -> bool {
    is_base64_any(byte) || byte == b'.'
}

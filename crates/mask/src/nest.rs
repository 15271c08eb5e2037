//! Secrets in a map whose name says so: `secrets: {db: …, cache: …}`, or the indented lines below
//! `credentials:`. The names inside say nothing, so each value must look like a password or a
//! generated key.

use super::extent::{self, Style};
use super::header;
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
        "bearer",
        "http-basic",
        "github-oauth",
        "gitlab-token",
        "tokens",
        "secret",
        "password",
        "securitykeys",
    ]
    .iter()
    .any(|word| lower.ends_with(word))
}

/// Masks the values of the map that starts at `at`.
pub(super) fn values(text: Text<'_>, name_start: usize, at: usize, spans: &mut Vec<Span>) {
    let end = map_end(text, name_start, at);
    let tokens = text.bytes[name_start..at]
        .windows(6)
        .any(|it| it.eq_ignore_ascii_case(b"tokens"));
    // The description of a field, and not its value.
    let described = ["type", "description", "minLength", "required"];
    if described
        .iter()
        .any(|word| text.slice(at..end).contains(word))
    {
        return;
    }
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
            let uuid = tokens && value::is_uuid(text.slice(value.span.clone()));
            spans.extend(counts(text, value.span.clone()).or(uuid.then(|| value.span.clone())));
        }
        index = value.span.end.max(index + 1);
    }
}

/// Whether a list of several texts or objects starts here.
pub(super) fn is_list(text: Text<'_>, at: usize) -> bool {
    let item = text.run(at + 1, 8, is_space);
    text.at(at) == b'[' && matches!(text.at(item), b'"' | b'\'' | b'{' | b'\\')
}

/// Masks the cookies of a list: `['sid=…; Path=/', 'lang=en']`, `[{"name": "sid", "value": "…"}]`.
pub(super) fn cookies(text: Text<'_>, at: usize, spans: &mut Vec<Span>) {
    let end = text.run(at, 16 * value::EXAMINED, |byte| byte != b']');
    let mut index = at + 1;
    while index < end {
        let Some(item) = extent::quoted(text, index) else {
            index += 1;
            continue;
        };
        let shown = text.slice(item.span.clone());
        if shown.contains('=') {
            header::cookies(text, item.span.start, item.span.end, spans);
        } else if text
            .slice(index.saturating_sub(10)..index)
            .contains("value")
            && header::is_cookie_secret(shown)
        {
            spans.push(item.span.clone());
        }
        index = item.span.end + 1;
    }
}

/// Masks the cookies of an object: `{"sid": "…", "lang": "en"}`, `{"name": "sid", "value": "…"}`.
pub(super) fn cookie_object(text: Text<'_>, at: usize, spans: &mut Vec<Span>) {
    let end = text.run(at, 8 * value::EXAMINED, |byte| byte != b'}');
    let mut index = at + 1;
    while index < end {
        index = text.run(index, end - index, |byte| !matches!(byte, b':' | b'='));
        let from = text.run(index + 1, 4, is_space);
        match extent::quoted(text, from) {
            Some(item) if item.span.end <= end => {
                let shown = text.slice(item.span.clone());
                if value::is_key_like(shown, 16) && header::is_cookie_secret(shown) {
                    spans.push(item.span.clone());
                }
                index = item.span.end + 1;
            }
            _ => index += 1,
        }
    }
}

/// Masks the data of a Kubernetes secret, found at its kind: every value there is one, whatever its
/// name. The data may stand before or after the kind.
pub(super) fn secret_object(text: Text<'_>, kind: Span, spans: &mut Vec<Span>) {
    let start = kind.start.saturating_sub(LONGEST_OBJECT);
    let end = text.len().min(kind.end + LONGEST_OBJECT);
    let near = text.widened(start..end);
    let shown = text.slice(near.clone());
    for name in ["data:", "stringData:", "\"data\":", "\"stringData\":"] {
        for (at, _) in shown.match_indices(name) {
            let from = near.start + at;
            let lone = !is_word(text.before(from)) && text.before(from) != b'-';
            let open = text.run(from + name.len(), 4, |byte| matches!(byte, b' ' | b'\t'));
            if lone && matches!(text.at(open), b'{' | b'\n' | b'\r') {
                data(text, from, open, spans);
            }
        }
    }
}

/// How far from its kind the data of an object is searched, in bytes.
pub(super) const LONGEST_OBJECT: usize = 2000;

fn data(text: Text<'_>, name: usize, at: usize, spans: &mut Vec<Span>) {
    let end = map_end(text, name, at);
    let mut index = at;
    while index < end {
        index = text.run(index, end - index, |byte| byte != b':') + 1;
        let start = text.run(index, 8, |byte| matches!(byte, b' ' | b'\t'));
        let value = extent::quoted(text, start)
            .unwrap_or_else(|| extent::bare(text, start, Style::Field, true));
        let shown = text.slice(value.span.clone());
        if index < end && shown.len() >= 8 && !value::is_placeholder(shown) {
            spans.push(value.span.clone());
        }
        index = value.span.end.max(index);
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

fn map_end(text: Text<'_>, name_start: usize, at: usize) -> usize {
    match text.at(at) {
        b'{' => text.run(at + 1, LONGEST_MAP, |byte| !matches!(byte, b'}')),
        b'\n' | b'\r' => block_end(text, name_start, at),
        _ => at,
    }
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

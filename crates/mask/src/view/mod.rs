//! Texts inside texts: JSON in a log line, HTML-escaped JSON, form fields, colour codes between a
//! name and its value. One layer of escaping is undone at a time, with the position of every byte
//! kept, and the recognisers read the result as if it had been written plainly.
//!
//! Only the surroundings of names that have an escape nearby are undone, so ordinary text costs
//! nothing.

mod layer;
mod windows;

use std::collections::HashSet;

use self::layer::Layer;
pub(super) use self::windows::{EscapedParts, Windows};
use super::escape::{Plus, Style, escape};
use super::text::{Span, Text};
use super::value;

/// Layers that are undone: JSON in JSON with escaped colours is as deep as real logs go.
const DEEPEST: usize = 4;

/// Reads the windows with their escapes undone; `find` looks for secrets in each layer. What was
/// found before with escapes in it stays if a layer confirms it, or if it looks like a secret
/// without them: escapes make words look generated.
pub(super) fn look(
    text: Text<'_>,
    windows: &Windows<'_>,
    find: impl Fn(Text<'_>, &EscapedParts, &mut Vec<Span>),
    spans: &mut Vec<Span>,
) {
    let mut seen = Vec::new();
    for window in &windows.spans {
        let window = text.widened(window.clone());
        read_layers(text, &window, &find, &mut seen);
    }
    let confirmed = joined(&mut seen);
    let sure: HashSet<&Span> = windows.sure.iter().collect();
    spans.retain(|span| {
        !is_inside(&windows.spans, span)
            || !is_escaped(text, span)
            || is_delimited(text, span)
            || sure.contains(span)
            || touches(&confirmed, span)
    });
    spans.append(&mut seen);
}

/// Whether marks that are not escaped say where a value starts and ends, so that the escapes are a
/// part of it: `"…"`, `>…<`, `&name=…&`. A parameter must look generated without them, too.
fn is_delimited(text: Text<'_>, span: &Span) -> bool {
    match (text.before(span.start), text.at(span.end)) {
        (b'"' | b'\'', _) | (b'>', b'<') => true,
        (b'=', b'&' | b';' | b' ' | b'\n' | b'\r' | b'"' | 0) => {
            looks_generated(text, span) || value::is_joined_words(text.slice(span.clone()))
        }
        _ => false,
    }
}

/// Looks for secrets in each layer of a window.
fn read_layers(
    text: Text<'_>,
    window: &Span,
    find: &impl Fn(Text<'_>, &EscapedParts, &mut Vec<Span>),
    seen: &mut Vec<Span>,
) {
    let mut layer = Layer::plain(text.slice(window.clone()), window.start);
    for _ in 0..DEEPEST {
        let style = Style::of(layer.text.as_bytes());
        let mut last = None;
        for form in style.form.readings() {
            let Some(undone) = layer.undone(form, style) else {
                continue;
            };
            let mut found = Vec::new();
            let parts = undone.undone_parts();
            find(Text::new(&undone.text), &parts, &mut found);
            if let Some(lines) = undone.with_quoted_lines() {
                find(Text::new(&lines), &parts, &mut found);
            }
            seen.extend(found.into_iter().filter_map(|span| undone.original(span)));
            last = Some(undone);
        }
        match last {
            Some(undone) => layer = undone,
            None => break,
        }
    }
}

/// What a name and the joint after it may take. A window that begins there has lost the name of
/// the value it begins with, so it cannot say that the value is none.
const NAME_ROOM: usize = 160;

/// Whether one of these windows, which do not overlap, holds the span with its name.
fn is_inside(windows: &[Span], span: &Span) -> bool {
    let next = windows.partition_point(|window| window.start <= span.start);
    let window = next.checked_sub(1).and_then(|last| windows.get(last));
    window.is_some_and(|window| {
        let has_name = window.start == 0 || span.start >= window.start + NAME_ROOM;
        has_name && span.end <= window.end
    })
}

/// The same places without overlaps, in order.
fn joined(spans: &mut [Span]) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| span.start);
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => joined.push(span.clone()),
        }
    }
    joined
}

/// Whether the span overlaps one of these, which are in order and do not overlap.
fn touches(others: &[Span], span: &Span) -> bool {
    let at = others.partition_point(|other| other.end <= span.start);
    others.get(at).is_some_and(|other| other.start < span.end)
}

/// Whether a span contains or touches an escape, or words that a form joins by plus signs.
fn is_escaped(text: Text<'_>, span: &Span) -> bool {
    let plain = Style {
        form: Plus::Itself,
        mail: false,
    };
    let mut around = span.start.saturating_sub(1)..text.len().min(span.end + 1);
    let shown = text.slice(span.clone());
    let word = |word: &str| word.chars().all(char::is_alphabetic);
    around.any(|at| escape(&text.bytes[at..], false, plain).is_some())
        || shown.contains('+') && shown.split('+').all(word)
}

/// Whether a span looks generated once its escapes are undone.
fn looks_generated(text: Text<'_>, span: &Span) -> bool {
    let mut layer = Layer::plain(text.slice(span.clone()), span.start);
    for _ in 0..DEEPEST {
        let style = Style::of(layer.text.as_bytes());
        match layer.undone(false, style) {
            Some(undone) => layer = undone,
            None => break,
        }
    }
    let told = |c: char| c.is_whitespace() || c == '"' || c == '\'';
    let has = |class: fn(&u8) -> bool| layer.text.as_bytes().iter().any(class);
    let mixed = layer.text.len() >= 8
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_punctuation);
    !layer.text.contains(told) && (mixed || value::is_drawn(&layer.text))
}

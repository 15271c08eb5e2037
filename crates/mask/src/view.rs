//! Texts inside texts: JSON in a log line, HTML-escaped JSON, form fields, colour codes between a
//! name and its value. One layer of escaping is undone at a time, with the position of every byte
//! kept, and the recognisers read the result as if it had been written plainly.
//!
//! Only the surroundings of names that have an escape nearby are undone, so ordinary text costs
//! nothing.

use std::collections::HashSet;

use memchr::{memchr, memchr3};

use super::escape::{Plus, Style, escape};
use super::text::{Span, Text, is_space, spend};

/// Layers that are undone: JSON in JSON with escaped colours is as deep as real logs go.
const DEEPEST: usize = 4;

/// How far an escape may be from a name to matter, in bytes.
const NEAR_BEFORE: usize = 32;
const NEAR_AFTER: usize = 72;

/// How much text around a name is undone, in bytes.
const BEFORE: usize = 512;
const AFTER: usize = 640;
/// How much further the end of a long value is searched.
const LONGEST_VALUE: usize = 4096;

/// Parts of a text in which escapes are near names, in order and without overlap.
#[derive(Debug)]
pub(super) struct Windows<'p> {
    spans: Vec<Span>,
    /// Which parts of the text have escapes at all.
    parts: &'p EscapedParts,
    /// What was found by its place and not by its looks.
    pub(super) sure: Vec<Span>,
    /// Where no escape was found; names are often close to each other.
    plain_until: usize,
}

impl<'p> Windows<'p> {
    pub(super) const fn new(parts: &'p EscapedParts) -> Self {
        Self {
            spans: Vec::new(),
            parts,
            sure: Vec::new(),
            plain_until: 0,
        }
    }

    /// Adds the windows of the next part of the text.
    pub(super) fn append(&mut self, next: Self) {
        for span in next.spans {
            self.push(span);
        }
        self.sure.extend(next.sure);
    }

    /// Adds a window that begins after all others, though it may touch the last.
    fn push(&mut self, span: Span) {
        match self.spans.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => self.spans.push(span),
        }
    }

    /// Adds the surroundings of a name if there is an escape near it.
    pub(super) fn note(&mut self, text: Text<'_>, name: &Span) {
        let near_end = text.len().min(name.end + NEAR_AFTER);
        let spaced = text.before(name.start) == b'+' || text.at(name.end) == b'+';
        let near = name.start.saturating_sub(NEAR_BEFORE)..near_end;
        if !spaced && !self.parts.any(near) {
            return;
        }
        let covered = self.spans.last().is_some_and(|last| near_end <= last.end);
        if covered {
            return;
        }
        let near_start = name.start.saturating_sub(NEAR_BEFORE).max(self.plain_until);
        if spaced || has_escape(&text.bytes[near_start.min(near_end)..near_end]) {
            self.add(text, name);
        } else {
            // The last byte may be the first of an escape.
            self.plain_until = near_end.saturating_sub(1);
        }
    }

    /// Adds the surroundings of what is itself an escape.
    pub(super) fn add(&mut self, text: Text<'_>, name: &Span) {
        let end = text.len().min(name.end + AFTER);
        let end = text.run(end, LONGEST_VALUE, |byte| {
            !is_space(byte) && !matches!(byte, b'"' | b'\'' | b'<')
        });
        self.push(name.start.saturating_sub(BEFORE)..end);
    }
}

/// Which parts of a text have a character that starts an escape: most have none, and names there
/// need no second look.
#[derive(Debug)]
pub(super) struct EscapedParts(Vec<bool>);

impl EscapedParts {
    const SIZE: usize = 256;

    pub(super) fn of(text: Text<'_>) -> Self {
        let mut parts = Self(vec![false; text.len().div_ceil(Self::SIZE)]);
        let mut at = 0;
        while let Some(found) = memchr3(b'\\', b'%', 0x1b, &text.bytes[at.min(text.len())..]) {
            at = parts.mark(at + found);
        }
        at = 0;
        while let Some(found) = memchr(b'&', &text.bytes[at.min(text.len())..]) {
            at += found;
            // `&amp;` hides no mark.
            at = match hides_mark(text.at(at + 1)) {
                0 => at + 1,
                _ => parts.mark(at),
            };
        }
        parts
    }

    /// Notes that there is an escape at an index. Returns where the next part starts.
    fn mark(&mut self, index: usize) -> usize {
        let part = index / Self::SIZE;
        self.0[part] = true;
        (part + 1) * Self::SIZE
    }

    /// For a text whose escapes are not looked at.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether one of the parts that a span touches has one.
    fn any(&self, span: Span) -> bool {
        let last = self.0.len().min(span.end / Self::SIZE + 1);
        let first = (span.start / Self::SIZE).min(last);
        self.0[first..last].contains(&true)
    }
}

/// Whether a reference to a character goes on like that of a mark: `&#34;`, `&quot;`, `&lt;`, `&gt;`.
fn hides_mark(next: u8) -> u8 {
    u8::from(next == b'#')
        | u8::from(next == b'q')
        | u8::from(next == b'l')
        | u8::from(next == b'g')
}

/// Whether escapes occur that the recognisers do not read as they are. Without branches, so that
/// the compiler compares many bytes at once.
fn has_escape(near: &[u8]) -> bool {
    let next = near.get(1..).unwrap_or_default();
    near.iter().zip(next).fold(0u8, |any, (byte, next)| {
        let digit = u8::from(*next >= b'0') & u8::from(*next <= b'f');
        any | u8::from(*byte == b'\\')
            | u8::from(*byte == 0x1b)
            | u8::from(*byte == b'&') & hides_mark(*next)
            | u8::from(*byte == b'%') & digit
    }) != 0
}

/// Reads the windows with their escapes undone; `find` looks for secrets in each layer. What was
/// found before with escapes in it stays only if a layer confirms it, because escapes make words
/// look generated.
pub(super) fn look(
    text: Text<'_>,
    windows: &Windows<'_>,
    find: impl Fn(Text<'_>, &mut Vec<Span>),
    spans: &mut Vec<Span>,
) {
    let (mut seen, mut undone) = (Vec::new(), Vec::new());
    for window in &windows.spans {
        let window = text.widened(window.clone());
        if read_layers(text, &window, &find, &mut seen) {
            undone.push(window);
        }
    }
    let confirmed = joined(&mut seen);
    let sure: HashSet<&Span> = windows.sure.iter().collect();
    spans.retain(|span| {
        let mark = text.before(span.start);
        let element = mark == b'>' && text.at(span.end) == b'<';
        let quoted = matches!(mark, b'"' | b'\'') || element;
        !is_inside(&undone, span)
            || quoted
            || sure.contains(span)
            || !is_escaped(text, span)
            || touches(&confirmed, span)
    });
    spans.append(&mut seen);
}

/// Looks for secrets in each layer of a window, and returns whether there were escapes to undo.
fn read_layers(
    text: Text<'_>,
    window: &Span,
    find: &impl Fn(Text<'_>, &mut Vec<Span>),
    seen: &mut Vec<Span>,
) -> bool {
    let mut layer = Layer::plain(text.slice(window.clone()), window.start);
    for _ in 0..DEEPEST {
        let style = Style::of(layer.text.as_bytes());
        let mut last = None;
        for form in style.form.readings() {
            let Some(undone) = layer.undone(form, style) else {
                continue;
            };
            let mut found = Vec::new();
            find(Text::new(&undone.text), &mut found);
            if let Some(lines) = undone.with_quoted_lines() {
                find(Text::new(&lines), &mut found);
            }
            seen.extend(found.into_iter().filter_map(|span| undone.original(span)));
            last = Some(undone);
        }
        match last {
            Some(undone) => layer = undone,
            None => break,
        }
    }
    !layer.is_plain
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

/// Whether a span contains or touches an escape.
fn is_escaped(text: Text<'_>, span: &Span) -> bool {
    let plain = Style {
        form: Plus::Itself,
        mail: false,
    };
    let mut around = span.start.saturating_sub(1)..text.len().min(span.end + 1);
    around.any(|at| escape(&text.bytes[at..], false, plain).is_some())
        || text.bytes[span.clone()].contains(&b'+')
}

/// A part of the text with some layers of escaping undone.
struct Layer {
    text: String,
    /// Where each byte comes from.
    sources: Vec<Span>,
    is_plain: bool,
}

impl Layer {
    fn plain(text: &str, start: usize) -> Self {
        Self {
            text: text.to_owned(),
            sources: (start..start + text.len()).map(|at| at..at + 1).collect(),
            is_plain: true,
        }
    }

    /// The part of the original text that a part of this layer stands for.
    fn original(&self, span: Span) -> Option<Span> {
        let last = span.end.checked_sub(1)?;
        Some(self.sources.get(span.start)?.start..self.sources.get(last)?.end)
    }

    /// The text with a line end in the place of each quotation mark that was not escaped, because
    /// the text between two of them has lines of its own: `{"log":"# token\n…"}`. `None` if it has
    /// not.
    fn with_quoted_lines(&self) -> Option<String> {
        if !self.text.contains('\n') || !self.text.contains('"') {
            return None;
        }
        let plain = |at: usize| self.sources.get(at).is_some_and(|source| source.len() == 1);
        let lines = self.text.char_indices().map(|(at, c)| match c {
            '"' if plain(at) => '\n',
            c => c,
        });
        Some(lines.collect())
    }

    /// With one more layer undone; `None` if there is none.
    fn undone(&self, plus_is_space: bool, style: Style) -> Option<Self> {
        let bytes = self.text.as_bytes();
        spend(bytes.len());
        let mut text = String::with_capacity(bytes.len());
        let mut sources = Vec::with_capacity(bytes.len());
        let mut at = 0;
        let mut changed = false;
        while at < bytes.len() {
            let (length, meaning) = match escape(&bytes[at..], plus_is_space, style) {
                Some(escape) => {
                    changed = true;
                    escape
                }
                None => {
                    let c = self.text[at..].chars().next()?;
                    (c.len_utf8(), Some(c))
                }
            };
            if let Some(c) = meaning {
                text.push(c);
                let source = self.sources[at].start..self.sources[at + length - 1].end;
                sources.resize(text.len(), source);
            }
            at += length;
        }
        changed.then_some(Self {
            text,
            sources,
            is_plain: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(text: &str) -> String {
        let style = Style::of(text.as_bytes());
        let plus_is_space = style.form.readings().last() == Some(true);
        let layer = Layer::plain(text, 0).undone(plus_is_space, style);
        layer.map_or_else(|| "nothing".to_owned(), |layer| layer.text)
    }

    #[test]
    fn each_kind_of_escape_is_undone() {
        for (escaped, plain) in [
            ("\u{1b}[1;36mkey\u{1b}[0m=x", "key=x"),
            ("^[[32mkey^[[m=x", "key=x"),
            ("\u{1b}]0;title\u{7}key", "key"),
            ("\\\"key\\\":\\u0022x\\x22", "\"key\":\"x\""),
            ("a\\nb\\/c", "a\nb/c"),
            ("&quot;key&#34;&#x3D;&#39;x", "\"key\"='x"),
            ("key%3Da+b%26", "key=a b&"),
            ("key=3Dx=\ny", "key=xy"),
            ("\\033[1mkey", "\u{1b}[1mkey"),
            ("C:\\dir & 50% + é", "nothing"),
            ("\\u+041 &#+65; \\x+1", "nothing"),
        ] {
            assert_eq!(undone(escaped), plain, "{escaped:?}");
        }
    }

    #[test]
    fn positions_lead_back_to_the_original() {
        let text = "é \\u006bey=&quot;x&quot;";
        let layer = Layer::plain(text, 0)
            .undone(false, Style::of(text.as_bytes()))
            .expect("there are escapes");
        let at = layer.text.find("\"x\"").expect("it is undone");
        let span = layer.original(at..at + 3).expect("it has a source");
        assert_eq!(&text[span], "&quot;x&quot;");
    }
}

//! Where escapes must be undone to see more: around names that have an escape nearby.

use memchr::{memchr, memchr3};

use crate::escape::hides_ascii;
use crate::text::{Span, Text, is_space};

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
pub(crate) struct Windows<'p> {
    pub(super) spans: Vec<Span>,
    /// Which parts of the text have escapes at all.
    parts: &'p EscapedParts,
    /// What was found by its place and not by its looks.
    pub(crate) sure: Vec<Span>,
}

impl<'p> Windows<'p> {
    pub(crate) const fn new(parts: &'p EscapedParts) -> Self {
        Self {
            spans: Vec::new(),
            parts,
            sure: Vec::new(),
        }
    }

    /// Whether no part of the text must be read with its escapes undone.
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Adds the windows of the next part of the text.
    pub(crate) fn append(&mut self, next: Self) {
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
    #[inline]
    pub(crate) fn note(&mut self, text: Text<'_>, name: &Span) {
        let near = name.start.saturating_sub(NEAR_BEFORE)..name.end + NEAR_AFTER;
        let spaced = || text.before(name.start) == b'+' || text.at(name.end) == b'+';
        if self.parts.any(near) || spaced() {
            self.add(text, name);
        }
    }

    /// Adds the surroundings of what is itself an escape.
    pub(crate) fn add(&mut self, text: Text<'_>, name: &Span) {
        let covered = self
            .spans
            .last()
            .is_some_and(|last| name.end + AFTER <= last.end);
        if covered {
            return;
        }
        let end = text.len().min(name.end + AFTER);
        let end = text.run(end, LONGEST_VALUE, |byte| {
            !is_space(byte) && !matches!(byte, b'"' | b'\'' | b'<')
        });
        self.push(name.start.saturating_sub(BEFORE)..end);
    }
}

/// Which parts of a text have an escape that hides an ASCII character or a colour: most have none,
/// and names there need no second look. Dashes and the letters of other scripts hide no joint.
#[derive(Debug)]
pub(crate) struct EscapedParts(Vec<bool>);

impl EscapedParts {
    const SIZE: usize = 32;

    pub(crate) fn of(text: Text<'_>) -> Self {
        let mut parts = Self(Vec::new());
        parts.mark_all(text, |rest| memchr3(b'\\', b'%', 0x1b, rest));
        parts.mark_all(text, |rest| memchr(b'&', rest));
        parts
    }

    fn mark_all(&mut self, text: Text<'_>, next: impl Fn(&[u8]) -> Option<usize>) {
        let mut at = 0;
        while let Some(found) = next(&text.bytes[at.min(text.len())..]) {
            at += found;
            at = match hides_ascii(&text.bytes[at..]) {
                true => self.mark(text.len(), at),
                false => at + 1,
            };
        }
    }

    /// Notes that there is an escape at an index. Returns where the next part starts.
    pub(super) fn mark(&mut self, length: usize, index: usize) -> usize {
        if self.0.is_empty() {
            self.0 = vec![false; length.div_ceil(Self::SIZE)];
        }
        let part = index / Self::SIZE;
        self.0[part] = true;
        (part + 1) * Self::SIZE
    }

    /// For a text whose escapes are not looked at.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// The parts of a text of this length from which an escape is at most `before` bytes back or
    /// `after` bytes ahead, in order and without overlap.
    pub(crate) fn reach(&self, before: usize, after: usize, length: usize) -> Vec<Span> {
        let mut reach: Vec<Span> = Vec::new();
        for (part, _) in self.0.iter().enumerate().filter(|(_, marked)| **marked) {
            let at = part * Self::SIZE;
            let start = at.saturating_sub(after);
            let end = length.min(at + 2 * Self::SIZE + before);
            match reach.last_mut() {
                Some(last) if start <= last.end => last.end = end,
                _ => reach.push(start..end),
            }
        }
        reach
    }

    /// Whether one of the parts that a span touches has one.
    #[inline]
    pub(crate) fn any(&self, span: Span) -> bool {
        let last = self.0.len().min(span.end / Self::SIZE + 1);
        let first = (span.start / Self::SIZE).min(last);
        self.0[first..last].contains(&true)
    }
}

//! The records of a presentation before 2007.

use std::collections::HashMap;

use super::doc::long;
use super::fields::{Fields, utf_16};
use super::ppt_styles::{SlideFonts, SlideLine};

/// The kinds of records that are read.
pub(super) mod kind {
    pub(in super::super) const SLIDE_REFERENCE: u16 = 0x03F3;
    pub(in super::super) const NOTES_ATOM: u16 = 0x03F1;
    pub(in super::super) const STRING: u16 = 0x0FBA;
    pub(in super::super) const SLIDE_LIST: u16 = 0x0FF0;
    pub(in super::super) const TEXT_HEADER: u16 = 0x0F9F;
    pub(in super::super) const COMMENT: u16 = 0x2EE0;
    pub(in super::super) const FOOTERS: u16 = 0x0FD9;
    pub(in super::super) const FONT: u16 = 0x0FB7;
    pub(super) const STYLES: u16 = 0x0FA1;
    pub(in super::super) const OUTLINE_REFERENCE: u16 = 0x0F9E;
    pub(super) const WIDE_TEXT: u16 = 0x0FA0;
    pub(super) const NARROW_TEXT: u16 = 0x0FA8;
    pub(super) const EDIT: u16 = 0x0FF5;
    pub(super) const PLACES: u16 = 0x1772;
    pub(in super::super) const TEXT_BOX: u16 = 0xF00D;
    pub(in super::super) const ANCHOR: u16 = 0xF010;
    pub(in super::super) const CHILD_ANCHOR: u16 = 0xF00F;
    pub(in super::super) const SHOW: u16 = 0x03F9;
    pub(in super::super) const OBJECT_REFERENCE: u16 = 0x0BC1;
    pub(in super::super) const OBJECT: u16 = 0x0FC3;
    pub(in super::super) const EMBEDDED: [u16; 2] = [0x0FCC, 0x0FCE];
}

/// Containers are nested at most this deep.
pub(super) const MAX_DEPTH: usize = 32;
/// How many times a file may have been saved on top of itself.
const MAX_EDITS: usize = 1_000;

/// A record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Atom<'a> {
    pub(super) kind: u16,
    pub(super) instance: u16,
    pub(super) is_container: bool,
    pub(super) data: &'a [u8],
}

/// The records in these bytes. One that is cut is read as far as it goes.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = Atom<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let mut fields = Fields(rest);
        let version = fields.short()?;
        let kind = fields.short()?;
        let length = fields.long()? as usize;
        let data = fields.bytes(length.min(fields.0.len()))?;
        rest = fields.0;
        Some(Atom {
            kind,
            instance: version >> 4,
            is_container: version & 0xF == 0xF,
            data,
        })
    })
}

/// The records in these bytes, each with the styles that follow it.
pub(super) fn styled_records(bytes: &[u8]) -> Vec<(Atom<'_>, Option<Atom<'_>>)> {
    let mut found: Vec<(Atom<'_>, Option<Atom<'_>>)> = Vec::new();
    for atom in records(bytes) {
        match found.last_mut() {
            Some((_, styles)) if atom.kind == kind::STYLES => *styles = Some(atom),
            _ => found.push((atom, None)),
        }
    }
    found
}

impl<'a> Atom<'a> {
    /// The lines of a text as these styles show them, if it is one.
    pub(super) fn lines(
        self,
        styles: Option<Atom<'_>>,
        fonts: &SlideFonts,
    ) -> Option<Vec<SlideLine>> {
        let text: String = match self.kind {
            kind::WIDE_TEXT => utf_16(self.data),
            kind::NARROW_TEXT => self.data.iter().copied().map(char::from).collect(),
            _ => return None,
        };
        Some(fonts.lines(&text, styles))
    }

    /// Every record of a kind inside, in order.
    pub(super) fn inside(self, kind: u16) -> Vec<Atom<'a>> {
        let mut found = Vec::new();
        self.collect(kind, 0, &mut found);
        found
    }

    fn collect(self, kind: u16, depth: usize, found: &mut Vec<Atom<'a>>) {
        for atom in records(self.data) {
            if atom.kind == kind {
                found.push(atom);
            } else if atom.is_container && depth < MAX_DEPTH {
                atom.collect(kind, depth + 1, found);
            }
        }
    }
}

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Title,
    Body,
    Notes,
    Other,
}

impl TextKind {
    pub(super) fn of(header: Atom<'_>) -> TextKind {
        match long(header.data, 0) {
            Some(0 | 6) => TextKind::Title,
            Some(1 | 7 | 8) => TextKind::Body,
            Some(2) => TextKind::Notes,
            _ => TextKind::Other,
        }
    }
}

/// A text on a slide or in the outline.
#[derive(Debug, Clone)]
pub(super) struct SlideText {
    pub(super) kind: TextKind,
    pub(super) lines: Vec<SlideLine>,
}

impl SlideText {
    /// The text without its bullets.
    pub(super) fn plain(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n").trim().to_owned()
    }
}

/// Where the records are that were saved last, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Saved {
    pub(super) places: HashMap<u32, usize>,
    pub(super) document: u32,
    /// The number of the record that describes the encryption.
    pub(super) encryption: Option<u32>,
}

impl Saved {
    pub(super) fn record<'a>(&self, bytes: &'a [u8], number: u32) -> Option<Atom<'a>> {
        let place = *self.places.get(&number)?;
        records(bytes.get(place..)?).next()
    }
}

/// Follows the edits from the last one back.
pub(super) fn persisted(bytes: &[u8], last_edit: usize) -> Option<Saved> {
    let mut saved = Saved::default();
    let is_edit = |at: usize| {
        let record = records(bytes.get(at..).unwrap_or_default()).next();
        record.is_some_and(|record| record.kind == kind::EDIT)
    };
    // The file may say wrongly where the last edit is: it is one of the outermost records.
    let mut next = if is_edit(last_edit) {
        last_edit
    } else {
        last_edit_in(bytes)?
    };
    for step in 0..MAX_EDITS {
        let edit = records(bytes.get(next..)?)
            .next()
            .filter(|edit| edit.kind == kind::EDIT)?;
        if step == 0 {
            saved.document = long(edit.data, 16)?;
            saved.encryption = long(edit.data, 28);
        }
        let places = long(edit.data, 12)? as usize;
        let places = records(bytes.get(places..)?).next();
        if let Some(places) = places.filter(|it| it.kind == kind::PLACES) {
            add_places(places.data, &mut saved.places);
        }
        let before = long(edit.data, 8)? as usize;
        // Edits only point back.
        if before == 0 || before >= next {
            break;
        }
        next = before;
    }
    Some(saved)
}

/// The place of the last edit among the outermost records.
fn last_edit_in(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut last = None;
    for record in records(bytes) {
        if record.kind == kind::EDIT {
            last = Some(at);
        }
        at += 8 + record.data.len();
    }
    last
}

fn add_places(data: &[u8], places: &mut HashMap<u32, usize>) {
    let mut fields = Fields(data);
    while let Some(head) = fields.long() {
        let (first, count) = (head & 0xF_FFFF, head >> 20);
        for number in first..first + count {
            let Some(place) = fields.long() else {
                return;
            };
            places.entry(number).or_insert(place as usize);
        }
    }
}

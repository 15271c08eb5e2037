//! The notes of a Word document before 2007: where the text refers to each, and where the text of
//! each is.

use std::collections::HashMap;

use super::doc::{listed, long, short};
use super::fields::{Fields, utf_16};
use crate::document::markdown::one_line;

/// The place of the list of those who commented in the header of the file.
const AUTHORS: usize = 0x01BA;
/// The place of a comment's author in what is said about it.
const AUTHOR: usize = 20;

/// A kind of notes.
struct Kind {
    /// Which of the texts of the file has them.
    story: usize,
    /// The places of the list of references and of the list of texts in the header of the file.
    references: usize,
    texts: usize,
    /// How much is said about each reference.
    size: usize,
    is_comment: bool,
}

const KINDS: [Kind; 3] = [
    Kind {
        story: 1,
        references: 0x00AA,
        texts: 0x00B2,
        size: 2,
        is_comment: false,
    },
    Kind {
        story: 4,
        references: 0x00BA,
        texts: 0x00C2,
        size: 30,
        is_comment: true,
    },
    Kind {
        story: 5,
        references: 0x020A,
        texts: 0x0212,
        size: 2,
        is_comment: false,
    },
];

/// A note.
#[derive(Debug)]
pub(super) struct Note {
    /// The letters of the text before the reference to it.
    place: usize,
    story: usize,
    /// The letters before its text in the text of all notes of its kind, and those before its end.
    pub(super) start: usize,
    pub(super) end: usize,
    is_comment: bool,
    author: String,
    /// The mark in the text and before the note.
    mark: String,
}

impl Note {
    /// What stands before its text.
    pub(super) fn head(&self) -> String {
        match self.author.is_empty() {
            true => format!("{}:", self.mark),
            false => format!("{}: {}:", self.mark, self.author),
        }
    }
}

/// All notes, in the order of the references to them.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

impl Notes {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Notes {
        let authors = authors(listed(main, table, AUTHORS).unwrap_or_default());
        let mut notes: Vec<Note> = KINDS
            .iter()
            .flat_map(|kind| notes_of(kind, main, table, &authors))
            .collect();
        notes.sort_by_key(|note| note.place);
        // Footnotes and endnotes share their numbers.
        let (mut numbers, mut comments) = (0, 0);
        for note in &mut notes {
            note.mark = if note.is_comment {
                comments += 1;
                format!("[^comment-{comments}]")
            } else {
                numbers += 1;
                format!("[^{numbers}]")
            };
        }
        Notes(notes)
    }

    /// The notes whose text is in this text of the file.
    pub(super) fn of_story(&self, story: usize) -> impl Iterator<Item = &Note> {
        self.0.iter().filter(move |note| note.story == story)
    }

    /// The marks, by the letters of the text before each.
    pub(super) fn marks(&self) -> HashMap<usize, String> {
        let marks = self.0.iter().map(|note| (note.place, note.mark.clone()));
        marks.collect()
    }
}

fn notes_of(kind: &Kind, main: &[u8], table: &[u8], authors: &[String]) -> Vec<Note> {
    let references = listed(main, table, kind.references).unwrap_or_default();
    let texts = listed(main, table, kind.texts).unwrap_or_default();
    let count = references.len().saturating_sub(4) / (4 + kind.size);
    let mut notes = Vec::new();
    let mut start = 0;
    for index in 0..count {
        let place = long(references, 4 * index);
        let end = long(texts, 4 * (index + 1));
        let (Some(place), Some(end)) = (place, end) else {
            break;
        };
        // The texts follow one another.
        let end = (end as usize).max(start);
        let said = references.get(4 * (count + 1) + kind.size * index..);
        let author = said
            .filter(|_| kind.is_comment)
            .and_then(|said| authors.get(usize::from(short(said, AUTHOR)?)));
        notes.push(Note {
            place: place as usize,
            story: kind.story,
            start,
            end,
            is_comment: kind.is_comment,
            author: author.cloned().unwrap_or_default(),
            mark: String::new(),
        });
        start = end;
    }
    notes
}

fn authors(list: &[u8]) -> Vec<String> {
    let mut fields = Fields(list);
    let mut authors = Vec::new();
    while let Some(length) = fields.short() {
        let Some(name) = fields.bytes(2 * usize::from(length)) else {
            break;
        };
        authors.push(one_line(&utf_16(name)));
    }
    authors
}

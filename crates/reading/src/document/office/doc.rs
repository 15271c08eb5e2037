//! Word documents before 2007 (DOC): the text in pieces, and which paragraphs are headings, items or
//! rows of tables.
//!
//! The file keeps the text in pieces, each in one of two encodings, and the properties of
//! paragraphs and characters by their place in the file.

use std::collections::HashMap;

use super::doc_characters::Characters;
use super::doc_inner_table::InnerTable;
use super::doc_lists::Lists;
use super::doc_notes::Notes;
use super::doc_pieces::{letters, pieces};
use super::doc_properties::{Paragraphs, Styles};
use super::doc_text::{Beside, paragraph_text};
use super::fields::Fields;
use super::word_6::{self, OldText};
use super::{doc_form, doc_password, doc_pictures};
use crate::document::compound::CompoundFile;
use crate::document::encryption::Encrypted;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Markdown, one_line};
use crate::document::{Document, Input};

impl DocumentKind {
    /// A Word document before 2007.
    pub const DOC: DocumentKind = DocumentKind::named("doc");
}

pub(in crate::document) static DOC: Format = Format {
    kind: DocumentKind::DOC,
    label: Some("DOC"),
    media_types: &["application/msword"],
    extensions: &["doc", "dot"],
    signature: Signature::Compound(|file| file.has("WordDocument")),
    needs_worker: true,
    is_text: false,
    read: read_doc,
};

/// Where the header of the file says what.
const FLAGS: usize = 0x0A;
const ENCRYPTED: u16 = 0x0100;
const SECOND_TABLE: u16 = 0x0200;
/// The lengths of the text and of what follows it: footnotes, headers, macros, comments, endnotes,
/// text boxes.
const LENGTHS: usize = 0x4C;
/// The first version that keeps its text as described here.
const WORD_97: u16 = 0x00C1;
const WORD_6: u16 = 0x0065;

fn read_doc(input: &Input<'_>) -> Result<Document, DocumentError> {
    let file = CompoundFile::open(input.bytes).ok_or(DocumentError::Broken)?;
    let stream = |name: &str| -> Result<Vec<u8>, DocumentError> {
        let entry = file.find(file.root(), name).ok_or(DocumentError::Broken)?;
        file.read(entry, input.budget)?.ok_or(DocumentError::Broken)
    };
    let mut main = stream("WordDocument")?;
    let version = short(&main, 2).ok_or(DocumentError::Broken)?;
    let flags = short(&main, FLAGS).ok_or(DocumentError::Broken)?;
    let mut writer = DocWriter::new(input);
    let mut is_cut = false;
    match version {
        WORD_97.. => {
            let mut table = stream(if flags & SECOND_TABLE != 0 {
                "1Table"
            } else {
                "0Table"
            })?;
            if flags & ENCRYPTED != 0 {
                doc_password::open(&mut main, &mut table, flags, input)?;
            }
            if flags & ENCRYPTED == 0 {
                writer.beside.data = data(&file, &main, input)?;
            }
            writer.paragraphs = Paragraphs::read(&main, &table);
            writer.characters = Characters::read(&main, &table);
            writer.styles = Styles::read(&main, &table);
            writer.lists = Lists::read(&main, &table);
            writer.notes = Notes::read(&main, &table);
            writer.floating = doc_pictures::floating(&main, &table);
            let pieces = pieces(&main, &table).ok_or(DocumentError::Broken)?;
            is_cut = pieces.iter().any(|piece| piece.is_cut(&main));
            writer.stories(&main, LENGTHS, |start, end| {
                letters(&main, &pieces, start, end)
            })?;
        }
        _ if flags & ENCRYPTED != 0 => return Err(Encrypted::OldOffice.not_supported()),
        WORD_6..WORD_97 => {
            let stated = super::properties::charset(&file, input)?;
            let text = OldText::read(&main, flags, stated).ok_or(DocumentError::Broken)?;
            writer.stories(&main, word_6::LENGTHS, |start, end| {
                text.letters(start, end)
            })?;
        }
        _ => return Err(DocumentError::OldWord),
    }
    let mut document = Document::new(DocumentKind::DOC, writer.markdown);
    super::properties::describe(&file, input, &mut document)?;
    if is_cut {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// The stream with the data of fields and pictures. Empty if it is not worth what it costs.
fn data(file: &CompoundFile<'_>, main: &[u8], input: &Input<'_>) -> Result<Vec<u8>, DocumentError> {
    let most = input.budget.limits.unpacked / 4;
    let entry = file.find(file.root(), "Data");
    let entry = entry.filter(|it| file.size(*it) <= most || doc_form::has_forms(main));
    let data = entry.map(|entry| file.read(entry, input.budget));
    Ok(data.transpose()?.flatten().unwrap_or_default())
}

pub(super) fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Fields(bytes.get(at..)?).short()
}

pub(super) fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Fields(bytes.get(at..)?).long()
}

/// A part of the table stream that the header of the file points to.
pub(super) fn listed<'b>(main: &[u8], table: &'b [u8], at: usize) -> Option<&'b [u8]> {
    let start = long(main, at)? as usize;
    let length = long(main, at + 4)? as usize;
    table.get(start..start.checked_add(length)?.min(table.len()))
}

/// Whether a paragraph, a cell, or a page ends here.
fn ends_paragraph(letter: char) -> bool {
    matches!(letter, '\r' | '\u{7}' | '\u{C}')
}

struct DocWriter<'a> {
    input: &'a Input<'a>,
    /// Empty for Word 6, whose tables are told by their marks alone.
    paragraphs: Paragraphs,
    characters: Characters,
    styles: Styles,
    lists: Lists,
    beside: Beside,
    notes: Notes,
    /// The alternative texts of what floats, by the letters of the text before each.
    floating: HashMap<usize, String>,
    /// The letter of a drop cap, which the next paragraph goes on from.
    drop_cap: String,
    markdown: Markdown,
    /// The cells of the row and the rows of the table that are being read.
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The paragraphs of the cell that is being read.
    cell: Vec<String>,
    /// What was read of a table in that cell.
    inner: InnerTable,
}

impl<'a> DocWriter<'a> {
    fn new(input: &'a Input<'a>) -> DocWriter<'a> {
        DocWriter {
            input,
            paragraphs: Paragraphs::default(),
            characters: Characters::default(),
            styles: Styles::default(),
            lists: Lists::default(),
            beside: Beside::default(),
            notes: Notes::default(),
            floating: HashMap::new(),
            drop_cap: String::new(),
            markdown: input.markdown(),
            row: Vec::new(),
            rows: Vec::new(),
            cell: Vec::new(),
            inner: InnerTable::default(),
        }
    }

    /// Writes the text, and what follows it in the file: notes, headers, comments, text boxes.
    /// The header of the file has their lengths at this place.
    fn stories(
        &mut self,
        main: &[u8],
        lengths: usize,
        letters: impl Fn(usize, usize) -> Vec<(char, usize)>,
    ) -> Result<(), DocumentError> {
        const TITLES: [&str; 8] = [
            "",
            "<!-- footnotes -->",
            "<!-- headers and footers -->",
            "",
            "<!-- comments -->",
            "<!-- endnotes -->",
            "<!-- text boxes -->",
            "",
        ];
        let mut start = 0_usize;
        for (index, title) in TITLES.iter().enumerate() {
            let length = long(main, lengths + 4 * index).ok_or(DocumentError::Broken)?;
            let end = start.saturating_add(length as usize);
            let letters = letters(start, end);
            if index == 0 {
                self.place_marks(&letters);
            }
            let has_text = letters.iter().any(|(letter, _)| letter.is_alphanumeric());
            if has_text && self.notes.of_story(index).next().is_some() {
                self.write_notes(main, &letters, index)?;
            } else if has_text || (index == 0 && !letters.is_empty()) {
                self.markdown.block(title);
                self.write(main, &letters)?;
            }
            start = end;
        }
        Ok(())
    }

    /// Finds the places in the file of what stands beside the text.
    fn place_marks(&mut self, letters: &[(char, usize)]) {
        let mut marks = self.notes.marks();
        marks.extend(
            std::mem::take(&mut self.floating)
                .into_iter()
                .map(|(at, text)| (at, format!("![{text}]"))),
        );
        let mut before = 0;
        for (letter, offset) in letters {
            if let Some(mark) = marks.remove(&before) {
                self.beside.marks.insert(*offset, mark);
            }
            before += letter.len_utf16();
        }
    }

    /// Writes each note with its mark.
    fn write_notes(
        &mut self,
        main: &[u8],
        letters: &[(char, usize)],
        story: usize,
    ) -> Result<(), DocumentError> {
        let places: Vec<usize> = letters
            .iter()
            .scan(0, |before, (letter, _)| {
                let place = *before;
                *before += letter.len_utf16();
                Some(place)
            })
            .collect();
        let index = |place: usize| places.partition_point(|it| *it < place);
        let notes = std::mem::take(&mut self.notes);
        for note in notes.of_story(story) {
            self.input.budget.check_time()?;
            let letters = &letters[index(note.start)..index(note.end)];
            let lines: Vec<String> = letters
                .split_inclusive(|(letter, _)| ends_paragraph(*letter))
                .map(|line| self.note_line(main, line))
                .collect();
            let text = one_line(&lines.join(" "));
            self.markdown.block(&format!("{} {text}", note.head()));
        }
        self.notes = notes;
        Ok(())
    }

    /// A paragraph of a note, with the mark of a list.
    fn note_line(&mut self, main: &[u8], letters: &[(char, usize)]) -> String {
        let offset = letters.last().map_or(usize::MAX, |(_, offset)| *offset);
        let properties = self.paragraphs.at(main, &self.beside.data, offset);
        let text = paragraph_text(letters, main, &self.characters, &mut self.beside);
        let list = self.styles.list(&properties).filter(|_| !text.is_empty());
        match list {
            Some((list, level)) => self.lists.next(list, level).before_line(&text),
            None => text,
        }
    }

    fn write(&mut self, main: &[u8], letters: &[(char, usize)]) -> Result<(), DocumentError> {
        let mut start = 0;
        for (index, (letter, offset)) in letters.iter().enumerate() {
            if !ends_paragraph(*letter) {
                continue;
            }
            self.input.budget.check_time()?;
            self.paragraph(main, &letters[start..index], *letter, *offset);
            start = index + 1;
            if self.markdown.is_full() {
                return Ok(());
            }
        }
        self.paragraph(main, &letters[start..], '\r', usize::MAX);
        let drop_cap = std::mem::take(&mut self.drop_cap);
        self.markdown.block(&drop_cap);
        self.end_table();
        Ok(())
    }

    fn paragraph(&mut self, main: &[u8], letters: &[(char, usize)], end: char, offset: usize) {
        let properties = self.paragraphs.at(main, &self.beside.data, offset);
        let text = paragraph_text(letters, main, &self.characters, &mut self.beside);
        let text = std::mem::take(&mut self.drop_cap) + &text;
        if properties.is_drop_cap && end == '\r' {
            self.drop_cap = text;
            return;
        }
        // Without properties, an empty cell after others is taken for the end of the row.
        let looks_like_end = self.paragraphs.is_empty()
            && end == '\u{7}'
            && text.is_empty()
            && self.cell.is_empty()
            && !self.row.is_empty();
        if properties.is_row_end || looks_like_end {
            self.row.append(&mut std::mem::take(&mut self.cell));
            let row = std::mem::take(&mut self.row);
            let is_deleted = self.characters.at(main, offset).0.is_left_out();
            if !is_deleted || row.iter().any(|cell| !cell.is_empty()) {
                self.rows.push(row);
            }
            return;
        }
        if end == '\u{7}' {
            self.cell.extend(self.inner.left());
            self.cell.push(text);
            let cell = std::mem::take(&mut self.cell);
            self.row.push(cell.join("\n").trim().to_owned());
            return;
        }
        // What is deleted or hidden leaves no empty item.
        let list = self.styles.list(&properties).filter(|_| !text.is_empty());
        let item = list.map(|(list, level)| (self.lists.next(list, level), level));
        if properties.is_in_table {
            let text = item.map_or(text.clone(), |(mark, _)| mark.before_line(&text));
            self.cell.extend(self.inner.paragraph(&properties, text));
            return;
        }
        self.end_table();
        match (self.styles.heading(properties.style), item) {
            (Some(level), Some((mark, _))) => {
                self.markdown.heading(level, &mark.before_heading(&text));
            }
            (Some(level), None) => self.markdown.heading(level, &text),
            (None, Some((mark, level))) => self.markdown.marked_item(level, &mark, &text),
            (None, None) => self.markdown.block(&text),
        }
    }

    fn end_table(&mut self) {
        self.cell.extend(self.inner.left());
        if !self.row.is_empty() || !self.cell.is_empty() {
            // Some programs leave out where the last row ends.
            self.row.append(&mut std::mem::take(&mut self.cell));
            let row = std::mem::take(&mut self.row);
            self.rows.push(row);
        }
        let rows = std::mem::take(&mut self.rows);
        self.markdown.table(&rows);
    }
}

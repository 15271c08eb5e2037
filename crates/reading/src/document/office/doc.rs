//! Word documents before 2007 (DOC): the text in pieces, and which paragraphs are headings, items or
//! rows of tables.
//!
//! The file keeps the text in pieces, each in one of two encodings, and the properties of
//! paragraphs and characters by their place in the file.

use super::doc_characters::{CharacterProperties, Characters};
use super::doc_form;
use super::doc_lists::Lists;
use super::doc_password;
use super::doc_properties::{Paragraphs, Styles};
use super::fields::{Fields, utf_16};
use super::word_6::{self, OldText};
use crate::document::compound::CompoundFile;
use crate::document::encryption::Encrypted;
use crate::document::error::{DocumentError, Warning};
use crate::document::field_code::{field_link, field_text};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Inline, Markdown, Style};
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
const PIECES: usize = 0x01A2;
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
            if flags & ENCRYPTED == 0 && doc_form::has_forms(&main) {
                let entry = file.find(file.root(), "Data");
                let data = entry.map(|entry| file.read(entry, input.budget));
                writer.data = data.transpose()?.flatten().unwrap_or_default();
            }
            writer.paragraphs = Paragraphs::read(&main, &table);
            writer.characters = Characters::read(&main, &table);
            writer.styles = Styles::read(&main, &table);
            writer.lists = Lists::read(&main, &table);
            let pieces = pieces(&main, &table).ok_or(DocumentError::Broken)?;
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
    let is_cut = writer.is_cut;
    let mut document = Document::new(DocumentKind::DOC, writer.markdown);
    super::properties::describe(&file, input, &mut document)?;
    if is_cut {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
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

/// A piece of the text.
struct Piece {
    /// The letters before it, and the letters before the next one.
    start: usize,
    end: usize,
    /// The place of its first byte in the file.
    offset: usize,
    is_wide: bool,
}

/// The pieces of the text, in order.
fn pieces(main: &[u8], table: &[u8]) -> Option<Vec<Piece>> {
    let mut rest = listed(main, table, PIECES)?;
    // Other properties come first.
    while rest.first() == Some(&1) {
        let length = usize::from(short(rest, 1)?);
        rest = rest.get(3 + length..)?;
    }
    if rest.first() != Some(&2) {
        return None;
    }
    let length = long(rest, 1)? as usize;
    let list = rest.get(5..)?;
    let list = &list[..length.min(list.len())];
    let count = list.len().checked_sub(4)? / 12;
    let mut pieces = Vec::with_capacity(count);
    for index in 0..count {
        let place = long(list, 4 * (count + 1) + 8 * index + 2)?;
        let is_wide = place & 0x4000_0000 == 0;
        let offset = (place & 0x3FFF_FFFF) as usize;
        pieces.push(Piece {
            start: long(list, 4 * index)? as usize,
            end: long(list, 4 * (index + 1))? as usize,
            offset: if is_wide { offset } else { offset / 2 },
            is_wide,
        });
    }
    Some(pieces)
}

/// The letters from one place of the text to another, each with its place in the file.
fn letters(main: &[u8], pieces: &[Piece], start: usize, end: usize) -> Vec<(char, usize)> {
    let mut letters = Vec::new();
    for piece in pieces {
        let from = piece.start.max(start);
        let to = piece.end.min(end);
        if from >= to {
            continue;
        }
        let width = if piece.is_wide { 2 } else { 1 };
        let offset = piece
            .offset
            .saturating_add((from - piece.start).saturating_mul(width));
        let stop = offset.saturating_add((to - from).saturating_mul(width));
        let Some(bytes) = main.get(offset..stop.min(main.len())) else {
            continue;
        };
        if piece.is_wide {
            let mut at = offset;
            for letter in utf_16(bytes).chars() {
                letters.push((letter, at));
                at += 2 * letter.len_utf16();
            }
        } else {
            let decoded = encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(bytes)
                .0;
            letters.extend(decoded.chars().zip(offset..));
        }
    }
    letters
}

struct DocWriter<'a> {
    input: &'a Input<'a>,
    /// Empty for Word 6, whose tables are told by their marks alone.
    paragraphs: Paragraphs,
    characters: Characters,
    styles: Styles,
    lists: Lists,
    /// The stream with the data of fields to fill in. Empty if there are none.
    data: Vec<u8>,
    markdown: Markdown,
    /// The cells of the row and the rows of the table that are being read.
    row: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The paragraphs of the cell that is being read.
    cell: Vec<String>,
    is_cut: bool,
}

impl<'a> DocWriter<'a> {
    fn new(input: &'a Input<'a>) -> DocWriter<'a> {
        DocWriter {
            input,
            paragraphs: Paragraphs::default(),
            characters: Characters::default(),
            styles: Styles::default(),
            lists: Lists::default(),
            data: Vec::new(),
            markdown: input.markdown(),
            row: Vec::new(),
            rows: Vec::new(),
            cell: Vec::new(),
            is_cut: false,
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
            if letters.iter().any(|(letter, _)| letter.is_alphanumeric()) {
                self.markdown.block(title);
                self.write(main, &letters)?;
            }
            start = end;
        }
        Ok(())
    }

    fn write(&mut self, main: &[u8], letters: &[(char, usize)]) -> Result<(), DocumentError> {
        let mut start = 0;
        for (index, (letter, offset)) in letters.iter().enumerate() {
            // A paragraph, a cell, or a page ends here.
            if !matches!(letter, '\r' | '\u{7}' | '\u{C}') {
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
        self.end_table();
        Ok(())
    }

    fn paragraph(&mut self, main: &[u8], letters: &[(char, usize)], end: char, offset: usize) {
        let properties = self.paragraphs.at(main, offset);
        let text = paragraph_text(letters, main, &self.characters, &self.data);
        // Without properties, an empty cell after others is taken for the end of the row.
        let looks_like_end = self.paragraphs.is_empty()
            && end == '\u{7}'
            && text.is_empty()
            && self.cell.is_empty()
            && !self.row.is_empty();
        if properties.is_row_end || looks_like_end {
            self.row.append(&mut std::mem::take(&mut self.cell));
            let row = std::mem::take(&mut self.row);
            self.rows.push(row);
            return;
        }
        if end == '\u{7}' {
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
            self.cell.push(text);
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
        if !self.row.is_empty() || !self.cell.is_empty() {
            // A table whose end is missing.
            self.is_cut = true;
            self.row.append(&mut std::mem::take(&mut self.cell));
            let row = std::mem::take(&mut self.row);
            self.rows.push(row);
        }
        let rows = std::mem::take(&mut self.rows);
        self.markdown.table(&rows);
    }
}

/// The text of a paragraph: what fields show and not what they are, without marks of objects.
fn paragraph_text(
    letters: &[(char, usize)],
    main: &[u8],
    characters: &Characters,
    data: &[u8],
) -> String {
    let mut inline = Inline::default();
    // The fields that are open: their instructions, and whether their results are being read.
    let mut fields: Vec<(String, bool)> = Vec::new();
    let mut run = (CharacterProperties::default(), 0..0);
    for (letter, offset) in letters {
        if !run.1.contains(offset) {
            run = characters.at(main, *offset);
        }
        match letter {
            '\u{13}' => fields.push((String::new(), false)),
            '\u{14}' => {
                if let Some(field) = fields.last_mut() {
                    field.1 = true;
                }
            }
            '\u{15}' => {
                if let Some((code, false)) = fields.pop()
                    && fields.iter().all(|(_, is_result)| *is_result)
                    && !run.0.is_left_out()
                {
                    inline.plain(&field_text(&code).unwrap_or_default());
                }
            }
            letter => match fields.last_mut() {
                Some((_, false)) if *letter == doc_form::MARK => {
                    let shown = run.0.data().and_then(|at| doc_form::shown(data, at));
                    inline.plain(&shown.unwrap_or_default());
                }
                Some((code, false)) => code.push(*letter),
                _ if run.0.is_left_out() => {}
                _ => {
                    let mut style = link_style(&fields);
                    run.0.apply(&mut style);
                    inline.push(&shown(run.0.shown(*letter)), &style);
                }
            },
        }
    }
    inline.finish()
}

/// What a letter shows. Some stand for pictures, notes and breaks.
fn shown(letter: char) -> String {
    match letter {
        '\u{1E}' => "-".to_owned(),
        '\u{B}' => "\n".to_owned(),
        '\u{1F}' | '\u{0}'..='\u{8}' | '\u{E}'..='\u{1D}' => String::new(),
        letter => letter.to_string(),
    }
}

/// The style of what the open fields show: a link, if one of them is one.
fn link_style(fields: &[(String, bool)]) -> Style {
    Style {
        link: fields.iter().rev().find_map(|(code, _)| field_link(code)),
        ..Style::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_show_their_results() {
        let text = "\u{13}MACROBUTTON NoMacro [Name]\u{15} See \u{13} HYPERLINK \"https://a.example/\" \u{14}this\u{15} on page\u{A0}\u{13} PAGE \u{14}3\u{15}.\u{1}";
        let letters: Vec<(char, usize)> = text.chars().zip(0..).collect();
        assert_eq!(
            paragraph_text(&letters, &[], &Characters::default(), &[]),
            "[Name] See [this](https://a.example/) on page\u{A0}3."
        );
    }
}

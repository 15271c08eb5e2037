//! Excel workbooks before 2007 (XLS): a stream of records in a compound file.

use std::collections::HashMap;

use super::biff::{Codepage, Record, Segments, SheetLinks, records};
use super::fields::{Fields, boolean, error, rk};
use super::formula::shown;
use super::formula_names::Names;
use super::formula_tokens::{Layout, formula_text};
use super::grid::{Comment, Grid, Place, reference};
use super::number_format::{built_in_format, formatted_number};
use super::sheet::formula_link;
use super::xls_formulas::{NameRecords, SharedFormulas};
use super::xls_password::opened;
use crate::document::compound::CompoundFile;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::one_line;
use crate::document::parts::Unit;
use crate::document::{Document, Input};

impl DocumentKind {
    /// An Excel workbook before 2007.
    pub const XLS: DocumentKind = DocumentKind::named("xls");
}

pub(in crate::document) static XLS: Format = Format {
    kind: DocumentKind::XLS,
    label: Some("XLS"),
    media_types: &["application/vnd.ms-excel"],
    extensions: &["xls", "xlt"],
    signature: Signature::Compound(|file| file.has("Workbook") || file.has("Book")),
    needs_worker: true,
    is_text: false,
    read: read_xls,
};

fn read_xls(input: &Input<'_>) -> Result<Document, DocumentError> {
    let file = CompoundFile::open(input.bytes).ok_or(DocumentError::Broken)?;
    let stream = ["Workbook", "Book"]
        .iter()
        .find_map(|name| file.find(file.root(), name))
        .ok_or(DocumentError::Broken)?;
    let bytes = file
        .read(stream, input.budget)?
        .ok_or(DocumentError::Broken)?;
    let bytes = opened(bytes, input)?;
    let mut document = read_stream(&bytes, input)?;
    super::properties::describe(&file, input, &mut document)?;
    Ok(document)
}

/// Reads the records of a workbook.
pub(super) fn read_stream(bytes: &[u8], input: &Input<'_>) -> Result<Document, DocumentError> {
    let book = Book::read(bytes)?;
    let mut markdown = input.markdown();
    let mut warnings = Vec::new();
    let mut hidden = Vec::new();
    for (sheet, number) in book.sheets.iter().zip(1..) {
        let name = Some(sheet.name.as_str());
        let is_read = match sheet.is_hidden {
            true => markdown.hidden_part(Unit::Sheet, number, name),
            false => markdown.part(Unit::Sheet, number, name),
        };
        if !is_read {
            let is_left_out = sheet.is_hidden && input.leaves_out(number);
            hidden.extend(is_left_out.then(|| sheet.name.clone()));
            continue;
        }
        warnings.extend(sheet.is_hidden.then_some(Warning::HiddenPart));
        markdown.heading(2, &sheet.name);
        let grid = book.grid(bytes, sheet.start, input)?;
        warnings.extend(grid.cut.then_some(Warning::Truncated));
        warnings.extend(grid.broken.then_some(Warning::Incomplete));
        warnings.extend(grid.lacks_formulas.then_some(Warning::FormulasNotRead));
        grid.write(&mut markdown);
    }
    if !hidden.is_empty() {
        markdown.end_parts();
        markdown.block(&format!("*Hidden sheets, left out: {}*", hidden.join(", ")));
        warnings.push(Warning::HiddenParts);
    }
    let mut document = Document::new(DocumentKind::XLS, markdown);
    document.pages = Some(book.sheets.len() as u32);
    for warning in warnings {
        document.warn(warning);
    }
    Ok(document)
}

/// The records that are read.
mod record {
    pub(super) const FORMULA: u16 = 0x0006;
    pub(super) const END: u16 = 0x000A;
    pub(super) const NOTE: u16 = 0x001C;
    pub(super) const SINCE_1904: u16 = 0x0022;
    pub(super) const CODEPAGE: u16 = 0x0042;
    pub(super) const OBJECT: u16 = 0x005D;
    pub(super) const SHEET: u16 = 0x0085;
    pub(super) const PACKED_NUMBERS: u16 = 0x00BD;
    pub(super) const RICH_LABEL: u16 = 0x00D6;
    pub(super) const STYLE: u16 = 0x00E0;
    pub(super) const STRINGS: u16 = 0x00FC;
    pub(super) const SHARED_LABEL: u16 = 0x00FD;
    pub(super) const OBJECT_TEXT: u16 = 0x01B6;
    pub(super) const LINK: u16 = 0x01B8;
    pub(super) const NUMBER: u16 = 0x0203;
    pub(super) const LABEL: u16 = 0x0204;
    pub(super) const BOOLEAN_OR_ERROR: u16 = 0x0205;
    pub(super) const FORMULA_TEXT: u16 = 0x0207;
    pub(super) const PACKED_NUMBER: u16 = 0x027E;
    pub(super) const FORMAT: u16 = 0x041E;
    pub(super) const BEGIN: u16 = 0x0809;
}

struct Book {
    sheets: Vec<BookSheet>,
    strings: Vec<String>,
    formats: Vec<String>,
    since_1904: bool,
    codepage: Codepage,
    /// What formulas refer to.
    names: Names,
}

struct BookSheet {
    name: String,
    start: usize,
    is_hidden: bool,
}

impl Book {
    /// Reads the records before the first sheet.
    fn read(bytes: &[u8]) -> Result<Book, DocumentError> {
        let mut book = Book {
            sheets: Vec::new(),
            strings: Vec::new(),
            formats: Vec::new(),
            since_1904: false,
            codepage: Codepage::default(),
            names: Names::default(),
        };
        let mut names = NameRecords::default();
        let mut own: HashMap<u16, String> = HashMap::new();
        let mut styles: Vec<u16> = Vec::new();
        for record in records(bytes, 0) {
            let data = record.data();
            let mut fields = Fields(data);
            match record.kind {
                record::BEGIN => {
                    let version = fields.short().unwrap_or(0);
                    book.codepage.is_wide = version >= 0x0600;
                }
                record::CODEPAGE => book.codepage.set(fields.short().unwrap_or(0)),
                record::SINCE_1904 => book.since_1904 = fields.short() == Some(1),
                record::FORMAT => {
                    if let Some(id) = fields.short() {
                        let has_wide_length = book.codepage.is_wide;
                        own.insert(id, book.codepage.text(&mut fields, has_wide_length));
                    }
                }
                record::STYLE => {
                    fields.short();
                    styles.push(fields.short().unwrap_or(0));
                }
                record::SHEET => {
                    let (sheet, has_cells) = book_sheet(data, &book.codepage).unzip();
                    names.sheet(sheet.as_ref().map_or("", |it: &BookSheet| &it.name));
                    book.sheets
                        .extend(sheet.filter(|_| has_cells == Some(true)));
                }
                record::STRINGS => book.strings = Segments::new(&record).shared_strings(),
                record::END => break,
                _ => names.record(&record, &book.codepage),
            }
        }
        book.names = names.finish();
        book.formats = styles
            .iter()
            .map(|id| {
                let format = own.get(id).cloned();
                format.unwrap_or_else(|| built_in_format(u32::from(*id)).to_owned())
            })
            .collect();
        if book.sheets.is_empty() {
            Err(DocumentError::Broken)
        } else {
            Ok(book)
        }
    }

    /// Reads the cells and the notes of a sheet.
    fn grid(&self, bytes: &[u8], start: usize, input: &Input<'_>) -> Result<Grid, DocumentError> {
        let mut sheet = SheetReader {
            book: self,
            grid: Grid::new(input.budget.limits.text),
            waiting: None,
            object: None,
            texts: HashMap::new(),
            links: SheetLinks::default(),
            wants_formulas: input.hint.formulas,
            shared: match input.hint.formulas {
                true => SharedFormulas::of_sheet(bytes, start),
                false => SharedFormulas::default(),
            },
        };
        let mut depth = 0;
        for (index, record) in records(bytes, start).enumerate() {
            if index % 1_024 == 0 {
                input.budget.check_time()?;
            }
            match record.kind {
                record::BEGIN => depth += 1,
                record::END if depth <= 1 => {
                    sheet.finish();
                    return Ok(sheet.grid);
                }
                record::END => depth -= 1,
                // Charts are sheets inside the sheet.
                _ if depth > 1 => {}
                _ => sheet.record(&record),
            }
            if sheet.grid.cut {
                return Ok(sheet.grid);
            }
        }
        sheet.grid.broken = true;
        sheet.finish();
        Ok(sheet.grid)
    }
}

/// A sheet, and whether it has cells.
fn book_sheet(data: &[u8], codepage: &Codepage) -> Option<(BookSheet, bool)> {
    let mut fields = Fields(data);
    let start = fields.long()? as usize;
    let state = fields.byte()?;
    let kind = fields.byte()?;
    let name = one_line(&codepage.text(&mut fields, false));
    let sheet = BookSheet {
        name,
        start,
        is_hidden: state & 3 != 0,
    };
    // Sheets of macros in Visual Basic do not.
    Some((sheet, kind != 6))
}

struct SheetReader<'b> {
    book: &'b Book,
    grid: Grid,
    /// The cell and the formula whose result comes as a text in the next record.
    waiting: Option<(Place, String)>,
    /// The object whose text comes next.
    object: Option<u16>,
    /// The texts of objects, by their number. Notes refer to them.
    texts: HashMap<u16, String>,
    links: SheetLinks,
    wants_formulas: bool,
    shared: SharedFormulas<'b>,
}

impl SheetReader<'_> {
    fn record(&mut self, record: &Record<'_>) {
        let mut fields = Fields(record.data());
        let _ = match record.kind {
            record::FORMULA_TEXT => self.string_result(record),
            record::OBJECT => {
                // The number is in the first part of the record, after its type.
                self.object = record
                    .data()
                    .get(6..8)
                    .map(|it| u16::from_le_bytes([it[0], it[1]]));
                Some(())
            }
            record::OBJECT_TEXT => {
                let text = Segments::new(record).object_text();
                if let Some(object) = self.object.take() {
                    self.texts.insert(object, text);
                }
                Some(())
            }
            record::NOTE => self.note(&mut fields),
            record::LINK => {
                self.links.add(record.data());
                Some(())
            }
            _ => self.cell(record, &mut fields),
        };
    }

    fn cell(&mut self, record: &Record<'_>, fields: &mut Fields<'_>) -> Option<()> {
        let is_cell = matches!(
            record.kind,
            record::FORMULA
                | record::PACKED_NUMBERS
                | record::RICH_LABEL
                | record::SHARED_LABEL
                | record::NUMBER
                | record::LABEL
                | record::BOOLEAN_OR_ERROR
                | record::PACKED_NUMBER
        );
        if !is_cell {
            return None;
        }
        let row = u32::from(fields.short()?);
        let column = u32::from(fields.short()?);
        if record.kind == record::PACKED_NUMBERS {
            let mut next = column;
            while fields.0.len() >= 6 {
                let style = fields.short()?;
                let text = self.number(style, rk(fields.long()?));
                self.grid.put((row, next), text);
                next += 1;
            }
            return Some(());
        }
        let style = fields.short()?;
        let text = match record.kind {
            record::NUMBER => self.number(style, fields.number()?),
            record::PACKED_NUMBER => self.number(style, rk(fields.long()?)),
            record::SHARED_LABEL => self.book.strings.get(fields.long()? as usize)?.clone(),
            record::BOOLEAN_OR_ERROR => match (fields.byte()?, fields.byte()?) {
                (code, 1) => error(code).to_owned(),
                (value, _) => boolean(value != 0).to_owned(),
            },
            record::FORMULA => return self.formula(style, (row, column), fields),
            _ => self.book.codepage.text(fields, true),
        };
        self.grid.put((row, column), text);
        Some(())
    }

    /// A formula and its result. A text follows in a record of its own.
    fn formula(&mut self, style: u16, cell: Place, fields: &mut Fields<'_>) -> Option<()> {
        let value = fields.bytes(8)?;
        let formula = self.formula_text(cell, Fields(fields.0));
        let result = match value {
            [0, _, _, _, _, _, 0xFF, 0xFF] => {
                self.waiting = Some((cell, formula));
                return Some(());
            }
            [1, _, value, _, _, _, 0xFF, 0xFF] => boolean(*value != 0).to_owned(),
            [2, _, code, _, _, _, 0xFF, 0xFF] => error(*code).to_owned(),
            [_, _, _, _, _, _, 0xFF, 0xFF] => String::new(),
            value => self.number(style, Fields(value).number()?),
        };
        self.put_result(cell, result, &formula);
        Some(())
    }

    /// The text of the formula, if it is needed. Empty otherwise.
    fn formula_text(&mut self, cell: Place, fields: Fields<'_>) -> String {
        let layout = match self.book.codepage.is_wide {
            true => Layout::Excel97,
            false => Layout::Excel5,
        };
        let formula = self.shared.formula(fields).unwrap_or_default();
        if !self.wants_formulas && !formula.may_be_link() {
            return String::new();
        }
        let text = formula_text(formula, layout, &self.book.names, cell);
        self.grid.lacks_formulas |= text.is_none() && self.wants_formulas;
        text.unwrap_or_default()
    }

    fn put_result(&mut self, cell: Place, result: String, formula: &str) {
        if let Some(target) = formula_link(formula) {
            self.grid.link(cell, target);
        }
        let text = shown(result, formula, self.wants_formulas);
        self.grid.put(cell, text);
    }

    fn string_result(&mut self, record: &Record<'_>) -> Option<()> {
        let (cell, formula) = self.waiting.take()?;
        let text = if self.book.codepage.is_wide {
            Segments::new(record).text()?
        } else {
            self.book.codepage.text(&mut Fields(record.data()), true)
        };
        self.put_result(cell, text, &formula);
        Some(())
    }

    fn number(&self, style: u16, value: f64) -> String {
        let format = self.book.formats.get(usize::from(style));
        let format = format.map_or("General", String::as_str);
        formatted_number(value, format, self.book.since_1904)
    }

    fn note(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        let row = u32::from(fields.short()?);
        let column = u32::from(fields.short()?);
        let length = fields.short()?;
        if !self.book.codepage.is_wide {
            // Before Excel 97, the text is in the record itself.
            let text = self.book.codepage.letters(fields, usize::from(length));
            self.grid.comment(Comment {
                place: reference((row, column)),
                text,
                author: None,
            });
            return Some(());
        }
        let object = fields.short()?;
        let author = self.book.codepage.text(fields, true);
        let text = self.texts.remove(&object)?;
        let said = text.trim_start().strip_prefix(&*author);
        let said = said.and_then(|rest| rest.strip_prefix(':'));
        self.grid.comment(Comment {
            place: reference((row, column)),
            text: said.unwrap_or(&text).to_owned(),
            author: Some(author).filter(|name| !name.trim().is_empty()),
        });
        Some(())
    }

    /// Adds what is only known at the end: links.
    fn finish(&mut self) {
        for (from, to, target) in self.links.take() {
            self.grid.link_range(from, to, target);
        }
    }
}

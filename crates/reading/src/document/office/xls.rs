//! Excel workbooks before 2007 (XLS): a stream of records in a compound file.

use std::collections::HashMap;

use super::biff::{Codepage, Segments, records};
use super::fields::Fields;
use super::formula_names::Names;
use super::number_format::built_in_format;
use super::xls_formulas::NameRecords;
use super::xls_password::opened;
use super::xls_sheet::SheetContent;
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
        let SheetContent {
            grid,
            texts,
            charts,
        } = SheetContent::read(&book, bytes, sheet.start, input)?;
        warnings.extend(grid.cut.then_some(Warning::Truncated));
        warnings.extend(grid.broken.then_some(Warning::Incomplete));
        warnings.extend(grid.lacks_formulas.then_some(Warning::FormulasNotRead));
        grid.write(&mut markdown);
        texts.iter().for_each(|text| markdown.block(text));
        for chart in charts {
            let is_whole = chart.write(&mut markdown);
            warnings.extend((!is_whole).then_some(Warning::Truncated));
        }
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
    pub(super) const END: u16 = 0x000A;
    pub(super) const SINCE_1904: u16 = 0x0022;
    pub(super) const CODEPAGE: u16 = 0x0042;
    pub(super) const SHEET: u16 = 0x0085;
    pub(super) const STYLE: u16 = 0x00E0;
    pub(super) const STRINGS: u16 = 0x00FC;
    pub(super) const FORMAT: u16 = 0x041E;
    pub(super) const BEGIN: u16 = 0x0809;
}

pub(super) struct Book {
    sheets: Vec<BookSheet>,
    pub(super) strings: Vec<String>,
    pub(super) formats: Vec<String>,
    pub(super) since_1904: bool,
    pub(super) codepage: Codepage,
    /// What formulas refer to.
    pub(super) names: Names,
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

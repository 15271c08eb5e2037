//! Workbooks of Excel 2 to 4, and streams of records without a compound file around them.
//!
//! They are one stream of records like later ones, with other numbers for the same things: one sheet,
//! or several after another with their names.

use super::biff::{Codepage, Record, records};
use super::fields::{Fields, boolean, error, rk};
use super::grid::{Comment, Grid, Place, reference};
use super::number_format::formatted_number;
use super::xls;
use super::xls_password::opened;
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::one_line;
use crate::document::parts::Unit;
use crate::document::{Document, Input};

impl DocumentKind {
    /// A workbook of Excel 2 to 4, or the stream of a later one.
    pub const OLD_EXCEL: DocumentKind = DocumentKind::named("old-excel");
}

pub(in crate::document) static OLD_EXCEL: Format = Format {
    kind: DocumentKind::OLD_EXCEL,
    label: None,
    media_types: &[],
    extensions: &["xlw"],
    signature: Signature::StartsWith(&[
        b"\x09\x00\x04\x00",
        b"\x09\x02\x06\x00",
        b"\x09\x04\x06\x00",
        b"\x09\x08\x08\x00",
        b"\x09\x08\x10\x00",
    ]),
    needs_worker: true,
    is_text: false,
    read: read_old_excel,
};

fn read_old_excel(input: &Input<'_>) -> Result<Document, DocumentError> {
    let bytes = opened(input.bytes.to_vec(), input)?;
    if bytes.starts_with(b"\x09\x08") {
        return xls::read_stream(&bytes, input);
    }
    let mut reader = OldReader::new(input);
    for (index, record) in records(&bytes, 0).enumerate() {
        if index % 1_024 == 0 {
            input.budget.check_time()?;
        }
        let _ = reader.record(&record);
    }
    reader.end_sheet();
    let mut markdown = input.markdown();
    let mut warnings = Vec::new();
    for (sheet, number) in reader.sheets.iter_mut().zip(1..) {
        let name = match sheet.name.is_empty() {
            true => format!("Sheet{number}"),
            false => sheet.name.clone(),
        };
        if markdown.part(Unit::Sheet, number, Some(&name)) {
            markdown.heading(2, &name);
            warnings.extend(sheet.grid.cut.then_some(Warning::Truncated));
            std::mem::take(&mut sheet.grid).write(&mut markdown);
        }
    }
    let mut document = Document::new(DocumentKind::XLS, markdown);
    document.pages = Some(reader.sheets.len() as u32);
    for warning in warnings {
        document.warn(warning);
    }
    Ok(document)
}

/// The records that are read. Where two versions differ, both are listed.
mod record {
    pub(super) const WHOLE_NUMBER: u16 = 0x0002;
    pub(super) const NUMBER: [u16; 2] = [0x0003, 0x0203];
    pub(super) const LABEL: [u16; 2] = [0x0004, 0x0204];
    pub(super) const BOOLEAN_OR_ERROR: [u16; 2] = [0x0005, 0x0205];
    pub(super) const FORMULA: [u16; 3] = [0x0006, 0x0206, 0x0406];
    pub(super) const FORMULA_TEXT: [u16; 2] = [0x0007, 0x0207];
    pub(super) const PACKED_NUMBER: u16 = 0x027E;
    pub(super) const BEGIN: [u16; 3] = [0x0009, 0x0209, 0x0409];
    pub(super) const END: u16 = 0x000A;
    pub(super) const NOTE: u16 = 0x001C;
    pub(super) const FORMAT: [u16; 2] = [0x001E, 0x041E];
    pub(super) const SINCE_1904: u16 = 0x0022;
    pub(super) const CODEPAGE: u16 = 0x0042;
    pub(super) const STYLE: [u16; 3] = [0x0043, 0x0243, 0x0443];
    pub(super) const SHEET: u16 = 0x008F;
}

#[derive(Default)]
struct OldSheet {
    name: String,
    grid: Grid,
}

struct OldReader<'a> {
    input: &'a Input<'a>,
    is_excel_2: bool,
    codepage: Codepage,
    since_1904: bool,
    /// The formats of numbers, and which of them each style has.
    formats: Vec<String>,
    styles: Vec<usize>,
    name: String,
    sheet: Option<OldSheet>,
    sheets: Vec<OldSheet>,
    /// The cell whose formula has a text as its result, which comes next.
    waiting: Option<Place>,
}

impl<'a> OldReader<'a> {
    fn new(input: &'a Input<'a>) -> OldReader<'a> {
        let mut codepage = Codepage::default();
        codepage.is_wide = false;
        OldReader {
            input,
            is_excel_2: false,
            codepage,
            since_1904: false,
            formats: Vec::new(),
            styles: Vec::new(),
            name: String::new(),
            sheet: None,
            sheets: Vec::new(),
            waiting: None,
        }
    }

    fn record(&mut self, record: &Record<'_>) -> Option<()> {
        let mut fields = Fields(record.data());
        let kind = record.kind;
        match kind {
            record::END => self.end_sheet(),
            record::SINCE_1904 => self.since_1904 = fields.short() == Some(1),
            record::CODEPAGE => self.codepage.set(fields.short()?),
            record::SHEET => {
                fields.long()?;
                self.name = one_line(&self.codepage.text(&mut fields, false));
            }
            record::NOTE => self.note(&mut fields)?,
            _ if record::BEGIN.contains(&kind) => self.begin(kind, &mut fields)?,
            _ if record::FORMAT.contains(&kind) => {
                if kind == record::FORMAT[1] {
                    fields.short()?;
                }
                self.formats.push(self.codepage.text(&mut fields, false));
            }
            _ if record::STYLE.contains(&kind) => {
                let place = if kind == record::STYLE[0] { 2 } else { 1 };
                let format = record.data().get(place)? & 0x3F;
                self.styles.push(usize::from(format));
            }
            _ if record::FORMULA_TEXT.contains(&kind) => {
                let has_wide_length = kind == record::FORMULA_TEXT[1];
                let text = self.codepage.text(&mut fields, has_wide_length);
                let cell = self.waiting.take()?;
                self.put(cell, text);
            }
            _ => self.cell(kind, &mut fields)?,
        }
        Some(())
    }

    fn begin(&mut self, kind: u16, fields: &mut Fields<'_>) -> Option<()> {
        const SHEET: u16 = 0x0010;
        const MACROS: u16 = 0x0040;
        self.is_excel_2 = kind == record::BEGIN[0];
        fields.short()?;
        if matches!(fields.short()?, SHEET | MACROS) {
            self.end_sheet();
            self.sheet = Some(OldSheet {
                name: std::mem::take(&mut self.name),
                grid: Grid::new(self.input.budget.limits.text),
            });
        }
        Some(())
    }

    fn end_sheet(&mut self) {
        let most = self.input.budget.limits.entries;
        if self.sheets.len() < most {
            self.sheets.extend(self.sheet.take());
        }
    }

    fn cell(&mut self, kind: u16, fields: &mut Fields<'_>) -> Option<()> {
        let is_cell = kind == record::WHOLE_NUMBER
            || kind == record::PACKED_NUMBER
            || record::NUMBER.contains(&kind)
            || record::LABEL.contains(&kind)
            || record::BOOLEAN_OR_ERROR.contains(&kind)
            || record::FORMULA.contains(&kind);
        if !is_cell {
            return None;
        }
        let cell = (u32::from(fields.short()?), u32::from(fields.short()?));
        let format = self.format(fields)?;
        let number = |value: f64| formatted_number(value, &format, self.since_1904);
        let text = match kind {
            record::WHOLE_NUMBER => number(f64::from(fields.short()?)),
            record::PACKED_NUMBER => number(rk(fields.long()?)),
            _ if record::NUMBER.contains(&kind) => number(fields.number()?),
            _ if record::LABEL.contains(&kind) => self.codepage.text(fields, !self.is_excel_2),
            _ if record::BOOLEAN_OR_ERROR.contains(&kind) => {
                match (fields.byte()?, fields.byte()?) {
                    (code, 1) => error(code).to_owned(),
                    (value, _) => boolean(value != 0).to_owned(),
                }
            }
            _ => match fields.bytes(8)? {
                [0, _, _, _, _, _, 0xFF, 0xFF] => {
                    self.waiting = Some(cell);
                    return Some(());
                }
                [1, _, value, _, _, _, 0xFF, 0xFF] => boolean(*value != 0).to_owned(),
                [2, _, code, _, _, _, 0xFF, 0xFF] => error(*code).to_owned(),
                [_, _, _, _, _, _, 0xFF, 0xFF] => String::new(),
                value => number(Fields(value).number()?),
            },
        };
        self.put(cell, text);
        Some(())
    }

    /// The format of the numbers of a cell, which Excel 2 states in the cell itself.
    fn format(&self, fields: &mut Fields<'_>) -> Option<String> {
        let index = match self.is_excel_2 {
            true => usize::from(fields.bytes(3)?[1] & 0x3F),
            false => {
                let style = usize::from(fields.short()?);
                self.styles.get(style).copied().unwrap_or(0)
            }
        };
        let format = self.formats.get(index).map(String::as_str);
        Some(format.unwrap_or("General").to_owned())
    }

    fn put(&mut self, cell: Place, text: String) {
        if let Some(sheet) = &mut self.sheet {
            sheet.grid.put(cell, text);
        }
    }

    fn note(&mut self, fields: &mut Fields<'_>) -> Option<()> {
        let cell = (u32::from(fields.short()?), u32::from(fields.short()?));
        let length = usize::from(fields.short()?);
        let text = self.codepage.letters(fields, length);
        self.sheet.as_mut()?.grid.comment(Comment {
            place: reference(cell),
            text,
            author: None,
        });
        Some(())
    }
}

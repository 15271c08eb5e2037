//! Binary workbooks (XLSB): the parts of an Office package, with records instead of XML.

use std::collections::HashMap;

use super::fields::{Fields, boolean, error, rk};
use super::formula::shown;
use super::formula_names::Names;
use super::formula_tokens::{Layout, formula_text};
use super::grid::{Comment, Grid, Place, link_target, reference};
use super::number_format::{built_in_format, formatted_number};
use super::sheet::formula_link;
use super::workbook::{SheetEntry, WorkbookWriter};
use super::xlsb_formulas::{SharedFormulas, formula, names};
use super::{Package, Relationship};
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::{Document, Input};

impl DocumentKind {
    /// A binary Excel workbook of the newer kind.
    pub const XLSB: DocumentKind = DocumentKind::named("xlsb");
}

pub(in crate::document) static XLSB: Format = Format {
    kind: DocumentKind::XLSB,
    label: Some("XLSB"),
    media_types: &["application/vnd.ms-excel.sheet.binary.macroenabled.12"],
    extensions: &["xlsb"],
    signature: Signature::Zip(|zip| zip.has_entry("xl/workbook.bin", "xl/workbook.bin")),
    needs_worker: true,
    is_text: false,
    read: read_xlsb,
};

/// The records that are read.
mod record {
    pub(super) const ROW: u16 = 0;
    pub(super) const RK: u16 = 2;
    pub(super) const ERROR: u16 = 3;
    pub(super) const BOOLEAN: u16 = 4;
    pub(super) const NUMBER: u16 = 5;
    pub(super) const TEXT: u16 = 6;
    pub(super) const SHARED_TEXT: u16 = 7;
    pub(super) const FORMULA_TEXT: u16 = 8;
    pub(super) const FORMULA_NUMBER: u16 = 9;
    pub(super) const FORMULA_BOOLEAN: u16 = 10;
    pub(super) const FORMULA_ERROR: u16 = 11;
    pub(super) const SHARED_ITEM: u16 = 19;
    pub(super) const FORMAT: u16 = 44;
    pub(super) const STYLE: u16 = 47;
    pub(super) const RICH_TEXT: u16 = 62;
    pub(super) const WORKBOOK_PROPERTIES: u16 = 153;
    pub(super) const SHEET: u16 = 156;
    pub(super) const LINK: u16 = 494;
    pub(super) const CELL_STYLES: u16 = 617;
    pub(super) const END_OF_CELL_STYLES: u16 = 618;
    pub(super) const AUTHOR: u16 = 632;
    pub(super) const COMMENT: u16 = 635;
    pub(super) const COMMENT_TEXT: u16 = 637;
}

fn read_xlsb(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("xl/workbook.bin")?;
    let relations = package.relations(&main)?;
    let workbook = package.archive.require_entry(&main, input.budget)?;
    let shared = BinaryWorkbook::read(&package, &workbook, &relations)?;
    let mut entries = Vec::new();
    for (kind, data) in records(&workbook) {
        if kind == record::SHEET {
            entries.extend(sheet_entry(data, &relations));
        }
    }
    if entries.is_empty() {
        return Err(DocumentError::Broken);
    }
    let mut writer = WorkbookWriter::new(&package);
    for entry in &entries {
        writer.sheet(entry, |bytes, relations| {
            let mut grid = shared.grid(bytes, relations, input)?;
            for comment in comments(&package, relations)? {
                grid.comment(comment);
            }
            Ok(grid)
        })?;
    }
    let mut document = writer.finish(DocumentKind::XLSB);
    package.describe(&mut document)?;
    document.pages = Some(entries.len() as u32);
    Ok(document)
}

fn sheet_entry(data: &[u8], relations: &HashMap<String, Relationship>) -> Option<SheetEntry> {
    let mut fields = Fields(data);
    let state = fields.long()?;
    fields.long()?;
    let relation = fields.text()?;
    let name = fields.text()?;
    Some(SheetEntry {
        name,
        is_hidden: state != 0,
        part: relations.get(&relation).map(|it| it.target.clone()),
    })
}

/// What the sheets have in common.
#[derive(Debug, Default)]
struct BinaryWorkbook {
    strings: Vec<String>,
    formats: Vec<String>,
    since_1904: bool,
    /// What formulas refer to.
    names: Names,
}

impl BinaryWorkbook {
    fn read(
        package: &Package<'_>,
        workbook: &[u8],
        relations: &HashMap<String, Relationship>,
    ) -> Result<BinaryWorkbook, DocumentError> {
        let part = |kind: &str| {
            let relation = relations.values().find(|it| it.kind.ends_with(kind));
            let target = relation.map_or("", |it| it.target.as_str());
            package.archive.read_entry(target, package.input.budget)
        };
        let mut shared = BinaryWorkbook::default();
        for (kind, data) in records(&part("/sharedStrings")?.unwrap_or_default()) {
            if kind == record::SHARED_ITEM {
                let text = Fields(data.get(1..).unwrap_or_default()).text();
                shared.strings.push(text.unwrap_or_default());
            }
        }
        shared.formats = formats(&part("/styles")?.unwrap_or_default());
        shared.since_1904 = records(workbook).any(|(kind, data)| {
            kind == record::WORKBOOK_PROPERTIES && data.first().is_some_and(|flags| flags & 1 == 1)
        });
        shared.names = names(workbook);
        Ok(shared)
    }

    fn grid(
        &self,
        bytes: &[u8],
        relations: &HashMap<String, Relationship>,
        input: &Input<'_>,
    ) -> Result<Grid, DocumentError> {
        let mut sheet = SheetReader {
            workbook: self,
            grid: Grid::new(input.budget.limits.text),
            wants_formulas: input.hint.formulas,
            shared: match input.hint.formulas {
                true => SharedFormulas::of_sheet(bytes),
                false => SharedFormulas::default(),
            },
        };
        let mut row = 0;
        for (kind, data) in records(bytes) {
            if kind == record::ROW {
                row = Fields(data).long().unwrap_or(row);
                input.budget.check_time()?;
            } else if kind == record::LINK {
                add_link(data, relations, &mut sheet.grid);
            } else {
                sheet.cell(kind, row, data);
            }
            if sheet.grid.cut {
                break;
            }
        }
        Ok(sheet.grid)
    }
}

struct SheetReader<'a> {
    workbook: &'a BinaryWorkbook,
    grid: Grid,
    wants_formulas: bool,
    shared: SharedFormulas<'a>,
}

impl SheetReader<'_> {
    /// Adds a cell, if the record is one.
    fn cell(&mut self, kind: u16, row: u32, data: &[u8]) -> Option<()> {
        if !(record::RK..=record::FORMULA_ERROR).contains(&kind) && kind != record::RICH_TEXT {
            return None;
        }
        let mut fields = Fields(data);
        let cell = (row, fields.long()?);
        let style = (fields.long()? & 0xFF_FFFF) as usize;
        let number = |value: f64| {
            let format = self.workbook.formats.get(style);
            let format = format.map_or("General", String::as_str);
            formatted_number(value, format, self.workbook.since_1904)
        };
        let text = match kind {
            record::RK => number(rk(fields.long()?)),
            record::NUMBER | record::FORMULA_NUMBER => number(fields.number()?),
            record::BOOLEAN | record::FORMULA_BOOLEAN => boolean(fields.byte()? != 0).to_owned(),
            record::ERROR | record::FORMULA_ERROR => error(fields.byte()?).to_owned(),
            record::SHARED_TEXT => {
                let strings = &self.workbook.strings;
                strings.get(fields.long()? as usize)?.clone()
            }
            record::TEXT | record::FORMULA_TEXT => fields.text()?,
            record::RICH_TEXT => {
                fields.byte()?;
                fields.text()?
            }
            _ => return None,
        };
        let text = match (record::FORMULA_TEXT..=record::FORMULA_ERROR).contains(&kind) {
            true => self.with_formula(cell, text, fields),
            false => text,
        };
        self.grid.put(cell, text);
        Some(())
    }

    /// The result of a formula, and the formula where that is wanted.
    fn with_formula(&mut self, cell: Place, result: String, mut fields: Fields<'_>) -> String {
        let stored = fields.short().and_then(|_| formula(fields, &self.shared));
        let stored = stored.unwrap_or_default();
        if !self.wants_formulas && !stored.may_be_link() {
            return result;
        }
        let formula = formula_text(stored, Layout::Excel2007, &self.workbook.names, cell);
        self.grid.lacks_formulas |= formula.is_none() && self.wants_formulas;
        let formula = formula.unwrap_or_default();
        if let Some(target) = formula_link(&formula) {
            self.grid.link(cell, target);
        }
        shown(result, &formula, self.wants_formulas)
    }
}

/// The format of each cell style.
fn formats(styles: &[u8]) -> Vec<String> {
    let mut own: HashMap<u32, String> = HashMap::new();
    let mut formats = Vec::new();
    let mut in_cells = false;
    for (kind, data) in records(styles) {
        let mut fields = Fields(data);
        match kind {
            record::FORMAT => {
                if let (Some(id), Some(code)) = (fields.short(), fields.text()) {
                    own.insert(u32::from(id), code);
                }
            }
            record::CELL_STYLES => in_cells = true,
            record::END_OF_CELL_STYLES => in_cells = false,
            record::STYLE if in_cells => {
                fields.short();
                let id = u32::from(fields.short().unwrap_or(0));
                let format = own.get(&id).cloned();
                formats.push(format.unwrap_or_else(|| built_in_format(id).to_owned()));
            }
            _ => {}
        }
    }
    formats
}

fn add_link(data: &[u8], relations: &HashMap<String, Relationship>, grid: &mut Grid) {
    let mut fields = Fields(data);
    let mut corner = || fields.long();
    let (Some(top), Some(bottom), Some(left), Some(right)) =
        (corner(), corner(), corner(), corner())
    else {
        return;
    };
    let relation = fields.text().and_then(|id| relations.get(&id));
    let outside = relation.and_then(Relationship::link);
    if let Some(target) = link_target(outside, fields.text()) {
        grid.link_range((top, left), (bottom, right), target);
    }
}

fn comments(
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
) -> Result<Vec<Comment>, DocumentError> {
    let Some(part) = relations.values().find(|it| it.kind.ends_with("/comments")) else {
        return Ok(Vec::new());
    };
    let bytes = package
        .archive
        .read_entry(&part.target, package.input.budget)?;
    let mut authors = Vec::new();
    let mut comments: Vec<Comment> = Vec::new();
    for (kind, data) in records(&bytes.unwrap_or_default()) {
        let mut fields = Fields(data);
        match kind {
            record::AUTHOR => authors.extend(fields.text()),
            record::COMMENT => {
                let author = fields.long().unwrap_or(u32::MAX) as usize;
                let row = fields.long().unwrap_or(0);
                fields.long();
                let column = fields.long().unwrap_or(0);
                comments.push(Comment {
                    place: reference((row, column)),
                    author: authors.get(author).cloned(),
                    text: String::new(),
                });
            }
            record::COMMENT_TEXT => {
                fields.byte();
                if let (Some(comment), Some(text)) = (comments.last_mut(), fields.text()) {
                    comment.text = text;
                }
            }
            _ => {}
        }
    }
    Ok(comments)
}

/// The records of a part: a type and a length, each in as few bytes as it takes, and the data.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let mut fields = Fields(rest);
        let first = fields.byte()?;
        let kind = if first & 0x80 == 0 {
            u16::from(first)
        } else {
            u16::from(first & 0x7F) | u16::from(fields.byte()? & 0x7F) << 7
        };
        let mut length = 0_usize;
        for step in 0..4 {
            let byte = fields.byte()?;
            length |= usize::from(byte & 0x7F) << (7 * step);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let data = fields.0.get(..length)?;
        rest = &fields.0[length..];
        Some((kind, data))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_are_cut_end_the_walk() {
        let whole = [0x9C, 0x01, 2, 1, 2, 5, 0x80];
        assert_eq!(records(&whole).collect::<Vec<_>>(), [(156, &[1, 2][..])]);
        for length in 0..whole.len() {
            let _ = records(&whole[..length]).count();
        }
    }
}

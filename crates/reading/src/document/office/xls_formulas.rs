//! What the formulas of workbooks before 2007 need: names, sheets, and formulas that many cells
//! share.

use std::collections::HashMap;

use super::biff::{Codepage, Record, Segments, records};
use super::fields::Fields;
use super::formula_names::{Book, Names, SheetReference};
use super::formula_tokens::{Formula, SAME_AS_CELL};
use super::grid::Place;

/// The records that are read.
mod record {
    pub(super) const FORMULA: u16 = 0x0006;
    pub(super) const END: u16 = 0x000A;
    pub(super) const SHEET_REFERENCES: u16 = 0x0017;
    pub(super) const DEFINED_NAME: u16 = 0x0018;
    pub(super) const NAME_IN_BOOK: u16 = 0x0023;
    pub(super) const BOOK: u16 = 0x01AE;
    pub(super) const FORMULA_OF_RANGE: u16 = 0x0221;
    pub(super) const SHARED_FORMULA: u16 = 0x04BC;
    pub(super) const BEGIN: u16 = 0x0809;
}

/// Letters of a name. Excel allows 255.
const MAX_NAME: usize = 255;

/// Collects what formulas refer to from the records before the first sheet.
#[derive(Default)]
pub(super) struct NameRecords {
    names: Names,
}

impl NameRecords {
    pub(super) fn sheet(&mut self, name: &str) {
        self.names.sheets.push(capped(name));
    }

    pub(super) fn record(&mut self, record: &Record<'_>, codepage: &Codepage) {
        let fields = Fields(record.data());
        match record.kind {
            record::DEFINED_NAME => {
                let name = defined_name(fields, codepage).unwrap_or_default();
                self.names.defined.push(capped(&name));
            }
            record::SHEET_REFERENCES if codepage.is_wide => self.references(fields),
            record::BOOK => self.names.books.push(book(record)),
            record::NAME_IN_BOOK => {
                if let Some(Book::Other { names, .. }) = self.names.books.last_mut() {
                    let mut fields = fields;
                    let _ = fields.bytes(6);
                    names.push(capped(&codepage.text(&mut fields, false)));
                }
            }
            _ => {}
        }
    }

    fn references(&mut self, mut fields: Fields<'_>) {
        fields.short();
        let mut next = || fields.short().map(usize::from);
        while let (Some(book), Some(first), Some(last)) = (next(), next(), next()) {
            self.names
                .references
                .push(SheetReference { book, first, last });
        }
    }

    pub(super) fn finish(self) -> Names {
        self.names
    }
}

fn capped(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}

fn defined_name(mut fields: Fields<'_>, codepage: &Codepage) -> Option<String> {
    const BUILT_IN: u16 = 0x20;
    let flags = fields.short()?;
    fields.byte()?;
    let length = usize::from(fields.byte()?);
    fields.bytes(10)?;
    let name = codepage.letters(&mut fields, length);
    let number = name.chars().next().map(u32::from);
    let built_in = match number.filter(|_| flags & BUILT_IN != 0) {
        Some(0x03) => "Criteria",
        Some(0x04) => "Database",
        Some(0x05) => "Extract",
        Some(0x06) => "Print_Area",
        Some(0x07) => "Print_Titles",
        Some(0x0D) => "_FilterDatabase",
        _ => return Some(name),
    };
    Some(built_in.to_owned())
}

/// A workbook that formulas refer to: this one, another one, or a program with functions.
fn book(record: &Record<'_>) -> Book {
    const OWN: [u8; 2] = [0x01, 0x04];
    const PROGRAM: [u8; 2] = [0x01, 0x3A];
    let kind = record.data().get(2..4).unwrap_or_default();
    if kind == OWN {
        return Book::Own;
    }
    let (mut file, mut sheets) = (String::new(), Vec::new());
    let mut segments = Segments::new(record);
    if kind != PROGRAM && segments.skip(2).is_some() {
        let path = segments.text().unwrap_or_default();
        let is_separator = |it: char| it.is_control() || matches!(it, '/' | '\\');
        file = capped(path.rsplit(is_separator).next().unwrap_or_default());
        sheets.extend(std::iter::from_fn(|| segments.text()).map(|name| capped(&name)));
    }
    Book::Other {
        file,
        sheets,
        names: Vec::new(),
    }
}

/// The formulas of a sheet that stand once for several cells, by the first of these.
#[derive(Default)]
pub(super) struct SharedFormulas<'a>(HashMap<Place, Formula<'a>>);

impl<'a> SharedFormulas<'a> {
    pub(super) fn of_sheet(bytes: &'a [u8], start: usize) -> SharedFormulas<'a> {
        let mut shared = HashMap::new();
        let mut depth = 0;
        let mut cell = None;
        for record in records(bytes, start) {
            let mut fields = Fields(record.data());
            match record.kind {
                record::BEGIN => depth += 1,
                record::END if depth <= 1 => break,
                record::END => depth -= 1,
                record::FORMULA => cell = place(&mut fields),
                record::SHARED_FORMULA => insert(&mut shared, cell, fields, 8),
                record::FORMULA_OF_RANGE => insert(&mut shared, cell, fields, 12),
                _ => {}
            }
        }
        SharedFormulas(shared)
    }

    /// A formula, from the fields that follow its result.
    pub(super) fn formula<'b>(&'b self, mut fields: Fields<'b>) -> Option<Formula<'b>> {
        fields.bytes(6)?;
        let formula = counted(fields)?;
        match formula.tokens {
            [SAME_AS_CELL, cell @ ..] => self.0.get(&place(&mut Fields(cell))?).copied(),
            _ => Some(formula),
        }
    }
}

fn insert<'a>(
    shared: &mut HashMap<Place, Formula<'a>>,
    cell: Option<Place>,
    mut fields: Fields<'a>,
    before: usize,
) {
    let formula = fields.bytes(before).and_then(|_| counted(fields));
    if let (Some(cell), Some(formula)) = (cell, formula) {
        shared.insert(cell, formula);
    }
}

fn place(fields: &mut Fields<'_>) -> Option<Place> {
    Some((u32::from(fields.short()?), u32::from(fields.short()?)))
}

/// The rest of a record: tokens with their length in front of them, then constants.
fn counted(mut fields: Fields<'_>) -> Option<Formula<'_>> {
    let length = usize::from(fields.short()?);
    let tokens = fields.bytes(length)?;
    Some(Formula {
        tokens,
        constants: fields.0,
    })
}

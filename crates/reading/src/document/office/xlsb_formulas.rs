//! What the formulas of binary workbooks (XLSB) need: names, sheets, and formulas that many cells
//! share.

use std::collections::HashMap;

use super::fields::Fields;
use super::formula_names::{Book, Names, SheetReference};
use super::formula_tokens::{Formula, SAME_AS_CELL};
use super::grid::Place;
use super::xlsb::records;

/// The records that are read.
mod record {
    pub(super) const ROW: u16 = 0;
    pub(super) const FORMULAS: std::ops::RangeInclusive<u16> = 8..=11;
    pub(super) const DEFINED_NAME: u16 = 39;
    pub(super) const SHEET: u16 = 156;
    pub(super) const OTHER_BOOK: u16 = 355;
    pub(super) const OWN_BOOK: u16 = 357;
    pub(super) const SAME_SHEET: u16 = 358;
    pub(super) const SHEET_REFERENCES: u16 = 362;
    pub(super) const FORMULA_OF_RANGE: u16 = 426;
    pub(super) const SHARED_FORMULA: u16 = 427;
    pub(super) const PROGRAM: u16 = 667;
}

/// Letters of a name. Excel allows 255.
const MAX_NAME: usize = 255;

/// What formulas refer to, from the main part of the workbook.
pub(super) fn names(workbook: &[u8]) -> Names {
    let mut names = Names::default();
    for (kind, data) in records(workbook) {
        let mut fields = Fields(data);
        match kind {
            record::SHEET => {
                let name = fields.bytes(8).and_then(|_| {
                    fields.text()?;
                    fields.text()
                });
                names.sheets.push(capped(name));
            }
            record::DEFINED_NAME => {
                let name = fields.bytes(9).and_then(|_| fields.text());
                names.defined.push(capped(name));
            }
            record::OWN_BOOK | record::SAME_SHEET => names.books.push(Book::Own),
            // Their sheets and names are in parts of their own.
            record::OTHER_BOOK | record::PROGRAM => names.books.push(Book::Other {
                file: String::new(),
                sheets: Vec::new(),
                names: Vec::new(),
            }),
            record::SHEET_REFERENCES => {
                fields.long();
                let mut next = || fields.long().map(|it| it as usize);
                while let (Some(book), Some(first), Some(last)) = (next(), next(), next()) {
                    names.references.push(SheetReference { book, first, last });
                }
            }
            _ => {}
        }
    }
    names
}

fn capped(name: Option<String>) -> String {
    let name = name.unwrap_or_default();
    name.chars().take(MAX_NAME).collect()
}

/// The formulas of a sheet that stand once for several cells, by the first of these.
#[derive(Default)]
pub(super) struct SharedFormulas<'a>(HashMap<Place, Formula<'a>>);

impl<'a> SharedFormulas<'a> {
    pub(super) fn of_sheet(bytes: &'a [u8]) -> SharedFormulas<'a> {
        let mut shared = HashMap::new();
        let (mut row, mut cell) = (0, None);
        for (kind, data) in records(bytes) {
            let mut fields = Fields(data);
            let before = match kind {
                record::SHARED_FORMULA => 16,
                record::FORMULA_OF_RANGE => 17,
                record::ROW => {
                    row = fields.long().unwrap_or(row);
                    continue;
                }
                kind if record::FORMULAS.contains(&kind) => {
                    cell = fields.long().map(|column| (row, column));
                    continue;
                }
                _ => continue,
            };
            let formula = fields.bytes(before).and_then(|_| counted(fields));
            if let (Some(cell), Some(formula)) = (cell, formula) {
                shared.insert(cell, formula);
            }
        }
        SharedFormulas(shared)
    }
}

/// The formula of a cell, or the one that it shares.
pub(super) fn formula<'a>(fields: Fields<'a>, shared: &SharedFormulas<'a>) -> Option<Formula<'a>> {
    let formula = counted(fields)?;
    let [SAME_AS_CELL, row @ ..] = formula.tokens else {
        return Some(formula);
    };
    let row = Fields(row).long()?;
    let column = Fields(formula.constants).long()?;
    shared.0.get(&(row, column)).copied()
}

/// Tokens and constants, each with their length in front of them.
fn counted(mut fields: Fields<'_>) -> Option<Formula<'_>> {
    let mut part = || {
        let length = fields.long()? as usize;
        fields.bytes(length)
    };
    Some(Formula {
        tokens: part()?,
        constants: part().unwrap_or_default(),
    })
}

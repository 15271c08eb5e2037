//! The cells of one Excel sheet, read as a stream.
//!
//! Sheets are by far the largest parts of Office files, so they are not parsed into a tree. Only
//! filled cells are stored, each with its column, so that a cell in the last corner of a sheet does
//! not make a table of seventeen billion cells.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::error::DocumentError;
use super::super::xml::entity_text;
use super::xlsx::Workbook;

/// Cells further to the right are left out.
const MAX_COLUMNS: usize = 256;

/// The filled cells of a sheet.
#[derive(Debug, Default)]
pub(super) struct SheetCells {
    pub(super) rows: Vec<Vec<(usize, String)>>,
    pub(super) cut: bool,
    pub(super) broken: bool,
    widest: usize,
}

/// Reads a sheet until it ends, breaks, or exceeds `room` bytes of text.
pub(super) fn read_sheet(
    xml: &str,
    workbook: &Workbook<'_>,
    room: usize,
) -> Result<SheetCells, DocumentError> {
    let mut sheet = SheetReader {
        workbook,
        cells: SheetCells::default(),
        cell: Cell::default(),
        next_column: 0,
        bytes: 0,
        in_value: false,
        in_formula: false,
    };
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return Ok(sheet.cells),
            Ok(Event::Start(start)) => sheet.start(&start, false)?,
            Ok(Event::Empty(start)) => sheet.start(&start, true)?,
            Ok(Event::Text(text)) => sheet.text(&text.xml10_content()),
            Ok(Event::CData(text)) if sheet.in_value => sheet.text(&text.xml10_content()),
            Ok(Event::GeneralRef(reference)) if sheet.in_value => {
                sheet.text(&entity_text(&reference))
            }
            Ok(Event::End(end)) => {
                let name = end.local_name();
                sheet.end(name.as_ref());
                if name.as_ref() == "c" && sheet.size() > room {
                    sheet.cells.cut = true;
                    return Ok(sheet.cells);
                }
            }
            Ok(_) => {}
            Err(_) => {
                sheet.cells.broken = true;
                return Ok(sheet.cells);
            }
        }
    }
}

/// The cell that is being read.
#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    text: String,
    formula: String,
    open: bool,
}

struct SheetReader<'a> {
    workbook: &'a Workbook<'a>,
    cells: SheetCells,
    cell: Cell,
    /// The column of the next cell that does not say where it is.
    next_column: usize,
    /// The length of all texts so far.
    bytes: usize,
    in_value: bool,
    in_formula: bool,
}

impl SheetReader<'_> {
    fn start(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Result<(), DocumentError> {
        match start.local_name().as_ref() {
            "row" => {
                self.next_column = 0;
                if self.cells.rows.last().is_none_or(|row| !row.is_empty()) {
                    self.cells.rows.push(Vec::new());
                }
                self.workbook.budget.check_time()?;
            }
            "c" => {
                self.cell = opened(start, self.next_column);
                self.next_column = self.cell.column + 1;
                self.cell.open = !is_empty;
            }
            "v" | "t" => self.in_value = !is_empty,
            "f" => self.in_formula = !is_empty,
            // Phonetic guides of Japanese names.
            "rPh" => self.in_value = false,
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if self.cell.open && self.in_formula {
            self.cell.formula.push_str(text);
        } else if self.cell.open && self.in_value {
            self.cell.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "v" | "t" => self.in_value = false,
            "f" => self.in_formula = false,
            "c" => {
                let text = match std::mem::take(&mut self.cell.text) {
                    // Some programs do not store the result of a formula.
                    text if text.is_empty() && !self.cell.formula.is_empty() => {
                        format!("={}", self.cell.formula)
                    }
                    text => self
                        .workbook
                        .cell_text(&self.cell.kind, self.cell.style, text),
                };
                self.bytes += text.len();
                self.cells.put(self.cell.column, text);
                self.cell.open = false;
            }
            _ => {}
        }
    }

    /// The length of the table. It is as wide as its widest row, and an empty cell takes three
    /// characters.
    fn size(&self) -> usize {
        self.bytes + 3 * self.cells.rows.len() * self.cells.widest
    }
}

impl SheetCells {
    fn put(&mut self, column: usize, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if column >= MAX_COLUMNS {
            self.cut = true;
            return;
        }
        if self.rows.is_empty() {
            self.rows.push(Vec::new());
        }
        if let Some(row) = self.rows.last_mut() {
            row.push((column, text));
            self.widest = self.widest.max(column + 1);
        }
    }

    /// The rows that are not empty, starting at the first column that is not.
    pub(super) fn table(self) -> Vec<Vec<String>> {
        let first = self
            .rows
            .iter()
            .flatten()
            .map(|(column, _)| *column)
            .min()
            .unwrap_or(0);
        let filled = self.rows.into_iter().filter(|row| !row.is_empty());
        filled.map(|row| dense(row, first)).collect()
    }
}

fn dense(row: Vec<(usize, String)>, first: usize) -> Vec<String> {
    let width = row
        .iter()
        .map(|(column, _)| column - first + 1)
        .max()
        .unwrap_or(0);
    let mut cells = vec![String::new(); width];
    for (column, text) in row {
        cells[column - first] = text;
    }
    cells
}

fn opened(start: &BytesStart<'_>, next_column: usize) -> Cell {
    let value = |name: &str| {
        start
            .try_get_attribute(name)
            .ok()
            .flatten()
            .map(|attribute| attribute.value.into_owned())
    };
    Cell {
        column: value("r")
            .as_deref()
            .and_then(column)
            .unwrap_or(next_column),
        kind: value("t").unwrap_or_default(),
        style: value("s").and_then(|style| style.parse().ok()).unwrap_or(0),
        text: String::new(),
        formula: String::new(),
        open: true,
    }
}

/// The column of a cell reference, from zero: 2 for `C5`.
fn column(reference: &str) -> Option<usize> {
    let letters = reference
        .bytes()
        .take_while(u8::is_ascii_alphabetic)
        .take(4);
    letters.fold(None, |column: Option<usize>, letter| {
        Some(
            column.map_or(0, |column| (column + 1) * 26)
                + usize::from(letter.to_ascii_uppercase() - b'A'),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cell_references_give_the_column() {
        assert_eq!(
            ["A1", "Z9", "AA1", "XFD1048576", "7"].map(column),
            [Some(0), Some(25), Some(26), Some(16_383), None]
        );
    }
}

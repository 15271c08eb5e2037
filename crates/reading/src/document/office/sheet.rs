//! The cells of one Excel sheet, read as a stream.
//!
//! Sheets are by far the largest parts of Office files, so they get no tree. Cells are kept where
//! they are named, not where they come, and empty space costs nothing: a cell in the last corner of
//! a sheet does not make a table of seventeen billion cells.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::error::DocumentError;
use super::super::xml::entity_text;
use super::xlsx::Workbook;

/// Cells further right are left out.
const MOST_COLUMNS: usize = 256;

/// The filled cells of a sheet.
#[derive(Debug, Default)]
pub(super) struct SheetCells {
    pub(super) rows: Vec<Vec<(usize, String)>>,
    pub(super) cut: bool,
    pub(super) broken: bool,
    widest: usize,
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

/// Reads a sheet until it ends, breaks, or has given more text than fits.
pub(super) fn read_sheet(
    xml: &str,
    workbook: &Workbook<'_>,
    room: usize,
) -> Result<SheetCells, DocumentError> {
    let mut sheet = SheetCells::default();
    let mut cell = Cell::default();
    let mut next_column = 0;
    let mut spent = 0;
    let (mut capturing, mut in_formula) = (false, false);
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    loop {
        let event = match reader.read_event() {
            Ok(Event::Eof) => return Ok(sheet),
            Ok(event) => event,
            Err(_) => {
                sheet.broken = true;
                return Ok(sheet);
            }
        };
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(start) | Event::Empty(start) => match start.local_name().as_ref() {
                "row" => {
                    next_column = 0;
                    if sheet.rows.last().is_none_or(|row| !row.is_empty()) {
                        sheet.rows.push(Vec::new());
                    }
                    workbook.budget.check_time()?;
                }
                "c" => {
                    cell = opened(&start, next_column);
                    next_column = cell.column + 1;
                    cell.open = !is_empty;
                }
                "v" | "t" => capturing = !is_empty,
                "f" => in_formula = !is_empty,
                // Readings of Japanese names beside the names.
                "rPh" => capturing = false,
                _ => {}
            },
            Event::Text(text) if in_formula && cell.open => {
                cell.formula.push_str(&text.xml10_content())
            }
            Event::Text(text) if capturing && cell.open => {
                cell.text.push_str(&text.xml10_content())
            }
            Event::CData(text) if capturing && cell.open => {
                cell.text.push_str(&text.xml10_content())
            }
            Event::GeneralRef(reference) if capturing && cell.open => {
                cell.text.push_str(&entity_text(&reference))
            }
            Event::End(end) => match end.local_name().as_ref() {
                "v" | "t" => capturing = false,
                "f" => in_formula = false,
                "c" => {
                    let text = match std::mem::take(&mut cell.text) {
                        // Some writers leave the result to whoever opens the file.
                        text if text.is_empty() && !cell.formula.is_empty() => {
                            format!("={}", cell.formula)
                        }
                        text => workbook.shown(&cell.kind, cell.style, text),
                    };
                    spent += text.len();
                    sheet.put(cell.column, text);
                    cell.open = false;
                    // The table is as wide as its widest row, and an empty cell takes three
                    // characters.
                    if spent + 3 * sheet.rows.len() * sheet.widest > room {
                        sheet.cut = true;
                        return Ok(sheet);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}

impl SheetCells {
    fn put(&mut self, column: usize, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if column >= MOST_COLUMNS {
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

    /// The rows that hold something, from the first column that does.
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

/// `C5` is in column 2.
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
    fn columns_count_like_spreadsheets() {
        assert_eq!(
            ["A1", "Z9", "AA1", "XFD1048576", "7"].map(column),
            [Some(0), Some(25), Some(26), Some(16_383), None]
        );
    }
}

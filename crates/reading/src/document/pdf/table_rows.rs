//! Puts lines that follow one another into the rows and cells of a table.
//!
//! Programs draw a table cell by cell and row by row. From a cell, the next line is either below it, and
//! part of it, or to the right of it, and the next cell, or back to the left and below, and the next row.
//! Any other move ends the table.

use super::list_item::is_mark;
use super::rows::{PdfRow, Segment};

/// A longer table becomes several.
const MAX_LINES: usize = 300;
/// How far apart the lines of a cell may be, relative to the font size.
const WIDEST_LINE: f64 = 1.8;
/// How far apart the rows of a table may be.
const WIDEST_ROW: f64 = 3.6;
/// A cell of more lines is a column of the page.
const MAX_CELL: usize = 24;

/// A cell: what is drawn in one place, line by line.
#[derive(Debug, Clone)]
pub(super) struct Cell<'a> {
    /// The segments, each with its baseline.
    pub(super) lines: Vec<(f64, &'a Segment)>,
    pub(super) left: f64,
    pub(super) right: f64,
}

impl<'a> Cell<'a> {
    fn new(baseline: f64, segment: &'a Segment) -> Cell<'a> {
        Cell {
            lines: vec![(baseline, segment)],
            left: segment.left,
            right: segment.right,
        }
    }

    fn push(&mut self, baseline: f64, segment: &'a Segment) {
        self.lines.push((baseline, segment));
        self.left = self.left.min(segment.left);
        self.right = self.right.max(segment.right);
    }

    pub(super) fn top(&self) -> f64 {
        self.lines.first().map_or(0.0, |line| line.0)
    }

    pub(super) fn bottom(&self) -> f64 {
        self.lines.last().map_or(0.0, |line| line.0)
    }

    fn overlaps(&self, segment: &Segment) -> bool {
        segment.left < self.right && segment.right > self.left
    }
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(super) struct TableRow<'a> {
    pub(super) cells: Vec<Cell<'a>>,
    /// The number of lines up to its end.
    pub(super) end: usize,
}

impl TableRow<'_> {
    pub(super) fn top(&self) -> f64 {
        self.cells.iter().map(Cell::top).fold(f64::MAX, f64::min)
    }

    pub(super) fn bottom(&self) -> f64 {
        self.cells.iter().map(Cell::bottom).fold(f64::MIN, f64::max)
    }
}

/// Where a line stands, as seen from the cell before.
#[derive(Debug, PartialEq, Eq)]
enum Move {
    /// In the same cell.
    Down,
    NextCell,
    NextRow,
    Away,
}

/// The rows of a table at the start of these lines, if they are one.
pub(super) fn table_rows(lines: &[PdfRow]) -> Vec<TableRow<'_>> {
    let mut rows: Vec<TableRow<'_>> = Vec::new();
    for (index, line) in lines.iter().take(MAX_LINES).enumerate() {
        if line.table.is_some() || is_item(line) || !add_line(&mut rows, line, index) {
            break;
        }
    }
    rows
}

/// Whether a row is an item of a list, with its mark apart.
fn is_item(row: &PdfRow) -> bool {
    row.segments.len() == 2 && is_mark(&row.segments[0].text)
}

/// Adds the segments of a line. False if they do not belong to the table.
fn add_line<'a>(rows: &mut Vec<TableRow<'a>>, line: &'a PdfRow, index: usize) -> bool {
    for (place, segment) in line.segments.iter().enumerate() {
        let next = next_move(rows, line.baseline, segment);
        if place > 0 && next != Move::NextCell {
            // Only part of the line would belong to the table.
            return false;
        }
        let cell = Cell::new(line.baseline, segment);
        match (next, rows.last_mut()) {
            (Move::Away, _) => return false,
            (Move::Down, Some(row)) => {
                let last = row.cells.len() - 1;
                row.cells[last].push(line.baseline, segment);
                row.end = index + 1;
            }
            (Move::NextCell, Some(row)) => {
                row.cells.push(cell);
                row.end = index + 1;
            }
            _ => rows.push(TableRow {
                cells: vec![cell],
                end: index + 1,
            }),
        }
    }
    true
}

fn next_move(rows: &[TableRow<'_>], baseline: f64, segment: &Segment) -> Move {
    let Some(row) = rows.last() else {
        return Move::NextRow;
    };
    let cell = &row.cells[row.cells.len() - 1];
    let size = segment.size;
    let step = baseline - cell.bottom();
    let floor = match rows.len() {
        // The cells of the first row may be centred beside a tall one.
        1 => cell.top() - MAX_CELL as f64 * size,
        count => rows[count - 2].bottom(),
    };
    let is_right = segment.left >= cell.right - 0.1 * size;
    if is_right && step <= 0.5 * size && baseline > floor + 0.3 * size {
        return Move::NextCell;
    }
    let before = row.cells.len().checked_sub(2).map(|it| &row.cells[it]);
    let is_in_cell = before.is_none_or(|it| segment.left >= it.right - 0.1 * size);
    if cell.overlaps(segment) && is_in_cell && step > 0.3 * size && step <= WIDEST_LINE * size {
        return if cell.lines.len() < MAX_CELL {
            Move::Down
        } else {
            Move::Away
        };
    }
    let above = row.cells.iter().filter(|cell| cell.overlaps(segment));
    let above = above.map(Cell::bottom).fold(row.top(), f64::max);
    let is_below = baseline > above + 0.5 * size;
    if is_below && segment.left < cell.right && baseline <= row.bottom() + WIDEST_ROW * size {
        return Move::NextRow;
    }
    Move::Away
}

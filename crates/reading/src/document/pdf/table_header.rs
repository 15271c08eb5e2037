//! Tells the first row of a short table by its font: two rows that stand below one another are else
//! hardly a table.

use std::ops::Range;

use super::rows::{PdfRow, Segment};
use super::table_rows::{Cell, TableRow};

/// Whether the first row is the header of the second: each of its cells is above one, and in another
/// font.
pub(super) fn has_header(rows: &[TableRow<'_>]) -> bool {
    let [header, row, ..] = rows else {
        return false;
    };
    let segment = |cells: &[Cell<'_>]| -> Vec<Segment> {
        let lines = cells.iter().filter_map(|cell| cell.lines.first());
        lines.map(|line| line.1.clone()).collect()
    };
    let (header, row) = (segment(&header.cells), segment(&row.cells));
    let is_bold = header.iter().all(|it| it.is_bold) && !row.iter().any(|it| it.is_bold);
    (is_bold || is_above_code(&header, &row)) && is_aligned(&header, &row)
}

/// Whether rows that look like code are the rest of a table whose header is above them.
pub(super) fn has_header_above(rows: &[PdfRow], code: &Range<usize>) -> bool {
    let header = code.start.checked_sub(1).map(|it| &rows[it].segments);
    header.is_some_and(|header| {
        let is_below = |row: &PdfRow| {
            is_above_code(header, &row.segments) && is_aligned(header, &row.segments)
        };
        rows[code.clone()].iter().all(is_below)
    })
}

/// Whether only the second of two rows is in a font whose letters are all as wide.
fn is_above_code(header: &[Segment], row: &[Segment]) -> bool {
    header.iter().all(|it| it.fixed.is_none()) && row.iter().all(|it| it.fixed.is_some())
}

/// Whether the cells of a row are several, and each below one of the other row.
fn is_aligned(header: &[Segment], row: &[Segment]) -> bool {
    const NEAR: f64 = 0.5;
    let is_below = |(above, below): (&Segment, &Segment)| {
        let near = NEAR * above.size;
        let (left, right) = (below.left - above.left, below.right - above.right);
        left.abs() < near || right.abs() < near || (left + right).abs() < 2.0 * near
    };
    // The number of a heading stands apart from it, as a cell does.
    let are_words = header
        .iter()
        .all(|it| it.text.contains(char::is_alphabetic));
    are_words
        && header.len() > 1
        && header.len() == row.len()
        && header.iter().zip(row).all(is_below)
}

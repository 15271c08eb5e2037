//! Where the cells of a table stand that does not write the cells others span.
//!
//! A cell that spans others is followed by an element for each of them. Some programs leave these out,
//! and word processors, which place cells by the spans, show such a table as it was meant.

use super::super::xml::XmlElement;
use super::blocks::{MAX_REPEATS, repeated};

/// The cells of a table that reach into the rows below.
pub(super) struct Spans {
    /// Whether the table writes the cells that others span, so that they need not be counted.
    are_written: bool,
    /// In how many rows, with this one, each column is covered from above.
    rows: Vec<usize>,
}

impl Spans {
    pub(super) fn of(table: XmlElement<'_>) -> Spans {
        Spans {
            are_written: table.find("covered-table-cell").is_some(),
            rows: Vec::new(),
        }
    }

    /// Adds an empty cell for each of the next columns that is covered from above.
    pub(super) fn fill_covered(&self, cells: &mut Vec<String>) {
        while self.rows.get(cells.len()).is_some_and(|rows| *rows > 0) {
            cells.push(String::new());
        }
    }

    /// Adds the cells beside one that spans them. It was written from the column `first` on.
    pub(super) fn begin(&mut self, cell: XmlElement<'_>, first: usize, cells: &mut Vec<String>) {
        if self.are_written {
            return;
        }
        let columns = repeated(cell, "number-columns-spanned").min(MAX_REPEATS);
        cells.extend(std::iter::repeat_n(String::new(), columns - 1));
        // Word processors have tables of fewer columns.
        let end = cells.len().min(MAX_REPEATS);
        if self.rows.len() < end {
            self.rows.resize(end, 0);
        }
        if first < end {
            self.rows[first..end].fill(repeated(cell, "number-rows-spanned"));
        }
    }

    pub(super) fn end_row(&mut self) {
        for rows in &mut self.rows {
            *rows = rows.saturating_sub(1);
        }
    }
}

//! Where the cells of a table stand: those that span rows and columns push the others aside.
//!
//! Places are computed by ranges of columns, never column by column: a cell may claim a thousand
//! columns, and a page may have a hundred thousand such cells. Columns in which no cell begins take
//! no room.

use std::collections::VecDeque;

/// The most cells of a row. No table is that wide; a page that makes it up is an attack.
const MAX_IN_ROW: usize = 1_000;

/// The most cells of a table, counting those that are repeated and empty ones between others.
const MAX_CELLS: usize = 1_000_000;

/// HTML lets no cell span more columns.
const MAX_SPAN: usize = 1_000;

/// A cell longer than this is written once, not in every row and column it spans.
const MAX_REPEATED: usize = 200;

/// The most bytes of repeated texts in a table.
const MAX_REPEATED_BYTES: usize = 2_000_000;

/// A cell as the page has it.
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) columns: usize,
    /// Zero for all that are left.
    pub(super) rows: usize,
    /// Whether it is a heading of several columns, which is needed above each.
    pub(super) is_heading: bool,
}

/// A cell in its place.
#[derive(Clone)]
struct Placed {
    column: usize,
    end: usize,
    text: String,
    /// The text for the columns after the first.
    beside: String,
}

/// A cell that reaches into the rows below.
struct Reaching {
    placed: Placed,
    rows_left: usize,
}

#[derive(Default)]
pub(super) struct TableLayout {
    rows: Vec<Vec<Placed>>,
    /// The cells that reach into the next row, by their columns.
    reaching: Vec<Reaching>,
    cells: usize,
    repeated_bytes: usize,
    /// How many cells with text are missing because there are too many.
    pub(super) left_out: usize,
}

impl TableLayout {
    /// Adds a row. One without a text of its own is left out, but counts for the cells from above.
    pub(super) fn row(&mut self, cells: impl Iterator<Item = Cell>) {
        if self.cells >= MAX_CELLS {
            self.left_out += cells.filter(|it| !it.text.is_empty()).count();
            return;
        }
        let mut row: Vec<Placed> = Vec::new();
        let mut above = self.take_row_above();
        let (mut column, mut has_own) = (0, false);
        for cell in cells {
            while above.front().is_some_and(|it| it.column <= column) {
                row.extend(above.pop_front());
                column = row.last().map_or(column, |it| column.max(it.end));
            }
            if row.len() >= MAX_IN_ROW || self.cells + row.len() >= MAX_CELLS {
                self.left_out += usize::from(!cell.text.is_empty());
                continue;
            }
            has_own |= !cell.text.is_empty();
            let rows = cell.rows;
            let placed = Placed::new(cell, column);
            column = placed.end;
            if rows != 1 {
                self.reaching.push(Reaching {
                    rows_left: rows.wrapping_sub(1),
                    placed: placed.repeated(),
                });
            }
            row.push(placed);
        }
        self.reaching.sort_by_key(|it| it.placed.column);
        row.extend(above);
        self.cells += row.len();
        if has_own {
            self.rows.push(row);
        }
    }

    /// The cells that reach into the next row, which is one less for each.
    fn take_row_above(&mut self) -> VecDeque<Placed> {
        let mut above = VecDeque::with_capacity(self.reaching.len());
        for it in &mut self.reaching {
            it.rows_left -= 1;
            self.repeated_bytes += it.placed.text.len();
            if self.repeated_bytes > MAX_REPEATED_BYTES {
                it.placed.text.clear();
                it.placed.beside.clear();
            }
            above.push_back(it.placed.clone());
        }
        self.reaching.retain(|it| it.rows_left > 0);
        above
    }

    /// The texts of all rows, each without the empty cells at its end.
    pub(super) fn texts(&mut self) -> Vec<Vec<String>> {
        let cells = self.rows.iter().flatten();
        let mut columns: Vec<usize> = cells.map(|it| it.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut room = MAX_CELLS;
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in std::mem::take(&mut self.rows) {
            let width = row
                .iter()
                .filter(|it| !it.text.is_empty())
                .map(|it| columns.partition_point(|column| *column < it.filled_end()))
                .max()
                .unwrap_or(0);
            if width > room {
                self.left_out += row.iter().filter(|it| !it.text.is_empty()).count();
                continue;
            }
            room -= width;
            rows.push(self.row_texts(row, &columns, width));
        }
        rows
    }

    fn row_texts(&mut self, row: Vec<Placed>, columns: &[usize], width: usize) -> Vec<String> {
        let mut texts = vec![String::new(); width];
        for cell in row {
            let from = columns.partition_point(|column| *column < cell.column);
            let to = columns.partition_point(|column| *column < cell.filled_end());
            for text in texts.iter_mut().take(to).skip(from + 1) {
                self.repeated_bytes += cell.beside.len();
                if self.repeated_bytes <= MAX_REPEATED_BYTES {
                    text.clone_from(&cell.beside);
                }
            }
            // A cell from above may claim the column of another one, and was written before.
            if let Some(text) = texts.get_mut(from).filter(|text| text.is_empty()) {
                *text = cell.text;
            }
        }
        texts
    }
}

impl Placed {
    fn new(cell: Cell, column: usize) -> Placed {
        let is_repeated = cell.is_heading && cell.text.len() <= MAX_REPEATED;
        Placed {
            column,
            end: column + cell.columns.clamp(1, MAX_SPAN),
            beside: if is_repeated {
                cell.text.clone()
            } else {
                String::new()
            },
            text: cell.text,
        }
    }

    /// The column after the last that shows its text.
    fn filled_end(&self) -> usize {
        if self.beside.is_empty() {
            self.column + 1
        } else {
            self.end
        }
    }

    /// As it is in the rows below.
    fn repeated(&self) -> Placed {
        let mut below = self.clone();
        if below.text.len() > MAX_REPEATED {
            below.text.clear();
        }
        below
    }
}

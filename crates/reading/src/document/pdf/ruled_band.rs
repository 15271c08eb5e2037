//! A band of a ruled table: what stands between two horizontal lines.
//!
//! Its lines of text are either rows that no line divides, or the lines of cells. The order in which the
//! file draws them tells: programs draw a table row by row, and each cell line by line.

use std::collections::BTreeMap;

use super::aligned_table::{are_numbers, is_number};
use super::content::UNORDERED;
use super::rows::{PdfRow, Segment};

/// So many lines of a band with several texts in one cell are rows.
const MIN_PARTED: usize = 2;

/// The lines of text in a band, from the top, each with the columns of its segments.
pub(super) struct Band<'r> {
    pub(super) lines: Vec<(&'r PdfRow, Vec<usize>)>,
}

/// A segment in the order in which the file draws the band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Drawn {
    order: usize,
    line: usize,
    column: usize,
}

impl<'r> Band<'r> {
    pub(super) fn segments(&self) -> impl Iterator<Item = &'r Segment> {
        self.lines.iter().flat_map(|(row, _)| &row.segments)
    }

    /// How many lines have several texts in one cell.
    pub(super) fn apart(&self) -> usize {
        let is_apart = |columns: &[usize]| columns.windows(2).any(|pair| pair[0] == pair[1]);
        let lines = self.lines.iter();
        lines.filter(|(_, columns)| is_apart(columns)).count()
    }

    /// Whether texts beside one another in a cell stand for columns that no line divides, so that each line is
    /// a row. The options of a form stand so, too, but its cells are drawn one after the other.
    pub(super) fn has_undivided_columns(&self) -> bool {
        let apart = self.apart();
        let drawn = self.drawn();
        let is_of_cells = columns(&drawn) > 1 && is_by_cells(&drawn);
        apart >= MIN_PARTED && apart * 2 >= self.lines.len() && !is_of_cells
    }

    /// The row of the table that each line is, counted from 0, if lines are rows rather than lines of
    /// cells.
    pub(super) fn rows_of_lines(&self) -> Option<Vec<usize>> {
        let most = self.lines.iter().map(|(_, it)| distinct(it)).max()?;
        if most < 2 || self.lines.len() < 2 {
            return None;
        }
        let drawn = self.drawn();
        let is_by_cells = is_by_cells(&drawn);
        let is_by_lines = changes(&drawn, |it| it.line) < self.lines.len();
        let tall = self.beside_all();
        let are_rows = match (self.are_full(most), is_by_cells) {
            (true, true) => {
                self.lines.len() >= 3 && self.are_complete(most) && self.has_numbers(&tall)
            }
            (true, false) => self.lines.len() >= 3 || self.are_all_numbers(),
            (false, false) => is_by_lines && self.are_pairs(&tall) && self.has_numbers(&tall),
            (false, true) => false,
        };
        if are_rows {
            return Some(numbered(&tall));
        }
        self.rows_of_cells(&drawn)
    }

    /// The row of each line, if the file draws cell by cell, and after the last cell of a row goes on
    /// below all that it has drawn.
    fn rows_of_cells(&self, drawn: &[Drawn]) -> Option<Vec<usize>> {
        let rows: Vec<&[Drawn]> = drawn
            .chunk_by(|one, next| one.column <= next.column)
            .collect();
        let lines = |row: &[Drawn]| {
            let lines = row.iter().map(|it| it.line);
            (lines.clone().min(), lines.max())
        };
        let mut pairs = rows.windows(2);
        let are_below = pairs.all(|pair| lines(pair[0]).1 < lines(pair[1]).0);
        let begin_alike = rows.iter().all(|row| row[0].column == rows[0][0].column);
        let are_parted = rows.iter().all(|row| columns(row) > 1);
        // Otherwise the file draws line by line, and the lines may be those of one row.
        let are_cells = rows.iter().any(|row| has_tall_cell(row));
        if rows.len() < 2 || !are_below || !begin_alike || !are_parted || !are_cells {
            return None;
        }
        let mut row_of = vec![None; self.lines.len()];
        for (index, row) in rows.iter().enumerate() {
            row.iter().for_each(|it| row_of[it.line] = Some(index));
        }
        row_of.into_iter().collect()
    }

    /// Whether most lines have text in most columns.
    fn are_full(&self, most: usize) -> bool {
        let full = self.lines.iter().filter(|(_, it)| distinct(it) * 2 > most);
        full.count() * 10 >= self.lines.len() * 8
    }

    fn are_complete(&self, most: usize) -> bool {
        self.lines.iter().all(|(_, it)| distinct(it) == most)
    }

    fn are_all_numbers(&self) -> bool {
        let mut lines = self.lines.iter();
        lines.all(|(row, _)| are_numbers(row.segments.iter()))
    }

    /// Whether all lines but those of tall cells have texts in several columns.
    fn are_pairs(&self, tall: &[bool]) -> bool {
        let mut lines = self.lines.iter().zip(tall);
        lines.all(|((_, columns), is_tall)| *is_tall || distinct(columns) > 1)
    }

    /// Whether each line but those of tall cells has a number in the same column.
    fn has_numbers(&self, tall: &[bool]) -> bool {
        let lines = self.lines.iter().zip(tall);
        let lines: Vec<&(&PdfRow, Vec<usize>)> = lines
            .filter(|(_, is_tall)| !**is_tall)
            .map(|(line, _)| line)
            .collect();
        let has_number = |(row, columns): &(&PdfRow, Vec<usize>), wanted: usize| {
            let mut segments = row.segments.iter().zip(columns);
            segments.any(|(it, column)| *column == wanted && is_number(&it.text))
        };
        let mut columns: Vec<usize> = lines.first().map_or(Vec::new(), |line| line.1.clone());
        columns.dedup();
        let mut columns = columns.into_iter();
        lines.len() >= 2 && columns.any(|column| lines.iter().all(|line| has_number(line, column)))
    }

    /// The lines that are in the middle of tall cells: no other line has a text in their columns.
    fn beside_all(&self) -> Vec<bool> {
        let mut lines_of: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, columns) in &self.lines {
            for same in columns.chunk_by(|one, other| one == other) {
                *lines_of.entry(same[0]).or_default() += 1;
            }
        }
        let is_alone = |column: &usize| lines_of.get(column) == Some(&1);
        let lines = self.lines.iter();
        lines
            .map(|(_, columns)| columns.iter().all(is_alone))
            .collect()
    }

    /// The segments in the order in which the file draws them.
    fn drawn(&self) -> Vec<Drawn> {
        let mut drawn = Vec::new();
        for (line, (row, columns)) in self.lines.iter().enumerate() {
            let segments = row.segments.iter().zip(columns);
            let ordered = segments.filter(|(it, _)| it.order != UNORDERED);
            drawn.extend(ordered.map(|(it, column)| Drawn {
                order: it.order,
                line,
                column: *column,
            }));
        }
        drawn.sort_unstable();
        drawn
    }

    /// How many lines of the cells are drawn before the line above them, and after it.
    pub(super) fn moves(&self) -> (usize, usize) {
        let mut last: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let (mut up, mut down) = (0, 0);
        for (line, (row, columns)) in self.lines.iter().enumerate() {
            let segments = row.segments.iter().zip(columns);
            for (segment, column) in segments.filter(|(it, _)| it.order != UNORDERED) {
                let above = last.get(column).filter(|above| above.0 < line);
                up += usize::from(above.is_some_and(|above| above.1 > segment.order));
                down += usize::from(above.is_some_and(|above| above.1 < segment.order));
                last.insert(*column, (line, segment.order));
            }
        }
        (up, down)
    }
}

/// Whether the file draws all of a column before the next.
fn is_by_cells(drawn: &[Drawn]) -> bool {
    changes(drawn, |it| it.column) < columns(drawn)
}

/// The lines by number. What stands in the middle of tall cells is told in the first row.
fn numbered(tall: &[bool]) -> Vec<usize> {
    let mut rows = 0;
    let number = |is_tall: &bool| {
        rows += usize::from(!is_tall);
        if *is_tall { 0 } else { rows - 1 }
    };
    tall.iter().map(number).collect()
}

/// The number of different columns, of columns in order.
fn distinct(columns: &[usize]) -> usize {
    columns.chunk_by(|one, other| one == other).count()
}

/// Whether a cell before the last one, of a row that is drawn cell by cell, has several lines.
fn has_tall_cell(row: &[Drawn]) -> bool {
    let last = row.last().map(|it| it.column);
    let mut pairs = row.windows(2);
    pairs.any(|pair| {
        let is_one = pair[0].column == pair[1].column;
        is_one && Some(pair[0].column) != last && pair[0].line != pair[1].line
    })
}

fn columns(drawn: &[Drawn]) -> usize {
    let mut columns: Vec<usize> = drawn.iter().map(|it| it.column).collect();
    columns.sort_unstable();
    distinct(&columns)
}

/// How often the file goes on to another line or column.
fn changes(drawn: &[Drawn], place: impl Fn(&Drawn) -> usize) -> usize {
    let pairs = drawn.windows(2);
    pairs
        .filter(|pair| place(&pair[0]) != place(&pair[1]))
        .count()
}

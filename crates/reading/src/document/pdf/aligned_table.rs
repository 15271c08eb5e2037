//! Tables without lines: rows whose cells stand below one another.

use std::ops::Range;

use super::code_rows::code_stretches;
use super::layout::typical_leading;
use super::list_item::is_mark;
use super::paragraph::join;
use super::rows::{PdfRow, Segment};
use super::table_header::{has_header, has_header_above};
use super::table_rows::{Cell, TableRow, table_rows};

const MAX_COLUMNS: usize = 24;
/// The first row must have a second cell within so many lines.
const FIRST_CELL: usize = 12;
/// Rows of one cell that may follow one another within a table.
const MAX_SINGLE: usize = 3;

/// Puts tables in the place of their rows, which are in reading order.
pub(super) fn with_tables(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    let mut kept = Vec::with_capacity(rows.len());
    let mut start = 0;
    let stretches = code_stretches(&rows, typical_leading(&rows));
    // A line of code that stands alone may be a cell.
    let is_code = |code: &Range<usize>| code.len() > 1 && !has_header_above(&rows, code);
    for code in stretches.into_iter().filter(is_code) {
        add_tables(&rows[start..code.start], &mut kept);
        kept.extend_from_slice(&rows[code.clone()]);
        start = code.end;
    }
    add_tables(&rows[start..], &mut kept);
    kept
}

/// Adds rows without code, with tables in the place of their rows.
fn add_tables(rows: &[PdfRow], kept: &mut Vec<PdfRow>) {
    let mut index = 0;
    while index < rows.len() {
        match table(&rows[index..]) {
            Some((length, cells)) => {
                let taken = &rows[index..index + length];
                let left = taken.iter().map(PdfRow::left).fold(f64::MAX, f64::min);
                let right = taken.iter().map(PdfRow::right).fold(f64::MIN, f64::max);
                kept.push(PdfRow::of_table(cells, left, right, taken));
                index += length;
            }
            None => {
                kept.push(rows[index].clone());
                index += 1;
            }
        }
    }
}

/// A table at the start of these lines: the number of its lines, and its cells.
fn table(lines: &[PdfRow]) -> Option<(usize, Vec<Vec<String>>)> {
    if !may_start(lines) {
        return None;
    }
    let rows = table_rows(lines);
    let first = rows_of_first(&rows);
    table_of(rows).or_else(|| table_of(first?))
}

/// The rows before the first that reaches across the columns of those above it, and stands alone: what
/// follows may have other columns.
fn rows_of_first<'a>(rows: &[TableRow<'a>]) -> Option<Vec<TableRow<'a>>> {
    const MIN_ROWS: usize = 2;
    let single = rows.iter().enumerate().skip(MIN_ROWS);
    let mut single = single.filter(|(_, row)| row.cells.len() == 1);
    let (end, _) = single.find(|(index, row)| {
        let columns = columns(&rows[..*index]);
        touched(&row.cells[0], &columns) > 1
    })?;
    Some(rows[..end].to_vec())
}

/// A table of these rows.
fn table_of(mut rows: Vec<TableRow<'_>>) -> Option<(usize, Vec<Vec<String>>)> {
    let mut columns = columns(&rows);
    cut_at_end(&mut rows, &columns);
    columns = self::columns(&rows);
    let starts = rows.first().is_some_and(|row| row.cells.len() > 1) && !is_below_title(&rows);
    if !starts || rows.len() < 2 || !(2..=MAX_COLUMNS).contains(&columns.len()) {
        return None;
    }
    let rows = divided(rows);
    let rows = rejoined(rows, columns.len());
    let length = rows.last()?.end;
    let cells: Vec<Vec<String>> = rows.iter().map(|row| filled(row, &columns)).collect();
    let is_table =
        !is_prose(&rows) && !is_list(&cells) && is_long_and_dense(&cells, has_header(&rows));
    is_table.then_some((length, cells))
}

/// Whether there is a second cell soon.
fn may_start(lines: &[PdfRow]) -> bool {
    let near = &lines[..lines.len().min(FIRST_CELL)];
    near[0].table.is_none()
        && (near[0].segments.len() > 1
            || near.windows(2).any(|pair| pair[1].left() > pair[0].right()))
}

/// Cuts the rows from the first that reaches across columns, and those of one cell at the end.
fn cut_at_end(rows: &mut Vec<TableRow<'_>>, columns: &[(f64, f64)]) {
    let mut single = 0;
    let end = rows.iter().position(|row| {
        single = if row.cells.len() == 1 { single + 1 } else { 0 };
        let crosses = row.cells.len() == 1 && touched(&row.cells[0], columns) > 1;
        crosses || single > MAX_SINGLE
    });
    rows.truncate(end.unwrap_or(rows.len()));
    while rows.last().is_some_and(|row| row.cells.len() == 1) {
        rows.pop();
    }
}

/// The number of columns that a cell reaches into.
fn touched(cell: &Cell<'_>, columns: &[(f64, f64)]) -> usize {
    let touched = columns
        .iter()
        .filter(|(left, right)| cell.left < *right && cell.right > *left);
    touched.count()
}

/// The left and right edges of the columns. A heading above several columns does not join them, if
/// most rows have them all.
fn columns(rows: &[TableRow<'_>]) -> Vec<(f64, f64)> {
    const MIN_FULL: usize = 3;
    let parted = || rows.iter().filter(|row| row.cells.len() > 1);
    let most = parted().map(|row| row.cells.len()).max().unwrap_or(0);
    let is_full = |row: &&TableRow<'_>| row.cells.len() * 4 >= most * 3;
    let full = parted().filter(is_full).count();
    let all = joined_columns(parted());
    if most > all.len() && full >= MIN_FULL && full * 2 >= parted().count() {
        let divided = joined_columns(parted().filter(is_full));
        if divided.len() > all.len() {
            return divided;
        }
    }
    all
}

/// The ranges that the cells of these rows fill together.
fn joined_columns<'a>(rows: impl Iterator<Item = &'a TableRow<'a>>) -> Vec<(f64, f64)> {
    let mut ranges: Vec<(f64, f64)> = rows
        .flat_map(|row| row.cells.iter().map(|cell| (cell.left, cell.right)))
        .collect();
    ranges.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut columns: Vec<(f64, f64)> = Vec::new();
    for (left, right) in ranges {
        match columns.last_mut() {
            Some(last) if left < last.1 => last.1 = last.1.max(right),
            _ => columns.push((left, right)),
        }
    }
    columns
}

/// Whether the first line is above the table: only there does a first cell begin above the others.
fn is_below_title(rows: &[TableRow<'_>]) -> bool {
    let begins_above = |row: &&TableRow<'_>| {
        let (first, others) = (&row.cells[0], &row.cells[1..]);
        let top = others.iter().map(Cell::top).fold(f64::MAX, f64::min);
        let is_above = first
            .lines
            .iter()
            .filter(|line| line.0 < top - 0.5 * line.1.size);
        !others.is_empty() && is_above.count() > 0
    };
    let first = rows.first();
    first.filter(begins_above).is_some() && rows[1..].iter().filter(begins_above).count() == 0
}

/// The rows, where those that are only one cell are divided at gaps that are wider than between the
/// lines of a cell.
fn divided(rows: Vec<TableRow<'_>>) -> Vec<TableRow<'_>> {
    let steps = rows.iter().flat_map(|row| &row.cells).flat_map(|cell| {
        let steps = cell.lines.windows(2);
        steps.map(|pair| pair[1].0 - pair[0].0)
    });
    let least = steps.fold(f64::MAX, f64::min);
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let [cell] = &row.cells[..] else {
            all.push(row);
            continue;
        };
        let is_near = |one: &(f64, &Segment), next: &(f64, &Segment)| next.0 - one.0 <= 1.2 * least;
        for lines in cell.lines.chunk_by(is_near) {
            let cell = Cell {
                lines: lines.to_vec(),
                left: cell.left,
                right: cell.right,
            };
            all.push(TableRow {
                cells: vec![cell],
                end: row.end,
            });
        }
    }
    all
}

/// The rows, where lines of the same row that are drawn line by line are put together.
fn rejoined(rows: Vec<TableRow<'_>>, columns: usize) -> Vec<TableRow<'_>> {
    let step = |pair: &[TableRow<'_>]| pair[1].top() - pair[0].bottom();
    let steps: Vec<f64> = rows.windows(2).map(step).collect();
    let least = steps.iter().copied().fold(f64::MAX, f64::min);
    let wide = steps.iter().filter(|step| **step > 1.2 * least).count();
    let near = rows[1..].iter().zip(&steps);
    let near = near.filter(|(_, step)| **step <= 1.2 * least);
    let (near, cells) = near.fold((0, 0), |(near, cells), (row, _)| {
        (near + 1, cells + row.cells.len())
    });
    // Lines that are further apart than others start rows, if there are enough of both, and the others
    // have fewer cells.
    let has_two_steps = wide * 4 >= steps.len() && near > 0 && cells * 4 < near * columns * 3;
    let mut all: Vec<TableRow<'_>> = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let is_near = index > 0 && steps[index - 1] <= 1.2 * least;
        let continues = |last: &TableRow<'_>| {
            let is_one_line = row.cells.iter().all(|cell| cell.lines.len() == 1);
            let are_records = is_record(&row) && is_record(last);
            is_one_line
                && !are_records
                && is_near
                && (has_two_steps || is_rest(&row, last, columns))
        };
        match all.last_mut() {
            Some(last) if continues(last) => append(last, row),
            _ => all.push(row),
        }
    }
    all
}

/// Adds the lines of a row to the cells of the one before.
fn append<'a>(row: &mut TableRow<'a>, rest: TableRow<'a>) {
    row.end = rest.end;
    for cell in rest.cells {
        let above = row
            .cells
            .iter_mut()
            .find(|it| it.left < cell.right && it.right > cell.left);
        match above {
            Some(above) => {
                above.lines.extend(cell.lines);
                above.left = above.left.min(cell.left);
                above.right = above.right.max(cell.right);
            }
            None => row.cells.push(cell),
        }
    }
}

/// Whether a row has numbers in most of its cells. Two such rows are never one.
fn is_record(row: &TableRow<'_>) -> bool {
    let texts = row.cells.iter().flat_map(|cell| &cell.lines);
    are_numbers(texts.map(|(_, segment)| *segment))
}

/// Whether most of these texts are numbers.
pub(super) fn are_numbers<'a>(texts: impl Iterator<Item = &'a Segment>) -> bool {
    const MIN_NUMBERS: usize = 2;
    let (mut numbers, mut all) = (0, 0);
    for segment in texts {
        all += 1;
        numbers += usize::from(is_number(&segment.text));
    }
    numbers >= MIN_NUMBERS && numbers * 2 >= all
}

pub(super) fn is_number(text: &str) -> bool {
    text.contains(|it: char| it.is_ascii_digit()) && !text.contains(char::is_alphabetic)
}

/// Whether a row only continues cells of the one before, since it has few and not the first.
fn is_rest(row: &TableRow<'_>, last: &TableRow<'_>, columns: usize) -> bool {
    let texts = row.cells.iter().flat_map(|cell| &cell.lines);
    let has_words = texts
        .flat_map(|(_, segment)| segment.text.chars())
        .any(|it| !it.is_numeric() && !it.is_ascii_punctuation());
    row.cells.len() * 2 <= columns
        && row.cells.len() < last.cells.len()
        && row.cells[0].left > last.cells[0].right
        && has_words
}

/// The cells of one row.
fn filled(row: &TableRow<'_>, columns: &[(f64, f64)]) -> Vec<String> {
    let mut cells = vec![String::new(); columns.len()];
    for cell in &row.cells {
        let column = columns.iter().position(|(_, right)| cell.left < *right);
        let text = &mut cells[column.unwrap_or(columns.len() - 1)];
        for (_, segment) in &cell.lines {
            join(text, &segment.text);
        }
    }
    cells
}

/// Whether the cells are columns of text: all of some row have many long lines.
fn is_prose(rows: &[TableRow<'_>]) -> bool {
    const MIN_LINES: usize = 5;
    const MIN_CHARS: usize = 24;
    const FEW_ROWS: usize = 4;
    let is_long = |cell: &Cell<'_>| {
        let chars: usize = cell.lines.iter().map(|it| it.1.text.chars().count()).sum();
        cell.lines.len() >= MIN_LINES && chars >= MIN_CHARS * cell.lines.len()
    };
    let is_prose = |row: &TableRow<'_>| row.cells.len() > 1 && row.cells.iter().all(is_long);
    rows.len() <= FEW_ROWS && rows.iter().any(is_prose)
}

/// Whether the first column has nothing but the marks of list items.
fn is_list(cells: &[Vec<String>]) -> bool {
    let first = cells.iter().map(|row| &row[0]);
    let texts: Vec<&String> = first.filter(|text| !text.is_empty()).collect();
    let marks = texts.iter().filter(|text| is_mark(text)).count();
    cells[0].len() == 2 && marks * 2 > texts.len()
}

fn is_long_and_dense(cells: &[Vec<String>], has_header: bool) -> bool {
    let columns = cells[0].len();
    let filled = cells.iter().flatten().filter(|cell| !cell.is_empty());
    let is_long = cells.len() >= 3 || (cells.len() == 2 && (columns >= 3 || has_header));
    // Of two rows, most columns must have both cells.
    let least = if cells.len() == 2 { 7 } else { 5 };
    is_long && filled.count() * 10 >= cells.len() * columns * least
}

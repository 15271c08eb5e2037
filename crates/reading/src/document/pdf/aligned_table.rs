//! Tables without lines: rows whose segments stand below one another.
//!
//! A cell may have several lines, and the cells of a row may be centred beside them. So lines are
//! put into rows of the table by the gaps between them.

use super::content::UNORDERED;
use super::layout::join;
use super::list_item::is_mark;
use super::rows::{PdfRow, Segment};

const MAX_COLUMNS: usize = 24;
/// A longer table becomes several.
const MAX_LINES: usize = 300;
/// A step between two lines that is larger than this, relative to the font size, ends a table.
const WIDEST_STEP: f64 = 3.2;
/// The columns of a table that is recognised before the columns of the page are. Pages have fewer.
const UNMISTAKABLE: usize = 4;

/// Puts tables in the place of their rows.
pub(super) fn with_tables(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    replaced(rows, 2)
}

/// Puts tables of many columns in the place of their rows, so that they are not taken for columns of
/// the page.
pub(super) fn with_wide_tables(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    replaced(rows, UNMISTAKABLE)
}

fn replaced(rows: Vec<PdfRow>, min_columns: usize) -> Vec<PdfRow> {
    let mut kept = Vec::with_capacity(rows.len());
    let mut index = 0;
    // The end of the last table.
    let mut free = 0;
    while index < rows.len() {
        let found = may_start(&rows[index..], min_columns)
            .then(|| table(&rows[index..]))
            .flatten();
        match found.filter(|(_, cells)| cells[0].len() >= min_columns) {
            Some((length, cells)) => {
                let (before, length, cells) =
                    with_first_lines(&rows[free..], index - free, length, cells);
                kept.truncate(kept.len() - before);
                index -= before;
                let taken = &rows[index..index + length];
                let left = taken.iter().map(PdfRow::left).fold(f64::MAX, f64::min);
                let right = taken.iter().map(PdfRow::right).fold(f64::MIN, f64::max);
                kept.push(PdfRow::of_table(cells, left, right, taken));
                index += length;
                free = index;
            }
            None => {
                kept.push(rows[index].clone());
                index += 1;
            }
        }
    }
    kept
}

/// The table that was found at a row, with the lines before it that are its header or belong to a cell of
/// its first row: how many they are, the number of all its lines, and its cells.
fn with_first_lines(
    rows: &[PdfRow],
    index: usize,
    length: usize,
    cells: Vec<Vec<String>>,
) -> (usize, usize, Vec<Vec<String>>) {
    const MAX_BEFORE: usize = 12;
    let columns = columns(&rows[index..index + length]);
    let fits = |at: usize| {
        let step = rows[at + 1].baseline - rows[at].baseline;
        let is_near = step >= 0.0 && step < 2.2 * rows[at].size.max(rows[at + 1].size);
        let is_inside = |segment: &Segment| {
            let touched = columns.iter();
            let touched =
                touched.filter(|(left, right)| segment.left < *right && segment.right > *left);
            touched.count() == 1
        };
        is_near && rows[at].table.is_none() && rows[at].segments.iter().all(is_inside)
    };
    let most = index.min(MAX_BEFORE);
    let mut before = (1..=most).take_while(|it| fits(index - it)).count();
    while before > 0 {
        let start = index - before;
        let is_start = rows[start].segments.len() > 1 || is_beside(&rows[start..]);
        let found = is_start.then(|| table(&rows[start..])).flatten();
        match found {
            Some((all, longer)) if all >= length + before && longer[0].len() >= cells[0].len() => {
                return (before, all, longer);
            }
            _ => before -= 1,
        }
    }
    (0, length, cells)
}

fn may_start(rows: &[PdfRow], min_columns: usize) -> bool {
    rows[0].segments.len() >= min_columns || (min_columns == 2 && is_beside(rows))
}

/// A table at the start of these rows: the number of its lines, and its cells.
fn table(rows: &[PdfRow]) -> Option<(usize, Vec<Vec<String>>)> {
    let (length, columns) = extent(rows)?;
    let lines = &rows[..length];
    if lines_are_prose(lines, &columns) || is_drawn_by_column(lines) {
        return None;
    }
    let cells = match rows_as_drawn(lines, &columns) {
        Some(cells) => cells,
        None => {
            let bands = bands(lines, columns.len());
            let segments = |band: &[PdfRow]| -> Vec<Segment> {
                band.iter().flat_map(|line| line.segments.clone()).collect()
            };
            let bands: Vec<Vec<Segment>> = bands.into_iter().map(segments).collect();
            if is_scattered(&bands, columns.len()) {
                return None;
            }
            let bands = bands.iter();
            bands.map(|band| filled(band.iter(), &columns)).collect()
        }
    };
    let count: usize = cells
        .iter()
        .flatten()
        .filter(|cell| !cell.is_empty())
        .count();
    let is_long = cells.len() >= 3 || (cells.len() == 2 && columns.len() >= 3);
    // Of two rows, most columns must have both cells.
    let least = if cells.len() == 2 { 7 } else { 5 };
    let is_dense = count * 10 >= cells.len() * columns.len() * least;
    (is_long && is_dense).then_some((length, cells))
}

/// How many rows belong together, and the left and right edges of their columns.
fn extent(rows: &[PdfRow]) -> Option<(usize, Vec<(f64, f64)>)> {
    let rows = &rows[..rows.len().min(MAX_LINES)];
    let is_line = |row: &&PdfRow| row.table.is_none() && !is_item(row);
    let steps = rows.windows(2).take_while(|pair| {
        let step = pair[1].baseline - pair[0].baseline;
        step >= 0.0 && step <= WIDEST_STEP * pair[0].size.max(pair[1].size)
    });
    let near = rows.len().min(steps.count() + 1);
    let rows = &rows[..rows[..near].iter().take_while(is_line).count()];
    let starts = rows.first()?.segments.len() > 1 || is_beside(rows);
    if !starts {
        return None;
    }
    // A line of one segment may continue a cell. More of them in a row are a paragraph.
    const MAX_SINGLE: usize = 4;
    // A long cell beside others has more, unless it is the first of its row.
    const MAX_CELL: usize = 12;
    let first_right = rows
        .iter()
        .find(|row| row.segments.len() > 1)
        .map_or(f64::MAX, |row| row.segments[0].right);
    let (mut length, mut single) = (0, 0);
    for (index, row) in rows.iter().enumerate() {
        let is_parted = is_parted(rows, index);
        single = if is_parted { 0 } else { single + 1 };
        let is_cell = row.left() > first_right;
        let is_end = || crosses(row, &columns(&rows[..index]));
        if single > if is_cell { MAX_CELL } else { MAX_SINGLE } || (single == 1 && is_end()) {
            break;
        }
        if is_parted {
            length = index + 1;
        }
    }
    let mut columns = columns(&rows[..length]);
    if let Some(crossing) = rows[..length].iter().position(|row| crosses(row, &columns)) {
        length = crossing;
        columns = self::columns(&rows[..length]);
    }
    // The last cells may have more lines than the first.
    while let Some(row) = rows.get(length).filter(|_| length > 0) {
        let step = row.baseline - rows[length - 1].baseline;
        let is_part = row.segments.len() == 1
            && row.left() > columns.first()?.1
            && step < 1.3 * row.size
            && !crosses(row, &columns);
        if !is_part {
            break;
        }
        length += 1;
    }
    (length > 1 && (2..=MAX_COLUMNS).contains(&columns.len())).then_some((length, columns))
}

/// Whether a row is an item of a list, with its mark apart.
fn is_item(row: &PdfRow) -> bool {
    row.segments.len() == 2 && is_mark(&row.segments[0].text)
}

/// Whether the first row, of one segment, stands half a line above the next.
fn is_beside(rows: &[PdfRow]) -> bool {
    rows.len() > 1 && rows[1].baseline - rows[0].baseline < 0.9 * rows[0].size
}

/// Whether a row has text in several columns: segments of its own, or one that stands half a line above
/// or below it, as beside a cell that is centred.
fn is_parted(rows: &[PdfRow], index: usize) -> bool {
    let row = &rows[index];
    let is_half_a_line_away = |other: &PdfRow| {
        let is_beside = row.right() <= other.left() || other.right() <= row.left();
        let step = (row.baseline - other.baseline).abs();
        is_beside && other.table.is_none() && step < 0.9 * row.size.min(other.size)
    };
    let before = index.checked_sub(1).and_then(|it| rows.get(it));
    let mut near = before.into_iter().chain(rows.get(index + 1));
    row.segments.len() > 1 || near.any(is_half_a_line_away)
}

/// Whether the only segment of a row reaches into two columns.
fn crosses(row: &PdfRow, columns: &[(f64, f64)]) -> bool {
    let touched = columns
        .iter()
        .filter(|(left, right)| row.left() < *right && row.right() > *left)
        .count();
    row.segments.len() == 1 && touched > 1
}

/// The left and right edges of the columns, from the rows that have several segments. A heading above
/// several columns does not join them, if most rows have them all.
fn columns(rows: &[PdfRow]) -> Vec<(f64, f64)> {
    const MIN_FULL: usize = 3;
    let parted = || rows.iter().filter(|row| row.segments.len() > 1);
    let most = parted().map(|row| row.segments.len()).max().unwrap_or(0);
    let is_full = |row: &&PdfRow| row.segments.len() * 4 >= most * 3;
    let full = parted().filter(is_full).count();
    let numbered = rows.iter().enumerate();
    let beside = numbered.filter(|(index, _)| is_parted(rows, *index));
    let all = joined_columns(beside.map(|(_, row)| row));
    if most > all.len() && full >= MIN_FULL && full * 2 >= parted().count() {
        let divided = joined_columns(parted().filter(is_full));
        if divided.len() > all.len() {
            return divided;
        }
    }
    all
}

/// The ranges that the segments of these rows fill together.
fn joined_columns<'a>(rows: impl Iterator<Item = &'a PdfRow>) -> Vec<(f64, f64)> {
    let mut ranges: Vec<(f64, f64)> = rows
        .flat_map(|row| row.segments.iter().map(|it| (it.left, it.right)))
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

/// Whether every column is text that fills its width.
fn lines_are_prose(rows: &[PdfRow], columns: &[(f64, f64)]) -> bool {
    const MIN_CHARS: usize = 20;
    const MIN_LINES: usize = 4;
    columns.iter().all(|(left, right)| {
        let lines: Vec<&Segment> = rows
            .iter()
            .flat_map(|row| &row.segments)
            .filter(|segment| segment.left < *right && segment.right > *left)
            .collect();
        let full = lines
            .iter()
            .filter(|line| line.right - line.left > 0.8 * (right - left))
            .count();
        let chars: usize = lines.iter().map(|line| line.text.chars().count()).sum();
        lines.len() >= MIN_LINES && full * 2 > lines.len() && chars >= MIN_CHARS * lines.len()
    })
}

/// The lines of each row of the table.
fn bands(lines: &[PdfRow], columns: usize) -> Vec<&[PdfRow]> {
    let step = |pair: &[PdfRow]| pair[1].baseline - pair[0].baseline;
    let is_full = |pair: &&[PdfRow]| step(pair) > 0.9 * pair[1].size;
    let steps: Vec<f64> = lines.windows(2).filter(is_full).map(step).collect();
    let least = steps.iter().copied().fold(f64::MAX, f64::min);
    let wide = steps.iter().filter(|step| **step > 1.2 * least).count();
    // Lines that are further apart than others start rows, if there are enough of both.
    let has_two_steps = wide * 4 >= steps.len() && wide < steps.len();
    let mut bands = Vec::new();
    let mut start = 0;
    for index in 1..lines.len() {
        let apart = lines[index].baseline - lines[index - 1].baseline;
        let is_new = if apart <= 0.9 * lines[index].size {
            false
        } else if is_record(&lines[index]) && is_record(&lines[index - 1]) {
            true
        } else if has_two_steps {
            apart > 1.2 * least
        } else {
            !continues(&lines[index], &lines[start], columns)
        };
        if is_new {
            bands.push(&lines[start..index]);
            start = index;
        }
    }
    bands.push(&lines[start..]);
    bands
}

/// Whether a line has numbers in most of its columns. Two such lines are never cells of one row.
pub(super) fn is_record(line: &PdfRow) -> bool {
    const MIN_NUMBERS: usize = 2;
    let is_number = |segment: &&Segment| {
        segment.text.contains(|it: char| it.is_ascii_digit())
            && !segment.text.contains(char::is_alphabetic)
    };
    let numbers = line.segments.iter().filter(is_number).count();
    numbers >= MIN_NUMBERS && numbers * 2 >= line.segments.len()
}

/// Whether a line continues cells of the row before, since it has few and not the first.
fn continues(line: &PdfRow, first: &PdfRow, columns: usize) -> bool {
    line.segments.len() * 2 <= columns
        && line.segments.len() < first.segments.len()
        && line.left() > first.segments.first().map_or(0.0, |it| it.right)
        && !line
            .text()
            .chars()
            .all(|it| it.is_numeric() || it.is_ascii_punctuation())
}

/// Whether the file draws most of one column before it starts another at the top: a page of columns
/// rather than a table.
fn is_drawn_by_column(lines: &[PdfRow]) -> bool {
    let mut places: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .flat_map(|(line, row)| row.segments.iter().map(move |it| (it.order, line)))
        .filter(|(order, _)| *order != UNORDERED)
        .collect();
    places.sort_unstable();
    let most = (lines.len() * 6 / 10).max(6);
    places.windows(2).any(|pair| pair[0].1 >= pair[1].1 + most)
}

/// Whether the file draws these bands neither one after the other nor column by column: the labels of a
/// drawing rather than a table.
pub(super) fn is_scattered(bands: &[Vec<Segment>], columns: usize) -> bool {
    let mut places: Vec<(usize, usize)> = bands
        .iter()
        .enumerate()
        .flat_map(|(band, segments)| segments.iter().map(move |it| (it.order, band)))
        .filter(|(order, _)| *order != UNORDERED)
        .collect();
    places.sort_unstable();
    let back = places.windows(2).filter(|pair| pair[0].1 > pair[1].1);
    let back = back.count();
    back > columns && back * 4 > places.len()
}

/// The cells by the order in which the file draws them: a row is over when it turns back to an earlier
/// column. `None` if the file draws them in another order.
fn rows_as_drawn(lines: &[PdfRow], columns: &[(f64, f64)]) -> Option<Vec<Vec<String>>> {
    let mut segments: Vec<(&PdfRow, &Segment)> = lines
        .iter()
        .flat_map(|line| line.segments.iter().map(move |segment| (line, segment)))
        .collect();
    if segments.iter().any(|(_, it)| it.order == UNORDERED) {
        return None;
    }
    segments.sort_by_key(|(_, segment)| segment.order);
    let mut rows: Vec<Vec<&Segment>> = Vec::new();
    let (mut last, mut top, mut bottom) = (0, f64::MIN, f64::MIN);
    let mut floor = f64::MIN;
    for (line, segment) in segments {
        let column = column_of(segment, columns);
        let step = line.baseline - bottom;
        let is_next_line = column == last && step > 0.0 && step < 1.6 * line.size;
        let is_new = rows.is_empty() || column < last || (column == last && !is_next_line);
        if is_new {
            // The rows must follow one another down the page.
            if line.baseline < top {
                return None;
            }
            rows.push(Vec::new());
            floor = floor.max(bottom);
            top = line.baseline;
        }
        if line.baseline < top - 3.0 * line.size && line.baseline < floor {
            return None;
        }
        rows.last_mut()?.push(segment);
        (last, bottom) = (column, line.baseline);
    }
    let rows = rows.into_iter();
    Some(rows.map(|row| filled(row.into_iter(), columns)).collect())
}

fn column_of(segment: &Segment, columns: &[(f64, f64)]) -> usize {
    let column = columns.iter().position(|(_, right)| segment.left < *right);
    column.unwrap_or(columns.len() - 1)
}

/// The cells of one row.
fn filled<'a>(segments: impl Iterator<Item = &'a Segment>, columns: &[(f64, f64)]) -> Vec<String> {
    let mut cells = vec![String::new(); columns.len()];
    for segment in segments {
        join(&mut cells[column_of(segment, columns)], &segment.text);
    }
    cells
}

//! Tables and forms that are drawn column by column: the labels first, and then the values. Also tables
//! whose rows are drawn one after the other, but each from the right or in no order.
//!
//! Their lines stand on the same baselines. They are put together into rows, as if they had been drawn
//! row by row. Columns of prose stand on the same baselines, too, but have long lines.

use super::aligned_table::are_numbers;
use super::rows::{PdfRow, Segment};

/// How far apart the lines of a column may be, relative to the font size.
const WIDEST_STEP: f64 = 3.2;
/// A longer line is prose.
const MAX_CHARS: usize = 30;
const MAX_COLUMNS: usize = 24;
const MAX_LINES: usize = 200;

/// The lines, which are as they are drawn, with columns that belong together put into rows.
pub(super) fn with_rows(lines: Vec<PdfRow>) -> Vec<PdfRow> {
    let lines = with_whole_rows(lines);
    let mut ordered = Vec::with_capacity(lines.len());
    let mut index = 0;
    while index < lines.len() {
        let columns = columns(&lines[index..]);
        match columns.first().filter(|_| belong_together(&columns)) {
            Some(first) => {
                let length: usize = columns.iter().map(|column| column.len()).sum();
                ordered.extend(first.iter().map(|line| row(line, &columns)));
                index += length;
            }
            None => {
                ordered.push(lines[index].clone());
                index += 1;
            }
        }
    }
    ordered
}

/// The lines, with the parts of rows that are drawn from the right, or in any other order, but row by row,
/// put together.
fn with_whole_rows(lines: Vec<PdfRow>) -> Vec<PdfRow> {
    /// One or two such rows may be labels, and those of two texts may be lines with a mark beside them.
    const MIN_ROWS: usize = 3;
    const MIN_TEXTS: usize = 3;
    let is_same = |one: &PdfRow, next: &PdfRow| {
        one.table.is_none() && next.table.is_none() && is_level(one, next)
    };
    let is_down = |one: &PdfRow, next: &PdfRow| {
        let is_text = one.table.is_none() && next.table.is_none();
        is_text && (is_level(one, next) || next.baseline > one.baseline)
    };
    let mut all = Vec::with_capacity(lines.len());
    for stretch in lines.chunk_by(is_down) {
        let rows = || stretch.chunk_by(is_same);
        let whole = rows().filter_map(whole_row);
        let parted = whole.filter(|row| row.segments.len() >= MIN_TEXTS);
        if parted.count() < MIN_ROWS {
            all.extend_from_slice(stretch);
            continue;
        }
        for parts in rows() {
            match whole_row(parts) {
                Some(row) => all.push(row),
                None => all.extend_from_slice(parts),
            }
        }
    }
    all
}

/// The row whose parts these are, if there are several, which do not overlap. Text that runs to the left is
/// read as it is drawn.
fn whole_row(parts: &[PdfRow]) -> Option<PdfRow> {
    let [first, _, ..] = parts else {
        return None;
    };
    let segments = parts.iter().flat_map(|part| &part.segments);
    let mut segments: Vec<Segment> = segments.cloned().collect();
    segments.sort_by(|one, other| one.left.total_cmp(&other.left));
    let mut pairs = segments.windows(2);
    let is_apart = pairs.all(|pair| pair[1].left > pair[0].right - 0.1 * pair[0].size);
    let runs_left = segments.iter().any(|it| it.text.contains(runs_left));
    (is_apart && !runs_left).then(|| first.part(segments))
}

/// Whether a letter is Hebrew, Arabic or of another script that is written to the left.
fn runs_left(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// The columns at the start of these lines: each further one is right of the one before, and has its
/// lines on baselines of the first.
fn columns(lines: &[PdfRow]) -> Vec<&[PdfRow]> {
    let mut columns: Vec<&[PdfRow]> = Vec::new();
    let mut rest = lines;
    while columns.len() < MAX_COLUMNS {
        let length = column(rest);
        if length == 0 {
            break;
        }
        let (column, after) = rest.split_at(length);
        let is_next = match (columns.first(), columns.last()) {
            (Some(first), Some(last)) => {
                let right = last.iter().map(PdfRow::right).fold(f64::MIN, f64::max);
                let is_right = column.iter().all(|line| line.left() > right);
                let has_baseline = |line: &PdfRow| first.iter().any(|it| is_level(it, line));
                is_right && column.iter().all(has_baseline)
            }
            _ => true,
        };
        if !is_next {
            break;
        }
        columns.push(column);
        rest = after;
    }
    columns
}

/// How many lines of one segment stand below one another.
fn column(lines: &[PdfRow]) -> usize {
    let is_single = |line: &&PdfRow| line.table.is_none() && line.segments.len() == 1;
    let single = lines.iter().take(MAX_LINES).take_while(is_single).count();
    let steps = lines[..single].windows(2).take_while(|pair| {
        let step = pair[1].baseline - pair[0].baseline;
        let overlap = pair[0].right().min(pair[1].right()) - pair[0].left().max(pair[1].left());
        overlap > 0.0 && step > 0.3 * pair[1].size && step <= WIDEST_STEP * pair[1].size
    });
    single.min(steps.count() + 1)
}

fn is_level(one: &PdfRow, other: &PdfRow) -> bool {
    (one.baseline - other.baseline).abs() < 0.3 * one.size.min(other.size)
}

/// Whether columns are those of a table, or labels and what they label.
fn belong_together(columns: &[&[PdfRow]]) -> bool {
    let [first, others @ ..] = columns else {
        return false;
    };
    let lines = first.len();
    let most = others.iter().map(|column| column.len()).max().unwrap_or(0);
    if lines < 2 || most * 10 < lines * 6 {
        return false;
    }
    let labels = first.iter().filter(|line| line.text().ends_with(':'));
    let are_labels = labels.count() * 2 > lines;
    let is_short = |line: &PdfRow| line.text().chars().count() <= MAX_CHARS;
    let are_short = columns.iter().all(|column| column.iter().all(is_short));
    let has_numbers = others
        .iter()
        .any(|column| are_numbers(column.iter().flat_map(|line| &line.segments)));
    let continues = |line: &PdfRow| line.text().starts_with(char::is_lowercase);
    let all: usize = columns.iter().map(|column| column.len()).sum();
    let rest = columns.iter().flat_map(|column| column.iter());
    // The lines of one cell continue one another.
    let are_cells = rest.filter(|line| continues(line)).count() * 4 < all;
    are_labels
        || (are_short
            && are_cells
            && others.len() >= 2
            && lines >= 3
            && !is_index(columns)
            && !are_cards(columns))
        || (are_short && are_cells && has_numbers && lines >= 4)
}

/// Whether the lines of each column are centred below one another, as on cards that stand side by side.
fn are_cards(columns: &[&[PdfRow]]) -> bool {
    /// More lines are a column of a table.
    const MAX_LINES: usize = 6;
    let is_card = |column: &&[PdfRow]| {
        let near = |places: [f64; 2]| (places[0] - places[1]).abs() < 1.0;
        let mut pairs = column.windows(2);
        let is_centred = pairs.all(|pair| {
            let middle = |line: &PdfRow| line.left() + line.right();
            near([middle(&pair[0]), middle(&pair[1])])
        });
        let mut pairs = column.windows(2);
        column.len() <= MAX_LINES
            && is_centred
            && pairs.any(|pair| !near([pair[0].left(), pair[1].left()]))
    };
    columns.iter().all(is_card)
}

/// Whether the lines are in the order of the alphabet from the first column to the last: a list that is
/// set in columns.
fn is_index(columns: &[&[PdfRow]]) -> bool {
    let name = |line: &PdfRow| -> String {
        let text = line.text();
        let letters = text.chars().filter(|it| it.is_alphabetic());
        letters.flat_map(char::to_lowercase).collect()
    };
    let lines = columns.iter().flat_map(|column| column.iter());
    let names: Vec<String> = lines.map(name).collect();
    names.iter().all(|name| !name.is_empty()) && names.is_sorted()
}

/// A line of the first column with those of the others on its baseline.
fn row(line: &PdfRow, columns: &[&[PdfRow]]) -> PdfRow {
    let level = columns
        .iter()
        .flat_map(|column| column.iter().filter(|it| is_level(line, it)).take(1));
    line.part(level.flat_map(|it| it.segments.iter().cloned()).collect())
}

//! The columns of a page whose lines are not drawn one column after the other.
//!
//! Programs that recognise or convert text may draw the lines of all columns in turn, or in no order. A column is found by its left edge, which many rows share, with a gutter before it that no row
//! crosses. A region is divided only if both sides look like prose. Other rows stay together, since
//! a table that is read column by column is worthless.

use super::rows::{PdfRow, Segment};

/// The minimum width of a gutter, relative to the font size.
const GUTTER: f64 = 0.8;
const MIN_COLUMN_ROWS: usize = 4;
const MIN_REGION_ROWS: usize = 2;
const MIN_COLUMN_CHARS: usize = 14;
/// Columns that are drawn in turn have at least so many lines.
const MIN_PROSE_LINES: usize = 12;
const MAX_DEPTH: usize = 6;
/// How much of its column a line of prose fills.
const FILLED: f64 = 0.6;
/// On a page with more rows or edges, looking for columns would take longer than reading it.
const MAX_ROWS: usize = 3_000;
const MAX_EDGES: usize = 40;

/// Whether rows are columns on both sides of an edge.
type AreColumns = fn(Vec<PdfRow>, f64) -> bool;

/// The rows of a page, from top to bottom, in the order in which they are read.
pub(super) fn in_reading_order(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    column_by_column(rows, is_prose, 0)
}

/// The rows, which are as they are drawn, with columns whose lines are drawn in turn one after the
/// other. A table is drawn so, too, but has no long lines.
pub(super) fn with_columns_drawn_in_turn(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    let is_down = |one: &PdfRow, next: &PdfRow| {
        next.baseline > one.baseline && one.table.is_none() && next.table.is_none()
    };
    let mut ordered = Vec::with_capacity(rows.len());
    for run in rows.chunk_by(is_down) {
        let parted = run.iter().filter(|row| row.segments.len() > 1).count();
        if parted >= MIN_PROSE_LINES {
            ordered.extend(column_by_column(run.to_vec(), is_page_of_prose, 0));
        } else {
            ordered.extend_from_slice(run);
        }
    }
    ordered
}

fn column_by_column(rows: Vec<PdfRow>, are_columns: AreColumns, depth: usize) -> Vec<PdfRow> {
    let split = if depth < MAX_DEPTH {
        columns_of(&rows, are_columns)
    } else {
        None
    };
    let Some((regions, edge)) = split else {
        return rows;
    };
    let parts = parts(rows, regions, edge).into_iter();
    parts
        .flat_map(|part| column_by_column(part, are_columns, depth + 1))
        .collect()
}

/// The rows between, left and right of the columns of these regions.
fn parts(rows: Vec<PdfRow>, regions: Regions, edge: f64) -> Vec<Vec<PdfRow>> {
    let mut parts = Vec::new();
    let mut rows = rows.into_iter();
    let mut index = 0;
    for (from, to) in regions {
        parts.push(rows.by_ref().take(from - index).collect());
        let (left, right) = divided(rows.by_ref().take(to - from).collect(), edge);
        parts.extend([left, right]);
        index = to;
    }
    parts.push(rows.collect());
    parts.retain(|part: &Vec<PdfRow>| !part.is_empty());
    parts
}

/// The segments left and right of an edge.
fn divided(rows: Vec<PdfRow>, edge: f64) -> (Vec<PdfRow>, Vec<PdfRow>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for row in rows {
        let segments = row.segments.iter().cloned();
        let (before, after): (Vec<Segment>, Vec<Segment>) =
            segments.partition(|segment| segment.left < edge - 1.0);
        for (segments, side) in [(before, &mut left), (after, &mut right)] {
            if !segments.is_empty() {
                side.push(row.part(segments));
            }
        }
    }
    (left, right)
}

/// Runs of rows, by their first and the one after their last.
type Regions = Vec<(usize, usize)>;

/// The regions that the same gutter divides into two columns, and the left edge of the right
/// column. Headings, pictures and tables may lie across it between them.
fn columns_of(rows: &[PdfRow], are_columns: AreColumns) -> Option<(Regions, f64)> {
    if rows.len() > MAX_ROWS {
        return None;
    }
    let gutter = GUTTER * median(rows.iter().map(|row| row.size))?;
    shared_edges(rows)
        .into_iter()
        .map(|edge| (runs(rows, edge, gutter), edge))
        .filter(|(regions, edge)| {
            let inside = regions.iter().flat_map(|(from, to)| &rows[*from..*to]);
            let inside: Vec<PdfRow> = inside.cloned().collect();
            are_columns(inside, *edge)
        })
        .max_by_key(|(regions, _)| count(regions))
}

/// The number of rows in these regions.
fn count(regions: &Regions) -> usize {
    regions.iter().map(|(from, to)| to - from).sum()
}

/// Left edges of segments that several rows share, except the leftmost.
fn shared_edges(rows: &[PdfRow]) -> Vec<f64> {
    let mut edges: Vec<f64> = rows
        .iter()
        .flat_map(|row| row.segments.iter().map(|segment| segment.left))
        .collect();
    edges.sort_by(f64::total_cmp);
    let mut shared = Vec::new();
    let mut start = 0;
    for index in 1..=edges.len() {
        if index == edges.len() || edges[index] - edges[start] > 2.0 {
            if index - start >= MIN_COLUMN_ROWS && start > 0 {
                shared.push((index - start, edges[start]));
            }
            start = index;
        }
    }
    shared.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    shared
        .into_iter()
        .take(MAX_EDGES)
        .map(|(_, edge)| edge)
        .collect()
}

/// The runs of rows in which no text crosses the gutter before an edge.
fn runs(rows: &[PdfRow], edge: f64, gutter: f64) -> Vec<(usize, usize)> {
    let is_free = |row: &PdfRow| {
        row.segments
            .iter()
            .all(|segment| segment.right <= edge - gutter || segment.left >= edge - 1.0)
    };
    let mut runs = Vec::new();
    let mut from = 0;
    for index in 0..=rows.len() {
        if index == rows.len() || !is_free(&rows[index]) {
            if index >= from + MIN_REGION_ROWS {
                runs.push((from, index));
            }
            from = index + 1;
        }
    }
    runs
}

/// Whether most lines on both sides of an edge fill their column.
fn is_prose(rows: Vec<PdfRow>, edge: f64) -> bool {
    let (left, right) = divided(rows, edge);
    fills(&left) && fills(&right)
}

/// Whether both sides have many long lines of words, which no table has.
fn is_page_of_prose(rows: Vec<PdfRow>, edge: f64) -> bool {
    const MIN_CHARS: usize = 36;
    let is_long = |row: &&PdfRow| {
        let text = row.text();
        let letters = text.chars().filter(|it| it.is_alphabetic()).count();
        let chars = text.chars().count();
        chars >= MIN_CHARS && letters * 2 > chars
    };
    let (left, right) = divided(rows, edge);
    [left, right].iter().all(|side| {
        let long = side.iter().filter(is_long);
        fills(side) && side.len() >= MIN_PROSE_LINES && long.count() * 10 >= side.len() * 8
    })
}

/// Whether most lines fill their column.
fn fills(side: &[PdfRow]) -> bool {
    let start = side.iter().map(PdfRow::left).fold(f64::MAX, f64::min);
    let end = side.iter().map(PdfRow::right).fold(f64::MIN, f64::max);
    let filled = side
        .iter()
        .filter(|row| row.right() - row.left() > FILLED * (end - start))
        .count();
    let chars: usize = side.iter().map(|row| row.text().chars().count()).sum();
    side.len() >= MIN_COLUMN_ROWS
        && chars >= MIN_COLUMN_CHARS * side.len()
        && filled * 2 >= side.len()
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_left_column_is_read_before_the_right_one() {
        let segment = |left: f64, right: f64, text: String| Segment {
            left,
            right,
            text,
            size: 10.0,
            is_bold: false,
            look: super::super::look::Look::Plain,
            fixed: None,
            order: 0,
        };
        let row = |baseline: f64, segments: Vec<Segment>| PdfRow {
            baseline,
            size: 10.0,
            segments,
            table: None,
        };
        let title = segment(100.0, 500.0, "A title across both columns".to_owned());
        let mut rows = vec![row(40.0, vec![title])];
        for line in 0..8 {
            rows.push(row(
                80.0 + 12.0 * f64::from(line),
                vec![
                    segment(50.0, 290.0, format!("left line number {line}")),
                    segment(310.0, 550.0, format!("right line number {line}")),
                ],
            ));
        }
        let texts: Vec<String> = in_reading_order(rows).iter().map(PdfRow::text).collect();
        let mut expected = vec!["A title across both columns".to_owned()];
        expected.extend((0..8).map(|line| format!("left line number {line}")));
        expected.extend((0..8).map(|line| format!("right line number {line}")));
        assert_eq!(texts, expected);
    }
}

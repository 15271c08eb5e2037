//! Puts the rows of a page into reading order: one column after the other.
//!
//! A column is found by its left edge, which many rows share, with a gutter before it that no row
//! crosses. A region is divided only if both sides look like prose. Other rows stay together, since
//! a table that is read column by column is worthless.

use super::content::UNORDERED;
use super::rows::{PdfRow, Segment};

/// The minimum width of a gutter, relative to the font size.
const GUTTER: f64 = 0.8;
const MIN_COLUMN_ROWS: usize = 4;
const MIN_REGION_ROWS: usize = 2;
const MIN_COLUMN_CHARS: usize = 14;
const MAX_DEPTH: usize = 6;
/// How much of its column a line of prose fills.
const FILLED: f64 = 0.6;
/// On a page with more rows or edges, looking for columns would take longer than reading it.
const MAX_ROWS: usize = 3_000;
const MAX_EDGES: usize = 40;

/// The rows in the order in which they are read.
pub(super) fn in_reading_order(rows: Vec<PdfRow>, depth: usize) -> Vec<PdfRow> {
    let split = if depth < MAX_DEPTH {
        columns_of(&rows)
    } else {
        None
    };
    let Some((regions, edge)) = split else {
        return rows;
    };
    let parts = parts(rows, regions, edge).into_iter();
    parts
        .flat_map(|part| in_reading_order(part, depth + 1))
        .collect()
}

/// The parts of a page that are read one after the other, if there is no doubt about its columns: the
/// file draws one after the other, and one of them is prose or a table that is drawn row by row. What
/// looks like a table across them is none.
pub(super) fn undoubted_parts(rows: Vec<PdfRow>, depth: usize) -> Vec<Vec<PdfRow>> {
    let split = if depth < MAX_DEPTH && rows.len() <= MAX_ROWS {
        undoubted_columns(&rows)
    } else {
        None
    };
    let Some((regions, edge)) = split else {
        return vec![rows];
    };
    let parts = parts(rows, regions, edge).into_iter();
    parts
        .flat_map(|part| undoubted_parts(part, depth + 1))
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
fn columns_of(rows: &[PdfRow]) -> Option<(Regions, f64)> {
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
            match drawing_order(&inside, *edge) {
                DrawingOrder::ByColumn => true,
                DrawingOrder::Unclear => is_prose(inside, *edge),
                DrawingOrder::ByRow => is_page_of_prose(inside, *edge),
            }
        })
        .max_by_key(|(regions, _)| count(regions))
}

fn undoubted_columns(rows: &[PdfRow]) -> Option<(Regions, f64)> {
    let gutter = GUTTER * median(rows.iter().map(|row| row.size))?;
    let is_undoubted = |region: &(usize, usize), edge: f64| {
        let inside = rows[region.0..region.1].to_vec();
        let is_certain = switches(&inside, edge) <= 1 + sides(&inside, edge).len() / 40;
        let (left, right) = divided(inside, edge);
        let is_column = |side: &[PdfRow]| fills(side) || is_drawn_by_row(side);
        is_certain && are_beside(&left, &right) && (is_column(&left) || is_column(&right))
    };
    shared_edges(rows)
        .into_iter()
        .map(|edge| {
            let mut regions = runs(rows, edge, gutter);
            regions.retain(|region| is_undoubted(region, edge));
            (regions, edge)
        })
        .filter(|(regions, _)| !regions.is_empty())
        .max_by_key(|(regions, _)| count(regions))
}

/// The number of rows in these regions.
fn count(regions: &Regions) -> usize {
    regions.iter().map(|(from, to)| to - from).sum()
}

/// Whether two columns have many lines, and stand beside one another.
fn are_beside(left: &[PdfRow], right: &[PdfRow]) -> bool {
    const MIN_BESIDE: usize = 8;
    let top = |rows: &[PdfRow]| rows.iter().map(|row| row.baseline).fold(f64::MAX, f64::min);
    let bottom = |rows: &[PdfRow]| rows.iter().map(|row| row.baseline).fold(f64::MIN, f64::max);
    let (top, bottom) = (top(left).max(top(right)), bottom(left).min(bottom(right)));
    [left, right].iter().all(|side| {
        let is_beside = |row: &&PdfRow| (top..=bottom).contains(&row.baseline);
        side.iter().filter(is_beside).count() >= MIN_BESIDE
    })
}

/// Whether the file draws rows of several segments from top to bottom: a table on one side of a page.
/// Of a table that is drawn column by column, no part is drawn so. Within a row, the cells after a long
/// one are above its end.
fn is_drawn_by_row(side: &[PdfRow]) -> bool {
    /// The part of the side that a row of the table may be high.
    const HIGHEST: f64 = 0.3;
    let parted = side.iter().filter(|row| row.segments.len() > 1).count();
    let mut places: Vec<(usize, f64)> = side
        .iter()
        .flat_map(|row| row.segments.iter().map(|it| (it.order, row.baseline)))
        .filter(|(order, _)| *order != UNORDERED)
        .collect();
    places.sort_unstable_by_key(|(order, _)| *order);
    let (Some(top), Some(bottom)) = (side.first(), side.last()) else {
        return false;
    };
    let highest = HIGHEST * (bottom.baseline - top.baseline);
    let is_down = |pair: &[(usize, f64)]| pair[0].1 - pair[1].1 <= highest;
    parted > MIN_COLUMN_ROWS && places.windows(2).all(is_down)
}

/// How often a file turns from one side of an edge to the other.
fn switches(rows: &[PdfRow], edge: f64) -> usize {
    let mut segments = sides(rows, edge);
    segments.sort_unstable();
    let turns = segments.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    turns.count()
}

/// The order of each segment, and whether it is left of an edge.
fn sides(rows: &[PdfRow], edge: f64) -> Vec<(usize, bool)> {
    let segments = rows.iter().flat_map(|row| &row.segments);
    segments
        .map(|it| (it.order, it.left < edge - 1.0))
        .filter(|(order, _)| *order != UNORDERED)
        .collect()
}

/// How a file draws what is on both sides of an edge.
#[derive(Debug, PartialEq)]
enum DrawingOrder {
    /// All of one side before the other.
    ByColumn,
    /// Row after row, as tables are.
    ByRow,
    Unclear,
}

fn drawing_order(rows: &[PdfRow], edge: f64) -> DrawingOrder {
    let is_on_both = |row: &&PdfRow| {
        let left = row
            .segments
            .iter()
            .filter(|it| it.left < edge - 1.0)
            .count();
        left > 0 && left < row.segments.len()
    };
    let both = rows.iter().filter(is_on_both).count();
    let segments = sides(rows, edge);
    let switches = switches(rows, edge);
    let left = segments.iter().filter(|(_, is_left)| *is_left).count();
    let few = left.min(segments.len() - left);
    match () {
        () if few < MIN_COLUMN_ROWS || both < 2 => DrawingOrder::Unclear,
        () if switches <= 1 + both / 6 => DrawingOrder::ByColumn,
        () if switches >= both => DrawingOrder::ByRow,
        () => DrawingOrder::Unclear,
    }
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

/// Whether both sides have many long lines, which no table has. Some programs that recognise or convert
/// text draw the lines of both columns in turn.
fn is_page_of_prose(rows: Vec<PdfRow>, edge: f64) -> bool {
    const MIN_LINES: usize = 12;
    const MIN_CHARS: usize = 36;
    let (left, right) = divided(rows, edge);
    [left, right].iter().all(|side| {
        let long = side
            .iter()
            .filter(|row| row.text().chars().count() >= MIN_CHARS);
        fills(side) && side.len() >= MIN_LINES && long.count() * 10 >= side.len() * 8
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
        let texts: Vec<String> = in_reading_order(rows, 0).iter().map(PdfRow::text).collect();
        let mut expected = vec!["A title across both columns".to_owned()];
        expected.extend((0..8).map(|line| format!("left line number {line}")));
        expected.extend((0..8).map(|line| format!("right line number {line}")));
        assert_eq!(texts, expected);
    }
}

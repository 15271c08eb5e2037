//! The labels of a drawing, which stand in no lines.
//!
//! Read line by line, labels that have nothing to do with one another are mixed. The file draws those
//! that belong together one after the other: the numbers along an axis, or the lines of one label.

use super::content::UNORDERED;
use super::rows::{PdfRow, Segment};

/// Fewer texts are read line by line.
const MIN_LABELS: usize = 6;
/// A longer text is no label.
const MAX_CHARS: usize = 28;

/// Puts the labels of drawings into the order in which they are drawn.
pub(super) fn in_drawn_order(rows: Vec<PdfRow>) -> Vec<PdfRow> {
    let mut ordered = Vec::with_capacity(rows.len());
    for group in rows.chunk_by(|one, other| are_labels(one) && are_labels(other)) {
        match labels(group) {
            Some(labels) => ordered.extend(labels),
            None => ordered.extend_from_slice(group),
        }
    }
    ordered
}

/// Whether a row has nothing but short texts.
fn are_labels(row: &PdfRow) -> bool {
    let is_label = |it: &Segment| it.order != UNORDERED && it.text.chars().count() <= MAX_CHARS;
    row.table.is_none() && row.segments.iter().all(is_label)
}

/// A text and the row that it is in.
type Place<'a> = (usize, &'a Segment);

/// The labels that these rows are, as they are drawn. `None` if the rows are read as they are.
fn labels(rows: &[PdfRow]) -> Option<Vec<PdfRow>> {
    let numbered = rows.iter().enumerate();
    let by_row: Vec<Place<'_>> = numbered
        .flat_map(|(row, it)| it.segments.iter().map(move |segment| (row, segment)))
        .collect();
    let mut drawn = by_row.clone();
    drawn.sort_by_key(|(_, segment)| segment.order);
    let back = drawn.windows(2).filter(|pair| pair[0].0 > pair[1].0);
    let is_scattered = back.count() * 5 > drawn.len();
    let has_names = by_row.iter().any(|(_, it)| it.text.ends_with(':'));
    if drawn.len() < MIN_LABELS || !is_scattered || has_names {
        return None;
    }
    (way(&drawn, rows) < way(&by_row, rows)).then(|| as_drawn(&drawn, rows))
}

/// How far it is from each text to the next.
fn way(places: &[Place<'_>], rows: &[PdfRow]) -> f64 {
    let step = |pair: &[Place<'_>]| {
        let down = rows[pair[1].0].baseline - rows[pair[0].0].baseline;
        // From the end of one, or its start if the next is below it.
        let across = (pair[1].1.left - pair[0].1.right)
            .abs()
            .min((pair[1].1.left - pair[0].1.left).abs());
        across + down.abs()
    };
    places.windows(2).map(step).sum()
}

/// A row for each text, or for those that are drawn one after the other in one line.
fn as_drawn(places: &[Place<'_>], rows: &[PdfRow]) -> Vec<PdfRow> {
    let is_one_line =
        |one: &Place<'_>, other: &Place<'_>| one.0 == other.0 && one.1.right <= other.1.left;
    let lines = places.chunk_by(is_one_line);
    let part = |line: &[Place<'_>]| {
        let segments = line.iter().map(|(_, segment)| (*segment).clone());
        rows[line[0].0].part(segments.collect())
    };
    lines.map(part).collect()
}

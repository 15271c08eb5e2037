//! Text that runs upwards, downwards or at a slant, between the lines that run across the page.
//!
//! It is told where the file draws it: a label of an axis with its chart, and not at the end of the page.

use std::ops::Range;

use super::content::UNORDERED;
use super::rows::PdfRow;

/// Lines of one direction that are told one after the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) direction: usize,
    pub(super) rows: Range<usize>,
}

/// The rows of all directions, of which the first runs across the page, in the order in which they are
/// told. Those of the first stay in their order. Others follow the row after which they are drawn.
pub(super) fn in_turn(directions: &[Vec<PdfRow>]) -> Vec<Stretch> {
    let [across, others @ ..] = directions else {
        return Vec::new();
    };
    let mut added: Vec<(usize, Stretch)> = Vec::new();
    let drawn = rows_as_drawn(across);
    for (index, rows) in others.iter().enumerate() {
        let mut from = 0;
        let places: Vec<usize> = rows.iter().map(|row| place(row, &drawn, across)).collect();
        for run in places.chunk_by(|one, other| one == other) {
            let stretch = Stretch {
                direction: index + 1,
                rows: from..from + run.len(),
            };
            from += run.len();
            added.push((run[0], stretch));
        }
    }
    added.sort_by_key(|(place, stretch)| (*place, order(stretch, directions)));
    let mut turns = Vec::new();
    let mut told = 0;
    for (place, stretch) in added {
        turns.push(across_page(told..place));
        told = place;
        turns.push(stretch);
    }
    turns.push(across_page(told..across.len()));
    turns.retain(|stretch| !stretch.rows.is_empty());
    turns
}

fn across_page(rows: Range<usize>) -> Stretch {
    Stretch { direction: 0, rows }
}

fn order(stretch: &Stretch, directions: &[Vec<PdfRow>]) -> usize {
    let rows = &directions[stretch.direction][stretch.rows.clone()];
    rows.iter().map(PdfRow::order).min().unwrap_or(UNORDERED)
}

/// The rows by the order in which they are drawn. None if they are read in another.
fn rows_as_drawn(rows: &[PdfRow]) -> Vec<(usize, usize)> {
    let ordered = rows.iter().map(PdfRow::order).enumerate();
    let mut drawn: Vec<(usize, usize)> = ordered
        .filter(|(_, order)| *order != UNORDERED)
        .map(|(row, order)| (order, row))
        .collect();
    let back = drawn.windows(2).filter(|pair| pair[1].0 < pair[0].0);
    if back.count() * 4 > drawn.len() {
        return Vec::new();
    }
    drawn.sort_unstable();
    drawn
}

/// The number of rows that are told before this one.
fn place(row: &PdfRow, drawn: &[(usize, usize)], across: &[PdfRow]) -> usize {
    if drawn.is_empty() || row.order() == UNORDERED {
        return across.len();
    }
    let after = drawn.partition_point(|(order, _)| *order < row.order());
    // What is drawn before all others is a stamp, or stands behind them.
    let last = after.checked_sub(1).map(|last| drawn[last].1 + 1);
    last.unwrap_or(across.len())
}

//! Whether the order in which a file draws the text between lines is that of a table.
//!
//! Lines that meet also frame the parts of a page or the boxes of a drawing. Their text is drawn part by
//! part or in no order, that of a table row by row or column by column.

use std::collections::HashMap;

use super::content::UNORDERED;
use super::ruled_band::Band;

/// Whether the file draws these bands neither one after the other nor column by column: the labels of a
/// drawing rather than a table.
pub(super) fn is_scattered(bands: &[Band<'_>], columns: usize) -> bool {
    let mut places: Vec<(usize, usize)> = bands
        .iter()
        .enumerate()
        .flat_map(|(band, it)| it.segments().map(move |it| (it.order, band)))
        .filter(|(order, _)| *order != UNORDERED)
        .collect();
    places.sort_unstable();
    let back = places.windows(2).filter(|pair| pair[0].1 > pair[1].1);
    let back = back.count();
    back > columns && back * 4 > places.len()
}

/// Where a segment is put in a table.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) order: usize,
}

/// Whether most texts that the file draws one after the other are apart in the table, row by row as well
/// as column by column: its lines frame parts of a page or of a drawing.
pub(super) fn is_torn(mut placed: Vec<Placed>) -> bool {
    /// A form may be drawn in so many passes: first its labels, and then the values.
    const MOST_PASSES: usize = 3;
    /// A table of fewer texts may be drawn in any order.
    const MIN_TORN: usize = 12;
    placed.retain(|it| it.order != UNORDERED);
    let mut drawn = placed.clone();
    drawn.sort_by_key(|it| it.order);
    let by_row = |it: &Placed| (it.row, it.column);
    let by_column = |it: &Placed| (it.column, it.row);
    let passes = passes(&drawn, by_row).min(passes(&drawn, by_column));
    let is_by_rows = is_drawn_by(&drawn, |it| it.row);
    let is_orderly = passes <= MOST_PASSES || is_by_rows || is_drawn_by(&drawn, |it| it.column);
    let pairs = drawn.windows(2).map(|it| (it[0].order, it[1].order));
    let followers: HashMap<usize, usize> = pairs.collect();
    let mut kept = |place: fn(&Placed) -> (usize, usize)| {
        placed.sort_by_key(place);
        let pairs = placed.windows(2);
        let kept = pairs.filter(|pair| followers.get(&pair[0].order) == Some(&pair[1].order));
        kept.count()
    };
    let most = kept(by_column).max(kept(by_row));
    let cells = placed
        .chunk_by(|one, next| by_row(one) == by_row(next))
        .count();
    // The lines of a cell follow one another, whatever the order of the cells.
    let has_torn_cells = placed.len() >= 2 * cells;
    placed.len() >= MIN_TORN && most * 2 < placed.len() && (!is_orderly || has_torn_cells)
}

/// How often the file begins anew in drawing texts in this order.
fn passes(drawn: &[Placed], place: fn(&Placed) -> (usize, usize)) -> usize {
    let pairs = drawn.windows(2);
    1 + pairs
        .filter(|pair| place(&pair[1]) < place(&pair[0]))
        .count()
}

/// Whether nearly all parts, such as rows, are drawn one after the other. What is in a part may be drawn in
/// any order.
fn is_drawn_by(drawn: &[Placed], part: fn(&Placed) -> usize) -> bool {
    let mut parts: Vec<usize> = drawn.iter().map(part).collect();
    parts.dedup();
    let turns = parts.len();
    parts.sort_unstable();
    parts.dedup();
    turns * 4 <= parts.len() * 5
}

//! The lines of a page in the order in which the file draws them.
//!
//! Nearly all programs draw a page as it is read: one column after the other, a table row by row and
//! cell by cell, the lines of a label together. No rule about where text stands does as well. Only a
//! page whose lines are drawn in no order is read from top to bottom.

use std::collections::HashMap;

use super::content::UNORDERED;
use super::drawn_late::in_one_layer;
use super::list_item::is_mark;
use super::rows::PdfRow;

/// A page that goes back less often is in order.
const MIN_BACK: usize = 4;

/// The segments of one row that are drawn one after the other.
pub(super) struct Piece {
    row: usize,
    segments: Vec<usize>,
}

/// The rows in the order in which they are drawn. A row whose parts are drawn at other times becomes
/// several. `None` if the file draws them in no order.
pub(super) fn in_drawn_order(rows: &[PdfRow]) -> Option<Vec<PdfRow>> {
    let pieces = drawn(rows);
    let is_drawn_so = !is_scrambled(rows, &pieces) && !is_backwards(rows, &pieces);
    is_drawn_so.then(|| ordered(rows, in_one_layer(rows, pieces)))
}

/// The same for labels that run upwards or downwards, which may follow one another in any direction.
pub(super) fn labels_in_drawn_order(rows: &[PdfRow]) -> Option<Vec<PdfRow>> {
    let pieces = drawn(rows);
    (!is_scrambled(rows, &pieces)).then(|| ordered(rows, pieces))
}

fn ordered(rows: &[PdfRow], pieces: Vec<Piece>) -> Vec<PdfRow> {
    let pieces = with_unordered(rows, with_marks(rows, pieces));
    let part = |piece: Piece| {
        let row = &rows[piece.row];
        let segments = piece.segments.iter().map(|it| row.segments[*it].clone());
        row.part(segments.collect())
    };
    pieces.into_iter().map(part).collect()
}

/// The pieces as they are drawn, without those that have no order.
fn drawn(rows: &[PdfRow]) -> Vec<Piece> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (row, line) in rows.iter().enumerate() {
        let ordered = line.segments.iter().enumerate();
        let ordered = ordered.filter(|(_, segment)| segment.order != UNORDERED);
        places.extend(ordered.map(|(index, _)| (row, index)));
    }
    places.sort_by_key(|(row, segment)| rows[*row].segments[*segment].order);
    let is_next = |one: &(usize, usize), next: &(usize, usize)| {
        let between = |row: usize, from: usize, to: usize| {
            let between = rows[row].segments.get(from + 1..to);
            between.is_some_and(|it| it.iter().all(|it| it.order == UNORDERED))
        };
        one.0 == next.0 && one.1 < next.1 && between(one.0, one.1, next.1)
    };
    places
        .chunk_by(is_next)
        .map(|places| Piece {
            row: places[0].0,
            segments: places.iter().map(|place| place.1).collect(),
        })
        .collect()
}

/// The pieces with the marks of items before their items. Some programs draw the mark after the text.
fn with_marks(rows: &[PdfRow], pieces: Vec<Piece>) -> Vec<Piece> {
    /// How far a mark may be from its item, relative to the font size.
    const WIDEST_GAP: f64 = 3.0;
    let mut ordered: Vec<Piece> = Vec::with_capacity(pieces.len());
    // The piece that begins with each segment.
    let mut starts: HashMap<(usize, usize), usize> = HashMap::new();
    for piece in pieces {
        let (row, first) = (piece.row, piece.segments[0]);
        let segments = &rows[row].segments;
        let item = segments.get(first + 1).filter(|item| {
            piece.segments.len() == 1
                && item.left - segments[first].right < WIDEST_GAP * item.size
                && is_mark(&segments[first].text)
        });
        match item.and_then(|_| starts.remove(&(row, first + 1))) {
            Some(place) => {
                ordered[place].segments.insert(0, first);
                starts.insert((row, first), place);
            }
            None => {
                starts.insert((row, first), ordered.len());
                ordered.push(piece);
            }
        }
    }
    ordered
}

/// Whether the file often goes back to a line above the one before.
fn is_scrambled(rows: &[PdfRow], pieces: &[Piece]) -> bool {
    /// Shorter texts are labels, which may be anywhere.
    const MIN_CHARS: usize = 12;
    let places: Vec<Place> = pieces.iter().map(|piece| Place::of(piece, rows)).collect();
    let lines: Vec<&Place> = places.iter().filter(|it| it.chars >= MIN_CHARS).collect();
    let back = lines.windows(2);
    let back = back.filter(|pair| pair[1].is_above(pair[0])).count();
    back >= MIN_BACK && back * 4 > lines.len()
}

/// Whether the file draws nearly all from the end to the start.
fn is_backwards(rows: &[PdfRow], pieces: &[Piece]) -> bool {
    let places: Vec<Place> = pieces.iter().map(|piece| Place::of(piece, rows)).collect();
    // The numbers along an axis are drawn from its start, wherever that is.
    let worded: Vec<&Place> = places.iter().filter(|it| it.has_word).collect();
    let reversed = worded.windows(2);
    let reversed = reversed.filter(|pair| pair[1].is_before(pair[0])).count();
    reversed >= MIN_BACK && reversed * 10 > worded.len() * 6
}

/// Where a piece is.
pub(super) struct Place {
    baseline: f64,
    size: f64,
    left: f64,
    right: f64,
    chars: usize,
    has_word: bool,
}

/// Whether texts that should follow one another often go back to one above the one before.
pub(super) fn goes_back<'a>(first_rows: impl Iterator<Item = &'a PdfRow>) -> bool {
    let place = |row: &PdfRow| Place {
        baseline: row.baseline,
        size: row.size,
        left: row.left(),
        right: row.right(),
        chars: 0,
        has_word: true,
    };
    let places: Vec<Place> = first_rows.map(place).collect();
    let back = places.windows(2);
    let back = back.filter(|pair| pair[1].is_above(&pair[0])).count();
    back >= MIN_BACK && back * 4 > places.len()
}

impl Place {
    pub(super) fn of(piece: &Piece, rows: &[PdfRow]) -> Place {
        let row = &rows[piece.row];
        let segments = || piece.segments.iter().map(|it| &row.segments[*it]);
        Place {
            baseline: row.baseline,
            size: row.size,
            left: segments().map(|it| it.left).fold(f64::MAX, f64::min),
            right: segments().map(|it| it.right).fold(f64::MIN, f64::max),
            chars: segments().map(|it| it.text.chars().count()).sum(),
            has_word: segments().any(|it| has_word(&it.text)),
        }
    }

    pub(super) fn is_level_with(&self, other: &Place) -> bool {
        (self.baseline - other.baseline).abs() < 0.5 * other.size
    }

    fn is_higher(&self, other: &Place) -> bool {
        self.baseline < other.baseline - 0.5 * other.size
    }

    /// Whether it is above another, rather than in the next column.
    pub(super) fn is_above(&self, other: &Place) -> bool {
        let shared = self.right.min(other.right) - self.left.max(other.left);
        let narrower = (self.right - self.left).min(other.right - other.left);
        self.is_higher(other) && shared > 0.5 * narrower
    }

    /// Whether it is above another, or left of it.
    fn is_before(&self, other: &Place) -> bool {
        (self.is_higher(other) && self.left < other.right)
            || (self.is_level_with(other) && self.left < other.left)
    }
}

/// Whether two letters follow one another.
fn has_word(text: &str) -> bool {
    let is_pair = |pair: (char, char)| pair.0.is_alphabetic() && pair.1.is_alphabetic();
    text.chars().zip(text.chars().skip(1)).any(is_pair)
}

/// The pieces with what has no order: beside what stands before it in its row, or after what stands
/// above it.
fn with_unordered(rows: &[PdfRow], mut pieces: Vec<Piece>) -> Vec<Piece> {
    let mut of_row: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    for (index, piece) in pieces.iter().enumerate() {
        of_row[piece.row].push(index);
    }
    // Each with the piece that it follows.
    let mut added: Vec<(Option<usize>, Piece)> = Vec::new();
    for (row, line) in rows.iter().enumerate() {
        let numbered = line.segments.iter().enumerate();
        let unordered = numbered.filter(|(_, segment)| segment.order == UNORDERED);
        let segments: Vec<usize> = unordered.map(|(index, _)| index).collect();
        if segments.is_empty() {
            continue;
        }
        if of_row[row].is_empty() {
            let above = above(rows, &of_row, row);
            added.push((above, Piece { row, segments }));
            continue;
        }
        for index in segments {
            let first = |piece: &usize| pieces[*piece].segments.first().copied();
            let before = of_row[row].iter().filter(|it| first(it) < Some(index));
            let beside = before.max_by_key(|it| first(it)).or(of_row[row].first());
            if let Some(piece) = beside.copied() {
                let segments = &mut pieces[piece].segments;
                let at = segments.partition_point(|it| *it < index);
                segments.insert(at, index);
            }
        }
    }
    merged(pieces, added)
}

/// The last piece of the nearest row above that is above this one, rather than beside it.
fn above(rows: &[PdfRow], of_row: &[Vec<usize>], row: usize) -> Option<usize> {
    /// How many rows up it may be.
    const REACH: usize = 60;
    let own = &rows[row];
    let is_above = |other: &PdfRow| other.left() < own.right() && other.right() > own.left();
    let near = (row.saturating_sub(REACH)..row).rev();
    let mut drawn = near.filter(|it| !of_row[*it].is_empty());
    let first = drawn.clone().next();
    let over = drawn.find(|it| is_above(&rows[*it])).or(first)?;
    of_row[over].iter().copied().max()
}

fn merged(pieces: Vec<Piece>, mut added: Vec<(Option<usize>, Piece)>) -> Vec<Piece> {
    added.sort_by_key(|(after, _)| *after);
    let mut added = added.into_iter().peekable();
    let mut all = Vec::with_capacity(pieces.len() + added.len());
    while let Some((_, piece)) = added.next_if(|(after, _)| after.is_none()) {
        all.push(piece);
    }
    for (index, piece) in pieces.into_iter().enumerate() {
        all.push(piece);
        while let Some((_, piece)) = added.next_if(|(after, _)| *after == Some(index)) {
            all.push(piece);
        }
    }
    all
}

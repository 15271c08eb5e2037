//! Text that is drawn after all other text of a page, though it stands between its lines.
//!
//! Browsers paint what a style sheet has positioned, as pandoc's does with code, last.

use super::drawn_order::{Piece, Place};
use super::rows::PdfRow;

/// On a page of more pairs of pieces, finding out would take longer than reading it.
const MAX_PAIRS: usize = 1_000_000;

/// The pieces of a page that is drawn from top to bottom twice, with each of the second time between those of
/// the first time where it stands. Other pages stay as they are drawn.
pub(super) fn in_one_layer(rows: &[PdfRow], pieces: Vec<Piece>) -> Vec<Piece> {
    let places: Vec<Place> = pieces.iter().map(|piece| Place::of(piece, rows)).collect();
    let Some(start) = start_of_second_layer(&places) else {
        return pieces;
    };
    let (first, second) = places.split_at(start);
    let Some(before) = places_between(first, second) else {
        return pieces;
    };
    let mut pieces = pieces;
    let late = pieces.split_off(start);
    let mut late = before.into_iter().zip(late).peekable();
    let mut ordered = Vec::with_capacity(places.len());
    for (index, piece) in pieces.into_iter().enumerate() {
        while let Some((_, piece)) = late.next_if(|(before, _)| *before <= index) {
            ordered.push(piece);
        }
        ordered.push(piece);
    }
    ordered.extend(late.map(|(_, piece)| piece));
    ordered
}

/// Where the page is drawn from its top for the second time. `None` if it is not, or more often.
fn start_of_second_layer(places: &[Place]) -> Option<usize> {
    let steps = places.windows(2).enumerate();
    let mut back = steps.filter(|(_, pair)| pair[1].is_above(&pair[0]));
    let (before, _) = back.next()?;
    back.next().is_none().then_some(before + 1)
}

/// Before which piece of the first layer each of the second stands, below the one before that. `None` if one
/// stands beside another, so that it could be read before or after that, or if most are above all others, as
/// stamps are.
fn places_between(first: &[Place], second: &[Place]) -> Option<Vec<usize>> {
    if first.len() * second.len() > MAX_PAIRS {
        return None;
    }
    let mut start = 0;
    let mut before = |place: &Place| {
        if first.iter().any(|other| other.is_level_with(place)) {
            return None;
        }
        let mut rest = first[start..].iter();
        let below = rest.position(|other| place.is_above(other));
        start = below.map_or(first.len(), |below| start + below);
        let above = start.checked_sub(1).map(|above| &first[above]);
        above
            .is_none_or(|above| above.is_above(place))
            .then_some(start)
    };
    let places: Vec<usize> = second.iter().map(&mut before).collect::<Option<_>>()?;
    let between = places.iter().filter(|start| **start > 0).count();
    (between * 2 > places.len()).then_some(places)
}

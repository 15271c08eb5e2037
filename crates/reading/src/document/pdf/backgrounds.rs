//! Filled boxes that are backgrounds of text, and no cells of a table.
//!
//! Word processors paint the paragraphs of a cell within its lines. Programs that set code paint each
//! piece of it within a line of text, and browsers that print paint each line, or the page, white. The edges
//! of such boxes divide nothing.

use hayro_font::kurbo::Rect;

use super::content::Letter;
use super::rulings::{Filled, Rulings};

/// On a page of more boxes and lines, or boxes and letters, finding out would take longer than reading it.
const MAX_PAIRS: usize = 1_000_000;

/// What is on a page around its filled boxes.
pub(super) struct Surroundings<'a> {
    /// The lines that are drawn.
    lines: &'a Rulings,
    boxes: &'a [Filled],
    /// The letters, from the top of the page.
    letters: Vec<&'a Letter>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(lines: &'a Rulings, boxes: &'a [Filled], letters: &'a [Letter]) -> Self {
        let mut letters: Vec<&Letter> = letters.iter().collect();
        letters.sort_by(|one, other| one.origin.y.total_cmp(&other.origin.y));
        Surroundings {
            lines,
            boxes,
            letters,
        }
    }

    /// The boxes that are not backgrounds of text.
    pub(super) fn cells(&self) -> impl Iterator<Item = Rect> {
        let boxes = self.boxes.len();
        let may_be_within = boxes * self.lines.count() <= MAX_PAIRS;
        let may_be_behind = boxes * self.letters.len().max(boxes) <= MAX_PAIRS;
        let is_background = move |it: &Filled| {
            (may_be_within && self.lines.are_around(it.area))
                || (may_be_behind && self.is_behind_words(it.area))
                || (may_be_behind && it.is_unseen && self.is_behind_line(it.area))
                || (may_be_behind && it.is_unseen && self.is_paper(it.area))
        };
        let cells = self.boxes.iter().filter(move |it| !is_background(it));
        cells.map(|it| it.area)
    }

    /// Whether nearly all of the page is on a box.
    fn is_paper(&self, area: Rect) -> bool {
        let letters = self.letters.iter();
        let on_it = letters.filter(|letter| area.contains(letter.middle()));
        on_it.count() * 10 >= self.letters.len() * 9
    }

    /// Whether there is one line on a box, which is hardly higher, and no other box at its side.
    fn is_behind_line(&self, area: Rect) -> bool {
        /// How high the box is at most, relative to the font size.
        const HIGHEST: f64 = 3.5;
        let letters = self.letters_within(area).iter();
        let mut line = letters.filter(|letter| is_across(letter, area));
        let Some(first) = line.next() else {
            return false;
        };
        area.height() <= HIGHEST * first.size
            && line.all(|it| it.origin.y - first.origin.y < first.size)
            && !self.is_shared(area.x0, area)
            && !self.is_shared(area.x1, area)
    }

    /// Whether a box is about as high as the words on it, and ends where they do, or the line of text goes
    /// on just beside it, where no other box begins. A blank between words may have a box of its own.
    fn is_behind_words(&self, area: Rect) -> bool {
        /// How high the box is at most, relative to the font size.
        const HIGHEST: f64 = 2.0;
        /// How far the next word may be from it.
        const WIDEST_GAP: f64 = 0.45;
        let line = self.letters_within(area);
        let inside = line.iter().find(|letter| is_across(letter, area));
        let Some(size) = inside.map(|letter| letter.size) else {
            let is_between = self.is_shared(area.x0, area) && self.is_shared(area.x1, area);
            return area.width() <= area.height() && is_between;
        };
        let (goes_on_left, goes_on_right) = (
            !self.is_shared(area.x0, area),
            !self.is_shared(area.x1, area),
        );
        let is_near = |gap: f64| (-0.1 * size..WIDEST_GAP * size).contains(&gap);
        let is_beside = |letter: &&Letter| {
            let (left, right) = (letter.origin.x, letter.origin.x + letter.advance.x);
            if letter.middle().x < area.x0 {
                goes_on_left && is_near(area.x0 - right)
            } else {
                goes_on_right && is_near(left - area.x1)
            }
        };
        area.height() <= HIGHEST * size
            && (ends_with_words(line, area) || line.iter().any(is_beside))
    }

    /// The letters that stand between the upper and the lower edge of a box.
    fn letters_within(&self, area: Rect) -> &[&'a Letter] {
        let first = self.letters.partition_point(|it| it.origin.y < area.y0);
        let rest = &self.letters[first..];
        &rest[..rest.partition_point(|it| it.origin.y < area.y1)]
    }

    /// Whether another box beside this one has an edge in the same place.
    fn is_shared(&self, edge: f64, area: Rect) -> bool {
        const NEAR: f64 = 2.0;
        let overlaps = |it: &Rect| {
            let shared = it.y1.min(area.y1) - it.y0.max(area.y0);
            shared > 0.5 * it.height().min(area.height())
        };
        let has_edge = |it: &Rect| (it.x0 - edge).abs() < NEAR || (it.x1 - edge).abs() < NEAR;
        let mut others = self
            .boxes
            .iter()
            .map(|it| &it.area)
            .filter(|it| **it != area);
        others.any(|it| has_edge(it) && overlaps(it))
    }
}

/// Whether a letter is between the left and the right edge of a box.
fn is_across(letter: &Letter, area: Rect) -> bool {
    (area.x0..area.x1).contains(&letter.middle().x)
}

/// Whether the words on a box reach from its left to its right edge.
fn ends_with_words(line: &[&Letter], area: Rect) -> bool {
    const TOUCHING: f64 = 0.6;
    let inside = || line.iter().filter(|letter| is_across(letter, area));
    let left = inside().map(|letter| letter.origin.x);
    let right = inside().map(|letter| letter.origin.x + letter.advance.x);
    (left.fold(f64::MAX, f64::min) - area.x0).abs() < TOUCHING
        && (right.fold(f64::MIN, f64::max) - area.x1).abs() < TOUCHING
}

//! The marks of list items that are drawn as small discs, circles and squares, as browsers do.

use hayro_font::kurbo::{Point, Rect, Vec2};

use super::content::{Letter, PageContent};
use super::rulings::PaintedPath;

/// A page with more small shapes has a drawing.
const MAX_DOTS: usize = 300;

/// The small shapes of a page.
#[derive(Debug, Default)]
pub(super) struct Dots {
    areas: Vec<Rect>,
}

impl Dots {
    pub(super) fn add(&mut self, path: PaintedPath) {
        /// How large marks are.
        const SIZES: std::ops::Range<f64> = 1.0..12.0;
        const MOST_STRETCHED: f64 = 1.3;
        let (PaintedPath::Filled(area) | PaintedPath::Stroked(area)) = path;
        let (long, short) = (
            area.width().max(area.height()),
            area.width().min(area.height()),
        );
        let is_dot = SIZES.contains(&short) && long <= MOST_STRETCHED * short;
        // One more than are allowed says that there are too many.
        if is_dot && self.areas.len() <= MAX_DOTS && !self.areas.contains(&area) {
            self.areas.push(area);
        }
    }
}

impl PageContent {
    /// Puts a bullet where a small shape stands before a line, if there are several of its kind and most
    /// of them do.
    pub(super) fn add_drawn_bullets(&mut self) {
        const MIN_ALIKE: usize = 2;
        let dots = std::mem::take(&mut self.dots.areas);
        if dots.len() < MIN_ALIKE || dots.len() > MAX_DOTS {
            return;
        }
        let before = |dot: &Rect| Some((*dot, line_after(&self.letters, dot)?));
        let mut found: Vec<(Rect, usize)> = dots.iter().filter_map(before).collect();
        if found.len() * 2 < dots.len() {
            return;
        }
        let kinds: Vec<Rect> = found.iter().map(|(dot, _)| *dot).collect();
        found.retain(|(dot, _)| kinds.iter().filter(|it| is_alike(it, dot)).count() >= MIN_ALIKE);
        // From the last to the first, so that the places of the others do not change.
        found.sort_by_key(|(_, letter)| std::cmp::Reverse(*letter));
        found.dedup_by_key(|(_, letter)| *letter);
        for (dot, place) in found {
            let letter = &mut self.letters[place];
            let bullet = Letter {
                text: Box::from("•"),
                origin: Point::new(dot.x0, letter.origin.y),
                advance: Vec2::new(dot.width(), 0.0),
                is_fixed: false,
                after_blank: std::mem::take(&mut letter.after_blank),
                ..letter.clone()
            };
            letter.after_blank = true;
            self.letters.insert(place, bullet);
        }
    }
}

fn is_alike(one: &Rect, other: &Rect) -> bool {
    const NEAR: f64 = 0.5;
    (one.width() - other.width()).abs() < NEAR && (one.height() - other.height()).abs() < NEAR
}

/// The first letter of the line before which a dot stands, at the height of its small letters.
fn line_after(letters: &[Letter], dot: &Rect) -> Option<usize> {
    const SIZES: std::ops::Range<f64> = 0.15..0.62;
    const HEIGHTS: std::ops::Range<f64> = 0.1..0.62;
    /// How far the text is from its mark, relative to the size.
    const FARTHEST: f64 = 2.5;
    let is_beside = |letter: &Letter| {
        letter.advance.x > 0.0
            && letter.advance.y == 0.0
            && SIZES.contains(&(dot.height() / letter.size))
            && HEIGHTS.contains(&((letter.origin.y - dot.center().y) / letter.size))
    };
    let mut first: Option<(usize, &Letter)> = None;
    for (place, letter) in letters.iter().enumerate() {
        let end = letter.origin.x + letter.advance.x;
        let is_in_line = (letter.origin.y - dot.y1).abs() < letter.size;
        if is_in_line && end > dot.x0 - FARTHEST * letter.size && letter.origin.x < dot.x1 {
            return None;
        }
        if is_beside(letter)
            && letter.origin.x >= dot.x1
            && first.is_none_or(|(_, it)| letter.origin.x < it.origin.x)
        {
            first = Some((place, letter));
        }
    }
    let (place, letter) = first?;
    (letter.origin.x - dot.x1 < FARTHEST * letter.size).then_some(place)
}

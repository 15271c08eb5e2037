//! Pages whose text runs upwards, downwards or upside down, as tables that are wider than the paper do.
//!
//! They are read once more as they are when the reader turns the page, so that their rulings and
//! columns are looked for like those of any other page.

use hayro_font::kurbo::Affine;
use hayro_syntax::page::Page;

use super::content::Letter;

/// How a page is turned, and how high it is then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    pub(super) by: Affine,
    pub(super) height: f64,
}

impl Turn {
    /// As the page is.
    pub(super) fn none(page: &Page<'_>) -> Turn {
        Turn {
            by: Affine::IDENTITY,
            height: f64::from(page.render_dimensions().1),
        }
    }

    /// The turn that makes nearly all letters run from left to right. `None` if they do, or no turn
    /// does.
    pub(super) fn upright(page: &Page<'_>, letters: &[Letter]) -> Option<Turn> {
        const MIN_LETTERS: usize = 100;
        const MOST_PERCENT: usize = 90;
        let mut quarters = [0_usize; 4];
        for quarter in letters.iter().filter_map(quarter) {
            quarters[quarter] += 1;
        }
        let most = (1..4).max_by_key(|quarter| quarters[*quarter])?;
        if letters.len() < MIN_LETTERS || quarters[most] * 100 < letters.len() * MOST_PERCENT {
            return None;
        }
        let (width, height) = page.render_dimensions();
        Some(turn(most, f64::from(width), f64::from(height)))
    }
}

/// The turn of a page of this size on which text runs downwards (1), to the left (2) or upwards (3).
fn turn(quarter: usize, width: f64, height: f64) -> Turn {
    let (by, height) = match quarter {
        1 => ([0.0, -1.0, 1.0, 0.0, 0.0, width], width),
        2 => ([-1.0, 0.0, 0.0, -1.0, width, height], height),
        _ => ([0.0, 1.0, -1.0, 0.0, height, 0.0], width),
    };
    Turn {
        by: Affine::new(by),
        height,
    }
}

/// The direction of a letter in quarters of a circle, clockwise. `None` for one at a slant, and for one
/// of a script that is written downwards.
fn quarter(letter: &Letter) -> Option<usize> {
    const SLANT: f64 = 0.05;
    let (across, down) = (letter.advance.x, letter.advance.y);
    let is_straight = across.abs().min(down.abs()) <= SLANT * across.abs().max(down.abs());
    let is_latin = letter.text.chars().all(|it| it < '\u{2E80}');
    (is_straight && is_latin).then_some(match () {
        () if across.abs() >= down.abs() => usize::from(across < 0.0) * 2,
        () if down > 0.0 => 1,
        () => 3,
    })
}

#[cfg(test)]
mod tests {
    use hayro_font::kurbo::{Point, Vec2};

    use super::*;

    #[test]
    fn turned_text_runs_to_the_right_and_down_the_page() {
        let (width, height) = (600.0, 800.0);
        // The first letter of a page, the way to the next one, and the start of the next line.
        for (quarter, first, along, line) in [
            (1, (590.0, 10.0), (0.0, 5.0), (580.0, 10.0)),
            (2, (590.0, 790.0), (-5.0, 0.0), (590.0, 780.0)),
            (3, (10.0, 790.0), (0.0, -5.0), (20.0, 790.0)),
        ] {
            let turn = turn(quarter, width, height);
            let first = Point::new(first.0, first.1);
            let next = turn.by * (first + Vec2::new(along.0, along.1));
            let line = turn.by * Point::new(line.0, line.1);
            assert_eq!(turn.by * first, Point::new(10.0, 10.0));
            assert_eq!(next, Point::new(15.0, 10.0));
            assert_eq!(line, Point::new(10.0, 20.0));
            assert_eq!(turn.height, if quarter == 2 { height } else { width });
        }
    }
}

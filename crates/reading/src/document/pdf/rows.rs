//! Groups letters into rows, and divides rows at wide gaps.
//!
//! A PDF may draw its letters in any order, so only their positions count. Text that runs upwards,
//! downwards or upside down is rotated until it is horizontal.

use super::content::Letter;

/// A gap wider than this, relative to the font size, divides two segments.
const SEGMENT_GAP: f64 = 0.8;
/// A gap wider than this, relative to the font size, is a blank.
const BLANK_GAP: f64 = 0.16;
/// How far from the baseline a letter may be, relative to the font size, so that a superscript
/// stays in the row.
const RAISED: f64 = 0.38;

/// Text of a row without a wide gap.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) text: String,
}

/// The text on one baseline.
#[derive(Debug, Clone)]
pub(super) struct PdfRow {
    pub(super) baseline: f64,
    pub(super) size: f64,
    pub(super) segments: Vec<Segment>,
}

impl PdfRow {
    pub(super) fn left(&self) -> f64 {
        self.segments.first().map_or(0.0, |segment| segment.left)
    }

    pub(super) fn right(&self) -> f64 {
        self.segments.last().map_or(0.0, |segment| segment.right)
    }

    pub(super) fn text(&self) -> String {
        self.segments
            .iter()
            .map(|segment| segment.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A letter of a page that is rotated so that its row is horizontal.
#[derive(Debug, Clone)]
struct FlatLetter {
    text: Box<str>,
    left: f64,
    right: f64,
    baseline: f64,
    size: f64,
}

/// The rows of a page, by the direction of their text. Horizontal text, which is nearly always all
/// of it, comes first.
pub(super) fn rows(letters: Vec<Letter>) -> Vec<Vec<PdfRow>> {
    let mut directions: [Vec<FlatLetter>; 4] = Default::default();
    for letter in letters {
        let (direction, flat) = flattened(letter);
        directions[direction].push(flat);
    }
    directions
        .into_iter()
        .filter(|letters| !letters.is_empty())
        .map(grouped)
        .collect()
}

fn flattened(letter: Letter) -> (usize, FlatLetter) {
    let (x, y) = (letter.origin.x, letter.origin.y);
    let (across, down) = (letter.advance.x, letter.advance.y);
    let length = letter.advance.hypot();
    let (direction, left, baseline) = match () {
        () if across.abs() >= down.abs() && across >= 0.0 => (0, x, y),
        () if across.abs() >= down.abs() => (2, -x, -y),
        () if down > 0.0 => (1, y, -x),
        () => (3, -y, x),
    };
    (
        direction,
        FlatLetter {
            text: letter.text,
            left,
            right: left + length,
            baseline,
            size: letter.size,
        },
    )
}

fn grouped(mut letters: Vec<FlatLetter>) -> Vec<PdfRow> {
    letters.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut rows = Vec::new();
    let mut line: Vec<FlatLetter> = Vec::new();
    let (mut baseline, mut size) = (0.0, 0.0);
    for letter in letters {
        if !line.is_empty() && letter.baseline - baseline > RAISED * letter.size.max(size) {
            rows.extend(row(std::mem::take(&mut line), baseline, size));
            size = 0.0;
        }
        // The largest letter is on the baseline; a superscript is not.
        if line.is_empty() || letter.size > size * 1.05 {
            (baseline, size) = (letter.baseline, letter.size);
        }
        line.push(letter);
    }
    rows.extend(row(line, baseline, size));
    rows
}

fn row(mut line: Vec<FlatLetter>, baseline: f64, size: f64) -> Option<PdfRow> {
    line.sort_by(|one, other| one.left.total_cmp(&other.left));
    let mut segments = Vec::new();
    let mut letters: Vec<FlatLetter> = Vec::new();
    for letter in line {
        let end = letters
            .iter()
            .rev()
            .take(4)
            .map(|letter| letter.right)
            .fold(f64::MIN, f64::max);
        if letters.last().is_some_and(|last| is_redrawn(last, &letter)) {
            continue;
        }
        if !letters.is_empty() && letter.left - end > SEGMENT_GAP * size {
            segments.extend(segment(std::mem::take(&mut letters)));
        }
        letters.push(letter);
    }
    segments.extend(segment(letters));
    (!segments.is_empty()).then_some(PdfRow {
        baseline,
        size,
        segments,
    })
}

/// Whether a letter is the last one again: some programs draw bold letters twice.
fn is_redrawn(last: &FlatLetter, letter: &FlatLetter) -> bool {
    last.text == letter.text
        && (letter.left - last.left).abs() < 0.1 * letter.size
        && (letter.right - last.right).abs() < 0.1 * letter.size
}

fn segment(letters: Vec<FlatLetter>) -> Option<Segment> {
    let inked = || {
        letters
            .iter()
            .filter(|letter| !letter.text.trim().is_empty())
    };
    let left = inked().map(|letter| letter.left).reduce(f64::min)?;
    let right = inked().map(|letter| letter.right).reduce(f64::max)?;
    let pieces = with_blanks(&letters);
    let text = if is_right_to_left(&pieces) {
        reversed(&pieces)
    } else {
        pieces.concat()
    };
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(Segment { left, right, text })
}

/// The letters from left to right, with blanks where there are gaps.
fn with_blanks(letters: &[FlatLetter]) -> Vec<&str> {
    let mut pieces: Vec<&str> = Vec::with_capacity(letters.len() + letters.len() / 4);
    let mut end = f64::MAX;
    for letter in letters {
        let is_blank = letter.text.trim().is_empty();
        let after_blank = pieces.last().is_none_or(|piece| piece.trim().is_empty());
        if !is_blank && !after_blank && letter.left - end > BLANK_GAP * letter.size {
            pieces.push(" ");
        }
        match is_blank {
            true if after_blank => {}
            true => pieces.push(" "),
            false => pieces.push(&letter.text),
        }
        end = letter.right;
    }
    pieces
}

fn is_right_to_left_letter(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// Whether most letters are Hebrew, Arabic or the like.
fn is_right_to_left(pieces: &[&str]) -> bool {
    let letters = || {
        pieces
            .iter()
            .flat_map(|piece| piece.chars())
            .filter(|letter| letter.is_alphabetic())
    };
    letters()
        .filter(|letter| is_right_to_left_letter(*letter))
        .count()
        * 2
        > letters().count()
}

/// The text from right to left, except for numbers and foreign words.
fn reversed(pieces: &[&str]) -> String {
    let is_foreign = |piece: &&str| {
        piece
            .chars()
            .any(|letter| letter.is_alphanumeric() && !is_right_to_left_letter(letter))
    };
    let mut text = String::new();
    let mut foreign: Vec<&str> = Vec::new();
    for piece in pieces.iter().rev() {
        let inside = !foreign.is_empty()
            && !piece.trim().is_empty()
            && !piece.chars().any(is_right_to_left_letter);
        if is_foreign(piece) || inside {
            foreign.push(piece);
            continue;
        }
        foreign
            .drain(..)
            .rev()
            .for_each(|piece| text.push_str(piece));
        text.push_str(piece);
    }
    foreign
        .drain(..)
        .rev()
        .for_each(|piece| text.push_str(piece));
    text
}

#[cfg(test)]
mod tests {
    use hayro_font::kurbo::{Point, Vec2};

    use super::*;

    fn letter(text: &str, x: f64, y: f64, size: f64) -> Letter {
        Letter {
            text: Box::from(text),
            origin: Point::new(x, y),
            advance: Vec2::new(size / 2.0, 0.0),
            size,
        }
    }

    fn word(text: &str, x: f64, y: f64, size: f64) -> Vec<Letter> {
        text.chars()
            .enumerate()
            .map(|(index, it)| letter(&it.to_string(), x + index as f64 * size / 2.0, y, size))
            .collect()
    }

    fn texts(letters: Vec<Letter>) -> Vec<Vec<String>> {
        let rows = rows(letters).into_iter().flatten();
        rows.map(|row| {
            row.segments
                .into_iter()
                .map(|segment| segment.text)
                .collect()
        })
        .collect()
    }

    #[test]
    fn letters_in_any_order_become_words_and_segments() {
        let mut letters = word("right", 200.0, 100.0, 10.0);
        letters.extend(word("next", 10.0, 112.0, 10.0));
        letters.extend(word("two", 28.0, 100.0, 10.0));
        letters.extend(word("one", 10.0, 100.0, 10.0));
        assert_eq!(
            texts(letters),
            [
                vec!["one two".to_owned(), "right".to_owned()],
                vec!["next".to_owned()]
            ]
        );
    }

    #[test]
    fn superscripts_stay_in_the_row_and_redrawn_letters_are_dropped() {
        let mut letters = word("E=mc", 10.0, 100.0, 10.0);
        letters.extend(word("2", 30.0, 96.5, 6.0));
        letters.extend(word("E", 10.3, 100.0, 10.0));
        assert_eq!(texts(letters), [["E=mc2"]]);
    }

    #[test]
    fn hebrew_is_read_from_the_right() {
        assert_eq!(texts(word("12 םולש", 10.0, 100.0, 10.0)), [["שלום 12"]]);
    }
}

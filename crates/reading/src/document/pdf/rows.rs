//! The rows of a page: lines, divided at wide gaps, and tables.
//!
//! Text that runs upwards, downwards, upside down or at a slant is rotated until it is horizontal.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::content::Letter;
use super::fixed_pitch::{FixedText, fixed_text};
use super::look::{Look, look};
use super::redrawn::DrawnLetters;
use super::ruled_table::with_ruled_tables;
use super::rulings::Rulings;
use super::runs::{Run, lines, widest_gap};
use super::segment_text::text_of;

/// Text of a row without a wide gap.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) text: String,
    /// The font size of most of its letters.
    pub(super) size: f64,
    pub(super) is_bold: bool,
    pub(super) look: Look,
    /// What it is if its letters stand in columns.
    pub(super) fixed: Option<FixedText>,
    /// Its place in the order in which the file draws the page.
    pub(super) order: usize,
}

/// The text on one baseline.
#[derive(Debug, Clone)]
pub(super) struct PdfRow {
    pub(super) baseline: f64,
    /// The font size of most of its letters.
    pub(super) size: f64,
    pub(super) segments: Vec<Segment>,
    /// The cells of a table, if the row stands for one. It has one segment, without text.
    pub(super) table: Option<Rc<Vec<Vec<String>>>>,
}

impl PdfRow {
    /// The part of a row that these segments are.
    pub(super) fn part(&self, segments: Vec<Segment>) -> PdfRow {
        let sizes = segments.iter().map(|it| (it.size, it.text.chars().count()));
        PdfRow {
            baseline: self.baseline,
            size: usual_size(sizes.collect()),
            segments,
            table: self.table.clone(),
        }
    }

    /// A row that stands for a table in the place of these rows.
    pub(super) fn of_table(
        cells: Vec<Vec<String>>,
        left: f64,
        right: f64,
        rows: &[PdfRow],
    ) -> PdfRow {
        let size = rows.first().map_or(1.0, |row| row.size);
        PdfRow {
            baseline: rows.first().map_or(0.0, |row| row.baseline),
            size,
            segments: vec![Segment {
                left,
                right,
                text: String::new(),
                size,
                is_bold: false,
                look: Look::Plain,
                fixed: None,
                order: rows.iter().map(PdfRow::order).min().unwrap_or(0),
            }],
            table: Some(Rc::new(cells)),
        }
    }

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

    /// Its place in the order in which the file draws the page.
    pub(super) fn order(&self) -> usize {
        let orders = self.segments.iter().map(|segment| segment.order);
        orders.min().unwrap_or(0)
    }

    /// How it is set, if all of it is set alike.
    pub(super) fn look(&self) -> Look {
        let look = self.segments.first().map_or(Look::Plain, |it| it.look);
        let is_alike = self.segments.iter().all(|it| it.look == look);
        if is_alike { look } else { Look::Plain }
    }

    pub(super) fn is_bold(&self) -> bool {
        self.segments.iter().all(|segment| segment.is_bold)
    }
}

/// A letter of a page that is rotated so that its row is horizontal.
#[derive(Debug, Clone)]
pub(super) struct FlatLetter {
    pub(super) text: Box<str>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
    pub(super) after_blank: bool,
    pub(super) is_bold: bool,
    /// Whether it is in italics or small capitals.
    pub(super) is_styled: bool,
    /// Whether all letters of its font are as wide.
    pub(super) is_fixed: bool,
    /// Its place in the order in which the file draws the page.
    pub(super) order: usize,
}

/// The rows of a page, by the direction of their text. Horizontal text, which is nearly always all
/// of it, comes first, and then the directions in the order in which they are first drawn.
pub(super) fn rows(letters: Vec<Letter>, rulings: &Rulings) -> Vec<Vec<PdfRow>> {
    let mut directions: BTreeMap<i32, Vec<FlatLetter>> = BTreeMap::new();
    for letter in letters {
        let degrees = direction(&letter);
        directions
            .entry(degrees)
            .or_default()
            .push(flattened(letter, degrees));
    }
    let none = Rulings::default();
    let mut directions: Vec<(i32, Vec<FlatLetter>)> = directions.into_iter().collect();
    directions.sort_by_key(|(degrees, letters)| {
        let first = letters.iter().map(|letter| letter.order).min();
        (*degrees != 0, first)
    });
    directions
        .into_iter()
        .map(|(degrees, letters)| match degrees {
            0 => with_ruled_tables(grouped(letters, rulings), rulings),
            _ => grouped(letters, &none),
        })
        .collect()
}

/// The direction in which a letter is followed by the next, in degrees, clockwise. Directions that
/// are nearly the same are the same.
fn direction(letter: &Letter) -> i32 {
    const STEP: f64 = 3.0;
    // A line of a page at a greater slant leaves the height of its letters.
    const NEARLY_STRAIGHT: f64 = 2.0;
    let degrees = letter
        .advance
        .y
        .atan2(letter.advance.x)
        .to_degrees()
        .rem_euclid(360.0);
    let straight = (degrees / 90.0).round() * 90.0;
    let step = (degrees / STEP).round() * STEP;
    let rounded = if (degrees - straight).abs() <= NEARLY_STRAIGHT {
        straight
    } else {
        step
    };
    rounded as i32 % 360
}

/// The letter on the page as it is when the page is turned back by this angle.
fn flattened(letter: Letter, degrees: i32) -> FlatLetter {
    let (x, y) = (letter.origin.x, letter.origin.y);
    let (sine, cosine) = match degrees {
        0 => (0.0, 1.0),
        90 => (1.0, 0.0),
        180 => (0.0, -1.0),
        270 => (-1.0, 0.0),
        _ => f64::from(degrees).to_radians().sin_cos(),
    };
    let left = x * cosine + y * sine;
    FlatLetter {
        text: letter.text,
        left,
        right: left + letter.advance.hypot(),
        baseline: y * cosine - x * sine,
        size: letter.size,
        after_blank: letter.after_blank,
        is_bold: letter.is_bold,
        is_styled: letter.is_styled,
        is_fixed: letter.is_fixed,
        order: letter.order,
    }
}

fn grouped(letters: Vec<FlatLetter>, rulings: &Rulings) -> Vec<PdfRow> {
    lines(letters)
        .into_iter()
        .filter_map(|line| row(line, rulings))
        .collect()
}

/// A row of the runs of one line.
fn row(mut line: Vec<Run>, rulings: &Rulings) -> Option<PdfRow> {
    let widest = line
        .iter()
        .max_by(|one, other| (one.right - one.left).total_cmp(&(other.right - other.left)))?;
    let (baseline, size) = (
        widest.baseline,
        usual_size(
            line.iter()
                .map(|run| (run.size, run.letters.len()))
                .collect(),
        ),
    );
    let mut segments = Vec::new();
    let mut letters: Vec<FlatLetter> = Vec::new();
    let mut end = f64::MIN;
    let mut drawn = DrawnLetters::default();
    let overlap = do_overlap(&line);
    for index in 0..line.len() {
        if is_drawn_again(&line, index) {
            continue;
        }
        let right = line[index].right;
        let mut run = std::mem::take(&mut line[index].letters);
        if overlap {
            run = drawn.without_redrawn(run, index);
        }
        for letter in run {
            let gap = letter.left - end;
            let is_divided = gap > widest_gap(&letter) * size
                || (gap > DRAWN_APART_GAP * size && is_drawn_apart(letters.last(), &letter))
                || (gap > 0.1 * size && rulings.divides(end, letter.left, baseline));
            if !letters.is_empty() && is_divided {
                segments.extend(segment(std::mem::take(&mut letters)));
            }
            end = if letters.is_empty() {
                letter.right
            } else {
                end.max(letter.right)
            };
            letters.push(letter);
        }
        end = end.max(right);
    }
    segments.extend(segment(letters));
    (!segments.is_empty()).then_some(PdfRow {
        baseline,
        size,
        segments,
        table: None,
    })
}

/// Whether a run near this one in the line has its text in the same place.
fn is_drawn_again(line: &[Run], index: usize) -> bool {
    const NEAR: usize = 4;
    let run = &line[index];
    let earlier = &line[index.saturating_sub(NEAR)..index];
    let later = &line[index + 1..line.len().min(index + 1 + NEAR)];
    earlier.iter().any(|other| run.repeats(other)) || later.iter().any(|it| run.is_part_of(it))
}

/// Whether some of these runs, which are in order from left to right, lie over one another.
fn do_overlap(line: &[Run]) -> bool {
    let mut end = f64::MIN;
    line.iter().any(|run| {
        let is_over = run.left < end;
        end = end.max(run.right);
        is_over
    })
}

/// Text that is drawn at another time is divided by a narrower gap, which is still wider than between
/// words.
const DRAWN_APART_GAP: f64 = 0.5;

/// Whether a letter is not drawn soon after the one before it in the line.
fn is_drawn_apart(before: Option<&FlatLetter>, letter: &FlatLetter) -> bool {
    const SOON: usize = 4;
    before.is_some_and(|it| letter.order < it.order || letter.order > it.order.saturating_add(SOON))
}

/// The size that most letters have, of sizes and how many letters have them.
pub(super) fn usual_size(mut sizes: Vec<(f64, usize)>) -> f64 {
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sizes.iter().map(|(_, letters)| letters).sum::<usize>() / 2;
    let mut seen = 0;
    let is_half = |(_, letters): &&(f64, usize)| {
        seen += letters;
        seen > half
    };
    sizes.iter().find(is_half).map_or(1.0, |(size, _)| *size)
}

fn segment(letters: Vec<FlatLetter>) -> Option<Segment> {
    let left = letters.iter().map(|letter| letter.left).reduce(f64::min)?;
    let right = letters.iter().map(|letter| letter.right).reduce(f64::max)?;
    let order = letters.iter().map(|letter| letter.order).min()?;
    let size = usual_size(letters.iter().map(|letter| (letter.size, 1)).collect());
    let bold = letters.iter().filter(|letter| letter.is_bold).count();
    let is_bold = bold * 10 >= letters.len() * 8 && !is_plain_number(letters.first());
    let look = look(&letters);
    let may_be_fixed = letters.iter().any(|letter| letter.is_fixed);
    let drawn = may_be_fixed.then(|| letters.clone());
    let text = text_of(letters);
    let fixed = drawn.and_then(|letters| fixed_text(&letters, &text));
    (!text.is_empty()).then_some(Segment {
        left,
        right,
        text,
        size,
        is_bold,
        look,
        fixed,
        order,
    })
}

/// Whether a letter is a digit that is not bold. The number of an item is not, however bold the item.
fn is_plain_number(letter: Option<&FlatLetter>) -> bool {
    letter.is_some_and(|it| !it.is_bold && it.text.chars().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use hayro_font::kurbo::{Point, Vec2};

    use super::super::marks::Mark;
    use super::*;

    fn letter(text: &str, x: f64, y: f64, size: f64) -> Letter {
        Letter {
            text: Box::from(text),
            origin: Point::new(x, y),
            advance: Vec2::new(size / 2.0, 0.0),
            size,
            after_blank: false,
            is_bold: false,
            is_styled: false,
            is_fixed: false,
            is_invisible: false,
            order: 0,
            mark: Mark::None,
        }
    }

    fn word(text: &str, x: f64, y: f64, size: f64) -> Vec<Letter> {
        text.chars()
            .enumerate()
            .filter(|(_, it)| *it != ' ')
            .map(|(index, it)| letter(&it.to_string(), x + index as f64 * size / 2.0, y, size))
            .collect()
    }

    fn texts(letters: Vec<Letter>) -> Vec<Vec<String>> {
        let rows = rows(letters, &Rulings::default()).into_iter().flatten();
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
        letters.extend(word("2", 30.0, 95.0, 6.0));
        letters.extend(word("E=mc", 10.3, 100.0, 10.0));
        assert_eq!(texts(letters), [["E=mc2"]]);
    }

    #[test]
    fn letters_of_a_text_that_is_drawn_again_are_dropped() {
        let mut letters = word("C", 10.2, 100.0, 10.0);
        letters.extend(word("Canisteo", 10.0, 100.0, 10.0));
        assert_eq!(texts(letters), [["Canisteo"]]);
    }

    #[test]
    fn narrow_letters_that_are_drawn_twice_one_by_one_are_dropped() {
        let mut letters = Vec::new();
        for (index, text) in ["T", "e", "s", "t"].into_iter().enumerate() {
            let x = 10.0 + 6.0 * index as f64;
            for shift in [0.0, 0.3] {
                let mut one = letter(text, x + shift, 100.0, 12.0);
                one.advance.x = 5.8;
                letters.push(one);
            }
        }
        assert_eq!(texts(letters), [["Test"]]);
    }

    #[test]
    fn a_line_at_a_slight_slant_stays_one_line() {
        let (sine, cosine) = (-3.0_f64).to_radians().sin_cos();
        let slanted = |mut letter: Letter| {
            let far = letter.origin.x;
            letter.origin = Point::new(10.0 + far * cosine, 200.0 + far * sine);
            letter.advance = Vec2::new(letter.advance.x * cosine, letter.advance.x * sine);
            letter
        };
        let text = "a line of a page that is turned a little to the left of it";
        let letters = word(text, 0.0, 0.0, 10.0).into_iter().map(slanted);
        assert_eq!(texts(letters.collect()), [[text]]);
    }

    #[test]
    fn a_large_initial_belongs_to_the_first_of_its_lines() {
        let mut letters = word("T", 10.0, 112.0, 26.0);
        letters.extend(word("his is", 24.0, 100.0, 10.0));
        letters.extend(word("a text", 24.0, 112.0, 10.0));
        assert_eq!(texts(letters), [["This is"], ["a text"]]);
    }

    #[test]
    fn close_lines_of_two_sizes_are_not_mixed() {
        let mut letters = word("large", 10.0, 100.0, 20.0);
        letters.extend(word("small print", 12.0, 107.0, 6.0));
        assert_eq!(texts(letters), [["large"], ["small print"]]);
    }

    #[test]
    fn hebrew_is_read_from_the_right() {
        assert_eq!(texts(word("12 םולש", 10.0, 100.0, 10.0)), [["שלום 12"]]);
    }
}

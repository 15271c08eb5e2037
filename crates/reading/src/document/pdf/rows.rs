//! Groups letters into rows, and divides rows at wide gaps.
//!
//! Letters that follow one another in the file and on the page form a run. Runs on one baseline
//! form a row, whatever their order in the file. Raised and lowered marks and large initials are
//! put into the row that they belong to. Text that runs upwards, downwards or upside down is rotated
//! until it is horizontal.

use std::collections::{BTreeMap, HashMap};

use super::content::Letter;
use super::segment_text::text_of;

/// A gap wider than this, relative to the font size, divides two segments.
const SEGMENT_GAP: f64 = 0.8;
/// The same where a blank was drawn, as in justified lines.
const BLANK_SEGMENT_GAP: f64 = 1.2;
/// How far apart the baselines of a row may be, relative to the font size. Words that a scanner has
/// recognised are not quite on one line.
const BASELINE: f64 = 0.3;

/// Text of a row without a wide gap.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) text: String,
    pub(super) is_bold: bool,
}

/// The text on one baseline.
#[derive(Debug, Clone)]
pub(super) struct PdfRow {
    pub(super) baseline: f64,
    /// The font size of most of its letters.
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
}

/// Letters that follow one another in the file and on the page.
#[derive(Debug)]
struct Run {
    letters: Vec<FlatLetter>,
    left: f64,
    right: f64,
    baseline: f64,
    size: f64,
}

impl Run {
    fn new(letter: FlatLetter) -> Run {
        Run {
            left: letter.left,
            right: letter.right,
            baseline: letter.baseline,
            size: letter.size,
            letters: vec![letter],
        }
    }

    fn continues_with(&self, letter: &FlatLetter) -> bool {
        let gap = letter.left - self.letters.last().map_or(self.right, |last| last.right);
        (letter.baseline - self.baseline).abs() <= 0.05 * self.size
            && (letter.size / self.size - 1.0).abs() < 0.05
            && gap > -0.3 * self.size
            && gap < widest_gap(letter) * self.size
    }

    fn push(&mut self, letter: FlatLetter) {
        self.right = self.right.max(letter.right);
        self.letters.push(letter);
    }

    /// Whether this is another run again: some programs draw bold letters and shadows twice.
    fn repeats(&self, other: &Run) -> bool {
        let near = |one: f64, two: f64| (one - two).abs() < 0.25 * self.size;
        near(self.left, other.left)
            && near(self.right, other.right)
            && self.letters.len() == other.letters.len()
            && self
                .letters
                .iter()
                .zip(&other.letters)
                .all(|(one, two)| one.text == two.text)
    }
}

fn widest_gap(letter: &FlatLetter) -> f64 {
    if letter.after_blank {
        BLANK_SEGMENT_GAP
    } else {
        SEGMENT_GAP
    }
}

/// The rows of a page, by the direction of their text. Horizontal text, which is nearly always all
/// of it, comes first.
pub(super) fn rows(letters: Vec<Letter>) -> Vec<Vec<PdfRow>> {
    let mut directions: BTreeMap<i32, Vec<FlatLetter>> = BTreeMap::new();
    for letter in letters {
        let degrees = direction(&letter);
        directions
            .entry(degrees)
            .or_default()
            .push(flattened(letter, degrees));
    }
    directions.into_values().map(grouped).collect()
}

/// The direction in which a letter is followed by the next, in degrees, clockwise. Directions that
/// are nearly the same are the same.
fn direction(letter: &Letter) -> i32 {
    const STEP: f64 = 3.0;
    const NEARLY_STRAIGHT: f64 = 4.0;
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
    }
}

fn grouped(letters: Vec<FlatLetter>) -> Vec<PdfRow> {
    let mut lines = lines(runs(letters));
    adopt_strays(&mut lines);
    lines.into_iter().filter_map(row).collect()
}

fn runs(letters: Vec<FlatLetter>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for letter in letters {
        match runs.last_mut() {
            Some(run) if run.continues_with(&letter) => run.push(letter),
            _ => runs.push(Run::new(letter)),
        }
    }
    runs
}

/// The runs of each baseline, from left to right.
fn lines(mut runs: Vec<Run>) -> Vec<Vec<Run>> {
    runs.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut lines: Vec<Vec<Run>> = Vec::new();
    let (mut baseline, mut size) = (f64::MIN, 0.0);
    for run in runs {
        let apart = run.baseline - baseline;
        match lines.last_mut() {
            Some(line) if apart <= BASELINE * run.size.min(size) => line.push(run),
            _ => {
                (baseline, size) = (run.baseline, run.size);
                lines.push(vec![run]);
            }
        }
    }
    for line in &mut lines {
        line.sort_by(|one, other| one.left.total_cmp(&other.left));
    }
    lines
}

/// Moves raised and lowered marks and large initials to the lines that they belong to.
fn adopt_strays(lines: &mut [Vec<Run>]) {
    /// How many lines up and down a stray may belong to.
    const REACH: usize = 4;
    for from in 0..lines.len() {
        let mut index = 0;
        while index < lines[from].len() {
            let stray = &lines[from][index];
            let near = from.saturating_sub(REACH)..(from + REACH + 1).min(lines.len());
            let to = near.filter(|to| *to != from).find(|to| {
                is_mark(stray, &lines[*to]) || is_initial(stray, &lines[*to], &lines[from])
            });
            match to {
                Some(to) => {
                    let run = lines[from].remove(index);
                    let at = lines[to].partition_point(|other| other.left <= run.left);
                    lines[to].insert(at, run);
                }
                None => index += 1,
            }
        }
    }
}

/// The runs of a line around a place.
fn beside(line: &[Run], left: f64) -> impl Iterator<Item = &Run> {
    const AROUND: usize = 3;
    let at = line.partition_point(|run| run.left <= left);
    line[at.saturating_sub(AROUND)..(at + AROUND).min(line.len())].iter()
}

/// Whether a run is a footnote mark, an exponent or an index of something in this line.
fn is_mark(run: &Run, line: &[Run]) -> bool {
    const MAX_LETTERS: usize = 8;
    run.letters.len() <= MAX_LETTERS
        && beside(line, run.left).any(|base| {
            let raised = base.baseline - run.baseline;
            let after = run.left - base.right;
            let before = base.left - run.right;
            (1.15 * run.size..2.2 * run.size).contains(&base.size)
                && raised > -0.4 * base.size
                && raised < 0.8 * base.size
                && ((-0.25 * base.size..0.3 * base.size).contains(&after)
                    || (-0.1 * base.size..0.2 * base.size).contains(&before))
        })
}

/// Whether a run is a large initial of this line, and only by its foot part of the line it is in.
fn is_initial(run: &Run, line: &[Run], own: &[Run]) -> bool {
    let is_short = run.letters.len() <= 2
        && run
            .letters
            .iter()
            .all(|letter| letter.text.chars().all(char::is_alphabetic));
    let top = run.baseline - 0.75 * run.size;
    is_short
        && (own.len() == 1 || own.iter().any(|other| run.size > 1.8 * other.size))
        && beside(line, run.right).any(|text| {
            run.size > 1.8 * text.size
                && text.baseline > top
                && text.baseline - text.size < top + 0.35 * text.size
                && (-0.2 * text.size..1.2 * text.size).contains(&(text.left - run.right))
        })
}

/// A row of the runs of one line.
fn row(mut line: Vec<Run>) -> Option<PdfRow> {
    let widest = line
        .iter()
        .max_by(|one, other| (one.right - one.left).total_cmp(&(other.right - other.left)))?;
    let (baseline, size) = (widest.baseline, usual_size(&line));
    let mut segments = Vec::new();
    let mut letters: Vec<FlatLetter> = Vec::new();
    let mut end = f64::MIN;
    let mut drawn = DrawnLetters::default();
    for index in 0..line.len() {
        let earlier = index.saturating_sub(4)..index;
        if line[earlier].iter().any(|other| line[index].repeats(other)) {
            continue;
        }
        let right = line[index].right;
        for letter in std::mem::take(&mut line[index].letters) {
            if !drawn.is_new(&letter, index) {
                continue;
            }
            if !letters.is_empty() && letter.left - end > widest_gap(&letter) * size {
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
    })
}

/// The font size of most letters.
fn usual_size(line: &[Run]) -> f64 {
    let mut sizes: Vec<(f64, usize)> = line
        .iter()
        .map(|run| (run.size, run.letters.len()))
        .collect();
    sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = sizes.iter().map(|(_, letters)| letters).sum::<usize>() / 2;
    let mut seen = 0;
    for (size, letters) in sizes {
        seen += letters;
        if seen > half {
            return size;
        }
    }
    1.0
}

/// The letters of a line and where they are, to notice those that are drawn twice.
#[derive(Default)]
struct DrawnLetters {
    /// The place and the run of a letter, by its text and about where it is.
    places: HashMap<(Box<str>, i64), (f64, usize)>,
}

impl DrawnLetters {
    /// Two letters of a word are further apart than this, relative to the font size.
    const SAME: f64 = 0.12;

    /// Whether no other run has the same letter in the same place.
    fn is_new(&mut self, letter: &FlatLetter, run: usize) -> bool {
        let near = Self::SAME * letter.size;
        let bucket = (letter.left / near).floor() as i64;
        let is_known = (bucket - 1..=bucket + 1).any(|bucket| {
            let place = self.places.get(&(letter.text.clone(), bucket));
            place.is_some_and(|(left, other)| *other != run && (left - letter.left).abs() < near)
        });
        self.places
            .insert((letter.text.clone(), bucket), (letter.left, run));
        !is_known
    }
}

fn segment(letters: Vec<FlatLetter>) -> Option<Segment> {
    let left = letters.iter().map(|letter| letter.left).reduce(f64::min)?;
    let right = letters.iter().map(|letter| letter.right).reduce(f64::max)?;
    let bold = letters.iter().filter(|letter| letter.is_bold).count();
    let is_bold = bold * 10 >= letters.len() * 8;
    let text = text_of(letters);
    (!text.is_empty()).then_some(Segment {
        left,
        right,
        text,
        is_bold,
    })
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
            after_blank: false,
            is_bold: false,
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
        letters.extend(word("2", 30.0, 95.0, 6.0));
        letters.extend(word("E=mc", 10.3, 100.0, 10.0));
        assert_eq!(texts(letters), [["E=mc2"]]);
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

//! Runs of letters, and the lines that they form.
//!
//! Letters that follow one another in the file and on the page form a run. Runs on one baseline form
//! a line, whatever their order in the file. Raised and lowered marks and large initials are put into
//! the line that they belong to.

use super::rows::FlatLetter;

/// A gap wider than this, relative to the font size, divides two segments.
const SEGMENT_GAP: f64 = 0.8;
/// The same where a blank was drawn, as in justified lines.
const BLANK_SEGMENT_GAP: f64 = 1.2;
/// How far apart the baselines of a row may be, relative to the font size. Words that a scanner has
/// recognised are not quite on one line.
const BASELINE: f64 = 0.3;

/// Letters that follow one another in the file and on the page.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) letters: Vec<FlatLetter>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) baseline: f64,
    pub(super) size: f64,
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

    /// Whether a letter is the last one again: some programs draw each bold letter twice, one by one.
    fn ends_with(&self, letter: &FlatLetter) -> bool {
        let near = 0.06 * self.size;
        self.letters.last().is_some_and(|last| {
            last.text == letter.text
                && (last.left - letter.left).abs() < near
                && (last.baseline - letter.baseline).abs() < near
        })
    }

    fn push(&mut self, letter: FlatLetter) {
        self.right = self.right.max(letter.right);
        self.letters.push(letter);
    }

    /// Whether this is another run again: some programs draw bold letters and shadows twice.
    pub(super) fn repeats(&self, other: &Run) -> bool {
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

    /// Whether this is the rest of a text that is drawn again as a whole: a few letters, all of which the
    /// other run has in the same places.
    pub(super) fn is_part_of(&self, other: &Run) -> bool {
        const MOST: usize = 4;
        const SAME: f64 = 0.12;
        let count = self.letters.len();
        let is_in_other = |letter: &FlatLetter| {
            other.letters.iter().any(|it| {
                it.text == letter.text && (it.left - letter.left).abs() < SAME * letter.size
            })
        };
        count <= MOST && count < other.letters.len() && self.letters.iter().all(is_in_other)
    }
}

pub(super) fn widest_gap(letter: &FlatLetter) -> f64 {
    if letter.after_blank {
        BLANK_SEGMENT_GAP
    } else {
        SEGMENT_GAP
    }
}

/// The lines of a page, from top to bottom, each with its runs from left to right.
pub(super) fn lines(letters: Vec<FlatLetter>) -> Vec<Vec<Run>> {
    let mut lines = baselines(runs(letters));
    adopt_strays(&mut lines);
    lines
}

fn runs(letters: Vec<FlatLetter>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for letter in letters {
        match runs.last_mut() {
            Some(run) if run.ends_with(&letter) => {}
            Some(run) if run.continues_with(&letter) => run.push(letter),
            _ => runs.push(Run::new(letter)),
        }
    }
    runs
}

/// The runs of each baseline, from left to right.
fn baselines(mut runs: Vec<Run>) -> Vec<Vec<Run>> {
    runs.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut lines: Vec<Vec<Run>> = Vec::new();
    let (mut baseline, mut size) = (f64::MIN, 0.0);
    for run in runs {
        let apart = run.baseline - baseline;
        match lines.last_mut() {
            Some(line) if apart <= BASELINE * run.size.min(size) => {
                // The line is that of its large letters, and not of a raised one before them.
                if run.size > 1.1 * size {
                    (baseline, size) = (run.baseline, run.size);
                }
                line.push(run);
            }
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
    /// A line of so many runs is a drawing.
    const MAX_RUNS: usize = 1_000;
    for from in 0..lines.len() {
        let mut index = 0;
        while index < lines[from].len() && lines[from].len() < MAX_RUNS {
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
            let least = if is_raised_number(run, raised) {
                0.9
            } else {
                1.15
            };
            (least * run.size..2.2 * run.size).contains(&base.size)
                && raised > -0.4 * base.size
                && raised < 0.8 * base.size
                && ((-0.4 * base.size..0.3 * base.size).contains(&after)
                    || (-0.1 * base.size..0.2 * base.size).contains(&before))
        })
}

/// Whether a run is a number above a line, as the marks of footnotes are, some of which are not small.
fn is_raised_number(run: &Run, raised: f64) -> bool {
    let is_number = |letter: &FlatLetter| letter.text.chars().all(|it| it.is_ascii_digit());
    run.letters.len() <= 3 && raised > 0.2 * run.size && run.letters.iter().all(is_number)
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

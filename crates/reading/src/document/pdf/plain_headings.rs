//! Headings that are as large as the text and no bolder, as those of many papers are.
//!
//! Each of them could be something else: a line of a list, a caption, the name of a person. So they must
//! be several of one kind: numbered in sequence with Roman numbers and letters, as in `II. METHODS` and
//! `B. Dating`, or in italics or small capitals with more room above than around other lines.

use std::ops::{Range, RangeInclusive};

use super::list_item::starts_item;
use super::look::Look;
use super::rows::PdfRow;

/// The levels of sections, of their parts, and of what has no number.
const SECTION: usize = 2;
const PART: usize = 3;
const UNNUMBERED: usize = 4;
/// How many there must be of a kind.
const FEWEST: usize = 2;
/// More lines are a paragraph.
const MOST_LINES: usize = 3;

/// Marks the rows that are such headings, on pages whose rows are in reading order.
pub(super) fn find_plain_headings<'a>(pages: impl Iterator<Item = &'a mut [PdfRow]>, body: f64) {
    let mut pages: Vec<&mut [PdfRow]> = pages.collect();
    let mut found: Vec<Found> = Vec::new();
    let mut numbers = Numbers::default();
    for (page, rows) in pages.iter().enumerate() {
        let mut rest = 0;
        for at in 0..rows.len() {
            if at < rest || !is_candidate(&rows[at], body) {
                continue;
            }
            let line = Lines { rows, at };
            if let Some(kind) = line.kind(&mut numbers) {
                let lines = match kind {
                    Kind::RunIn => 1,
                    _ => line.count(),
                };
                rest = at + lines;
                found.push(Found {
                    kind,
                    page,
                    at,
                    lines,
                });
            }
        }
    }
    let is_known = |kind: Kind| {
        let needed = kind.told_by();
        let needed = found.iter().filter(|it| needed.contains(&it.kind));
        needed.take(FEWEST).count() == FEWEST
    };
    let known = Kind::ALL.map(is_known);
    for heading in &found {
        if !known[heading.kind as usize] {
            continue;
        }
        let rows = &mut pages[heading.page][heading.at..heading.at + heading.lines];
        for (index, row) in rows.iter_mut().enumerate() {
            let look = match (index, heading.kind) {
                (_, Kind::RunIn) => Look::RunInHeading,
                (0, kind) => Look::Heading(kind.level()),
                _ => Look::RestOfHeading,
            };
            row.segments.iter_mut().for_each(|it| it.look = look);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With a Roman number.
    Section,
    /// With a letter, in a section.
    Part,
    /// Without a number, in the middle.
    Centred,
    /// Without a number, at the left.
    Unnumbered,
    /// At the start of a line, with text after it.
    RunIn,
}

impl Kind {
    const ALL: [Kind; 5] = [
        Kind::Section,
        Kind::Part,
        Kind::Centred,
        Kind::Unnumbered,
        Kind::RunIn,
    ];

    fn level(self) -> usize {
        match self {
            Kind::Section | Kind::Centred => SECTION,
            Kind::Part => PART,
            Kind::Unnumbered | Kind::RunIn => UNNUMBERED,
        }
    }

    /// The kinds of which there must be several.
    fn told_by(self) -> &'static [Kind] {
        match self {
            Kind::Section | Kind::Part | Kind::RunIn => {
                &[Kind::Section, Kind::Part, Kind::Centred, Kind::Unnumbered]
            }
            Kind::Centred | Kind::Unnumbered => &[Kind::Section, Kind::Centred, Kind::Unnumbered],
        }
    }
}

/// What may be a heading: so many rows from this one.
struct Found {
    kind: Kind,
    page: usize,
    at: usize,
    lines: usize,
}

/// How many sections there were, and how many parts of the last one.
#[derive(Default)]
struct Numbers {
    sections: usize,
    parts: usize,
}

impl Numbers {
    /// What a number is that continues the sequence. One heading may have been missed.
    fn count(&mut self, number: &str) -> Option<Kind> {
        const NEXT: RangeInclusive<usize> = 1..=2;
        if let Some(step) = NEXT
            .into_iter()
            .find(|it| roman(self.sections + it) == number)
        {
            self.sections += step;
            self.parts = 0;
            return Some(Kind::Section);
        }
        let letter = |part: usize| ('A'..='Z').nth(part - 1);
        let is_letter = |part: usize| letter(part).is_some_and(|it| number.chars().eq([it]));
        let step = NEXT.into_iter().find(|it| is_letter(self.parts + it));
        step.filter(|_| self.sections > 0).map(|step| {
            self.parts += step;
            Kind::Part
        })
    }
}

/// A number of up to 39 in Roman letters.
fn roman(number: usize) -> String {
    const ONES: [&str; 10] = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"];
    format!("{}{}", "X".repeat(number / 10), ONES[number % 10])
}

/// Whether a row has the size and the words of a heading.
fn is_candidate(row: &PdfRow, body: f64) -> bool {
    const MOST_CHARS: usize = 100;
    let text = row.text();
    let has_word = text
        .split(|it: char| !it.is_alphabetic())
        .any(|word| word.chars().count() >= 3);
    row.table.is_none()
        && (0.75..1.13).contains(&(row.size / body))
        && (text.chars().count() <= MOST_CHARS || is_run_in(row))
        && has_word
}

/// A row, with those before and after it.
struct Lines<'a> {
    rows: &'a [PdfRow],
    at: usize,
}

impl Lines<'_> {
    fn row(&self) -> &PdfRow {
        &self.rows[self.at]
    }

    /// The heading that starts here.
    fn kind(&self, numbers: &mut Numbers) -> Option<Kind> {
        let row = self.row();
        let text = row.text();
        if is_run_in(row) && (starts_item(&text) || self.starts_paragraph()) {
            return Some(Kind::RunIn);
        }
        if text.ends_with(['.', ',', ';', ':']) {
            return None;
        }
        if let Some((number, name)) = text.split_once(". ")
            && (1..=5).contains(&number.len())
            && number.chars().all(|it| it.is_ascii_uppercase())
        {
            let is_roman = number.chars().all(|it| "IVX".contains(it));
            let is_set_apart = is_styled(row)
                || row.is_bold()
                || (is_roman && (is_in_capitals(name) || self.is_centred()));
            let is_name = name.starts_with(|it: char| it.is_uppercase() || it.is_numeric());
            return if is_set_apart && is_name {
                numbers.count(number)
            } else {
                None
            };
        }
        let is_heading = is_styled(row)
            && !row.is_bold()
            && text.starts_with(|it: char| it.is_alphanumeric() && !it.is_lowercase())
            && row.segments.len() == 1;
        if !is_heading || !self.stands_alone() {
            None
        } else if self.is_centred() {
            Some(Kind::Centred)
        } else {
            Some(Kind::Unnumbered)
        }
    }

    /// Whether the row is indented, or there is room above it.
    fn starts_paragraph(&self) -> bool {
        const INDENTS: Range<f64> = 0.7..3.0;
        /// How much more room there is than between lines.
        const WIDE: f64 = 1.2;
        let row = self.row();
        let next = self.rows.get(self.at + 1);
        let next = next.filter(|next| next.look() == Look::Plain);
        let indent = next.map(|next| (row.left() - next.left()) / row.size);
        let is_apart = self.above().is_none_or(|it| it > WIDE * self.leading());
        indent.is_some_and(|indent| {
            INDENTS.contains(&indent) || (indent.abs() < INDENTS.start && is_apart)
        })
    }

    /// How far the row is below the one before. `None` at the top of a column.
    fn above(&self) -> Option<f64> {
        let before = &self.rows[self.at.checked_sub(1)?];
        Some(self.row().baseline - before.baseline).filter(|above| *above > 0.0)
    }

    /// The row below the heading.
    fn next(&self) -> Option<&PdfRow> {
        self.rows.get(self.at + self.count())
    }

    /// Whether there is more room above than below, and than between the lines of the text.
    fn stands_alone(&self) -> bool {
        /// How much more room there is than between lines.
        const WIDE: f64 = 1.3;
        let row = self.row();
        let Some(next) = self.next().filter(|next| !is_styled(next)) else {
            return false;
        };
        let last = &self.rows[self.at + self.count() - 1];
        let below = next.baseline - last.baseline;
        let above = self.above();
        let is_in_place = row.left() - next.left() < 2.0 * row.size || self.is_centred();
        let room = match above {
            Some(above) => above >= 0.85 * below,
            // At the top of a column.
            None => true,
        };
        below > 0.0
            && room
            && is_in_place
            && above.unwrap_or(below) > WIDE * self.leading()
            && !(next.table.is_some() && is_caption(&row.text()))
    }

    /// The distance of lines in the text that follows.
    fn leading(&self) -> f64 {
        let row = self.row();
        let usual = 1.2 * row.size;
        let after = &self.rows[self.at + self.count()..];
        let steps = after
            .windows(2)
            .take(4)
            .map(|pair| pair[1].baseline - pair[0].baseline);
        let steps = steps.filter(|step| (0.9 * row.size..2.0 * row.size).contains(step));
        steps.reduce(f64::min).unwrap_or(usual)
    }

    /// Whether the row is in the middle of the lines of the text that follows.
    fn is_centred(&self) -> bool {
        /// How many lines there are to compare with.
        const MOST: usize = 4;
        let row = self.row();
        let after = self.rows[self.at + 1..].iter().take(MOST);
        let after = after.take_while(|it| it.baseline > row.baseline && it.table.is_none());
        let (left, right) = after.fold((f64::MAX, f64::MIN), |(left, right), it| {
            (left.min(it.left()), right.max(it.right()))
        });
        let (before, behind) = (row.left() - left, right - row.right());
        before > 2.0 * row.size && (before - behind).abs() < 1.5 * row.size
    }

    /// How many rows the heading that starts here has.
    fn count(&self) -> usize {
        let mut lines = 1;
        for pair in self.rows[self.at..].windows(2).take(MOST_LINES - 1) {
            let step = pair[1].baseline - pair[0].baseline;
            let is_near = (0.0..1.3 * pair[0].size.max(pair[1].size)).contains(&step);
            let is_alike = is_styled(&pair[0]) && is_styled(&pair[1]);
            if !is_near || !is_alike || pair[1].table.is_some() {
                break;
            }
            lines += 1;
        }
        lines
    }
}

fn is_styled(row: &PdfRow) -> bool {
    row.look() == Look::Styled
}

/// Whether a text starts with a word and a number, as in `Table 3`.
fn is_caption(text: &str) -> bool {
    let second = text.split_whitespace().nth(1);
    second.is_some_and(|word| word.starts_with(|it: char| it.is_ascii_digit()))
}

/// Whether a row starts with a heading that ends with a colon.
fn is_run_in(row: &PdfRow) -> bool {
    row.segments.split_first().is_some_and(|(first, rest)| {
        let is_plain = rest.iter().all(|it| it.look == Look::Plain);
        let is_heading = first.look == Look::Styled && first.text.ends_with(':');
        is_plain && (first.look == Look::StyledStart || is_heading)
    })
}

fn is_in_capitals(text: &str) -> bool {
    !text.contains(char::is_lowercase)
}

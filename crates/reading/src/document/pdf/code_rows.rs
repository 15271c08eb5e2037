//! Code: rows that are set wholly in a font of fixed pitch, and stand together.

use std::ops::Range;

use super::fixed_pitch::FixedText;
use super::list_item::has_bullet;
use super::rows::{PdfRow, Segment};

/// How far apart the lines of code may be, relative to the font size.
const WIDEST_LINE: f64 = 1.9;
/// How far apart they may be where lines are empty.
const WIDEST_STEP: f64 = 4.5;
/// How much of a line, relative to the distance of lines, is a gap between blocks.
const BLOCK_STEP: f64 = 1.3;

/// The stretches of rows that are code. One line may be code in a sentence, so that it counts only where
/// it stands alone, with more than this distance of lines above and below.
pub(super) fn code_stretches(rows: &[PdfRow], leading: f64) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let length = stretch(&rows[start..]);
        let is_code = length > 0 && is_code(rows, start..start + length, leading);
        if is_code {
            stretches.push(start..start + length);
        }
        start += length.max(1);
    }
    stretches
}

/// How many of these rows may be one block of code.
fn stretch(rows: &[PdfRow]) -> usize {
    if !rows.first().is_some_and(is_fixed) {
        return 0;
    }
    let is_next = |pair: &&[PdfRow]| {
        let step = pair[1].baseline - pair[0].baseline;
        let size = pair[0].size;
        is_fixed(&pair[1])
            && (pair[1].size / size - 1.0).abs() < 0.1
            && (0.5 * size..WIDEST_STEP * size).contains(&step)
            && are_level(&pair[0], &pair[1])
    };
    1 + rows.windows(2).take_while(is_next).count()
}

/// Whether a row is set in a font of fixed pitch, but for symbols and ideographs.
pub(super) fn is_fixed(row: &PdfRow) -> bool {
    let (mut fixed, mut letters) = (0, 0);
    for segment in &row.segments {
        let Some(it) = &segment.fixed else {
            return false;
        };
        fixed += it.fixed;
        letters += it.letters;
    }
    let first = row.segments.first().and_then(|it| it.fixed.as_ref());
    row.table.is_none()
        && fixed > 0
        && !row.segments.iter().take(1).any(|it| has_bullet(&it.text))
        && (fixed * 2 >= letters || first.is_some_and(|it| it.starts_fixed))
}

/// Whether the text of two rows stands in the same columns.
fn are_level(one: &PdfRow, other: &PdfRow) -> bool {
    const NEAR: f64 = 0.2;
    let pitch = pitch(one);
    let columns = (other.left() - one.left()) / pitch;
    (columns - columns.round()).abs() < NEAR
}

fn pitch(row: &PdfRow) -> f64 {
    let longest = fixed_texts(row).max_by_key(|it| it.letters);
    longest.map_or(1.0, |it| it.pitch)
}

fn fixed_texts(row: &PdfRow) -> impl Iterator<Item = &FixedText> {
    row.segments.iter().filter_map(|it| it.fixed.as_ref())
}

fn is_code(rows: &[PdfRow], stretch: Range<usize>, leading: f64) -> bool {
    let code = &rows[stretch.clone()];
    let (fixed, letters) = code
        .iter()
        .flat_map(fixed_texts)
        .fold((0, 0), |sum, it| (sum.0 + it.fixed, sum.1 + it.letters));
    let before = stretch.start.checked_sub(1).and_then(|it| rows.get(it));
    let after = rows.get(stretch.end);
    let is_beside = |row: &PdfRow| is_beside(row, code);
    let is_free = !before.is_some_and(is_beside) && !after.is_some_and(is_beside);
    fixed * 2 >= letters
        && is_free
        && has_columns(code)
        && !is_typewritten(code)
        && if code.len() > 1 {
            has_near_lines(code) && !is_within_sentence(before, code)
        } else {
            stands_alone(before, &code[0], after, leading)
        }
}

/// Whether a row is another cell of the row of a table that these lines would be a cell of.
fn is_beside(row: &PdfRow, code: &[PdfRow]) -> bool {
    /// Cells have fewer lines than columns of the page.
    const MOST: usize = 8;
    let is_level = |it: &PdfRow| (it.baseline - row.baseline).abs() < 0.5 * it.size;
    let left = code.iter().map(PdfRow::left).fold(f64::MAX, f64::min);
    let right = code.iter().map(PdfRow::right).fold(f64::MIN, f64::max);
    let (top, bottom) = (code[0].baseline, code[code.len() - 1].baseline);
    let is_apart = row.right() < left || row.left() > right;
    let is_between = (top - row.size..bottom + row.size).contains(&row.baseline);
    // Marks of lines that are continued are no cells.
    let has_text = row.text().contains(char::is_alphanumeric);
    has_text && (code.iter().any(is_level) || (code.len() <= MOST && is_apart && is_between))
}

/// Whether the gaps of a row are those of code, and not those between the words of justified lines.
pub(super) fn is_in_columns(row: &PdfRow) -> bool {
    is_fixed(row) && has_columns(std::slice::from_ref(row))
}

/// Whether all gaps are as wide as so many letters. Those between the cells of a table are not.
fn has_columns(code: &[PdfRow]) -> bool {
    const NEAR: f64 = 0.2;
    let outside = code.iter().flat_map(|row| {
        let (left, pitch) = (row.left(), pitch(row));
        let is_outside = move |segment: &&Segment| {
            let columns = (segment.left - left) / pitch;
            (columns - columns.round()).abs() >= NEAR
        };
        row.segments.iter().filter(is_outside)
    });
    let parted: usize = code.iter().map(|row| row.segments.len() - 1).sum();
    outside.count() * 5 <= parted
}

fn has_near_lines(code: &[PdfRow]) -> bool {
    let step = line_step(code);
    step <= WIDEST_LINE * code[0].size
}

/// The distance of two lines without an empty one between them.
fn line_step(code: &[PdfRow]) -> f64 {
    let steps = code
        .windows(2)
        .map(|pair| pair[1].baseline - pair[0].baseline);
    steps.fold(f64::MAX, f64::min)
}

/// Whether the rows are prose that is set as if it was typewritten.
fn is_typewritten(code: &[PdfRow]) -> bool {
    const MIN_ROWS: usize = 3;
    const MIN_WORDS: usize = 6;
    let is_plain = |it: &char| it.is_alphabetic() || it.is_whitespace() || ",.;'’-".contains(*it);
    let (mut plain, mut all, mut words) = (0, 0, 0);
    for row in code {
        let text = row.text();
        plain += text.chars().filter(is_plain).count();
        all += text.chars().count();
        words += text.split_whitespace().count();
    }
    code.len() >= MIN_ROWS && words >= MIN_WORDS * code.len() && plain * 100 >= all * 97
}

/// Whether the rows continue a sentence, or a cell of a table.
fn is_within_sentence(before: Option<&PdfRow>, code: &[PdfRow]) -> bool {
    before.is_some_and(|before| {
        let step = code[0].baseline - before.baseline;
        let is_near = step > 0.0 && step < BLOCK_STEP * line_step(code);
        let is_over = !ends_sentence(before) || has_cell_above(before, &code[0]);
        is_near && !is_fixed(before) && is_over && before.table.is_none()
    })
}

/// Whether a row has a cell, other than its first, below which another row starts.
fn has_cell_above(before: &PdfRow, row: &PdfRow) -> bool {
    let is_above = |cell: &Segment| (cell.left - row.left()).abs() < 0.5 * row.size;
    before.segments.iter().skip(1).any(is_above)
}

fn ends_sentence(row: &PdfRow) -> bool {
    row.text()
        .ends_with(['.', '!', '?', ':', '。', '：', '！', '？'])
}

/// Whether a row is a block of its own.
fn stands_alone(
    before: Option<&PdfRow>,
    row: &PdfRow,
    after: Option<&PdfRow>,
    leading: f64,
) -> bool {
    // Where few lines follow one another, nothing says how far apart those of a paragraph are.
    const LINE: f64 = 1.6;
    let is_apart = |one: &PdfRow, other: &PdfRow| {
        let step = other.baseline - one.baseline;
        let line = leading.min(LINE * one.size.max(other.size));
        let is_heading = one.is_bold() || other.is_bold();
        is_heading || step <= 0.0 || step > BLOCK_STEP * line || other.table.is_some()
    };
    let continues =
        |after: &PdfRow| !is_fixed(after) && after.text().starts_with(char::is_lowercase);
    // Bold text that stands alone is a heading.
    !row.is_bold()
        && before.is_none_or(|it| is_apart(it, row))
        && after.is_none_or(|it| is_apart(row, it) && !continues(it))
}

/// The lines of code, with the blanks at their starts and within them, and the empty lines between them.
pub(super) fn code_text(code: &[PdfRow]) -> String {
    let left = code.iter().map(PdfRow::left).fold(f64::MAX, f64::min);
    let pitch = code
        .iter()
        .max_by_key(|row| row.text().len())
        .map_or(1.0, pitch);
    let step = line_step(code);
    let mut text = String::new();
    let mut last: Option<&PdfRow> = None;
    for row in code {
        if let Some(last) = last {
            let lines = ((row.baseline - last.baseline) / step).round();
            text.extend(std::iter::repeat_n('\n', lines.clamp(1.0, 3.0) as usize));
        }
        push_line(&mut text, row, left, pitch);
        last = Some(row);
    }
    text
}

fn push_line(text: &mut String, row: &PdfRow, left: f64, pitch: f64) {
    const MOST: f64 = 400.0;
    let mut end = left;
    for (index, segment) in row.segments.iter().enumerate() {
        let blanks = ((segment.left - end) / pitch).round().clamp(0.0, MOST) as usize;
        text.extend(std::iter::repeat_n(' ', blanks.max(index.min(1))));
        let written = segment.fixed.as_ref().map(|it| &*it.text);
        text.push_str(written.unwrap_or(&segment.text));
        end = segment.right;
    }
}

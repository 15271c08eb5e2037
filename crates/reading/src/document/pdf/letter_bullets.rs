//! The letter o as a bullet, as word processors use it for lists within lists.
//!
//! In some languages it is a word, with which a line may start.

use std::borrow::Cow;

use super::rows::PdfRow;

/// The mark that stands for it.
const BULLET: &str = "•";

/// The rows with bullets in the place of letters that are bullets.
pub(super) fn with_letter_bullets(rows: &[PdfRow]) -> Cow<'_, [PdfRow]> {
    let found: Vec<usize> = (0..rows.len()).filter(|it| is_item(rows, *it)).collect();
    if found.is_empty() {
        return Cow::Borrowed(rows);
    }
    let mut rows = rows.to_vec();
    for index in found {
        if let Some(segment) = rows[index].segments.first_mut() {
            segment.text.replace_range(..1, BULLET);
        }
    }
    Cow::Owned(rows)
}

/// What follows the letter that a row starts with.
fn after_letter(row: &PdfRow) -> Option<&str> {
    let mut texts = row.segments.iter().map(|it| it.text.as_str());
    match texts.next()?.strip_prefix('o')? {
        "" => texts.next(),
        rest => rest.strip_prefix(' '),
    }
}

/// Whether a row starts with the letter, and then with a small one.
fn has_letter(row: &PdfRow) -> bool {
    after_letter(row).is_some_and(|rest| rest.starts_with(char::is_lowercase))
}

fn is_item(rows: &[PdfRow], index: usize) -> bool {
    let row = &rows[index];
    row.table.is_none() && (is_apart(row) || (has_letter(row) && is_one_of_several(rows, index)))
}

/// Whether the letter stands apart from the text, and not in a formula.
fn is_apart(row: &PdfRow) -> bool {
    /// How far a bullet is from its text, relative to the font size.
    const WIDEST_GAP: f64 = 3.0;
    const OPERATORS: &str = "=<>+-/|^";
    match &row.segments[..] {
        [letter, text] => {
            letter.text == "o"
                && !text.text.starts_with(|it| OPERATORS.contains(it))
                && text.left - letter.right < WIDEST_GAP * row.size
        }
        _ => false,
    }
}

/// Whether another row near this one starts so at the same left edge, and no line of prose above or below
/// them does.
fn is_one_of_several(rows: &[PdfRow], index: usize) -> bool {
    /// How many rows up and down the other may be.
    const REACH: usize = 8;
    let row = &rows[index];
    let is_level = |other: &&PdfRow| (other.left() - row.left()).abs() < 0.3 * row.size;
    let (above, below) = (
        &rows[index.saturating_sub(REACH)..index],
        &rows[index + 1..rows.len().min(index + REACH + 1)],
    );
    let mut near = above.iter().chain(below);
    let mut beside = above.iter().rev().take_while(is_level);
    near.any(|it| is_level(&it) && has_letter(it))
        && beside.all(has_letter)
        && below.iter().take_while(is_level).all(has_letter)
}

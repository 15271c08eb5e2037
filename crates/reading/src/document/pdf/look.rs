//! How text is set, other than by its size and weight: some headings differ from the text by it alone.

use std::ops::Range;

use super::rows::FlatLetter;

/// How a text is set, other than by its size and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    /// In italics or small capitals.
    Styled,
    /// In italics or small capitals up to a colon, and then plain.
    StyledStart,
    /// A line that starts with such a heading.
    RunInHeading,
    /// A heading of this level, which nothing but its look and its place tells.
    Heading(usize),
    /// The next line of such a heading.
    RestOfHeading,
}

/// Whether letters are nearly all in italics or small capitals.
pub(super) fn look(letters: &[FlatLetter]) -> Look {
    let styled = letters.iter().filter(|letter| letter.is_styled).count();
    if has_styled_start(letters) {
        Look::StyledStart
    } else if styled * 10 >= letters.len() * 8 || are_small_capitals(letters) {
        Look::Styled
    } else {
        Look::Plain
    }
}

/// Whether letters are in italics up to a colon, and not after it. A number before them may be plain.
fn has_styled_start(letters: &[FlatLetter]) -> bool {
    const NUMBER: usize = 3;
    let Some(colon) = letters.iter().position(|it| &*it.text == ":") else {
        return false;
    };
    let (start, rest) = (&letters[..colon], &letters[colon + 1..]);
    let is_alphabetic = |it: &&FlatLetter| it.text.chars().all(char::is_alphabetic);
    let words = start.iter().skip_while(|it| !is_alphabetic(it));
    start.iter().take_while(|it| !is_alphabetic(it)).count() <= NUMBER
        && words.clone().count() >= NUMBER
        && words.clone().all(|it| it.is_styled)
        && !rest.is_empty()
        && rest.iter().filter(|it| it.is_styled).count() * 2 < rest.len()
}

/// Whether letters are capitals of two sizes, most of them small, and the first one large.
fn are_small_capitals(letters: &[FlatLetter]) -> bool {
    const RATIO: Range<f64> = 1.12..1.45;
    const FEWEST: usize = 3;
    let cased = || {
        let is_cased = |it: &&FlatLetter| it.text.chars().any(char::is_alphabetic);
        letters.iter().filter(is_cased)
    };
    let small = cased().map(|it| it.size).fold(f64::MAX, f64::min);
    let is_large = |it: &FlatLetter| RATIO.contains(&(it.size / small));
    let is_small = |it: &FlatLetter| it.size < 1.04 * small;
    let are_sized = cased()
        .all(|it| !it.text.chars().any(char::is_lowercase) && (is_large(it) || is_small(it)));
    are_sized
        && cased().next().is_some_and(is_large)
        && cased().filter(|it| is_small(it)).count() >= FEWEST
}

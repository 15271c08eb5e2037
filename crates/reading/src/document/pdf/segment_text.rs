//! The text of letters that stand in one line: with blanks where there are gaps, accents on their
//! letters, and from right to left where the script runs so.

use icu_normalizer::ComposingNormalizerBorrowed;

use super::rows::FlatLetter;

/// A gap wider than this, relative to the font size, is a blank.
const BLANK_GAP: f64 = 0.13;
/// A letter that starts this far before the end of the last one, relative to the font size, belongs to
/// another text.
const OVERLAP: f64 = 1.0;
const SOFT_HYPHEN: &str = "\u{AD}";

/// The text of letters, which are in order from left to right.
pub(super) fn text_of(letters: Vec<FlatLetter>) -> String {
    let letters = with_accents(with_seen_hyphens(letters));
    let pieces = with_blanks(&letters);
    let text = if is_right_to_left(&pieces) {
        reversed(&pieces)
    } else {
        with_words_reversed(&pieces)
    };
    text.trim().to_owned()
}

/// The letters with soft hyphens as they are seen. Within a line they do not show, unless the font has
/// only this name for its hyphen: then it has a width, and the next letter stands after it.
fn with_seen_hyphens(mut letters: Vec<FlatLetter>) -> Vec<FlatLetter> {
    /// The least width of a hyphen, relative to the font size.
    const LEAST: f64 = 0.1;
    let is_seen = |pair: &[FlatLetter]| {
        let [hyphen, next] = pair else { return false };
        hyphen.right - hyphen.left > LEAST * hyphen.size
            && next.left >= (hyphen.left + hyphen.right) / 2.0
    };
    let seen: Vec<bool> = letters.windows(2).map(is_seen).collect();
    // Hebrew and the like end on the left.
    let ends_left = letters
        .get(1)
        .is_some_and(|it| it.text.chars().all(is_right_to_left_letter));
    let mut index = 0;
    letters.retain_mut(|letter| {
        let is_end = index == seen.len() || (index == 0 && ends_left);
        let is_seen = seen.get(index) == Some(&true);
        index += 1;
        if &*letter.text != SOFT_HYPHEN || is_end {
            return true;
        }
        letter.text = Box::from("-");
        is_seen
    });
    letters
}

/// Puts accents that were drawn apart, as TeX does, on the letters below them.
fn with_accents(letters: Vec<FlatLetter>) -> Vec<FlatLetter> {
    if !letters
        .iter()
        .any(|letter| combining(&letter.text).is_some())
    {
        return letters;
    }
    let mut joined: Vec<FlatLetter> = Vec::with_capacity(letters.len());
    let mut waiting: Option<(char, FlatLetter)> = None;
    for letter in letters {
        if let Some((accent, mark)) = waiting.take() {
            if is_below(&mark, &letter) {
                joined.push(accented(letter, accent));
                continue;
            }
            joined.push(mark);
        }
        match (combining(&letter.text), joined.last()) {
            (Some(accent), Some(last)) if is_below(&letter, last) => {
                if let Some(last) = joined.pop() {
                    joined.push(accented(last, accent));
                }
            }
            (Some(accent), _) => waiting = Some((accent, letter)),
            _ => joined.push(letter),
        }
    }
    joined.extend(waiting.map(|(_, mark)| mark));
    joined
}

/// Whether a letter is below (or above) an accent, rather than beside it.
fn is_below(accent: &FlatLetter, letter: &FlatLetter) -> bool {
    let shared = accent.right.min(letter.right) - accent.left.max(letter.left);
    let narrower = (accent.right - accent.left).min(letter.right - letter.left);
    shared > 0.5 * narrower && letter.text.chars().all(char::is_alphabetic)
}

fn accented(mut letter: FlatLetter, accent: char) -> FlatLetter {
    let base = letter.text.replace('ı', "i").replace('ȷ', "j");
    let text = format!("{base}{accent}");
    letter.text = ComposingNormalizerBorrowed::new_nfc()
        .normalize(&text)
        .into();
    letter
}

/// The combining form of an accent.
fn combining(text: &str) -> Option<char> {
    let mut letters = text.chars();
    let (Some(accent), None) = (letters.next(), letters.next()) else {
        return None;
    };
    Some(match accent {
        '`' | 'ˋ' => '\u{300}',
        '´' | 'ˊ' => '\u{301}',
        'ˆ' | '^' => '\u{302}',
        '˜' | '~' => '\u{303}',
        '¯' | 'ˉ' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30A}',
        '˝' => '\u{30B}',
        'ˇ' => '\u{30C}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        '\u{300}'..='\u{36F}' => accent,
        _ => return None,
    })
}

/// The letters from left to right, with blanks where there are gaps.
fn with_blanks(letters: &[FlatLetter]) -> Vec<&str> {
    let mut pieces: Vec<&str> = Vec::with_capacity(letters.len() + letters.len() / 4);
    let spread = letter_spacing(letters);
    let mut before: Option<&FlatLetter> = None;
    for letter in letters {
        let gap = letter.left - before.map_or(f64::MAX, |it| it.right);
        let is_wide = gap > (spread + BLANK_GAP) * letter.size;
        let is_drawn = before.is_some_and(|it| is_blank_between(it, letter, gap));
        // Two texts that overlap are not one word.
        let is_back = gap < -OVERLAP * letter.size && letter.text.chars().all(is_latin);
        let is_stacked = before.is_some_and(|it| are_stacked(it, letter, gap));
        let is_wide = is_wide && !before.is_some_and(|it| is_initial_of(it, letter));
        if !pieces.is_empty() && (is_wide || is_drawn || is_back || is_stacked) {
            pieces.push(" ");
        } else if before.is_some_and(|it| is_exponent_of(it, letter)) {
            pieces.push("^");
        }
        pieces.push(&letter.text);
        before = Some(letter);
    }
    pieces
}

/// Whether a large letter begins the word that goes on with this one, however wide the gap is.
fn is_initial_of(before: &FlatLetter, letter: &FlatLetter) -> bool {
    const LARGE: f64 = 1.8;
    // These are words.
    const WORDS: [&str; 2] = ["A", "I"];
    before.size > LARGE * letter.size
        && before.text.chars().all(char::is_uppercase)
        && letter.text.chars().all(char::is_lowercase)
        && !WORDS.contains(&&*before.text)
}

/// Whether a letter begins what is raised after a number: without a mark, 10⁸ would become 108.
fn is_exponent_of(before: &FlatLetter, letter: &FlatLetter) -> bool {
    const SMALL: f64 = 0.9;
    const RAISED: f64 = 0.2;
    let is_digit = |it: &FlatLetter| it.text.chars().all(|it| it.is_ascii_digit());
    let is_sign = matches!(&*letter.text, "-" | "\u{2212}" | "–");
    is_digit(before)
        && (is_digit(letter) || is_sign)
        && letter.size < SMALL * before.size
        && before.baseline - letter.baseline > RAISED * before.size
}

/// Whether one letter stands above the other, as the parts of a fraction do: 1/2 is not 12.
fn are_stacked(before: &FlatLetter, letter: &FlatLetter, gap: f64) -> bool {
    const SHARED: f64 = 0.25;
    const APART: f64 = 0.4;
    let size = before.size.min(letter.size);
    let is_word = |letter: &FlatLetter| letter.text.chars().all(char::is_alphanumeric);
    gap < -SHARED * size
        && (before.baseline - letter.baseline).abs() > APART * size
        && is_word(before)
        && is_word(letter)
}

/// Whether a blank was drawn between two letters, with this gap.
fn is_blank_between(before: &FlatLetter, letter: &FlatLetter, gap: f64) -> bool {
    /// How many letters may be missing between two that are drawn one after the other.
    const NEXT: usize = 2;
    let steps = |from: usize, to: usize| to.checked_sub(from).filter(|it| *it <= NEXT);
    let (is_drawn, least) = match () {
        // The widths that the file states for a font may be too large.
        () if steps(before.order, letter.order).is_some() => (letter.after_blank, -0.9),
        // Drawn from right to left, the blank comes before the letter that is left of it.
        () if steps(letter.order, before.order).is_some() => (before.after_blank, -0.5),
        // A blank that fills up another cell leaves no gap here.
        () => (letter.after_blank, -0.5),
    };
    is_drawn && gap > least * letter.size
}

/// The usual gap between the letters of words that are spread out. Zero where few are, or where
/// they are far apart or no letters, as the numbers along an axis.
fn letter_spacing(letters: &[FlatLetter]) -> f64 {
    const MIN_LETTERS: usize = 6;
    const WIDEST: f64 = 0.35;
    const WIDE: f64 = 0.2;
    const LONGEST_WORD: usize = 24;
    let is_word = |letter: &FlatLetter| letter.text.chars().all(char::is_alphabetic);
    let mut gaps: Vec<f64> = letters
        .windows(2)
        .filter(|pair| !pair[1].after_blank && is_word(&pair[0]) && is_word(&pair[1]))
        .map(|pair| (pair[1].left - pair[0].right) / pair[1].size)
        .collect();
    if gaps.len() < MIN_LETTERS.max(letters.len() / 2) {
        return 0.0;
    }
    gaps.sort_by(f64::total_cmp);
    let usual = gaps[gaps.len() / 2];
    let widest = gaps[gaps.len() - 1];
    // Many letters with the same gaps, as wide as a blank, are letters and not one word.
    let is_list = usual > WIDE && widest < usual + BLANK_GAP && letters.len() > LONGEST_WORD;
    if (0.0..WIDEST).contains(&usual) && !is_list {
        usual
    } else {
        0.0
    }
}

fn is_latin(letter: char) -> bool {
    letter.is_alphanumeric() && letter < '\u{250}'
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

/// The text from left to right, in which words of Hebrew, Arabic and the like run from right to left.
fn with_words_reversed(pieces: &[&str]) -> String {
    let is_reversed = |piece: &&str| piece.chars().any(is_right_to_left_letter);
    let is_forward = |piece: &&str| !is_reversed(piece) && piece.chars().any(char::is_alphabetic);
    let mut text = String::new();
    let mut rest = pieces;
    while let Some(first) = rest.iter().position(is_reversed) {
        let (before, after) = rest.split_at(first);
        let end = after.iter().position(is_forward);
        let words = &after[..end.unwrap_or(after.len())];
        let last = words.iter().rposition(is_reversed);
        let (words, after) = after.split_at(last.map_or(1, |last| last + 1));
        text.extend(before.iter().copied());
        text.push_str(&reversed(words));
        rest = after;
    }
    text.extend(rest.iter().copied());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hebrew_words_in_a_latin_line_run_from_right_to_left() {
        let parts: Vec<(String, f64, f64)> = "Hello - םלוע םולש - all of you"
            .chars()
            .enumerate()
            .filter(|(_, letter)| *letter != ' ')
            .map(|(index, letter)| {
                let left = 5.0 * index as f64;
                (letter.to_string(), left, left + 5.0)
            })
            .collect();
        let parts: Vec<(&str, f64, f64)> = parts.iter().map(|it| (&*it.0, it.1, it.2)).collect();
        assert_eq!(text_of(letters(&parts)), "Hello - שלום עולם - all of you");
    }

    #[test]
    fn a_large_initial_is_part_of_its_word() {
        let initial = |text: &str| {
            let mut letters = letters(&[(text, 0.0, 20.0), ("n", 23.0, 28.0), ("a", 28.0, 33.0)]);
            letters[0].size = 30.0;
            text_of(letters)
        };
        assert_eq!(initial("O"), "Ona");
        assert_eq!(initial("A"), "A na");
        assert_eq!(initial("7"), "7 na");
    }

    fn letters(parts: &[(&str, f64, f64)]) -> Vec<FlatLetter> {
        let letter = |(text, left, right): &(&str, f64, f64)| FlatLetter {
            text: Box::from(*text),
            left: *left,
            right: *right,
            baseline: 0.0,
            size: 10.0,
            after_blank: false,
            is_bold: false,
            is_styled: false,
            is_fixed: false,
            order: 0,
        };
        parts.iter().map(letter).collect()
    }

    #[test]
    fn accents_before_and_after_their_letters_are_joined() {
        let before = [("f", 0.0, 3.0), ("´", 3.5, 7.0), ("e", 3.0, 8.0)];
        assert_eq!(text_of(letters(&before)), "fé");
        let after = [("u", 0.0, 5.0), ("¨", 1.0, 4.5), ("x", 5.0, 9.0)];
        assert_eq!(text_of(letters(&after)), "üx");
        let beside = [("a", 0.0, 5.0), ("^", 5.0, 9.0), ("2", 9.0, 14.0)];
        assert_eq!(text_of(letters(&beside)), "a^2");
    }

    #[test]
    fn a_soft_hyphen_stays_at_the_end_and_where_it_has_a_place() {
        let parts = [
            ("t", 0.0, 3.0),
            ("\u{AD}", 3.0, 5.0),
            ("a", 3.2, 8.0),
            ("\u{AD}", 8.0, 10.0),
            ("u", 10.0, 15.0),
            ("\u{AD}", 15.0, 15.0),
            ("p", 15.0, 20.0),
            ("\u{AD}", 20.0, 22.0),
        ];
        assert_eq!(text_of(letters(&parts)), "ta-up\u{AD}");
    }

    #[test]
    fn letters_that_are_spread_out_are_one_word() {
        let parts: Vec<(String, f64, f64)> = "CONTENTS"
            .chars()
            .enumerate()
            .map(|(index, letter)| {
                (
                    letter.to_string(),
                    7.0 * index as f64,
                    7.0 * index as f64 + 5.0,
                )
            })
            .collect();
        let parts: Vec<(&str, f64, f64)> = parts.iter().map(|it| (&*it.0, it.1, it.2)).collect();
        assert_eq!(text_of(letters(&parts)), "CONTENTS");
        let axis = [("1", 0.0, 5.0), ("2", 8.0, 13.0), ("3", 16.0, 21.0)];
        assert_eq!(text_of(letters(&axis)), "1 2 3");
    }
}

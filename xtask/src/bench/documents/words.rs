//! The words of a text, and what two texts have in common.

use std::collections::HashMap;

/// The words of a text without the marks of Markdown, in small letters. An ideograph is a word. A
/// hyphen within a word, or at the end of a line, is left out: programs differ in what they do with
/// it.
pub(super) fn words(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("<!-- page ") && !line.starts_with("Links: <"));
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_divided = false;
    for line in lines {
        for letter in line.chars().chain(['\n']) {
            match letter {
                SOFT_HYPHEN => {}
                '-' | '‐' | '\u{2011}' | PDFIUM_HYPHEN | OTHER_PDFIUM_HYPHEN
                    if !word.is_empty() =>
                {
                    is_divided = true;
                }
                letter if is_ideograph(letter) => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                    words.push(letter.to_string());
                }
                letter if letter.is_alphanumeric() => {
                    match ligature(letter) {
                        Some(letters) => word.push_str(letters),
                        None => word.extend(letter.to_lowercase()),
                    }
                    is_divided = false;
                }
                '\n' if is_divided => {}
                _ => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            }
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

const SOFT_HYPHEN: char = '\u{AD}';
/// What pdfium prints for a hyphen at the end of a line.
const PDFIUM_HYPHEN: char = '\u{FFFE}';
const OTHER_PDFIUM_HYPHEN: char = '\u{2}';

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

fn ligature(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        _ => return None,
    })
}

/// How often each thing occurs.
pub(super) type Counts<T> = HashMap<T, usize>;

pub(super) fn counted<T: Eq + std::hash::Hash>(things: impl IntoIterator<Item = T>) -> Counts<T> {
    let mut counts = Counts::new();
    for thing in things {
        *counts.entry(thing).or_default() += 1;
    }
    counts
}

/// How many things both have.
pub(super) fn shared<T: Eq + std::hash::Hash>(one: &Counts<T>, other: &Counts<T>) -> usize {
    let both = one.iter().filter_map(|(it, count)| {
        let others = other.get(it)?;
        Some((*count).min(*others))
    });
    both.sum()
}

/// The pairs of neighbouring words.
pub(super) fn pairs(words: &[String]) -> impl Iterator<Item = (&str, &str)> {
    words
        .windows(2)
        .map(|pair| (pair[0].as_str(), pair[1].as_str()))
}

/// A part of a whole. A whole of nothing is complete.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_hyphens_ligatures_and_marks() {
        let one =
            words("<!-- page 1 -->\n\n# The well-known\n\n| a | b |\nLinks: <https://a.example>");
        assert_eq!(one, ["the", "wellknown", "a", "b"]);
        assert_eq!(
            words("a divi-\nded word 日本 of ﬁve di\u{FFFE}\nvisions"),
            [
                "a",
                "divided",
                "word",
                "日",
                "本",
                "of",
                "five",
                "divisions"
            ]
        );
    }

    #[test]
    fn things_are_shared_as_often_as_both_have_them() {
        let one = counted(["a", "a", "b"]);
        let other = counted(["a", "b", "b", "c"]);
        assert_eq!(shared(&one, &other), 2);
    }
}

//! Text in base64 that holds a secret: a file in a configuration, a script in a command line, a body
//! in a log. Sensitive words have a fixed spelling in base64 for each of the three places in which
//! they can begin, so the automaton finds those, and what is around them is decoded and read.

use super::base64;
use super::text::{Span, Text, is_base64_any};

/// Words that make a base64 text worth decoding.
const WORDS: &[&str] = &[
    "assword",
    "ASSWORD",
    "passwd",
    "ecret",
    "ECRET",
    "oken\"",
    "oken=",
    "oken:",
    "OKEN=",
    "OKEN:",
    "api_key",
    "API_KEY",
    "piKey",
    "apikey",
    "uthorization",
    "PRIVATE KEY",
    "_KEY=",
];

/// The same with two bytes a character, as PowerShell takes its scripts.
const WIDE_WORDS: &[&str] = &[
    "assword", "ASSWORD", "ecret", "ECRET", "oken", "OKEN", "piKey", "API_KEY",
];

/// The shortest spelling that is specific enough to look at.
const SHORTEST: usize = 6;

/// As much of a spelling as makes it specific; more would only make the automaton larger.
const LONGEST: usize = 9;

/// How far a base64 text is read in each direction, in bytes.
const FURTHEST: usize = 8192;

/// The spellings of the words, each with the place of its first digit in a group of four.
pub(super) fn spellings() -> Vec<(String, usize)> {
    let wide = WIDE_WORDS
        .iter()
        .map(|word| word.bytes().flat_map(|byte| [byte, 0]).collect());
    let words = WORDS.iter().map(|word| word.as_bytes().to_vec());
    let mut all = Vec::new();
    for word in words.chain(wide) {
        let word: Vec<u8> = word;
        for offset in 0..3 {
            let mut core = base64::core(&word, offset, false);
            if core.len() >= SHORTEST {
                core.truncate(LONGEST);
                all.push((core, (offset * 8).div_ceil(6)));
            }
        }
    }
    all
}

/// A base64 text and what it says.
pub(super) struct Encoded {
    pub(super) span: Span,
    pub(super) decoded: String,
}

/// The base64 text around a spelling at `start` whose first digit is the one at `place` of its group.
/// Lines of equal length belong together.
pub(super) fn around(text: Text<'_>, start: usize, place: usize) -> Encoded {
    let digit = |byte: u8| is_base64_any(byte) && byte != b'=';
    let first = text.run_back(start, FURTHEST, |byte| {
        digit(byte) || matches!(byte, b'\n' | b'\r')
    });
    let first = after_short_line(text, first, start);
    let end = text.run(start, FURTHEST, |byte| {
        digit(byte) || matches!(byte, b'\n' | b'\r')
    });
    let before = text.bytes[first..start].iter().filter(|byte| digit(**byte));
    let skipped = (before.count() + 4 - place % 4) % 4;
    let digits: String = text
        .slice(first..end)
        .chars()
        .filter(|c| !matches!(c, '\n' | '\r'))
        .skip(skipped)
        .collect();
    let whole = digits.len() - usize::from(digits.len() % 4 == 1);
    let bytes = base64::decode(digits.get(..whole).unwrap_or_default()).unwrap_or_default();
    Encoded {
        span: first..text.run_back(end, 4, |byte| matches!(byte, b'\n' | b'\r')),
        decoded: readable(&bytes),
    }
}

/// The start of the last line before `start` that follows a short one: a word alone on a line is not
/// a part of the lines of base64 below it.
fn after_short_line(text: Text<'_>, first: usize, start: usize) -> usize {
    let mut from = first;
    let mut line = first;
    for at in first..start {
        if text.bytes[at] == b'\n' {
            if at - line < 40 {
                from = at + 1;
            }
            line = at + 1;
        }
    }
    from
}

/// The text in these bytes, also when each character has two.
fn readable(bytes: &[u8]) -> String {
    let wide = bytes.len() >= 16 && bytes.iter().skip(1).step_by(2).all(|byte| *byte == 0);
    if wide {
        let units: Vec<u16> = bytes
            .iter()
            .step_by(2)
            .map(|byte| u16::from(*byte))
            .collect();
        return String::from_utf16_lossy(&units);
    }
    String::from_utf8(bytes.to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_wherever_it_begins() {
        for before in ["", "a", "ab", "x = {"] {
            let plain = format!("{before}password=hunter2-hunter2");
            let encoded = base64::encode(plain.as_bytes(), false);
            let text = format!("data: {encoded}");
            let found = spellings().into_iter().find_map(|(word, place)| {
                let at = text.find(&word)?;
                Some(around(Text::new(&text), at, place))
            });
            let found = found.map(|found| (found.decoded, found.span));
            assert_eq!(found, Some((plain, 6..text.len())));
        }
    }
}

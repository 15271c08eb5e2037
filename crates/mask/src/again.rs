//! The same secret once more: a value that was found in one place is a secret wherever else the text
//! shows it, whatever stands around it there.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};

use super::text::{Span, Text, is_ascii_word};
use super::value;

/// Shorter values may be words.
const SHORTEST: usize = 10;

/// Shorter values may be words with a number, unless they have marks, too.
const SHORTEST_MARKED: usize = 8;

/// More different secrets than a readable text has.
const MOST: usize = 64;

/// Adds every other place of the secrets that were found.
pub(super) fn find(text: Text<'_>, spans: &mut Vec<Span>) {
    let values: BTreeSet<&str> = spans
        .iter()
        .map(|span| text.slice(span.clone()))
        .filter(|shown| is_recognisable(shown))
        .take(MOST)
        .collect();
    if values.is_empty() {
        return;
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&values);
    let Ok(automaton) = automaton else {
        return;
    };
    let whole =
        |span: &Span| !is_ascii_word(text.before(span.start)) && !is_ascii_word(text.at(span.end));
    let places = automaton.find_iter(text.bytes).map(|found| found.range());
    spans.extend(places.filter(whole));
}

/// Whether the value says by itself that it is the same secret and not the same word.
fn is_recognisable(shown: &str) -> bool {
    let has = |class: fn(&u8) -> bool| shown.as_bytes().iter().any(class);
    let marked = has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(|byte| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
    marked && shown.len() >= SHORTEST_MARKED && value::is_password_like(shown)
        || (SHORTEST..=value::EXAMINED).contains(&shown.len())
            && (value::is_key_like(shown, SHORTEST) || value::is_password_like(shown))
}

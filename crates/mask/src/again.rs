//! The same secret once more: a value that was found in one place is a secret wherever else the text
//! shows it, whatever stands around it there.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};

use super::base64;
use super::text::{Span, Text, is_ascii_word, is_base64_any};
use super::value;

/// Shorter values may be words.
const SHORTEST: usize = 10;

/// Shorter values may be words with a number, unless they have marks, too.
const SHORTEST_MARKED: usize = 8;

/// How far the word around a value in base64 is read, in bytes.
const LONGEST_BASE64: usize = 256;

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
    let mut found: Vec<Span> = places.filter(whole).collect();
    found.extend(in_base64(text, &values));
    spans.append(&mut found);
}

/// The words in base64 that hold one of these values, as `user:secret` in base64 does.
fn in_base64(text: Text<'_>, values: &BTreeSet<&str>) -> Vec<Span> {
    let forms = values.iter().flat_map(|value| {
        (0..3).flat_map(|offset| {
            [false, true].map(|url_safe| base64::core(value.as_bytes(), offset, url_safe))
        })
    });
    let forms: BTreeSet<String> = forms.filter(|form| form.len() >= SHORTEST).collect();
    let Ok(automaton) = AhoCorasick::new(&forms) else {
        return Vec::new();
    };
    let mut places: Vec<Span> = Vec::new();
    for found in automaton.find_iter(text.bytes) {
        let read = places.last().map_or(0, |last| last.end);
        if found.start() >= read {
            let furthest = LONGEST_BASE64.min(found.start() - read);
            let start = text.run_back(found.start(), furthest, is_base64_any);
            places.push(start..text.run(found.end(), LONGEST_BASE64, is_base64_any));
        }
    }
    places
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

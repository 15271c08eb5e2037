//! Several words in the place of a value: a sentence, a label, or a passphrase.

use std::sync::LazyLock;

use super::placeholder::is_plain_word;
use crate::words::WordSet;

/// Words that make a quoted phrase a sentence rather than a passphrase.
const SENTENCE_WORDS: &str = include_str!("../words/sentence.txt");

/// Words that occur only in labels, hints and error messages.
const LABEL_WORDS: &str = include_str!("../words/label.txt");

static LABEL_WORD: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(LABEL_WORDS));

static SENTENCE_WORD: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(SENTENCE_WORDS));

pub(super) fn is_label_word(word: &str) -> bool {
    LABEL_WORD.contains(word)
}

pub(crate) fn is_sentence_word(word: &str) -> bool {
    SENTENCE_WORD.contains(word)
}

/// Whether a quoted text with spaces reads like a sentence or a label.
pub(crate) fn is_sentence(value: &str) -> bool {
    if !value.trim().contains(' ') {
        return false;
    }
    let words = || {
        value
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
    };
    let known = words().filter(|word| SENTENCE_WORD.contains(word)).count();
    let plain = words().all(|word| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'\'')
    });
    // "Repeat password" is a label; four unrelated words are a passphrase.
    known * 3 >= words().count() || plain && words().count() <= 2
}

/// Whether a quoted text after `password = …` is a description and not a password: "Please enter
/// your password", "Repeat password". A few common words are no evidence there, because people do
/// choose `with spaces here`.
pub(crate) fn is_label(value: &str) -> bool {
    if !value.trim().contains(' ') {
        return false;
    }
    let words = || {
        value
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
    };
    let count = words().count();
    let plain = value.chars().all(|c| {
        c.is_alphabetic()
            || matches!(
                c,
                ' ' | '\'' | '-' | '.' | ',' | '?' | '!' | ':' | '(' | ')'
            )
    });
    let tells = words().any(|word| LABEL_WORD.contains(word));
    let capital = value.trim_start().starts_with(char::is_uppercase);
    let full_stop = value.trim_end().ends_with(['.', '?', '!', ':']);
    let known = words().filter(|word| SENTENCE_WORD.contains(word)).count();
    tells || plain && (capital || full_stop && count >= 3 || count >= 5 && known * 3 >= count)
}

/// Quoted words after "the password": `"correct horse battery"`, but not `"strength meter"` or
/// `"not set"`.
pub(crate) fn is_passphrase(value: &str, stated: bool) -> bool {
    let words = || value.split(' ').filter(|word| !word.is_empty());
    let count = words().count();
    let made = value.bytes().any(|byte| byte.is_ascii_digit());
    let plain = value.chars().all(|c| {
        c.is_lowercase()
            || c.is_ascii_digit()
            || matches!(c, ' ' | '-' | '_' | '!' | '#' | '@' | '$' | ':' | '.')
    });
    let tells = words()
        .filter(|word| is_plain_word(word) || LABEL_WORD.contains(word))
        .count()
        * 2
        >= count;
    count >= 2
        && value.len() <= 100
        && !tells
        && (made || plain && count >= if stated { 2 } else { 3 })
}

/// Whether these are words of letters that tell nothing, as passphrases have them.
pub(crate) fn are_unrelated(value: &str) -> bool {
    value.split(' ').all(|word| {
        (3..=10).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !is_plain_word(word)
            && !LABEL_WORD.contains(word)
            && !SENTENCE_WORD.contains(word)
    })
}

//! Texts of a program in many languages: `password: Pasvorto`, `<string name="…">…</string>`.
//! The key is a name of the program and the value is what its window shows.

use std::sync::LazyLock;

use super::place::Place;
use crate::words::WordSet;

/// Words for a password that are written in the letters of English. Those in other letters are
/// told by them.
static WORD: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(include_str!("../words/translated.txt")));

pub(super) fn any(place: &Place<'_>) -> bool {
    is_text_of_element(place)
        || is_other_script(place)
        || is_translated_word(place)
        || is_demand(place)
}

/// The first word of a text between tags, unless the tag itself says that it is a password.
fn is_text_of_element(place: &Place<'_>) -> bool {
    let Some(tag) = place
        .before
        .strip_suffix('>')
        .and_then(|it| it.rsplit('<').next())
    else {
        return false;
    };
    let element = tag.split([' ', '/']).next().unwrap_or_default();
    matches!(
        element,
        "string"
            | "value"
            | "item"
            | "target"
            | "source"
            | "a"
            | "p"
            | "li"
            | "td"
            | "th"
            | "label"
            | "span"
            | "small"
            | "h1"
            | "h2"
            | "h3"
            | "option"
            | "button"
            | "text"
    ) && place.is_word()
        && place.after.starts_with(' ')
        && place.after[1..].starts_with(char::is_alphabetic)
}

/// Words of another script below a name in ASCII.
fn is_other_script(place: &Place<'_>) -> bool {
    let other = |c: char| c.is_alphabetic() && c >= '\u{370}';
    let shown = place.shown.trim_matches(['"', '\'']);
    let name = place
        .before
        .trim_end_matches([' ', '"', '\'', ':', '=', '>']);
    let named =
        name.len() < place.before.len() && name.ends_with(|c: char| c.is_ascii_alphanumeric());
    named && shown.starts_with(other) && !shown.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// The word for a password in another language, with a capital as labels have it.
fn is_translated_word(place: &Place<'_>) -> bool {
    let rest = place.shown.chars().skip(1);
    place.shown.starts_with(char::is_uppercase)
        && place.is_word()
        && (WORD.contains(place.shown)
            || !place.shown.is_ascii() && rest.clone().all(char::is_lowercase))
}

/// What a text demands of a password: "Use 8 characters", in any language.
fn is_demand(place: &Place<'_>) -> bool {
    let Some(rest) = place.after.strip_prefix(' ') else {
        return false;
    };
    let letters = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    place.is_word()
        && place.shown.starts_with(char::is_uppercase)
        && (1..=2).contains(&(rest.len() - letters.len()))
        && letters.starts_with(' ')
        && letters[1..].starts_with(char::is_alphabetic)
}

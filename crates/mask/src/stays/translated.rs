//! Texts of a program in many languages: `password: Pasvorto`, `<string name="…">…</string>`.
//! The key is a name of the program and the value is what its window shows.

use std::sync::LazyLock;

use super::place::Place;
use crate::name::FOREIGN_PASSWORDS;
use crate::words::WordSet;

/// The longest label that is looked at, in bytes.
const LONGEST: usize = 80;

/// Beginnings of words for characters, after their number.
const CHARACTERS: &[&str] = &[
    " char",
    " cara",
    " karak",
    " Zeichen",
    " teken",
    " tegn",
    " tecken",
    " merk",
    " znak",
    " simb",
    " símb",
    " симв",
    " знак",
];

/// Words for a password that are written in the letters of English. Those in other letters are
/// told by the list of names.
static WORD: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(include_str!("../words/translated.txt")));

pub(super) fn any(place: &Place<'_>) -> bool {
    is_text_of_element(place)
        || is_other_script(place)
        || is_translated_word(place)
        || is_rule_of_length(place)
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

/// The word for a password in another script, alone or in a label of two words: `Парола`,
/// `隐藏密码`. Any other word may be the password itself.
fn is_other_script(place: &Place<'_>) -> bool {
    let shown = place.shown.trim_matches(['"', '\'']);
    let joined = |c: char| c >= '\u{2e80}';
    let holds = |word: &str| word.starts_with(joined) && shown.ends_with(word);
    (1..=LONGEST).contains(&shown.len())
        && shown.chars().all(|c| !c.is_ascii() || c == ' ')
        && (shown.split(' ').count() <= 2 && shown.split(' ').any(is_listed)
            || shown.chars().all(joined) && FOREIGN_PASSWORDS.split_whitespace().any(holds))
}

/// The word for a password in another language, with a capital as labels have it.
fn is_translated_word(place: &Place<'_>) -> bool {
    place.shown.starts_with(char::is_uppercase)
        && place.shown.len() <= LONGEST
        && place.is_word()
        && (WORD.contains(place.shown) || !place.shown.is_ascii() && is_listed(place.shown))
}

fn is_listed(word: &str) -> bool {
    let lower = word.to_lowercase();
    FOREIGN_PASSWORDS.split_whitespace().any(|it| it == lower)
}

/// What a text demands of a password: "Use 8 characters", in many languages.
fn is_rule_of_length(place: &Place<'_>) -> bool {
    let Some(rest) = place.after.strip_prefix(' ') else {
        return false;
    };
    let letters = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    place.is_word()
        && place.shown.starts_with(char::is_uppercase)
        && (1..=2).contains(&(rest.len() - letters.len()))
        && CHARACTERS.iter().any(|it| letters.starts_with(it))
}

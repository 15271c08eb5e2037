//! What a title or heading is: a label that names a case, the subject of the page, or only a word
//! that something is wrong.

use super::fold::weight;
use super::phrase_tables::PhraseMatch;

/// How much of a title or heading a label must cover.
const COVER_PERCENT: usize = 70;

/// The parts of a title, and the whole of it.
pub(super) fn title_parts(title: &str) -> impl Iterator<Item = &str> {
    title
        .split(['|', '·', '•', '»', '\u{FF5C}'])
        // Chinese sites join the parts with `_`, others use it inside names.
        .flat_map(move |part| part.split(move |c: char| c == '_' && !title.is_ascii()))
        .flat_map(|part| part.split(" - "))
        .flat_map(|part| part.split(": "))
        .map(str::trim)
        .chain([title])
        .filter(|part| !part.is_empty())
}

/// Whether a phrase is nearly all of a text: what remains are marks, digits or a word.
pub(super) fn covers(text: &str, found: &PhraseMatch) -> bool {
    let covered = weight(text[found.start..found.end].trim());
    let counted = text
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ')
        .collect::<String>();
    covered * 100 >= weight(counted.trim()) * COVER_PERCENT
}

/// Titles that say only that something is wrong.
pub(super) const TROUBLE: &[&str] = &[
    "error",
    "oops",
    "sorry",
    "whoops",
    "fehler",
    "hinweis",
    "erreur",
    "oups",
    "attention",
    "errore",
    "ops",
    "attenzione",
    "erro",
    "aviso",
    "ups",
    "ошибка",
    "внимание",
    "エラー",
    "错误",
    "提示",
    "提示信息",
    "錯誤",
    "오류",
    "알림",
    "fout",
    "blad",
    "hata",
    "uyari",
    "fel",
    "chyba",
];

/// Titles of forums' notices, which are also words of pages about errors.
pub(super) fn is_error_title(part: &str) -> bool {
    const TITLES: &[&str] = &[
        "fehlermeldung",
        "error message",
        "message d'erreur",
        "mensaje de error",
        "messaggio di errore",
        "error page",
    ];
    TITLES.contains(&part)
}

/// Whether a label is more than a single word, which may name anything: several words, a number, or
/// a phrase of a script without spaces.
pub(super) fn is_firm(label: &str) -> bool {
    let label = label.trim();
    label.contains(' ')
        || label.contains(|c: char| c.is_ascii_digit())
        || weight(label) > label.chars().count() && label.chars().count() >= 3
}

/// Whether a text shows an IP address (version 4).
pub(super) fn has_address(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .any(|word| {
            word.trim_matches('.')
                .split('.')
                .filter(|part| part.parse::<u8>().is_ok())
                .count()
                == 4
        })
}

//! What a title or heading is: a label that names a reason, a subject, or a cry of trouble.

use fault::Case;

use super::fold::weight;
use super::page::Zone;
use super::tables::Found;

/// Share of a title or heading that a label must cover, in percent.
const COVER: usize = 70;

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
pub(super) fn covers(text: &str, found: &Found) -> bool {
    let covered = weight(text[found.start..found.end].trim());
    let counted = text
        .chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ')
        .collect::<String>();
    covered * 100 >= weight(counted.trim()) * COVER
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

/// More than one word, a number, or a phrase of a script without spaces.
pub(super) fn is_firm(label: &str) -> bool {
    let label = label.trim();
    label.contains(' ')
        || label.contains(|c: char| c.is_ascii_digit())
        || weight(label) > label.chars().count() && label.chars().count() >= 3
}

/// Reasons of one family: the site refuses this visitor.
pub(super) fn is_refusal(case: Case) -> bool {
    matches!(
        case,
        Case::BotChallenge
            | Case::Captcha
            | Case::AccessDenied
            | Case::RateNotice
            | Case::GeoBlock
            | Case::LegalBlock
    )
}

/// Whether a text shows an address of the internet protocol.
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

/// Which reasons speak from which part of a page.
pub(super) fn may_speak(case: Case, zone: Zone) -> bool {
    match zone {
        Zone::Main => true,
        Zone::Overlay => matches!(
            case,
            Case::Paywall | Case::LoginWall | Case::ConsentWall | Case::Captcha | Case::GeoBlock
        ),
        Zone::Consent => case == Case::ConsentWall,
        Zone::Chrome | Zone::Hidden => false,
    }
}

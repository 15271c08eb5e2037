//! Codes that people tell each other in sentences, in any language: "il codice del cancello è
//! 4642", "код домофона 1883", "your voicemail PIN has been reset to 772112".
//!
//! Between the word for a code and the digits stand only words, and none of them says that the code
//! is that of an error, a country or a product.

use super::text::{Span, Text, is_ascii_word};

/// How far after the word for a code its digits may stand, in bytes.
const FURTHEST: usize = 72;

/// Words for a code that one types; the engine looks for them.
pub(super) const WORDS: &[&str] = &[
    "codice",
    "Codice",
    "código",
    "Código",
    "codigo",
    "Codigo",
    "codi ",
    "digicode",
    "Digicode",
    "ürcode",
    "portkod",
    "Portkod",
    "koden ",
    "Koden ",
    "koodi",
    "Koodi",
    "kod ",
    "Kod ",
    "kodu",
    "Kodu",
    "kód",
    "Kód",
    "šifra",
    "Šifra",
    "код ",
    "Код ",
    "κωδικ",
    "Κωδικ",
    "رمز",
    "קוד",
    "کد ",
    "ओटीपी",
    "कोड",
    "暗証番号",
    "인증번호",
    "รหัส",
    "kode ",
    "Kode ",
    "OTP",
    "NIP ",
    "TAN ",
    "PIN",
    "SIM pin",
    " pin ",
    "PUK",
    "Geheimzahl",
    "door code",
    "gate code",
    "entrance code",
    "keypad",
    "alarm code",
    "ickup code",
    "lock code",
    "one-time code",
    "sign-in code",
    "login code",
];

/// What makes a code a harmless one, or a number something else.
const OTHERS: &[&str] = &[
    "post",
    "zip",
    "pošt",
    "почт",
    "поч",
    "fiscal",
    "error",
    "fehler",
    "ошибк",
    "błęd",
    "hata",
    "erreur",
    "erro ",
    "http",
    "status",
    "exit",
    "return",
    "respon",
    "iso",
    "produ",
    "artik",
    "artic",
    "article",
    "promo",
    "rabat",
    "gutschein",
    "area",
    "swift",
    "qr",
    "source",
    "country",
    "pays",
    "land",
    "length",
    "digits",
    "version",
    "line",
    "page",
    "build",
    "year",
    "since",
    "until",
    "port ",
    "number of",
    "at least",
    "minimum",
    "mindest",
    "naf",
    "insee",
    "tarif",
    "classe",
    "civil",
    "penal",
    "labor",
    "trabajo",
    "travail",
    "travel",
    "unicode",
    "ascii",
    "decision",
    "review",
    "client",
    "kunde",
    "kund",
];

/// What follows a number that counts something.
const UNITS: &[&str] = &[
    " sec",
    " min",
    " hour",
    " day",
    " digit",
    " char",
    " token",
    " byte",
    " ms",
    " eur",
    " €",
    " usd",
    " times",
    " line",
    " user",
    "%",
    " sek",
    " std",
    " zeichen",
    " stellen",
    " dígitos",
    " cifre",
];

/// The digits after the word that ends at `hit.end`.
pub(super) fn code(text: Text<'_>, hit: &Span) -> Option<Span> {
    let first = text.at(hit.start);
    if first.is_ascii_alphabetic()
        && first != b'i'
        && first != b'p'
        && is_ascii_word(text.before(hit.start))
    {
        return None;
    }
    // "PINNED 4567" has no PIN.
    let is_short = matches!(text.slice(hit.clone()), "PIN" | "OTP" | "PUK");
    if is_short && text.at(hit.end).is_ascii_uppercase() {
        return None;
    }
    let limit = text.run(hit.end, FURTHEST, |byte| {
        !byte.is_ascii_digit()
            && !matches!(byte, b'\n' | b'=' | b'{' | b'<' | b'/' | b'(' | b'"' | b'_')
    });
    let start = limit;
    let end = text.run(start, 9, |byte| byte.is_ascii_digit());
    if !(4..=8).contains(&(end - start)) || !stands_alone(text, start, end) {
        return None;
    }
    let between = text.slice(hit.end..start);
    let told = text
        .slice(hit.start.saturating_sub(12)..start)
        .to_lowercase();
    let after = text
        .slice(end..text.run(end, 12, |byte| byte != b'\n'))
        .to_lowercase();
    let year = end - start == 4 && matches!(&text.bytes[start..start + 2], b"19" | b"20");
    let other = OTHERS.iter().any(|it| told.contains(it));
    let counted = UNITS.iter().any(|it| after.starts_with(it));
    // "Código Penal 1995": a law and its year.
    let dated = year && !between.contains(':');
    let harmless = other || counted || dated;
    (!harmless).then_some(start..end)
}

/// Whether the digits are no part of a date, an amount, an address or a longer name.
fn stands_alone(text: Text<'_>, start: usize, end: usize) -> bool {
    let before = text.before(start);
    let after = text.at(end);
    let next = text.at(end + 1);
    let joined = matches!(after, b'.' | b',' | b'-' | b':' | b'/') && next.is_ascii_digit();
    let follows = is_ascii_word(before)
        || matches!(
            before,
            b'.' | b',' | b'-' | b'+' | b'#' | b'$' | b'@' | b'~'
        );
    let goes_on = joined
        || matches!(after, b'_' | b'=')
        || after.is_ascii_alphabetic() && is_ascii_word(next);
    !follows && !goes_on
}

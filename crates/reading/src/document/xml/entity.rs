//! Character and entity references. Entities that a document declares are not read, so nothing
//! expands.

use std::borrow::Cow;

use quick_xml::events::BytesRef;

/// The text that a reference stands for. An unknown reference stays as it is written.
pub fn entity_text(reference: &BytesRef<'_>) -> Cow<'static, str> {
    let name = reference.xml10_content();
    match reference.resolve_char_ref() {
        Ok(Some(letter)) => Cow::Owned(letter.to_string()),
        _ => entity(&name).map_or_else(|| Cow::Owned(format!("&{name};")), Cow::Borrowed),
    }
}

/// The entities that XML predefines, and those of HTML that books and feeds use without declaring
/// them.
pub(super) fn entity(name: &str) -> Option<&'static str> {
    Some(match name {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "apos" => "'",
        "quot" => "\"",
        "nbsp" => "\u{A0}",
        "ndash" => "–",
        "mdash" => "—",
        "lsquo" => "‘",
        "rsquo" => "’",
        "ldquo" => "“",
        "rdquo" => "”",
        "laquo" => "«",
        "raquo" => "»",
        "hellip" => "…",
        "bull" => "•",
        "middot" => "·",
        "copy" => "©",
        "reg" => "®",
        "trade" => "™",
        "deg" => "°",
        "times" => "×",
        "euro" => "€",
        "pound" => "£",
        "sect" => "§",
        "para" => "¶",
        "shy" => "\u{AD}",
        "ensp" | "emsp" | "thinsp" => " ",
        "zwnj" => "\u{200C}",
        "auml" => "ä",
        "ouml" => "ö",
        "uuml" => "ü",
        "Auml" => "Ä",
        "Ouml" => "Ö",
        "Uuml" => "Ü",
        "szlig" => "ß",
        "eacute" => "é",
        "egrave" => "è",
        "agrave" => "à",
        "aacute" => "á",
        "ccedil" => "ç",
        "ntilde" => "ñ",
        _ => return None,
    })
}

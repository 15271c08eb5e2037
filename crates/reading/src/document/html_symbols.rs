//! Letters of HTML that stand in a font of symbols: Outlook writes a smile as a `J` in Wingdings, and
//! older pages write Greek as Latin letters in Symbol.
//!
//! The source is changed before it is read, so that the extractor need not know fonts. Only `font`
//! and `span` are looked at, which are what programs write around such letters.

use std::borrow::Cow;

use super::symbol_fonts::SymbolFont;

/// How deep elements are followed.
const MAX_DEPTH: usize = 200;
/// A longer reference names no letter. A search to the end of the text would take for ever in a text
/// of nothing but ampersands.
const LONGEST_REFERENCE: usize = 12;

/// The HTML with what such letters show in their place.
pub(super) fn with_symbols(html: &str) -> Cow<'_, str> {
    if !mentions_font(html) {
        return Cow::Borrowed(html);
    }
    let mut shown = String::with_capacity(html.len());
    // The font that each open element asks for, if it asks for one.
    let mut open: Vec<Option<Option<SymbolFont>>> = Vec::new();
    // Open elements that are too deep to be followed.
    let mut deeper = 0_usize;
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (text, tag_on) = rest.split_at(start);
        push_text(text, current(&open), &mut shown);
        let (tag, after) = tag(tag_on);
        shown.push_str(tag);
        rest = after;
        match element(tag) {
            Some((name, true)) if is_looked_at(name) => match deeper {
                0 => drop(open.pop()),
                _ => deeper -= 1,
            },
            Some((name, false)) if is_looked_at(name) => match open.len() < MAX_DEPTH {
                true => open.push(asked_font(tag)),
                false => deeper += 1,
            },
            _ => {}
        }
    }
    push_text(rest, current(&open), &mut shown);
    Cow::Owned(shown)
}

fn mentions_font(html: &str) -> bool {
    let names: [&[u8]; 3] = [b"symbol", b"wingdings", b"webdings"];
    names.iter().any(|name| {
        let mut windows = html.as_bytes().windows(name.len());
        windows.any(|window| window.eq_ignore_ascii_case(name))
    })
}

fn is_looked_at(name: &str) -> bool {
    name.eq_ignore_ascii_case("font") || name.eq_ignore_ascii_case("span")
}

/// The font that holds for a text: that of the innermost element that asks for one.
fn current(open: &[Option<Option<SymbolFont>>]) -> Option<SymbolFont> {
    open.iter().rev().find_map(|it| *it).flatten()
}

/// A tag, or a comment or a script as a whole, and what follows it.
fn tag(html: &str) -> (&str, &str) {
    let end_of = |from: usize, mark: &str| {
        let found = html.get(from..).and_then(|it| it.find(mark));
        found.map_or(html.len(), |at| from + at + mark.len())
    };
    if html.starts_with("<!--") {
        return html.split_at(end_of(4, "-->"));
    }
    let end = end_of(1, ">");
    let is_raw = |name: &str| {
        let start = html.get(1..=name.len());
        start.is_some_and(|it| it.eq_ignore_ascii_case(name))
    };
    if is_raw("script") || is_raw("style") {
        return html.split_at(end_of(end, "</"));
    }
    html.split_at(end)
}

/// The name of an element, and whether the tag ends it.
fn element(tag: &str) -> Option<(&str, bool)> {
    let inner = tag.strip_prefix('<')?;
    let (inner, is_end) = match inner.strip_prefix('/') {
        Some(inner) => (inner, true),
        None => (inner, false),
    };
    let end = inner.find(|it: char| !it.is_ascii_alphanumeric())?;
    Some((&inner[..end], is_end))
}

/// The font that a tag asks for. `None` if it names none, `Some(None)` for one of ordinary letters.
fn asked_font(tag: &str) -> Option<Option<SymbolFont>> {
    let lower = tag.to_ascii_lowercase();
    let after = |mark: &str| {
        let at = lower.find(mark)? + mark.len();
        lower[at..].trim_start().strip_prefix(['=', ':'])
    };
    let names = after("font-family").or_else(|| after("face"))?;
    let names = names
        .trim_start()
        .trim_start_matches(['"', '\'', ' '])
        .trim_start_matches("&quot;");
    let end = names.find([',', ';', '"', '\'', '>', '&']);
    Some(SymbolFont::named(&names[..end.unwrap_or(names.len())]))
}

/// Adds a text. Of characters that are written with their number, those are read, too.
fn push_text(text: &str, font: Option<SymbolFont>, shown: &mut String) {
    let Some(font) = font else {
        shown.push_str(text);
        return;
    };
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        let (plain, reference) = rest.split_at(start);
        shown.push_str(&font.read(plain));
        let end = reference
            .bytes()
            .take(LONGEST_REFERENCE)
            .position(|it| it == b';');
        let (reference, after) = reference.split_at(end.map_or(1, |end| end + 1));
        let number = reference
            .strip_prefix("&#")
            .and_then(|it| it.trim_end_matches(';').parse::<u32>().ok());
        match number.and_then(char::from_u32) {
            Some(letter) => shown.push_str(&font.read(&letter.to_string())),
            None => shown.push_str(reference),
        }
        rest = after;
    }
    shown.push_str(&font.read(rest));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_fonts_of_symbols_are_what_they_show() {
        for (html, expected) in [
            (
                "<p>5 <font face=Symbol>m</font>m</p>",
                "<p>5 <font face=Symbol>μ</font>m</p>",
            ),
            (
                "<span style='font-family:Wingdings'>J</span> J",
                "<span style='font-family:Wingdings'>☺</span> J",
            ),
            (
                "<FONT FACE=\"Symbol\">a<span lang=en>b</span><span style=\"font-family: Arial\">c</span>&#97;&nbsp;</FONT>d",
                "<FONT FACE=\"Symbol\">α<span lang=en>β</span><span style=\"font-family: Arial\">c</span>α&nbsp;</FONT>d",
            ),
            (
                "<style>.a{font-family:Symbol}</style><font face=\"Arial, Symbol\">a</font>",
                "<style>.a{font-family:Symbol}</style><font face=\"Arial, Symbol\">a</font>",
            ),
            ("a symbol & <b", "a symbol & <b"),
            ("<font face=symbol>a & b < c", "<font face=symbol>α & β < c"),
            (
                "<!-- <font face=Symbol> -->a",
                "<!-- <font face=Symbol> -->a",
            ),
        ] {
            assert_eq!(with_symbols(html), expected);
        }
        let plain = "<p>Nothing here</p>";
        assert!(matches!(with_symbols(plain), Cow::Borrowed(_)));
    }

    /// A search for the end of each reference through all of the text took for ever.
    #[test]
    fn a_text_of_ampersands_takes_no_longer_than_another() {
        let html = format!("<font face=Symbol>{}</font>", "&".repeat(1_000_000));
        assert_eq!(with_symbols(&html), html);
    }

    #[test]
    fn elements_that_are_too_deep_end_no_others() {
        let deep = "<span>".repeat(300) + &"</span>".repeat(300);
        let html = format!("<font face=Symbol>{deep}m</font>");
        assert!(with_symbols(&html).ends_with("μ</font>"));
    }
}

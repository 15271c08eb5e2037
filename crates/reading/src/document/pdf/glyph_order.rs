//! The order of the glyphs in fonts that came with Windows.
//!
//! A program may embed such a font without any map and select glyphs by their number. The first glyphs
//! have the order that Apple laid down for TrueType: that of Mac OS Roman, with a few letters more. Some
//! fonts have no glyph for the blank that does not break, so that all after it have lower numbers. Which
//! fonts do was seen in files that state the characters of their glyphs.

use hayro_syntax::object::{Array, Dict, Name};

/// The order of the glyphs in a family of fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GlyphOrder {
    Apple,
    /// Without the blank that does not break, and without Apple's mark.
    ApplesWithoutBlank,
    /// As Apple's up to the ellipsis. What follows is not known.
    StartOfApples,
}

const FAMILIES: [(&str, GlyphOrder); 8] = [
    ("arial", GlyphOrder::ApplesWithoutBlank),
    ("timesnewroman", GlyphOrder::ApplesWithoutBlank),
    ("couriernew", GlyphOrder::ApplesWithoutBlank),
    ("trebuchet", GlyphOrder::Apple),
    ("verdana", GlyphOrder::StartOfApples),
    ("tahoma", GlyphOrder::StartOfApples),
    ("georgia", GlyphOrder::StartOfApples),
    ("comicsans", GlyphOrder::StartOfApples),
];
/// The glyph of the blank, which is the first character.
const BLANK: u32 = 3;
const ELLIPSIS: u32 = 171;
/// The number of characters of Mac OS Roman: the code of the delete character has none.
const MAC_ROMAN: usize = 223;
/// What follows them.
const MORE: &str = "ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ¯·ĂăĄą";

/// The order of the glyphs of a font, if it is of one of these families.
pub(super) fn glyph_order(dict: &Dict<'_>) -> Option<GlyphOrder> {
    let name = dict.get::<Name<'_>>("BaseFont");
    let name = name.map_or_else(String::new, |name| name.as_str().to_ascii_lowercase());
    let name = name.split_once('+').map_or(&*name, |(_, name)| name);
    let name = name.replace([' ', '-'], "");
    let mut families = FAMILIES.into_iter();
    let family = families.find(|(family, _)| name.starts_with(family));
    family.map(|(_, order)| order)
}

/// Whether the code that is the number of the blank has a width, as in no encoding of letters.
pub(super) fn has_blank_as_glyph(dict: &Dict<'_>) -> bool {
    let first = dict.get::<i64>("FirstChar").unwrap_or_default();
    let place = i64::from(BLANK).checked_sub(first);
    let place = place.and_then(|place| usize::try_from(place).ok());
    let widths = dict.get::<Array<'_>>("Widths");
    let width = place.and_then(|place| widths?.iter::<f64>().nth(place));
    width.is_some_and(|width| width > 0.0)
}

impl GlyphOrder {
    /// The letter that a glyph shows.
    pub(super) fn letter(self, glyph: u32) -> Option<char> {
        let without: &[u8] = match self {
            GlyphOrder::Apple => &[],
            GlyphOrder::ApplesWithoutBlank => &[0xCA, 0xF0],
            GlyphOrder::StartOfApples if glyph <= ELLIPSIS => &[],
            GlyphOrder::StartOfApples => return None,
        };
        let place = glyph.checked_sub(BLANK)? as usize;
        let codes = (0x20..=0x7E).chain(0x80..=0xFF);
        let mut codes = codes.filter(|code| !without.contains(code));
        let Some(code) = codes.nth(place) else {
            return MORE.chars().nth(place - (MAC_ROMAN - without.len()));
        };
        let code = [code];
        let (text, _) = encoding_rs::MACINTOSH.decode_without_bom_handling(&code);
        text.chars().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_are_in_the_order_of_mac_os_roman() {
        for (glyph, letter) in [
            (2, None),
            (3, Some(' ')),
            (36, Some('A')),
            (97, Some('~')),
            (98, Some('Ä')),
            (112, Some('é')),
            (171, Some('…')),
            (172, Some('À')),
            (179, Some('“')),
            (182, Some('’')),
            (209, Some('Ò')),
            (223, Some('ˇ')),
            (224, Some('Ł')),
            (255, Some('đ')),
            (261, Some('ą')),
            (262, None),
        ] {
            let order = GlyphOrder::ApplesWithoutBlank;
            assert_eq!(order.letter(glyph), letter, "{glyph}");
        }
        assert_eq!(GlyphOrder::Apple.letter(180), Some('“'));
        assert_eq!(GlyphOrder::StartOfApples.letter(171), Some('…'));
        assert_eq!(GlyphOrder::StartOfApples.letter(172), None);
    }
}

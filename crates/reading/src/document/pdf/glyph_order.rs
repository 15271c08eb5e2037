//! The order of the glyphs in fonts that came with Windows.
//!
//! A program may embed such a font without any map and select glyphs by their number. The first glyphs
//! have the order that Apple laid down for TrueType: that of Mac OS Roman, with a few letters more.

use hayro_syntax::object::{Dict, Name};

/// The families whose order is known.
const FAMILIES: [&str; 8] = [
    "arial",
    "timesnewroman",
    "couriernew",
    "verdana",
    "tahoma",
    "georgia",
    "trebuchet",
    "comicsans",
];
/// The glyph of the blank, which is the first character.
const BLANK: u32 = 3;
/// The number of characters of Mac OS Roman up to the tilde.
const ASCII: u32 = 95;
/// All characters of Mac OS Roman: the code of the delete character has no glyph.
const ROMAN: u32 = ASCII + 128;
const MORE: &str = "ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ";

/// Whether a font is of one of these families.
pub(super) fn has_known_order(dict: &Dict<'_>) -> bool {
    let name = dict.get::<Name<'_>>("BaseFont");
    let name = name.map_or_else(String::new, |name| name.as_str().to_ascii_lowercase());
    let name = name.split_once('+').map_or(&*name, |(_, name)| name);
    let name = name.replace([' ', '-'], "");
    FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The letter that a glyph of these families shows.
pub(super) fn letter_in_order(glyph: u32) -> Option<char> {
    let place = glyph.checked_sub(BLANK)?;
    if place >= ROMAN {
        return MORE.chars().nth((place - ROMAN) as usize);
    }
    let code = if place < ASCII {
        place + 0x20
    } else {
        place - ASCII + 0x80
    };
    let code = [u8::try_from(code).ok()?];
    let (text, _) = encoding_rs::MACINTOSH.decode_without_bom_handling(&code);
    text.chars().next()
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
            (225, Some('ˇ')),
            (226, Some('Ł')),
            (227, Some('ł')),
            (257, Some('đ')),
            (258, None),
        ] {
            assert_eq!(letter_in_order(glyph), letter, "{glyph}");
        }
    }
}

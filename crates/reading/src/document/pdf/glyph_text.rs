//! The text of a glyph that no ToUnicode map and no standard name explains.
//!
//! A composite font may select characters of a collection that Adobe has numbered, or codes of
//! Unicode. An embedded program may say which character each of its glyphs shows. A simple font may
//! name its glyphs by a number that is a code of its own.

use std::cell::OnceCell;
use std::collections::HashMap;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_font::FontGlyph;
use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use skrifa::MetadataProvider as _;
use skrifa::raw::FontRef;

use super::glyph_order::{GlyphOrder, glyph_order, has_blank_as_glyph};

/// Where the text of the glyphs of one font is found.
pub(super) struct GlyphText {
    codes: CodeMeaning,
    /// The character of each glyph, as the font program states it.
    program: OnceCell<HashMap<u32, char>>,
    /// The codes or the glyphs, if their order is that of a font of Windows.
    numbered: Option<Numbered>,
    /// Whether the font is a composite one without a program: what is drawn in its place has other
    /// glyphs.
    is_bare: bool,
}

/// What is numbered as the glyphs in the fonts of Windows are.
enum Numbered {
    Codes(GlyphOrder),
    Glyphs(GlyphOrder),
}

impl Numbered {
    fn of(dict: &Dict<'_>, is_composite: bool) -> Option<Numbered> {
        let order = glyph_order(dict)?;
        if is_composite && !is_bare(dict) {
            return Some(Numbered::Glyphs(order));
        }
        // Drivers of Windows NT embed a font whose codes are the numbers of its glyphs.
        let is_unexplained = !dict.contains_key("Encoding") && !dict.contains_key("ToUnicode");
        let is_of_driver = is_unexplained && has_program(dict) && has_blank_as_glyph(dict);
        let are_numbers = is_composite || is_of_driver;
        are_numbers.then_some(Numbered::Codes(order))
    }
}

/// What the codes of a font stand for.
enum CodeMeaning {
    /// UTF-16.
    Unicode,
    /// Characters of one of Adobe's collections.
    Collection {
        encoding: Box<CMap>,
        unicode: Box<CMap>,
    },
    /// Glyphs of a simple font.
    Named(GlyphNames),
    Unknown,
}

impl GlyphText {
    pub(super) fn new(dict: &Dict<'_>) -> GlyphText {
        let subtype = dict.get::<Name<'_>>("Subtype");
        let is_composite = subtype.is_some_and(|name| name.as_str() == "Type0");
        let codes = if is_composite {
            composite(dict).unwrap_or(CodeMeaning::Unknown)
        } else {
            CodeMeaning::Named(GlyphNames::new(dict))
        };
        GlyphText {
            codes,
            program: OnceCell::new(),
            numbered: Numbered::of(dict, is_composite),
            is_bare: is_composite && is_bare(dict),
        }
    }

    /// The text of a glyph, which a code of this many bytes selected.
    pub(super) fn of(&self, glyph: &FontGlyph<'_>, code: u32, size: usize) -> Option<String> {
        let by_code = match &self.codes {
            CodeMeaning::Unicode => utf16(code, size),
            CodeMeaning::Collection { encoding, unicode } => {
                let cid = encoding.lookup_cid_code(code, size as u8)?;
                unicode.lookup_bf_string(cid).map(|text| match text {
                    BfString::Char(letter) => letter.to_string(),
                    BfString::String(text) => text,
                })
            }
            CodeMeaning::Named(_) | CodeMeaning::Unknown => None,
        };
        by_code
            .or_else(|| self.by_program(glyph).map(String::from))
            .or_else(|| self.by_name(code))
            .or_else(|| self.by_order(glyph, code).map(String::from))
    }

    fn by_program(&self, glyph: &FontGlyph<'_>) -> Option<char> {
        let FontGlyph::Outline(glyph) = glyph else {
            return None;
        };
        if self.is_bare {
            return None;
        }
        let id = glyph.glyph_id().to_u32();
        let letters = self.program.get_or_init(|| {
            let data = glyph.font_data();
            data.map(|it| letters_of_glyphs((*it.data).as_ref()))
                .unwrap_or_default()
        });
        letters.get(&id).copied().filter(|_| id > 0)
    }

    fn by_order(&self, glyph: &FontGlyph<'_>, code: u32) -> Option<char> {
        match (self.numbered.as_ref()?, glyph) {
            (Numbered::Codes(order), _) => order.letter(code),
            (Numbered::Glyphs(order), FontGlyph::Outline(glyph)) => {
                order.letter(glyph.glyph_id().to_u32())
            }
            (Numbered::Glyphs(_), FontGlyph::Type3(_)) => None,
        }
    }

    /// The text of a code whose glyph has a name that only looks like that of a character.
    pub(super) fn of_misnamed(&self, code: u32) -> Option<String> {
        match &self.codes {
            CodeMeaning::Named(names) => names.misnamed(u8::try_from(code).ok()?),
            _ => None,
        }
    }

    fn by_name(&self, code: u32) -> Option<String> {
        match &self.codes {
            CodeMeaning::Named(names) => names.text(u8::try_from(code).ok()?),
            _ => None,
        }
    }
}

/// The names of the glyphs of a simple font.
struct GlyphNames {
    names: HashMap<u8, String>,
    /// Whether the glyphs are drawn, as in fonts that TeX made of bitmaps.
    is_drawn: bool,
    has_map: bool,
}

impl GlyphNames {
    fn new(dict: &Dict<'_>) -> GlyphNames {
        let subtype = dict.get::<Name<'_>>("Subtype");
        GlyphNames {
            names: differences(dict),
            is_drawn: subtype.is_some_and(|name| name.as_str() == "Type3"),
            has_map: dict.contains_key("ToUnicode"),
        }
    }

    /// The text of a code if matplotlib has drawn the font: it names a glyph by its number in the
    /// font, as if that were a character, and the code is the character.
    fn misnamed(&self, code: u8) -> Option<String> {
        let is_numbered = |name: &String| {
            let digits = name.strip_prefix("uni0000");
            digits.is_some_and(|digits| digits.len() == 4)
        };
        let is_misnamed = self.is_drawn && !self.has_map;
        let is_misnamed = is_misnamed && self.names.get(&code).is_some_and(is_numbered);
        is_misnamed.then(|| windows_text(code)).flatten()
    }

    fn text(&self, code: u8) -> Option<String> {
        let by_name = self.names.get(&code).and_then(|name| numbered(name));
        if by_name.is_some() || !self.is_drawn {
            return by_name.map(String::from);
        }
        let name = self.names.get(&code).map_or("", String::as_str);
        if name == ".notdef" || is_glyph_number(name) {
            return None;
        }
        if code == TEX_BULLET && !self.has_letters() {
            return Some("•".to_owned());
        }
        tex_text(code, self.is_cork()).or_else(|| windows_text(code))
    }

    /// Whether there are small letters. The fonts of TeX for symbols (TS1) have none.
    fn has_letters(&self) -> bool {
        (b'a'..=b'z').any(|code| self.names.get(&code).is_some_and(|name| name != ".notdef"))
    }

    /// Whether the font has the encoding of TeX for European languages (T1), by the codes that only
    /// this encoding uses. The older one has its ligatures where this one has rare accents.
    fn is_cork(&self) -> bool {
        let uses = |code: u8| self.names.get(&code).is_some_and(|name| name != ".notdef");
        let has_ligatures = (27..=31).any(uses);
        let has_old_ligatures = (11..=15).any(uses);
        has_ligatures || (!has_old_ligatures && (21..=22).chain(128..=255).any(uses))
    }
}

fn windows_text(code: u8) -> Option<String> {
    let bytes = [code];
    let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes);
    Some(text.into_owned()).filter(|text| !text.contains(char::is_control))
}

/// The code of the bullet in the fonts of TeX for symbols.
const TEX_BULLET: u8 = 136;

/// The text of the codes that the encodings of TeX use otherwise than ASCII.
fn tex_text(code: u8, is_cork: bool) -> Option<String> {
    const CORK: [(u8, &str); 11] = [
        (16, "“"),
        (17, "”"),
        (18, "„"),
        (19, "«"),
        (20, "»"),
        (21, "–"),
        (22, "—"),
        (27, "ff"),
        (28, "fi"),
        (29, "fl"),
        (30, "ffi"),
    ];
    const OLD: [(u8, &str); 11] = [
        (11, "ff"),
        (12, "fi"),
        (13, "fl"),
        (14, "ffi"),
        (15, "ffl"),
        (16, "ı"),
        (25, "ß"),
        (26, "æ"),
        (34, "”"),
        (92, "“"),
        (123, "–"),
    ];
    let table = if is_cork { &CORK } else { &OLD };
    let special = table.iter().find(|(it, _)| *it == code);
    special
        .map(|(_, text)| (*text).to_owned())
        .or_else(|| match code {
            31 if is_cork => Some("ffl".to_owned()),
            39 => Some("’".to_owned()),
            96 => Some("‘".to_owned()),
            124 if !is_cork => Some("—".to_owned()),
            _ => None,
        })
}

/// The meaning of the codes of a composite font.
fn composite(dict: &Dict<'_>) -> Option<CodeMeaning> {
    let is_identity = |name: &str| name.starts_with("Identity-");
    if dict
        .get::<Name<'_>>("ToUnicode")
        .is_some_and(|name| is_identity(name.as_str()))
    {
        return Some(CodeMeaning::Unicode);
    }
    let encoding = match dict.get::<Object<'_>>("Encoding")? {
        Object::Name(name) if is_identity(name.as_str()) => CMap::identity_h(),
        Object::Name(name) if name.as_str().contains("UCS2") || name.as_str().contains("UTF16") => {
            return Some(CodeMeaning::Unicode);
        }
        Object::Name(name) => {
            CMap::parse(load_embedded(CMapName::from_bytes(&name))?, load_embedded)?
        }
        Object::Stream(stream) => CMap::parse(&stream.decoded_data().ok()?, load_embedded)?,
        _ => return None,
    };
    let family = encoding
        .metadata()
        .character_collection
        .as_ref()
        .map(|collection| collection.family.clone())
        .filter(|family| family.ucs2_cmap().is_some())
        .or_else(|| descendant_family(dict))?;
    let unicode = CMap::parse(load_embedded(family.ucs2_cmap()?)?, load_embedded)?;
    Some(CodeMeaning::Collection {
        encoding: Box::new(encoding),
        unicode: Box::new(unicode),
    })
}

/// Whether the descendant of a composite font has no program.
fn is_bare(dict: &Dict<'_>) -> bool {
    let descendant = dict
        .get::<Array<'_>>("DescendantFonts")
        .and_then(|fonts| fonts.iter::<Dict<'_>>().next())
        .unwrap_or_default();
    !has_program(&descendant)
}

fn has_program(dict: &Dict<'_>) -> bool {
    let described = dict.get::<Dict<'_>>("FontDescriptor");
    let described = described.unwrap_or_default();
    let mut programs = ["FontFile", "FontFile2", "FontFile3"].iter();
    programs.any(|key| described.contains_key(*key))
}

/// The collection that the descendant of a composite font declares.
fn descendant_family(dict: &Dict<'_>) -> Option<CidFamily> {
    let descendant = dict
        .get::<Array<'_>>("DescendantFonts")?
        .iter::<Dict<'_>>()
        .next()?;
    let system = descendant.get::<Dict<'_>>("CIDSystemInfo")?;
    let registry = system.get::<PdfString<'_>>("Registry")?;
    let ordering = system.get::<PdfString<'_>>("Ordering")?;
    Some(CidFamily::from_registry_ordering(&registry, &ordering))
}

/// A code that is UTF-16, with a surrogate pair where it has four bytes.
fn utf16(code: u32, size: usize) -> Option<String> {
    let units = [(code >> 16) as u16, code as u16];
    let units = if size == 4 { &units[..] } else { &units[1..] };
    String::from_utf16(units).ok()
}

/// The characters of the glyphs of a TrueType or OpenType program. The first character of a glyph
/// counts, since those that share it are compatibility forms.
fn letters_of_glyphs(data: &[u8]) -> HashMap<u32, char> {
    /// More glyphs than a program has.
    const MAX_GLYPHS: usize = 70_000;
    let mut letters = HashMap::new();
    let Ok(font) = FontRef::new(data) else {
        return letters;
    };
    let charmap = font.charmap();
    if charmap.is_symbol() {
        return letters;
    }
    for (letter, glyph) in charmap.mappings().take(MAX_GLYPHS) {
        if let Some(letter) = char::from_u32(letter).filter(|it| !it.is_control()) {
            letters.entry(glyph.to_u32()).or_insert(letter);
        }
    }
    letters
}

/// The names that an encoding gives to codes.
pub(super) fn differences(dict: &Dict<'_>) -> HashMap<u8, String> {
    let mut names = HashMap::new();
    let list = dict
        .get::<Dict<'_>>("Encoding")
        .and_then(|encoding| encoding.get::<Array<'_>>("Differences"));
    let mut code: i64 = 0;
    for object in list.iter().flat_map(|list| list.iter::<Object<'_>>()) {
        match object {
            Object::Number(number) => code = number.as_i64(),
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    names.insert(code, name.as_str().to_owned());
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    names
}

/// The character of a name that programs make up from its code: `G41` and `g0041` in hexadecimal,
/// `c65`, `C0065` and `cid65` in decimal.
fn numbered(name: &str) -> Option<char> {
    let digits = name.trim_start_matches(|letter: char| {
        !letter.is_ascii_hexdigit() || letter == 'c' || letter == 'C'
    });
    let prefix = &name[..name.len() - digits.len()];
    let code = match (prefix, digits.len()) {
        ("G", 2) | ("g", 4) => u32::from_str_radix(digits, 16).ok()?,
        ("c" | "C", 2..=4) => digits.parse().ok()?,
        _ => return None,
    };
    char::from_u32(code).filter(|letter| !letter.is_control() && *letter > ' ')
}

/// Whether a name states the number of a glyph in hexadecimal, as those of Chrome do. That says
/// nothing about its text.
fn is_glyph_number(name: &str) -> bool {
    name.strip_prefix('g')
        .is_some_and(|digits| u32::from_str_radix(digits, 16).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_made_of_codes_are_understood() {
        for (name, letter) in [
            ("G41", Some('A')),
            ("g0041", Some('A')),
            ("c65", Some('A')),
            ("C0065", Some('A')),
            ("a41", None),
            ("G0G", None),
            ("c7", None),
            ("", None),
        ] {
            assert_eq!(numbered(name), letter, "{name}");
        }
    }

    #[test]
    fn a_code_of_four_bytes_is_a_surrogate_pair() {
        assert_eq!(utf16(0x0041, 2).as_deref(), Some("A"));
        assert_eq!(utf16(0xD835_DC00, 4).as_deref(), Some("\u{1D400}"));
        assert_eq!(utf16(0xD835, 2), None);
    }
}

//! The text and the advance of each code in a PDF string, by font.
//!
//! The font library knows embedded fonts, encodings and ToUnicode maps. Where those name no
//! character, [`GlyphText`] looks in other places. A font that the library cannot read at all is
//! taken for a plain charset, which encoding_rs decodes.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use encoding_rs::Encoding;
use hayro_cmap::{BfString, load_embedded};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn};
use hayro_syntax::object::{Array, Dict, Name};

use super::drawn_font::DrawnFont;
use super::fixed_pitch::is_fixed_pitch;
use super::glyph_text::GlyphText;
use super::unicode_map::UnicodeMap;

/// The fonts of a document.
pub(super) struct PdfFonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    missing: OnceCell<Rc<PdfFont<'a>>>,
}

/// One font, with the meaning of the codes that have occurred.
pub(super) struct PdfFont<'a> {
    reading: GlyphSource<'a>,
    text: GlyphText,
    dict: Dict<'a>,
    /// The map of the font, where the font library has none of it.
    map: OnceCell<UnicodeMap>,
    known: RefCell<HashMap<u32, Rc<GlyphMeaning>>>,
    pub(super) is_horizontal: bool,
    pub(super) is_bold: bool,
    /// Whether it is in italics or small capitals.
    pub(super) is_styled: bool,
    /// Whether all of its letters are as wide.
    pub(super) is_fixed: bool,
    /// How high a line of the font is, relative to its nominal size.
    pub(super) em: f64,
}

enum GlyphSource<'a> {
    /// A font that the font library reads.
    Font(Font<'a>),
    /// A charset with one, two or four bytes per character.
    Charset(&'static Encoding),
}

/// The text and the width of a glyph.
pub(super) struct GlyphMeaning {
    pub(super) text: Option<Box<str>>,
    /// The advance in thousandths of the font size.
    pub(super) advance: f64,
}

/// One code of a string.
pub(super) struct StringCode {
    pub(super) meaning: Rc<GlyphMeaning>,
    pub(super) size: usize,
    pub(super) is_space: bool,
}

impl<'a> PdfFonts<'a> {
    pub(super) fn new() -> PdfFonts<'a> {
        PdfFonts {
            cache: FontCache::new(),
            font_resolver: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
                })
            }),
            cmap_resolver: Arc::new(load_embedded),
            missing: OnceCell::new(),
        }
    }

    /// What text is read with if the file does not define its font.
    pub(super) fn missing(&self) -> Rc<PdfFont<'a>> {
        let font = self.missing.get_or_init(|| {
            let dict = Dict::default();
            Rc::new(PdfFont {
                reading: GlyphSource::Charset(encoding_rs::WINDOWS_1252),
                text: GlyphText::new(&dict),
                dict,
                map: OnceCell::new(),
                known: RefCell::default(),
                is_horizontal: true,
                is_bold: false,
                is_styled: false,
                is_fixed: false,
                em: 1.0,
            })
        });
        font.clone()
    }

    /// The font of a dictionary. One that cannot be read is treated as windows-1252.
    pub(super) fn font(&self, dict: &Dict<'a>) -> PdfFont<'a> {
        let named = dict
            .get::<Name<'_>>("Encoding")
            .and_then(|name| charset(name.as_str()));
        let chinese = is_bare_chinese(dict).then_some(encoding_rs::GBK);
        let is_vertical = dict
            .get::<Name<'_>>("Encoding")
            .is_some_and(|name| name.as_str().ends_with("-V"));
        let known = self
            .cache
            .font(dict, &self.font_resolver, &self.cmap_resolver)
            .filter(|_| chinese.is_none());
        let reading = match (named.or(chinese), known) {
            (Some(charset), None) => GlyphSource::Charset(charset),
            (_, Some(font)) => GlyphSource::Font(font),
            (None, None) => GlyphSource::Charset(encoding_rs::WINDOWS_1252),
        };
        let is_horizontal = match &reading {
            GlyphSource::Font(font) => font.is_horizontal(),
            GlyphSource::Charset(_) => !is_vertical,
        };
        let drawn = DrawnFont::new(dict);
        PdfFont {
            reading,
            text: GlyphText::new(dict),
            dict: dict.clone(),
            map: OnceCell::new(),
            known: RefCell::default(),
            is_horizontal,
            is_bold: drawn.map_or_else(|| is_bold(dict), |it| it.is_bold),
            is_styled: is_styled(dict),
            is_fixed: is_fixed(dict),
            em: drawn.map_or(1.0, |it| it.em),
        }
    }
}

/// Whether a font is bold, by its name or its description.
fn is_bold(dict: &Dict<'_>) -> bool {
    const WEIGHTS: [&str; 6] = ["bold", "black", "heavy", "demi", "cmbx", "sfbx"];
    const FORCE_BOLD: u32 = 1 << 18;
    let (name, described) = described(dict);
    WEIGHTS.iter().any(|weight| name.contains(weight))
        || described
            .get::<f64>("FontWeight")
            .is_some_and(|weight| weight >= 600.0)
        || described
            .get::<u32>("Flags")
            .is_some_and(|flags| flags & FORCE_BOLD != 0)
}

/// Whether a font is in italics or small capitals, by its name or its description. Those of formulas
/// are not counted.
fn is_styled(dict: &Dict<'_>) -> bool {
    const STYLES: [&str; 9] = [
        "ital", "obli", "slant", "cmti", "cmsl", "sfti", "csc", "smallcap", "caps",
    ];
    const FORMULAS: [&str; 3] = ["cmmi", "cmsy", "math"];
    const ITALIC: u32 = 1 << 6;
    const SMALL_CAPITALS: u32 = 1 << 17;
    let (name, described) = described(dict);
    if FORMULAS.iter().any(|formula| name.contains(formula)) {
        return false;
    }
    STYLES.iter().any(|style| name.contains(style))
        || described
            .get::<f64>("ItalicAngle")
            .is_some_and(|angle| angle != 0.0)
        || described
            .get::<u32>("Flags")
            .is_some_and(|flags| flags & (ITALIC | SMALL_CAPITALS) != 0)
}

fn is_fixed(dict: &Dict<'_>) -> bool {
    let (name, described) = described(dict);
    is_fixed_pitch(&name, dict, &described)
}

/// The name of a font, in small letters, and its description.
fn described<'a>(dict: &Dict<'a>) -> (String, Dict<'a>) {
    let name = dict.get::<Name<'_>>("BaseFont");
    let name = name.map_or_else(String::new, |name| name.as_str().to_ascii_lowercase());
    let descendant = dict
        .get::<Array<'a>>("DescendantFonts")
        .and_then(|fonts| fonts.iter::<Dict<'a>>().next());
    let described = descendant.as_ref().unwrap_or(dict);
    let described = described.get::<Dict<'a>>("FontDescriptor");
    (name, described.unwrap_or_default())
}

/// Whether a simple font without a program has a Chinese name, as in `宋体`. Its codes are then those
/// of GBK, whatever its encoding says, since a code of one byte could select no Chinese character.
fn is_bare_chinese(dict: &Dict<'_>) -> bool {
    let subtype = dict.get::<Name<'_>>("Subtype");
    let is_simple = subtype.is_some_and(|name| matches!(name.as_str(), "TrueType" | "Type1"));
    let described = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    let is_bare = !["FontFile", "FontFile2", "FontFile3"]
        .iter()
        .any(|key| described.contains_key(*key));
    let name = dict.get::<Name<'_>>("BaseFont");
    let is_chinese = name.is_some_and(|name| {
        let (name, lossy) = encoding_rs::GBK.decode_without_bom_handling(&name);
        let is_ideograph = |letter: char| ('\u{4E00}'..='\u{9FFF}').contains(&letter);
        !lossy && name.chars().take(2).filter(|it| is_ideograph(*it)).count() == 2
    });
    is_simple && is_bare && is_chinese && !dict.contains_key("ToUnicode")
}

impl PdfFont<'_> {
    /// The code at the start of these bytes, which must not be empty.
    pub(super) fn code(&self, bytes: &[u8]) -> StringCode {
        let (code, size) = match &self.reading {
            GlyphSource::Font(font) => font.read_code(bytes, 0),
            GlyphSource::Charset(charset) => charset_code(charset, bytes),
        };
        let size = size.clamp(1, bytes.len());
        StringCode {
            meaning: self.meaning(code, &bytes[..size]),
            size,
            is_space: size == 1 && bytes.first() == Some(&b' '),
        }
    }

    fn meaning(&self, code: u32, bytes: &[u8]) -> Rc<GlyphMeaning> {
        if let Some(known) = self.known.borrow().get(&code) {
            return known.clone();
        }
        let meaning = Rc::new(match &self.reading {
            GlyphSource::Font(font) => GlyphMeaning {
                text: self.unicode(font, code, bytes.len()),
                advance: advance(font, code),
            },
            GlyphSource::Charset(charset) => {
                let (text, lossy) = charset.decode_without_bom_handling(bytes);
                GlyphMeaning {
                    text: readable(&text).filter(|_| !lossy),
                    advance: if bytes.len() == 1 { 500.0 } else { 1_000.0 },
                }
            }
        });
        self.known.borrow_mut().insert(code, meaning.clone());
        meaning
    }
}

impl PdfFont<'_> {
    fn unicode(&self, font: &Font<'_>, code: u32, size: usize) -> Option<Box<str>> {
        if let Some(text) = self.text.of_misnamed(code) {
            return readable(&text);
        }
        let glyph = font.glyph(font.map_code(code), code);
        let map = || self.map.get_or_init(|| UnicodeMap::of_font(&self.dict));
        declared(&glyph)
            .and_then(|text| readable(&text))
            .or_else(|| readable(map().text(code)?))
            .or_else(|| readable(&self.text.of(&glyph, code, size)?))
    }
}

fn advance(font: &Font<'_>, code: u32) -> f64 {
    let advance = font.code_advance(code);
    if font.is_horizontal() {
        advance.x
    } else {
        advance.y
    }
}

/// What the font library knows about the text of a glyph.
fn declared(glyph: &FontGlyph<'_>) -> Option<String> {
    let text = match glyph {
        FontGlyph::Outline(glyph) => glyph.as_unicode(),
        FontGlyph::Type3(glyph) => glyph.as_unicode(),
    };
    Some(match text? {
        BfString::Char(letter) => letter.to_string(),
        BfString::String(text) => text,
    })
}

/// The text as it is read: without ligatures and control characters. `None` if it says nothing.
fn readable(text: &str) -> Option<Box<str>> {
    let text: String = text
        .chars()
        .flat_map(unligated)
        .map(bullet)
        .filter(|letter| !letter.is_control())
        .collect();
    let is_meaningless =
        |letter: char| letter == '\u{FFFD}' || ('\u{E000}'..='\u{F8FF}').contains(&letter);
    (!text.is_empty() && !text.chars().all(is_meaningless)).then(|| text.into_boxed_str())
}

/// The bullet that a symbol font shows for a code without a meaning of its own.
fn bullet(letter: char) -> char {
    match letter {
        '\u{F0B7}' | '\u{F09F}' | '\u{F06C}' => '•',
        '\u{F0A7}' | '\u{F06E}' => '▪',
        '\u{F0D8}' => '➢',
        '\u{F0FC}' => '✓',
        '\u{F076}' => '❖',
        '\u{F071}' => '❑',
        '\u{F0E8}' | '\u{F0E0}' => '➔',
        other => other,
    }
}

/// Splits a ligature into its letters.
fn unligated(letter: char) -> impl Iterator<Item = char> {
    let several = match letter {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        _ => "",
    };
    several.chars().chain(several.is_empty().then_some(letter))
}

/// The charset of an encoding that PDF predefines for Asian fonts.
fn charset(name: &str) -> Option<&'static Encoding> {
    let stem = name
        .strip_suffix("-H")
        .or_else(|| name.strip_suffix("-V"))?;
    Some(match stem {
        _ if stem.contains("UCS2") || stem.contains("UTF16") => encoding_rs::UTF_16BE,
        "90ms-RKSJ" | "90msp-RKSJ" | "83pv-RKSJ" | "90pv-RKSJ" | "Add-RKSJ" | "Ext-RKSJ" => {
            encoding_rs::SHIFT_JIS
        }
        "EUC" => encoding_rs::EUC_JP,
        "GBK-EUC" | "GBKp-EUC" | "GB-EUC" | "GBpc-EUC" => encoding_rs::GBK,
        "GBK2K" => encoding_rs::GB18030,
        "B5pc" | "ETen-B5" | "ETenms-B5" | "HKscs-B5" => encoding_rs::BIG5,
        "KSC-EUC" | "KSCms-UHC" | "KSCms-UHC-HW" | "KSCpc-EUC" => encoding_rs::EUC_KR,
        _ => return None,
    })
}

fn charset_code(charset: &'static Encoding, bytes: &[u8]) -> (u32, usize) {
    let lead = bytes.first().copied().unwrap_or(0);
    let size = match charset.name() {
        "UTF-16BE" if (0xD8..0xDC).contains(&lead) => 4,
        "UTF-16BE" => 2,
        "windows-1252" => 1,
        "Shift_JIS" if (0xA1..=0xDF).contains(&lead) => 1,
        _ if lead < 0x80 => 1,
        _ => 2,
    };
    let size = size.min(bytes.len());
    (
        bytes[..size]
            .iter()
            .fold(0, |code, byte| code << 8 | u32::from(*byte)),
        size,
    )
}

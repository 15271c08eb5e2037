//! The text and the advance of each code in a PDF string, by font.
//!
//! The font library knows embedded fonts, encodings and ToUnicode maps. It has no maps for Asian
//! fonts that a PDF names without embedding them. The usual ones are plain charsets, which
//! encoding_rs decodes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use encoding_rs::Encoding;
use hayro_font::hayro_cmap::BfString;
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn};
use hayro_syntax::object::{Dict, Name};

/// The fonts of a document.
pub(super) struct PdfFonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
}

/// One font, with the meaning of the codes that have occurred.
pub(super) struct PdfFont<'a> {
    reading: GlyphSource<'a>,
    known: RefCell<HashMap<u32, Rc<GlyphMeaning>>>,
    pub(super) is_horizontal: bool,
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
            cmap_resolver: Arc::new(|_| None),
        }
    }

    /// The font of a dictionary. One that cannot be read is treated as windows-1252.
    pub(super) fn font(&self, dict: &Dict<'a>) -> PdfFont<'a> {
        let named = dict
            .get::<Name<'_>>("Encoding")
            .and_then(|name| charset(name.as_str()));
        let is_vertical = dict
            .get::<Name<'_>>("Encoding")
            .is_some_and(|name| name.as_str().ends_with("-V"));
        let reading = match (
            named,
            self.cache
                .font(dict, &self.font_resolver, &self.cmap_resolver),
        ) {
            (Some(charset), None) => GlyphSource::Charset(charset),
            (_, Some(font)) => GlyphSource::Font(font),
            (None, None) => GlyphSource::Charset(encoding_rs::WINDOWS_1252),
        };
        let is_horizontal = match &reading {
            GlyphSource::Font(font) => font.is_horizontal(),
            GlyphSource::Charset(_) => !is_vertical,
        };
        PdfFont {
            reading,
            known: RefCell::default(),
            is_horizontal,
        }
    }
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
                text: unicode(font, code),
                advance: advance(font, code),
            },
            GlyphSource::Charset(charset) => {
                let (text, lossy) = charset.decode_without_bom_handling(bytes);
                GlyphMeaning {
                    text: (!lossy).then(|| Box::from(&*text)),
                    advance: if bytes.len() == 1 { 500.0 } else { 1_000.0 },
                }
            }
        });
        self.known.borrow_mut().insert(code, meaning.clone());
        meaning
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

fn unicode(font: &Font<'_>, code: u32) -> Option<Box<str>> {
    let glyph = font.glyph(font.map_code(code), code);
    let text = match glyph {
        FontGlyph::Outline(glyph) => glyph.as_unicode(),
        FontGlyph::Type3(glyph) => glyph.as_unicode(),
    };
    let text = match text? {
        BfString::Char(letter) => letter.to_string(),
        BfString::String(text) => text,
    };
    let text: String = text
        .chars()
        .flat_map(unligated)
        .filter(|letter| !letter.is_control())
        .collect();
    let is_meaningless =
        |letter: char| letter == '\u{FFFD}' || ('\u{E000}'..='\u{F8FF}').contains(&letter);
    (!text.is_empty() && !text.chars().all(is_meaningless)).then(|| text.into_boxed_str())
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

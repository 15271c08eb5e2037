//! The fonts of RTF: which charset the bytes of each are in, and which fonts have symbols.

use std::collections::HashMap;

use encoding_rs::Encoding;

use super::tables::font_charset;
use crate::document::symbol_fonts::SymbolFont;

/// What the font table says so far.
#[derive(Default)]
pub(super) struct Fonts {
    /// The charsets of the fonts that have one of their own.
    charsets: HashMap<i64, &'static Encoding>,
    symbols: HashMap<i64, SymbolFont>,
    /// The font that the table is defining, and its name so far.
    defined: i64,
    name: String,
    pub(super) default: i64,
}

impl Fonts {
    /// Begins the definition of a font.
    pub(super) fn define(&mut self, number: i64) {
        self.defined = number;
        self.name.clear();
    }

    /// Takes the charset of the font that is being defined.
    pub(super) fn set_charset(&mut self, number: i64) {
        let charset = font_charset(number);
        self.charsets
            .extend(charset.map(|charset| (self.defined, charset)));
    }

    /// Takes the name of the font, or a part of it. A semicolon ends it.
    pub(super) fn add_name(&mut self, text: &str) {
        self.name.push_str(text);
        if let Some((name, _)) = self.name.split_once(';') {
            let font = SymbolFont::named(name);
            self.symbols.extend(font.map(|font| (self.defined, font)));
            self.name.clear();
        }
    }

    /// The charset of a font. `None` for that of the document.
    pub(super) fn charset(&self, number: i64) -> Option<&'static Encoding> {
        self.charsets.get(&number).copied()
    }

    pub(super) fn symbols(&self, number: i64) -> Option<SymbolFont> {
        self.symbols.get(&number).copied()
    }
}

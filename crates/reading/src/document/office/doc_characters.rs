//! What a Word document before 2007 says about its characters: whether they are shown, and in which
//! font of symbols.

use std::ops::Range;

use super::doc::{listed, long, short};
use super::doc_properties::{PropertyPages, changes, run_in};
use super::fields::utf_16;
use crate::document::markdown::Style;
use crate::document::symbol_fonts::SymbolFont;
use crate::script::Script;

/// The place of the list of pages with properties in the header of the file.
const PAGES: usize = 0x00FA;
/// The place of the list of fonts.
const FONTS: usize = 0x0112;

/// Changes to the properties of a style.
mod change {
    pub(super) const IS_DELETED: u16 = 0x0800;
    pub(super) const IS_DATA: u16 = 0x0806;
    pub(super) const IS_HIDDEN: u16 = 0x083C;
    pub(super) const SCRIPT: u16 = 0x2A48;
    pub(super) const FONT: u16 = 0x4A4F;
    pub(super) const DATA: u16 = 0x6A03;
    pub(super) const SYMBOL: u16 = 0x6A09;
}

/// The properties of a run of characters.
#[derive(Debug, Default, Clone)]
pub(super) struct CharacterProperties {
    is_deleted: bool,
    is_hidden: bool,
    is_data: bool,
    /// The place in the stream of data of what a letter stands for.
    data: Option<u32>,
    script: Script,
    font: Option<SymbolFont>,
    /// The character of a font of symbols that is shown instead.
    symbol: Option<(Option<SymbolFont>, char)>,
}

impl CharacterProperties {
    /// Whether the text is hidden, or its deletion only waits to be accepted.
    pub(super) fn is_left_out(&self) -> bool {
        self.is_deleted || self.is_hidden
    }

    /// The place of the data that a letter stands for. `None` for a picture.
    pub(super) fn data(&self) -> Option<usize> {
        self.data.filter(|_| self.is_data).map(|at| at as usize)
    }

    /// The place of the picture that a letter stands for.
    pub(super) fn picture(&self) -> Option<usize> {
        self.data.filter(|_| !self.is_data).map(|at| at as usize)
    }

    /// The character that is shown in place of a letter.
    pub(super) fn shown(&self, letter: char) -> char {
        self.symbol.map_or(letter, |(_, symbol)| symbol)
    }

    /// Adds what the properties say to a style.
    pub(super) fn apply(&self, style: &mut Style) {
        style.script = self.script;
        style.symbols = match self.symbol {
            Some((font, _)) => font,
            None => self.font,
        };
    }
}

/// The properties of all characters, by their place in the file.
#[derive(Debug, Default)]
pub(super) struct Characters {
    pages: PropertyPages,
    fonts: Vec<Option<SymbolFont>>,
}

impl Characters {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Characters {
        Characters {
            pages: PropertyPages::read(main, table, PAGES),
            fonts: fonts(listed(main, table, FONTS).unwrap_or_default()),
        }
    }

    /// The properties of the character at this place, and the places that have the same.
    pub(super) fn at(&self, main: &[u8], offset: usize) -> (CharacterProperties, Range<usize>) {
        let nothing = || (CharacterProperties::default(), offset..offset + 1);
        self.find(main, offset).unwrap_or_else(nothing)
    }

    fn find(&self, main: &[u8], offset: usize) -> Option<(CharacterProperties, Range<usize>)> {
        let page = self.pages.page(main, offset)?;
        let (index, count, places) = run_in(page, offset)?;
        let at = 2 * usize::from(*page.get(4 * (count + 1) + index)?);
        if at == 0 {
            return Some((CharacterProperties::default(), places));
        }
        let end = at + 1 + usize::from(*page.get(at)?);
        let list = page.get(at + 1..end.min(page.len()))?;
        Some((self.properties(list), places))
    }

    fn properties(&self, list: &[u8]) -> CharacterProperties {
        let mut properties = CharacterProperties::default();
        let font = |number: u16| self.fonts.get(usize::from(number)).copied().flatten();
        for (code, operand) in changes(list) {
            let byte = operand.first().copied().unwrap_or(0);
            match code {
                change::IS_DELETED => properties.is_deleted = byte == 1,
                change::IS_HIDDEN => properties.is_hidden = byte == 1,
                change::IS_DATA => properties.is_data = byte == 1,
                change::DATA => properties.data = long(operand, 0),
                change::SCRIPT => {
                    properties.script = match byte {
                        1 => Script::Superscript,
                        2 => Script::Subscript,
                        _ => Script::Baseline,
                    }
                }
                change::FONT => properties.font = short(operand, 0).and_then(font),
                change::SYMBOL => {
                    let symbol = short(operand, 2).map(u32::from).and_then(char::from_u32);
                    let font = short(operand, 0).and_then(font);
                    properties.symbol = symbol.map(|it| (font, it));
                }
                _ => {}
            }
        }
        properties
    }
}

/// Which of the fonts are fonts of symbols.
fn fonts(list: &[u8]) -> Vec<Option<SymbolFont>> {
    const LIST_HEAD: usize = 4;
    const NAME: usize = 40;
    let mut fonts = Vec::new();
    let mut rest = list.get(LIST_HEAD..).unwrap_or_default();
    while let Some(length) = rest.first() {
        let (font, after) = rest.split_at((usize::from(*length) + 1).min(rest.len()));
        let name = utf_16(font.get(NAME..).unwrap_or_default());
        let name = name.split('\0').next().unwrap_or_default();
        fonts.push(SymbolFont::named(name));
        rest = after;
    }
    fonts
}

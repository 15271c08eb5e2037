//! The charsets of the fonts of Word 6 and Word 95: a letter is a byte, and the font of its run says
//! in which charset. The language of the document says it only for fonts that do not.

use std::ops::Range;

use encoding_rs::Encoding;

use super::doc::{listed, short};
use super::doc_properties::{PropertyPages, run_in};
use crate::document::rtf::font_charset;

/// The places of the list of pages with properties and of the list of fonts in the header of the
/// file.
const PAGES: usize = 0xB8;
const FONTS: usize = 0xD0;
/// The size of the number of a page.
const PAGE_NUMBER: usize = 2;

/// The charsets of runs, by their place in the file.
pub(super) struct FontCharsets {
    pages: PropertyPages,
    /// The charset of each font. `None` for that of the document.
    charsets: Vec<Option<&'static Encoding>>,
}

impl FontCharsets {
    pub(super) fn read(main: &[u8]) -> FontCharsets {
        FontCharsets {
            pages: PropertyPages::of_size(main, main, PAGES, PAGE_NUMBER),
            charsets: charsets(listed(main, main, FONTS).unwrap_or_default()),
        }
    }

    /// The charset at this place, and the places that have the same. `None` for that of the
    /// document.
    pub(super) fn at(
        &self,
        main: &[u8],
        offset: usize,
    ) -> (Option<&'static Encoding>, Range<usize>) {
        // Without a list of runs, all text is in one charset.
        self.find(main, offset)
            .unwrap_or((None, offset..offset + 1))
    }

    /// Whether no font says in which charset its text is.
    pub(super) fn is_empty(&self) -> bool {
        self.charsets.iter().all(Option::is_none)
    }

    fn find(
        &self,
        main: &[u8],
        offset: usize,
    ) -> Option<(Option<&'static Encoding>, Range<usize>)> {
        let page = self.pages.page(main, offset)?;
        let (index, count, places) = run_in(page, offset)?;
        let at = 2 * usize::from(*page.get(4 * (count + 1) + index)?);
        let charset = || {
            let length = usize::from(*page.get(at)?);
            let changes = page.get(at + 1..(at + 1 + length).min(page.len()))?;
            *self.charsets.get(usize::from(font(changes)?))?
        };
        Some(((at > 0).then(charset).flatten(), places))
    }
}

/// The charset of each font in the list.
fn charsets(list: &[u8]) -> Vec<Option<&'static Encoding>> {
    const LIST_HEAD: usize = 2;
    const CHARSET: usize = 4;
    let mut found = Vec::new();
    let mut rest = list.get(LIST_HEAD..).unwrap_or_default();
    while let Some(length) = rest.first() {
        let (font, after) = rest.split_at((usize::from(*length) + 1).min(rest.len()));
        let charset = font.get(CHARSET).map(|number| i64::from(*number));
        found.push(charset.and_then(font_charset));
        rest = after;
    }
    found
}

/// The font that these changes to the properties of a run set.
fn font(changes: &[u8]) -> Option<u16> {
    const FONT: u8 = 93;
    let mut rest = changes;
    let mut font = None;
    while let Some((code, after)) = rest.split_first() {
        if *code == FONT {
            font = short(after, 0);
        }
        rest = after.get(operand_size(*code, after)?..)?;
    }
    font
}

/// How many bytes belong to a change. `None` if the change is not known.
fn operand_size(code: u8, after: &[u8]) -> Option<usize> {
    Some(match code {
        // These state their length.
        68 | 74 | 81 | 82 | 103 | 105 | 106 | 108 => 1 + usize::from(*after.first()?),
        83 => 0,
        65..=67 | 71 | 75 | 85..=92 | 94 | 98 | 100 | 102 | 104 | 117 | 118 => 1,
        69 | 72 | 80 | 93 | 96 | 97 | 99 | 101 | 107 | 109 | 110 => 2,
        73 | 95 => 3,
        70 => 4,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_found_among_other_changes() {
        // Bold, a size with its length, and the font.
        assert_eq!(font(&[85, 1, 105, 2, 24, 0, 93, 7, 0]), Some(7));
        assert_eq!(font(&[85, 1]), None);
        // What follows an unknown change cannot be read.
        assert_eq!(font(&[250, 93, 7, 0]), None);
        assert_eq!(font(&[105, 200]), None);
    }
}

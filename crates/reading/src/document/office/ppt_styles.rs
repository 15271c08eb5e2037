//! The styles of text in a presentation before 2007: which runs are in a font of symbols, and which
//! stand above or below the line.

use std::collections::HashMap;

use super::fields::{Fields, utf_16};
use super::ppt_records::{Atom, kind};
use crate::document::markdown::{Inline, Style};
use crate::document::symbol_fonts::SymbolFont;
use crate::script::Script;

/// The fonts of symbols that a presentation uses, by their numbers.
#[derive(Debug, Default)]
pub(super) struct SlideFonts(HashMap<u16, SymbolFont>);

/// Characters in a row with the same look.
#[derive(Debug, Default)]
struct TextRun {
    length: usize,
    font: Option<u16>,
    symbol_font: Option<u16>,
    /// By how many percent it is raised.
    raised: i16,
}

impl SlideFonts {
    pub(super) fn of(document: Atom<'_>) -> SlideFonts {
        let fonts = document.inside(kind::FONT).into_iter();
        let named = fonts.filter_map(|font| {
            let name = utf_16(font.data.get(..64).unwrap_or(font.data));
            let name = name.split('\0').next().unwrap_or_default();
            Some((font.instance, SymbolFont::named(name)?))
        });
        SlideFonts(named.collect())
    }

    /// A text as its styles show it.
    pub(super) fn shown(&self, text: &str, styles: Option<Atom<'_>>) -> String {
        let length = text.encode_utf16().count();
        let runs = styles
            .and_then(|styles| runs(styles.data, length))
            .unwrap_or_default();
        let mut inline = Inline::default();
        let mut letters = text.chars();
        for run in runs {
            self.push(&mut inline, &take(&mut letters, run.length), &run);
        }
        self.push(&mut inline, letters.as_str(), &TextRun::default());
        inline.finish()
    }

    fn push(&self, inline: &mut Inline, text: &str, run: &TextRun) {
        let font = |number: Option<u16>| self.0.get(&number?).copied();
        let style = Style {
            symbols: font(run.font),
            script: match run.raised {
                1.. => Script::Superscript,
                0 => Script::Baseline,
                _ => Script::Subscript,
            },
            ..Style::default()
        };
        // Without a font of its own, a private character is one of Symbol.
        let symbols = font(run.symbol_font).unwrap_or(SymbolFont::Symbol);
        if style.symbols.is_some() {
            inline.push(text, &style);
        } else {
            inline.push(&symbols.read_private(text), &style);
        }
    }
}

/// The next letters, as many as that many units of UTF-16.
fn take(letters: &mut std::str::Chars<'_>, units: usize) -> String {
    let mut left = units;
    let mut taken = String::new();
    while left > 0 {
        let Some(letter) = letters.next() else {
            break;
        };
        left = left.saturating_sub(letter.len_utf16());
        taken.push(letter);
    }
    taken
}

/// The runs of a text of that length. `None` if the record is damaged.
fn runs(data: &[u8], length: usize) -> Option<Vec<TextRun>> {
    let mut fields = Fields(data);
    // Both lists count the end of the text as a character.
    let mut left = length + 1;
    while left > 0 {
        let count = fields.long()? as usize;
        fields.short()?;
        skip_paragraph(&mut fields)?;
        left = left.checked_sub(count.max(1))?;
    }
    let mut runs = Vec::new();
    let mut left = length + 1;
    while left > 0 {
        let run = text_run(&mut fields)?;
        left = left.checked_sub(run.length.max(1))?;
        runs.push(run);
    }
    Some(runs)
}

fn skip_paragraph(fields: &mut Fields<'_>) -> Option<()> {
    let mask = fields.long()?;
    let has = |bits: u32| mask & bits != 0;
    // Bullet: flags, character, font, size and colour.
    let bullet = [(0xF, 2), (1 << 7, 2), (1 << 4, 2), (1 << 6, 2), (1 << 5, 4)];
    // Alignment, spacing and margins.
    let place = [11, 12, 13, 14, 8, 10, 15].map(|bit| (1 << bit, 2));
    for (bits, size) in bullet.into_iter().chain(place) {
        if has(bits) {
            fields.bytes(size)?;
        }
    }
    if has(1 << 20) {
        let tabs = usize::from(fields.short()?);
        fields.bytes(tabs * 4)?;
    }
    // The base line, line breaks and the direction.
    for bits in [1 << 16, 0b111 << 17, 1 << 21] {
        if has(bits) {
            fields.bytes(2)?;
        }
    }
    Some(())
}

fn text_run(fields: &mut Fields<'_>) -> Option<TextRun> {
    let length = fields.long()? as usize;
    let mask = fields.long()?;
    let has = |bits: u32| mask & bits != 0;
    let mut short = |bits: u32| -> Option<Option<u16>> {
        if has(bits) {
            return fields.short().map(Some);
        }
        Some(None)
    };
    short(0xFFFF)?;
    let font = short(1 << 16)?;
    short(1 << 21)?;
    short(1 << 22)?;
    let symbol_font = short(1 << 23)?;
    short(1 << 17)?;
    if has(1 << 18) {
        fields.long()?;
    }
    let raised = if has(1 << 19) { fields.short()? } else { 0 };
    Some(TextRun {
        length,
        font,
        symbol_font,
        raised: raised as i16,
    })
}

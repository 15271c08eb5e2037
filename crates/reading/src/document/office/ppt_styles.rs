//! The styles of text in a presentation before 2007: which paragraphs have bullets, which runs are in
//! a font of symbols, and which stand above or below the line.

use std::collections::HashMap;

use super::fields::{Fields, utf_16};
use super::ppt_records::{Atom, kind};
use crate::document::markdown::{Inline, Style};
use crate::document::symbol_fonts::SymbolFont;
use crate::script::Script;

/// The fonts of symbols that a presentation uses, by their numbers.
#[derive(Debug, Default)]
pub(super) struct SlideFonts(HashMap<u16, SymbolFont>);

/// A paragraph as it is shown.
#[derive(Debug, Clone)]
pub(super) struct SlideLine {
    /// How deep it is in a list.
    pub(super) level: usize,
    /// Whether it has a bullet. `None` if the kind of text decides.
    pub(super) has_bullet: Option<bool>,
    pub(super) text: String,
}

/// What a paragraph says about its place in a list.
#[derive(Debug, Clone, Default)]
struct ParagraphStyle {
    level: usize,
    has_bullet: Option<bool>,
}

/// Characters in a row with the same look.
#[derive(Debug, Default)]
struct TextRun {
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

    /// The lines of a text as its styles show them.
    pub(super) fn lines(&self, text: &str, styles: Option<Atom<'_>>) -> Vec<SlideLine> {
        let length = text.encode_utf16().count();
        let styles = styles
            .and_then(|styles| text_styles(styles.data, length))
            .unwrap_or_default();
        let mut paragraphs = Cursor::new(styles.paragraphs);
        let mut runs = Cursor::new(styles.runs);
        let mut lines = Vec::new();
        for line in text.split('\r') {
            let paragraph = paragraphs.now().cloned().unwrap_or_default();
            let mut inline = Inline::default();
            for letter in line.chars() {
                let run = runs.now();
                self.push(&mut inline, letter, run.unwrap_or(&TextRun::default()));
                paragraphs.pass(letter.len_utf16());
                runs.pass(letter.len_utf16());
            }
            // The end of the paragraph.
            paragraphs.pass(1);
            runs.pass(1);
            lines.push(SlideLine {
                level: paragraph.level,
                has_bullet: paragraph.has_bullet,
                text: inline.finish(),
            });
        }
        lines
    }

    fn push(&self, inline: &mut Inline, letter: char, run: &TextRun) {
        let letter = match letter {
            '\u{B}' => ' ',
            letter if letter.is_control() && letter != '\t' => return,
            letter => letter,
        };
        let mut buffer = [0; 4];
        let text: &str = letter.encode_utf8(&mut buffer);
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

/// The styles of a text, followed letter by letter.
struct Cursor<T> {
    styles: std::vec::IntoIter<(usize, T)>,
    now: Option<(usize, T)>,
}

impl<T> Cursor<T> {
    /// The styles, each with the number of letters that have it.
    fn new(styles: Vec<(usize, T)>) -> Cursor<T> {
        let mut styles = styles.into_iter();
        let now = styles.next();
        Cursor { styles, now }
    }

    fn now(&self) -> Option<&T> {
        self.now.as_ref().map(|(_, style)| style)
    }

    /// Goes on by that many units of UTF-16.
    fn pass(&mut self, mut units: usize) {
        while let Some((left, _)) = &mut self.now {
            if *left > units {
                *left -= units;
                return;
            }
            units -= *left;
            self.now = self.styles.next();
            if units == 0 {
                return;
            }
        }
    }
}

/// The styles of the paragraphs and of the letters, each with its length.
#[derive(Default)]
struct TextStyles {
    paragraphs: Vec<(usize, ParagraphStyle)>,
    runs: Vec<(usize, TextRun)>,
}

/// The styles of a text of that length. `None` if the record is damaged.
fn text_styles(data: &[u8], length: usize) -> Option<TextStyles> {
    let mut fields = Fields(data);
    let mut styles = TextStyles::default();
    // Both lists count the end of the text as a character.
    let mut left = length + 1;
    while left > 0 {
        let count = fields.long()? as usize;
        styles
            .paragraphs
            .push((count, paragraph_style(&mut fields)?));
        left = left.checked_sub(count.max(1))?;
    }
    let mut left = length + 1;
    while left > 0 {
        let count = fields.long()? as usize;
        styles.runs.push((count, text_run(&mut fields)?));
        left = left.checked_sub(count.max(1))?;
    }
    Some(styles)
}

fn paragraph_style(fields: &mut Fields<'_>) -> Option<ParagraphStyle> {
    let level = usize::from(fields.short()?);
    let mask = fields.long()?;
    let has = |bits: u32| mask & bits != 0;
    let flags = if has(0xF) { fields.short()? } else { 0 };
    // The bullet: character, font, size and colour.
    let bullet = [(1 << 7, 2), (1 << 4, 2), (1 << 6, 2), (1 << 5, 4)];
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
    Some(ParagraphStyle {
        level,
        has_bullet: has(1).then_some(flags & 1 != 0),
    })
}

fn text_run(fields: &mut Fields<'_>) -> Option<TextRun> {
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
        font,
        symbol_font,
        raised: raised as i16,
    })
}

//! The text of Word 6 and Word 95, which comes in the charsets of its fonts.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::doc::{long, short};
use super::word_6_fonts::FontCharsets;

/// Where the header of the file says what.
const LANGUAGE: usize = 0x06;
const CHARSET: usize = 0x14;
const OF_MACINTOSH: u16 = 0x0100;
const TEXT: usize = 0x18;
/// The lengths of the text and of what follows it, in the order that later versions have, too.
pub(super) const LENGTHS: usize = 0x34;
const PIECES: usize = 0x0160;
/// Set if the text was saved in pieces.
const IN_PIECES: u16 = 0x0004;
/// Set if every letter has two bytes.
const IS_WIDE: u16 = 0x1000;

/// The text of a document.
pub(super) struct OldText<'m> {
    main: &'m [u8],
    /// The place and the length of each piece, in letters.
    pieces: Vec<(usize, usize)>,
    /// The charset of text whose font does not say which.
    encoding: &'static Encoding,
    fonts: FontCharsets,
    is_wide: bool,
}

impl<'m> OldText<'m> {
    /// Reads where the text is. The properties of the file may state a charset.
    pub(super) fn read(
        main: &'m [u8],
        flags: u16,
        stated: Option<&'static Encoding>,
    ) -> Option<OldText<'m>> {
        let pieces = if flags & IN_PIECES == 0 {
            vec![(long(main, TEXT)? as usize, usize::MAX)]
        } else {
            pieces(main)?
        };
        Some(OldText {
            main,
            pieces,
            encoding: match short(main, CHARSET)? {
                OF_MACINTOSH => encoding_rs::MACINTOSH,
                // English and its neighbours are also what stands there if nobody chose.
                _ => match charset(short(main, LANGUAGE)?) {
                    encoding if encoding == WINDOWS_1252 => stated.unwrap_or(encoding),
                    encoding => encoding,
                },
            },
            fonts: FontCharsets::read(main),
            is_wide: flags & IS_WIDE != 0,
        })
    }

    /// The letters from one place of the text to another, each with its place in the file.
    pub(super) fn letters(&self, start: usize, end: usize) -> Vec<(char, usize)> {
        let mut letters = Vec::new();
        let mut before = 0_usize;
        for (place, length) in &self.pieces {
            let after = before.saturating_add(*length);
            let (from, to) = (start.max(before), end.min(after));
            if from < to {
                let offset = place.saturating_add((from - before).saturating_mul(self.width()));
                self.add(offset, to - from, &mut letters);
            }
            before = after;
        }
        letters
    }

    fn width(&self) -> usize {
        if self.is_wide { 2 } else { 1 }
    }

    fn add(&self, offset: usize, count: usize, letters: &mut Vec<(char, usize)>) {
        let end = offset.saturating_add(count.saturating_mul(self.width()));
        let Some(bytes) = self.main.get(offset..end.min(self.main.len())) else {
            return;
        };
        if self.is_wide {
            let wide = bytes.chunks_exact(2).map(|pair| self.wide_letter(pair));
            letters.extend(wide.zip((offset..).step_by(2)));
        } else {
            self.add_narrow(bytes, offset, letters);
        }
    }

    /// Letters of one byte, each run in the charset of its font.
    fn add_narrow(&self, bytes: &[u8], offset: usize, letters: &mut Vec<(char, usize)>) {
        let end = offset + bytes.len();
        let mut start = offset;
        while start < end {
            let (encoding, stop) = self.run(start, end);
            let decoded = encoding
                .decode_without_bom_handling(&bytes[start - offset..stop - offset])
                .0;
            letters.extend(decoded.chars().zip(start..));
            start = stop;
        }
    }

    /// The charset of the letters from here on, and where those end that have it, at the latest at
    /// the end given.
    fn run(&self, start: usize, end: usize) -> (&'static Encoding, usize) {
        if self.fonts.is_empty() {
            return (self.encoding, end);
        }
        let at = |offset: usize| {
            let (encoding, places) = self.fonts.at(self.main, offset);
            (encoding.unwrap_or(self.encoding), places.end)
        };
        let (encoding, mut stop) = at(start);
        while stop < end {
            let (next, places_end) = at(stop);
            if next != encoding {
                break;
            }
            stop = places_end;
        }
        (encoding, stop.min(end))
    }

    /// A letter of two bytes: one of the charset, perhaps with a mark in the upper byte, or one of
    /// Unicode.
    fn wide_letter(&self, pair: &[u8]) -> char {
        const MARKED: u8 = 0x10;
        match *pair {
            [low, 0 | MARKED] => {
                let low = [low];
                let letter = |encoding: &'static Encoding| {
                    let decoded =
                        encoding.decode_without_bom_handling_and_without_replacement(&low)?;
                    decoded.chars().next()
                };
                // Half a letter of East Asia is one of the west.
                letter(self.encoding)
                    .or_else(|| letter(WINDOWS_1252))
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            [low, high] => char::from_u32(u32::from(u16::from_le_bytes([low, high])))
                .unwrap_or(char::REPLACEMENT_CHARACTER),
            _ => char::REPLACEMENT_CHARACTER,
        }
    }
}

/// The place and the length of each piece.
fn pieces(main: &[u8]) -> Option<Vec<(usize, usize)>> {
    let start = long(main, PIECES)? as usize;
    let length = long(main, PIECES + 4)? as usize;
    let mut rest = main.get(start..start.checked_add(length)?.min(main.len()))?;
    while rest.first() == Some(&1) {
        let length = usize::from(short(rest, 1)?);
        rest = rest.get(3 + length..)?;
    }
    let list = rest.get(5..)?;
    let count = list.len().checked_sub(4)? / 12;
    let mut pieces = Vec::new();
    for index in 0..count {
        let from = long(list, 4 * index)?;
        let to = long(list, 4 * (index + 1))?;
        let place = long(list, 4 * (count + 1) + 8 * index + 2)? as usize;
        pieces.push((place, to.checked_sub(from)? as usize));
    }
    Some(pieces)
}

/// The charset that Windows uses for a language.
fn charset(language: u16) -> &'static Encoding {
    let label: &[u8] = match language & 0x03FF {
        0x01 => b"windows-1256",
        0x04 => b"gbk",
        0x05 | 0x0E | 0x15 | 0x18 | 0x1A | 0x1B | 0x1C | 0x24 => b"windows-1250",
        0x08 => b"windows-1253",
        0x0D => b"windows-1255",
        0x11 => b"shift_jis",
        0x12 => b"euc-kr",
        0x02 | 0x19 | 0x22 | 0x23 | 0x2F => b"windows-1251",
        0x1E => b"windows-874",
        0x1F => b"windows-1254",
        0x25..=0x27 => b"windows-1257",
        _ => b"windows-1252",
    };
    Encoding::for_label(label).unwrap_or(WINDOWS_1252)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &OldText<'_>, start: usize, end: usize) -> String {
        let letters = text.letters(start, end);
        letters.into_iter().map(|(letter, _)| letter).collect()
    }

    /// A file in English whose text begins behind this header.
    fn file(text: &[u8]) -> Vec<u8> {
        let mut main = vec![0; PIECES + 8];
        main[LANGUAGE..LANGUAGE + 2].copy_from_slice(&[9, 4]);
        let start = main.len() as u32;
        main[TEXT..TEXT + 4].copy_from_slice(&start.to_le_bytes());
        main.extend(text);
        main
    }

    #[test]
    fn letters_of_one_and_of_two_bytes_are_read() {
        let narrow = file(b"It\x92s here");
        let narrow = OldText::read(&narrow, 0, None).expect("has a header");
        assert_eq!(shown(&narrow, 0, 4), "It’s");
        assert_eq!(shown(&narrow, 5, 99), "here");
        let mut macintosh = file(b"fran\x8Dais");
        macintosh[CHARSET + 1] = 1;
        let macintosh = OldText::read(&macintosh, 0, None).expect("has a header");
        assert_eq!(shown(&macintosh, 0, 8), "français");
        let wide = file(b"I\0t\0\x92\x10s\0 \0\x42\x30");
        let wide = OldText::read(&wide, IS_WIDE, None).expect("has a header");
        assert_eq!(shown(&wide, 0, 5), "It’s ");
        assert_eq!(shown(&wide, 5, 6), "あ");
    }
}

//! The text of Word 6 and Word 95, which comes in one charset.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::doc::{long, short};

/// Where the header of the file says what.
const LANGUAGE: usize = 0x06;
const TEXT: usize = 0x18;
const LENGTH: usize = 0x34;
const PIECES: usize = 0x0160;
/// Set if the text was saved in pieces.
const IN_PIECES: u16 = 0x0004;

/// The letters of the text, each with its place in the file.
pub(super) fn letters(main: &[u8], flags: u16) -> Option<Vec<(char, usize)>> {
    let start = long(main, TEXT)? as usize;
    let length = long(main, LENGTH)? as usize;
    let encoding = charset(short(main, LANGUAGE)?);
    let ranges = if flags & IN_PIECES == 0 {
        vec![(start, length)]
    } else {
        pieces(main)?
    };
    let mut letters = Vec::new();
    let mut left = length;
    for (start, length) in ranges {
        let length = length.min(left);
        let end = start.saturating_add(length).min(main.len());
        let bytes = main.get(start..end)?;
        let decoded = encoding.decode_without_bom_handling(bytes).0;
        letters.extend(decoded.chars().zip(start..));
        left -= length;
    }
    Some(letters)
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

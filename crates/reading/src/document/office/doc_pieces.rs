//! Where the text of a Word document before 2007 is: in pieces of the file, in letters of one byte or of
//! two.

use super::doc::{listed, long, short};
use super::fields::utf_16;

/// The place of the list of pieces in the header of the file.
const PIECES: usize = 0x01A2;

/// A piece of the text.
pub(super) struct Piece {
    /// The letters before it, and the letters before the next one.
    start: usize,
    end: usize,
    /// The place of its first byte in the file.
    offset: usize,
    is_wide: bool,
}

impl Piece {
    /// Whether the file ends before the piece does.
    pub(super) fn is_cut(&self, main: &[u8]) -> bool {
        self.place(self.end) > main.len()
    }

    /// The place in the file of the letter with this number.
    fn place(&self, letter: usize) -> usize {
        let width = if self.is_wide { 2 } else { 1 };
        let before = letter.saturating_sub(self.start).saturating_mul(width);
        self.offset.saturating_add(before)
    }
}

/// The pieces of the text, in order.
pub(super) fn pieces(main: &[u8], table: &[u8]) -> Option<Vec<Piece>> {
    let mut rest = listed(main, table, PIECES)?;
    // Other properties come first.
    while rest.first() == Some(&1) {
        let length = usize::from(short(rest, 1)?);
        rest = rest.get(3 + length..)?;
    }
    if rest.first() != Some(&2) {
        return None;
    }
    let length = long(rest, 1)? as usize;
    let list = rest.get(5..)?;
    let list = &list[..length.min(list.len())];
    let count = list.len().checked_sub(4)? / 12;
    let mut pieces = Vec::with_capacity(count);
    for index in 0..count {
        let place = long(list, 4 * (count + 1) + 8 * index + 2)?;
        let is_wide = place & 0x4000_0000 == 0;
        let offset = (place & 0x3FFF_FFFF) as usize;
        pieces.push(Piece {
            start: long(list, 4 * index)? as usize,
            end: long(list, 4 * (index + 1))? as usize,
            offset: if is_wide { offset } else { offset / 2 },
            is_wide,
        });
    }
    Some(pieces)
}

/// The letters from one place of the text to another, each with its place in the file. There are no more of
/// them than the file has bytes, since no two pieces share any: a list of pieces that do would fill the memory.
pub(super) fn letters(
    main: &[u8],
    pieces: &[Piece],
    start: usize,
    end: usize,
) -> Vec<(char, usize)> {
    let mut letters = Vec::new();
    for piece in pieces {
        let from = piece.start.max(start);
        let to = piece.end.min(end);
        if from >= to {
            continue;
        }
        let to = to.min(from.saturating_add(main.len().saturating_sub(letters.len())));
        let (offset, stop) = (piece.place(from), piece.place(to));
        let Some(bytes) = main.get(offset..stop.min(main.len())) else {
            continue;
        };
        if piece.is_wide {
            let mut at = offset;
            for letter in utf_16(bytes).chars() {
                letters.push((letter, at));
                at += 2 * letter.len_utf16();
            }
        } else {
            let decoded = encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(bytes)
                .0;
            letters.extend(decoded.chars().zip(offset..));
        }
    }
    letters
}

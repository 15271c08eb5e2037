//! The second compression of Kindle books: codes of up to 32 bits, each for a phrase.
//!
//! One record has the codes and the records after it the phrases, most of which are packed with the
//! same codes themselves.

use std::borrow::Cow;

use super::{long, short};
use crate::document::budget::Budget;
use crate::document::error::DocumentError;

/// Bytes of one record or phrase after unpacking. Programs put 4 096 bytes into a record.
const MAX_UNPACKED: usize = 1 << 20;
/// Phrases inside of phrases.
const MAX_DEPTH: usize = 20;
/// Phrases of a book. Programs make less than 70 000.
const MAX_PHRASES: usize = 1 << 18;
/// The longest code.
const MAX_BITS: usize = 32;

pub(super) struct Dictionary<'a> {
    /// For each first byte of a code.
    starts: Vec<Start>,
    /// The least and the greatest code of each length, at the upper end of the number.
    ranges: Vec<(u32, u32)>,
    phrases: Vec<Phrase<'a>>,
}

#[derive(Clone, Copy)]
struct Start {
    /// How long the code is, or at least is.
    bits: usize,
    is_exact: bool,
    greatest: u32,
}

enum Phrase<'a> {
    Packed(&'a [u8]),
    Plain(Cow<'a, [u8]>),
}

impl<'a> Dictionary<'a> {
    /// Reads the record of codes and those of phrases.
    pub(super) fn read(codes: &[u8], phrases: &[&'a [u8]]) -> Option<Dictionary<'a>> {
        let starts_at = long(codes.strip_prefix(b"HUFF")?, 4)? as usize;
        let ranges_at = long(codes, 12)? as usize;
        let number = |from: usize, index: usize| long(codes, from.checked_add(4 * index)?);
        let start = |index| number(starts_at, index).map(Start::new);
        let range = |bits: usize| {
            let least = number(ranges_at, 2 * (bits - 1))?;
            let greatest = number(ranges_at, 2 * (bits - 1) + 1)?;
            Some((aligned(least, bits), last_of(greatest, bits)))
        };
        let mut ranges = vec![(0, 0)];
        for bits in 1..=MAX_BITS {
            ranges.push(range(bits)?);
        }
        Some(Dictionary {
            starts: (0..256).map(start).collect::<Option<_>>()?,
            ranges,
            phrases: phrases
                .iter()
                .copied()
                .flat_map(phrases_of)
                .take(MAX_PHRASES)
                .collect(),
        })
    }

    /// Unpacks a record.
    pub(super) fn unpack(
        &mut self,
        record: &[u8],
        out: &mut Vec<u8>,
        budget: &Budget,
    ) -> Result<(), DocumentError> {
        self.unpack_at(record, out, budget, 0)
    }

    fn unpack_at(
        &mut self,
        packed: &[u8],
        out: &mut Vec<u8>,
        budget: &Budget,
        depth: usize,
    ) -> Result<(), DocumentError> {
        let start = out.len();
        let end = 8 * packed.len();
        let mut at = 0;
        while at < end {
            let (bits, phrase) = self
                .phrase_of(window(packed, at))
                .ok_or(DocumentError::Broken)?;
            at += bits;
            // The bits after the last code are less than a code.
            if at > end {
                break;
            }
            out.extend_from_slice(self.phrase(phrase, budget, depth)?);
            if out.len() - start > MAX_UNPACKED {
                return Err(DocumentError::UnpacksTooLarge);
            }
        }
        Ok(())
    }

    /// The length of the code at the upper end of the number, and its phrase.
    fn phrase_of(&self, code: u32) -> Option<(usize, usize)> {
        let Start {
            mut bits,
            is_exact,
            mut greatest,
        } = self.starts[(code >> 24) as usize];
        if !is_exact {
            while code < self.ranges.get(bits)?.0 {
                bits += 1;
            }
            greatest = self.ranges.get(bits)?.1;
        }
        let phrase = greatest.wrapping_sub(code) >> MAX_BITS.checked_sub(bits)?.min(31);
        (bits > 0).then_some((bits, phrase as usize))
    }

    /// A phrase, which is unpacked the first time it is used.
    fn phrase(
        &mut self,
        index: usize,
        budget: &Budget,
        depth: usize,
    ) -> Result<&[u8], DocumentError> {
        let broken = DocumentError::Broken;
        if let Phrase::Packed(packed) = *self.phrases.get(index).ok_or(broken)? {
            if depth == MAX_DEPTH {
                return Err(broken);
            }
            let mut plain = Vec::new();
            self.unpack_at(packed, &mut plain, budget, depth + 1)?;
            budget.count_unpacked(plain.len() as u64)?;
            self.phrases[index] = Phrase::Plain(plain.into());
        }
        match &self.phrases[index] {
            Phrase::Plain(plain) => Ok(plain),
            Phrase::Packed(_) => Err(broken),
        }
    }
}

impl Start {
    fn new(packed: u32) -> Start {
        let bits = (packed & 0x1F) as usize;
        Start {
            bits,
            is_exact: packed & 0x80 != 0,
            greatest: last_of(packed >> 8, bits),
        }
    }
}

/// The phrases of one record.
fn phrases_of(record: &[u8]) -> Vec<Phrase<'_>> {
    let head = || {
        let rest = record.strip_prefix(b"CDIC")?;
        Some((long(rest, 4)? as usize, long(rest, 8)?))
    };
    let (all, bits) = head().unwrap_or_default();
    let count = all.min(1_usize.checked_shl(bits).unwrap_or(usize::MAX));
    let phrase = |index: usize| {
        let at = 16 + usize::from(short(record, 16 + 2 * index)?);
        let length = short(record, at)?;
        let end = at + 2 + usize::from(length & 0x7FFF);
        let phrase = record.get(at + 2..end)?;
        Some(match length & 0x8000 {
            0 => Phrase::Packed(phrase),
            _ => Phrase::Plain(phrase.into()),
        })
    };
    (0..count).map_while(phrase).collect()
}

/// The code of as many bits at the upper end of a number.
fn aligned(code: u32, bits: usize) -> u32 {
    (u64::from(code) << (MAX_BITS - bits)) as u32
}

/// The greatest number that begins with the code.
fn last_of(code: u32, bits: usize) -> u32 {
    ((u64::from(code) + 1) << (MAX_BITS - bits)).wrapping_sub(1) as u32
}

/// The 32 bits from there on, with zeros after the end.
fn window(bytes: &[u8], at: usize) -> u32 {
    let mut eight = [0; 8];
    let rest = &bytes[at / 8..];
    let length = rest.len().min(8);
    eight[..length].copy_from_slice(&rest[..length]);
    (u64::from_be_bytes(eight) << (at % 8) >> 32) as u32
}

//! Books of Mobipocket and Kindle (MOBI, AZW) that are not protected.
//!
//! The text is HTML in records of 4 KB. Each is compressed with a window of its own, or with codes for
//! phrases that all share.

mod huffman;

use huffman::Dictionary;

use super::encryption::Encrypted;
use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::{Document, Input, present};
use crate::extract;

impl DocumentKind {
    /// A book of Mobipocket or Kindle.
    pub const MOBI: DocumentKind = DocumentKind::named("mobi");
}

pub(super) static MOBI: Format = Format {
    kind: DocumentKind::MOBI,
    label: Some("MOBI"),
    media_types: &[
        "application/x-mobipocket-ebook",
        "application/vnd.amazon.ebook",
        "application/vnd.amazon.mobi8-ebook",
    ],
    extensions: &["mobi", "azw", "azw3", "prc"],
    signature: Signature::Within(|start, _| {
        matches!(start.get(60..68), Some(b"BOOKMOBI" | b"TEXtREAd"))
    }),
    needs_worker: true,
    is_text: false,
    read: read_mobi,
};

const NO_COMPRESSION: u16 = 1;
const PALMDOC: u16 = 2;
const PHRASES: u16 = 0x4448;

fn read_mobi(input: &Input<'_>) -> Result<Document, DocumentError> {
    let records = records(input)?;
    let head = *records.first().ok_or(DocumentError::Broken)?;
    let broken = DocumentError::Broken;
    if short(head, 12).ok_or(broken)? != 0 {
        return Err(Encrypted::Book.not_supported());
    }
    let compression = short(head, 0).ok_or(broken)?;
    let mut dictionary = match compression {
        NO_COMPRESSION | PALMDOC => None,
        PHRASES => Some(dictionary(&records, head).ok_or(broken)?),
        _ => return Err(DocumentError::NotRead(DocumentKind::MOBI)),
    };
    let count = usize::from(short(head, 8).ok_or(broken)?);
    let flags = trailing_flags(head);
    let mut bytes = Vec::new();
    for record in records.iter().skip(1).take(count) {
        let text = without_trailing(record, flags);
        let from = bytes.len();
        match &mut dictionary {
            Some(dictionary) => dictionary.unpack(text, &mut bytes, input.budget)?,
            None if compression == NO_COMPRESSION => bytes.extend_from_slice(text),
            None => unpack(text, &mut bytes),
        }
        input.budget.count_unpacked((bytes.len() - from) as u64)?;
        if bytes.len() as u64 > input.budget.limits.part {
            return Err(DocumentError::UnpacksTooLarge);
        }
    }
    if let Some(end) = end_of_text(&records, head) {
        bytes.truncate(end);
    }
    Ok(book(head, &bytes, input))
}

/// Where the text ends in newer books: style sheets and drawings follow it.
fn end_of_text(records: &[&[u8]], head: &[u8]) -> Option<usize> {
    const KINDLE_8: u32 = 8;
    long(head, 36).filter(|version| *version == KINDLE_8)?;
    let list = records.get(long(head, 192)? as usize)?;
    // The list has the start and the end of each part, after its own start and their number.
    let end = long(list.strip_prefix(b"FDST")?, 12)? as usize;
    (end > 0).then_some(end)
}

/// The codes and phrases, from the records that the head names.
fn dictionary<'a>(records: &[&'a [u8]], head: &[u8]) -> Option<Dictionary<'a>> {
    let first = long(head, 112)? as usize;
    let end = first.checked_add(long(head, 116)? as usize)?;
    let (codes, phrases) = records.get(first..end)?.split_first()?;
    Dictionary::read(codes, phrases)
}

fn book(head: &[u8], bytes: &[u8], input: &Input<'_>) -> Document {
    let encoding = match long(head, 28) {
        Some(65_001) => encoding_rs::UTF_8,
        _ => encoding_rs::WINDOWS_1252,
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let mut markdown = input.markdown();
    if text.contains('<') {
        markdown.block(&extract::whole_markdown(&text, "about:blank").markdown);
    } else {
        markdown.block(&text);
    }
    let mut document = Document::new(DocumentKind::MOBI, markdown);
    let decoded = |bytes: &[u8]| present(encoding.decode_without_bom_handling(bytes).0);
    let name = || {
        let start = long(head, 84)? as usize;
        let end = start.checked_add(long(head, 88)? as usize)?;
        decoded(head.get(start..end)?)
    };
    let extra = |kind| extra_header(head, kind).and_then(decoded);
    document.title = extra(503).or_else(name);
    document.author = extra(100);
    document.date = extra(106);
    document.language = extra(524);
    document
}

/// The records of the database that the book is.
fn records<'a>(input: &Input<'a>) -> Result<Vec<&'a [u8]>, DocumentError> {
    let bytes = input.bytes;
    let count = usize::from(short(bytes, 76).ok_or(DocumentError::Broken)?);
    let offset = |index: usize| long(bytes, 78 + 8 * index).map(|it| it as usize);
    let record = |index: usize| {
        let start = offset(index)?.min(bytes.len());
        let end = if index + 1 < count {
            offset(index + 1)?.min(bytes.len())
        } else {
            bytes.len()
        };
        Some(bytes.get(start..end).unwrap_or_default())
    };
    Ok((0..count).map_while(record).collect())
}

/// Which kinds of data follow the text in each record.
fn trailing_flags(head: &[u8]) -> u16 {
    let is_long = head.get(16..20) == Some(b"MOBI") && long(head, 20).is_some_and(|it| it >= 228);
    if is_long {
        short(head, 242).unwrap_or(0)
    } else {
        0
    }
}

fn without_trailing(record: &[u8], flags: u16) -> &[u8] {
    let mut rest = record;
    for _ in 0..(flags >> 1).count_ones() {
        // The size of the data is at its end, seven bits in each byte, the first marked.
        let mut size = 0_usize;
        for byte in rest.iter().rev().take(4).rev() {
            if byte & 0x80 != 0 {
                size = 0;
            }
            size = size << 7 | usize::from(byte & 0x7F);
        }
        rest = &rest[..rest.len().saturating_sub(size)];
    }
    if flags & 1 != 0 {
        let size = rest.last().map_or(0, |byte| usize::from(byte & 3) + 1);
        rest = &rest[..rest.len().saturating_sub(size)];
    }
    rest
}

/// Unpacks one record. A reference reaches back within it.
fn unpack(record: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let mut bytes = record.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            1..=8 => out.extend(bytes.by_ref().take(usize::from(byte))),
            0 | 9..=0x7F => out.push(byte),
            0xC0.. => out.extend([b' ', byte ^ 0x80]),
            0x80..=0xBF => {
                let Some(second) = bytes.next() else {
                    return;
                };
                let pair = usize::from(byte) << 8 | usize::from(second);
                let (distance, length) = (pair >> 3 & 0x7FF, (pair & 7) + 3);
                if distance == 0 || distance > out.len() - start {
                    return;
                }
                for _ in 0..length {
                    out.push(out[out.len() - distance]);
                }
            }
        }
    }
}

/// A value of the extra header, by its number.
fn extra_header(head: &[u8], kind: u32) -> Option<&[u8]> {
    let at = 16_usize.checked_add(long(head, 20)? as usize)?;
    let header = head.get(at..)?;
    let mut rest = header.strip_prefix(b"EXTH")?.get(8..)?;
    for _ in 0..long(header, 8)?.min(1_000) {
        let size = (long(rest, 4)? as usize).max(8);
        let value = rest.get(8..size)?;
        if long(rest, 0)? == kind {
            return Some(value);
        }
        rest = &rest[size..];
    }
    None
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    pair.try_into().ok().map(u16::from_be_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    four.try_into().ok().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_reach_back_and_blanks_are_packed() {
        let mut out = Vec::new();
        // "abcabcabc d", a literal run, and a reference before the beginning.
        unpack(b"abc\x80\x1B\xE4\x02\xFF\xFE", &mut out);
        assert_eq!(out, b"abcabcabc d\xFF\xFE");
        out.clear();
        unpack(b"a\xBF\xFF", &mut out);
        assert_eq!(out, b"a");
    }

    #[test]
    fn data_after_the_text_is_dropped() {
        assert_eq!(without_trailing(b"text\x01\x02\x83", 0b10), b"text");
        assert_eq!(without_trailing(b"textx\x01", 0b01), b"text");
        assert_eq!(without_trailing(b"", 0xFFFF), b"");
    }
}

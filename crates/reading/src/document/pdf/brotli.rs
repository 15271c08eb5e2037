//! Streams that are packed with Brotli, a filter that the parser does not know.
//!
//! They are unpacked and packed again as the parser expects it, which leaves the dictionaries as they
//! are: a predictor still applies, and streams of objects are still found.

use std::io::{Read as _, Write as _};

use aho_corasick::AhoCorasick;
use brotli_decompressor::Decompressor;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::super::budget::Budget;
use super::super::error::DocumentError;

const FILTER: &str = "/BrotliDecode";
const LENGTH: &[u8] = b"/Length";
/// A dictionary that is longer than this is none.
const MAX_DICTIONARY: usize = 4_096;

/// The file with other filters in the place of Brotli, or `None` if it has no such stream. Objects are
/// no longer where its table says.
pub(super) fn without_brotli(
    bytes: &[u8],
    budget: &Budget,
) -> Result<Option<Vec<u8>>, DocumentError> {
    let filters = places(bytes, FILTER);
    if filters.is_empty() {
        return Ok(None);
    }
    let mut packed = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for filter in filters {
        // The name may be part of the data of the stream before.
        let stream = Brotli::at(bytes, filter).filter(|stream| stream.dictionary >= done);
        let Some(stream) = stream else {
            continue;
        };
        budget.check_time()?;
        let Some(data) = stream.packed_again(budget)? else {
            continue;
        };
        packed.extend_from_slice(&bytes[done..stream.dictionary]);
        packed.extend(stream.dictionary_for(data.len()));
        packed.extend_from_slice(b"stream\n");
        packed.extend_from_slice(&data);
        packed.push(b'\n');
        done = stream.end;
    }
    packed.extend_from_slice(&bytes[done..]);
    Ok(Some(packed))
}

/// One stream that is packed with Brotli.
struct Brotli<'a> {
    bytes: &'a [u8],
    /// Where its dictionary begins, and the keyword after it.
    dictionary: usize,
    keyword: usize,
    /// Where its data begin, and the keyword after them.
    data: usize,
    end: usize,
}

impl<'a> Brotli<'a> {
    /// The stream whose dictionary has the name of the filter here.
    fn at(bytes: &'a [u8], filter: usize) -> Option<Brotli<'a>> {
        let before = &bytes[filter.saturating_sub(MAX_DICTIONARY)..filter];
        let object = before.windows(3).rposition(|it| it == b"obj")?;
        let dictionary = filter - before.len() + object + 3;
        let after = &bytes[filter..bytes.len().min(filter + MAX_DICTIONARY)];
        let keyword = filter + after.windows(6).position(|it| it == b"stream")?;
        let line = match bytes.get(keyword + 6..keyword + 8)? {
            b"\r\n" => 2,
            [b'\r' | b'\n', _] => 1,
            _ => return None,
        };
        let data = keyword + 6 + line;
        let end = data + bytes[data..].windows(9).position(|it| it == b"endstream")?;
        Some(Brotli {
            bytes,
            dictionary,
            keyword,
            data,
            end,
        })
    }

    /// The data as the parser unpacks them. `None` if they are not what they should be: encrypted, or
    /// in the hands of yet another filter.
    fn packed_again(&self, budget: &Budget) -> Result<Option<Vec<u8>>, DocumentError> {
        const BUFFER: usize = 16_384;
        let packed = &self.bytes[self.data..self.end];
        let mut plain = Vec::new();
        let unpacked = Decompressor::new(packed, BUFFER)
            .take(budget.limits.part)
            .read_to_end(&mut plain);
        if unpacked.is_err() {
            return Ok(None);
        }
        budget.count_unpacked(plain.len() as u64)?;
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        let written = encoder.write_all(&plain).and_then(|()| encoder.finish());
        Ok(written.ok())
    }

    /// The dictionary with the other filter and this length.
    fn dictionary_for(&self, length: usize) -> Vec<u8> {
        let dictionary = &self.bytes[self.dictionary..self.keyword];
        let text: String = dictionary.iter().map(|byte| char::from(*byte)).collect();
        let text = text.replace(FILTER, "/FlateDecode");
        let bytes = |text: &str| text.chars().map(|it| it as u8).collect::<Vec<u8>>();
        let Some((before, after)) = split_at_length(&text) else {
            return bytes(&text);
        };
        bytes(&format!("{before}/Length {length}{after}"))
    }
}

/// What is before and after the length in a dictionary. The length may be in another object: `9 0 R`.
fn split_at_length(text: &str) -> Option<(&str, &str)> {
    let key = std::str::from_utf8(LENGTH).ok()?;
    let is_key = |at: &usize| {
        let after = text[at + key.len()..].chars().next();
        after.is_some_and(|it| it.is_ascii_whitespace())
    };
    let at = text.match_indices(key).map(|(at, _)| at).find(is_key)?;
    let value = text[at + key.len()..].trim_start();
    let end = value.find(|it: char| !it.is_ascii_digit())?;
    let rest = &value[end..];
    let reference = rest
        .trim_start()
        .strip_prefix(|it: char| it.is_ascii_digit())
        .and_then(|rest| rest.trim_start().strip_prefix('R'));
    Some((&text[..at], reference.unwrap_or(rest)))
}

fn places(bytes: &[u8], text: &str) -> Vec<usize> {
    let Ok(search) = AhoCorasick::new([text]) else {
        return Vec::new();
    };
    search.find_iter(bytes).map(|found| found.start()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_found_in_any_dictionary() {
        for (dictionary, rest) in [
            ("<</Length 12/Filter/X>>", "/Filter/X>>"),
            ("<</Length 9 0 R /Filter/X>>", " /Filter/X>>"),
            ("<</Length1 7 /Length 12 >>", " >>"),
        ] {
            let split = split_at_length(dictionary);
            assert_eq!(split.map(|(_, rest)| rest), Some(rest), "{dictionary}");
        }
        assert_eq!(split_at_length("<</Filter/X>>"), None);
    }
}

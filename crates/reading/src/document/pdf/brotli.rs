//! Streams that are packed with Brotli, a filter that the parser does not know.
//!
//! They are unpacked and packed again as the parser expects it, which leaves the dictionaries as they
//! are: a predictor still applies, and streams of objects are still found.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};

use aho_corasick::AhoCorasick;
use brotli_decompressor::Decompressor;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use hayro_syntax::object::{FromBytes as _, Stream};

use super::super::budget::Budget;
use super::super::error::DocumentError;

const FILTER: &str = "/BrotliDecode";
const LENGTH: &[u8] = b"/Length";
const OBJECT: &str = "obj";
const KEYWORD: &str = "stream";
const END: &str = "endstream";
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
    let words = Words {
        objects: places(bytes, OBJECT),
        keywords: places(bytes, KEYWORD),
        ends: places(bytes, END),
    };
    let mut packed = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for filter in filters {
        // The name may be part of the data of the stream before.
        let stream = Brotli::at(bytes, filter, &words).filter(|stream| stream.dictionary >= done);
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

/// Where the words of a file are that begin and end its objects and streams. They are looked up, since the
/// end of each stream may be far away.
struct Words {
    objects: Vec<usize>,
    keywords: Vec<usize>,
    ends: Vec<usize>,
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
    fn at(bytes: &'a [u8], filter: usize, words: &Words) -> Option<Brotli<'a>> {
        let first_after = |places: &[usize], at: usize| {
            let after = places.partition_point(|place| *place < at);
            places.get(after).copied()
        };
        let before = words.objects.partition_point(|place| *place < filter);
        let dictionary = words.objects.get(before.checked_sub(1)?)? + OBJECT.len();
        let keyword = first_after(&words.keywords, filter)?;
        if keyword - dictionary > MAX_DICTIONARY {
            return None;
        }
        let line = match bytes.get(keyword + KEYWORD.len()..keyword + KEYWORD.len() + 2)? {
            b"\r\n" => 2,
            [b'\r' | b'\n', _] => 1,
            _ => return None,
        };
        let data = keyword + KEYWORD.len() + line;
        let end = first_after(&words.ends, data)?;
        Some(Brotli {
            bytes,
            dictionary,
            keyword,
            data,
            end,
        })
    }

    /// The data as the parser unpacks them. `None` if they are not what they should be, such as
    /// encrypted.
    fn packed_again(&self, budget: &Budget) -> Result<Option<Vec<u8>>, DocumentError> {
        const BUFFER: usize = 16_384;
        let Some(packed) = self.without_outer_filters() else {
            return Ok(None);
        };
        budget.count_unpacked(packed.len() as u64)?;
        let mut plain = Vec::new();
        let unpacked = Decompressor::new(&*packed, BUFFER)
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

    /// The data as Brotli packed them: other filters may lie around it.
    fn without_outer_filters(&self) -> Option<Cow<'a, [u8]>> {
        let data = &self.bytes[self.data..self.end];
        let outer = OuterFilters::of(&self.text());
        if outer.names.is_empty() {
            return Some(Cow::Borrowed(data));
        }
        let OuterFilters { names, settings } = outer;
        let mut stream = bytes(&format!(
            "<</Length {}/Filter[{names}]/DecodeParms[{settings}]>>stream\n",
            data.len()
        ));
        stream.extend_from_slice(data);
        stream.extend_from_slice(b"\nendstream");
        let decoded = Stream::from_bytes(&stream)?.decoded_data().ok()?;
        Some(Cow::Owned(decoded.into_owned()))
    }

    /// The dictionary, with a letter for each byte.
    fn text(&self) -> String {
        let dictionary = &self.bytes[self.dictionary..self.keyword];
        dictionary.iter().map(|byte| char::from(*byte)).collect()
    }

    /// The dictionary with the other filter and this length.
    fn dictionary_for(&self, length: usize) -> Vec<u8> {
        let text = self.text();
        let OuterFilters { names, settings } = OuterFilters::of(&text);
        let text = text
            .replacen(&format!("{names}{FILTER}"), "/FlateDecode", 1)
            .replacen(&format!("[{settings}"), "[", 1);
        let Some((before, after)) = split_at_length(&text) else {
            return bytes(&text);
        };
        bytes(&format!("{before}/Length {length}{after}"))
    }
}

/// What is undone before Brotli, as the dictionary of the stream has it.
#[derive(Default)]
struct OuterFilters {
    names: String,
    settings: String,
}

impl OuterFilters {
    fn of(dictionary: &str) -> OuterFilters {
        let Some((before, _)) = dictionary.split_once(FILTER) else {
            return OuterFilters::default();
        };
        let names = before.rsplit_once('[').map_or("", |(_, names)| names);
        // What comes before a filter on its own is no list of names.
        if !names.trim_start().starts_with('/') || names.contains(']') {
            return OuterFilters::default();
        }
        let list = dictionary.split_once("/DecodeParms");
        let list = list.and_then(|(_, list)| list.trim_start().strip_prefix('['));
        let settings = list.map_or("", |list| settings_of(list, names.matches('/').count()));
        OuterFilters {
            names: names.to_owned(),
            settings: settings.to_owned(),
        }
    }
}

/// The settings of so many filters at the start of a list: `null` or a dictionary for each.
fn settings_of(list: &str, count: usize) -> &str {
    let mut rest = list;
    for _ in 0..count {
        let item = rest.trim_start();
        let end = match item.strip_prefix("null") {
            Some(_) => Some(4),
            None => item.find(">>").map(|end| end + 2),
        };
        let Some(end) = end else {
            return "";
        };
        rest = &item[end..];
    }
    &list[..list.len() - rest.len()]
}

fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|it| it as u8).collect()
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
    fn filters_around_brotli_have_their_settings() {
        let dictionary = "<</Filter[/A /LZWDecode/BrotliDecode/X]/DecodeParms[null<</P 1>>/Y]>>";
        let outer = OuterFilters::of(dictionary);
        assert_eq!(
            (&*outer.names, &*outer.settings),
            ("/A /LZWDecode", "null<</P 1>>")
        );
        for alone in [
            "<</W[/A]/Filter/BrotliDecode>>",
            "<</Filter[/BrotliDecode]>>",
        ] {
            assert!(OuterFilters::of(alone).names.is_empty(), "{alone}");
        }
    }

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

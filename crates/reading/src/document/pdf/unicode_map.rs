//! A ToUnicode map that the font library refuses as a whole because of one bad entry.
//!
//! Programs write maps with an empty text, half a surrogate pair or a range that ends before it
//! starts. The other entries are right, and without them the text of the font is lost.

use std::collections::HashMap;

use hayro_syntax::object::{Dict, Stream};

/// More entries than the codes of two bytes.
const MAX_ENTRIES: usize = 70_000;
/// A longer text is no letter.
const MAX_BYTES: usize = 64;

/// The texts of the codes of a font, by the entries of its map that can be read.
#[derive(Debug, Default)]
pub(super) struct UnicodeMap {
    texts: HashMap<u32, String>,
    /// How often an entry was added. A small map can name the same codes over and over.
    added: usize,
}

impl UnicodeMap {
    pub(super) fn of_font(dict: &Dict<'_>) -> UnicodeMap {
        let stream = dict.get::<Stream<'_>>("ToUnicode");
        let data = stream.and_then(|stream| stream.decoded_data().ok().map(|it| it.to_vec()));
        data.map_or_else(UnicodeMap::default, |data| UnicodeMap::parse(&data))
    }

    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }

    fn parse(data: &[u8]) -> UnicodeMap {
        let mut map = UnicodeMap::default();
        let mut section = Section::Other;
        // The strings that do not make an entry yet.
        let mut waiting: Vec<Vec<u8>> = Vec::new();
        let mut list: Option<Vec<Vec<u8>>> = None;
        let mut tokens = Tokens { rest: data };
        while map.added < MAX_ENTRIES
            && let Some(token) = tokens.next()
        {
            match token {
                Token::Word(b"beginbfchar") => section = Section::Chars,
                Token::Word(b"beginbfrange") => section = Section::Ranges,
                Token::Word(_) => (section, list) = (Section::Other, None),
                Token::Text(_) if section == Section::Other => {}
                Token::Text(text) => match &mut list {
                    Some(list) if list.len() < MAX_ENTRIES => list.push(text),
                    Some(_) => {}
                    None => waiting.push(text),
                },
                Token::Open => list = Some(Vec::new()),
                Token::Close => {
                    if let ([from, _], Some(texts)) = (&waiting[..], list.take()) {
                        map.add_list(code(from), texts);
                    }
                    waiting.clear();
                }
            }
            match (section, &waiting[..]) {
                (Section::Other, _) => waiting.clear(),
                (Section::Chars, [from, text]) => {
                    map.add(code(from), text, 0);
                    waiting.clear();
                }
                (Section::Ranges, [from, to, text]) => {
                    let (from, to) = (code(from), code(to));
                    for offset in 0..=to.saturating_sub(from).min(0xFFFF) {
                        map.add(from.saturating_add(offset), text, offset);
                    }
                    waiting.clear();
                }
                _ => {}
            }
        }
        map
    }

    fn add_list(&mut self, from: u32, texts: Vec<Vec<u8>>) {
        for (offset, text) in (0..).zip(texts) {
            self.add(from.saturating_add(offset), &text, 0);
        }
    }

    /// Adds a text in UTF-16 whose last unit is this much larger.
    fn add(&mut self, code: u32, text: &[u8], offset: u32) {
        self.added += 1;
        if self.added > MAX_ENTRIES {
            return;
        }
        let pairs = text.chunks_exact(2);
        let units = pairs.map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let mut units: Vec<u16> = units.collect();
        if let ([byte], []) = (text, &units[..]) {
            units.push(u16::from(*byte));
        }
        if let Some(last) = units.last_mut() {
            *last = last.wrapping_add(offset as u16);
        }
        let text = String::from_utf16(&units).ok();
        if let Some(text) = text.filter(|text| !text.is_empty() && text != "\0") {
            self.texts.insert(code, text);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Chars,
    Ranges,
    Other,
}

fn code(bytes: &[u8]) -> u32 {
    let bytes = bytes.iter().take(4);
    bytes.fold(0, |code, byte| code << 8 | u32::from(*byte))
}

enum Token<'a> {
    Word(&'a [u8]),
    /// A string in hexadecimal.
    Text(Vec<u8>),
    Open,
    Close,
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let first = *self.rest.first()?;
            let rest = &self.rest[1..];
            match first {
                b'[' | b']' => {
                    self.rest = rest;
                    return Some(if first == b'[' {
                        Token::Open
                    } else {
                        Token::Close
                    });
                }
                b'<' if rest.first() == Some(&b'<') => self.rest = &rest[1..],
                b'<' => {
                    let end = rest.iter().position(|it| *it == b'>')?;
                    self.rest = &rest[end + 1..];
                    return Some(Token::Text(bytes(&rest[..end])));
                }
                b'a'..=b'z' => {
                    let end = self.rest.iter().position(|it| !it.is_ascii_alphanumeric());
                    let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
                _ => self.rest = rest,
            }
        }
    }
}

/// The bytes of a string in hexadecimal.
fn bytes(text: &[u8]) -> Vec<u8> {
    let digits = text.iter().filter_map(|it| char::from(*it).to_digit(16));
    let digits: Vec<u8> = digits.take(2 * MAX_BYTES).map(|it| it as u8).collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_entry_leaves_the_others() {
        let map = UnicodeMap::parse(
            b"/CIDInit /ProcSet findresource begin 1 begincodespacerange <00> <FF> \
              endcodespacerange 4 beginbfchar <01> <0041> <02> <> <03> <D83D> <04> <00660069> \
              endbfchar 3 beginbfrange <10> <12> <0061> <20> <21> [<0058> <0059>] <30> <2F> <005A> \
              endbfrange endcmap",
        );
        let texts = [0x01, 0x02, 0x03, 0x04, 0x10, 0x12, 0x20, 0x21, 0x30].map(|it| map.text(it));
        let expected = [
            Some("A"),
            None,
            None,
            Some("fi"),
            Some("a"),
            Some("c"),
            Some("X"),
            Some("Y"),
            Some("Z"),
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn entries_are_counted_and_the_last_code_is_no_overflow() {
        let range = "<0000> <FFFF> <0041> ".repeat(50_000);
        let map = UnicodeMap::parse(format!("1 beginbfrange {range} endbfrange").as_bytes());
        assert_eq!(map.text(0), Some("A"));
        assert!(map.added <= 2 * MAX_ENTRIES);
        let map = UnicodeMap::parse(
            b"beginbfrange <FFFFFFFF> <FFFFFFFF> [<0041> <0042>] <01> <02> [<0043> endbfrange \
              beginbfchar <05> <0044> endbfchar",
        );
        assert_eq!(map.text(u32::MAX), Some("B"));
        assert_eq!(map.text(5), Some("D"));
    }
}

//! Bytes and numbers as text: charsets of fonts, and characters given by number.

use encoding_rs::Encoding;

/// What is waiting to become text.
#[derive(Default)]
pub(super) struct Decoder {
    /// Bytes that are decoded together, since a character may take two of them.
    pending: Vec<u8>,
    /// How many bytes repeat a character that was given by number.
    to_skip: usize,
    surrogate: Option<u16>,
}

impl Decoder {
    pub(super) fn byte(&mut self, byte: u8) {
        if self.to_skip > 0 {
            self.to_skip -= 1;
        } else {
            self.pending.push(byte);
        }
    }

    /// The text of the bytes so far. `None` stands for the codes of a font, in no charset.
    pub(super) fn take(&mut self, encoding: Option<&'static Encoding>) -> Option<String> {
        if self.pending.is_empty() {
            return None;
        }
        let bytes = std::mem::take(&mut self.pending);
        Some(match encoding {
            Some(encoding) => {
                let (text, _) = encoding.decode_without_bom_handling(&bytes);
                text.into_owned()
            }
            None => bytes.into_iter().map(char::from).collect(),
        })
    }

    /// Ends what a character given by number takes of the bytes after it.
    pub(super) fn end_skipping(&mut self) {
        self.to_skip = 0;
    }

    /// A character given by number, and how many bytes after it repeat it. `None` for the first half
    /// of one.
    pub(super) fn unicode(&mut self, number: i64, fallback: usize) -> Option<char> {
        self.to_skip = fallback;
        let unit = (number & 0xFFFF) as u16;
        match (self.surrogate.take(), unit) {
            (None, 0xD800..=0xDBFF) => {
                self.surrogate = Some(unit);
                None
            }
            (Some(high), low) => char::decode_utf16([high, low]).next().and_then(Result::ok),
            (None, unit) => char::from_u32(u32::from(unit)),
        }
    }
}

//! The records of workbooks before 2007, and the texts in them.
//!
//! A record holds at most eight kilobytes. What is longer goes on in records that follow it, and a
//! text that does starts each of them with a byte that says how wide its letters are.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::fields::{Fields, utf_16};
use super::grid::is_address;

const CONTINUE: u16 = 0x003C;

/// A record and those that continue it.
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    segments: Vec<&'a [u8]>,
}

impl<'a> Record<'a> {
    /// The data up to where it is continued.
    pub(super) fn data(&self) -> &'a [u8] {
        self.segments.first().copied().unwrap_or_default()
    }
}

/// The records from there on.
pub(super) fn records(bytes: &[u8], start: usize) -> impl Iterator<Item = Record<'_>> {
    let mut rest = bytes.get(start..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (kind, data, after) = one(rest)?;
        rest = after;
        let mut segments = vec![data];
        while let Some((CONTINUE, data, after)) = one(rest) {
            segments.push(data);
            rest = after;
        }
        Some(Record { kind, segments })
    })
}

/// The kind of each record, and where its data begins and ends.
pub(super) fn record_ends(bytes: &[u8]) -> impl Iterator<Item = (u16, usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (kind, data, _) = one(bytes.get(at..)?)?;
        let start = at + 4;
        at = start + data.len();
        Some((kind, start, at))
    })
}

/// The version that the first record states.
pub(super) fn version(bytes: &[u8]) -> u16 {
    let first = one(bytes).and_then(|(_, data, _)| Fields(data).short());
    first.unwrap_or(0)
}

fn one(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let mut fields = Fields(bytes);
    let kind = fields.short()?;
    let length = usize::from(fields.short()?);
    let data = fields.bytes(length)?;
    Some((kind, data, fields.0))
}

/// The data of a record, read across the places where it is continued.
pub(super) struct Segments<'a> {
    segments: std::vec::IntoIter<&'a [u8]>,
    now: Fields<'a>,
}

impl<'a> Segments<'a> {
    pub(super) fn new(record: &Record<'a>) -> Segments<'a> {
        let mut segments = record.segments.clone().into_iter();
        let now = Fields(segments.next().unwrap_or_default());
        Segments { segments, now }
    }

    /// Goes to the next segment if this one is used up. `None` at the end.
    fn ready(&mut self) -> Option<()> {
        while self.now.0.is_empty() {
            self.now = Fields(self.segments.next()?);
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        self.ready()?;
        self.now.byte()
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn long(&mut self) -> Option<u32> {
        let (low, high) = (self.short()?, self.short()?);
        Some(u32::from(low) | u32::from(high) << 16)
    }

    pub(super) fn skip(&mut self, mut length: usize) -> Option<()> {
        while length > 0 {
            self.ready()?;
            let step = length.min(self.now.0.len());
            self.now.bytes(step)?;
            length -= step;
        }
        Some(())
    }

    /// The texts that cells share.
    pub(super) fn shared_strings(mut self) -> Vec<String> {
        let mut strings = Vec::new();
        if self.skip(8).is_some() {
            while let Some(text) = self.text() {
                strings.push(text);
            }
        }
        strings
    }

    /// A text with its length in front of it.
    pub(super) fn text(&mut self) -> Option<String> {
        let length = usize::from(self.short()?);
        let flags = self.byte()?;
        let runs = if flags & 8 != 0 { self.short()? } else { 0 };
        let extra = if flags & 4 != 0 { self.long()? } else { 0 };
        let text = self.letters(length, flags & 1 != 0)?;
        // The last text may lack what describes it.
        let _ = self.skip(4 * usize::from(runs) + extra as usize);
        Some(text)
    }

    /// The text of a note or a text box, whose letters are in the segments after the first.
    pub(super) fn object_text(mut self) -> String {
        let length = Fields(self.now.0.get(10..).unwrap_or_default()).short();
        let length = usize::from(length.unwrap_or(0));
        self.now = Fields(&[]);
        let text = self
            .byte()
            .and_then(|flags| self.letters(length, flags & 1 != 0));
        text.unwrap_or_default()
    }

    fn letters(&mut self, mut length: usize, mut is_wide: bool) -> Option<String> {
        let mut text = String::new();
        while length > 0 {
            if self.now.0.is_empty() {
                self.ready()?;
                is_wide = self.now.byte()? & 1 != 0;
            }
            let width = if is_wide { 2 } else { 1 };
            let step = length.min(self.now.0.len() / width);
            if step == 0 {
                // Half a letter at the end of a segment.
                self.now = Fields(&[]);
                continue;
            }
            let bytes = self.now.bytes(step * width)?;
            if is_wide {
                text.push_str(&utf_16(bytes));
            } else {
                text.extend(bytes.iter().copied().map(char::from));
            }
            length -= step;
        }
        Some(text)
    }
}

/// How texts are stored: in Unicode since Excel 97, in a charset before.
pub(super) struct Codepage {
    pub(super) is_wide: bool,
    encoding: &'static Encoding,
}

impl Default for Codepage {
    fn default() -> Codepage {
        Codepage {
            is_wide: true,
            encoding: WINDOWS_1252,
        }
    }
}

impl Codepage {
    pub(super) fn set(&mut self, number: u16) {
        let label = match number {
            932 => "shift_jis".to_owned(),
            936 => "gbk".to_owned(),
            949 => "euc-kr".to_owned(),
            950 => "big5".to_owned(),
            10000 => "macintosh".to_owned(),
            number => format!("windows-{number}"),
        };
        self.encoding = Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252);
    }

    /// A text whose length is in one byte or two.
    pub(super) fn text(&self, fields: &mut Fields<'_>, has_wide_length: bool) -> String {
        let length = if has_wide_length {
            fields.short().map(usize::from)
        } else {
            fields.byte().map(usize::from)
        };
        self.letters(fields, length.unwrap_or(0))
    }

    /// A text of as many letters.
    pub(super) fn letters(&self, fields: &mut Fields<'_>, length: usize) -> String {
        if !self.is_wide {
            let bytes = fields.bytes(length.min(fields.0.len())).unwrap_or_default();
            return self
                .encoding
                .decode_without_bom_handling(bytes)
                .0
                .into_owned();
        }
        let is_wide = fields.byte().is_some_and(|flags| flags & 1 != 0);
        let width = if is_wide { 2 } else { 1 };
        let bytes = fields.bytes((length * width).min(fields.0.len()));
        let bytes = bytes.unwrap_or_default();
        if is_wide {
            utf_16(bytes)
        } else {
            bytes.iter().copied().map(char::from).collect()
        }
    }
}

type Link = ((u32, u32), (u32, u32), String);

/// The cells of a sheet that lead to an address.
#[derive(Debug, Default)]
pub(super) struct SheetLinks {
    found: Vec<Link>,
}

impl SheetLinks {
    /// Adds the link of a record: the cells, and among other things the address.
    pub(super) fn add(&mut self, data: &[u8]) {
        let mut fields = Fields(data);
        let mut corner = || fields.short().map(u32::from);
        let (Some(top), Some(bottom), Some(left), Some(right)) =
            (corner(), corner(), corner(), corner())
        else {
            return;
        };
        if let Some(target) = address(fields.0) {
            self.found.push(((top, left), (bottom, right), target));
        }
    }

    pub(super) fn take(&mut self) -> Vec<Link> {
        std::mem::take(&mut self.found)
    }
}

/// The address in a link: the object that stands for it has a number of its own.
fn address(data: &[u8]) -> Option<String> {
    const ADDRESS: [u8; 16] = [
        0xE0, 0xC9, 0xEA, 0x79, 0xF9, 0xBA, 0xCE, 0x11, 0x8C, 0x82, 0x00, 0xAA, 0x00, 0x4B, 0xA9,
        0x0B,
    ];
    let at = data.windows(16).position(|window| window == ADDRESS)?;
    let mut fields = Fields(&data[at + 16..]);
    let length = fields.long()? as usize;
    let text = utf_16(fields.bytes(length.min(fields.0.len()))?);
    let text = text.split('\0').next()?.trim().to_owned();
    is_address(&text).then_some(text)
}

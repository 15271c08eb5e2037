//! The records of workbooks before 2007, and the texts in them.
//!
//! A record holds at most eight kilobytes. What is longer goes on in records that follow it, and a
//! text that does starts each of them with a byte that says how wide its letters are.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::fields::{Fields, utf_16};
use super::grid::link_target;

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

/// The cells of a sheet that lead somewhere.
#[derive(Debug, Default)]
pub(super) struct SheetLinks {
    found: Vec<Link>,
}

impl SheetLinks {
    /// Adds the link of a record: the cells, and where they lead.
    pub(super) fn add(&mut self, data: &[u8]) {
        let mut fields = Fields(data);
        let mut corner = || fields.short().map(u32::from);
        let (Some(top), Some(bottom), Some(left), Some(right)) =
            (corner(), corner(), corner(), corner())
        else {
            return;
        };
        if let Some(target) = target(fields.0) {
            self.found.push(((top, left), (bottom, right), target));
        }
    }

    pub(super) fn take(&mut self) -> Vec<Link> {
        std::mem::take(&mut self.found)
    }
}

/// Where a link leads: after its version come its name, its window, the object that stands for an
/// address or a file, and a place in that file or in the workbook, each only if a flag says so.
fn target(data: &[u8]) -> Option<String> {
    const HAS_OBJECT: u32 = 0x1;
    const HAS_PLACE: u32 = 0x8;
    const HAS_NAME: u32 = 0x10;
    const HAS_WINDOW: u32 = 0x80;
    const OBJECT_IS_TEXT: u32 = 0x100;
    let mut fields = Fields(data);
    fields.bytes(20)?;
    let flags = fields.long()?;
    for _ in [HAS_NAME, HAS_WINDOW].iter().filter(|it| flags & **it != 0) {
        counted_text(&mut fields)?;
    }
    let outside = match (flags & HAS_OBJECT != 0, flags & OBJECT_IS_TEXT != 0) {
        (true, true) => Some(counted_text(&mut fields)?),
        (true, false) => Some(outside(&mut fields)?),
        (false, _) => None,
    };
    let place = match flags & HAS_PLACE != 0 {
        true => counted_text(&mut fields),
        false => None,
    };
    link_target(outside, place)
}

/// A text with the number of its letters in front of it and a zero at its end.
fn counted_text(fields: &mut Fields<'_>) -> Option<String> {
    let length = (fields.long()? as usize).checked_mul(2)?;
    Some(before_zero(fields.bytes(length)?))
}

fn before_zero(bytes: &[u8]) -> String {
    let text = utf_16(bytes);
    text.split('\0')
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// The address or the path in an object that stands for one. Its first bytes say which it is.
fn outside(fields: &mut Fields<'_>) -> Option<String> {
    const ADDRESS: &[u8] = &[0xE0, 0xC9, 0xEA, 0x79, 0xF9, 0xBA, 0xCE, 0x11];
    const FILE: &[u8] = &[0x03, 0x03, 0, 0, 0, 0, 0, 0];
    let class = fields.bytes(16)?;
    if class.starts_with(ADDRESS) {
        let length = fields.long()? as usize;
        return Some(before_zero(fields.bytes(length.min(fields.0.len()))?));
    }
    if !class.starts_with(FILE) {
        return None;
    }
    let folders_up = usize::from(fields.short()?);
    let length = fields.long()? as usize;
    let narrow = fields.bytes(length)?;
    // A mark of its end, a version and reserved bytes.
    fields.bytes(24)?;
    let size = fields.long()? as usize;
    let wide = fields.bytes(size.min(fields.0.len()))?;
    let path = match wide.get(6..) {
        Some(wide) => before_zero(wide),
        None => {
            let letters = narrow.iter().take_while(|byte| **byte != 0);
            letters.copied().map(char::from).collect()
        }
    };
    Some("../".repeat(folders_up.min(MAX_FOLDERS_UP)) + &path)
}

/// How many folders up a link to a file is followed.
const MAX_FOLDERS_UP: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> Vec<u8> {
        let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut bytes = (units.len() as u32).to_le_bytes().to_vec();
        bytes.extend(units.into_iter().flat_map(u16::to_le_bytes));
        bytes
    }

    /// A link with these flags and what follows them.
    fn link(flags: u32, parts: &[Vec<u8>]) -> Vec<u8> {
        [&[0; 20][..], &flags.to_le_bytes(), &parts.concat()].concat()
    }

    #[test]
    fn links_lead_to_addresses_files_and_places() {
        let class = |start: &[u8]| [start, &[0; 8]].concat();
        let address = {
            let text: Vec<u8> = "https://a.example/\0"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect();
            let mut bytes = class(&[0xE0, 0xC9, 0xEA, 0x79, 0xF9, 0xBA, 0xCE, 0x11]);
            bytes.extend((text.len() as u32).to_le_bytes());
            [bytes, text].concat()
        };
        let file = {
            let mut bytes = class(&[3, 3, 0, 0, 0, 0, 0, 0]);
            bytes.extend([1, 0, 6, 0, 0, 0]);
            bytes.extend(b"b.xls\0");
            bytes.extend([0; 24]);
            bytes.extend([0; 4]);
            bytes
        };
        for (data, expected) in [
            (
                link(0x03, std::slice::from_ref(&address)),
                Some("https://a.example/"),
            ),
            (
                link(0x1B, &[counted("name"), address, counted("part")]),
                Some("https://a.example/#part"),
            ),
            (link(0x01, std::slice::from_ref(&file)), Some("../b.xls")),
            (link(0x08, &[counted("Sheet2!A1")]), Some("#Sheet2!A1")),
            (
                link(
                    0x98,
                    &[counted("name"), counted("_self"), counted("'a b'!A1")],
                ),
                Some("#'a b'!A1"),
            ),
            (
                link(0x103, &[counted("\\\\host\\c.xls")]),
                Some("\\\\host\\c.xls"),
            ),
            (link(0, &[]), None),
        ] {
            assert_eq!(target(&data).as_deref(), expected);
            for end in 0..data.len() {
                target(&data[..end]);
            }
        }
    }
}

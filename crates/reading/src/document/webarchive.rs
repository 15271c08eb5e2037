//! Web pages that Safari saved: a binary property list with the page and its pictures.
//!
//! Only what leads to the page is read: dictionaries, texts and data, each at the place that the
//! table of offsets gives, and never deeper than the page is.

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::{Document, Hint, Input, read_nested};

impl DocumentKind {
    /// A web page that Safari saved.
    pub const WEBARCHIVE: DocumentKind = DocumentKind::named("webarchive");
}

pub(super) static WEBARCHIVE: Format = Format {
    kind: DocumentKind::WEBARCHIVE,
    label: Some("webarchive"),
    media_types: &["application/x-webarchive"],
    extensions: &["webarchive"],
    signature: Signature::Within(|start, bytes| {
        start.starts_with(MARK)
            && bytes
                .windows(MAIN.len())
                .any(|window| window == MAIN.as_bytes())
    }),
    needs_worker: true,
    is_text: false,
    read: read_webarchive,
};

const MARK: &[u8] = b"bplist00";
const MAIN: &str = "WebMainResource";

fn read_webarchive(input: &Input<'_>) -> Result<Document, DocumentError> {
    let list = PropertyList::open(input.bytes).ok_or(DocumentError::Broken)?;
    let page = list.in_dictionary(list.top, MAIN);
    let field = |name: &str| page.and_then(|page| list.in_dictionary(page, name));
    let text = |name: &str| field(name).and_then(|at| list.text(at));
    let data = field("WebResourceData").and_then(|at| list.data(at));
    let mut media_type = text("WebResourceMIMEType").unwrap_or_else(|| "text/html".to_owned());
    if let Some(charset) = text("WebResourceTextEncodingName") {
        media_type = format!("{media_type}; charset={charset}");
    }
    let hint = Hint {
        media_type: Some(media_type),
        url: text("WebResourceURL"),
        ..Hint::default()
    };
    read_nested(data.ok_or(DocumentError::Broken)?, &hint, input)
}

struct PropertyList<'a> {
    bytes: &'a [u8],
    /// The number of the outermost object.
    top: usize,
    offsets: usize,
    offset_size: usize,
    reference_size: usize,
    count: usize,
}

impl<'a> PropertyList<'a> {
    fn open(bytes: &'a [u8]) -> Option<PropertyList<'a>> {
        let end = bytes.get(bytes.len().checked_sub(32)?..)?;
        let list = PropertyList {
            bytes,
            top: number(&end[16..24])?,
            offsets: number(&end[24..32])?,
            offset_size: usize::from(end[6]),
            reference_size: usize::from(end[7]),
            count: number(&end[8..16])?,
        };
        let sizes = 1..=8;
        (sizes.contains(&list.offset_size) && sizes.contains(&list.reference_size)).then_some(list)
    }

    /// The kind, the number of elements, and what follows them, of an object.
    fn object(&self, index: usize) -> Option<(u8, usize, &'a [u8])> {
        if index >= self.count {
            return None;
        }
        let at = self
            .offsets
            .checked_add(index.checked_mul(self.offset_size)?)?;
        let start = number(self.bytes.get(at..at.checked_add(self.offset_size)?)?)?;
        let (mark, rest) = self.bytes.get(start..)?.split_first()?;
        let (kind, count) = (mark >> 4, usize::from(mark & 0xF));
        if count != 15 {
            return Some((kind, count, rest));
        }
        let (size, rest) = rest.split_first()?;
        let size = 1_usize << (size & 0x7);
        Some((kind, number(rest.get(..size)?)?, rest.get(size..)?))
    }

    /// The number of the object that a dictionary has for a name.
    fn in_dictionary(&self, index: usize, name: &str) -> Option<usize> {
        const DICTIONARY: u8 = 0xD;
        let (kind, count, rest) = self.object(index)?;
        let keys = rest.get(..count.checked_mul(self.reference_size)?)?;
        let values = rest.get(keys.len()..keys.len().checked_mul(2)?)?;
        if kind != DICTIONARY {
            return None;
        }
        let mut pairs = keys
            .chunks_exact(self.reference_size)
            .zip(values.chunks_exact(self.reference_size));
        let (_, value) = pairs.find(|(key, _)| {
            let key = number(key).and_then(|key| self.text(key));
            key.as_deref() == Some(name)
        })?;
        number(value)
    }

    fn text(&self, index: usize) -> Option<String> {
        const NARROW: u8 = 0x5;
        const WIDE: u8 = 0x6;
        let (kind, count, rest) = self.object(index)?;
        match kind {
            NARROW => Some(String::from_utf8_lossy(rest.get(..count)?).into_owned()),
            WIDE => {
                let bytes = rest.get(..count.checked_mul(2)?)?;
                Some(encoding_rs::UTF_16BE.decode(bytes).0.into_owned())
            }
            _ => None,
        }
    }

    fn data(&self, index: usize) -> Option<&'a [u8]> {
        const DATA: u8 = 0x4;
        let (kind, count, rest) = self.object(index)?;
        rest.get(..count).filter(|_| kind == DATA)
    }
}

/// A number of up to eight bytes.
fn number(bytes: &[u8]) -> Option<usize> {
    let value = bytes
        .iter()
        .fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    usize::try_from(value).ok()
}

//! Title, author and date of files before 2007, which keep them in a stream of their own.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use jiff::Timestamp;

use super::fields::{Fields, utf_16};
use crate::document::compound::CompoundFile;
use crate::document::error::DocumentError;
use crate::document::{Document, Input, present};

const TITLE: u32 = 2;
const AUTHOR: u32 = 4;
const CREATED: u32 = 12;
const SAVED: u32 = 13;
/// Seconds between the year 1601 and the Unix epoch.
const SINCE_1601: i64 = 11_644_473_600;

/// Adds the properties that the file states.
pub(super) fn describe(
    file: &CompoundFile<'_>,
    input: &Input<'_>,
    document: &mut Document,
) -> Result<(), DocumentError> {
    let Some(stream) = file.find(file.root(), "\u{5}SummaryInformation") else {
        return Ok(());
    };
    let bytes = file.read(stream, input.budget)?.unwrap_or_default();
    document.title = property(&bytes, TITLE).and_then(|value| text(&bytes, value));
    document.author = property(&bytes, AUTHOR).and_then(|value| text(&bytes, value));
    document.date = property(&bytes, SAVED)
        .and_then(date)
        .or_else(|| property(&bytes, CREATED).and_then(date));
    Ok(())
}

/// The charset of Windows that the file states for its texts.
pub(super) fn charset(
    file: &CompoundFile<'_>,
    input: &Input<'_>,
) -> Result<Option<&'static Encoding>, DocumentError> {
    let Some(stream) = file.find(file.root(), "\u{5}SummaryInformation") else {
        return Ok(None);
    };
    let bytes = file.read(stream, input.budget)?.unwrap_or_default();
    Ok(Some(codepage(&bytes)).filter(|it| *it != UTF_8))
}

/// The value of a property, starting with its type.
fn property(bytes: &[u8], wanted: u32) -> Option<&[u8]> {
    let section = Fields(bytes.get(44..)?).long()? as usize;
    let section = bytes.get(section..)?;
    let mut fields = Fields(section);
    fields.long()?;
    let count = fields.long()?;
    for _ in 0..count.min(256) {
        let (id, offset) = (fields.long()?, fields.long()?);
        if id == wanted {
            return section.get(offset as usize..);
        }
    }
    None
}

fn text(bytes: &[u8], value: &[u8]) -> Option<String> {
    let mut fields = Fields(value);
    let kind = fields.long()?;
    let length = fields.long()? as usize;
    let text = match kind {
        0x1F => utf_16(fields.bytes((length * 2).min(fields.0.len()))?),
        0x1E => {
            let bytes_of_text = fields.bytes(length.min(fields.0.len()))?;
            codepage(bytes)
                .decode_without_bom_handling(bytes_of_text)
                .0
                .into_owned()
        }
        _ => return None,
    };
    present(text.split('\0').next()?)
}

fn codepage(bytes: &[u8]) -> &'static Encoding {
    let number = property(bytes, 1).and_then(|value| Fields(value.get(4..)?).short());
    match number {
        Some(65001) => UTF_8,
        Some(number) => {
            let label = format!("windows-{number}");
            Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
        }
        None => WINDOWS_1252,
    }
}

fn date(value: &[u8]) -> Option<String> {
    let mut fields = Fields(value);
    if fields.long()? != 0x40 {
        return None;
    }
    let ticks = u64::from(fields.long()?) | u64::from(fields.long()?) << 32;
    let seconds = i64::try_from(ticks / 10_000_000).ok()? - SINCE_1601;
    // Programs that do not know the date store zero.
    (seconds > 0).then_some(())?;
    Some(Timestamp::from_second(seconds).ok()?.to_string())
}

//! The entries of a ZIP archive without a directory, as one that was cut has none: each begins where
//! the one before it ends.

use super::encryption::zip::ZipEncryption;
use super::zip::{LOCAL_ENTRY, ZipEntry, long, short};

const HEADER_SIZE: usize = 30;
/// What follows the content of an entry whose size was not known before.
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
const DESCRIPTOR_SIZE: usize = 16;

const IS_ENCRYPTED: u16 = 1;
const IS_STREAMED: u16 = 1 << 3;

/// The entries from the start of the file up to the first that cannot be told from its content.
pub(super) fn entries(bytes: &[u8], most: usize) -> Vec<ZipEntry<'_>> {
    let mut entries = Vec::new();
    let mut at = 0;
    while entries.len() < most
        && let Some((entry, next)) = entry(bytes, at)
    {
        entries.push(entry);
        at = next;
    }
    entries
}

/// Whether the entry with this name begins here.
pub(super) fn is_named(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let header = header(bytes, at);
    header.is_some_and(|(_, found)| found == name)
}

fn header(bytes: &[u8], at: usize) -> Option<(&[u8], &[u8])> {
    let header = bytes.get(at..at.checked_add(HEADER_SIZE)?)?;
    let name = at + HEADER_SIZE;
    let name = bytes.get(name..name + usize::from(short(header, 26)?))?;
    header.starts_with(LOCAL_ENTRY).then_some((header, name))
}

/// The entry that begins here, and where the next one does.
fn entry(bytes: &[u8], at: usize) -> Option<(ZipEntry<'_>, usize)> {
    let (header, name) = header(bytes, at)?;
    let flags = short(header, 6)?;
    let start = at + HEADER_SIZE + name.len() + usize::from(short(header, 28)?);
    let (mut checksum, mut packed, mut unpacked) =
        (long(header, 14)?, long(header, 18)?, long(header, 22)?);
    // Entries of more than four gigabytes are not read anyway.
    if packed == u32::MAX || unpacked == u32::MAX {
        return None;
    }
    let mut next = start.checked_add(packed as usize)?;
    if flags & IS_STREAMED != 0 && packed == 0 {
        let rest = bytes.get(start..)?;
        let length = length_before_descriptor(rest);
        next = start + length.map_or(rest.len(), |length| length + DESCRIPTOR_SIZE);
        packed = u32::try_from(length.unwrap_or(rest.len())).ok()?;
        if let Some(descriptor) = length.and_then(|length| rest.get(length..)) {
            (checksum, unpacked) = (long(descriptor, 4)?, long(descriptor, 12)?);
        }
    }
    let entry = ZipEntry {
        name,
        method: short(header, 8)?,
        encryption: (flags & IS_ENCRYPTED != 0).then_some(ZipEncryption::Unknown),
        checksum,
        packed: packed as usize,
        unpacked: u64::from(unpacked),
        offset: at,
    };
    Some((entry, next))
}

/// The length of the content that ends with a descriptor of this length.
fn length_before_descriptor(rest: &[u8]) -> Option<usize> {
    let mut places = rest.windows(DESCRIPTOR.len()).enumerate();
    let is_descriptor = |(at, window): &(usize, &[u8])| {
        *window == DESCRIPTOR && long(rest, at + 8).map(|it| it as usize) == Some(*at)
    };
    places.find(is_descriptor).map(|(at, _)| at)
}

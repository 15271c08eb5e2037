//! The central directory of a ZIP archive, at its end, and that of ZIP64.

use super::encryption::zip::{AES_METHOD, ZipEncryption};
use super::zip::{ZipEntry, long, short};

const END_OF_DIRECTORY: &[u8] = b"PK\x05\x06";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const LARGE_LOCATOR: &[u8] = b"PK\x06\x07";
const LARGE_END: &[u8] = b"PK\x06\x06";
/// The least bytes of an entry.
pub(super) const DIRECTORY_ENTRY_SIZE: usize = 46;
const END_SIZE: usize = 22;
const LONGEST_COMMENT: usize = u16::MAX as usize;

fn find_end(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_SIZE)?;
    let first = last.saturating_sub(LONGEST_COMMENT);
    (first..=last)
        .rev()
        .find(|at| bytes[*at..].starts_with(END_OF_DIRECTORY))
}

/// Where the directory is.
pub(super) struct Directory {
    pub(super) start: usize,
    /// Where the archive says that it starts.
    pub(super) declared: usize,
    pub(super) count: usize,
}

impl Directory {
    pub(super) fn find(bytes: &[u8]) -> Option<Directory> {
        let end = find_end(bytes)?;
        let (count, size, declared) = (
            short(bytes, end + 10)?,
            long(bytes, end + 12)?,
            long(bytes, end + 16)?,
        );
        if count == u16::MAX || size == u32::MAX || declared == u32::MAX {
            return Directory::find_large(bytes, end);
        }
        let before_end = end.checked_sub(size as usize)?;
        // Other records may stand between a directory and its end.
        let is_directory = |at: &usize| {
            let rest = bytes.get(*at..);
            rest.is_some_and(|rest| rest.starts_with(DIRECTORY_ENTRY))
        };
        let places = [before_end, declared as usize];
        Some(Directory {
            start: places.into_iter().find(is_directory).unwrap_or(before_end),
            declared: declared as usize,
            count: usize::from(count),
        })
    }

    /// The directory of an archive with the large numbers of ZIP64, which some programs write for
    /// small archives, too.
    fn find_large(bytes: &[u8], end: usize) -> Option<Directory> {
        let locator = end.checked_sub(20)?;
        let is_large = bytes[locator..].starts_with(LARGE_LOCATOR);
        let record = large(bytes, locator + 8).filter(|_| is_large)?;
        bytes
            .get(record..)
            .filter(|rest| rest.starts_with(LARGE_END))?;
        Some(Directory {
            start: record.checked_sub(large(bytes, record.checked_add(40)?)?)?,
            declared: large(bytes, record.checked_add(48)?)?,
            count: large(bytes, record.checked_add(32)?)?,
        })
    }
}

/// The field of that kind among the extra fields of an entry. Empty if there is none.
fn extra_field(extra: &[u8], wanted: u16) -> &[u8] {
    let mut rest = extra;
    let mut found: &[u8] = &[];
    while let (Some(kind), Some(size)) = (short(rest, 0), short(rest, 2)) {
        let end = 4 + usize::from(size);
        if kind == wanted {
            found = rest.get(4..end).unwrap_or_default();
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    found
}

/// The numbers of an entry that do not fit into its header, in their order there.
fn large_numbers(extra: &[u8]) -> impl Iterator<Item = u64> {
    let numbers = extra_field(extra, 1).chunks_exact(8);
    numbers.filter_map(|eight| eight.try_into().ok().map(u64::from_le_bytes))
}

/// How an entry is encrypted, if it is, and how it is compressed.
fn encryption_and_method(header: &[u8], extra: &[u8]) -> Option<(Option<ZipEncryption>, u16)> {
    const AES_FIELD: u16 = 0x9901;
    let (flags, method) = (short(header, 8)?, short(header, 10)?);
    let (is_encrypted, is_strong, is_streamed) =
        (flags & 1 != 0, flags & 1 << 6 != 0, flags & 1 << 3 != 0);
    if !is_encrypted {
        return Some((None, method));
    }
    if is_strong {
        return Some((Some(ZipEncryption::Unknown), method));
    }
    if method == AES_METHOD {
        let (encryption, method) = ZipEncryption::aes(extra_field(extra, AES_FIELD));
        return Some((Some(encryption), method));
    }
    // Who writes without knowing the checksum yet uses the time instead.
    let check = header[if is_streamed { 13 } else { 19 }];
    Some((Some(ZipEncryption::Old { check }), method))
}

/// The entry of the directory that stands here, and the place of the next one.
pub(super) fn directory_entry(bytes: &[u8], at: usize) -> Option<(ZipEntry<'_>, usize)> {
    let header = bytes
        .get(at..at + DIRECTORY_ENTRY_SIZE)
        .filter(|header| header.starts_with(DIRECTORY_ENTRY))?;
    let name_size = usize::from(short(header, 28)?);
    let after = usize::from(short(header, 30)?) + usize::from(short(header, 32)?);
    let name = bytes.get(at + 46..at + 46 + name_size)?;
    let extra_end = at + 46 + name_size + usize::from(short(header, 30)?);
    let extra = bytes
        .get(at + 46 + name_size..extra_end)
        .unwrap_or_default();
    let (encryption, method) = encryption_and_method(header, extra)?;
    let mut numbers = large_numbers(extra);
    let mut number = |place: usize| match long(header, place)? {
        u32::MAX => numbers.next(),
        small => Some(u64::from(small)),
    };
    let (unpacked, packed, offset) = (number(24)?, number(20)?, number(42)?);
    let entry = ZipEntry {
        name,
        method,
        encryption,
        checksum: long(header, 16)?,
        packed: usize::try_from(packed).ok()?,
        unpacked,
        offset: usize::try_from(offset).ok()?,
    };
    Some((entry, at + 46 + name_size + after))
}

fn large(bytes: &[u8], at: usize) -> Option<usize> {
    let eight = bytes.get(at..at.checked_add(8)?)?;
    let number = eight.try_into().ok().map(u64::from_le_bytes)?;
    usize::try_from(number).ok()
}

//! Reads ZIP archives as the document formats use them: entries by name, unpacked in memory, within
//! the budget.
//!
//! Every step is bounded before it allocates: the number of entries, the size of each, and their
//! sum, counted on the bytes that come out and not on what a header promises. Nothing is written to
//! a disk, so a name cannot escape a directory. Entries that overlap and archives that contain
//! themselves are harmless: each entry is read on demand and counts against the same budget.

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::budget::Budget;
use super::encryption::Encrypted;
use super::encryption::zip::{AES_METHOD, ZipEncryption, has_checksum};
use super::error::DocumentError;
use super::password::Password;
use crate::extract::charset;

const END_OF_DIRECTORY: &[u8] = b"PK\x05\x06";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL_ENTRY: &[u8] = b"PK\x03\x04";
const LARGE_LOCATOR: &[u8] = b"PK\x06\x07";
const LARGE_END: &[u8] = b"PK\x06\x06";
const END_SIZE: usize = 22;
const LONGEST_COMMENT: usize = u16::MAX as usize;
const CHUNK: usize = 64 * 1024;

/// An archive whose central directory has been read.
#[derive(Debug)]
pub(super) struct ZipArchive<'a> {
    bytes: &'a [u8],
    entries: Vec<ZipEntry<'a>>,
    /// Opens the entries that are encrypted.
    password: Option<&'a Password>,
    /// The number of bytes before the archive, as in self-extracting files. Every offset is short
    /// by this number.
    shift: usize,
}

#[derive(Debug)]
struct ZipEntry<'a> {
    name: &'a [u8],
    method: u16,
    encryption: Option<ZipEncryption>,
    checksum: u32,
    packed: usize,
    unpacked: u64,
    offset: usize,
}

impl ZipEntry<'_> {
    fn unpack(&self, packed: &[u8], budget: &Budget) -> Result<Vec<u8>, DocumentError> {
        match self.method {
            0 => unpack_all(packed, budget),
            8 => unpack_all(DeflateDecoder::new(packed), budget),
            _ => Err(DocumentError::UnknownCompression),
        }
    }
}

impl<'a> ZipArchive<'a> {
    /// Reads the central directory.
    pub(super) fn open(
        bytes: &'a [u8],
        max_entries: usize,
    ) -> Result<ZipArchive<'a>, DocumentError> {
        let directory = Directory::find(bytes).ok_or(DocumentError::Broken)?;
        if directory.count > max_entries {
            return Err(DocumentError::TooManyEntries);
        }
        let shift = directory.start.saturating_sub(directory.declared);
        let mut entries = Vec::with_capacity(directory.count);
        let mut at = directory.start;
        while let Some((entry, next)) = directory_entry(bytes, at) {
            if entries.len() == max_entries {
                return Err(DocumentError::TooManyEntries);
            }
            entries.push(entry);
            at = next;
        }
        if entries.is_empty() {
            Err(DocumentError::Broken)
        } else {
            Ok(ZipArchive {
                bytes,
                entries,
                password: None,
                shift,
            })
        }
    }

    /// The archive, whose encrypted entries open with this password.
    pub(super) fn with_password(self, password: Option<&'a Password>) -> ZipArchive<'a> {
        ZipArchive { password, ..self }
    }

    /// The names of the entries, in the archive's order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .filter_map(|entry| std::str::from_utf8(entry.name).ok())
    }

    /// The names of all entries, decoded, and the sizes that they declare.
    pub(super) fn listed(&self) -> Vec<(String, u64)> {
        self.entries
            .iter()
            .map(|entry| (charset::decode(entry.name, None).text, entry.unpacked))
            .collect()
    }

    /// The content of the entry at that place in [`ZipArchive::listed`].
    pub(super) fn read_listed(
        &self,
        index: usize,
        budget: &Budget,
    ) -> Result<Vec<u8>, DocumentError> {
        let entry = self.entries.get(index).ok_or(DocumentError::NoSuchPart)?;
        self.unpack(entry, budget)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The content of an entry. `None` if there is no such entry.
    pub(super) fn read_entry(
        &self,
        name: &str,
        budget: &Budget,
    ) -> Result<Option<Vec<u8>>, DocumentError> {
        self.find(name)
            .map(|entry| self.unpack(entry, budget))
            .transpose()
    }

    /// The content of an entry without which the document is broken.
    pub(super) fn require_entry(
        &self,
        name: &str,
        budget: &Budget,
    ) -> Result<Vec<u8>, DocumentError> {
        self.read_entry(name, budget)?.ok_or(DocumentError::Broken)
    }

    /// Finds an entry by its exact name, else without regard to case, as Office does, and to the
    /// kind of slash, which some programs get wrong.
    fn find(&self, name: &str) -> Option<&ZipEntry<'a>> {
        let name = name.trim_start_matches('/').as_bytes();
        let exact = self.entries.iter().find(|entry| entry.name == name);
        exact.or_else(|| {
            self.entries
                .iter()
                .find(|entry| is_same_name(entry.name, name))
        })
    }

    fn unpack(&self, entry: &ZipEntry<'a>, budget: &Budget) -> Result<Vec<u8>, DocumentError> {
        let packed = self.packed(entry).ok_or(DocumentError::Broken)?;
        if let Some(encryption) = entry.encryption {
            return self.unpack_encrypted(entry, encryption, packed, budget);
        }
        entry.unpack(packed, budget)
    }

    fn unpack_encrypted(
        &self,
        entry: &ZipEntry<'a>,
        encryption: ZipEncryption,
        packed: &[u8],
        budget: &Budget,
    ) -> Result<Vec<u8>, DocumentError> {
        if encryption == ZipEncryption::Unknown {
            return Err(Encrypted::Zip.not_supported());
        }
        let closed = Encrypted::Zip.closed_to(self.password);
        let password = self.password.map(Password::reveal).ok_or(closed)?;
        budget.count_unpacked(packed.len() as u64)?;
        let packed = encryption.open(packed, password).ok_or(closed)?;
        if matches!(encryption, ZipEncryption::Aes { .. }) {
            return entry.unpack(&packed, budget);
        }
        match entry.unpack(&packed, budget) {
            Ok(content) if has_checksum(&content, entry.checksum) => Ok(content),
            Ok(_) | Err(DocumentError::Broken) => Err(closed),
            Err(error) => Err(error),
        }
    }

    /// The compressed bytes, as many of them as a truncated file still has.
    fn packed(&self, entry: &ZipEntry<'a>) -> Option<&'a [u8]> {
        let at = [entry.offset.checked_add(self.shift)?, entry.offset]
            .into_iter()
            .find(|at| {
                self.bytes
                    .get(*at..)
                    .is_some_and(|rest| rest.starts_with(LOCAL_ENTRY))
            })?;
        let start = at
            + 30
            + usize::from(short(self.bytes, at + 26)?)
            + usize::from(short(self.bytes, at + 28)?);
        let end = start.checked_add(entry.packed)?.min(self.bytes.len());
        self.bytes.get(start..end)
    }
}

fn is_same_name(left: &[u8], right: &[u8]) -> bool {
    let folded = |letter: &u8| match letter {
        b'\\' => b'/',
        letter => letter.to_ascii_lowercase(),
    };
    let left = left.strip_prefix(b"/").unwrap_or(left);
    left.len() == right.len() && left.iter().map(folded).eq(right.iter().map(folded))
}

/// Unpacks chunk by chunk, so that a decompression bomb is noticed before it fills the memory.
pub(super) fn unpack_all(mut source: impl Read, budget: &Budget) -> Result<Vec<u8>, DocumentError> {
    let mut content = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = source.read(&mut chunk).map_err(|_| DocumentError::Broken)?;
        if read == 0 {
            return Ok(content);
        }
        budget.count_unpacked(read as u64)?;
        if (content.len() + read) as u64 > budget.limits.part {
            return Err(DocumentError::UnpacksTooLarge);
        }
        content.extend_from_slice(&chunk[..read]);
    }
}

fn find_end(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_SIZE)?;
    let first = last.saturating_sub(LONGEST_COMMENT);
    (first..=last)
        .rev()
        .find(|at| bytes[*at..].starts_with(END_OF_DIRECTORY))
}

/// Where the directory is.
struct Directory {
    start: usize,
    /// Where the archive says that it starts.
    declared: usize,
    count: usize,
}

impl Directory {
    fn find(bytes: &[u8]) -> Option<Directory> {
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

fn directory_entry(bytes: &[u8], at: usize) -> Option<(ZipEntry<'_>, usize)> {
    let header = bytes
        .get(at..at + 46)
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

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..at + 2)?
        .try_into()
        .ok()
        .map(u16::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)?
        .try_into()
        .ok()
        .map(u32::from_le_bytes)
}

fn large(bytes: &[u8], at: usize) -> Option<usize> {
    let eight = bytes.get(at..at.checked_add(8)?)?;
    let number = eight.try_into().ok().map(u64::from_le_bytes)?;
    usize::try_from(number).ok()
}

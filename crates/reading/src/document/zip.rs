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
use super::error::DocumentError;
use crate::extract::charset;

const END_OF_DIRECTORY: &[u8] = b"PK\x05\x06";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL_ENTRY: &[u8] = b"PK\x03\x04";
const END_SIZE: usize = 22;
const LONGEST_COMMENT: usize = u16::MAX as usize;
const CHUNK: usize = 64 * 1024;

/// An archive whose central directory has been read.
#[derive(Debug)]
pub(super) struct ZipArchive<'a> {
    bytes: &'a [u8],
    entries: Vec<ZipEntry<'a>>,
    /// The number of bytes before the archive, as in self-extracting files. Every offset is short
    /// by this number.
    shift: usize,
}

#[derive(Debug)]
struct ZipEntry<'a> {
    name: &'a [u8],
    method: u16,
    encrypted: bool,
    packed: usize,
    unpacked: u64,
    offset: usize,
}

impl<'a> ZipArchive<'a> {
    /// Reads the central directory.
    pub(super) fn open(
        bytes: &'a [u8],
        max_entries: usize,
    ) -> Result<ZipArchive<'a>, DocumentError> {
        let end = find_end(bytes).ok_or(DocumentError::Broken)?;
        let count = usize::from(short(bytes, end + 10).ok_or(DocumentError::Broken)?);
        let size = long(bytes, end + 12).ok_or(DocumentError::Broken)? as usize;
        let declared = long(bytes, end + 16).ok_or(DocumentError::Broken)? as usize;
        if count > max_entries {
            return Err(DocumentError::TooManyEntries);
        }
        let start = end.checked_sub(size).ok_or(DocumentError::Broken)?;
        let shift = start.saturating_sub(declared);
        let mut entries = Vec::with_capacity(count);
        let mut at = start;
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
                shift,
            })
        }
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
        if entry.encrypted {
            return Err(DocumentError::Encrypted);
        }
        let packed = self.packed(entry).ok_or(DocumentError::Broken)?;
        match entry.method {
            0 => unpack_all(packed, budget),
            8 => unpack_all(DeflateDecoder::new(packed), budget),
            _ => Err(DocumentError::Broken),
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

fn directory_entry(bytes: &[u8], at: usize) -> Option<(ZipEntry<'_>, usize)> {
    let header = bytes
        .get(at..at + 46)
        .filter(|header| header.starts_with(DIRECTORY_ENTRY))?;
    let name_size = usize::from(short(header, 28)?);
    let after = usize::from(short(header, 30)?) + usize::from(short(header, 32)?);
    let name = bytes.get(at + 46..at + 46 + name_size)?;
    let entry = ZipEntry {
        name,
        method: short(header, 10)?,
        encrypted: short(header, 8)? & 1 == 1,
        packed: long(header, 20)? as usize,
        unpacked: u64::from(long(header, 24)?),
        offset: long(header, 42)? as usize,
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

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
use super::encryption::zip::{ZipEncryption, has_checksum};
use super::error::DocumentError;
use super::password::Password;
use super::zip_directory::{DIRECTORY_ENTRY_SIZE, Directory, directory_entry};
use super::zip_walk;
use crate::extract::charset;

pub(super) const LOCAL_ENTRY: &[u8] = b"PK\x03\x04";
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
    /// Whether its directory is missing, and maybe the end of its last entry.
    is_cut: bool,
}

#[derive(Debug)]
pub(super) struct ZipEntry<'a> {
    pub(super) name: &'a [u8],
    pub(super) method: u16,
    pub(super) encryption: Option<ZipEncryption>,
    pub(super) checksum: u32,
    pub(super) packed: usize,
    pub(super) unpacked: u64,
    pub(super) offset: usize,
}

impl ZipEntry<'_> {
    /// What comes before damage, and whether there is none.
    fn unpack(&self, packed: &[u8], budget: &Budget) -> Result<(Vec<u8>, bool), DocumentError> {
        match self.method {
            0 => unpack(packed, budget),
            8 => unpack(DeflateDecoder::new(packed), budget),
            _ => Err(DocumentError::UnknownCompression),
        }
    }
}

impl<'a> ZipArchive<'a> {
    /// Reads the central directory, or where it is missing, what is left of the entries.
    pub(super) fn open(
        bytes: &'a [u8],
        max_entries: usize,
    ) -> Result<ZipArchive<'a>, DocumentError> {
        match ZipArchive::by_directory(bytes, max_entries) {
            Err(DocumentError::Broken) => {
                let entries = zip_walk::entries(bytes, max_entries);
                let archive = ZipArchive::of_entries(entries, bytes, 0)?;
                Ok(ZipArchive {
                    is_cut: true,
                    ..archive
                })
            }
            archive => archive,
        }
    }

    /// Reads the central directory.
    pub(super) fn by_directory(
        bytes: &'a [u8],
        max_entries: usize,
    ) -> Result<ZipArchive<'a>, DocumentError> {
        let directory = Directory::find(bytes).ok_or(DocumentError::Broken)?;
        if directory.count > max_entries {
            return Err(DocumentError::TooManyEntries);
        }
        let shift = directory.start.saturating_sub(directory.declared);
        let mut entries =
            Vec::with_capacity(directory.count.min(bytes.len() / DIRECTORY_ENTRY_SIZE));
        let mut at = directory.start;
        while let Some((entry, next)) = directory_entry(bytes, at) {
            if entries.len() == max_entries {
                return Err(DocumentError::TooManyEntries);
            }
            entries.push(entry);
            at = next;
        }
        // The directory of an archive inside this one, whose own was cut off.
        let is_of_another = |first: &ZipEntry<'_>| {
            shift > 0
                && bytes.starts_with(LOCAL_ENTRY)
                && !zip_walk::is_named(bytes, first.offset, first.name)
        };
        if entries.first().is_some_and(is_of_another) {
            return Err(DocumentError::Broken);
        }
        ZipArchive::of_entries(entries, bytes, shift)
    }

    fn of_entries(
        entries: Vec<ZipEntry<'a>>,
        bytes: &'a [u8],
        shift: usize,
    ) -> Result<ZipArchive<'a>, DocumentError> {
        if entries.is_empty() {
            return Err(DocumentError::Broken);
        }
        Ok(ZipArchive {
            bytes,
            entries,
            password: None,
            shift,
            is_cut: false,
        })
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
        match entry.unpack(packed, budget)? {
            (content, true) => Ok(content),
            (content, false) if self.is_cut && !content.is_empty() => Ok(content),
            _ => Err(DocumentError::Broken),
        }
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
            let (content, is_intact) = entry.unpack(&packed, budget)?;
            return is_intact.then_some(content).ok_or(DocumentError::Broken);
        }
        match entry.unpack(&packed, budget)? {
            (content, true) if has_checksum(&content, entry.checksum) => Ok(content),
            _ => Err(closed),
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

/// Whether an archive has its directory, which one that was cut has lost.
pub(super) fn has_directory(bytes: &[u8]) -> bool {
    !matches!(
        ZipArchive::by_directory(bytes, usize::MAX),
        Err(DocumentError::Broken)
    )
}

fn is_same_name(left: &[u8], right: &[u8]) -> bool {
    let folded = |letter: &u8| match letter {
        b'\\' => b'/',
        letter => letter.to_ascii_lowercase(),
    };
    let left = left.strip_prefix(b"/").unwrap_or(left);
    left.len() == right.len() && left.iter().map(folded).eq(right.iter().map(folded))
}

/// Unpacks a stream that must be intact.
pub(super) fn unpack_all(source: impl Read, budget: &Budget) -> Result<Vec<u8>, DocumentError> {
    match unpack(source, budget)? {
        (content, true) => Ok(content),
        (_, false) => Err(DocumentError::Broken),
    }
}

/// Unpacks chunk by chunk, so that a decompression bomb is noticed before it fills the memory.
/// Returns what comes before damage, and whether there is none.
pub(super) fn unpack(
    mut source: impl Read,
    budget: &Budget,
) -> Result<(Vec<u8>, bool), DocumentError> {
    let mut content = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match source.read(&mut chunk) {
            Ok(0) => return Ok((content, true)),
            Ok(read) => read,
            Err(_) => return Ok((content, false)),
        };
        budget.count_unpacked(read as u64)?;
        if (content.len() + read) as u64 > budget.limits.part {
            return Err(DocumentError::UnpacksTooLarge);
        }
        content.extend_from_slice(&chunk[..read]);
    }
}

pub(super) fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..at + 2)?
        .try_into()
        .ok()
        .map(u16::from_le_bytes)
}

pub(super) fn long(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)?
        .try_into()
        .ok()
        .map(u32::from_le_bytes)
}

//! What formats look for in a ZIP archive to tell whether it is one of theirs.

use super::budget::{Budget, Limits};
use super::recognise::PREFIX;
use super::zip::ZipArchive;

/// What is in a ZIP archive, to tell documents from other archives.
pub(super) struct ZipListing<'a> {
    bytes: &'a [u8],
    /// `None` where the directory is damaged or missing.
    archive: Option<ZipArchive<'a>>,
}

impl<'a> ZipListing<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> ZipListing<'a> {
        // More entries than any document has. The reader applies the real limit.
        const MAX_ENTRIES: usize = 70_000;
        ZipListing {
            bytes,
            archive: ZipArchive::by_directory(bytes, MAX_ENTRIES).ok(),
        }
    }

    /// Whether there is an entry of that name. If the directory is damaged: whether the first
    /// 64 KiB contain `mark`.
    pub(super) fn has_entry(&self, name: &str, mark: &str) -> bool {
        match &self.archive {
            Some(archive) => archive.contains(name),
            None => self.starts_with_bytes_containing(64 * PREFIX, mark),
        }
    }

    /// Whether there is an entry of that name in a directory that could be read.
    pub(super) fn has_listed_entry(&self, name: &str) -> bool {
        let mut archives = self.archive.iter();
        archives.any(|archive| archive.contains(name))
    }

    /// Whether there are entries in that folder, whose name ends with a slash.
    pub(super) fn has_folder(&self, folder: &str) -> bool {
        match &self.archive {
            Some(archive) => archive
                .names()
                .any(|name| name.replace('\\', "/").starts_with(folder)),
            None => self.starts_with_bytes_containing(64 * PREFIX, folder),
        }
    }

    /// Whether the content types of an Office package name a main part of one of these families.
    pub(super) fn declares_main_part(&self, families: &[&str]) -> bool {
        let types = self.entry("[Content_Types].xml");
        let types = String::from_utf8_lossy(&types);
        types.split(['"', '\'']).any(|value| {
            value.contains(".main") && families.iter().any(|family| value.contains(family))
        })
    }

    /// Whether an entry, unpacked, contains a text.
    pub(super) fn entry_mentions(&self, entry: &str, text: &str) -> bool {
        let content = self.entry(entry);
        content
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    }

    /// The content of an entry that is not too large to look at.
    fn entry(&self, name: &str) -> Vec<u8> {
        let budget = Budget::new(Limits {
            part: 8_000_000,
            ..Limits::default()
        });
        let archive = self.archive.as_ref();
        let content = archive.and_then(|archive| archive.read_entry(name, &budget).ok());
        content.flatten().unwrap_or_default()
    }

    /// Whether the first bytes contain a text. The first entry of an OpenDocument file is its media
    /// type, uncompressed.
    pub(super) fn first_entry_mentions(&self, text: &str) -> bool {
        self.starts_with_bytes_containing(PREFIX, text)
    }

    fn starts_with_bytes_containing(&self, length: usize, text: &str) -> bool {
        let start = &self.bytes[..self.bytes.len().min(length)];
        start
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    }
}

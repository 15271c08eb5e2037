//! Reads compound files (OLE): a file system in a file, which programs from before 2007, Outlook
//! and Hangul use.
//!
//! The file names its own sectors, so every chain is followed for at most as many steps as the file
//! has sectors, and the bytes that come out count against the budget: two streams may name the same
//! sectors.

use super::budget::Budget;
use super::error::DocumentError;

pub(super) const SIGNATURE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

const HEADER_SECTORS: usize = 109;
const ENTRY_SIZE: usize = 128;
/// The index of an entry or a sector that does not exist.
const NONE: u32 = 0xFFFF_FFFF;
/// Sector numbers from here on have other meanings.
const LAST_SECTOR: u32 = 0xFFFF_FFF9;
const MAX_ENTRIES: usize = 65_536;

/// A compound file whose directory has been read.
#[derive(Debug)]
pub(super) struct CompoundFile<'a> {
    bytes: &'a [u8],
    sector: usize,
    /// The sectors of the allocation table.
    table: Vec<u32>,
    /// Streams shorter than this are in the small sectors.
    cutoff: u64,
    small_table: Vec<u32>,
    /// The sectors that the small sectors are in.
    small_home: Vec<u32>,
    entries: Vec<CompoundEntry>,
}

#[derive(Debug)]
struct CompoundEntry {
    name: String,
    is_stream: bool,
    left: u32,
    right: u32,
    child: u32,
    start: u32,
    size: u64,
}

/// An entry of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryId(usize);

const SMALL_SECTOR: usize = 64;

impl<'a> CompoundFile<'a> {
    /// Reads the directory. `None` for a file that does not follow the format.
    pub(super) fn open(bytes: &'a [u8]) -> Option<CompoundFile<'a>> {
        let shift = short(bytes, 30)?;
        if !bytes.starts_with(SIGNATURE) || !matches!(shift, 9 | 12) {
            return None;
        }
        let mut file = CompoundFile {
            bytes,
            sector: 1 << shift,
            table: Vec::new(),
            cutoff: u64::from(long(bytes, 56)?),
            small_table: Vec::new(),
            small_home: Vec::new(),
            entries: Vec::new(),
        };
        file.table = file.allocation_table()?;
        file.entries = file.directory(long(bytes, 48)?);
        file.small_table = file.chain(long(bytes, 60)?);
        let root = file.entries.first()?;
        file.small_home = file.chain(root.start);
        Some(file)
    }

    /// The outermost storage.
    pub(super) fn root(&self) -> EntryId {
        EntryId(0)
    }

    /// The entries of a storage.
    pub(super) fn children(&self, storage: EntryId) -> Vec<EntryId> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.entries.len()];
        let mut waiting = vec![self.entries[storage.0].child];
        while let Some(index) = waiting.pop() {
            let Some(entry) = self.entries.get(index as usize) else {
                continue;
            };
            if std::mem::replace(&mut seen[index as usize], true) {
                continue;
            }
            found.push(EntryId(index as usize));
            waiting.extend([entry.right, entry.left]);
        }
        found
    }

    pub(super) fn name(&self, entry: EntryId) -> &str {
        &self.entries[entry.0].name
    }

    /// Whether the outermost storage has an entry of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(self.root(), name).is_some()
    }

    /// The entry of that name, without regard to case.
    pub(super) fn find(&self, storage: EntryId, name: &str) -> Option<EntryId> {
        self.children(storage)
            .into_iter()
            .find(|entry| self.name(*entry).eq_ignore_ascii_case(name))
    }

    /// How many bytes a stream states to have.
    pub(super) fn size(&self, entry: EntryId) -> u64 {
        self.entries[entry.0].size
    }

    /// The bytes of a stream, as many of them as a damaged file still has. `None` for a storage.
    pub(super) fn read(
        &self,
        entry: EntryId,
        budget: &Budget,
    ) -> Result<Option<Vec<u8>>, DocumentError> {
        let entry = &self.entries[entry.0];
        if !entry.is_stream {
            return Ok(None);
        }
        let size = usize::try_from(entry.size.min(self.bytes.len() as u64)).unwrap_or(0);
        budget.count_unpacked(size as u64)?;
        let is_small = entry.size < self.cutoff;
        let content = if is_small {
            self.small_stream(entry.start, size)
        } else {
            let sectors = self.chain(entry.start);
            let mut content = Vec::with_capacity(size);
            for sector in sectors {
                if content.len() >= size {
                    break;
                }
                content.extend_from_slice(self.sector_bytes(sector));
            }
            content.truncate(size);
            content
        };
        Ok(Some(content))
    }

    fn small_stream(&self, start: u32, size: usize) -> Vec<u8> {
        let mut content = Vec::with_capacity(size);
        let mut next = start;
        while content.len() < size && next < LAST_SECTOR {
            let at = next as usize * SMALL_SECTOR;
            let sector = self.small_home.get(at / self.sector).copied();
            let bytes = sector.map_or(&[][..], |sector| self.sector_bytes(sector));
            let from = (at % self.sector).min(bytes.len());
            let piece = &bytes[from..bytes.len().min(from + SMALL_SECTOR)];
            if piece.is_empty() {
                break;
            }
            content.extend_from_slice(piece);
            next = self.in_table(&self.small_table, next);
        }
        content.truncate(size);
        content
    }

    /// The sectors of the allocation table: the first ones are in the header, the others in a chain
    /// of their own.
    fn allocation_table(&self) -> Option<Vec<u32>> {
        let most = self.bytes.len() / self.sector + 1;
        let mut table: Vec<u32> = (0..HEADER_SECTORS)
            .filter_map(|index| long(self.bytes, 76 + 4 * index))
            .filter(|sector| *sector < LAST_SECTOR)
            .collect();
        let mut next = long(self.bytes, 68)?;
        let per_sector = self.sector / 4 - 1;
        let mut steps = 0;
        while next < LAST_SECTOR && steps < most && table.len() < most {
            let bytes = self.sector_bytes(next);
            let listed = (0..per_sector).filter_map(|index| long(bytes, 4 * index));
            table.extend(listed.filter(|sector| *sector < LAST_SECTOR));
            next = long(bytes, 4 * per_sector).unwrap_or(NONE);
            steps += 1;
        }
        table.truncate(most);
        Some(table)
    }

    fn directory(&self, start: u32) -> Vec<CompoundEntry> {
        let mut entries = Vec::new();
        for sector in self.chain(start) {
            let bytes = self.sector_bytes(sector);
            entries.extend(bytes.chunks_exact(ENTRY_SIZE).filter_map(directory_entry));
            if entries.len() >= MAX_ENTRIES {
                break;
            }
        }
        entries
    }

    /// The sectors of a chain, in order. A chain that bites its tail ends after as many sectors as
    /// the file has.
    fn chain(&self, start: u32) -> Vec<u32> {
        let most = self.bytes.len() / self.sector;
        let mut sectors = Vec::new();
        let mut next = start;
        while next < LAST_SECTOR && sectors.len() < most {
            sectors.push(next);
            next = self.in_table(&self.table, next);
        }
        sectors
    }

    /// What an allocation table, which is in these sectors, has for a sector.
    fn in_table(&self, table: &[u32], sector: u32) -> u32 {
        let per_sector = self.sector / 4;
        let index = sector as usize;
        table
            .get(index / per_sector)
            .and_then(|home| long(self.sector_bytes(*home), 4 * (index % per_sector)))
            .unwrap_or(NONE)
    }

    /// The bytes of a sector; the last one of a file may be short.
    fn sector_bytes(&self, sector: u32) -> &'a [u8] {
        let start = (sector as usize + 1).saturating_mul(self.sector);
        let end = start.saturating_add(self.sector).min(self.bytes.len());
        self.bytes.get(start..end).unwrap_or_default()
    }
}

fn directory_entry(bytes: &[u8]) -> Option<CompoundEntry> {
    let units = usize::from(short(bytes, 64)?).min(64) / 2;
    let name: Vec<u16> = (0..units.saturating_sub(1))
        .filter_map(|index| short(bytes, 2 * index))
        .collect();
    Some(CompoundEntry {
        name: String::from_utf16_lossy(&name),
        is_stream: bytes[66] == 2,
        left: long(bytes, 68)?,
        right: long(bytes, 72)?,
        child: long(bytes, 76)?,
        start: long(bytes, 116)?,
        // Half of the size is noise in files of the older version, which cannot be that large.
        size: u64::from(long(bytes, 120)?),
    })
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at + 2)?;
    pair.try_into().ok().map(u16::from_le_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    four.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::super::Limits;
    use super::*;

    #[test]
    fn streams_large_and_small_are_found_by_name() {
        let large = vec![b'x'; 5_000];
        let bytes =
            testkit::documents::compound(&[("small", b"few"), ("large", &large), ("dir/in", b"y")]);
        let file = CompoundFile::open(&bytes).expect("a compound file");
        let budget = Budget::new(Limits::default());
        let read = |storage, name: &str| {
            let entry = file.find(storage, name).expect("is there");
            file.read(entry, &budget).expect("is within the limits")
        };
        assert_eq!(read(file.root(), "SMALL").as_deref(), Some(&b"few"[..]));
        assert_eq!(read(file.root(), "large"), Some(large));
        let dir = file.find(file.root(), "dir").expect("a storage");
        assert_eq!(file.read(dir, &budget).expect("a storage"), None);
        assert_eq!(read(dir, "in").as_deref(), Some(&b"y"[..]));
        assert!(!file.has("in"));
    }

    #[test]
    fn a_damaged_file_ends_every_walk() {
        let bytes = testkit::documents::compound(&[("a", &[b'x'; 9_000]), ("b/c", b"y")]);
        let budget = Budget::new(Limits::default());
        for at in 0..bytes.len().min(4_096) {
            for value in [0, 1, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let Some(file) = CompoundFile::open(&damaged) else {
                    continue;
                };
                for entry in file.children(file.root()) {
                    let _ = file.read(entry, &Budget::new(Limits::default()));
                    file.children(entry);
                }
            }
        }
        for length in 0..bytes.len() {
            if let Some(file) = CompoundFile::open(&bytes[..length]) {
                file.children(file.root())
                    .into_iter()
                    .for_each(|entry| drop(file.read(entry, &budget)));
            }
        }
    }
}

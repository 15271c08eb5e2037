//! The numbers and letters in front of list items and headings of Word documents before 2007.
//!
//! A paragraph names a use of a list. Several uses can share one list, and then go on counting where
//! the last one stopped, unless one of them says where it starts.

use std::collections::{HashMap, HashSet};

use super::doc::{listed, long, short};
use super::fields::{Fields, utf_16};
use crate::document::item_mark::{ItemMark, NumberFormat};

/// The places of the lists and of their uses in the header of the file.
const LISTS: usize = 0x02E2;
const USES: usize = 0x02EA;
const LEVELS: usize = 9;
/// More lists or uses than any document has.
const MAX_LISTS: usize = 4_096;
/// Letters of a label, twice as many as Word writes. Each paragraph of a list repeats it.
const MAX_LABEL: usize = 64;
const BULLET: u8 = 23;
const NO_NUMBER: u8 = 255;

/// The lists of one document and how far they are.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The levels of each list, by its number.
    lists: HashMap<u32, Vec<Level>>,
    uses: Vec<Use>,
    /// The last number of each level, by list.
    counters: HashMap<u32, [Option<u32>; LEVELS]>,
    /// The levels of uses that have started where they say.
    started: HashSet<(usize, usize)>,
}

#[derive(Debug, Default, Clone)]
struct Level {
    start: u32,
    notation: u8,
    /// Whether the numbers of other levels are written in digits.
    is_legal: bool,
    /// The label, in which a letter below nine stands for the number of that level.
    label: Vec<char>,
}

#[derive(Debug, Default)]
struct Use {
    list: u32,
    starts: HashMap<usize, u32>,
    levels: HashMap<usize, Level>,
}

impl Lists {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Lists {
        Lists {
            lists: lists(main, table).unwrap_or_default(),
            uses: uses(listed(main, table, USES).unwrap_or_default()),
            ..Lists::default()
        }
    }

    /// Counts an item of a use, from one, and returns what stands in front of it.
    pub(super) fn next(&mut self, number: u16, level: usize) -> ItemMark {
        self.counted(number, level.min(LEVELS - 1))
            .unwrap_or(ItemMark::Bullet)
    }

    fn counted(&mut self, number: u16, index: usize) -> Option<ItemMark> {
        let number = usize::from(number).checked_sub(1)?;
        let of_use = self.uses.get(number)?;
        let level = self.level(of_use, index)?.clone();
        let own_start = of_use.starts.get(&index).copied();
        let list = of_use.list;
        let counters = self.counters.entry(list).or_default();
        if own_start.is_some() && self.started.insert((number, index)) {
            counters[index] = None;
        }
        let start = own_start.unwrap_or(level.start);
        let count = counters[index].map_or(start, |last| last.saturating_add(1));
        counters[index] = Some(count);
        counters[index + 1..].fill(None);
        let counters = *counters;
        Some(self.mark(number, index, &level, counters))
    }

    fn level<'l>(&'l self, of_use: &'l Use, index: usize) -> Option<&'l Level> {
        let own = of_use.levels.get(&index);
        // A simple list has one level for all.
        own.or_else(|| {
            let levels = self.lists.get(&of_use.list)?;
            levels.get(index).or_else(|| levels.first())
        })
    }

    fn mark(
        &self,
        number: usize,
        index: usize,
        level: &Level,
        counters: [Option<u32>; LEVELS],
    ) -> ItemMark {
        let own = char::from(index as u8);
        match (level.notation, level.label.as_slice()) {
            (BULLET, _) => ItemMark::Bullet,
            (0, [place, '.' | ')']) if *place == own => {
                ItemMark::Number(counters[index].unwrap_or(level.start) as usize)
            }
            (_, label) => {
                let shown: String = label
                    .iter()
                    .map(
                        |letter| match usize::from(u16::try_from(*letter as u32).unwrap_or(9)) {
                            place if place < LEVELS => self.count(number, place, level, counters),
                            _ => letter.to_string(),
                        },
                    )
                    .collect();
                match shown.trim() {
                    "" => ItemMark::Bullet,
                    shown => ItemMark::Label(shown.to_owned()),
                }
            }
        }
    }

    /// The number of a level as a label has it.
    fn count(
        &self,
        number: usize,
        place: usize,
        shown_in: &Level,
        counters: [Option<u32>; LEVELS],
    ) -> String {
        let of_use = self.uses.get(number);
        let level = of_use.and_then(|it| self.level(it, place));
        let count = counters[place].unwrap_or_else(|| level.map_or(1, |it| it.start));
        let notation = level.map_or(0, |it| it.notation);
        match notation {
            BULLET | NO_NUMBER => String::new(),
            _ if shown_in.is_legal => count.to_string(),
            notation => written(count, notation),
        }
    }
}

fn written(count: u32, notation: u8) -> String {
    let format = match notation {
        1 => NumberFormat::CapitalRoman,
        2 => NumberFormat::SmallRoman,
        3 => NumberFormat::CapitalLetters,
        4 => NumberFormat::SmallLetters,
        22 => NumberFormat::TwoDigits,
        _ => NumberFormat::Decimal,
    };
    format.written(count as usize)
}

/// The lists, whose levels follow the list of them.
fn lists(main: &[u8], table: &[u8]) -> Option<HashMap<u32, Vec<Level>>> {
    const SIZE: usize = 28;
    let heads = listed(main, table, LISTS)?;
    let count = usize::from(short(heads, 0)?).min(MAX_LISTS);
    let end = (long(main, LISTS)? as usize).checked_add(heads.len())?;
    let mut levels = Fields(table.get(end..)?);
    let mut lists = HashMap::new();
    for index in 0..count {
        let Some(head) = heads.get(2 + SIZE * index..2 + SIZE * (index + 1)) else {
            break;
        };
        let is_simple = head[26] & 1 != 0;
        let wanted = if is_simple { 1 } else { LEVELS };
        let read: Vec<Level> = std::iter::from_fn(|| level(&mut levels))
            .take(wanted)
            .collect();
        lists.insert(long(head, 0)?, read);
    }
    Some(lists)
}

fn level(fields: &mut Fields<'_>) -> Option<Level> {
    let start = fields.long()?;
    let notation = fields.byte()?;
    let flags = fields.byte()?;
    // Where the places in the label are, what follows it, and indents.
    fields.bytes(18)?;
    let character_properties = usize::from(fields.byte()?);
    let paragraph_properties = usize::from(fields.byte()?);
    fields.bytes(2)?;
    fields.bytes(paragraph_properties + character_properties)?;
    let length = usize::from(fields.short()?);
    let label = utf_16(fields.bytes(2 * length)?);
    let label = label.chars().take(MAX_LABEL).collect();
    Some(Level {
        start,
        notation,
        is_legal: flags & 4 != 0,
        label,
    })
}

/// The uses of lists, and what each of them changes.
fn uses(bytes: &[u8]) -> Vec<Use> {
    const SIZE: usize = 16;
    let count = long(bytes, 0).unwrap_or(0) as usize;
    let count = count.min(MAX_LISTS).min(bytes.len() / SIZE);
    let mut uses = Vec::with_capacity(count);
    let mut changes = Fields(bytes.get(4 + SIZE * count..).unwrap_or_default());
    for index in 0..count {
        let head = bytes.get(4 + SIZE * index..).unwrap_or_default();
        let mut read = Use {
            list: long(head, 0).unwrap_or(0),
            ..Use::default()
        };
        let changed = head.get(12).copied().unwrap_or(0);
        let _ = read_changes(&mut changes, changed, &mut read);
        uses.push(read);
    }
    uses
}

fn read_changes(fields: &mut Fields<'_>, count: u8, of_use: &mut Use) -> Option<()> {
    const STARTS: u32 = 0x10;
    const LOOKS_DIFFERENT: u32 = 0x20;
    fields.long()?;
    for _ in 0..count {
        let start = fields.long()?;
        let flags = fields.long()?;
        let index = (flags & 0xF) as usize;
        if flags & STARTS != 0 && index < LEVELS {
            of_use.starts.insert(index, start);
        }
        if flags & LOOKS_DIFFERENT != 0 {
            let changed = level(fields)?;
            if flags & STARTS != 0 && index < LEVELS {
                of_use.starts.insert(index, changed.start);
            }
            of_use.levels.insert(index, changed);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level_bytes(start: u32, notation: u8, label: &str) -> Vec<u8> {
        let mut bytes = start.to_le_bytes().to_vec();
        bytes.extend([notation, 0]);
        bytes.extend([0; 18]);
        // Two bytes of properties of characters and one of paragraphs.
        bytes.extend([2, 1, 0, 0, 9, 9, 9]);
        bytes.extend((label.chars().count() as u16).to_le_bytes());
        bytes.extend(label.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    }

    /// The streams of a document with one list of two different levels, used twice.
    fn streams() -> (Vec<u8>, Vec<u8>) {
        let mut heads = vec![1, 0, 7, 0, 0, 0];
        heads.extend([0; 24]);
        let mut table = heads.clone();
        table.extend(level_bytes(1, 0, "\u{0}."));
        table.extend(level_bytes(1, 4, "\u{0}.\u{1})"));
        for _ in 2..LEVELS {
            table.extend(level_bytes(1, BULLET, "\u{B7}"));
        }
        let uses_at = table.len();
        table.extend(2_u32.to_le_bytes());
        for changes in [0, 1] {
            table.extend([7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, changes, 0, 0, 0]);
        }
        table.extend([0xFF; 8]);
        table.extend([5, 0, 0, 0, 0x10, 0, 0, 0]);
        let uses_length = table.len() - uses_at;
        let mut main = vec![0; USES + 8];
        for (at, value) in [
            (LISTS + 4, heads.len()),
            (USES, uses_at),
            (USES + 4, uses_length),
        ] {
            main[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
        }
        (main, table)
    }

    #[test]
    fn items_are_counted_as_word_counts_them() {
        let (main, table) = streams();
        let mut lists = Lists::read(&main, &table);
        let label = |text: &str| ItemMark::Label(text.to_owned());
        for (of_use, level, expected) in [
            (1, 0, ItemMark::Number(1)),
            (1, 1, label("1.a)")),
            (1, 1, label("1.b)")),
            (1, 0, ItemMark::Number(2)),
            (1, 1, label("2.a)")),
            (1, 2, ItemMark::Bullet),
            (2, 0, ItemMark::Number(5)),
            (2, 0, ItemMark::Number(6)),
            (0, 0, ItemMark::Bullet),
            (2_047, 0, ItemMark::Bullet),
        ] {
            assert_eq!(lists.next(of_use, level), expected);
        }
        for end in 0..table.len() {
            Lists::read(&main, &table[..end]).next(1, 8);
        }
    }
}

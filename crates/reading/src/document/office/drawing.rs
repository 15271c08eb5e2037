//! Drawings of Office before 2007: what a shape says about itself. Word, Excel and PowerPoint keep
//! them in the same records.

use super::fields::{Fields, utf_16};
use super::ppt_records::{Atom, records};
use crate::document::markdown::one_line;

/// The kinds of records that drawings consist of.
pub(super) mod kind {
    pub(in super::super) const GROUP: u16 = 0xF003;
    pub(in super::super) const SHAPE: u16 = 0xF004;
    pub(in super::super) const SHAPE_HEAD: u16 = 0xF00A;
    pub(super) const PROPERTIES: [u16; 3] = [0xF00B, 0xF121, 0xF122];
}

/// The numbers of properties.
mod property {
    pub(super) const NAME_MASK: u16 = 0x3FFF;
    pub(super) const IS_LONG: u16 = 0x8000;
    pub(super) const DESCRIPTION: u16 = 0x0381;
    pub(super) const TABLE: u16 = 0x039F;
}

/// The most records of a shape that are looked at: it has a dozen, and many places can lead to one shape.
pub(super) const MAX_RECORDS: usize = 100;

/// The bytes of a property in the list, before the long values.
const PROPERTY_SIZE: usize = 6;

/// The value of a property of a shape: a number and, for a long value, its bytes.
fn value(shape: Atom<'_>, wanted: u16) -> Option<(u32, &[u8])> {
    records(shape.data)
        .take(MAX_RECORDS)
        .filter(|it| kind::PROPERTIES.contains(&it.kind))
        .find_map(|list| value_in(list, wanted))
}

fn value_in(list: Atom<'_>, wanted: u16) -> Option<(u32, &[u8])> {
    let count = usize::from(list.instance);
    let (heads, mut long) = list.data.split_at_checked(count * PROPERTY_SIZE)?;
    for head in heads.chunks_exact(PROPERTY_SIZE) {
        let mut fields = Fields(head);
        let (name, number) = (fields.short()?, fields.long()?);
        let mut bytes: &[u8] = &[];
        if name & property::IS_LONG != 0 {
            (bytes, long) = long.split_at_checked(number as usize)?;
        }
        if name & property::NAME_MASK == wanted {
            return Some((number, bytes));
        }
    }
    None
}

/// The alternative text of a shape. `None` if it has none.
pub(super) fn description(shape: Atom<'_>) -> Option<String> {
    let (_, bytes) = value(shape, property::DESCRIPTION)?;
    let text = utf_16(bytes);
    let text = one_line(text.trim_end_matches('\0'));
    (!text.is_empty()).then_some(text)
}

/// Whether the group that begins with this shape is a table.
pub(super) fn is_table(shape: Atom<'_>) -> bool {
    value(shape, property::TABLE).is_some_and(|(flags, _)| flags & 1 != 0)
}

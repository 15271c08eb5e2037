//! Fields to fill in of Word documents before 2007: boxes to tick, and lists of which one item is
//! chosen. What they show is not in the text but in the stream of data.

use super::fields::{Fields, utf_16};

/// The letter in the instructions of a field that stands for its data.
pub(super) const MARK: char = '\u{1}';
/// Bytes before the data that a letter stands for.
const HEAD: usize = 0x44;
/// The result of a field that nobody filled in.
const NO_RESULT: u16 = 25;
/// The most items of a list that are looked at.
const MAX_ITEMS: usize = 1_000;
/// Letters of an item, as Word allows. Many fields can show the same one.
const MAX_ITEM: usize = 255;

/// Whether a text has boxes or lists, so that the stream of data is worth reading.
pub(super) fn has_forms(main: &[u8]) -> bool {
    let names: [&[u8]; 4] = [
        b"FORMCHECKBOX",
        b"FORMDROPDOWN",
        b"F\0O\0R\0M\0C\0H\0E\0C\0K\0",
        b"F\0O\0R\0M\0D\0R\0O\0P\0",
    ];
    names
        .iter()
        .any(|name| main.windows(name.len()).any(|window| window == *name))
}

/// What the field with the data at this place shows. `None` for a field whose text follows as its
/// result.
pub(super) fn shown(data: &[u8], at: usize) -> Option<String> {
    const BOX: u16 = 1;
    const LIST: u16 = 2;
    let mut fields = Fields(data.get(at.checked_add(HEAD)?..)?);
    fields.long().filter(|version| *version == u32::MAX)?;
    let bits = fields.short()?;
    // The longest text and the size of a box.
    fields.bytes(4)?;
    text(&mut fields)?;
    let kind = bits & 3;
    if !matches!(kind, BOX | LIST) {
        return None;
    }
    let preset = fields.short()?;
    let result = Some((bits >> 2) & 0x1F).filter(|it| *it != NO_RESULT);
    let value = result.unwrap_or(preset);
    if kind == BOX {
        return Some(if value == 1 { "☒" } else { "☐" }.to_owned());
    }
    // A format, two texts of help, and two macros.
    for _ in 0..5 {
        text(&mut fields)?;
    }
    item(&mut fields, usize::from(value))
}

/// A text with its length in front of it and a zero at its end.
fn text(fields: &mut Fields<'_>) -> Option<()> {
    let length = usize::from(fields.short()?);
    fields.bytes(2 * length + 2).map(drop)
}

/// An item of a list of texts.
fn item(fields: &mut Fields<'_>, wanted: usize) -> Option<String> {
    fields.short().filter(|is_wide| *is_wide == u16::MAX)?;
    let count = usize::from(fields.short()?);
    let extra = usize::from(fields.short()?);
    for index in 0..count.min(MAX_ITEMS) {
        let length = usize::from(fields.short()?);
        let letters = fields.bytes(2 * length)?;
        if index == wanted {
            return Some(utf_16(letters).chars().take(MAX_ITEM).collect());
        }
        fields.bytes(extra)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of a field of this kind with this result and these items.
    fn field(kind: u16, result: u16, preset: u16, items: &[&str]) -> Vec<u8> {
        let mut data = vec![0; HEAD];
        data.extend([0xFF; 4]);
        data.extend((kind | result << 2).to_le_bytes());
        data.extend([0; 4]);
        // Its name.
        data.extend([1, 0, b'a', 0, 0, 0]);
        data.extend(preset.to_le_bytes());
        data.extend([0; 20]);
        data.extend([0xFF, 0xFF, items.len() as u8, 0, 0, 0]);
        for item in items {
            data.extend((item.len() as u16).to_le_bytes());
            data.extend(item.encode_utf16().flat_map(u16::to_le_bytes));
        }
        data
    }

    #[test]
    fn boxes_and_lists_show_what_was_chosen() {
        for (data, expected) in [
            (field(1, 1, 0, &[]), Some("☒")),
            (field(1, 0, 1, &[]), Some("☐")),
            (field(1, NO_RESULT, 1, &[]), Some("☒")),
            (field(2, 1, 0, &["red", "blue"]), Some("blue")),
            (field(2, NO_RESULT, 0, &["red", "blue"]), Some("red")),
            (field(2, 7, 0, &["red"]), None),
            (field(0, 0, 0, &[]), None),
        ] {
            assert_eq!(shown(&data, 0).as_deref(), expected);
            // A stream that ends early is no panic.
            for end in 0..data.len() {
                shown(&data[..end], 0);
            }
        }
        assert_eq!(shown(&[], usize::MAX), None);
    }
}

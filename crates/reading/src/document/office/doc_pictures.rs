//! The alternative texts of the pictures in a Word document before 2007. Those in the line are in
//! the stream of data, those that float beside the text in a drawing of the whole document.

use std::collections::HashMap;

use super::doc::{listed, long, short};
use super::drawing::{self, kind as drawn};
use super::ppt_records::{Atom, records};

/// The places of the list of what floats and of the drawing in the header of the file.
const FLOATING: usize = 0x01DA;
const DRAWING: usize = 0x022A;
/// What is said about something that floats: first the number of its shape.
const FLOATING_SIZE: usize = 26;
/// Kinds of pictures: a shape, and one that names a file.
const SHAPE: u16 = 0x64;
const SHAPE_OF_FILE: u16 = 0x66;

/// The alternative text of the picture with the data at this place.
pub(super) fn in_line(data: &[u8], at: usize) -> Option<String> {
    let data = data.get(at..)?;
    let length = long(data, 0)? as usize;
    let data = &data[..length.min(data.len())];
    let mut start = usize::from(short(data, 4)?);
    match short(data, 6)? {
        SHAPE => {}
        SHAPE_OF_FILE => start += 1 + usize::from(*data.get(start)?),
        _ => return None,
    }
    let mut records = records(data.get(start..)?).take(drawing::MAX_RECORDS);
    let shape = records.find(|it| it.kind == drawn::SHAPE)?;
    drawing::description(shape)
}

/// The alternative texts of what floats, by the letters of the text before each.
pub(super) fn floating(main: &[u8], table: &[u8]) -> HashMap<usize, String> {
    let list = listed(main, table, FLOATING).unwrap_or_default();
    let count = list.len().saturating_sub(4) / (4 + FLOATING_SIZE);
    let mut texts = HashMap::new();
    if count == 0 {
        return texts;
    }
    let mut described = descriptions(listed(main, table, DRAWING).unwrap_or_default());
    for index in 0..count {
        let place = long(list, 4 * index);
        let shape = long(list, 4 * (count + 1) + FLOATING_SIZE * index);
        if let (Some(place), Some(shape)) = (place, shape)
            && let Some(text) = described.remove(&shape)
        {
            texts.insert(place as usize, text);
        }
    }
    texts
}

/// The alternative texts of the shapes of a drawing, by their numbers.
fn descriptions(drawing: &[u8]) -> HashMap<u32, String> {
    let mut found = HashMap::new();
    let head = records(drawing).next().map_or(0, |it| 8 + it.data.len());
    let mut rest = drawing.get(head..).unwrap_or_default();
    // Before each drawing stands where it is: in the text or in headers.
    while let Some(page) = rest.get(1..).and_then(|it| records(it).next()) {
        let shapes = page.inside(drawn::SHAPE).into_iter();
        found.extend(shapes.filter_map(numbered_description));
        rest = &rest[(1 + 8 + page.data.len()).min(rest.len())..];
    }
    found
}

fn numbered_description(shape: Atom<'_>) -> Option<(u32, String)> {
    let head = records(shape.data).find(|it| it.kind == drawn::SHAPE_HEAD)?;
    Some((long(head.data, 0)?, drawing::description(shape)?))
}

//! The shapes of a slide of PowerPoint before 2007: texts, tables, pictures and objects, in the
//! order in which they are read.

use std::collections::HashMap;

use super::doc::{long, short};
use super::drawing::{self, kind as drawn};
use super::fields::{Fields, utf_16};
use super::ppt_records::{Atom, MAX_DEPTH, SlideText, TextKind, kind, records, styled_records};
use super::ppt_styles::SlideFonts;
use crate::document::markdown::one_line;

/// The top and the left, in 1/576 of an inch.
type Place = (i32, i32);

/// Shapes whose tops differ by less than this, a sixth of an inch, are in one row.
const ROW: i32 = 96;
/// The most cells of a table, which has up to 75 rows and columns.
const MAX_CELLS: usize = 10_000;
/// The kind of shape that the lines of a table are.
const LINE: u16 = 20;

/// What a slide shows.
#[derive(Debug)]
pub(super) enum Item {
    Text(SlideText),
    Table(Vec<Vec<String>>),
    /// The alternative text of a picture.
    Picture(String),
    Object(EmbeddedObject),
}

/// An object of another program.
#[derive(Debug, Clone)]
pub(super) struct EmbeddedObject {
    /// What kind of object it is, as that program calls it.
    pub(super) name: String,
    /// The number of the record with its file.
    pub(super) record: u32,
}

/// What the shapes of all slides refer to.
pub(super) struct Surroundings<'d> {
    pub(super) fonts: &'d SlideFonts,
    /// The embedded objects, by their numbers.
    pub(super) objects: &'d HashMap<u32, EmbeddedObject>,
}

/// The objects that a presentation embeds or refers to, by their numbers.
pub(super) fn objects(document: Atom<'_>) -> HashMap<u32, EmbeddedObject> {
    let embedded = kind::EMBEDDED
        .into_iter()
        .flat_map(|it| document.inside(it));
    let named = embedded.filter_map(|object| {
        let head = records(object.data).find(|it| it.kind == kind::OBJECT)?;
        let name = |instance: u16| {
            let mut strings = records(object.data).filter(|it| it.kind == kind::STRING);
            let name = strings.find(|it| it.instance == instance)?;
            Some(one_line(&utf_16(name.data))).filter(|name| !name.is_empty())
        };
        // The name of the program, or that in menus.
        let name = name(2).or_else(|| name(1));
        let object = EmbeddedObject {
            name: name.unwrap_or_else(|| "object".to_owned()),
            record: long(head.data, 16)?,
        };
        Some((long(head.data, 8)?, object))
    });
    named.collect()
}

/// What a slide shows. Some shapes only refer to the outline, of which the rest comes first.
pub(super) fn items_of(
    slide: Atom<'_>,
    outline: &[SlideText],
    around: &Surroundings<'_>,
) -> Vec<Item> {
    let mut reader = ShapeReader {
        outline,
        used: vec![false; outline.len()],
        around,
    };
    let placed = reader.inside(slide, 0);
    let left = outline.iter().zip(reader.used).filter(|(_, used)| !used);
    let left: Vec<Item> = left.map(|(text, _)| Item::Text(text.clone())).collect();
    left.into_iter().chain(ordered(placed)).collect()
}

/// From top to bottom, and in each row from left to right.
fn ordered(mut placed: Vec<(Place, Vec<Item>)>) -> Vec<Item> {
    placed.sort_by_key(|((top, _), _)| *top);
    let mut rows: Vec<Vec<(Place, Vec<Item>)>> = Vec::new();
    for shape in placed {
        match rows.last_mut() {
            Some(row) if shape.0.0.saturating_sub(row[0].0.0) < ROW => row.push(shape),
            _ => rows.push(vec![shape]),
        }
    }
    for row in &mut rows {
        row.sort_by_key(|((_, left), _)| *left);
    }
    rows.into_iter()
        .flatten()
        .flat_map(|(_, items)| items)
        .collect()
}

struct ShapeReader<'r> {
    outline: &'r [SlideText],
    /// Which texts of the outline a shape refers to.
    used: Vec<bool>,
    around: &'r Surroundings<'r>,
}

impl ShapeReader<'_> {
    fn inside(&mut self, parent: Atom<'_>, depth: usize) -> Vec<(Place, Vec<Item>)> {
        let mut placed = Vec::new();
        for atom in records(parent.data) {
            match atom.kind {
                drawn::SHAPE => placed.push((place(atom).unwrap_or_default(), self.shape(atom))),
                _ if depth >= MAX_DEPTH => {}
                drawn::GROUP => placed.push(self.group(atom, depth)),
                _ if atom.is_container => placed.extend(self.inside(atom, depth + 1)),
                _ => {}
            }
        }
        placed
    }

    /// The shapes of a group stand together, at the place of the group.
    fn group(&mut self, group: Atom<'_>, depth: usize) -> (Place, Vec<Item>) {
        let first = records(group.data).find(|it| it.kind == drawn::SHAPE);
        let place = first.and_then(place).unwrap_or_default();
        if first.is_some_and(drawing::is_table)
            && let Some(rows) = self.table(group)
        {
            return (place, vec![Item::Table(rows)]);
        }
        (place, ordered(self.inside(group, depth + 1)))
    }

    /// A table is a group with a shape for each cell. `None` if its cells do not tell where they are.
    fn table(&mut self, group: Atom<'_>) -> Option<Vec<Vec<String>>> {
        let shapes = records(group.data)
            .filter(|it| it.kind == drawn::SHAPE)
            .skip(1);
        let cells: Vec<(Place, Atom<'_>)> = shapes
            .filter(|shape| !is_line(*shape))
            .map(|cell| Some((place(cell)?, cell)))
            .collect::<Option<_>>()?;
        let tops = distinct(cells.iter().map(|((top, _), _)| *top));
        let lefts = distinct(cells.iter().map(|((_, left), _)| *left));
        if tops.is_empty() || tops.len().saturating_mul(lefts.len()) > MAX_CELLS {
            return None;
        }
        let mut rows = vec![vec![String::new(); lefts.len()]; tops.len()];
        for ((top, left), cell) in cells {
            let row = tops.binary_search(&top).ok()?;
            let column = lefts.binary_search(&left).ok()?;
            rows[row][column] = self.cell(cell);
        }
        Some(rows)
    }

    fn cell(&mut self, cell: Atom<'_>) -> String {
        let texts = self.texts(cell);
        let texts: Vec<String> = texts.iter().map(SlideText::plain).collect();
        texts.join("\n")
    }

    fn shape(&mut self, shape: Atom<'_>) -> Vec<Item> {
        let texts = self.texts(shape);
        if texts.iter().any(|text| !text.plain().is_empty()) {
            return texts.into_iter().map(Item::Text).collect();
        }
        let objects = shape.inside(kind::OBJECT_REFERENCE);
        let numbers = objects.iter().filter_map(|object| long(object.data, 0));
        let objects = numbers.filter_map(|it| self.around.objects.get(&it).cloned());
        let picture = drawing::description(shape).map(Item::Picture);
        picture
            .into_iter()
            .chain(objects.map(Item::Object))
            .collect()
    }

    fn texts(&mut self, shape: Atom<'_>) -> Vec<SlideText> {
        let mut texts = Vec::new();
        for text_box in records(shape.data).filter(|it| it.kind == kind::TEXT_BOX) {
            let mut text_kind = TextKind::Other;
            for (atom, styles) in styled_records(text_box.data) {
                if atom.kind == kind::TEXT_HEADER {
                    text_kind = TextKind::of(atom);
                } else if let Some(lines) = atom.lines(styles, self.around.fonts) {
                    texts.push(SlideText {
                        kind: text_kind,
                        lines,
                    });
                } else if atom.kind == kind::OUTLINE_REFERENCE {
                    let index = long(atom.data, 0).unwrap_or(u32::MAX) as usize;
                    // Each text has one shape. A file can refer to a long one a million times.
                    if let Some(text) = self.outline.get(index)
                        && !std::mem::replace(&mut self.used[index], true)
                    {
                        texts.push(text.clone());
                    }
                }
            }
        }
        texts
    }
}

fn is_line(shape: Atom<'_>) -> bool {
    records(shape.data).any(|it| it.kind == drawn::SHAPE_HEAD && it.instance == LINE)
}

/// The values in order, each once.
fn distinct(values: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut values: Vec<i32> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The top and the left of a shape. In a group they are those inside it.
fn place(shape: Atom<'_>) -> Option<Place> {
    let anchor =
        records(shape.data).find(|it| matches!(it.kind, kind::ANCHOR | kind::CHILD_ANCHOR))?;
    let data = anchor.data;
    if anchor.kind == kind::ANCHOR && data.len() == 8 {
        let number = |at: usize| short(data, at).map(|it| i32::from(it as i16));
        return number(0).zip(number(2));
    }
    let mut fields = Fields(data);
    let mut number = || fields.long().map(|it| it as i32);
    let (first, second) = (number()?, number()?);
    Some(match anchor.kind {
        kind::CHILD_ANCHOR => (second, first),
        _ => (first, second),
    })
}

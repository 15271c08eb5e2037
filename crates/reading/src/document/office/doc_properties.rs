//! What a Word document before 2007 says about its paragraphs: the style, the list, the table.

use std::ops::Range;

use super::doc::{listed, long, short};

/// The place of the list of pages with properties in the header of the file.
const PAGES: usize = 0x0102;
/// The place of the style sheet.
const STYLE_SHEET: usize = 0x00A2;
const PAGE: usize = 512;
/// How many styles are followed, each based on the next.
const MAX_ANCESTORS: usize = 12;

/// The most lists of one paragraph that are followed into the stream of data.
const MAX_ELSEWHERE: usize = 2;

/// The properties of one paragraph.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ParagraphProperties {
    pub(super) style: u16,
    pub(super) is_in_table: bool,
    pub(super) is_row_end: bool,
    /// How many tables it is in, one inside another. Zero if it does not say so.
    pub(super) depth: u32,
    /// Whether it ends a cell, or a row, of a table in a table.
    pub(super) is_inner_cell_end: bool,
    pub(super) is_inner_row_end: bool,
    /// The use of a list that it names. Zero if it says that it is no item.
    pub(super) list: Option<u16>,
    pub(super) level: Option<usize>,
    /// Whether it is the large first letter of the next paragraph.
    pub(super) is_drop_cap: bool,
}

/// The pages that hold properties, by the place in the file of what has them.
#[derive(Debug, Default)]
pub(super) struct PropertyPages {
    list: Vec<u8>,
    count: usize,
    /// The bytes of the number of a page.
    size: usize,
}

impl PropertyPages {
    /// The pages whose list the header of the file points to.
    pub(super) fn read(main: &[u8], table: &[u8], at: usize) -> PropertyPages {
        PropertyPages::of_size(main, table, at, 4)
    }

    /// The pages whose numbers have that many bytes.
    pub(super) fn of_size(main: &[u8], table: &[u8], at: usize, size: usize) -> PropertyPages {
        let list = listed(main, table, at).unwrap_or_default().to_vec();
        let count = list.len().saturating_sub(4) / (4 + size);
        PropertyPages { list, count, size }
    }

    /// The page for this place.
    pub(super) fn page<'m>(&self, main: &'m [u8], offset: usize) -> Option<&'m [u8]> {
        let place = |index: usize| long(&self.list, 4 * index).map(|it| it as usize);
        // The places are in order.
        let (mut low, mut high) = (0, self.count);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if place(middle)? <= offset {
                low = middle;
            } else {
                high = middle;
            }
        }
        if offset < place(low)? || offset >= place(low + 1)? {
            return None;
        }
        let at = 4 * (self.count + 1) + self.size * low;
        let page = match self.size {
            2 => usize::from(short(&self.list, at)?),
            _ => long(&self.list, at)? as usize & 0x3F_FFFF,
        };
        let start = page.checked_mul(PAGE)?;
        main.get(start..start.checked_add(PAGE)?)
    }
}

/// The number of the run in a page that has this place, how many there are, and its places.
pub(super) fn run_in(page: &[u8], offset: usize) -> Option<(usize, usize, Range<usize>)> {
    let count = usize::from(*page.last()?);
    let place = |index: usize| long(page, 4 * index).map(|it| it as usize);
    (0..count).find_map(|index| {
        let places = place(index)?..place(index + 1)?;
        places.contains(&offset).then_some((index, count, places))
    })
}

/// The properties of all paragraphs.
#[derive(Debug, Default)]
pub(super) struct Paragraphs {
    pages: PropertyPages,
}

impl Paragraphs {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Paragraphs {
        Paragraphs {
            pages: PropertyPages::read(main, table, PAGES),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pages.count == 0
    }

    /// The properties of the paragraph whose last letter is at this place. Lists of changes that are
    /// too long for a page are in the stream of data.
    pub(super) fn at(&self, main: &[u8], data: &[u8], offset: usize) -> ParagraphProperties {
        let page = self.pages.page(main, offset);
        page.and_then(|page| paragraph_in(page, data, offset))
            .unwrap_or_default()
    }
}

/// The properties of a paragraph in a page of them.
fn paragraph_in(page: &[u8], data: &[u8], offset: usize) -> Option<ParagraphProperties> {
    let (index, count, _) = run_in(page, offset)?;
    let at = 2 * usize::from(*page.get(4 * (count + 1) + 13 * index)?);
    if at == 0 {
        return Some(ParagraphProperties::default());
    }
    let (start, length) = match *page.get(at)? {
        0 => (at + 2, 2 * usize::from(*page.get(at + 1)?)),
        half => (at + 1, 2 * usize::from(half) - 1),
    };
    let list = page.get(start..(start + length).min(page.len()))?;
    let mut properties = properties(list);
    // A row of many columns has so many changes that they are elsewhere, the end of a row among them.
    let elsewhere = changes(list.get(2..).unwrap_or_default())
        .filter(|(code, _)| matches!(code, 0x6645 | 0x6646));
    for (_, place) in elsewhere.take(MAX_ELSEWHERE) {
        properties.change(long_list(data, place).unwrap_or_default());
    }
    Some(properties)
}

/// The list of changes at a place in the stream of data.
fn long_list<'d>(data: &'d [u8], place: &[u8]) -> Option<&'d [u8]> {
    let list = data.get(long(place, 0)? as usize..)?;
    let length = usize::from(short(list, 0)?);
    list.get(2..(2 + length).min(list.len()))
}

/// Reads the number of a style and a list of changes to its properties.
fn properties(list: &[u8]) -> ParagraphProperties {
    let mut properties = ParagraphProperties {
        style: short(list, 0).unwrap_or(0),
        ..ParagraphProperties::default()
    };
    properties.change(list.get(2..).unwrap_or_default());
    properties
}

impl ParagraphProperties {
    fn change(&mut self, list: &[u8]) {
        for (code, operand) in changes(list) {
            let byte = operand.first().copied().unwrap_or(0);
            match code {
                0x2416 => self.is_in_table = byte != 0,
                0x2417 => self.is_row_end = byte != 0,
                0x244B => self.is_inner_cell_end = byte != 0,
                0x244C => self.is_inner_row_end = byte != 0,
                0x260A => self.level = Some(usize::from(byte).min(8)),
                0x460B => self.list = short(operand, 0),
                0x442C => self.is_drop_cap = byte & 7 != 0,
                0x4600 => self.style = short(operand, 0).unwrap_or(0),
                0x6649 => self.depth = long(operand, 0).unwrap_or(0),
                _ => {}
            }
        }
    }
}

/// The changes of a list, each with what follows it: its operand comes first.
pub(super) fn changes(list: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let code = short(rest, 0)?;
        let operand = &rest[2..];
        rest = operand.get(size(code, operand)..).unwrap_or_default();
        Some((code, operand))
    })
}

/// How many bytes the operand of a change has.
fn size(code: u16, operand: &[u8]) -> usize {
    match code >> 13 {
        0 | 1 => 1,
        2 | 4 | 5 => 2,
        3 => 4,
        7 => 3,
        _ if code == 0xD608 => short(operand, 0).map_or(2, |it| usize::from(it) + 1),
        _ => operand.first().map_or(1, |it| usize::from(*it) + 1),
    }
}

/// The styles, as far as they are headings or items of lists.
#[derive(Debug, Default)]
pub(super) struct Styles {
    styles: Vec<DocStyle>,
}

#[derive(Debug)]
struct DocStyle {
    /// The number that all files have in common.
    number: u16,
    /// The style that it is based on.
    parent: u16,
    list: Option<u16>,
    level: Option<usize>,
}

impl Styles {
    pub(super) fn read(main: &[u8], table: &[u8]) -> Styles {
        let sheet = listed(main, table, STYLE_SHEET).unwrap_or_default();
        let mut at = 2 + usize::from(short(sheet, 0).unwrap_or(0));
        let base = usize::from(short(sheet, 4).unwrap_or(0));
        let mut styles = Vec::new();
        while let Some(length) = short(sheet, at) {
            let style = sheet.get(at + 2..).unwrap_or_default();
            let style = &style[..usize::from(length).min(style.len())];
            let changes = style_changes(style, base).unwrap_or_default();
            let changes = properties(changes);
            styles.push(DocStyle {
                number: short(style, 0).unwrap_or(0x0FFF) & 0x0FFF,
                parent: short(style, 2).unwrap_or(0xFFF0) >> 4,
                list: changes.list,
                level: changes.level,
            });
            at += 2 + usize::from(length).next_multiple_of(2);
        }
        Styles { styles }
    }

    /// The level of a heading that a paragraph of this style is.
    pub(super) fn heading(&self, style: u16) -> Option<usize> {
        let mut next = style;
        for _ in 0..MAX_ANCESTORS {
            let style = self.styles.get(usize::from(next))?;
            match style.number {
                1..=9 => return Some(usize::from(style.number)),
                // The title.
                62 => return Some(1),
                _ => next = style.parent,
            }
        }
        None
    }

    /// The use of a list that a paragraph belongs to, and its level: as it says itself, else as its
    /// style does.
    pub(super) fn list(&self, paragraph: &ParagraphProperties) -> Option<(u16, usize)> {
        let (mut list, mut level) = (paragraph.list, paragraph.level);
        let mut next = paragraph.style;
        for _ in 0..MAX_ANCESTORS {
            let Some(style) = self.styles.get(usize::from(next)) else {
                break;
            };
            list = list.or(style.list);
            level = level.or(style.level);
            next = style.parent;
        }
        list.filter(|it| *it != 0)
            .map(|it| (it, level.unwrap_or(0)))
    }
}

/// The number of a style and its changes to the properties of paragraphs, which follow a fixed part
/// of this size and its name. `None` for a style of characters.
fn style_changes(style: &[u8], base: usize) -> Option<&[u8]> {
    const OF_PARAGRAPHS: u16 = 1;
    if short(style, 2)? & 0xF != OF_PARAGRAPHS {
        return None;
    }
    let letters = usize::from(short(style, base)?);
    let at = base + 2 + 2 * (letters + 1);
    let length = usize::from(short(style, at)?);
    style.get(at + 2..at + 2 + length)
}

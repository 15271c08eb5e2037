//! A page as the structure of the document says it is read: its headings, items, tables and paragraphs,
//! in their order.
//!
//! What the structure does not mention, such as running heads, stays beside it. A structure that leaves
//! out much of the page, or has it all in one element, says nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use hayro_font::kurbo::Rect;

use super::content::{Letter, UNORDERED};
use super::drawn_order::{goes_back, in_drawn_order};
use super::marks::Mark;
use super::paragraph::join;
use super::rows::{self, PdfRow};
use super::rulings::Rulings;
use super::tags::{Tags, TextElement, TextKind};
use super::untagged::{TaggedLetters, put_to_texts};

/// A page that the structure describes.
pub(super) struct TaggedPage {
    pub(super) blocks: Vec<TaggedBlock>,
    /// The rows that the structure does not mention.
    pub(super) rest: Vec<PdfRow>,
}

pub(super) enum TaggedBlock {
    Paragraph(Vec<PdfRow>),
    Heading(usize, Vec<PdfRow>),
    /// An item that is within so many lists.
    Item(usize, Vec<PdfRow>),
    Table(TaggedTable),
}

impl TaggedBlock {
    pub(super) fn first_row(&self) -> Option<&PdfRow> {
        match self {
            TaggedBlock::Paragraph(rows)
            | TaggedBlock::Heading(_, rows)
            | TaggedBlock::Item(_, rows) => rows.first(),
            TaggedBlock::Table(table) => table.cells.iter().flatten().flatten().next(),
        }
    }
}

/// A table: the rows of each cell.
pub(super) struct TaggedTable {
    cells: Grid,
}

impl TaggedTable {
    pub(super) fn texts(&self) -> Vec<Vec<String>> {
        let text = |rows: &Vec<PdfRow>| {
            let mut text = String::new();
            rows.iter().for_each(|row| join(&mut text, &row.text()));
            text
        };
        let rows = self.cells.iter();
        rows.map(|row| row.iter().map(text).collect()).collect()
    }
}

impl TaggedPage {
    /// The page that these letters are. `None` if the structure does not describe it.
    pub(super) fn new(
        letters: &[Letter],
        tags: &Tags,
        begun: &mut HashSet<usize>,
    ) -> Option<TaggedPage> {
        if !is_described(letters) {
            return None;
        }
        let mut of_leaf: BTreeMap<usize, Vec<Letter>> = BTreeMap::new();
        let mut rest: Vec<Letter> = Vec::new();
        for letter in letters {
            match letter.mark {
                Mark::Leaf(leaf) => of_leaf.entry(leaf).or_default().push(letter.clone()),
                _ => rest.push(letter.clone()),
            }
        }
        let mut texts = texts(of_leaf, tags);
        if are_one(&texts) {
            return None;
        }
        let tagged: Vec<TaggedLetters<'_>> = texts.iter().map(Text::tagged).collect();
        let untagged = put_to_texts(rest, &tagged);
        for (text, letters) in texts.iter_mut().zip(untagged.of_text) {
            text.letters.extend(letters);
        }
        let page = TaggedPage {
            blocks: blocks(with_notes_last(texts, tags), tags, begun)?,
            rest: rows_of(untagged.rest),
        };
        let firsts = page.blocks.iter().filter_map(TaggedBlock::first_row);
        (!goes_back(firsts)).then_some(page)
    }

    /// Keeps the rows that a function approves of.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&PdfRow) -> bool) {
        self.rest.retain(&mut is_kept);
        for block in &mut self.blocks {
            match block {
                TaggedBlock::Paragraph(rows)
                | TaggedBlock::Heading(_, rows)
                | TaggedBlock::Item(_, rows) => rows.retain(&mut is_kept),
                TaggedBlock::Table(_) => {}
            }
        }
    }

    pub(super) fn has_tables(&self) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.any(|block| matches!(block, TaggedBlock::Table(_)))
    }
}

/// Whether nearly all text is marked. What is not drawn with the page, as values of forms, is better
/// placed by where it stands.
fn is_described(letters: &[Letter]) -> bool {
    let (mut marked, mut unmarked, mut artifacts) = (0, 0, 0);
    for letter in letters {
        match letter.mark {
            _ if letter.order == UNORDERED => return false,
            Mark::Leaf(_) => marked += 1,
            Mark::None => unmarked += 1,
            Mark::Artifact => artifacts += 1,
        }
    }
    marked > 0 && marked >= 19 * unmarked && marked >= artifacts
}

fn rows_of(letters: Vec<Letter>) -> Vec<PdfRow> {
    let directions = rows::rows(letters, &Rulings::default());
    // The lines of a paragraph may go on in the next column.
    let in_order = |rows: Vec<PdfRow>| in_drawn_order(&rows).unwrap_or(rows);
    directions.into_iter().flat_map(in_order).collect()
}

/// The letters of one element.
struct Text {
    element: TextElement,
    letters: Vec<Letter>,
}

impl Text {
    fn tagged(&self) -> TaggedLetters<'_> {
        TaggedLetters {
            letters: &self.letters,
            is_item: matches!(self.element.kind, TextKind::Item(_)),
        }
    }
}

/// The texts of the elements, in the order of the structure.
fn texts(of_leaf: BTreeMap<usize, Vec<Letter>>, tags: &Tags) -> Vec<Text> {
    let mut texts: Vec<Text> = Vec::new();
    let mut known: HashMap<(usize, Option<usize>), usize> = HashMap::new();
    // The first block of an item is the item.
    let mut firsts: HashMap<usize, usize> = HashMap::new();
    // The last text that is no part of the line of another.
    let mut last_divider = 0;
    for (leaf, letters) in of_leaf {
        let Some(mut element) = tags.text_element(leaf) else {
            continue;
        };
        let is_direct = matches!(element.kind, TextKind::Item(_)) && element.block.is_none();
        if let Some(block) = element.block {
            let first = *firsts.entry(element.element).or_insert(block);
            element.block = (first != block).then_some(block);
        } else if is_direct && firsts.contains_key(&element.element) {
            // What follows the first paragraph of an item, as code does, is not part of it.
            element.block = Some(element.element);
        }
        let key = (element.element, element.block);
        let own = element.block.unwrap_or(element.element);
        let last = texts.len().saturating_sub(1);
        match known.get(&key) {
            Some(index)
                if *index == last
                    || (tags.is_one_text(own) && !(is_direct && *index < last_divider)) =>
            {
                texts[*index].letters.extend(letters);
            }
            _ => {
                if tags.divides_text(own) {
                    last_divider = texts.len();
                }
                known.insert(key, texts.len());
                texts.push(Text { element, letters });
            }
        }
    }
    texts
}

/// The texts, with footnotes that stand below all others at the end.
fn with_notes_last(mut texts: Vec<Text>, tags: &Tags) -> Vec<Text> {
    let is_note = |text: &Text| tags.is_in_note(text.element.block.unwrap_or(text.element.element));
    let others = texts.iter().filter(|text| !is_note(text));
    let lowest = others
        .flat_map(|text| &text.letters)
        .map(|letter| letter.origin.y)
        .fold(f64::MIN, f64::max);
    let is_below = |text: &Text| text.letters.iter().all(|letter| letter.origin.y > lowest);
    texts.sort_by_key(|text| is_note(text) && is_below(text));
    texts
}

/// Whether one element has most of a long page.
fn are_one(texts: &[Text]) -> bool {
    const LONG: usize = 600;
    let all: usize = texts.iter().map(|text| text.letters.len()).sum();
    let most = texts.iter().map(|text| text.letters.len()).max();
    all > LONG && most.unwrap_or(0) * 10 > all * 7
}

/// The blocks that the texts are. `None` if the structure puts cells of a table into wrong columns.
fn blocks(texts: Vec<Text>, tags: &Tags, begun: &mut HashSet<usize>) -> Option<Vec<TaggedBlock>> {
    let mut blocks: Vec<TaggedBlock> = Vec::new();
    let mut texts = texts.into_iter().peekable();
    while let Some(text) = texts.next() {
        let TextElement {
            kind,
            element,
            block,
        } = text.element;
        let is_new = block.is_none() && begun.insert(element);
        match kind {
            TextKind::Cell { table, .. } => {
                let mut cells = vec![text];
                let is_same = |text: &Text| matches!(text.element.kind, TextKind::Cell { table: it, .. } if it == table);
                cells.extend(std::iter::from_fn(|| texts.next_if(is_same)));
                blocks.extend(table_blocks(cells, tags)?);
            }
            TextKind::Heading(level) if is_new => {
                blocks.push(TaggedBlock::Heading(level, rows_of(text.letters)));
            }
            TextKind::Item(level) if is_new => {
                blocks.push(TaggedBlock::Item(level, rows_of(text.letters)));
            }
            _ => blocks.push(TaggedBlock::Paragraph(rows_of(text.letters))),
        }
    }
    Some(blocks)
}

/// A table, or its cells as paragraphs if it is only there to place them. `None` if its cells do not stand
/// in the columns that it has.
fn table_blocks(texts: Vec<Text>, tags: &Tags) -> Option<Vec<TaggedBlock>> {
    let mut of_row: BTreeMap<usize, HashMap<usize, Vec<PdfRow>>> = BTreeMap::new();
    for text in texts {
        if let TextKind::Cell { row, .. } = text.element.kind {
            let cells = of_row.entry(row).or_default();
            cells.insert(text.element.element, rows_of(text.letters));
        }
    }
    let cells = grid(of_row, tags);
    let columns = cells.first().map_or(0, Vec::len);
    if columns >= 2 && cells.len() >= 2 {
        let cells = in_columns(cells)?;
        return Some(vec![TaggedBlock::Table(TaggedTable { cells })]);
    }
    let cells = cells.into_iter().flatten().filter(|rows| !rows.is_empty());
    Some(cells.map(TaggedBlock::Paragraph).collect())
}

/// The rows of a table, each a list of cells.
type Grid = Vec<Vec<Vec<PdfRow>>>;

/// The cells in the columns in which they stand. Some programs tag the cells of a row in the order in which
/// they draw them. `None` if it cannot be told in which columns they stand.
fn in_columns(cells: Grid) -> Option<Grid> {
    let boxes: Vec<Vec<Option<Rect>>> = cells
        .iter()
        .map(|line| line.iter().map(|cell| area(cell)).collect())
        .collect();
    let goes_back: Vec<bool> = boxes.iter().map(|line| back(line).0 > 0).collect();
    let is_from_right = |line: &Vec<Option<Rect>>| back(line).0 == back(line).1;
    if !goes_back.contains(&true) || boxes.iter().all(is_from_right) {
        return Some(cells);
    }
    let columns = columns(&boxes)?;
    let first_full = boxes.iter().position(|line| is_full(line));
    let lines = cells.into_iter().zip(boxes).zip(goes_back).enumerate();
    let placed = |(index, ((line, boxes), goes_back)): (usize, ((Vec<_>, Vec<_>), bool))| {
        let is_title = boxes.iter().flatten().count() == 1 && Some(index) < first_full;
        let places = places(&boxes, &columns).filter(|_| !is_title);
        match places {
            None => (!goes_back).then_some(line),
            Some(places) => {
                let mut placed = vec![Vec::new(); line.len()];
                let cells = line.into_iter();
                let cells = cells.filter(|cell: &Vec<PdfRow>| !cell.is_empty());
                cells.zip(places).for_each(|(cell, at)| placed[at] = cell);
                Some(placed)
            }
        }
    };
    lines.map(placed).collect()
}

/// Where the text of a cell stands. `None` if there is none.
fn area(cell: &[PdfRow]) -> Option<Rect> {
    let row = |row: &PdfRow| {
        let top = row.baseline - row.size;
        Rect::new(row.left(), top, row.right(), row.baseline)
    };
    cell.iter().map(row).reduce(|one, other| one.union(other))
}

/// How often the cells of a row go back to the left, and how often they go on.
fn back(line: &[Option<Rect>]) -> (usize, usize) {
    let filled: Vec<&Rect> = line.iter().flatten().collect();
    let is_back = |pair: &&[&Rect]| {
        let is_beside = pair[0].y0 < pair[1].y1 && pair[1].y0 < pair[0].y1;
        is_beside && pair[1].x1 <= pair[0].x0
    };
    let pairs = filled.windows(2);
    (pairs.clone().filter(is_back).count(), pairs.len())
}

fn is_full(line: &[Option<Rect>]) -> bool {
    line.iter().all(Option::is_some)
}

/// The left and right edges of the columns, as they are in the rows that have all cells.
fn columns(boxes: &[Vec<Option<Rect>>]) -> Option<Vec<(f64, f64)>> {
    let full = boxes.iter().filter(|line| is_full(line));
    let in_order = full.map(|line| {
        let mut edges: Vec<(f64, f64)> = line.iter().flatten().map(|it| (it.x0, it.x1)).collect();
        edges.sort_by(|one, other| one.0.total_cmp(&other.0));
        edges
    });
    in_order.reduce(|columns, line| {
        let pairs = columns.into_iter().zip(line);
        let joined = pairs.map(|(one, other)| (one.0.min(other.0), one.1.max(other.1)));
        joined.collect()
    })
}

/// The column in which each text of a row stands. `None` if two stand in the same.
fn places(line: &[Option<Rect>], columns: &[(f64, f64)]) -> Option<Vec<usize>> {
    let shared = |it: &Rect, column: &(f64, f64)| it.x1.min(column.1) - it.x0.max(column.0);
    let nearest = |it: &Rect| {
        let numbered = columns.iter().enumerate();
        let nearest =
            numbered.max_by(|one, other| shared(it, one.1).total_cmp(&shared(it, other.1)));
        nearest.map(|(index, _)| index)
    };
    let places: Vec<usize> = line.iter().flatten().map(nearest).collect::<Option<_>>()?;
    let mut known = HashSet::new();
    places.iter().all(|it| known.insert(*it)).then_some(places)
}

/// The cells by rows and columns. A cell that takes several is in the first of them.
fn grid(of_row: BTreeMap<usize, HashMap<usize, Vec<PdfRow>>>, tags: &Tags) -> Grid {
    const MAX_COLUMNS: usize = 200;
    let mut cells: Grid = Vec::new();
    // For each column, how many more rows a cell above takes.
    let mut taken: Vec<usize> = Vec::new();
    for (row, mut texts) in of_row {
        let mut line: Vec<Vec<PdfRow>> = Vec::new();
        for (cell, columns, rows) in tags.cells(row) {
            while taken.get(line.len()).is_some_and(|it| *it > 0) {
                line.push(Vec::new());
            }
            let text = texts.remove(&cell).unwrap_or_default();
            let first = line.len();
            line.push(text);
            line.resize_with(first + columns, Vec::new);
            if taken.len() < line.len() {
                taken.resize(line.len(), 0);
            }
            taken[first..line.len()].fill(rows);
            if line.len() > MAX_COLUMNS {
                break;
            }
        }
        taken.iter_mut().for_each(|it| *it = it.saturating_sub(1));
        cells.push(line);
    }
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    for line in &mut cells {
        line.resize_with(columns, Vec::new);
    }
    cells
}

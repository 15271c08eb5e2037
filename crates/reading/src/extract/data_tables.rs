//! Which tables hold data, and which only place things on the page.
//!
//! The author says so with headings, a caption or lines. Where the author does not, the shape tells:
//! rows of as many cells each, and cells that are short. All tables are measured in one pass, because
//! tables may be nested as deep as the tree is.

use std::collections::HashMap;

use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};

/// The tables of a page that hold data.
#[derive(Debug)]
pub(super) struct DataTables {
    /// By node.
    is_data: Vec<bool>,
}

/// The most bytes of a row, on average, if its cells are few.
const LONG_ROW: usize = 1_500;

/// The most bytes of a cell, on average, of a table whose rows are long.
const SHORT_CELL: usize = 50;

/// The most bytes of a cell with a heading in it.
const LONG_CELL: usize = 300;

impl DataTables {
    pub(super) fn of(tree: &HtmlTree) -> DataTables {
        let places = Places::of(tree);
        let mut measures = places.measure(tree);
        // Inner tables come after the ones around them.
        for table in places.tables.iter().rev() {
            let inner = measures[table];
            if let Some(outer) = measures.get_mut(&places.table_of[*table as usize]) {
                outer.has_table = true;
                outer.needs_room |= inner.needs_room;
                outer.text += inner.text;
            }
        }
        let mut is_data = vec![false; tree.node_count()];
        for table in &places.tables {
            let rows = rows(tree, *table);
            is_data[*table as usize] = measures[table].is_data(tree, *table, &rows);
        }
        DataTables { is_data }
    }

    pub(super) fn contains(&self, table: NodeId) -> bool {
        self.is_data[table as usize]
    }

    /// The outermost table of data around a node.
    pub(super) fn around(&self, tree: &HtmlTree, id: NodeId) -> Option<NodeId> {
        tree.ancestors(id).filter(|it| self.contains(*it)).last()
    }
}

/// The rows of a table itself, not of the tables in its cells.
pub(super) fn rows(tree: &HtmlTree, table: NodeId) -> Vec<NodeId> {
    let parts = tree.children(table).flat_map(|part| {
        let is_group = matches!(tree.name(part), "thead" | "tbody" | "tfoot");
        let inner: Vec<NodeId> = if is_group {
            tree.children(part).collect()
        } else {
            vec![part]
        };
        inner
    });
    parts.filter(|it| tree.name(*it) == "tr").collect()
}

/// The cells of a row.
pub(super) fn cells(tree: &HtmlTree, row: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    tree.children(row)
        .filter(|it| matches!(tree.name(*it), "td" | "th"))
}

/// Whether the first row of a table has headings.
pub(super) fn has_heading_row(tree: &HtmlTree, rows: &[NodeId]) -> bool {
    rows.first()
        .is_some_and(|row| cells(tree, *row).any(|it| tree.name(it) == "th"))
}

/// Whether the author says that a table holds data: it has headings, a caption or lines.
pub(super) fn is_declared(tree: &HtmlTree, table: NodeId, rows: &[NodeId]) -> bool {
    let has_lines = tree
        .attribute(table, "border")
        .is_some_and(|border| !matches!(border.trim(), "" | "0"));
    let is_layout = tree.attribute(table, "role") == Some("presentation");
    let mut parts = tree.children(table);
    let has_parts = parts.any(|it| matches!(tree.name(it), "caption" | "thead"));
    rows.len() > 1 && !is_layout && (has_lines || has_parts || has_heading_row(tree, rows))
}

/// How many rows or columns a cell says that it takes.
pub(super) fn span(tree: &HtmlTree, cell: NodeId, name: &str) -> Option<usize> {
    tree.attribute(cell, name)?.trim().parse().ok()
}

/// Whether a row is only the heading of those below it.
pub(super) fn is_title(tree: &HtmlTree, row: NodeId) -> bool {
    let mut cells = cells(tree, row);
    let (only, other) = (cells.next(), cells.next());
    let is_heading = |id: NodeId| matches!(tree.name(id), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    only.filter(|_| other.is_none())
        .is_some_and(|cell| tree.children(cell).any(is_heading))
}

/// The table and the cell that each node is in.
struct Places {
    tables: Vec<NodeId>,
    /// By node: the innermost table around it.
    table_of: Vec<NodeId>,
    /// By node: the innermost cell around it.
    cell_of: Vec<NodeId>,
    /// How many cells each row has.
    cells_of: HashMap<NodeId, usize>,
}

/// What a table holds.
#[derive(Debug, Clone, Copy, Default)]
struct Measure {
    /// Bytes of text, white space collapsed.
    text: usize,
    cells: usize,
    longest_cell: usize,
    has_table: bool,
    /// Whether parts of a page are in it.
    needs_room: bool,
    /// Whether headings or other blocks that do not fit into a line are in it.
    has_blocks: bool,
}

impl Places {
    fn of(tree: &HtmlTree) -> Places {
        let mut places = Places {
            tables: Vec::new(),
            table_of: vec![NONE; tree.node_count()],
            cell_of: vec![NONE; tree.node_count()],
            cells_of: HashMap::new(),
        };
        for id in tree.below(ROOT).skip(1) {
            let parent = tree.parent(id);
            let inherited =
                |marks: &[NodeId], names: &[&str]| match names.contains(&tree.name(parent)) {
                    true => parent,
                    false => marks[parent as usize],
                };
            places.table_of[id as usize] = inherited(&places.table_of, &["table"]);
            places.cell_of[id as usize] = inherited(&places.cell_of, &["td", "th"]);
            match tree.name(id) {
                "table" => places.tables.push(id),
                "td" | "th" => *places.cells_of.entry(parent).or_default() += 1,
                _ => {}
            }
        }
        places
    }

    /// Measures each table without the tables in it.
    fn measure(&self, tree: &HtmlTree) -> HashMap<NodeId, Measure> {
        let mut measures: HashMap<NodeId, Measure> = HashMap::new();
        let mut cell_texts: HashMap<NodeId, usize> = HashMap::new();
        for table in &self.tables {
            measures.insert(*table, Measure::default());
        }
        for id in tree.below(ROOT).skip(1) {
            let cell = self.cell_of[id as usize];
            let Some(measure) = measures.get_mut(&self.table_of[id as usize]) else {
                continue;
            };
            if let Some(text) = tree.text(id) {
                let length = collapsed_length(text);
                measure.text += length;
                let cell_text = cell_texts.entry(cell).or_default();
                *cell_text += length;
                measure.longest_cell = measure.longest_cell.max(*cell_text);
            }
            match tree.name(id) {
                "td" | "th" => measure.cells += 1,
                "form" | "article" | "section" => measure.needs_room = true,
                "pre" | "blockquote" => measure.has_blocks = true,
                "h1" | "h2" | "h3" => measure.has_blocks |= !self.is_alone(tree, cell),
                _ => {}
            }
        }
        measures
    }

    /// Whether a cell is the only one of its row, as that of a title is.
    fn is_alone(&self, tree: &HtmlTree, cell: NodeId) -> bool {
        cell != NONE && self.cells_of.get(&tree.parent(cell)) == Some(&1)
    }
}

impl Measure {
    fn is_data(&self, tree: &HtmlTree, table: NodeId, rows: &[NodeId]) -> bool {
        if rows.is_empty() || self.needs_room {
            return false;
        }
        if is_declared(tree, table, rows) {
            return true;
        }
        let width = regular_width(tree, rows);
        let is_small = self.longest_cell <= LONG_CELL && width >= 2 && rows.len() >= 2;
        // Many short cells are a wide row, and no column of a page.
        let is_short = self.text / rows.len() < LONG_ROW || self.text < SHORT_CELL * self.cells;
        let is_grid = width >= 3 && rows.len() >= 3;
        !self.has_table && (!self.has_blocks || is_small) && (is_short || is_grid)
    }
}

/// How many columns nearly all rows have. Zero if they differ.
fn regular_width(tree: &HtmlTree, rows: &[NodeId]) -> usize {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for row in rows {
        let spans = cells(tree, *row).map(|it| span(tree, it, "colspan").unwrap_or(1));
        let width = spans.fold(0, usize::saturating_add);
        *counts.entry(width).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| count * 5 >= rows.len() * 4)
        .map_or(0, |(width, _)| width)
}

/// The bytes of a text without the white space that is not shown.
fn collapsed_length(text: &str) -> usize {
    text.split_whitespace().map(|word| word.len() + 1).sum()
}

//! The structure that a PDF states beside its pages: which text is a heading, an item of a list, a cell
//! of a table, and in what order it is read.
//!
//! The content of a page is marked with numbers. A tree of elements refers to them: its leaves, in their
//! order, are the text.

use std::collections::HashMap;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, Name, Object, ObjectIdentifier, String as PdfString};

use super::super::budget::Budget;
use super::text_string;

const MAX_DEPTH: usize = 64;
/// More elements and leaves than a readable document has.
const MAX_STEPS: usize = 1_000_000;
/// What an element costs, in instructions.
const ELEMENT_COST: u64 = 10;
/// How often a role may be said to stand for another.
const MAX_ROLES: usize = 8;
const MAX_SPAN: usize = 40;
/// More than a picture of text says.
const MAX_TEXT: usize = 4_000;

/// The elements of a document.
#[derive(Debug, Default)]
pub(super) struct Tags {
    elements: Vec<Element>,
    /// The element of each leaf, in the order in which they are read.
    leaves: Vec<usize>,
    /// The leaf of what a page or a form marks with a number.
    marked: HashMap<(ObjectIdentifier, i64), usize>,
    /// The text that elements state, which may be drawn as a picture.
    texts: HashMap<usize, String>,
    /// The cells of each row.
    cells: HashMap<usize, Vec<usize>>,
}

#[derive(Debug)]
struct Element {
    parent: Option<usize>,
    role: Role,
    /// How many columns and rows a cell takes.
    columns: usize,
    rows: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Heading(usize),
    List,
    Item,
    /// The mark or the text of an item.
    ItemPart,
    Table,
    Row,
    Cell,
    Paragraph,
    /// A footnote. The structure has it within the paragraph that refers to it.
    Note,
    /// Text within a line.
    Inline,
    /// What may be within a line, or not, as formulas.
    Either,
    Group,
}

impl Role {
    fn of(name: &str) -> Role {
        match name {
            "Title" | "H1" => Role::Heading(1),
            "H" | "H2" => Role::Heading(2),
            "H3" => Role::Heading(3),
            "H4" => Role::Heading(4),
            "H5" => Role::Heading(5),
            "H6" => Role::Heading(6),
            "L" => Role::List,
            "LI" => Role::Item,
            "Lbl" | "LBody" => Role::ItemPart,
            "Table" => Role::Table,
            "TR" => Role::Row,
            "TD" | "TH" => Role::Cell,
            "Span" | "NonStruct" | "Private" | "Quote" | "Reference" | "BibEntry" | "Code"
            | "Link" | "Annot" | "Em" | "Strong" | "Sub" | "Ruby" | "RB" | "RT" | "RP"
            | "Warichu" | "WT" | "WP" => Role::Inline,
            "Formula" | "Figure" | "Form" => Role::Either,
            "P" | "Caption" | "TOCI" => Role::Paragraph,
            "Note" | "FENote" => Role::Note,
            _ => Role::Group,
        }
    }
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Paragraph,
    Heading(usize),
    /// An item that is within so many lists.
    Item(usize),
    Cell {
        table: usize,
        row: usize,
    },
}

/// The element that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextElement {
    pub(super) kind: TextKind,
    pub(super) element: usize,
    /// The block within an item that the text is in. `None` if it is directly in the item.
    pub(super) block: Option<usize>,
}

impl Tags {
    /// The elements of a document. `None` if it states none, or too many.
    pub(super) fn read(pdf: &Pdf, budget: &Budget) -> Option<Tags> {
        let catalogue = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
        let root = catalogue.get::<Dict<'_>>("StructTreeRoot")?;
        let roles = root.get::<Dict<'_>>("RoleMap").unwrap_or_default();
        let mut reader = TagReader {
            tags: Tags::default(),
            roles,
            budget,
            steps: 0,
        };
        reader.children(&root, None, None, 0)?;
        Some(reader.tags).filter(|tags| !tags.leaves.is_empty())
    }

    /// The leaf of what is marked with a number.
    pub(super) fn leaf(&self, container: ObjectIdentifier, number: i64) -> Option<usize> {
        self.marked.get(&(container, number)).copied()
    }

    /// The element of a leaf, and the text that it states.
    pub(super) fn stated_text(&self, leaf: usize) -> Option<(usize, &str)> {
        let element = *self.leaves.get(leaf)?;
        let text = self.texts.get(&element)?;
        Some((element, text.as_str()))
    }

    pub(super) fn has_headings(&self) -> bool {
        let mut roles = self.elements.iter().map(|element| element.role);
        roles.any(|role| matches!(role, Role::Heading(_)))
    }

    /// The element and those that it is in, from the inside.
    fn path(&self, element: usize) -> impl Iterator<Item = (usize, Role)> {
        let mut next = Some(element);
        std::iter::from_fn(move || {
            let index = next?;
            let element = self.elements.get(index)?;
            next = element.parent;
            Some((index, element.role))
        })
    }

    /// What the text of a leaf belongs to.
    pub(super) fn text_element(&self, leaf: usize) -> Option<TextElement> {
        let inner = *self.leaves.get(leaf)?;
        let path = || self.path(inner);
        let block = self.block(inner);
        let outermost = |wanted: Role| path().filter(|it| it.1 == wanted).last().map(|it| it.0);
        let of = |kind, element, block| TextElement {
            kind,
            element,
            block,
        };
        if let (Some(cell), Some(table)) = (outermost(Role::Cell), outermost(Role::Table))
            && let Some((row, _)) = self.path(cell).find(|(_, role)| *role == Role::Row)
        {
            return Some(of(TextKind::Cell { table, row }, cell, None));
        }
        let heading = path().find_map(|(index, role)| match role {
            Role::Heading(level) => Some((index, level)),
            _ => None,
        });
        if let Some((index, level)) = heading {
            return Some(of(TextKind::Heading(level), index, None));
        }
        let item = path().find(|(_, role)| *role == Role::Item);
        if let Some((item, _)) = item {
            let lists = self.path(item).filter(|(_, role)| *role == Role::List);
            let level = lists.count().saturating_sub(1);
            let is_direct = matches!(self.elements[block].role, Role::Item | Role::ItemPart);
            return Some(of(
                TextKind::Item(level),
                item,
                (!is_direct).then_some(block),
            ));
        }
        Some(of(TextKind::Paragraph, block, None))
    }

    /// The paragraph that text is in, or else the innermost element that is more than a line.
    fn block(&self, inner: usize) -> usize {
        let path = || self.path(inner);
        let is_within = |role: Role| matches!(role, Role::Inline | Role::Either);
        let paragraph = path().find(|(_, role)| !is_within(*role));
        let is_text = |role: Role| matches!(role, Role::Paragraph | Role::Note);
        let paragraph = paragraph.filter(|(_, role)| is_text(*role));
        let block = paragraph.or_else(|| path().find(|(_, role)| *role != Role::Inline));
        block.map_or(inner, |(index, _)| index)
    }

    /// Whether an element is in a footnote.
    pub(super) fn is_in_note(&self, element: usize) -> bool {
        self.path(element).any(|(_, role)| role == Role::Note)
    }

    /// Whether all that is in an element is one text, and not several with others between them.
    pub(super) fn is_one_text(&self, element: usize) -> bool {
        let role = self.elements.get(element).map(|element| element.role);
        !matches!(role, Some(Role::Group))
    }

    /// Whether the text before an element does not go on after it, as it does after a footnote.
    pub(super) fn divides_text(&self, element: usize) -> bool {
        let role = self.elements.get(element).map(|element| element.role);
        role != Some(Role::Either) && !self.is_in_note(element)
    }

    /// The cells of a row, with the number of columns and rows that each takes.
    pub(super) fn cells(&self, row: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let cells = self.cells.get(&row).into_iter().flatten();
        cells.map(|cell| {
            let element = &self.elements[*cell];
            (*cell, element.columns, element.rows)
        })
    }
}

struct TagReader<'a> {
    tags: Tags,
    roles: Dict<'a>,
    budget: &'a Budget,
    steps: usize,
}

impl<'a> TagReader<'a> {
    /// Reads what an element contains. `None` if it is too much.
    fn children(
        &mut self,
        dict: &Dict<'a>,
        element: Option<usize>,
        page: Option<ObjectIdentifier>,
        depth: usize,
    ) -> Option<()> {
        match dict.get::<Object<'a>>("K") {
            Some(Object::Array(list)) => {
                for child in list.iter::<Object<'a>>() {
                    self.child(child, element, page, depth)?;
                }
                Some(())
            }
            Some(child) => self.child(child, element, page, depth),
            None => Some(()),
        }
    }

    fn child(
        &mut self,
        child: Object<'a>,
        element: Option<usize>,
        page: Option<ObjectIdentifier>,
        depth: usize,
    ) -> Option<()> {
        self.budget.count_operations(ELEMENT_COST).ok()?;
        self.steps += 1;
        if depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            return None;
        }
        match (child, element, page) {
            (Object::Number(number), Some(element), Some(page)) => {
                self.leaf(element, page, number.as_i64());
            }
            (Object::Dict(dict), _, _) => {
                let kind = dict.get::<Name<'_>>("Type");
                match kind.as_ref().map(Name::as_str) {
                    Some("MCR") => self.marked_content(&dict, element, page),
                    Some("OBJR") => {}
                    _ => self.element(&dict, element, page, depth)?,
                }
            }
            _ => {}
        }
        Some(())
    }

    fn element(
        &mut self,
        dict: &Dict<'a>,
        parent: Option<usize>,
        page: Option<ObjectIdentifier>,
        depth: usize,
    ) -> Option<()> {
        let role = self.role(dict);
        let span = |key: &str| attribute(dict, key).map_or(1, |it| it.clamp(1, MAX_SPAN));
        let index = self.tags.elements.len();
        let (columns, rows) = match role {
            Role::Cell => (span("ColSpan"), span("RowSpan")),
            _ => (1, 1),
        };
        self.tags.elements.push(Element {
            parent,
            role,
            columns,
            rows,
        });
        if let Some(text) = dict.get::<PdfString<'_>>("ActualText") {
            let text = text_string(&text);
            if text.len() <= MAX_TEXT && !text.trim().is_empty() {
                self.tags.texts.insert(index, text);
            }
        }
        if role == Role::Cell {
            let row = self.tags.path(index).find(|it| it.1 == Role::Row);
            if let Some((row, _)) = row {
                self.tags.cells.entry(row).or_default().push(index);
            }
        }
        let own = dict.get_ref("Pg").map(ObjectIdentifier::from);
        self.children(dict, Some(index), own.or(page), depth + 1)
    }

    /// Reads a reference to content that may be on another page, or in a form.
    fn marked_content(
        &mut self,
        dict: &Dict<'a>,
        element: Option<usize>,
        page: Option<ObjectIdentifier>,
    ) {
        let of = |key: &str| dict.get_ref(key).map(ObjectIdentifier::from);
        let container = of("Stm").or_else(|| of("Pg")).or(page);
        if let (Some(element), Some(container), Some(number)) =
            (element, container, dict.get::<i64>("MCID"))
        {
            self.leaf(element, container, number);
        }
    }

    fn leaf(&mut self, element: usize, container: ObjectIdentifier, number: i64) {
        let leaf = self.tags.leaves.len();
        self.tags.leaves.push(element);
        self.tags.marked.entry((container, number)).or_insert(leaf);
    }

    fn role(&self, dict: &Dict<'a>) -> Role {
        let mut name = dict.get::<Name<'a>>("S");
        for _ in 0..MAX_ROLES {
            let Some(known) = &name else {
                break;
            };
            let role = Role::of(known.as_str());
            match self.roles.get::<Name<'a>>(known) {
                Some(next) if role == Role::Group => name = Some(next),
                _ => return role,
            }
        }
        Role::Group
    }
}

/// An attribute of a cell.
fn attribute(dict: &Dict<'_>, key: &str) -> Option<usize> {
    let number = |dict: &Dict<'_>| dict.get::<u32>(key).map(|it| it as usize);
    match dict.get::<Object<'_>>("A")? {
        Object::Dict(dict) => number(&dict),
        Object::Array(list) => list.iter::<Dict<'_>>().find_map(|dict| number(&dict)),
        _ => None,
    }
}

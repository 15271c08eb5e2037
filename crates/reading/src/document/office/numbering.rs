//! Which paragraphs of a Word document are headings or list items, by its styles and numbering
//! definitions.

use std::collections::HashMap;

use super::super::error::DocumentError;
use super::super::xml::{XmlElement, XmlTree};
use super::Package;

/// How many styles are followed, each based on the next.
const MAX_ANCESTORS: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParagraphRole {
    Heading(usize),
    Item { list: u32, level: usize },
    Body,
}

/// The styles and lists of one document.
#[derive(Debug, Default)]
pub(super) struct StyleDefinitions {
    styles: HashMap<String, ParagraphStyle>,
    /// Whether a level of a list is numbered, by list and level.
    numbered: HashMap<(u32, usize), bool>,
}

#[derive(Debug, Default)]
struct ParagraphStyle {
    parent: Option<String>,
    heading: Option<usize>,
    list: Option<u32>,
    level: usize,
}

impl StyleDefinitions {
    pub(super) fn from_package(
        package: &Package<'_>,
        folder: &str,
    ) -> Result<StyleDefinitions, DocumentError> {
        let mut definitions = StyleDefinitions::default();
        if let Some(tree) = package.part(&format!("{folder}styles.xml"))? {
            definitions.styles = tree
                .root()
                .all("style")
                .filter_map(paragraph_style)
                .collect();
        }
        if let Some(tree) = package.part(&format!("{folder}numbering.xml"))? {
            definitions.numbered = numbered(&tree);
        }
        Ok(definitions)
    }

    /// The role of a paragraph with these properties.
    pub(super) fn role(&self, properties: Option<XmlElement<'_>>) -> ParagraphRole {
        let named = properties
            .and_then(|it| it.child("pStyle"))
            .and_then(|it| it.attribute("val"));
        let own_outline = properties
            .and_then(|it| it.child("outlineLvl"))
            .and_then(|it| number(it.attribute("val")));
        let inherited = named.map(|name| self.inherited(name)).unwrap_or_default();
        if let Some(level) = own_outline
            .filter(|level| *level < 9)
            .map(|level| level as usize + 1)
            .or(inherited.heading)
        {
            return ParagraphRole::Heading(level);
        }
        let own = properties.and_then(|it| it.child("numPr"));
        let list = own
            .and_then(|it| it.child("numId"))
            .and_then(|it| number(it.attribute("val")))
            .or(inherited.list);
        let level = own
            .and_then(|it| it.child("ilvl"))
            .and_then(|it| number(it.attribute("val")));
        match list {
            // Word uses list zero to take a paragraph out of the list of its style.
            Some(list) if list != 0 => ParagraphRole::Item {
                list,
                level: level.map_or(inherited.level, |level| level as usize).min(8),
            },
            _ => ParagraphRole::Body,
        }
    }

    /// Whether items of that level are numbered rather than bulleted.
    pub(super) fn is_numbered(&self, list: u32, level: usize) -> bool {
        self.numbered.get(&(list, level)).copied().unwrap_or(false)
    }

    fn inherited(&self, name: &str) -> ParagraphStyle {
        let mut found = ParagraphStyle::default();
        let mut next = Some(name);
        for _ in 0..MAX_ANCESTORS {
            let Some(row) = next.and_then(|name| self.styles.get(name)) else {
                break;
            };
            found.heading = found.heading.or(row.heading);
            if found.list.is_none() && row.list.is_some() {
                found.list = row.list;
                found.level = row.level;
            }
            next = row.parent.as_deref();
        }
        found
    }
}

fn paragraph_style(style: XmlElement<'_>) -> Option<(String, ParagraphStyle)> {
    let id = style.attribute("styleId")?.to_owned();
    let name = style
        .child("name")
        .and_then(|it| it.attribute("val"))
        .unwrap_or(&id)
        .to_ascii_lowercase();
    let properties = style.child("pPr");
    let outline = properties
        .and_then(|it| it.child("outlineLvl"))
        .and_then(|it| number(it.attribute("val")));
    let by_name = match name.as_str() {
        "title" => Some(1),
        name => name
            .strip_prefix("heading ")
            .and_then(|level| level.parse().ok()),
    };
    let listed = properties.and_then(|it| it.child("numPr"));
    let row = ParagraphStyle {
        parent: style
            .child("basedOn")
            .and_then(|it| it.attribute("val"))
            .map(str::to_owned),
        heading: by_name.or_else(|| {
            outline
                .filter(|level| *level < 9)
                .map(|level| level as usize + 1)
        }),
        list: listed
            .and_then(|it| it.child("numId"))
            .and_then(|it| number(it.attribute("val"))),
        level: listed
            .and_then(|it| it.child("ilvl"))
            .and_then(|it| number(it.attribute("val")))
            .unwrap_or(named_level(&name)) as usize,
    };
    Some((id, row))
}

/// The level of Word's built-in styles for nested items, such as `List Bullet 2`. They are lists of
/// their own that are only indented.
fn named_level(name: &str) -> u32 {
    let is_list = ["list bullet ", "list number ", "list continue "]
        .iter()
        .any(|start| name.starts_with(start));
    name.rsplit(' ')
        .next()
        .filter(|_| is_list)
        .and_then(|level| level.parse::<u32>().ok())
        .map_or(0, |level| level.saturating_sub(1).min(8))
}

/// Whether each level of each list is numbered.
fn numbered(tree: &XmlTree) -> HashMap<(u32, usize), bool> {
    let root = tree.root();
    let mut shapes: HashMap<u32, Vec<(usize, bool)>> = HashMap::new();
    for shape in root.all("abstractNum") {
        let levels = shape.all("lvl").filter_map(|level| {
            let format = level
                .child("numFmt")
                .and_then(|it| it.attribute("val"))
                .unwrap_or("decimal");
            Some((
                number(level.attribute("ilvl"))? as usize,
                !matches!(format, "bullet" | "none"),
            ))
        });
        if let Some(id) = number(shape.attribute("abstractNumId")) {
            shapes.insert(id, levels.take(9).collect());
        }
    }
    let mut all = HashMap::new();
    for list in root.all("num") {
        let shape = list
            .child("abstractNumId")
            .and_then(|it| number(it.attribute("val")))
            .and_then(|id| shapes.get(&id));
        let (Some(id), Some(levels)) = (number(list.attribute("numId")), shape) else {
            continue;
        };
        all.extend(
            levels
                .iter()
                .map(|(level, is_numbered)| ((id, *level), *is_numbered)),
        );
    }
    all
}

pub(super) fn number(text: Option<&str>) -> Option<u32> {
    text?.trim().parse().ok()
}

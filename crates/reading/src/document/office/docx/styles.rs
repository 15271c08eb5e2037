//! Which paragraphs of a Word document are headings or list items, by its styles.

use std::collections::HashMap;

use super::super::Package;
use super::backdrop::has_shading;
use super::looks::RunLook;
use super::numbering::Numbering;
use crate::document::error::DocumentError;
use crate::document::xml::XmlElement;

/// How many styles are followed, each based on the next.
const MAX_ANCESTORS: usize = 12;

/// What a paragraph is. A heading can be numbered like an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ParagraphRole {
    pub(super) heading: Option<usize>,
    /// The list that it is in, and the level.
    pub(super) item: Option<(u32, usize)>,
}

/// The styles of one document.
#[derive(Debug, Default)]
pub(super) struct StyleDefinitions {
    styles: HashMap<String, ParagraphStyle>,
}

#[derive(Debug, Default, Clone)]
struct ParagraphStyle {
    parent: Option<String>,
    heading: Option<usize>,
    list: Option<u32>,
    /// The style that names the list.
    list_style: String,
    level: Option<usize>,
    /// The level that the name of a built-in style says.
    named_level: usize,
    look: RunLook,
    /// Whether it gives what has it a dark background.
    is_dark: bool,
}

impl StyleDefinitions {
    pub(super) fn from_package(
        package: &Package<'_>,
        folder: &str,
    ) -> Result<StyleDefinitions, DocumentError> {
        let mut definitions = StyleDefinitions::default();
        if let Some(tree) = package.intact_part(&format!("{folder}styles.xml"))? {
            let styles = tree.root().all("style");
            definitions.styles = styles.filter_map(paragraph_style).collect();
        }
        Ok(definitions)
    }

    /// The list that a style names.
    pub(super) fn list_of(&self, style: &str) -> Option<u32> {
        self.styles.get(style)?.list
    }

    /// What a style says of the text that has it.
    pub(super) fn look(&self, style: &str) -> RunLook {
        self.inherited(style).look
    }

    /// Whether a style gives a dark background. One that is not defined may.
    pub(super) fn is_dark(&self, style: &str) -> bool {
        !self.styles.contains_key(style) || self.inherited(style).is_dark
    }

    /// The role of a paragraph with these properties.
    pub(super) fn role(
        &self,
        properties: Option<XmlElement<'_>>,
        numbering: &Numbering,
    ) -> ParagraphRole {
        let property = |name: &str| {
            let element = properties.and_then(|it| it.child(name))?;
            element.attribute("val")
        };
        let inherited = property("pStyle")
            .map(|name| self.inherited(name))
            .unwrap_or_default();
        let heading = match number(property("outlineLvl")) {
            Some(level) => (level < 9).then_some(level as usize + 1),
            None => inherited.heading,
        };
        let own = properties.and_then(|it| it.child("numPr"));
        let own = |name: &str| number(own.and_then(|it| it.child(name))?.attribute("val"));
        // Word uses list zero to take a paragraph out of the list of its style.
        let list = own("numId").or(inherited.list).filter(|list| *list != 0);
        let item = list.map(|list| {
            let level = own("ilvl")
                .map(|level| level as usize)
                .or(inherited.level)
                .or_else(|| numbering.level_of_style(list, &inherited.list_style))
                .unwrap_or(inherited.named_level);
            (list, level.min(8))
        });
        ParagraphRole { heading, item }
    }

    fn inherited(&self, name: &str) -> ParagraphStyle {
        let mut found = ParagraphStyle::default();
        let mut next = Some(name);
        for _ in 0..MAX_ANCESTORS {
            let Some((name, row)) = next.and_then(|name| Some((name, self.styles.get(name)?)))
            else {
                break;
            };
            found.heading = found.heading.or(row.heading);
            found.level = found.level.or(row.level);
            found.look = found.look.or(row.look);
            found.is_dark |= row.is_dark;
            if found.list.is_none() && row.list.is_some() {
                found.list = row.list;
                found.list_style = name.to_owned();
                found.named_level = row.named_level;
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
    let listed = |name: &str| number(listed.and_then(|it| it.child(name))?.attribute("val"));
    let by_outline = outline
        .filter(|level| *level < 9)
        .map(|level| level as usize + 1);
    let row = ParagraphStyle {
        parent: style
            .child("basedOn")
            .and_then(|it| it.attribute("val"))
            .map(str::to_owned),
        heading: by_name.or(by_outline),
        list: listed("numId"),
        list_style: String::new(),
        level: listed("ilvl").map(|level| level as usize),
        named_level: named_level(&name) as usize,
        look: style
            .child("rPr")
            .map(RunLook::of)
            .unwrap_or_default()
            .on(properties),
        is_dark: has_shading(style),
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

pub(super) fn number(text: Option<&str>) -> Option<u32> {
    text?.trim().parse().ok()
}

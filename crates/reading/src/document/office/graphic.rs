//! What a drawing refers to in parts of their own: charts and diagrams.

use std::collections::HashMap;

use super::{Package, Relationship, chart, diagram};
use crate::document::error::{DocumentError, Warning};
use crate::document::markdown::{Markdown, one_line, titled_description};
use crate::document::xml::XmlElement;

/// Writes every chart and diagram inside an element. A part that is damaged is left out.
pub(super) fn write_graphics(
    inside: XmlElement<'_>,
    package: &Package<'_>,
    relations: &HashMap<String, Relationship>,
    markdown: &mut Markdown,
) -> Result<Option<Warning>, DocumentError> {
    let mut warning = None;
    for data in inside.find_all("graphicData") {
        for reference in data.elements() {
            let target = |name: &str| {
                let id = reference.qualified_attribute(name)?;
                Some(relations.get(id)?.target.as_str())
            };
            let part = match reference.name() {
                "chart" => target("id"),
                "relIds" => target("dm"),
                _ => None,
            };
            let tree = match part.map(|part| package.part(part)).transpose() {
                Err(DocumentError::Broken) => {
                    warning = Some(Warning::Incomplete);
                    continue;
                }
                tree => tree?.flatten(),
            };
            let Some(tree) = tree else {
                continue;
            };
            if reference.name() == "relIds" {
                diagram::write_diagram(tree.root(), markdown);
            } else if !chart::write_chart(tree.root(), markdown) {
                warning = Some(Warning::Truncated);
            }
        }
    }
    Ok(warning)
}

/// The address that a shape as a whole leads to.
pub(super) fn shape_link(
    properties: XmlElement<'_>,
    relations: &HashMap<String, Relationship>,
) -> Option<String> {
    let click = properties.child("hlinkClick")?;
    relations.get(click.qualified_attribute("id")?)?.link()
}

/// The alternative text of a picture or a shape: its title and its description.
pub(super) fn alternative_text(properties: XmlElement<'_>) -> Option<String> {
    let text = |name: &str| properties.attribute(name).map(one_line).unwrap_or_default();
    titled_description(&text("title"), &text("descr"))
}

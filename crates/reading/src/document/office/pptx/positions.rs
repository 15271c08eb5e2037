//! Where the shapes of a slide are: a slide is read from top to bottom and from left to right, and
//! its file keeps the shapes in the order in which they were made.

use std::collections::HashMap;

use super::super::{Package, Relationship};
use crate::document::error::DocumentError;
use crate::document::xml::XmlElement;

/// Shapes whose tops differ by less than this, a sixth of an inch, are in one row.
const ROW: i64 = 152_400;

/// The top and the left of a shape, in English Metric Units.
type Position = (i64, i64);

/// The places that a layout gives to the placeholders of its slides, by their type and number.
#[derive(Debug, Default)]
pub(super) struct Positions {
    by_index: HashMap<String, Position>,
    by_type: HashMap<String, Position>,
}

impl Positions {
    /// Those of the layout of a slide with these relationships.
    pub(super) fn of_layout(
        package: &Package<'_>,
        relations: &HashMap<String, Relationship>,
    ) -> Result<Positions, DocumentError> {
        let layout = relations
            .values()
            .find(|relation| relation.kind.ends_with("/slideLayout"));
        let tree = match layout {
            Some(layout) => package.intact_part(&layout.target)?,
            None => None,
        };
        let mut positions = Positions::default();
        let Some(tree) = tree else {
            return Ok(positions);
        };
        for shape in tree.root().find_all("sp") {
            if let (Some((kind, index)), Some(position)) = (placeholder(shape), own(shape)) {
                positions.by_index.insert(index.to_owned(), position);
                positions.by_type.entry(kind.to_owned()).or_insert(position);
            }
        }
        Ok(positions)
    }

    fn of(&self, shape: XmlElement<'_>) -> Option<Position> {
        own(shape).or_else(|| {
            let (kind, index) = placeholder(shape)?;
            let listed = self.by_index.get(index).or_else(|| self.by_type.get(kind));
            listed.copied()
        })
    }

    /// The shapes in the order in which they are read. Those that have no place come first, in
    /// their own order.
    pub(super) fn ordered<'t>(&self, shapes: Vec<XmlElement<'t>>) -> Vec<XmlElement<'t>> {
        let mut placed: Vec<(Option<Position>, XmlElement<'t>)> = shapes
            .into_iter()
            .map(|shape| (self.of(shape), shape))
            .collect();
        placed.sort_by_key(|(position, _)| position.map(|(top, _)| top));
        let mut ordered = Vec::with_capacity(placed.len());
        let mut row: Vec<(i64, XmlElement<'t>)> = Vec::new();
        let mut row_top = i64::MIN;
        for (position, shape) in placed {
            let Some((top, left)) = position else {
                ordered.push(shape);
                continue;
            };
            if top.saturating_sub(row_top) >= ROW {
                row.sort_by_key(|(left, _)| *left);
                ordered.extend(row.drain(..).map(|(_, shape)| shape));
                row_top = top;
            }
            row.push((left, shape));
        }
        row.sort_by_key(|(left, _)| *left);
        ordered.extend(row.into_iter().map(|(_, shape)| shape));
        ordered
    }
}

/// The type and the number of the placeholder that a shape fills.
fn placeholder(shape: XmlElement<'_>) -> Option<(&str, &str)> {
    let properties = shape
        .elements()
        .find(|element| element.name().starts_with("nv"))?;
    let placeholder = properties.find("ph")?;
    Some((
        placeholder.attribute("type").unwrap_or("obj"),
        placeholder.attribute("idx").unwrap_or("0"),
    ))
}

/// The place that a shape states itself.
pub(super) fn own(shape: XmlElement<'_>) -> Option<Position> {
    let holder = match shape.name() {
        "graphicFrame" => shape,
        // Alternatives are at the place of the first.
        "AlternateContent" => return own(shape.child("Choice")?.elements().next()?),
        _ => shape
            .elements()
            .find(|element| matches!(element.name(), "spPr" | "grpSpPr"))?,
    };
    let offset = holder.child("xfrm")?.child("off")?;
    let number = |name: &str| offset.attribute(name)?.parse().ok();
    Some((number("y")?, number("x")?))
}

//! SmartArt: a diagram whose texts make a tree, written as nested lists.

use std::collections::{HashMap, HashSet};

use crate::document::markdown::{Markdown, one_line};
use crate::document::xml::XmlElement;

/// How deep a diagram is followed.
const MAX_DEPTH: usize = 32;

/// Writes the texts of a diagram's data part.
pub(super) fn write_diagram(root: XmlElement<'_>, markdown: &mut Markdown) {
    let mut diagram = Diagram::default();
    for point in root.find_all("pt") {
        let Some(id) = point.attribute("modelId") else {
            continue;
        };
        let kind = point.attribute("type").unwrap_or("node");
        // Arrows and layout have points of their own, without text that the diagram shows.
        if matches!(kind, "node" | "asst") {
            diagram.order.push(id);
            diagram.texts.insert(id, text(point));
        } else if kind == "doc" {
            diagram.tops.push(id);
        }
    }
    for link in root.find_all("cxn") {
        let is_parent = link.attribute("type").is_none_or(|kind| kind == "parOf");
        let place = link.attribute("srcOrd").and_then(|it| it.parse().ok());
        if let (true, Some(from), Some(to)) =
            (is_parent, link.attribute("srcId"), link.attribute("destId"))
        {
            let children = diagram.children.entry(from).or_default();
            children.push((place.unwrap_or(0), to));
        }
    }
    diagram.children.values_mut().for_each(|it| it.sort());
    for top in diagram.tops.clone() {
        diagram.write(top, 0, markdown);
    }
    for left in diagram.order.clone() {
        if !diagram.written.contains(left) {
            diagram.write_point(left, 0, markdown);
        }
    }
}

#[derive(Default)]
struct Diagram<'t> {
    order: Vec<&'t str>,
    texts: HashMap<&'t str, String>,
    children: HashMap<&'t str, Vec<(u32, &'t str)>>,
    tops: Vec<&'t str>,
    written: HashSet<&'t str>,
}

impl<'t> Diagram<'t> {
    fn write(&mut self, parent: &'t str, depth: usize, markdown: &mut Markdown) {
        for (_, child) in self.children.get(parent).cloned().unwrap_or_default() {
            self.write_point(child, depth, markdown);
        }
    }

    fn write_point(&mut self, point: &'t str, depth: usize, markdown: &mut Markdown) {
        if depth > MAX_DEPTH || !self.written.insert(point) {
            return;
        }
        let text = self.texts.get(point).map_or("", String::as_str);
        markdown.item(depth, None, text);
        let deeper = if text.is_empty() { depth } else { depth + 1 };
        self.write(point, deeper, markdown);
    }
}

fn text(point: XmlElement<'_>) -> String {
    let paragraphs = point.find_all("p").into_iter();
    let lines = paragraphs.map(|paragraph| {
        let runs = paragraph.find_all("t").into_iter().map(XmlElement::text);
        one_line(&runs.collect::<String>())
    });
    lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

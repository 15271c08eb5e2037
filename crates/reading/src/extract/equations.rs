//! The equations of a page (MathML).

use fault::characters::{is_invisible, is_joiner};

use super::html_tree::NodeId;
use super::render::Source;
use crate::document::mathml_to_tex;

/// Elements nested deeper than this are left out.
const MAX_LEVEL: usize = 100;

/// The chosen text of a `math` element as TeX. `None` if there is none.
pub(super) fn tex(source: Source<'_>, math: NodeId) -> Option<String> {
    let mut xml = String::new();
    write_element(source, math, 0, &mut xml);
    mathml_to_tex(&xml)
}

/// Writes an element as XML, which the reader of equations takes.
fn write_element(source: Source<'_>, id: NodeId, level: usize, xml: &mut String) {
    let tree = source.tree;
    if let Some(text) = tree.text(id) {
        if source.chosen[id as usize] {
            push_escaped(xml, text);
        }
        return;
    }
    let name = tree.name(id);
    let is_name = |it: &str| {
        it.bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'-')
    };
    if level > MAX_LEVEL || !is_name(name) || source.visibility.excludes(tree, id) {
        return;
    }
    xml.push_str(&format!("<{name}"));
    // What the signs of `mfenced` are.
    for attribute in ["open", "close", "separators"] {
        if let Some(value) = tree.attribute(id, attribute) {
            xml.push_str(&format!(" {attribute}=\""));
            push_escaped(xml, value);
            xml.push('"');
        }
    }
    xml.push('>');
    for child in tree.children(id) {
        write_element(source, child, level + 1, xml);
    }
    xml.push_str(&format!("</{name}>"));
}

fn push_escaped(xml: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '&' => xml.push_str("&amp;"),
            '"' => xml.push_str("&quot;"),
            letter if is_invisible(letter) && !is_joiner(letter) => {}
            letter => xml.push(letter),
        }
    }
}

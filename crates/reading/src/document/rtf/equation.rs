//! Equations, whose control words are the names of Word's elements with an `m` before them.

use crate::document::omml;
use crate::document::xml::XmlTree;

/// An equation that is being read, written as Word's XML.
#[derive(Default)]
pub(super) struct Equation {
    open: Vec<Part>,
}

#[derive(Default)]
struct Part {
    name: String,
    /// What is inside, as XML.
    inside: String,
    text: String,
}

const MAX_NODES: usize = 100_000;
/// The most bytes of an equation. What is longer is left out, since each level copies it.
const MAX_BYTES: usize = 200_000;

impl Equation {
    /// Begins an element, by its control word.
    pub(super) fn begin(&mut self, word: &str) {
        self.open.push(Part {
            name: word.strip_prefix('m').unwrap_or(word).to_owned(),
            ..Part::default()
        });
    }

    pub(super) fn text(&mut self, text: &str) {
        let part = self.open.last_mut();
        if let Some(part) = part.filter(|it| it.text.len() + text.len() <= MAX_BYTES) {
            part.text.push_str(text);
        }
    }

    /// Ends the innermost element. Returns the equation as TeX if it was the outermost one.
    pub(super) fn end(&mut self) -> Option<String> {
        let part = self.open.pop()?;
        let xml = part.xml();
        match self.open.last_mut() {
            Some(outer) => {
                if outer.inside.len() + xml.len() <= MAX_BYTES {
                    outer.inside.push_str(&xml);
                }
                None
            }
            None => {
                let tree = XmlTree::parse_str(&xml, MAX_NODES).ok()?;
                Some(omml::from_omml(tree.root()))
            }
        }
    }
}

impl Part {
    fn xml(&self) -> String {
        let (name, inside) = (&self.name, &self.inside);
        let text = escaped(&self.text);
        if name == "r" {
            return format!("<r>{inside}<t>{text}</t></r>");
        }
        // A property has its value as text.
        match inside.is_empty() && !text.trim().is_empty() {
            true => format!("<{name} val=\"{}\"/>", text.trim()),
            false => format!("<{name}>{inside}</{name}>"),
        }
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}

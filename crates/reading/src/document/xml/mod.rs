//! A small XML tree of bounded size.
//!
//! Readers need to look around in a document (a list's level is defined in another part, a cell
//! belongs to a row), which is hard with a stream of events. This tree is a few flat vectors: about
//! twenty bytes per node, a limit on nodes and depth, and no recursion when it is dropped. Elements
//! are found by their local name. Broken markup yields the tree of what comes before it. Entities
//! other than the predefined ones and common ones of HTML stay as they are written, and document
//! type declarations are not read, so nothing expands and nothing is fetched.

mod build;
mod entity;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::error::{DocumentError, Warning};
use build::XmlTreeBuilder;
pub(super) use build::decoded;
pub use entity::entity_text;

/// The index of a node that does not exist, or of the name of a text.
const NONE: u32 = u32::MAX;

/// A parsed XML document.
#[derive(Debug, Default)]
pub struct XmlTree {
    nodes: Vec<XmlNode>,
    /// The name of each attribute, and where its value starts and ends in `text`.
    attributes: Vec<(u32, u32, u32)>,
    text: String,
    names: Vec<Box<str>>,
    /// Whether the end is missing, because of a limit or broken markup.
    pub incomplete: bool,
    /// Whether that is because of a limit.
    pub(super) too_long: bool,
    /// Whether elements are missing because they are inside too many others. Their text is there.
    pub too_deep: bool,
}

#[derive(Debug)]
struct XmlNode {
    /// The index of an element's name; [`NONE`] for a text.
    name: u32,
    /// Where an element's attributes, or the letters of a text, start and end.
    start: u32,
    end: u32,
    first_child: u32,
    next_sibling: u32,
}

impl XmlTree {
    /// Parses bytes in the charset that they declare.
    pub fn parse(bytes: &[u8], max_nodes: usize) -> Result<XmlTree, DocumentError> {
        XmlTree::parse_str(&decoded(bytes), max_nodes)
    }

    /// Parses text. An error means that there is no element at all, or more text than an index can
    /// address.
    pub fn parse_str(text: &str, max_nodes: usize) -> Result<XmlTree, DocumentError> {
        if text.len() >= NONE as usize {
            return Err(DocumentError::InputTooLarge);
        }
        let mut builder = XmlTreeBuilder::default();
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        while builder.size() < max_nodes {
            match reader.read_event() {
                Ok(Event::Eof) => return builder.finish(false),
                Ok(event) => builder.add_event(event),
                Err(_) => return builder.finish(true),
            }
        }
        builder.finish_cut()
    }

    /// What is wrong with it, if its end is missing.
    pub(super) fn warning(&self) -> Option<Warning> {
        let warning = match self.too_long {
            true => Warning::Truncated,
            false => Warning::Incomplete,
        };
        self.incomplete.then_some(warning)
    }

    /// The outermost element.
    pub fn root(&self) -> XmlElement<'_> {
        XmlElement {
            tree: self,
            index: 0,
        }
    }
}

/// An element of a tree.
#[derive(Debug, Clone, Copy)]
pub struct XmlElement<'t> {
    tree: &'t XmlTree,
    index: u32,
}

/// A child of an element.
#[derive(Debug, Clone, Copy)]
pub enum XmlChild<'t> {
    Element(XmlElement<'t>),
    Text(&'t str),
}

impl<'t> XmlElement<'t> {
    fn node(self) -> &'t XmlNode {
        &self.tree.nodes[self.index as usize]
    }

    /// The local name, without the prefix.
    pub fn name(self) -> &'t str {
        &self.tree.names[self.node().name as usize]
    }

    /// The value of an attribute. A name with a prefix must match in full; one without matches the
    /// local name.
    pub fn attribute(self, name: &str) -> Option<&'t str> {
        let node = self.node();
        let own = &self.tree.attributes[node.start as usize..node.end as usize];
        own.iter().find_map(|(key, start, end)| {
            let key = &*self.tree.names[*key as usize];
            let matches =
                key == name || (!name.contains(':') && key.rsplit(':').next() == Some(name));
            matches.then(|| &self.tree.text[*start as usize..*end as usize])
        })
    }

    /// The value of the attribute with that local name that has a prefix, whatever the prefix is:
    /// `r:id` and not `id`, which some elements have as well.
    pub fn qualified_attribute(self, name: &str) -> Option<&'t str> {
        self.attributes().find_map(|(key, value)| {
            let (_, local) = key.split_once(':')?;
            (local == name).then_some(value)
        })
    }

    /// The attributes in document order, by their full names.
    pub fn attributes(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let node = self.node();
        let own = &self.tree.attributes[node.start as usize..node.end as usize];
        own.iter().map(|(key, start, end)| {
            (
                &*self.tree.names[*key as usize],
                &self.tree.text[*start as usize..*end as usize],
            )
        })
    }

    /// The children in document order.
    pub fn children(self) -> impl Iterator<Item = XmlChild<'t>> {
        let mut next = self.node().first_child;
        std::iter::from_fn(move || {
            let node = self.tree.nodes.get(next as usize)?;
            let index = next;
            next = node.next_sibling;
            Some(match node.name {
                NONE => XmlChild::Text(&self.tree.text[node.start as usize..node.end as usize]),
                _ => XmlChild::Element(XmlElement {
                    tree: self.tree,
                    index,
                }),
            })
        })
    }

    /// The children that are elements.
    pub fn elements(self) -> impl Iterator<Item = XmlElement<'t>> {
        self.children().filter_map(|child| match child {
            XmlChild::Element(element) => Some(element),
            XmlChild::Text(_) => None,
        })
    }

    /// The first child of that name.
    pub fn child(self, name: &str) -> Option<XmlElement<'t>> {
        self.elements().find(|element| element.name() == name)
    }

    /// The children of that name.
    pub fn all(self, name: &str) -> impl Iterator<Item = XmlElement<'t>> {
        self.elements()
            .filter(move |element| element.name() == name)
    }

    /// The first descendant of that name, in document order.
    pub fn find(self, name: &str) -> Option<XmlElement<'t>> {
        self.elements().find_map(|element| {
            if element.name() == name {
                Some(element)
            } else {
                element.find(name)
            }
        })
    }

    /// Every descendant of that name that is not inside another one, in document order.
    pub fn find_all(self, name: &str) -> Vec<XmlElement<'t>> {
        let mut found = Vec::new();
        self.collect(name, &mut found);
        found
    }

    fn collect(self, name: &str, found: &mut Vec<XmlElement<'t>>) {
        for element in self.elements() {
            if element.name() == name {
                found.push(element)
            } else {
                element.collect(name, found)
            }
        }
    }

    /// All text inside the element, unchanged.
    pub fn text(self) -> String {
        let mut text = String::new();
        self.gather(&mut text);
        text
    }

    fn gather(self, text: &mut String) {
        for child in self.children() {
            match child {
                XmlChild::Text(piece) => text.push_str(piece),
                XmlChild::Element(element) => element.gather(text),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> XmlTree {
        XmlTree::parse_str(text, 1_000_000).expect("has a root")
    }

    #[test]
    fn elements_attributes_and_texts_are_found_by_name() {
        let tree = tree(
            "<?xml version='1.0'?><w:a w:id='1' r:id=\"x&amp;y\"><b>one &lt;&#50;&nbsp;&odd;</b><b/><![CDATA[<c>]]></w:a>",
        );
        let root = tree.root();
        assert_eq!(root.name(), "a");
        assert_eq!(root.attribute("r:id"), Some("x&y"));
        assert_eq!(root.attribute("id"), Some("1"));
        assert_eq!(
            root.child("b").map(XmlElement::text).as_deref(),
            Some("one <2\u{A0}&odd;")
        );
        assert_eq!(root.text(), "one <2\u{A0}&odd;<c>");
        assert!(!tree.incomplete);
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'lol'><!ENTITY y '&x;&x;&x;'><!ENTITY z SYSTEM 'file:///etc/passwd'>]><a>&y;&z;</a>";
        assert_eq!(tree(bomb).root().text(), "&y;&z;");
    }

    #[test]
    fn deep_and_broken_markup_yields_a_tree() {
        let deep = "<a>".repeat(100_000) + "text" + &"</a>".repeat(100_000);
        assert_eq!(tree(&deep).root().text(), "text");
        assert!(tree(&deep).too_deep && !tree("<a><b/></a>").too_deep);
        let broken = tree("<a><b>kept</b><c attribute=");
        assert!(broken.incomplete);
        assert_eq!(broken.root().text(), "kept");
        assert!(XmlTree::parse_str("", 10).is_err());
        assert!(XmlTree::parse_str(&"<a>x</a>".repeat(100), 10).is_ok_and(|tree| tree.incomplete));
    }

    #[test]
    fn the_declared_charset_is_decoded() {
        let latin = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>caf\xE9</a>";
        assert_eq!(
            XmlTree::parse(latin, 100)
                .expect("has a root")
                .root()
                .text(),
            "café"
        );
        let wide: Vec<u8> = [0xFF, 0xFE]
            .into_iter()
            .chain("<a>日</a>".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        assert_eq!(
            XmlTree::parse(&wide, 100)
                .expect("has a root")
                .root()
                .text(),
            "日"
        );
    }
}

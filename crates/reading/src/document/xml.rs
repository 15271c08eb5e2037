//! A small, bounded XML tree for documents.
//!
//! Documents need to look around (a list's level is defined in another part, a cell belongs to a
//! row), which a stream of events makes painful; general tree libraries are unbounded and free
//! their nodes by recursion. This one is a handful of flat vectors: about twenty bytes a node, a
//! fixed cap on nodes and on depth, and nothing to recurse over when it is dropped. Elements are
//! known by their local name. Entities other than the predefined ones and HTML's common ones are
//! left as they are written, and a document type is never read, so nothing expands and nothing
//! outside is fetched.

use std::borrow::Cow;
use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::escape::unescape_with;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::error::DocumentError;
use crate::extract::charset;

/// Deeper elements hang from the element at this depth, so walkers may recurse.
const MAX_DEPTH: usize = 200;
const MAX_ATTRIBUTES: usize = 256;
/// No format has a hundredth of this; further names are all the same to us.
const MAX_NAMES: usize = 20_000;
const NONE: u32 = u32::MAX;

/// A parsed part.
#[derive(Debug, Default)]
pub struct XmlTree {
    nodes: Vec<XmlNode>,
    attributes: Vec<(u32, u32, u32)>,
    text: String,
    names: Vec<Box<str>>,
    /// Whether the end was cut or the markup is broken beyond a point.
    pub incomplete: bool,
}

#[derive(Debug)]
struct XmlNode {
    /// The name of an element; none for a text.
    name: u32,
    /// Where its attributes, or its text, are.
    start: u32,
    end: u32,
    first: u32,
    next: u32,
}

impl XmlTree {
    /// Parses bytes in whatever charset they declare. Broken markup yields the part before it.
    pub fn parse(bytes: &[u8], most_nodes: usize) -> Result<XmlTree, DocumentError> {
        let text = decoded(bytes);
        XmlTree::parse_str(&text, most_nodes)
    }

    /// Parses text.
    pub fn parse_str(text: &str, most_nodes: usize) -> Result<XmlTree, DocumentError> {
        if text.len() >= NONE as usize {
            return Err(DocumentError::InputTooLarge);
        }
        let mut builder = XmlTreeBuilder::default();
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        while builder.tree.nodes.len() + builder.tree.attributes.len() < most_nodes {
            match reader.read_event() {
                Ok(Event::Eof) => return builder.finish(false),
                Ok(event) => builder.add_event(event),
                Err(_) => return builder.finish(true),
            }
        }
        builder.finish(true)
    }

    /// The outermost element.
    pub fn root(&self) -> XmlElement<'_> {
        XmlElement {
            tree: self,
            index: 0,
        }
    }
}

/// UTF-8 without a copy; UTF-16 and named charsets decoded.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let declared = declared_charset(bytes);
    if declared
        .as_deref()
        .is_none_or(|name| name.eq_ignore_ascii_case("utf-8"))
        && charset::wide(bytes, None).is_none()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(charset::decode(bytes, declared.as_deref()).text)
}

fn declared_charset(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let declaration = start.strip_prefix("<?xml")?.split("?>").next()?;
    let value = declaration
        .split("encoding")
        .nth(1)?
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    Some(
        value
            .trim_start_matches(['"', '\''])
            .split(['"', '\''])
            .next()?
            .to_owned(),
    )
}

#[derive(Default)]
struct XmlTreeBuilder {
    tree: XmlTree,
    known: HashMap<Box<str>, u32>,
    /// The open elements and the last child of each.
    open: Vec<(u32, u32)>,
    /// Elements opened beyond the depth cap.
    beyond: usize,
}

impl XmlTreeBuilder {
    fn add_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(start) => self.start(&start),
            Event::Empty(start) => {
                self.start(&start);
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => self.text(&entity_text(&reference)),
            _ => {}
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) {
        if self.open.is_empty() && !self.tree.nodes.is_empty() {
            // A second root is broken; it hangs from the first.
            self.open.push((0, self.last_child(0)));
        }
        if self.open.len() >= MAX_DEPTH {
            self.beyond += 1;
            return;
        }
        let name = self.name(start.local_name().as_ref());
        let from = self.tree.attributes.len() as u32;
        for attribute in start
            .attributes()
            .with_checks(false)
            .flatten()
            .take(MAX_ATTRIBUTES)
        {
            // Word marks every run with the ids of editing sessions, more of them than text.
            if attribute.key.local_name().as_ref().starts_with("rsid") {
                continue;
            }
            let value =
                unescape_with(&attribute.value, entity).unwrap_or(Cow::Borrowed(&*attribute.value));
            let key = self.name(attribute.key.as_ref());
            let begin = self.tree.text.len() as u32;
            self.tree.text.push_str(&value);
            self.tree
                .attributes
                .push((key, begin, self.tree.text.len() as u32));
        }
        let to = self.tree.attributes.len() as u32;
        let index = self.add(XmlNode {
            name,
            start: from,
            end: to,
            first: NONE,
            next: NONE,
        });
        self.open.push((index, NONE));
    }

    fn end(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else {
            self.open.pop();
        }
    }

    fn text(&mut self, text: &str) {
        let Some((_, last)) = self.open.last().copied() else {
            return;
        };
        let begin = self.tree.text.len() as u32;
        self.tree.text.push_str(text);
        let end = self.tree.text.len() as u32;
        // References split texts; together they are one.
        if let Some(node) = self.tree.nodes.get_mut(last as usize)
            && node.name == NONE
            && node.end == begin
        {
            node.end = end;
            return;
        }
        self.add(XmlNode {
            name: NONE,
            start: begin,
            end,
            first: NONE,
            next: NONE,
        });
    }

    fn add(&mut self, node: XmlNode) -> u32 {
        let index = self.tree.nodes.len() as u32;
        self.tree.nodes.push(node);
        if let Some((parent, last)) = self.open.last_mut() {
            match *last {
                NONE => self.tree.nodes[*parent as usize].first = index,
                sibling => self.tree.nodes[sibling as usize].next = index,
            }
            *last = index;
        }
        index
    }

    fn last_child(&self, parent: u32) -> u32 {
        let mut last = self.tree.nodes[parent as usize].first;
        while last != NONE && self.tree.nodes[last as usize].next != NONE {
            last = self.tree.nodes[last as usize].next;
        }
        last
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        if self.tree.names.len() == MAX_NAMES {
            return 0;
        }
        let index = self.tree.names.len() as u32;
        self.tree.names.push(Box::from(name));
        self.known.insert(Box::from(name), index);
        index
    }

    fn finish(mut self, incomplete: bool) -> Result<XmlTree, DocumentError> {
        self.tree.incomplete = incomplete || !self.open.is_empty();
        if self.tree.nodes.is_empty() {
            Err(DocumentError::Broken)
        } else {
            Ok(self.tree)
        }
    }
}

/// What a reference stands for; an unknown one stands for itself.
pub fn entity_text(reference: &BytesRef<'_>) -> Cow<'static, str> {
    let name = reference.xml10_content();
    match reference.resolve_char_ref() {
        Ok(Some(letter)) => Cow::Owned(letter.to_string()),
        _ => entity(&name).map_or_else(|| Cow::Owned(format!("&{name};")), Cow::Borrowed),
    }
}

/// The entities that XML predefines and those of HTML that books and feeds use without declaring
/// them.
fn entity(name: &str) -> Option<&'static str> {
    Some(match name {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "apos" => "'",
        "quot" => "\"",
        "nbsp" => "\u{A0}",
        "ndash" => "–",
        "mdash" => "—",
        "lsquo" => "‘",
        "rsquo" => "’",
        "ldquo" => "“",
        "rdquo" => "”",
        "laquo" => "«",
        "raquo" => "»",
        "hellip" => "…",
        "bull" => "•",
        "middot" => "·",
        "copy" => "©",
        "reg" => "®",
        "trade" => "™",
        "deg" => "°",
        "times" => "×",
        "euro" => "€",
        "pound" => "£",
        "sect" => "§",
        "para" => "¶",
        "shy" => "\u{AD}",
        "ensp" | "emsp" | "thinsp" => " ",
        "zwnj" => "\u{200C}",
        "auml" => "ä",
        "ouml" => "ö",
        "uuml" => "ü",
        "Auml" => "Ä",
        "Ouml" => "Ö",
        "Uuml" => "Ü",
        "szlig" => "ß",
        "eacute" => "é",
        "egrave" => "è",
        "agrave" => "à",
        "aacute" => "á",
        "ccedil" => "ç",
        "ntilde" => "ñ",
        _ => return None,
    })
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

    /// The local name.
    pub fn name(self) -> &'t str {
        &self.tree.names[self.node().name as usize]
    }

    /// The value of an attribute: by its full name where the name has a prefix, else by its local
    /// name.
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

    /// The attributes in order.
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

    /// The children in order.
    pub fn children(self) -> impl Iterator<Item = XmlChild<'t>> {
        let mut next = self.node().first;
        std::iter::from_fn(move || {
            let node = self.tree.nodes.get(next as usize)?;
            let index = next;
            next = node.next;
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

    /// Every descendant of that name, in document order; none inside another.
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

    /// All text within, as it stands.
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
    fn names_attributes_and_texts_are_found() {
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
    fn entity_bombs_and_outside_entities_stay_as_written() {
        let bomb = "<!DOCTYPE a [<!ENTITY x 'lol'><!ENTITY y '&x;&x;&x;'><!ENTITY z SYSTEM 'file:///etc/passwd'>]><a>&y;&z;</a>";
        assert_eq!(tree(bomb).root().text(), "&y;&z;");
    }

    #[test]
    fn deep_and_broken_markup_comes_back() {
        let deep = "<a>".repeat(100_000) + "text" + &"</a>".repeat(100_000);
        assert_eq!(tree(&deep).root().text(), "text");
        let broken = tree("<a><b>kept</b><c attribute=");
        assert!(broken.incomplete);
        assert_eq!(broken.root().text(), "kept");
        assert!(XmlTree::parse_str("", 10).is_err());
        assert!(XmlTree::parse_str(&"<a>x</a>".repeat(100), 10).is_ok_and(|tree| tree.incomplete));
    }

    #[test]
    fn other_charsets_are_decoded() {
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

//! Builds an [`XmlTree`] from bytes.

use std::borrow::Cow;
use std::collections::HashMap;

use quick_xml::escape::unescape_with;
use quick_xml::events::{BytesStart, Event};

use super::super::error::DocumentError;
use super::entity::{entity, entity_text};
use super::{NONE, XmlNode, XmlTree};
use crate::extract::charset;

/// Elements at this depth have no child elements: deeper ones are dropped, and their text belongs
/// to the element at this depth. So functions that walk the tree may recurse.
const MAX_DEPTH: usize = 200;
const MAX_ATTRIBUTES: usize = 256;
/// No format has a hundredth of this. Further names all become the first name.
const MAX_NAMES: usize = 20_000;

/// Makes a tree of the events of the parser.
#[derive(Default)]
pub(super) struct XmlTreeBuilder {
    tree: XmlTree,
    /// The index of each name in the tree.
    known: HashMap<Box<str>, u32>,
    /// The open elements and the last child of each.
    open: Vec<(u32, u32)>,
    /// How many open elements are beyond the depth limit.
    beyond: usize,
}

impl XmlTreeBuilder {
    /// How many elements, attributes and texts the tree has so far.
    pub(super) fn size(&self) -> usize {
        self.tree.nodes.len() + self.tree.attributes.len()
    }

    pub(super) fn add_event(&mut self, event: Event<'_>) {
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
            // A second root is an error; it becomes a child of the first.
            self.open.push((0, self.last_child(0)));
        }
        if self.open.len() >= MAX_DEPTH {
            self.beyond += 1;
            self.tree.too_deep = true;
            return;
        }
        let name = self.name(start.local_name().as_ref());
        let from = self.tree.attributes.len() as u32;
        self.add_attributes(start);
        let index = self.add(XmlNode {
            name,
            start: from,
            end: self.tree.attributes.len() as u32,
            first_child: NONE,
            next_sibling: NONE,
        });
        self.open.push((index, NONE));
    }

    fn add_attributes(&mut self, start: &BytesStart<'_>) {
        for attribute in start
            .attributes()
            .with_checks(false)
            .flatten()
            .take(MAX_ATTRIBUTES)
        {
            // Word marks every run with the ids of editing sessions, which take more space than the
            // text.
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
        // The parser splits texts at references; here they become one text again.
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
            first_child: NONE,
            next_sibling: NONE,
        });
    }

    fn add(&mut self, node: XmlNode) -> u32 {
        let index = self.tree.nodes.len() as u32;
        self.tree.nodes.push(node);
        if let Some((parent, last)) = self.open.last_mut() {
            match *last {
                NONE => self.tree.nodes[*parent as usize].first_child = index,
                sibling => self.tree.nodes[sibling as usize].next_sibling = index,
            }
            *last = index;
        }
        index
    }

    fn last_child(&self, parent: u32) -> u32 {
        let mut last = self.tree.nodes[parent as usize].first_child;
        while last != NONE && self.tree.nodes[last as usize].next_sibling != NONE {
            last = self.tree.nodes[last as usize].next_sibling;
        }
        last
    }

    /// The index of a name.
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

    /// The tree of a text whose end is beyond the limit.
    pub(super) fn finish_cut(mut self) -> Result<XmlTree, DocumentError> {
        self.tree.too_long = true;
        self.finish(true)
    }

    pub(super) fn finish(mut self, incomplete: bool) -> Result<XmlTree, DocumentError> {
        self.tree.incomplete = incomplete || !self.open.is_empty();
        if self.tree.nodes.is_empty() {
            Err(DocumentError::Broken)
        } else {
            Ok(self.tree)
        }
    }
}

/// The text of the bytes: borrowed if they are UTF-8, else decoded from UTF-16 or the declared
/// charset.
pub(in crate::document) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
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

/// The charset of the XML declaration.
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

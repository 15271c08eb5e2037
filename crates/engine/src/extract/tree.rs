//! The page as a tree in one flat table, and the limits that hold while it grows.
//!
//! Everything later (features, choice, Markdown) walks this one tree, so it is built for walking: nodes are numbers, links
//! between them are fields, comments and templates are never stored. A parser's tree can be far larger or deeper than its
//! input (unclosed formatting elements are repeated in every paragraph), so the input is fed in small pieces and both sizes
//! are checked between them.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, parse_document};

use super::nesting::MAX_DEPTH;

/// A node: its place in the table.
pub(super) type Id = u32;

/// No node.
pub(super) const NONE: Id = u32::MAX;

/// The document node.
pub(super) const ROOT: Id = 0;

/// Where the insides of all templates end up; nothing leads there, because no reader sees them.
const TEMPLATES: Id = 1;

/// A page with more nodes than this is read up to here.
const MAX_NODES: usize = 1_200_000;

/// The input is fed in pieces of this size, so a limit is overshot by what one piece can cause.
const PIECE_BYTES: usize = 4_096;

#[derive(Debug)]
pub(super) enum Data {
    Document,
    Element { name: QualName, attributes: Vec<Attribute> },
    Text(StrTendril),
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Id,
    pub(super) first: Id,
    last: Id,
    previous: Id,
    pub(super) next: Id,
    depth: u32,
    pub(super) data: Data,
}

#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// How a parse ended.
#[derive(Debug)]
pub(super) enum Parsed {
    /// All of it is in the tree.
    Whole(Tree),
    /// The page has more nodes than are kept.
    Cut(Tree),
    /// The page nests deeper than trees may.
    TooDeep,
}

/// Parses a page, or says that it nests too deep.
pub(super) fn parse(html: &str) -> Parsed {
    let sink = Sink { nodes: RefCell::new(vec![Node::new(Data::Document), Node::new(Data::Document)]), deepest: Cell::new(0) };
    // A page without scripts is what we read, so what it says to readers without scripts is part of the tree.
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let mut parser = parse_document(sink, ParseOpts { tree_builder, ..ParseOpts::default() });
    let mut cut = false;
    for piece in pieces(html) {
        parser.process(StrTendril::from(piece));
        let sink = &parser.tokenizer.sink.sink;
        if sink.deepest.get() as usize > MAX_DEPTH + 8 {
            return Parsed::TooDeep;
        }
        if sink.nodes.borrow().len() > MAX_NODES {
            cut = true;
            break;
        }
    }
    let tree = Tree { nodes: parser.finish() };
    if cut { Parsed::Cut(tree) } else { Parsed::Whole(tree) }
}

/// A page as nothing but its text, for those that stay too deep whatever is left out.
pub(super) fn flat(html: &str) -> Tree {
    let mut text = String::with_capacity(html.len() / 2);
    for part in html.split('<') {
        text.push_str(part.split_once('>').map_or("", |it| it.1));
        text.push(' ');
    }
    match parse(&format!("<p>{}", text.replace('<', " "))) {
        Parsed::Whole(tree) | Parsed::Cut(tree) => tree,
        Parsed::TooDeep => Tree { nodes: vec![Node::new(Data::Document)] },
    }
}

/// The page in pieces of about [`PIECE_BYTES`], cut between characters.
fn pieces(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = PIECE_BYTES.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

fn some(id: Id) -> Option<Id> {
    (id != NONE).then_some(id)
}

impl Node {
    fn new(data: Data) -> Node {
        Node { parent: NONE, first: NONE, last: NONE, previous: NONE, next: NONE, depth: 0, data }
    }
}

impl Tree {
    /// How many nodes there are; every id is below it.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn parent(&self, id: Id) -> Id {
        self.node(id).parent
    }

    /// The name of an element; empty for everything else.
    pub(super) fn name(&self, id: Id) -> &str {
        match &self.node(id).data {
            Data::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    pub(super) fn text(&self, id: Id) -> Option<&str> {
        match &self.node(id).data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn attributes(&self, id: Id) -> &[Attribute] {
        match &self.node(id).data {
            Data::Element { attributes, .. } => attributes,
            _ => &[],
        }
    }

    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        self.attributes(id).iter().find(|it| &*it.name.local == name).map(|it| &*it.value)
    }

    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(some(self.node(id).first), |it| some(self.node(*it).next))
    }

    /// The node after this one in document order, or the one after everything below it, when its inside is skipped.
    pub(super) fn following(&self, id: Id, skip_inside: bool) -> Id {
        let node = self.node(id);
        if !skip_inside && node.first != NONE {
            return node.first;
        }
        let mut at = id;
        while at != NONE {
            let node = self.node(at);
            if node.next != NONE {
                return node.next;
            }
            at = node.parent;
        }
        NONE
    }

    /// All nodes below one, in document order, itself first.
    pub(super) fn below(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.following(id, true);
        std::iter::successors(Some(id), move |it| some(self.following(*it, false)).filter(|it| *it != end))
    }

    /// The ancestors of a node, nearest first, itself left out.
    pub(super) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(some(self.parent(id)), |it| some(self.parent(*it)))
    }

    /// The text below a node, as it is written.
    pub(super) fn text_below(&self, id: Id) -> String {
        self.below(id).filter_map(|it| self.text(it)).collect()
    }
}

struct Sink {
    nodes: RefCell<Vec<Node>>,
    deepest: Cell<u32>,
}

#[derive(Debug)]
pub(super) struct NameRef<'a>(Ref<'a, QualName>);

impl ElemName for NameRef<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl Sink {
    fn push(&self, data: Data) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node::new(data));
        Id::try_from(nodes.len() - 1).unwrap_or(ROOT)
    }

    /// Puts a node under a parent, before a sibling or at the end.
    fn link(&self, parent: Id, child: Id, before: Id) {
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = if before == NONE { nodes[parent as usize].last } else { nodes[before as usize].previous };
        let depth = nodes[parent as usize].depth + 1;
        self.deepest.set(self.deepest.get().max(depth));
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, before, depth);
        if previous == NONE {
            nodes[parent as usize].first = child;
        } else {
            nodes[previous as usize].next = child;
        }
        if before == NONE {
            nodes[parent as usize].last = child;
        } else {
            nodes[before as usize].previous = child;
        }
    }

    fn unlink(&self, id: Id) {
        let nodes = &mut *self.nodes.borrow_mut();
        let (parent, previous, next) = (nodes[id as usize].parent, nodes[id as usize].previous, nodes[id as usize].next);
        if parent == NONE {
            return;
        }
        if previous == NONE {
            nodes[parent as usize].first = next;
        } else {
            nodes[previous as usize].next = next;
        }
        if next == NONE {
            nodes[parent as usize].last = previous;
        } else {
            nodes[next as usize].previous = previous;
        }
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    fn insert(&self, parent: Id, child: NodeOrText<Id>, before: Id) {
        if parent == NONE {
            return;
        }
        match child {
            NodeOrText::AppendNode(NONE) => {}
            NodeOrText::AppendNode(id) => {
                self.unlink(id);
                self.link(parent, id, before);
            }
            NodeOrText::AppendText(text) => {
                if !self.extend_text(parent, &text, before) {
                    let id = self.push(Data::Text(text));
                    self.link(parent, id, before);
                }
            }
        }
    }

    /// Adds to the text node that is already there; false when there is none.
    fn extend_text(&self, parent: Id, text: &StrTendril, before: Id) -> bool {
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = if before == NONE { nodes[parent as usize].last } else { nodes[before as usize].previous };
        match nodes.get_mut(previous as usize).map(|it| &mut it.data) {
            Some(Data::Text(existing)) => {
                existing.push_tendril(text);
                true
            }
            _ => false,
        }
    }
}

impl TreeSink for Sink {
    type Handle = Id;
    type Output = Vec<Node>;
    type ElemName<'a> = NameRef<'a>;

    fn finish(self) -> Vec<Node> {
        self.nodes.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> NameRef<'a> {
        NameRef(Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].data {
            Data::Element { name, .. } => name,
            _ => unreachable!("the tree builder asks elements for their name"),
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Id {
        self.push(Data::Element { name, attributes })
    }

    fn create_comment(&self, _: StrTendril) -> Id {
        NONE
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Id {
        NONE
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.insert(*parent, child, NONE);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let parent = self.nodes.borrow()[*element as usize].parent;
        if parent == NONE {
            self.insert(*previous, child, NONE);
        } else {
            self.insert(parent, child, *element);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &Id) -> Id {
        TEMPLATES
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, new: NodeOrText<Id>) {
        let parent = self.nodes.borrow()[*sibling as usize].parent;
        self.insert(parent, new, *sibling);
    }

    fn add_attrs_if_missing(&self, target: &Id, new: Vec<Attribute>) {
        if let Data::Element { attributes, .. } = &mut self.nodes.borrow_mut()[*target as usize].data {
            for attribute in new {
                if attributes.iter().all(|it| it.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        if *target != NONE {
            self.unlink(*target);
        }
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        loop {
            let child = self.nodes.borrow()[*node as usize].first;
            if child == NONE {
                return;
            }
            self.unlink(child);
            self.link(*new_parent, child, NONE);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tree(html: &str) -> Tree {
        match parse(html) {
            Parsed::Whole(tree) => tree,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn text_is_whole_and_in_order() {
        let tree = tree("<p>a &amp; b<!-- no --> c</p><template>hidden</template><table>foster<tr><td>cell</table>");
        assert_eq!(tree.text_below(ROOT), "a & b cfostercell");
    }

    #[test]
    fn deep_pages_are_refused_before_they_cost_time() {
        assert!(matches!(parse(&"<div>".repeat(100_000)), Parsed::TooDeep));
    }

    #[test]
    fn formatting_that_multiplies_is_cut() {
        let mut html: String = (0..400).map(|n| format!("<font size={n}>")).collect();
        html.push_str(&"<p>x".repeat(200_000));
        assert!(matches!(parse(&html), Parsed::Cut(_) | Parsed::TooDeep));
    }
}

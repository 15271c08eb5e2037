//! The page as a tree in one flat table.
//!
//! Everything later (features, choice, Markdown) walks this one tree, so it is built for walking:
//! nodes are numbers, links between them are fields, comments and templates are never stored.
//! [`bounded`](super::bounded) keeps it small.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

/// A node: its place in the table.
pub type Id = u32;

/// No node.
pub const NONE: Id = u32::MAX;

/// The document node.
pub const ROOT: Id = 0;

/// Where the insides of all templates end up; nothing leads there, because no reader sees them.
const TEMPLATES: Id = 1;

#[derive(Debug)]
pub enum Data {
    Document,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
    },
    Text(StrTendril),
}

#[derive(Debug)]
pub struct Node {
    pub parent: Id,
    pub first: Id,
    last: Id,
    previous: Id,
    pub next: Id,
    pub data: Data,
}

#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

fn some(id: Id) -> Option<Id> {
    (id != NONE).then_some(id)
}

impl Node {
    fn new(data: Data) -> Node {
        Node {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            data,
        }
    }
}

impl Tree {
    /// How many nodes there are; every id is below it.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn parent(&self, id: Id) -> Id {
        self.node(id).parent
    }

    /// The name of an element; empty for everything else.
    pub fn name(&self, id: Id) -> &str {
        match &self.node(id).data {
            Data::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    pub fn text(&self, id: Id) -> Option<&str> {
        match &self.node(id).data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn attributes(&self, id: Id) -> &[Attribute] {
        match &self.node(id).data {
            Data::Element { attributes, .. } => attributes,
            _ => &[],
        }
    }

    pub fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        self.attributes(id)
            .iter()
            .find(|it| &*it.name.local == name)
            .map(|it| &*it.value)
    }

    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(some(self.node(id).first), |it| some(self.node(*it).next))
    }

    /// The node after this one in document order, or the one after everything below it, when its
    /// inside is skipped.
    pub fn following(&self, id: Id, skip_inside: bool) -> Id {
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
    pub fn below(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.following(id, true);
        std::iter::successors(Some(id), move |it| {
            some(self.following(*it, false)).filter(|it| *it != end)
        })
    }

    /// The ancestors of a node, nearest first, itself left out.
    pub fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(some(self.parent(id)), |it| some(self.parent(*it)))
    }

    /// The text below a node, as it is written.
    pub fn text_below(&self, id: Id) -> String {
        self.below(id).filter_map(|it| self.text(it)).collect()
    }
}

/// Takes what the tree builder makes.
#[derive(Debug)]
pub struct Sink {
    nodes: RefCell<Vec<Node>>,
}

impl Default for Sink {
    fn default() -> Sink {
        Sink {
            nodes: RefCell::new(vec![Node::new(Data::Document), Node::new(Data::Document)]),
        }
    }
}

#[derive(Debug)]
pub struct NameRef<'a>(Ref<'a, QualName>);

impl ElemName for NameRef<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl Sink {
    /// How many nodes there are by now.
    pub fn node_count(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub fn into_tree(self) -> Tree {
        Tree {
            nodes: self.nodes.into_inner(),
        }
    }

    fn push(&self, data: Data) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node::new(data));
        Id::try_from(nodes.len() - 1).unwrap_or(ROOT)
    }

    /// Puts a node under a parent, before a sibling or at the end.
    fn link(&self, parent: Id, child: Id, before: Id) {
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = if before == NONE {
            nodes[parent as usize].last
        } else {
            nodes[before as usize].previous
        };
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next) = (parent, previous, before);
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
        let (parent, previous, next) = (
            nodes[id as usize].parent,
            nodes[id as usize].previous,
            nodes[id as usize].next,
        );
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
        let previous = if before == NONE {
            nodes[parent as usize].last
        } else {
            nodes[before as usize].previous
        };
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
        NameRef(Ref::map(self.nodes.borrow(), |nodes| {
            match &nodes[*target as usize].data {
                Data::Element { name, .. } => name,
                _ => unreachable!("the tree builder asks elements for their name"),
            }
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
        if let Data::Element { attributes, .. } =
            &mut self.nodes.borrow_mut()[*target as usize].data
        {
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
mod tests {
    use super::super::bounded;
    use super::*;

    #[test]
    fn text_is_whole_and_in_order() {
        let tree = bounded::parse("<p>a &amp; b<!-- no --> c</p><template>hidden</template><table>foster<tr><td>cell</table>").tree;
        assert_eq!(tree.text_below(ROOT), "a & b cfostercell");
    }
}

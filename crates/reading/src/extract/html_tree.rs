//! The page as a tree in one flat table.
//!
//! Everything later (features, choice, Markdown) walks this one tree, so it is made for walking:
//! nodes are indices, links between them are fields, comments and templates are never stored.
//! [`bounded`](super::bounded) keeps it small.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};

/// A node, by its index in the table.
pub type NodeId = u32;

/// No node.
pub const NONE: NodeId = u32::MAX;

/// The document node.
pub const ROOT: NodeId = 0;

/// The parent of the contents of all templates. No other node links to it: templates are not
/// visible.
const TEMPLATES: NodeId = 1;

#[derive(Debug)]
pub enum NodeData {
    Document,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
    },
    Text(StrTendril),
}

#[derive(Debug)]
pub struct HtmlNode {
    pub parent: NodeId,
    pub first: NodeId,
    last: NodeId,
    previous: NodeId,
    pub next: NodeId,
    pub data: NodeData,
}

#[derive(Debug)]
pub struct HtmlTree {
    nodes: Vec<HtmlNode>,
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}

impl HtmlNode {
    fn new(data: NodeData) -> HtmlNode {
        HtmlNode {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            data,
        }
    }
}

impl HtmlTree {
    /// How many nodes there are; every id is below it.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: NodeId) -> &HtmlNode {
        &self.nodes[id as usize]
    }

    pub fn parent(&self, id: NodeId) -> NodeId {
        self.node(id).parent
    }

    /// The name of an element; empty for everything else.
    pub fn name(&self, id: NodeId) -> &str {
        match &self.node(id).data {
            NodeData::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).data {
            NodeData::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn attributes(&self, id: NodeId) -> &[Attribute] {
        match &self.node(id).data {
            NodeData::Element { attributes, .. } => attributes,
            _ => &[],
        }
    }

    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id)
            .iter()
            .find(|it| &*it.name.local == name)
            .map(|it| &*it.value)
    }

    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(some(self.node(id).first), |it| some(self.node(*it).next))
    }

    /// The next node in document order, or [`NONE`]. With `skip_inside`, the next one that is not
    /// below this one.
    pub fn following(&self, id: NodeId, skip_inside: bool) -> NodeId {
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
    pub fn below(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.following(id, true);
        std::iter::successors(Some(id), move |it| {
            some(self.following(*it, false)).filter(|it| *it != end)
        })
    }

    /// The ancestors of a node, nearest first, itself left out.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(some(self.parent(id)), |it| some(self.parent(*it)))
    }

    /// The text below a node, as it is written.
    pub fn text_below(&self, id: NodeId) -> String {
        self.below(id).filter_map(|it| self.text(it)).collect()
    }
}

/// Collects what html5ever's tree builder makes.
#[derive(Debug)]
pub struct HtmlSink {
    nodes: RefCell<Vec<HtmlNode>>,
}

impl Default for HtmlSink {
    fn default() -> HtmlSink {
        HtmlSink {
            nodes: RefCell::new(vec![
                HtmlNode::new(NodeData::Document),
                HtmlNode::new(NodeData::Document),
            ]),
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

impl HtmlSink {
    /// How many nodes there are so far.
    pub fn node_count(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub fn into_tree(self) -> HtmlTree {
        HtmlTree {
            nodes: self.nodes.into_inner(),
        }
    }

    fn push(&self, data: NodeData) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(HtmlNode::new(data));
        NodeId::try_from(nodes.len() - 1).unwrap_or(ROOT)
    }

    /// Puts a node under a parent, before a sibling or at the end.
    fn link(&self, parent: NodeId, child: NodeId, before: NodeId) {
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

    fn unlink(&self, id: NodeId) {
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

    fn insert(&self, parent: NodeId, child: NodeOrText<NodeId>, before: NodeId) {
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
                    let id = self.push(NodeData::Text(text));
                    self.link(parent, id, before);
                }
            }
        }
    }

    /// Adds to the text node that is already there; false when there is none.
    fn extend_text(&self, parent: NodeId, text: &StrTendril, before: NodeId) -> bool {
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = if before == NONE {
            nodes[parent as usize].last
        } else {
            nodes[before as usize].previous
        };
        match nodes.get_mut(previous as usize).map(|it| &mut it.data) {
            Some(NodeData::Text(existing)) => {
                existing.push_tendril(text);
                true
            }
            _ => false,
        }
    }
}

impl TreeSink for HtmlSink {
    type Handle = NodeId;
    type Output = Vec<HtmlNode>;
    type ElemName<'a> = NameRef<'a>;

    fn finish(self) -> Vec<HtmlNode> {
        self.nodes.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> NameRef<'a> {
        NameRef(Ref::map(self.nodes.borrow(), |nodes| {
            match &nodes[*target as usize].data {
                NodeData::Element { name, .. } => name,
                _ => unreachable!("the tree builder asks elements for their name"),
            }
        }))
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> NodeId {
        self.push(NodeData::Element { name, attributes })
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        NONE
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        NONE
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(*parent, child, NONE);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        let parent = self.nodes.borrow()[*element as usize].parent;
        if parent == NONE {
            self.insert(*previous, child, NONE);
        } else {
            self.insert(parent, child, *element);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &NodeId) -> NodeId {
        TEMPLATES
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new: NodeOrText<NodeId>) {
        let parent = self.nodes.borrow()[*sibling as usize].parent;
        self.insert(parent, new, *sibling);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, new: Vec<Attribute>) {
        if let NodeData::Element { attributes, .. } =
            &mut self.nodes.borrow_mut()[*target as usize].data
        {
            for attribute in new {
                if attributes.iter().all(|it| it.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        if *target != NONE {
            self.unlink(*target);
        }
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
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
    fn text_is_complete_and_in_document_order() {
        let tree = bounded::parse("<p>a &amp; b<!-- no --> c</p><template>hidden</template><table>foster<tr><td>cell</table>").tree;
        assert_eq!(tree.text_below(ROOT), "a & b cfostercell");
    }
}

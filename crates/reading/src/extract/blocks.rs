//! The visible page as a sequence of blocks: runs of text that a reader sees as one piece.
//!
//! A block is what stands between the borders of block elements: a paragraph, a list item, a cell,
//! a heading. One walk over the tree finds the blocks and, for every element, how much text of
//! which kind it holds.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::groups::Groups;
use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
use super::metadata::squeezed;
use super::phrases::{self, Classes};
use super::roles::{self, ROLES, Roles};
use super::visibility::{self, Visibility};

/// What the blocks below an element add up to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TextSums {
    /// Characters of text, white space collapsed.
    pub(super) chars: u32,
    /// Of these, inside links.
    pub(super) linked: u32,
    /// Of these, in long blocks with few links: prose.
    pub(super) prose: u32,
    pub(super) blocks: u32,
    /// Points for paragraphs below, counted as Mozilla's Readability does.
    pub(super) points: f32,
}

impl TextSums {
    fn add(&mut self, other: &TextSums) {
        self.chars += other.chars;
        self.linked += other.linked;
        self.prose += other.prose;
        self.blocks += other.blocks;
    }
}

/// The nearest ancestor with each role, or [`NONE`].
pub(super) type Nearest = [NodeId; ROLES];

#[derive(Debug)]
pub(super) struct PageBlock {
    /// The element whose text this is.
    pub(super) element: NodeId,
    /// Its text nodes, as a range of [`PageLayout::texts`].
    pub(super) texts: (u32, u32),
    pub(super) chars: u32,
    pub(super) linked: u32,
    pub(super) words: u32,
    pub(super) links: u32,
    pub(super) commas: u32,
    pub(super) stops: u32,
    pub(super) digits: u32,
    pub(super) capitals: u32,
    /// Whether it ends as a sentence does.
    pub(super) ended: bool,
    pub(super) depth: u32,
    pub(super) classes: Classes,
    /// A hash of its text, to find repetitions.
    pub(super) hash: u64,
    /// The ancestors with roles, as an index of [`PageLayout::nearest`].
    pub(super) nearest: u32,
}

/// A page as blocks, with what the features need to know about its elements.
#[derive(Debug)]
pub(super) struct PageLayout {
    pub(super) blocks: Vec<PageBlock>,
    /// Visible text nodes in document order.
    pub(super) texts: Vec<NodeId>,
    /// By element.
    pub(super) sums: Vec<TextSums>,
    /// Every different set of nearest ancestors.
    pub(super) nearest: Vec<Nearest>,
    /// By element: how many siblings have the same name and class.
    pub(super) alike: Vec<u32>,
    /// How many items a list has.
    pub(super) items: HashMap<NodeId, u32>,
    /// The groups of blocks that are made alike.
    pub(super) groups: Groups,
}

/// Blocks of at least this many characters with few links are prose.
const PROSE_CHARS: u32 = 80;
/// Shorter blocks are searched for phrases.
const SHORT_CHARS: u32 = 300;

/// Splits a page into blocks.
pub(super) fn split_page(tree: &HtmlTree, visibility: &Visibility) -> PageLayout {
    let mut walk = BlockWalk::new(tree, visibility);
    walk.walk();
    let mut page = walk.page;
    page.groups = Groups::new(tree, &page.blocks);
    page.alike = alike(tree, &walk.visited);
    for item in walk.visited.iter().filter(|it| tree.name(**it) == "li") {
        *page.items.entry(tree.parent(*item)).or_default() += 1;
    }
    page
}

/// How many siblings have the same name and classes.
fn alike(tree: &HtmlTree, visited: &[NodeId]) -> Vec<u32> {
    let signature = |id: NodeId| {
        let mut hasher = DefaultHasher::new();
        tree.name(id).hash(&mut hasher);
        // Numbered classes differ between siblings that look alike; the first class names the kind.
        tree.attribute(id, "class")
            .map(|it| it.split_whitespace().next())
            .hash(&mut hasher);
        (tree.parent(id), hasher.finish())
    };
    let mut counts: HashMap<(NodeId, u64), u32> = HashMap::with_capacity(visited.len());
    let signatures: Vec<_> = visited.iter().map(|id| signature(*id)).collect();
    signatures
        .iter()
        .for_each(|it| *counts.entry(*it).or_default() += 1);
    let mut alike = vec![0; tree.node_count()];
    visited
        .iter()
        .zip(&signatures)
        .for_each(|(id, it)| alike[*id as usize] = counts[it]);
    alike
}

struct BlockWalk<'t> {
    tree: &'t HtmlTree,
    visibility: &'t Visibility,
    page: PageLayout,
    visited: Vec<NodeId>,
    /// The text of the current block.
    text: String,
    /// Its first text node, as an index of [`PageLayout::texts`].
    from: u32,
    linked: u32,
    links: u32,
    /// How many links are open around the current node.
    inside_links: u32,
    /// The open elements and which entry of `nearest` holds inside each.
    open: Vec<(NodeId, u32)>,
}

impl<'t> BlockWalk<'t> {
    fn new(tree: &'t HtmlTree, visibility: &'t Visibility) -> BlockWalk<'t> {
        let page = PageLayout {
            blocks: Vec::new(),
            texts: Vec::new(),
            sums: vec![TextSums::default(); tree.node_count()],
            nearest: vec![[NONE; ROLES]],
            alike: Vec::new(),
            items: HashMap::new(),
            groups: Groups::default(),
        };
        BlockWalk {
            tree,
            visibility,
            page,
            visited: Vec::new(),
            text: String::new(),
            from: 0,
            linked: 0,
            links: 0,
            inside_links: 0,
            open: vec![(ROOT, 0)],
        }
    }

    fn walk(&mut self) {
        let mut at = self.tree.node(ROOT).first;
        while at != NONE {
            let descends = self.enter(at);
            if descends && self.tree.node(at).first != NONE {
                at = self.tree.node(at).first;
                continue;
            }
            if descends {
                self.leave(at);
            }
            at = self.after(at);
        }
        self.finish_block();
    }

    /// The next node to enter. Leaves the elements that end before it.
    fn after(&mut self, mut at: NodeId) -> NodeId {
        loop {
            let node = self.tree.node(at);
            if node.next != NONE {
                return node.next;
            }
            at = node.parent;
            if at == ROOT || at == NONE {
                return NONE;
            }
            self.leave(at);
        }
    }

    /// Enters a node. Returns whether its children are to be walked.
    fn enter(&mut self, id: NodeId) -> bool {
        if let Some(text) = self.tree.text(id) {
            self.add_text(id, text);
            return false;
        }
        if self.visibility.excludes(self.tree, id) {
            return false;
        }
        let name = self.tree.name(id);
        if visibility::is_block(name) {
            self.finish_block();
        }
        match name {
            "a" => {
                self.inside_links += 1;
                self.links += 1;
            }
            "br" => self.text.push('\n'),
            _ => {}
        }
        self.visited.push(id);
        let nearest = self.nearest_with(id, roles::element_roles(self.tree, id));
        self.open.push((id, nearest));
        true
    }

    fn nearest_with(&mut self, id: NodeId, roles: Roles) -> u32 {
        let outer = self.open.last().map_or(0, |it| it.1);
        if roles == 0 {
            return outer;
        }
        let mut nearest = self.page.nearest[outer as usize];
        for (index, slot) in nearest.iter_mut().enumerate() {
            if roles & roles::bit(index) != 0 {
                *slot = id;
            }
        }
        self.page.nearest.push(nearest);
        u32::try_from(self.page.nearest.len() - 1).unwrap_or(0)
    }

    fn leave(&mut self, id: NodeId) {
        let name = self.tree.name(id);
        if visibility::is_block(name) {
            self.finish_block();
        }
        self.inside_links -= u32::from(name == "a");
        self.open.pop();
        let sums = self.page.sums[id as usize];
        let parent = self.tree.parent(id);
        if parent != NONE {
            self.page.sums[parent as usize].add(&sums);
        }
    }

    fn add_text(&mut self, id: NodeId, text: &str) {
        let before = self.text.len();
        self.text.push_str(text);
        if self.inside_links > 0 {
            self.linked += count(&self.text[before..]);
        }
        self.page.texts.push(id);
    }

    fn finish_block(&mut self) {
        let to = u32::try_from(self.page.texts.len()).unwrap_or(u32::MAX);
        let has_text = self.text.chars().any(|it| !it.is_whitespace());
        if has_text {
            let block = self.measured((self.from, to));
            self.credit(&block);
            self.page.blocks.push(block);
        }
        (self.from, self.linked, self.links) = (to, 0, 0);
        self.text.clear();
    }

    fn measured(&self, texts: (u32, u32)) -> PageBlock {
        // An inline element may be open across the border; the text belongs to the nearest block
        // element.
        let element = self
            .open
            .iter()
            .rev()
            .find(|(id, _)| visibility::is_block(self.tree.name(*id)))
            .map_or(ROOT, |it| it.0);
        let (element, nearest) = match self.open.last() {
            Some(_) => (element, self.inner_nearest(texts)),
            None => (ROOT, 0),
        };
        let mut block = PageBlock {
            element,
            texts,
            chars: 0,
            linked: self.linked,
            words: 0,
            links: self.links,
            commas: 0,
            stops: 0,
            digits: 0,
            capitals: 0,
            ended: ends_sentence(&self.text),
            depth: u32::try_from(self.open.len()).unwrap_or(0),
            classes: 0,
            hash: 0,
            nearest,
        };
        block.count_words(&self.text);
        if block.chars < SHORT_CHARS {
            block.classes = phrases::classes_in(&self.text);
        }
        block
    }

    /// The roles around a block. Those of an inline element count when the whole block is inside
    /// it, as the text of a button or a link is.
    fn inner_nearest(&self, texts: (u32, u32)) -> u32 {
        let element = self.open.last().map_or(ROOT, |it| it.0);
        let outer = self.open.last().map_or(0, |it| it.1);
        let inside = &self.page.texts[texts.0 as usize..texts.1 as usize];
        let mut filled = inside
            .iter()
            .filter(|id| self.tree.text(**id).is_some_and(|it| !it.trim().is_empty()));
        match (filled.next(), filled.next()) {
            (Some(only), None) if self.tree.parent(*only) != element => {
                self.nearest_of(self.tree.parent(*only)).unwrap_or(outer)
            }
            _ => outer,
        }
    }

    /// The entry that holds inside an element that was just walked: the newest one that names it.
    fn nearest_of(&self, element: NodeId) -> Option<u32> {
        let from = self.page.nearest.len().saturating_sub(6);
        let at = self.page.nearest[from..]
            .iter()
            .rposition(|it| it.contains(&element))?;
        u32::try_from(from + at).ok()
    }

    /// Adds a block to the sums of its element, and its points to those of the elements around it.
    fn credit(&mut self, block: &PageBlock) {
        let sums = TextSums {
            chars: block.chars,
            linked: block.linked,
            prose: if block.is_prose() { block.chars } else { 0 },
            blocks: 1,
            points: 0.0,
        };
        // Inline elements that are open will pass their sums up when they end, so the innermost one
        // gets it.
        let innermost = self.open.last().map_or(ROOT, |it| it.0);
        self.page.sums[innermost as usize].add(&sums);
        let free = block.chars - block.linked;
        if free < 25 {
            return;
        }
        let points = 1.0 + block.commas as f32 + (free as f32 / 100.0).min(3.0);
        for (level, ancestor) in self.tree.ancestors(block.element).take(4).enumerate() {
            let share = [1.0, 0.5, 0.17, 0.11][level];
            self.page.sums[ancestor as usize].points += points * share;
        }
    }
}

/// Whether a text ends as a sentence does, closing quotes and brackets aside.
fn ends_sentence(text: &str) -> bool {
    let closed = text
        .trim_end()
        .trim_end_matches(['"', '”', '’', ')', '\'', '»']);
    closed.ends_with(['.', '!', '?', '…', '。', '！', '？', ':'])
}

/// Characters of a text as [`PageBlock::chars`] counts them.
fn count(text: &str) -> u32 {
    text.split_whitespace()
        .map(|word| word.chars().count() as u32 + 1)
        .sum()
}

impl PageLayout {
    /// The text of a block, white space collapsed.
    pub(super) fn text_of(&self, tree: &HtmlTree, block: &PageBlock) -> String {
        let texts = &self.texts[block.texts.0 as usize..block.texts.1 as usize];
        let text: String = texts.iter().filter_map(|id| tree.text(*id)).collect();
        squeezed(&text)
    }
}

impl PageBlock {
    /// Counts the words and characters of its text.
    fn count_words(&mut self, text: &str) {
        let mut hasher = DefaultHasher::new();
        for word in text.split_whitespace() {
            self.words += 1;
            self.chars += 1;
            word.hash(&mut hasher);
            word.chars().for_each(|c| self.count_character(c));
        }
        self.hash = hasher.finish();
        self.linked = self.linked.min(self.chars);
    }

    fn count_character(&mut self, c: char) {
        self.chars += 1;
        match c {
            ',' | '，' | '、' => self.commas += 1,
            '.' | '!' | '?' | '。' | '！' | '？' => self.stops += 1,
            _ if c.is_ascii_digit() => self.digits += 1,
            _ if c.is_uppercase() => self.capitals += 1,
            _ => {}
        }
    }

    /// Whether it is long and has few links.
    pub(super) fn is_prose(&self) -> bool {
        self.chars >= PROSE_CHARS && self.linked * 2 < self.chars
    }

    /// The share of its characters inside links.
    pub(super) fn link_share(&self) -> f32 {
        self.linked as f32 / self.chars.max(1) as f32
    }
}

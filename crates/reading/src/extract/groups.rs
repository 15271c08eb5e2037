//! Blocks that are made alike: the posts of a thread, the cards of a list, the paragraphs of a
//! text.
//!
//! A page writes the same kind of thing with the same elements, so what most blocks of a group look
//! like says more about one of them than its own few words do: a post of three words is still a
//! post.

use std::collections::HashMap;

use super::blocks::PageBlock;
use super::html_tree::{HtmlTree, NodeId};

/// The names of a group's features, in order.
pub(super) const NAMES: &[&str] = &[
    "group_blocks",
    "group_chars",
    "group_mean",
    "group_links",
    "group_ended",
    "group_prose",
    "group_commas",
];

/// How many elements, from the block's own upwards, decide its group.
const HEIGHT: usize = 3;

/// What the blocks of one group add up to.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    blocks: u32,
    chars: u32,
    linked: u32,
    ended: u32,
    prose: u32,
    commas: u32,
}

/// The groups of a page.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By block: its group.
    of: Vec<u32>,
    groups: Vec<Group>,
}

impl Groups {
    pub(super) fn new(tree: &HtmlTree, blocks: &[PageBlock]) -> Groups {
        let mut places: HashMap<u64, u32> = HashMap::new();
        let mut all = Groups {
            of: Vec::with_capacity(blocks.len()),
            groups: Vec::new(),
        };
        for block in blocks {
            let next = u32::try_from(all.groups.len()).unwrap_or(u32::MAX);
            let place = *places.entry(kind(tree, block.element)).or_insert(next);
            if place == next {
                all.groups.push(Group::default());
            }
            all.of.push(place);
            all.groups[place as usize].add(block);
        }
        all
    }

    /// The group of a block.
    pub(super) fn group_of(&self, index: usize) -> usize {
        self.of[index] as usize
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The features of a block's group, on a page of `total` characters.
    pub(super) fn numbers(&self, index: usize, total: f32) -> [f32; NAMES.len()] {
        let group = &self.groups[self.group_of(index)];
        let (blocks, chars) = (group.blocks.max(1) as f32, group.chars.max(1) as f32);
        [
            blocks,
            chars / total,
            chars / blocks,
            group.linked as f32 / chars,
            group.ended as f32 / blocks,
            group.prose as f32 / chars,
            group.commas as f32 / blocks,
        ]
    }
}

impl Group {
    fn add(&mut self, block: &PageBlock) {
        self.blocks += 1;
        self.chars += block.chars;
        self.linked += block.linked;
        self.ended += u32::from(block.ended);
        self.prose += if block.is_prose() { block.chars } else { 0 };
        self.commas += block.commas;
    }
}

/// A hash of the names and classes of an element and those around it. Only the first class counts,
/// without digits: the others often number the items.
fn kind(tree: &HtmlTree, element: NodeId) -> u64 {
    std::iter::once(element)
        .chain(tree.ancestors(element))
        .take(HEIGHT)
        .fold(START, |hash, id| {
            let class = tree
                .attribute(id, "class")
                .and_then(|it| it.split_ascii_whitespace().next())
                .unwrap_or_default();
            let class = class.bytes().take(100).filter(|it| !it.is_ascii_digit());
            tree.name(id)
                .bytes()
                .chain([b'.'])
                .chain(class)
                .chain([b'/'])
                .fold(hash, |hash, it| (hash ^ u64::from(it)).wrapping_mul(PRIME))
        })
}

/// FNV-1a: names are short, and a page that makes them collide only confuses its own groups.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

//! The trained decision trees, read from `model.bin` when the crate is compiled.
//!
//! `benches/extraction/train.py` writes the file; its README says how to train again. All numbers
//! are little-endian: how many features, nodes, leaves and trees there are (`u32` each), the nodes
//! (feature `u16`, threshold `f32`, left `i16`, right `i16`), what each leaf adds (`f32`), the
//! first node of each tree (`i16`). A damaged file does not compile.

const FILE: &[u8] = include_bytes!("model.bin");

/// How many numbers describe a block.
pub(super) const FEATURES: usize = count(0);
const NODE_COUNT: usize = count(1);
const LEAF_COUNT: usize = count(2);
const TREE_COUNT: usize = count(3);

const NODES_AT: usize = 16;
const NODE_BYTES: usize = 10;
const LEAVES_AT: usize = NODES_AT + NODE_COUNT * NODE_BYTES;
const ROOTS_AT: usize = LEAVES_AT + LEAF_COUNT * 4;
const _: () = assert!(FILE.len() == ROOTS_AT + TREE_COUNT * 2);

/// A decision: go left when the feature is at most the threshold. A child below zero is a leaf, -1
/// the first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct DecisionNode {
    pub(super) feature: u16,
    pub(super) threshold: f32,
    pub(super) left: i16,
    pub(super) right: i16,
}

/// The decisions of all trees.
pub(super) static NODES: [DecisionNode; NODE_COUNT] = {
    let none = DecisionNode {
        feature: 0,
        threshold: 0.0,
        left: -1,
        right: -1,
    };
    let mut nodes = [none; NODE_COUNT];
    let mut index = 0;
    while index < NODE_COUNT {
        let at = NODES_AT + index * NODE_BYTES;
        nodes[index] = DecisionNode {
            feature: u16::from_le_bytes(bytes(at)),
            threshold: f32::from_le_bytes(bytes(at + 2)),
            left: i16::from_le_bytes(bytes(at + 6)),
            right: i16::from_le_bytes(bytes(at + 8)),
        };
        index += 1;
    }
    nodes
};

/// What each leaf adds to the sum.
pub(super) static LEAVES: [f32; LEAF_COUNT] = {
    let mut leaves = [0.0; LEAF_COUNT];
    let mut index = 0;
    while index < LEAF_COUNT {
        leaves[index] = f32::from_le_bytes(bytes(LEAVES_AT + index * 4));
        index += 1;
    }
    leaves
};

/// The first node of each tree.
pub(super) static ROOTS: [i16; TREE_COUNT] = {
    let mut roots = [0; TREE_COUNT];
    let mut index = 0;
    while index < TREE_COUNT {
        roots[index] = i16::from_le_bytes(bytes(ROOTS_AT + index * 2));
        index += 1;
    }
    roots
};

const fn count(position: usize) -> usize {
    u32::from_le_bytes(bytes(position * 4)) as usize
}

const fn bytes<const N: usize>(at: usize) -> [u8; N] {
    let mut found = [0; N];
    let mut index = 0;
    while index < N {
        found[index] = FILE[at + index];
        index += 1;
    }
    found
}

//! What stands in the midst of chosen text is part of it.
//!
//! The model judges blocks by what they look like, and some content looks like nothing much: a term
//! and its definition, a formula, the summary of a closed part, the heading of a short text. Where
//! nearly all of an element was chosen, its other blocks are chosen with it, unless something
//! speaks against them: links, words or names that furniture is made of.

use super::blocks::{Block, Page};
use super::tree::{Id, NONE, ROOT, Tree};

/// An element with less text than this says nothing about its other blocks.
const ENOUGH_CHARS: u32 = 400;

/// The part of an element's text, in percent, that must be chosen.
const MOST: u32 = 80;

/// Elements that only a text has.
const PARTS: &[&str] = &["dt", "dd", "summary", "details", "pre"];

/// Elements that begin and end a text as well as its furniture: who wrote it, where it was printed
/// before. Between chosen blocks they are part of it. What stands bare in a `div`, in an item or in
/// a cell is often a label or a control.
const INNER: &[&str] = &["p", "blockquote"];

/// Roles that speak against a block when they are given inside the element: those of furniture, by
/// name and by tag.
const AGAINST: &[usize] = &[
    0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 19, 20, 23, 24, 25, 27, 31, 35, 38, 39,
];

/// Adds to the chosen blocks those that they surround.
pub(super) fn complete(tree: &Tree, page: &Page, taken: &mut [bool]) {
    let chosen = chosen_below(tree, page, taken);
    let mostly_chosen = |id: Id| {
        chosen[id as usize] as u64 * 100
            >= u64::from(page.sums[id as usize].chars) * u64::from(MOST)
    };
    let (Some(first), Some(last)) = (
        taken.iter().position(|it| *it),
        taken.iter().rposition(|it| *it),
    ) else {
        return;
    };
    let before = taken.to_vec();
    for (index, (block, taken)) in page
        .blocks
        .iter()
        .zip(taken)
        .enumerate()
        .filter(|(_, (_, taken))| !**taken)
    {
        let name = tree.name(block.element);
        let is_part = PARTS.contains(&name)
            || (INNER.contains(&name) && (first..last).contains(&index))
            // A heading belongs to what follows it.
            || (matches!(name, "h2" | "h3" | "h4" | "h5" | "h6") && (first..last).contains(&index) && before[index + 1]);
        if !is_part {
            continue;
        }
        let around = tree
            .ancestors(block.element)
            .find(|it| page.sums[*it as usize].chars >= ENOUGH_CHARS);
        let around = around.filter(|it| !matches!(tree.name(*it), "body" | "html" | ""));
        *taken = around.is_some_and(|it| mostly_chosen(it) && is_neutral(tree, page, block, it));
    }
}

/// Characters of chosen text, by element.
fn chosen_below(tree: &Tree, page: &Page, taken: &[bool]) -> Vec<u32> {
    let mut chosen = vec![0; tree.node_count()];
    for (block, _) in page.blocks.iter().zip(taken).filter(|(_, taken)| **taken) {
        chosen[block.element as usize] += block.chars;
    }
    // Children come after their parents in document order, so backwards every sum is whole before
    // it is passed up.
    let order: Vec<Id> = tree.below(ROOT).collect();
    for id in order
        .into_iter()
        .rev()
        .filter(|it| tree.parent(*it) != NONE)
    {
        chosen[tree.parent(id) as usize] += chosen[id as usize];
    }
    chosen
}

fn is_neutral(tree: &Tree, page: &Page, block: &Block, around: Id) -> bool {
    let nearest = &page.nearest[block.nearest as usize];
    let Some(text) = page.texts.get(block.texts.0 as usize) else {
        return false;
    };
    let mut inside = tree.ancestors(*text).take_while(|it| *it != around);
    block.classes == 0
        && block.linked * 3 < block.chars
        && !inside.any(|it| AGAINST.iter().any(|role| nearest[*role] == it))
}

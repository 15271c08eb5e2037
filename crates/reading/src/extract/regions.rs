//! Blocks inside chosen text are chosen with it.
//!
//! The model judges blocks by what they look like, and some content has no typical look: a term and
//! its definition, a formula, the summary of a collapsed part, the heading of a short text. Where
//! nearly all of an element was chosen, its other blocks are chosen too, unless their links, words
//! or names are those of boilerplate.

use std::collections::HashMap;

use super::blocks::{PageBlock, PageLayout};
use super::choose::Page;
use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
use super::roles;

/// An element with less text than this says nothing about its other blocks.
const ENOUGH_CHARS: u32 = 400;

/// How much of an element's text must be chosen.
const MOST_PERCENT: u32 = 80;

/// Elements that occur in running text only.
const PARTS: &[&str] = &["dt", "dd", "summary", "details", "pre"];

/// Elements of running text that boilerplate before and after it uses as well, such as who wrote it
/// and where it was printed before. Between chosen blocks they are content. Bare text in a `div`,
/// an item or a cell is often a label or a control.
const INNER: &[&str] = &["p", "blockquote"];

/// Adds the tables of data that stand in chosen text.
pub(super) fn complete_tables(page: &Page<'_>, taken: &mut [bool]) {
    let (tree, layout) = (page.tree, page.layout);
    let tables: Vec<Option<NodeId>> = page.tables_of_blocks();
    let chosen = chosen_below(tree, layout, taken);
    let mut judged: HashMap<NodeId, bool> = HashMap::new();
    for (index, table) in tables.iter().enumerate() {
        let Some(table) = table.filter(|_| !taken[index]) else {
            continue;
        };
        taken[index] = *judged
            .entry(table)
            .or_insert_with(|| stands_in_chosen_text(page, &layout.blocks[index], table, &chosen));
    }
}

/// Whether most of the text around a table was chosen, and the table does not look like boilerplate.
fn stands_in_chosen_text(
    page: &Page<'_>,
    block: &PageBlock,
    table: NodeId,
    chosen: &[u32],
) -> bool {
    let (tree, sums) = (page.tree, &page.layout.sums);
    let inside = sums[table as usize];
    let outside = |id: NodeId| sums[id as usize].chars.saturating_sub(inside.chars);
    let around = tree
        .ancestors(table)
        .find(|it| outside(*it) >= ENOUGH_CHARS)
        .filter(|it| !matches!(tree.name(*it), "body" | "html" | ""));
    let Some(around) = around else {
        return false;
    };
    let is_chosen = u64::from(chosen[around as usize]) * 100
        >= u64::from(outside(around)) * u64::from(MOST_PERCENT);
    is_chosen
        && inside.linked * 3 < inside.chars
        && !is_boilerplate_below(tree, page.layout, block, around)
}

/// Adds the blocks that chosen ones surround.
pub(super) fn complete(tree: &HtmlTree, page: &PageLayout, taken: &mut [bool]) {
    let chosen = chosen_below(tree, page, taken);
    let mostly_chosen = |id: NodeId| {
        chosen[id as usize] as u64 * 100
            >= u64::from(page.sums[id as usize].chars) * u64::from(MOST_PERCENT)
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
fn chosen_below(tree: &HtmlTree, page: &PageLayout, taken: &[bool]) -> Vec<u32> {
    let mut chosen = vec![0; tree.node_count()];
    for (block, _) in page.blocks.iter().zip(taken).filter(|(_, taken)| **taken) {
        chosen[block.element as usize] += block.chars;
    }
    // Children come after their parents in document order, so backwards every sum is whole before
    // it is passed up.
    let order: Vec<NodeId> = tree.below(ROOT).collect();
    for id in order
        .into_iter()
        .rev()
        .filter(|it| tree.parent(*it) != NONE)
    {
        chosen[tree.parent(id) as usize] += chosen[id as usize];
    }
    chosen
}

fn is_neutral(tree: &HtmlTree, page: &PageLayout, block: &PageBlock, around: NodeId) -> bool {
    block.classes == 0
        && block.linked * 3 < block.chars
        && !is_boilerplate_below(tree, page, block, around)
}

/// Whether an element between a block and one around it has the name of boilerplate.
fn is_boilerplate_below(
    tree: &HtmlTree,
    page: &PageLayout,
    block: &PageBlock,
    around: NodeId,
) -> bool {
    let nearest = &page.nearest[block.nearest as usize];
    let Some(text) = page.texts.get(block.texts.0 as usize) else {
        return true;
    };
    let mut inside = tree.ancestors(*text).take_while(|it| *it != around);
    inside.any(|it| roles::BOILERPLATE.iter().any(|role| nearest[*role] == it))
}

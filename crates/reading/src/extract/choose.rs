//! From the model's probabilities to the chosen blocks.
//!
//! A fixed threshold is wrong for pages on which the model is unsure of everything. Instead, each
//! page gets the threshold with the largest expected F1, which takes more blocks from doubtful
//! pages and fewer from clear ones. Tables of data are chosen or left out as a whole.

use std::collections::HashMap;

use super::blocks::{PageBlock, PageLayout};
use super::html_tree::{HtmlTree, NONE, NodeId};
use super::metadata::PageInfo;
use super::model::BlockScorer;
use super::visibility::Visibility;
use super::{features, regions, roles};

/// Roles of tags that hold no content.
const NAVIGATION: [usize; 4] = [
    roles::NAV_TAG,
    roles::FOOTER_TAG,
    roles::FORM_TAG,
    roles::BUTTON_TAG,
];

/// Which text nodes are content, by node.
pub(super) fn chosen(
    tree: &HtmlTree,
    visibility: &Visibility,
    page: &PageLayout,
    info: &PageInfo,
    url: &str,
) -> Vec<bool> {
    let mut scorer = BlockScorer::new(page.blocks.len());
    features::for_each_block(tree, page, info, url, |row| scorer.add(row));
    by_probabilities(tree, visibility, page, info, scorer.finish())
}

/// As [`chosen`], from the probabilities that the model gave to the blocks.
pub(super) fn by_probabilities(
    tree: &HtmlTree,
    visibility: &Visibility,
    page: &PageLayout,
    info: &PageInfo,
    mut probabilities: Vec<f32>,
) -> Vec<bool> {
    level_groups(page, &mut probabilities);
    if info.is_article() {
        doubt_comments(page, &mut probabilities);
    }
    level_tables(tree, page, &mut probabilities);
    let threshold = threshold(page, &probabilities) * LENIENCE;
    let mut taken: Vec<bool> = probabilities.iter().map(|it| *it >= threshold).collect();
    fill_gaps(tree, page, &mut taken);
    regions::complete(tree, page, &mut taken);
    take_all_of_small_page(page, &mut taken);
    drop_repetitions(tree, page, &mut taken);
    texts_of(tree, visibility, page, &taken)
}

/// All text that is visible.
pub(super) fn everything(tree: &HtmlTree, visibility: &Visibility, page: &PageLayout) -> Vec<bool> {
    texts_of(tree, visibility, page, &vec![true; page.blocks.len()])
}

/// The text nodes of the blocks that were taken.
fn texts_of(
    tree: &HtmlTree,
    visibility: &Visibility,
    page: &PageLayout,
    taken: &[bool],
) -> Vec<bool> {
    let mut chosen = vec![false; tree.node_count()];
    for (block, _) in page.blocks.iter().zip(taken).filter(|(_, taken)| **taken) {
        page.texts[block.texts.0 as usize..block.texts.1 as usize]
            .iter()
            .for_each(|id| chosen[*id as usize] = !visibility.is_withheld(*id));
    }
    chosen
}

/// Factor on the best threshold. On pages it was not trained on the model is surer than it should
/// be, and missing words cost a reader more than surplus ones, so the threshold that scores best on
/// other sites is somewhat lower than the expected best.
const LENIENCE: f32 = 0.75;

/// Blocks that are made alike are mostly all content or none: the probability of each moves towards
/// the mean of its group.
fn level_groups(page: &PageLayout, probabilities: &mut [f32]) {
    const PART: f32 = 0.4;
    let groups = &page.groups;
    let mut sums = vec![(0.0, 0.0); groups.len()];
    for (index, block) in page.blocks.iter().enumerate() {
        let (sum, words) = &mut sums[groups.group_of(index)];
        (*sum, *words) = (
            *sum + probabilities[index] * block.words as f32,
            *words + block.words as f32,
        );
    }
    for (index, probability) in probabilities.iter_mut().enumerate() {
        let (sum, words) = sums[groups.group_of(index)];
        *probability += PART * (sum / f32::max(words, 1.0) - *probability);
    }
}

/// Takes a block between two taken siblings, and a heading between two taken blocks: they are part
/// of the same text.
fn fill_gaps(tree: &HtmlTree, page: &PageLayout, taken: &mut [bool]) {
    let before = taken.to_vec();
    let parent = |index: usize| tree.parent(page.blocks[index].element);
    let is_heading = |index: usize| {
        matches!(
            tree.name(page.blocks[index].element),
            "h2" | "h3" | "h4" | "h5" | "h6"
        )
    };
    for index in 1..before.len().saturating_sub(1) {
        if before[index - 1] && before[index + 1] && !before[index] {
            let siblings = parent(index - 1) == parent(index) && parent(index) == parent(index + 1);
            taken[index] = siblings || is_heading(index);
        }
    }
}

/// Takes everything but navigation from very small pages: a glossary entry, a notice, a bare list.
/// They are unlike those the model was trained on, and leaving words out gains nothing.
fn take_all_of_small_page(page: &PageLayout, taken: &mut [bool]) {
    const SMALL_CHARS: u32 = 1_200;
    let is_navigation = |block: &PageBlock| {
        let nearest = &page.nearest[block.nearest as usize];
        NAVIGATION.iter().any(|role| nearest[*role] != NONE)
    };
    let outside = page.blocks.iter().filter(|it| !is_navigation(it));
    if outside.map(|it| it.chars).sum::<u32>() <= SMALL_CHARS && page.blocks.len() <= 40 {
        page.blocks
            .iter()
            .zip(taken)
            .filter(|(block, _)| !is_navigation(block))
            .for_each(|(_, taken)| *taken = true);
    }
}

/// Drops the second copy of a paragraph. Pages carry one copy each for small and large screens, in
/// different elements, or paste a paragraph twice in a row. A text that repeats itself (a refrain,
/// a clause, a command) does so in the same parent and in the same kind of element, and stays.
/// Short lines may repeat for any reason.
fn drop_repetitions(tree: &HtmlTree, page: &PageLayout, taken: &mut [bool]) {
    const LONG_CHARS: u32 = 80;
    let mut copies: HashMap<u64, usize> = HashMap::new();
    let is_text = |id: NodeId| matches!(tree.name(id), "p" | "li" | "dd" | "pre" | "blockquote");
    let kind = |id: NodeId| (tree.parent(id), tree.name(id), tree.attribute(id, "class"));
    for (index, block) in page
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.chars >= LONG_CHARS)
    {
        if !taken[index] {
            continue;
        }
        if let Some(before) = copies.insert(block.hash, index) {
            let first = page.blocks[before].element;
            taken[index] =
                is_text(first) && kind(first) == kind(block.element) && index > before + 1;
        }
    }
}

/// The probability from which on blocks are taken: the one with the largest expected F1.
fn threshold(page: &PageLayout, probabilities: &[f32]) -> f32 {
    let mut order: Vec<(f32, f32)> = probabilities
        .iter()
        .zip(&page.blocks)
        .map(|(probability, block)| (*probability, block.words as f32))
        .collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let expected: f32 = order
        .iter()
        .map(|(probability, words)| probability * words)
        .sum();
    let (mut hits, mut taken, mut best) = (0.0, 0.0, (0.0, 1.0));
    for (probability, words) in order {
        hits += probability * words;
        taken += words;
        let score = 2.0 * hits / (taken + expected + 1e-9);
        if score > best.0 {
            best = (score, probability);
        }
    }
    best.1
}

/// Lowers the probability of comments on a page that declares itself an article. They read like an
/// article, so the model takes them for one.
fn doubt_comments(page: &PageLayout, probabilities: &mut [f32]) {
    const ENOUGH_OUTSIDE: u32 = 400;
    const DOUBT: f32 = 0.1;
    let is_comment =
        |index: usize| page.nearest[page.blocks[index].nearest as usize][roles::COMMENT] != NONE;
    let outside = page
        .blocks
        .iter()
        .enumerate()
        .filter(|(index, block)| !is_comment(*index) && block.is_prose());
    if outside.map(|(_, block)| block.chars).sum::<u32>() >= ENOUGH_OUTSIDE {
        (0..probabilities.len())
            .filter(|it| is_comment(*it))
            .for_each(|it| probabilities[it] *= DOUBT);
    }
}

/// Gives all cells of a table of data the same probability.
fn level_tables(tree: &HtmlTree, page: &PageLayout, probabilities: &mut [f32]) {
    let mut tables: HashMap<NodeId, (f32, f32)> = HashMap::new();
    let tables_of =
        |index: usize| page.nearest[page.blocks[index].nearest as usize][roles::TABLE_TAG];
    let is_cell = |index: usize| matches!(tree.name(page.blocks[index].element), "td" | "th");
    for index in (0..probabilities.len()).filter(|it| is_cell(*it)) {
        let words = page.blocks[index].words as f32;
        let sums = tables.entry(tables_of(index)).or_default();
        *sums = (sums.0 + words * probabilities[index], sums.1 + words);
    }
    // A table whose cells hold paragraphs is layout; its blocks are not the cells themselves.
    tables.retain(|table, sums| {
        *table != NONE && page.sums[*table as usize].blocks > 3 && sums.1 > 0.0
    });
    for index in (0..probabilities.len()).filter(|it| is_cell(*it)) {
        if let Some((sum, words)) = tables.get(&tables_of(index)) {
            probabilities[index] = sum / words;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown;

    fn article(body: &str) -> String {
        let page = format!(
            "<html><head><title>A title</title></head><body><nav><a href=/>Home</a> <a href=/a>About</a></nav>\
            <article><h1>A title</h1>{body}</article><footer>Copyright</footer></body></html>"
        );
        markdown(&page, "https://a.example/x").markdown
    }

    fn paragraphs(from: usize, count: usize) -> String {
        let words = "Plain words that make a paragraph long enough to count as one, with a comma and a stop. ".repeat(4);
        (from..from + count)
            .map(|number| format!("<p>{number} {words}</p>"))
            .collect()
    }

    #[test]
    fn short_parts_inside_a_text_are_kept() {
        for (part, wanted) in [
            ("<dl><dt>Term<dd>Def</dl>", vec!["Term", "Def"]),
            ("<p>E=mc<sup>2</sup> H<sub>2</sub>O</p>", vec!["E=mc^2 H2O"]),
            (
                "<details><summary>More</summary><p>Inner text.</p></details>",
                vec!["More", "Inner text."],
            ),
            (
                "<details open><summary>More</summary>Bare text.</details>",
                vec!["More", "Bare text."],
            ),
            ("<pre>x</pre>", vec!["```\nx\n```"]),
            ("<blockquote>Short.</blockquote>", vec!["> Short."]),
        ] {
            for (before, after) in [(2, 2), (3, 1), (1, 3), (5, 5)] {
                let text = article(&format!(
                    "{}{part}{}",
                    paragraphs(0, before),
                    paragraphs(10, after)
                ));
                wanted
                    .iter()
                    .for_each(|it| assert!(text.contains(it), "{it} is missing in:\n{text}"));
            }
        }
    }

    #[test]
    fn a_refrain_stays_and_a_second_copy_of_the_page_is_dropped() {
        let refrain = "<p>The refrain of a song that is long enough to count, and comes back after every verse of it.</p>";
        let song = article(&format!(
            "{}{refrain}{}{refrain}{}",
            paragraphs(0, 2),
            paragraphs(2, 2),
            paragraphs(4, 1)
        ));
        assert_eq!(song.matches("The refrain").count(), 2, "{song}");
        let twice = article(&format!(
            "<div class=wide>{}</div><div class=small>{0}</div>",
            paragraphs(0, 3)
        ));
        assert_eq!(twice.matches("1 Plain").count(), 1, "{twice}");
    }
}

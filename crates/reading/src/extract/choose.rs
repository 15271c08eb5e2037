//! From the model's probabilities to the chosen blocks.
//!
//! A fixed threshold is wrong for pages on which the model is unsure of everything. Instead, each
//! page gets the threshold with the largest expected F1, which takes more blocks from doubtful
//! pages and fewer from clear ones. Tables of data are chosen or left out as a whole. Of a file that
//! is read as a document, only what leads to other pages is left out.

use std::collections::HashMap;

use super::blocks::{PageBlock, PageLayout};
use super::data_tables::DataTables;
use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
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

/// What the choice is made from.
pub(super) struct Page<'p> {
    pub(super) tree: &'p HtmlTree,
    pub(super) layout: &'p PageLayout,
    pub(super) data_tables: &'p DataTables,
    pub(super) info: &'p PageInfo,
    pub(super) url: &'p str,
}

impl Page<'_> {
    /// By block: the table of data that it is in.
    pub(super) fn tables_of_blocks(&self) -> Vec<Option<NodeId>> {
        let table_of = |block: &PageBlock| {
            let table = self.layout.nearest[block.nearest as usize][roles::TABLE_TAG];
            let is_inside = table != NONE;
            is_inside.then(|| self.data_tables.around(self.tree, block.element))?
        };
        self.layout.blocks.iter().map(table_of).collect()
    }
}

/// Which blocks are content, in the judgement of the model.
pub(super) fn content(page: &Page<'_>) -> Vec<bool> {
    let mut scorer = BlockScorer::new(page.layout.blocks.len());
    features::for_each_block(page.tree, page.layout, page.info, page.url, |row| {
        scorer.add(row)
    });
    by_probabilities(page, scorer.finish())
}

/// As [`content`], from the probabilities that the model gave to the blocks.
pub(super) fn by_probabilities(page: &Page<'_>, mut probabilities: Vec<f32>) -> Vec<bool> {
    let (tree, layout) = (page.tree, page.layout);
    level_groups(layout, &mut probabilities);
    if page.info.is_article() {
        doubt_comments(layout, &mut probabilities);
    }
    level_tables(page, &mut probabilities);
    let threshold = threshold(layout, &probabilities) * LENIENCE;
    let mut taken: Vec<bool> = probabilities.iter().map(|it| *it >= threshold).collect();
    fill_gaps(tree, layout, &mut taken);
    regions::complete(tree, layout, &mut taken);
    regions::complete_tables(page, &mut taken);
    take_all_of_small_page(layout, &mut taken);
    drop_repetitions(tree, layout, &mut taken);
    taken
}

/// The content, and all other blocks that are not there to lead to other pages.
pub(super) fn document(page: &Page<'_>) -> Vec<bool> {
    let mut taken = content(page);
    for (block, taken) in page.layout.blocks.iter().zip(&mut taken) {
        let nearest = &page.layout.nearest[block.nearest as usize];
        let is_named_menu = [roles::MENU, roles::PAGER]
            .iter()
            .any(|role| nearest[*role] != NONE);
        let leads_away = nearest[roles::NAV_TAG] != NONE
            || nearest[roles::BUTTON_TAG] != NONE
            || (is_named_menu && block.linked * 2 > block.chars);
        *taken |= !leads_away;
    }
    taken
}

/// All blocks.
pub(super) fn everything(page: &Page<'_>) -> Vec<bool> {
    vec![true; page.layout.blocks.len()]
}

/// Which text nodes are in the blocks that were taken, by node.
pub(super) fn texts_of(
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

/// Adds the images with a text of their own. Where nothing is boilerplate they need no text around
/// them: many messages are hardly anything else.
pub(super) fn add_described_images(tree: &HtmlTree, visibility: &Visibility, chosen: &mut [bool]) {
    for id in tree.below(ROOT).filter(|it| tree.name(*it) == "img") {
        let alt = tree.attribute(id, "alt").unwrap_or_default();
        chosen[id as usize] = !alt.trim().is_empty() && !visibility.excludes(tree, id);
    }
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

/// Gives all text in a table of data the same probability, lists and paragraphs in its cells too.
fn level_tables(page: &Page<'_>, probabilities: &mut [f32]) {
    let layout = page.layout;
    let tables = page.tables_of_blocks();
    let mut sums: HashMap<NodeId, (f32, f32)> = HashMap::new();
    for (index, block) in layout.blocks.iter().enumerate() {
        let Some(table) = tables[index].filter(|it| layout.sums[*it as usize].blocks > 3) else {
            continue;
        };
        let words = block.words as f32;
        let (sum, all) = sums.entry(table).or_default();
        (*sum, *all) = (*sum + words * probabilities[index], *all + words);
    }
    for (table, probability) in tables.iter().zip(probabilities) {
        let sums = table.and_then(|it| sums.get(&it));
        if let Some((sum, words)) = sums.filter(|it| it.1 > 0.0) {
            *probability = sum / words;
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

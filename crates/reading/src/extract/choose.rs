//! From chances to a choice.
//!
//! A fixed threshold is wrong for pages on which the model is unsure of everything. Instead the
//! choice is the one whose expected F1 is the largest, which takes more from pages that are
//! doubtful throughout and less from clear ones. Tables of data are chosen whole.

use std::collections::HashMap;

use super::blocks::{Block, Page};
use super::metadata::Facts;
use super::model::Judge;
use super::seen::Sight;
use super::tree::{Id, NONE, Tree};
use super::{features, regions};

/// Which text nodes are content, by node.
pub(super) fn chosen(
    tree: &Tree,
    sight: &Sight,
    page: &Page,
    facts: &Facts,
    url: &str,
) -> Vec<bool> {
    let mut judge = Judge::new(page.blocks.len());
    features::each(tree, page, facts, url, |row| judge.take(row));
    by_chances(tree, sight, page, facts, judge.finish())
}

/// As [`chosen`], from what the model said of each block.
pub(super) fn by_chances(
    tree: &Tree,
    sight: &Sight,
    page: &Page,
    facts: &Facts,
    mut chances: Vec<f32>,
) -> Vec<bool> {
    level_groups(page, &mut chances);
    if facts.is_article() {
        doubt_comments(page, &mut chances);
    }
    level_tables(tree, page, &mut chances);
    let threshold = threshold(page, &chances) * LENIENCE;
    let mut taken: Vec<bool> = chances.iter().map(|it| *it >= threshold).collect();
    fill_gaps(tree, page, &mut taken);
    regions::complete(tree, page, &mut taken);
    take_all_of_little(page, &mut taken);
    drop_repetitions(tree, page, &mut taken);
    let mut chosen = vec![false; tree.node_count()];
    for (block, _) in page.blocks.iter().zip(&taken).filter(|(_, taken)| **taken) {
        page.texts[block.texts.0 as usize..block.texts.1 as usize]
            .iter()
            .for_each(|id| chosen[*id as usize] = !sight.veils(*id));
    }
    chosen
}

/// On pages it has not seen the model is surer than it should be, and words left out cost a reader
/// more than words too many: what scores best on other sites lies somewhat below the best by the
/// chances.
const LENIENCE: f32 = 0.75;

/// Blocks that are made alike are mostly all content or none: each takes on a part of what is said
/// of its kind.
fn level_groups(page: &Page, chances: &mut [f32]) {
    const PART: f32 = 0.4;
    let groups = &page.groups;
    let mut sums = vec![(0.0, 0.0); groups.len()];
    for (index, block) in page.blocks.iter().enumerate() {
        let (sum, words) = &mut sums[groups.of(index)];
        (*sum, *words) = (
            *sum + chances[index] * block.words as f32,
            *words + block.words as f32,
        );
    }
    for (index, chance) in chances.iter_mut().enumerate() {
        let (sum, words) = sums[groups.of(index)];
        *chance += PART * (sum / f32::max(words, 1.0) - *chance);
    }
}

/// A block between two taken siblings, or a heading between two taken blocks, is part of the same
/// text, however odd.
fn fill_gaps(tree: &Tree, page: &Page, taken: &mut [bool]) {
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

/// A glossary entry, a notice, a bare list: pages this small are unlike those the model knows, and
/// nothing is gained by leaving words out. Only what is marked as navigation stays out.
fn take_all_of_little(page: &Page, taken: &mut [bool]) {
    const LITTLE_CHARS: u32 = 1_200;
    let is_furniture = |block: &Block| {
        let nearest = &page.nearest[block.nearest as usize];
        features::FURNITURE
            .iter()
            .any(|role| nearest[*role] != NONE)
    };
    let outside = page.blocks.iter().filter(|it| !is_furniture(it));
    if outside.map(|it| it.chars).sum::<u32>() <= LITTLE_CHARS && page.blocks.len() <= 40 {
        page.blocks
            .iter()
            .zip(taken)
            .filter(|(block, _)| !is_furniture(block))
            .for_each(|(_, taken)| *taken = true);
    }
}

/// Pages carry the same paragraph twice for screens of two sizes, each copy in a place of its own;
/// it is read once, and so is one that was pasted twice in a row. A text that comes back to what it
/// said says it in the same place and in the same way (a refrain, a clause, a command), and is
/// given as it is. Short lines may repeat for any reason.
fn drop_repetitions(tree: &Tree, page: &Page, taken: &mut [bool]) {
    const LONG_CHARS: u32 = 80;
    let mut copies: HashMap<u64, usize> = HashMap::new();
    let is_text = |id: Id| matches!(tree.name(id), "p" | "li" | "dd" | "pre" | "blockquote");
    let kind = |id: Id| (tree.parent(id), tree.name(id), tree.attribute(id, "class"));
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

/// The chance from which on blocks are taken: the one with the largest expected F1.
fn threshold(page: &Page, chances: &[f32]) -> f32 {
    let mut order: Vec<(f32, f32)> = chances
        .iter()
        .zip(&page.blocks)
        .map(|(chance, block)| (*chance, block.words as f32))
        .collect();
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let expected: f32 = order.iter().map(|(chance, words)| chance * words).sum();
    let (mut hits, mut taken, mut best) = (0.0, 0.0, (0.0, 1.0));
    for (chance, words) in order {
        hits += chance * words;
        taken += words;
        let score = 2.0 * hits / (taken + expected + 1e-9);
        if score > best.0 {
            best = (score, chance);
        }
    }
    best.1
}

/// Comments read like an article, so the model takes them for one. On a page that calls itself an
/// article, what readers say below it is not what it says.
fn doubt_comments(page: &Page, chances: &mut [f32]) {
    const ENOUGH_OUTSIDE: u32 = 400;
    const DOUBT: f32 = 0.1;
    let is_comment = |index: usize| {
        page.nearest[page.blocks[index].nearest as usize][features::COMMENT_ROLE] != NONE
    };
    let outside = page
        .blocks
        .iter()
        .enumerate()
        .filter(|(index, block)| !is_comment(*index) && block.is_prose());
    if outside.map(|(_, block)| block.chars).sum::<u32>() >= ENOUGH_OUTSIDE {
        (0..chances.len())
            .filter(|it| is_comment(*it))
            .for_each(|it| chances[it] *= DOUBT);
    }
}

/// Gives all cells of a table of data the same chance.
fn level_tables(tree: &Tree, page: &Page, chances: &mut [f32]) {
    let mut tables: HashMap<Id, (f32, f32)> = HashMap::new();
    let tables_of =
        |index: usize| page.nearest[page.blocks[index].nearest as usize][features::TABLE];
    let is_cell = |index: usize| matches!(tree.name(page.blocks[index].element), "td" | "th");
    for index in (0..chances.len()).filter(|it| is_cell(*it)) {
        let words = page.blocks[index].words as f32;
        let sums = tables.entry(tables_of(index)).or_default();
        *sums = (sums.0 + words * chances[index], sums.1 + words);
    }
    // Cells that hold paragraphs arrange the page; their blocks are not the cells themselves.
    tables.retain(|table, sums| {
        *table != NONE && page.sums[*table as usize].blocks > 3 && sums.1 > 0.0
    });
    for index in (0..chances.len()).filter(|it| is_cell(*it)) {
        if let Some((sum, words)) = tables.get(&tables_of(index)) {
            chances[index] = sum / words;
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
    fn odd_parts_of_a_text_are_given_with_it() {
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
    fn a_refrain_stays_and_a_second_copy_of_the_page_goes() {
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

//! What the training script needs to see: every block of a page with its numbers, and what a page
//! becomes when another model judges its blocks. Nothing else uses this.

use super::render::{self, Form, Source};
use super::seen::Sight;
use super::{blocks, bounded, choose, features, metadata};

/// A block as the script sees it.
#[derive(Debug, serde::Serialize)]
pub struct Sample {
    /// Its text.
    pub text: String,
    /// Its numbers, in the order of [`names`].
    pub row: Vec<f32>,
}

/// The names of the numbers.
pub fn names() -> Vec<String> {
    features::names()
}

/// The blocks of a page.
pub fn samples(html: &str, url: &str) -> Vec<Sample> {
    let tree = bounded::parse(html).tree;
    let facts = metadata::of(&tree, url);
    let page = blocks::of(&tree, &Sight::of(&tree));
    let mut rows = Vec::new();
    features::each(&tree, &page, &facts, url, |row| rows.push(row.to_vec()));
    let text = |it: &blocks::Block| {
        let texts = &page.texts[it.texts.0 as usize..it.texts.1 as usize];
        metadata::squeezed(
            &texts
                .iter()
                .filter_map(|id| tree.text(*id))
                .collect::<String>(),
        )
    };
    page.blocks
        .iter()
        .zip(rows)
        .map(|(block, row)| Sample {
            text: text(block),
            row,
        })
        .collect()
}

/// The page as Markdown when these are the chances of its blocks; missing ones count as none.
pub fn markdown(html: &str, url: &str, mut chances: Vec<f32>) -> String {
    let tree = bounded::parse(html).tree;
    let facts = metadata::of(&tree, url);
    let sight = Sight::of(&tree);
    let page = blocks::of(&tree, &sight);
    chances.resize(page.blocks.len(), 0.0);
    let chosen = choose::by_chances(&tree, &sight, &page, &facts, chances);
    let text = render::write(
        Source {
            tree: &tree,
            sight: &sight,
            chosen: &chosen,
            base: facts.base.as_ref(),
        },
        Form::Markdown,
    );
    if text.is_empty() {
        facts.metadata.description.unwrap_or_default()
    } else {
        text
    }
}

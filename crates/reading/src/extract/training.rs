//! For the training script only: every block of a page with its features, and the Markdown of a
//! page when another model gives the probabilities.

use super::data_tables::DataTables;
use super::render::{self, Form, Source};
use super::visibility::Visibility;
use super::{blocks, bounded, choose, features, metadata};

/// A block with its features.
#[derive(Debug, serde::Serialize)]
pub struct Sample {
    pub text: String,
    /// Its features, in the order of [`names`].
    pub row: Vec<f32>,
}

/// The names of the features.
pub fn names() -> Vec<String> {
    features::names()
}

/// The blocks of a page.
pub fn samples(html: &str, url: &str) -> Vec<Sample> {
    let tree = bounded::parse(html).tree;
    let info = metadata::page_info(&tree, url);
    let page = blocks::split_page(&tree, &Visibility::of_page(&tree));
    let mut rows = Vec::new();
    features::for_each_block(&tree, &page, &info, url, |row| rows.push(row.to_vec()));
    page.blocks
        .iter()
        .zip(rows)
        .map(|(block, row)| Sample {
            text: page.text_of(&tree, block),
            row,
        })
        .collect()
}

/// The page as Markdown when these are the probabilities of its blocks; missing ones are zero.
pub fn markdown(html: &str, url: &str, mut probabilities: Vec<f32>) -> String {
    let tree = bounded::parse(html).tree;
    let info = metadata::page_info(&tree, url);
    let visibility = Visibility::of_page(&tree);
    let page = blocks::split_page(&tree, &visibility);
    probabilities.resize(page.blocks.len(), 0.0);
    let data_tables = DataTables::of(&tree);
    let judged = choose::Page {
        tree: &tree,
        layout: &page,
        data_tables: &data_tables,
        info: &info,
        url,
    };
    let taken = choose::by_probabilities(&judged, probabilities);
    let chosen = choose::texts_of(&tree, &visibility, &page, &taken);
    let text = render::write(
        Source {
            tree: &tree,
            visibility: &visibility,
            chosen: &chosen,
            base: info.base.as_ref(),
            data_tables: &data_tables,
        },
        Form::Markdown,
    );
    if text.is_empty() {
        info.metadata.description.unwrap_or_default()
    } else {
        text
    }
}

//! Scores of documents whose text and structure are known: a file `NAME.truth.md` beside `NAME.pdf`
//! says in Markdown what stands in it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::structure::{Structure, harmonic_mean};
use super::words::{Counts, counted, ratio, shared, words};

/// The names of the scores, in the order of [`Truth::scores`].
pub(super) const NAMES: [&str; 7] = [
    "words found",
    "invented",
    "order",
    "headings",
    "list items",
    "table cells",
    "table rows",
];

pub(super) const ENDING: &str = ".truth.md";

/// What stands in a document.
pub(super) struct Truth {
    words: Vec<String>,
    structure: Structure,
}

impl Truth {
    /// The truth about a document. `None` if there is none.
    pub(super) fn about(document: &Path) -> Option<Truth> {
        let markdown = fs::read_to_string(path(document)).ok()?;
        Some(Truth::of(&markdown))
    }

    fn of(markdown: &str) -> Truth {
        Truth {
            words: words(markdown),
            structure: Structure::of(markdown),
        }
    }

    /// The scores of a text. `None` for what the document does not have, and for the structure of
    /// plain text.
    pub(super) fn scores(&self, text: &str, is_markdown: bool) -> [Option<f64>; 7] {
        let found = words(text);
        let (ours, theirs): (Counts<&String>, Counts<&String>) =
            (counted(&found), counted(&self.words));
        let both = shared(&ours, &theirs);
        let in_order = common_sequence(&found, &self.words);
        let structure = Structure::of(text);
        let part = |kind: fn(&Structure) -> &Vec<String>| {
            harmonic_mean(kind(&structure), kind(&self.structure)).filter(|_| is_markdown)
        };
        [
            Some(ratio(both, self.words.len())),
            Some(1.0 - ratio(both, found.len())),
            Some(ratio(in_order, self.words.len())),
            part(|it| &it.headings),
            part(|it| &it.items),
            part(|it| &it.cells),
            part(|it| &it.rows),
        ]
    }
}

fn path(document: &Path) -> PathBuf {
    let name = document.file_stem().unwrap_or_default().to_string_lossy();
    document.with_file_name(format!("{name}{ENDING}"))
}

/// The length of the longest sequence that both have, with other words between them or not.
fn common_sequence(one: &[String], other: &[String]) -> usize {
    let mut lengths = vec![0; other.len() + 1];
    for word in one {
        let mut before = 0;
        for (index, candidate) in other.iter().enumerate() {
            let above = lengths[index + 1];
            lengths[index + 1] = if word == candidate {
                before + 1
            } else {
                above.max(lengths[index])
            };
            before = above;
        }
    }
    lengths[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_scored_by_its_words_its_order_and_its_structure() {
        let truth = Truth::of("# Title\n\none two three\n\n- item\n");
        let all = truth.scores("# Title\n\none two three\n\n- item\n", true);
        assert_eq!(
            all[..5],
            [Some(1.0), Some(0.0), Some(1.0), Some(1.0), Some(1.0)]
        );
        assert_eq!(all[5..], [None, None]);
        let plain = truth.scores("title\nthree one two\nitem more", false);
        assert_eq!(plain[0], Some(1.0));
        assert!(plain[1].is_some_and(|it| (it - 1.0 / 6.0).abs() < 1e-9));
        assert_eq!(plain[2], Some(0.8));
        assert_eq!(plain[3], None);
    }

    #[test]
    fn the_truth_stands_beside_the_document() {
        assert_eq!(path(Path::new("a/b.c.pdf")), Path::new("a/b.c.truth.md"));
    }
}

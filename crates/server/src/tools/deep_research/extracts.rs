//! An answer without a model: what the pages themselves say about the question.
//!
//! Each source contributes the paragraph that has most of the question's words, cited like a claim
//! of a model. No sentence is changed or joined to another.

use std::collections::BTreeSet;

use super::citations::{CLOSING, OPENING};
use super::sources::Sources;

/// The longest extract of one source, in characters.
const EXTRACT_CHARS: usize = 600;

/// The most sources that are quoted.
const MOST_EXTRACTS: usize = 8;

/// Words shorter than this say little about a subject.
const SHORT_WORD: usize = 3;

/// What the sources say, with their ids as citations; empty when they say nothing. Sources that were
/// read come first.
pub(super) fn extracts(question: &str, sources: &Sources) -> String {
    let wanted = words(question);
    let mut found: Vec<(bool, usize, usize, &str)> = sources
        .iter()
        .filter_map(|(id, source)| {
            let (score, paragraph) = best_paragraph(&source.text, &wanted)?;
            Some((source.is_read, score, id, paragraph))
        })
        .collect();
    // Stable: of equal ones, the one that was found first stays first.
    found.sort_by_key(|(is_read, score, _, _)| (!is_read, usize::MAX - score));
    let lines = found
        .into_iter()
        .take(MOST_EXTRACTS)
        .map(|(_, _, id, paragraph)| format!("- {} [{id}]", shortened(paragraph)));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paragraph with most of the wanted words, and how many it has. A heading or a short line is
/// no paragraph unless there is nothing else.
fn best_paragraph<'t>(text: &'t str, wanted: &BTreeSet<String>) -> Option<(usize, &'t str)> {
    let paragraphs = text
        .split("\n\n")
        .map(str::trim)
        .filter(|it| !it.is_empty());
    let score = |paragraph: &str| words(paragraph).intersection(wanted).count();
    let mut best: Option<(usize, bool, &str)> = None;
    for paragraph in paragraphs {
        let is_prose = paragraph.len() >= 80 && !paragraph.starts_with('#');
        let rated = (score(paragraph), is_prose, paragraph);
        let is_better = best.is_none_or(|(most, prose, _)| (is_prose, rated.0) > (prose, most));
        if is_better {
            best = Some(rated);
        }
    }
    best.map(|(score, _, paragraph)| (score, paragraph))
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= SHORT_WORD)
        .map(str::to_lowercase)
        .collect()
}

/// One line of at most [`EXTRACT_CHARS`]. Brackets around numbers are the page's own and must not be
/// taken for citations.
fn shortened(paragraph: &str) -> String {
    let line: Vec<&str> = paragraph.split_whitespace().collect();
    let line: String = line.join(" ").chars().map(without_marks).collect();
    match line.char_indices().nth(EXTRACT_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// A character that is no mark of a citation or of code.
fn without_marks(c: char) -> char {
    match c {
        _ if OPENING.contains(&c) => '(',
        _ if CLOSING.contains(&c) => ')',
        '`' => '\'',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::inner::Passage;

    use super::*;

    fn passage(url: &str, text: &str, is_read: bool) -> Passage {
        Passage {
            url: url.to_owned(),
            title: None,
            text: text.to_owned(),
            is_read,
        }
    }

    #[test]
    fn each_source_gives_the_paragraph_that_fits_the_question() {
        let mut sources = Sources::default();
        let about = "Sodium batteries for homes cost 400 euros [1] per kilowatt hour, says a study of all makers in Europe.";
        let page = format!(
            "# Batteries and sodium for homes\n\nThis site uses cookies to give you the best experience that there is on any site.\n\n{about}"
        );
        sources.add_all(
            &[],
            &[
                passage("https://listed.example/", "Sodium price list", false),
                passage("https://read.example/", &page, true),
                passage("https://empty.example/", " ", true),
            ],
        );
        let text = extracts("What do sodium batteries for homes cost?", &sources);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(
            lines[0].contains("400 euros (1) per") && lines[0].ends_with("[2]"),
            "{text}"
        );
        assert_eq!(lines[1], "- Sodium price list [1]");
    }

    #[test]
    fn no_bracket_of_a_page_is_a_citation() {
        let mut sources = Sources::default();
        let page = "Salt 【2】 costs ［3］ five 〔4〕 [5] `x`";
        sources.add_all(&[], &[passage("https://a.example/", page, true)]);
        assert_eq!(
            extracts("salt", &sources),
            "- Salt (2) costs (3) five (4) (5) 'x' [1]"
        );
    }

    #[test]
    fn long_paragraphs_are_cut() {
        let mut sources = Sources::default();
        sources.add_all(
            &[],
            &[passage("https://a.example/", &"wörd ".repeat(500), true)],
        );
        let text = extracts("wörd", &sources);
        assert!(
            text.chars().count() < EXTRACT_CHARS + 20 && text.contains("… [1]"),
            "{text}"
        );
        assert_eq!(extracts("a", &Sources::default()), "");
    }
}

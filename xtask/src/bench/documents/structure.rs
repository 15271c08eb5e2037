//! The headings, list items and tables of Markdown.

use super::words::{Counts, counted, ratio, shared, words};

/// The parts of a text, each as its words. What has no words is left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Structure {
    pub(super) headings: Vec<String>,
    pub(super) items: Vec<String>,
    pub(super) cells: Vec<String>,
    /// The cells of each row, one after the other.
    pub(super) rows: Vec<String>,
}

impl Structure {
    pub(super) fn of(markdown: &str) -> Structure {
        let mut structure = Structure::default();
        let mut is_code = false;
        let mut item: Option<String> = None;
        for line in markdown.lines() {
            let text = line.trim();
            if text.starts_with("```") {
                is_code = !is_code;
            } else if is_code {
                continue;
            }
            if let (Some(item), false) = (&mut item, ends_item(text)) {
                item.push(' ');
                item.push_str(text);
                continue;
            }
            keep(&mut structure.items, item.take().as_deref());
            if let Some(heading) = heading(text) {
                keep(&mut structure.headings, Some(without_number(heading)));
            } else if let Some(start) = item_text(text) {
                item = Some(start.to_owned());
            } else if text.starts_with('|') && !is_delimiter(text) {
                let cells = cells(text);
                keep(&mut structure.rows, Some(&cells.join(" ")));
                for cell in &cells {
                    keep(&mut structure.cells, Some(cell));
                }
            }
        }
        keep(&mut structure.items, item.as_deref());
        structure
    }
}

fn keep(list: &mut Vec<String>, text: Option<&str>) {
    let text = words(text.unwrap_or_default()).join(" ");
    list.extend((!text.is_empty()).then_some(text));
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    text.strip_prefix(' ').filter(|_| (1..=6).contains(&level))
}

/// The text of a heading without its number, which a typesetter may have added.
fn without_number(heading: &str) -> &str {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ' ';
    let text = heading.trim_start_matches(is_number);
    if text.is_empty() { heading } else { text }
}

/// The text of an item that starts with this line.
fn item_text(line: &str) -> Option<&str> {
    let bulleted = line.strip_prefix(['-', '*', '+']);
    let numbered = || {
        let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = line.len() - rest.len();
        rest.strip_prefix(['.', ')'])
            .filter(|_| (1..=4).contains(&digits))
    };
    bulleted.or_else(numbered)?.strip_prefix(' ')
}

/// Whether a line does not continue the item before.
fn ends_item(line: &str) -> bool {
    line.is_empty()
        || line.starts_with(['|', '<'])
        || line.starts_with("```")
        || heading(line).is_some()
        || item_text(line).is_some()
}

/// Whether a line only parts the header of a table from its body.
fn is_delimiter(line: &str) -> bool {
    line.contains('-') && line.chars().all(|letter| "|-: ".contains(letter))
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for letter in line.trim_matches('|').chars() {
        match letter {
            '|' if !is_escaped => cells.push(String::new()),
            _ => cells.iter_mut().last().into_iter().for_each(|cell| {
                cell.push(letter);
            }),
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    cells.iter().map(|cell| cell.replace("<br>", " ")).collect()
}

/// How well parts of one kind are found: the harmonic mean of how many are found and how many of
/// what is found are right. `None` where there is none to find.
pub(super) fn harmonic_mean(found: &[String], wanted: &[String]) -> Option<f64> {
    let (ours, theirs): (Counts<&String>, Counts<&String>) = (counted(found), counted(wanted));
    let both = 2 * shared(&ours, &theirs);
    (!wanted.is_empty()).then(|| ratio(both, found.len() + wanted.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_items_and_cells_are_found() {
        let markdown = "# 1.2 A *title*\n\ntext\n\n- one\n  and more\n- two\n\n1. first\n\n| a | b \\| c |\n| --- | --- |\n| d<br>e | |\n\n```\n# no heading\n- no item\n```\n#5 is no heading\n## 2026\n";
        let structure = Structure::of(markdown);
        assert_eq!(structure.headings, ["a title", "2026"]);
        assert_eq!(structure.items, ["one and more", "two", "first"]);
        assert_eq!(structure.cells, ["a", "b c", "d e"]);
        assert_eq!(structure.rows, ["a b c", "d e"]);
    }

    #[test]
    fn parts_are_scored_by_both_what_is_missing_and_what_is_too_much() {
        let parts = |list: &[&str]| -> Vec<String> { list.iter().map(|&it| it.into()).collect() };
        let score = |found: &[&str], wanted: &[&str]| harmonic_mean(&parts(found), &parts(wanted));
        assert_eq!(score(&["a", "b"], &["a", "b"]), Some(1.0));
        assert_eq!(score(&["a", "x", "y"], &["a"]), Some(0.5));
        assert_eq!(score(&[], &["a"]), Some(0.0));
        assert_eq!(score(&["x"], &[]), None);
    }
}

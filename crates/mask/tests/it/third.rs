//! The third corpus, written after a reviewer's fresh set: many trades, languages and formats, in a
//! text file so that adding a line costs nothing. Its first measurement is what the recognisers did
//! on text they had not seen.

use super::keep;
use super::plant;

const PLANTED: &str = include_str!("third_plant.txt");
const INNOCENT: &str = include_str!("third_keep.txt");

/// Rows of a corpus: comments and blank lines left out, line ends and bars put back.
fn rows(corpus: &'static str) -> impl Iterator<Item = &'static str> {
    corpus
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("# "))
}

fn unescaped(part: &str) -> String {
    part.replace('␤', "\n")
        .replace('␛', "\u{1b}")
        .replace("\\|", "|")
}

#[test]
fn planted_secrets_go() {
    let rows: Vec<(&str, String, &str)> = rows(PLANTED)
        .map(|row| {
            let mut parts = row.split(" | ");
            let (name, text, pattern) = (
                parts.next().unwrap(),
                parts.next().unwrap(),
                parts.next().unwrap(),
            );
            assert!(parts.next().is_none() && text.contains("{}"), "{row}");
            (name, unescaped(text), pattern)
        })
        .collect();
    let rows: Vec<plant::Row<'_>> = rows
        .iter()
        .map(|(name, text, pattern)| (*name, text.as_str(), *pattern))
        .collect();
    assert!(rows.len() >= 150);
    plant::check(&rows);
}

#[test]
fn innocent_lines_stay() {
    let lines: Vec<String> = rows(INNOCENT).map(unescaped).collect();
    let lines: Vec<keep::Line<'_>> = lines.iter().map(|line| ("third", line.as_str())).collect();
    assert!(lines.len() >= 150);
    keep::check(&lines);
}

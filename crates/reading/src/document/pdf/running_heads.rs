//! Finds the lines that repeat at the top and the bottom of pages.
//!
//! The first of several equal heads stays, since it may be the title. Page numbers go altogether:
//! the pages are numbered by markers.

use std::collections::HashMap;

use super::rows::{PdfRow, usual_size};

/// How many pages must have a line so that it counts as a running head.
const MIN_PAGES: usize = 3;
/// How many lines at the top and at the bottom of a page are looked at.
const LINES: usize = 3;
/// How many other lines a page with running heads has.
const MIN_REST: usize = 3;
/// How large the number of a page is at most, relative to most of the text. Headings are larger.
const LARGEST: f64 = 1.2;
/// The part of the page, from its edge, where running heads are.
const MARGIN: f64 = 0.12;

/// Drops running heads from the rows of each page, which has this height. Returns the rows that each page
/// has lost.
pub(super) fn drop_running_heads(pages: &mut [(f64, &mut Vec<PdfRow>)]) -> Vec<Vec<PdfRow>> {
    let mut lost: Vec<Vec<PdfRow>> = vec![Vec::new(); pages.len()];
    if pages.len() < MIN_PAGES {
        return lost;
    }
    let body = body_size(pages);
    let mut counts: HashMap<Head, usize> = HashMap::new();
    for (page, (height, rows)) in pages.iter().enumerate() {
        let heads = edges(rows, *height).flat_map(|row| Head::all(&rows[row], page, body));
        let mut heads: Vec<Head> = heads.collect();
        heads.sort();
        heads.dedup();
        heads
            .into_iter()
            .for_each(|head| *counts.entry(head).or_default() += 1);
    }
    let mut seen: Vec<Head> = Vec::new();
    for (page, (height, rows)) in pages.iter_mut().enumerate() {
        let mut dropped: Vec<usize> = Vec::new();
        for index in edges(rows, *height) {
            let is_common = |head: &Head| counts.get(head).is_some_and(|it| *it >= MIN_PAGES);
            let Some(head) = Head::all(&rows[index], page, body).find(is_common) else {
                continue;
            };
            if head.is_page_number() || seen.contains(&head) {
                dropped.push(index);
            } else {
                seen.push(head);
            }
        }
        // A page of nothing else is not empty.
        if rows.len() < dropped.len() + MIN_REST {
            continue;
        }
        let mut index = 0;
        rows.retain(|row| {
            index += 1;
            let is_dropped = dropped.contains(&(index - 1));
            lost[page].extend(is_dropped.then(|| row.clone()));
            !is_dropped
        });
    }
    lost
}

/// The size of most of the text.
fn body_size(pages: &[(f64, &mut Vec<PdfRow>)]) -> f64 {
    let rows = pages.iter().flat_map(|(_, rows)| rows.iter());
    usual_size(rows.map(|row| (row.size, row.text().len())).collect())
}

/// The rows near the upper and the lower edge of a page. Rows are in order from top to bottom.
fn edges(rows: &[PdfRow], height: f64) -> impl Iterator<Item = usize> {
    let is_head = |row: &PdfRow| row.table.is_none() && row.baseline < MARGIN * height;
    let is_foot = |row: &PdfRow| row.table.is_none() && row.baseline > (1.0 - MARGIN) * height;
    let heads = rows
        .iter()
        .take(LINES)
        .take_while(|row| is_head(row))
        .count();
    let feet = rows
        .iter()
        .rev()
        .take(LINES)
        .take_while(|row| is_foot(row))
        .count();
    (0..heads).chain(rows.len() - feet.min(rows.len() - heads)..rows.len())
}

/// What pages have in common: the text, with the number of the page left out, and about where it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Head {
    text: String,
    place: i64,
}

impl Head {
    /// The text as it is, and with the number of the page left out if there can be one.
    fn all(row: &PdfRow, page: usize, body: f64) -> impl Iterator<Item = Head> {
        const NEAR: f64 = 12.0;
        let place = (row.baseline / NEAR).round() as i64;
        let text = row.text();
        let numbered = Some(Head {
            text: unnumbered(&text, page),
            place,
        })
        .filter(|head| head.is_page_number() || has_number_apart(row))
        .filter(|_| row.size <= LARGEST * body);
        [Some(Head { text, place }), numbered].into_iter().flatten()
    }

    fn is_page_number(&self) -> bool {
        const WORDS: [&str; 8] = ["page", "seite", "p.", "of", "von", "/", "|", "–"];
        let mut words = self.text.split(' ');
        let is_number = |first: char| first == '#' || first.is_ascii_digit();
        let is_part = |word: &str| {
            word.starts_with(is_number) || WORDS.contains(&word.to_lowercase().as_str())
        };
        self.text.contains('#') && words.all(is_part)
    }
}

/// Whether a number stands apart from the rest of the line, at its edge. A number within a text, as in
/// "Chapter 3" and "Score: 42", says something, even if it grows from page to page.
fn has_number_apart(row: &PdfRow) -> bool {
    let is_number = |text: &str| text.trim().parse::<u32>().is_ok();
    let edges = [row.segments.first(), row.segments.last()];
    let text = row.text();
    let mut words = text.split_whitespace().rev();
    let after_mark = words.next().is_some_and(is_number) && words.next().is_some_and(is_mark);
    let mut words = text.split_whitespace();
    let before_mark = words.next().is_some_and(is_number) && words.next().is_some_and(is_mark);
    let is_apart =
        row.segments.len() > 1 && edges.into_iter().flatten().any(|it| is_number(&it.text));
    is_apart || after_mark || before_mark
}

/// What stands between the number of a page and a title.
fn is_mark(word: &str) -> bool {
    matches!(word, "|" | "–" | "—" | "-" | "•" | "·")
        || ["page", "seite", "p."].contains(&word.to_lowercase().as_str())
}

/// The text with what does not change with the pages in the place of their numbers.
fn unnumbered(text: &str, page: usize) -> String {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let last = words.len().saturating_sub(1);
    let mut is_total = false;
    for (index, word) in words.iter_mut().enumerate() {
        // The number of all pages is the same on each.
        let was_total =
            std::mem::replace(&mut is_total, matches!(word.as_str(), "of" | "von" | "/"));
        let is_roman = last == 0 && word.chars().all(|letter| "ivxlc".contains(letter));
        let is_edge = index == 0 || index == last || last < 5;
        let number: Option<i64> = word.trim_matches(['-', '–', '[', ']']).parse().ok();
        match number {
            // Page numbers grow with the pages, and other numbers do not.
            Some(number) if is_edge && !was_total => *word = format!("#{}", number - page as i64),
            None if is_roman => "#".clone_into(word),
            _ => {}
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::rows::Segment;
    use super::*;

    fn row(baseline: f64, text: &str) -> PdfRow {
        PdfRow {
            baseline,
            size: 10.0,
            segments: vec![Segment {
                left: 50.0,
                right: 300.0,
                text: text.to_owned(),
                size: 10.0,
                is_bold: false,
                order: 0,
            }],
            table: None,
        }
    }

    #[test]
    fn repeated_heads_stay_once_and_page_numbers_not_at_all() {
        let mut pages: Vec<Vec<PdfRow>> = (1..=4)
            .map(|page| {
                vec![
                    row(30.0, "A report of the year 2020"),
                    row(90.0, &format!("Chapter {}", 7 * page)),
                    row(400.0, "Text that repeats"),
                    row(420.0, &format!("Text of page {page}")),
                    row(780.0, &format!("Page {page} of 4")),
                ]
            })
            .collect();
        let mut list: Vec<(f64, &mut Vec<PdfRow>)> =
            pages.iter_mut().map(|rows| (800.0, rows)).collect();
        drop_running_heads(&mut list);
        let texts: Vec<String> = pages.iter().flatten().map(PdfRow::text).collect();
        assert_eq!(texts[..2], ["A report of the year 2020", "Chapter 7"]);
        assert_eq!(
            texts.iter().filter(|text| text.contains("repeats")).count(),
            4
        );
        assert_eq!(texts.iter().filter(|text| text.contains("Page")).count(), 0);
        assert_eq!(
            texts.iter().filter(|text| text.contains("report")).count(),
            1
        );
    }
}

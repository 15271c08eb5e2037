//! Finds the lines that repeat at the top and the bottom of pages.
//!
//! The first of several equal heads stays, since it may be the title. Page numbers go altogether:
//! the pages are numbered by markers.

use std::collections::HashMap;

use super::rows::{PdfRow, usual_size};

/// How many pages must have a line so that it counts as a running head.
const MIN_PAGES: usize = 3;
/// How many lines at the top and at the bottom of a page are looked at.
const LINES: usize = 6;
/// How many of them may be running heads though a line nearer to the edge is none.
const LOOSE_LINES: usize = 3;
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
        let edges = edges(rows, *height).into_iter().flatten();
        let heads = edges.flat_map(|row| Head::all(&rows[row], page, body));
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
        for edge in edges(rows, *height) {
            let mut others = 0;
            for (depth, index) in edge.enumerate() {
                let is_common = |head: &Head| counts.get(head).is_some_and(|it| *it >= MIN_PAGES);
                let head = Head::all(&rows[index], page, body).find(is_common);
                match head {
                    _ if depth >= LOOSE_LINES && others > 0 => break,
                    Some(head) if !is_line_number(rows, index) => {
                        if head.is_page_number() || seen.contains(&head) {
                            dropped.push(index);
                        } else {
                            seen.push(head);
                        }
                    }
                    _ => others += 1,
                }
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

/// The rows near the upper and near the lower edge of a page, from the edge. Rows are in order from top
/// to bottom.
fn edges(rows: &[PdfRow], height: f64) -> [Box<dyn Iterator<Item = usize>>; 2] {
    let is_head = |row: &&PdfRow| row.table.is_none() && row.baseline < MARGIN * height;
    let is_foot = |row: &&PdfRow| row.table.is_none() && row.baseline > (1.0 - MARGIN) * height;
    let heads = rows.iter().take(LINES).take_while(is_head).count();
    let feet = rows.iter().rev().take(LINES).take_while(is_foot).count();
    let first_foot = rows.len() - feet.min(rows.len() - heads);
    [Box::new(0..heads), Box::new((first_foot..rows.len()).rev())]
}

/// Whether a row starts with a number that counts the lines of the page: those around it go on counting.
fn is_line_number(rows: &[PdfRow], index: usize) -> bool {
    let number = |index: usize| -> Option<usize> {
        let text = &rows.get(index)?.segments.first()?.text;
        text.trim().parse().ok()
    };
    let counts_from = |first: usize| {
        let start = number(first);
        start.is_some_and(|start| (1..3).all(|it| number(first + it) == start.checked_add(it)))
    };
    (index.saturating_sub(2)..=index).any(counts_from)
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
        const WORDS: [&str; 10] = ["page", "seite", "p.", "of", "von", "/", "|", "-", "–", "—"];
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
    let starts_with_number = words.first().is_some_and(|it| it.parse::<u32>().is_ok());
    let mut is_total = false;
    for (index, word) in words.iter_mut().enumerate() {
        // The number of all pages is the same on each.
        let is_before_total = match word.as_str() {
            "of" | "von" | "/" => true,
            "|" => starts_with_number && index == 1,
            _ => false,
        };
        let was_total = std::mem::replace(&mut is_total, is_before_total);
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

    /// What is left of pages of a height of 800, page by page.
    fn left(mut pages: Vec<Vec<PdfRow>>) -> Vec<Vec<String>> {
        let mut list: Vec<(f64, &mut Vec<PdfRow>)> =
            pages.iter_mut().map(|rows| (800.0, rows)).collect();
        drop_running_heads(&mut list);
        let texts = |rows: Vec<PdfRow>| rows.iter().map(PdfRow::text).collect();
        pages.into_iter().map(texts).collect()
    }

    fn body(page: usize) -> impl Iterator<Item = PdfRow> {
        (0..5).map(move |line| {
            let place = 200.0 + 20.0 * line as f64;
            row(place, &format!("Line {line} of the text of page {page}"))
        })
    }

    #[test]
    fn a_head_of_five_lines_goes_with_the_number_of_the_page_and_of_all() {
        let page = |page: usize| -> Vec<PdfRow> {
            let lines = ["The fund", "The project", "Offer 84", "By the author"];
            let heads = (0..).zip(lines);
            heads
                .map(|(index, line)| row(20.0 + 13.0 * f64::from(index), line))
                .chain([row(73.0, &format!("{page} | 18"))])
                .chain(body(page))
                .collect()
        };
        let pages = left((1..=4).map(page).collect());
        assert_eq!(pages[0][..2], ["The fund", "The project"]);
        assert_eq!(pages[0].len(), 4 + 5, "{:?}", pages[0]);
        assert_eq!(pages[2][0], "Line 0 of the text of page 3");
    }

    #[test]
    fn a_line_that_repeats_below_one_that_does_not_is_no_head_if_it_is_far_from_the_edge() {
        let page = |page: usize| -> Vec<PdfRow> {
            let lines = ["One", "Two", &format!("The case of {page}"), "The court"];
            let heads = (0..).zip(lines);
            heads
                .map(|(index, line)| row(20.0 + 13.0 * f64::from(index), line))
                .chain(body(page))
                .collect()
        };
        let pages = left((1..=4).map(page).collect());
        assert_eq!(pages[2][..2], ["The case of 3", "The court"]);
    }

    #[test]
    fn numbers_of_lines_are_no_page_numbers() {
        let page = |page: usize| -> Vec<PdfRow> {
            let lines = 1..=28;
            lines
                .map(|line| row(25.0 * f64::from(line), &line.to_string()))
                .chain([row(780.0, &format!("- {} -", page + 40))])
                .collect()
        };
        let pages = left((1..=4).map(page).collect());
        assert_eq!(pages[1].len(), 28, "{:?}", pages[1]);
    }
}

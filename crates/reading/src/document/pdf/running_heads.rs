//! Finds the lines that repeat at the top and the bottom of pages.
//!
//! The first of several equal heads stays, since it may be the title. Page numbers go altogether:
//! the pages are numbered by markers.

use std::collections::HashMap;

use super::page_number::without_page_number;
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
    let is_common = |head: &Head| counts.get(head).is_some_and(|it| *it >= MIN_PAGES);
    let mut seen: Vec<Head> = Vec::new();
    for (page, (height, rows)) in pages.iter_mut().enumerate() {
        let mut dropped: Vec<usize> = Vec::new();
        for edge in edges(rows, *height) {
            let heads = edge.map(|index| {
                let is_line = is_line_number(rows, index);
                let mut heads = Head::all(&rows[index], page, body);
                (index, heads.find(is_common).filter(|_| !is_line))
            });
            let mut others = 0;
            for (depth, (index, head)) in without_text(heads.collect(), rows).enumerate() {
                match head {
                    _ if depth >= LOOSE_LINES && others > 0 => break,
                    Some(head) if head.is_page_number || seen.contains(&head) => {
                        dropped.push(index);
                    }
                    Some(head) => seen.push(head),
                    None => others += 1,
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

/// Rows from the edge of a page inwards, each with the head that it may be. One that is a line of a paragraph
/// with the rows farther in is none, although other pages may have the same paragraph.
fn without_text(
    mut edge: Vec<(usize, Option<Head>)>,
    rows: &[PdfRow],
) -> impl Iterator<Item = (usize, Option<Head>)> {
    let is_top = edge.first().is_some_and(|(index, _)| *index == 0);
    let mut is_text = true;
    for (index, head) in edge.iter_mut().rev() {
        let upper = if is_top {
            Some(*index)
        } else {
            index.checked_sub(1)
        };
        let lines = upper.and_then(|upper| Some((rows.get(upper)?, rows.get(upper + 1)?)));
        is_text &= lines.is_some_and(|(upper, lower)| are_of_one_paragraph(upper, lower));
        if is_text && head.as_ref().is_some_and(|it| !it.is_page_number) {
            *head = None;
        }
    }
    edge.into_iter()
}

/// Whether two rows are lines of a paragraph, the first of which goes up to its right edge.
fn are_of_one_paragraph(upper: &PdfRow, lower: &PdfRow) -> bool {
    const WIDEST_STEP: f64 = 1.45;
    const WIDEST_INDENT: f64 = 4.0;
    const RAGGED: f64 = 5.0;
    let size = lower.size;
    let is_single = |row: &PdfRow| row.segments.len() == 1 && row.table.is_none();
    is_single(upper)
        && is_single(lower)
        && (upper.size / size - 1.0).abs() < 0.05
        && lower.baseline - upper.baseline < WIDEST_STEP * size
        && (-0.5 * size..WIDEST_INDENT * size).contains(&(upper.left() - lower.left()))
        && upper.right() > lower.right() - RAGGED * size
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
    /// Whether there is nothing but the number of the page.
    is_page_number: bool,
}

impl Head {
    /// The text as it is, and with each number left out that may be the one of the page.
    fn all(row: &PdfRow, page: usize, body: f64) -> impl Iterator<Item = Head> {
        const NEAR: f64 = 12.0;
        let place = (row.baseline / NEAR).round() as i64;
        let as_it_is = Head {
            text: row.text(),
            place,
            is_page_number: false,
        };
        let may_have_number = row.size <= LARGEST * body;
        let numbered = may_have_number.then(|| without_page_number(row, page));
        let numbered = numbered.into_iter().flatten().map(move |line| Head {
            text: line.text,
            place,
            is_page_number: line.is_alone,
        });
        std::iter::once(as_it_is).chain(numbered)
    }
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
                fixed: None,
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
    fn a_paragraph_with_which_several_pages_start_is_no_head() {
        let page = |page: usize| -> Vec<PdfRow> {
            let lines = ["This clause is for demonstration", "only and binds nobody"];
            let lines = (0..)
                .zip(lines)
                .map(|(index, line)| row(60.0 + 12.0 * f64::from(index), line));
            let rest = (0..5).map(|line| {
                let text = format!("where line {line} on page {page} of the text follows");
                row(84.0 + 12.0 * f64::from(line), &text)
            });
            lines.chain(rest).collect()
        };
        let pages = left((1..=4).map(page).collect());
        assert_eq!(pages[3].len(), 7, "{:?}", pages[3]);
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

//! Drops the lines that repeat at the top and the bottom of pages.
//!
//! The first of several equal heads stays, since it may be the title. Page numbers go altogether:
//! the pages are numbered by markers. A line of several parts, such as the title of the document and
//! the one of the chapter, loses those that repeat.

use std::collections::{HashMap, HashSet};

use super::edge_lines::{EdgeLine, Head, MaybeHead, edge_lines, is_line_number, lines_of_text};
use super::rows::{PdfRow, Segment, usual_size};

/// How many pages must have a line so that it counts as a running head.
const MIN_PAGES: usize = 3;
/// How many pages must have a line whose number is doubtful, and how many of a hundred.
const MIN_PAGES_IF_DOUBTFUL: usize = 5;
const MIN_PERCENT_IF_DOUBTFUL: usize = 80;
/// Of how many pages, from the first to the last with a number of the page, one must have it. Numbers of
/// other things are as far from the number of their page here and there.
const MAX_PAGES_EACH: usize = 3;
/// How many lines from the edge may be running heads though a line nearer to the edge is none.
const LOOSE_LINES: usize = 3;

/// Drops running heads from the rows of each page, which has this height. Returns the rows that each page
/// has lost.
pub(super) fn drop_running_heads(pages: &mut [(f64, &mut Vec<PdfRow>)]) -> Vec<Vec<PdfRow>> {
    let mut lost: Vec<Vec<PdfRow>> = vec![Vec::new(); pages.len()];
    if pages.len() < MIN_PAGES {
        return lost;
    }
    let common = CommonHeads::of(pages);
    let mut seen = HashSet::new();
    for (page, (height, rows)) in pages.iter_mut().enumerate() {
        let mut losses: Vec<(usize, Loss)> = Vec::new();
        for lines in edge_lines(rows, *height) {
            let text = lines.len() - lines_of_text(&lines, rows);
            let mut others = 0;
            for (depth, line) in lines.iter().enumerate() {
                if depth >= LOOSE_LINES && others > 0 {
                    break;
                }
                let mut known = common.known(line, page, rows);
                if depth >= text && !known.is_page_number() {
                    known = Known::default();
                }
                others += usize::from(known.is_text());
                let loss = known.loss(&rows[line.row], &mut seen);
                losses.extend(loss.map(|loss| (line.row, loss)));
            }
        }
        let whole = losses.iter().filter(|(_, loss)| *loss == Loss::Row);
        // A page of nothing else is not empty.
        if whole.count() == rows.len() {
            continue;
        }
        losses.sort_by_key(|(row, _)| *row);
        for (row, loss) in losses.into_iter().rev() {
            lost[page].push(loss.taken_from(rows, row));
        }
    }
    lost
}

/// Whether a page has lost a row that stands in the structure of the document, which may divide lines in other
/// places.
pub(super) fn has_lost(lost: &[PdfRow], row: &PdfRow) -> bool {
    let letters = |text: &str| text.chars().filter(|it| !it.is_whitespace()).count();
    let has_words = |table: &PdfRow| {
        const LINES: f64 = 9.0;
        let below = (row.baseline - table.baseline) / table.size;
        let cells = table.table.iter().flat_map(|it| it.iter().flatten());
        let words: HashSet<&str> = cells.flat_map(|it| it.split_whitespace()).collect();
        (-0.5..LINES).contains(&below) && row.text().split_whitespace().all(|it| words.contains(it))
    };
    if lost.iter().any(has_words) {
        return true;
    }
    let beside = |it: &&PdfRow| (it.baseline - row.baseline).abs() < 0.5 * it.size;
    let beside = lost.iter().filter(beside).flat_map(|it| &it.segments);
    let beside = beside.filter(|it| it.left < row.right() && it.right > row.left());
    let beside: usize = beside.map(|it| letters(&it.text)).sum();
    2 * beside > letters(&row.text())
}

/// What a row loses.
#[derive(Debug, PartialEq, Eq)]
enum Loss {
    Row,
    Segments(Vec<usize>),
}

impl Loss {
    /// Takes it from the rows, and returns what was taken.
    fn taken_from(self, rows: &mut Vec<PdfRow>, index: usize) -> PdfRow {
        let lost = match self {
            Loss::Row => return rows.remove(index),
            Loss::Segments(lost) => lost,
        };
        let row = &rows[index];
        let part = |is_kept: bool| {
            let segments = row.segments.iter().enumerate();
            let segments = segments.filter(|(it, _)| lost.binary_search(it).is_ok() != is_kept);
            row.part(segments.map(|(_, it)| Segment::clone(it)).collect())
        };
        let (kept, lost) = (part(true), part(false));
        rows[index] = kept;
        lost
    }
}

/// The pages that have a line.
#[derive(Default)]
struct Pages {
    count: usize,
    /// The first and the last of them.
    span: Option<(usize, usize)>,
    /// What the line counts, as it is on the last of them, and whether that is ever less than on the page
    /// before: points and days are of a total, too. The pages of several documents in one file begin anew.
    counted: Option<i64>,
    falls: bool,
}

impl Pages {
    fn add(&mut self, page: usize, counted: Option<i64>) {
        self.count += 1;
        self.span = Some((self.span.map_or(page, |it| it.0), page));
        self.falls |= counted < self.counted && counted != Some(1);
        self.counted = counted;
    }

    /// Whether what they count may be the pages.
    fn count_on(&self) -> bool {
        let span = self.span.map_or(0, |(first, last)| last - first);
        !self.falls && self.count * MAX_PAGES_EACH > span
    }
}

/// The lines that enough pages have.
struct CommonHeads {
    counts: HashMap<Head, Pages>,
    pages: usize,
    /// The size of most of the text.
    body: f64,
}

impl CommonHeads {
    fn of(pages: &[(f64, &mut Vec<PdfRow>)]) -> CommonHeads {
        let rows = pages.iter().flat_map(|(_, rows)| rows.iter());
        let body = usual_size(rows.map(|row| (row.size, row.text().len())).collect());
        let mut counts: HashMap<Head, Pages> = HashMap::new();
        for (page, (height, rows)) in pages.iter().enumerate() {
            let lines = edge_lines(rows, *height).into_iter().flatten();
            let heads = lines.flat_map(|line| {
                let segments = line.heads_of_segments(rows, page, body);
                line.heads(rows, page, body)
                    .into_iter()
                    .chain(segments.into_iter().flatten())
            });
            let heads = heads.map(|it| (it.head, it.counted));
            for (head, counted) in heads.collect::<HashMap<Head, Option<i64>>>() {
                counts.entry(head).or_default().add(page, counted);
            }
        }
        CommonHeads {
            counts,
            pages: pages.len(),
            body,
        }
    }

    fn has(&self, head: &Head) -> bool {
        let pages = self.counts.get(head);
        let Some(pages) = pages.filter(|it| !head.is_numbered || it.count_on()) else {
            return false;
        };
        let count = pages.count;
        let are_nearly_all =
            count >= MIN_PAGES_IF_DOUBTFUL && count * 100 >= self.pages * MIN_PERCENT_IF_DOUBTFUL;
        count >= MIN_PAGES && (!head.is_doubtful || are_nearly_all)
    }

    fn known(&self, line: &EdgeLine, page: usize, rows: &[PdfRow]) -> Known {
        if is_line_number(rows, line.row) {
            return Known::default();
        }
        let first = |heads: Vec<MaybeHead>| {
            let mut heads = heads.into_iter().map(|it| it.head);
            heads.find(|it| self.has(it))
        };
        let parts = line.heads_of_segments(rows, page, self.body);
        Known {
            line: first(line.heads(rows, page, self.body)),
            parts: parts.into_iter().map(first).collect(),
        }
    }
}

/// Whether a text is a number, or one with a unit or a currency. "Chapter 3" is none.
fn is_value(text: &str) -> bool {
    let count = |is_wanted: fn(char) -> bool| text.chars().filter(|it| is_wanted(*it)).count();
    let (digits, letters) = (count(|it| it.is_ascii_digit()), count(char::is_alphabetic));
    digits > 0 && digits >= letters
}

/// Which running heads a line near the edge of a page is, and which its parts are.
#[derive(Default)]
struct Known {
    line: Option<Head>,
    parts: Vec<Option<Head>>,
}

impl Known {
    fn is_text(&self) -> bool {
        self.line.is_none() && self.parts.iter().all(Option::is_none)
    }

    fn is_page_number(&self) -> bool {
        self.line.as_ref().is_some_and(|head| head.is_page_number)
    }

    /// Keeps labels and values, which mean nothing without one another, though pages may share either.
    fn keep_values(&mut self, row: &PdfRow) {
        let mut parts = row.segments.iter().zip(&self.parts);
        let has_own_value = parts.any(|(it, head)| head.is_none() && is_value(&it.text));
        for (segment, head) in row.segments.iter().zip(&mut self.parts) {
            let is_kept = has_own_value || segment.text.ends_with(':') || is_value(&segment.text);
            head.take_if(|head| is_kept && !head.is_page_number);
        }
    }

    /// What the row loses. The texts of the heads that stay for now are seen from then on.
    fn loss(mut self, row: &PdfRow, seen: &mut HashSet<String>) -> Option<Loss> {
        self.keep_values(row);
        let mut is_lost = |head: Head| head.is_page_number || !seen.insert(head.text);
        if self.line.is_some_and(&mut is_lost) {
            return Some(Loss::Row);
        }
        let count = self.parts.len();
        let lost = |(index, head): (usize, Option<Head>)| is_lost(head?).then_some(index);
        let lost: Vec<usize> = self
            .parts
            .into_iter()
            .enumerate()
            .filter_map(lost)
            .collect();
        match lost.len() {
            0 => None,
            all if all == count => Some(Loss::Row),
            _ => Some(Loss::Segments(lost)),
        }
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
                look: super::super::look::Look::Plain,
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

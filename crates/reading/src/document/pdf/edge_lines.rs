//! The lines near the upper and the lower edge of a page, where running heads may be.

use super::page_number::without_page_number;
use super::rows::{PdfRow, Segment};

/// How many lines at the top and at the bottom of a page are looked at.
const LINES: usize = 6;
/// The part of the page, from its edge, where running heads are.
const MARGIN: f64 = 0.12;
/// How large the number of a page is at most, relative to most of the text: headings at the top are larger.
const LARGEST_AT_TOP: f64 = 1.2;
const LARGEST_AT_FOOT: f64 = 1.8;
/// How wide a gap is that divides a line from the text, relative to its size.
const WIDE_GAP: f64 = 1.8;

/// A line near the upper or the lower edge of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeLine {
    /// The index of its row.
    pub(super) row: usize,
    is_at_top: bool,
    /// How far it is from the edge, in steps in which lines of different pages are at one place.
    place: i64,
    /// Whether a gap divides it from the text.
    is_apart: bool,
}

/// What pages have in common: a text, without the number of the page, and about where it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Head {
    pub(super) text: String,
    is_at_top: bool,
    place: i64,
    /// Whether it is without the number of the page.
    pub(super) is_numbered: bool,
    /// Whether there is nothing but the number of the page.
    pub(super) is_page_number: bool,
    /// Whether the number may be another one: nearly all pages must have this.
    pub(super) is_doubtful: bool,
}

/// What a line may be.
#[derive(Debug, Clone)]
pub(super) struct MaybeHead {
    pub(super) head: Head,
    /// The number that it is without, if that counts something that may take several pages.
    pub(super) counted: Option<i64>,
}

impl EdgeLine {
    /// The line of a row. The text begins, or ends, at another row.
    fn new(rows: &[PdfRow], row: usize, text: usize, height: f64) -> EdgeLine {
        const STEP: f64 = 12.0;
        let is_at_top = row < text;
        let baseline = rows[row].baseline;
        let from_edge = if is_at_top {
            baseline
        } else {
            height - baseline
        };
        let last = rows.len() - 1;
        let to_text = &rows[row.min(text)..=row.max(text).min(last)];
        let is_gap =
            |pair: &[PdfRow]| pair[1].baseline - pair[0].baseline > WIDE_GAP * rows[row].size;
        EdgeLine {
            row,
            is_at_top,
            place: (from_edge / STEP).round() as i64,
            is_apart: to_text.windows(2).any(is_gap),
        }
    }

    /// What other pages may have in common with the line.
    pub(super) fn heads(&self, rows: &[PdfRow], page: usize, body: f64) -> Vec<MaybeHead> {
        let row = &rows[self.row];
        let cells = row.table.iter().flat_map(|table| table.iter().flatten());
        let pieces: Vec<&str> = match &row.table {
            Some(_) => cells.map(String::as_str).collect(),
            None => row.segments.iter().map(|it| it.text.as_str()).collect(),
        };
        self.of_pieces(&pieces, row.size / body, page)
    }

    /// What other pages may have in common with each part of the line. Rows of a table that goes on for pages
    /// have words in common, too, so that the line must stand apart from the text.
    pub(super) fn heads_of_segments(
        &self,
        rows: &[PdfRow],
        page: usize,
        body: f64,
    ) -> Vec<Vec<MaybeHead>> {
        let row = &rows[self.row];
        if !self.is_apart || row.table.is_some() || row.segments.len() < 2 {
            return Vec::new();
        }
        let of_segment = |it: &Segment| self.of_pieces(&[it.text.as_str()], it.size / body, page);
        row.segments.iter().map(of_segment).collect()
    }

    /// The text, of a size relative to most of the document, as it is, and without each number that may be the
    /// one of the page.
    fn of_pieces(&self, pieces: &[&str], size: f64, page: usize) -> Vec<MaybeHead> {
        let as_it_is = Head {
            text: pieces.join(" "),
            is_at_top: self.is_at_top,
            place: self.place,
            is_numbered: false,
            is_page_number: false,
            is_doubtful: false,
        };
        let mut heads = vec![MaybeHead {
            head: as_it_is.clone(),
            counted: None,
        }];
        let largest = if self.is_at_top {
            LARGEST_AT_TOP
        } else {
            LARGEST_AT_FOOT
        };
        if size <= largest {
            let numbered = without_page_number(pieces, page).into_iter();
            // At the top, a doubtful number may be the one of a chapter or a card.
            let numbered = numbered.filter(|it| !it.is_doubtful || !self.is_at_top);
            heads.extend(numbered.map(|line| MaybeHead {
                head: Head {
                    text: line.text,
                    is_numbered: true,
                    is_page_number: line.is_alone,
                    is_doubtful: line.is_doubtful,
                    ..as_it_is.clone()
                },
                counted: line.counted,
            }));
        }
        heads
    }
}

/// The lines near the upper and near the lower edge of a page, from the edge. Rows are in order from top
/// to bottom.
pub(super) fn edge_lines(rows: &[PdfRow], height: f64) -> [Vec<EdgeLine>; 2] {
    let is_head = |row: &&PdfRow| is_short(row) && row.baseline < MARGIN * height;
    let is_foot = |row: &&PdfRow| is_short(row) && row.baseline > (1.0 - MARGIN) * height;
    let heads = rows.iter().take(LINES).take_while(is_head).count();
    let feet = rows.iter().rev().take(LINES).take_while(is_foot).count();
    let first_foot = rows.len() - feet.min(rows.len() - heads);
    let heads = (0..heads).map(|row| EdgeLine::new(rows, row, heads, height));
    let feet = (first_foot..rows.len()).rev();
    let feet = feet.map(|row| EdgeLine::new(rows, row, first_foot.saturating_sub(1), height));
    [heads.collect(), feet.collect()]
}

/// Whether a row is a line, or a table that is no longer than a few lines.
fn is_short(row: &PdfRow) -> bool {
    const LONGEST: usize = 400;
    let cells = row.table.iter().flat_map(|table| table.iter().flatten());
    cells.map(String::len).sum::<usize>() <= LONGEST
}

/// How many lines, counted from the one farthest from the edge, are lines of a paragraph with the text farther
/// in. They are no heads, although other pages may have the same paragraph.
pub(super) fn lines_of_text(lines: &[EdgeLine], rows: &[PdfRow]) -> usize {
    let is_of_text = |line: &&EdgeLine| {
        let upper = if line.is_at_top {
            Some(line.row)
        } else {
            line.row.checked_sub(1)
        };
        let pair = upper.and_then(|upper| Some((rows.get(upper)?, rows.get(upper + 1)?)));
        pair.is_some_and(|(upper, lower)| are_of_one_paragraph(upper, lower))
    };
    lines.iter().rev().take_while(is_of_text).count()
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
pub(super) fn is_line_number(rows: &[PdfRow], index: usize) -> bool {
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

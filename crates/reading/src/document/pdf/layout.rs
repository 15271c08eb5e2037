//! Writes rows as Markdown: tables, headings, list items and paragraphs.

use std::ops::Range;

use super::super::markdown::Markdown;
use super::code_rows::{code_stretches, code_text};
use super::directions::in_turn;
use super::letter_bullets::with_letter_bullets;
use super::list_item::{Item, item};
use super::look::Look;
use super::paragraph::PdfParagraph;
use super::rows::{PdfRow, Segment};
use super::vocabulary::Vocabulary;

/// What is known about the whole document.
pub(super) struct Style {
    /// The font size of most of the text.
    pub(super) body: f64,
    pub(super) words: Vocabulary,
    /// Whether the structure of the document says what a heading is.
    pub(super) has_headings: bool,
}

/// Writes the rows of a page, by the direction of their text.
pub(super) fn write_directions(directions: &[Vec<PdfRow>], style: &Style, markdown: &mut Markdown) {
    let leadings: Vec<f64> = directions.iter().map(|it| typical_leading(it)).collect();
    for stretch in in_turn(directions) {
        let rows = &directions[stretch.direction][stretch.rows];
        write_lines(rows, leadings[stretch.direction], style, markdown);
    }
}

/// Writes rows that are in reading order.
pub(super) fn write_rows(rows: &[PdfRow], style: &Style, markdown: &mut Markdown) {
    write_lines(rows, typical_leading(rows), style, markdown);
}

/// Writes rows that are in reading order, and have this distance in a paragraph.
fn write_lines(rows: &[PdfRow], leading: f64, style: &Style, markdown: &mut Markdown) {
    let rows = &*with_letter_bullets(rows);
    let mut paragraph = PdfParagraph::default();
    let mut list = ListLevels::default();
    let mut code = code_blocks(rows, leading, style).peekable();
    let mut heading_end = 0;
    for (index, row) in rows.iter().enumerate() {
        code.next_if(|code| code.end <= index);
        if let Some(code) = code.peek().filter(|code| code.start <= index) {
            if code.start == index {
                end(&mut paragraph, style, &mut list, markdown);
                markdown.code("", &code_text(&rows[code.clone()]));
            }
            continue;
        }
        if let Some(table) = &row.table {
            end(&mut paragraph, style, &mut list, markdown);
            markdown.table(table);
            continue;
        }
        if index < heading_end {
            continue;
        }
        if let Some(level) = plain_heading(row).filter(|_| !style.has_headings) {
            end(&mut paragraph, style, &mut list, markdown);
            list.lefts.clear();
            let heading = heading_rows(&rows[index..]);
            heading_end = index + heading.len();
            markdown.heading(level, &heading_text(heading, style));
            continue;
        }
        if paragraph.is_over(row, leading, style.body) {
            end(&mut paragraph, style, &mut list, markdown);
        }
        if row.look() == Look::RunInHeading
            && !style.has_headings
            && let Some((heading, text)) = plain_run_in(row)
        {
            end(&mut paragraph, style, &mut list, markdown);
            list.lefts.clear();
            markdown.heading(RUN_IN_LEVEL, &heading);
            if !text.text().trim().is_empty() {
                paragraph.add(&text, &style.words);
            }
            continue;
        }
        let run_in = run_in_heading(row).filter(|_| !style.has_headings && paragraph.is_empty());
        if let Some((heading, rest)) = run_in {
            list.lefts.clear();
            markdown.heading(RUN_IN_LEVEL, &heading);
            paragraph.add(&rest, &style.words);
            continue;
        }
        paragraph.add(row, &style.words);
    }
    end(&mut paragraph, style, &mut list, markdown);
}

/// The level of a heading that starts here and that its size and weight do not tell.
fn plain_heading(row: &PdfRow) -> Option<usize> {
    match row.look() {
        Look::Heading(level) => Some(level),
        _ => None,
    }
}

/// The heading that ends with a colon in this row, and the row without it.
fn plain_run_in(row: &PdfRow) -> Option<(String, PdfRow)> {
    let (first, rest) = row.segments.split_first()?;
    let (heading, text) = first.text.split_once(':')?;
    let text = Segment {
        text: text.trim_start().to_owned(),
        ..first.clone()
    };
    let segments = std::iter::once(text).chain(rest.iter().cloned());
    let segments = segments.filter(|it| !it.text.is_empty());
    Some((heading.to_owned(), row.part(segments.collect())))
}

/// The rows of the heading that starts with the first of these.
fn heading_rows(rows: &[PdfRow]) -> &[PdfRow] {
    let rest = rows.iter().skip(1);
    let rest = rest.take_while(|row| row.look() == Look::RestOfHeading);
    &rows[..1 + rest.count()]
}

fn heading_text(rows: &[PdfRow], style: &Style) -> String {
    let mut paragraph = PdfParagraph::default();
    rows.iter().for_each(|row| paragraph.add(row, &style.words));
    paragraph.text
}

/// The stretches of rows that are code. A line of large letters is a heading.
fn code_blocks(rows: &[PdfRow], leading: f64, style: &Style) -> impl Iterator<Item = Range<usize>> {
    const LARGE: f64 = 1.13;
    let stretches = code_stretches(rows, leading).into_iter();
    stretches.filter(|code| code.len() > 1 || rows[code.start].size < LARGE * style.body)
}

/// The level of headings that are only bold.
const RUN_IN_LEVEL: usize = 4;

/// The heading that the first line of a paragraph starts with, as those of TeX do: bold, and followed by
/// a wide gap and the text. And the line without it.
pub(super) fn run_in_heading(row: &PdfRow) -> Option<(String, PdfRow)> {
    const LONGEST: usize = 60;
    /// Shorter texts are values of a form.
    const TEXT: usize = 40;
    const GAP: Range<f64> = 0.8..1.4;
    let (heading, text) = match &row.segments[..] {
        [heading, text] => (heading, text),
        _ => return None,
    };
    let is_heading = heading.is_bold
        && heading.text.starts_with(char::is_uppercase)
        && heading.text.ends_with(char::is_alphanumeric)
        && heading.text.chars().count() <= LONGEST;
    let is_text = !text.is_bold
        && text.text.starts_with(char::is_uppercase)
        && text.text.chars().count() >= TEXT;
    let is_near = GAP.contains(&((text.left - heading.right) / row.size));
    let found = row.table.is_none() && is_heading && is_text && is_near;
    found.then(|| (heading.text.clone(), row.part(vec![text.clone()])))
}

/// The usual distance between two lines.
pub(super) fn typical_leading(rows: &[PdfRow]) -> f64 {
    let alike = rows
        .windows(2)
        .filter(|pair| (pair[0].size / pair[1].size - 1.0).abs() < 0.1);
    let mut steps: Vec<f64> = alike
        .map(|pair| (pair[1].baseline - pair[0].baseline, pair[0].size))
        .filter(|(step, size)| *step > 0.0 && *step < 3.0 * size)
        .map(|(step, _)| step)
        .collect();
    steps.sort_by(f64::total_cmp);
    // The lower median: with one step between lines and one between paragraphs, the former counts.
    steps
        .get(steps.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(12.0)
}

/// How far the items of the list that is being written are indented.
#[derive(Default)]
pub(super) struct ListLevels {
    lefts: Vec<f64>,
}

impl ListLevels {
    /// The level of an item that starts here.
    fn level(&mut self, left: f64, size: f64) -> usize {
        while self
            .lefts
            .last()
            .is_some_and(|last| *last > left + 0.5 * size)
        {
            self.lefts.pop();
        }
        if self
            .lefts
            .last()
            .is_none_or(|last| left > last + 0.8 * size)
        {
            self.lefts.push(left);
        }
        self.lefts.len() - 1
    }
}

/// Writes the paragraph that is complete.
fn end(
    paragraph: &mut PdfParagraph,
    style: &Style,
    list: &mut ListLevels,
    markdown: &mut Markdown,
) {
    let level = paragraph.heading_level(style.body);
    write_paragraph(&std::mem::take(paragraph), level, list, markdown);
}

pub(super) fn write_paragraph(
    paragraph: &PdfParagraph,
    level: Option<usize>,
    list: &mut ListLevels,
    markdown: &mut Markdown,
) {
    let text = paragraph.text.trim();
    match (level, item(text)) {
        (
            Some(level),
            None
            | Some(Item {
                number: Some(_), ..
            }),
        ) => {
            list.lefts.clear();
            markdown.heading(level, text);
        }
        (_, Some(item)) => {
            let level = list.level(paragraph.first_left, paragraph.size);
            markdown.item(level, item.number, item.text);
        }
        _ => {
            if !text.is_empty() {
                list.lefts.clear();
            }
            // A comment in a listing is no heading.
            let mark = if text.starts_with('#') { "\\" } else { "" };
            markdown.block(&format!("{mark}{text}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::aligned_table::with_tables;
    use super::*;

    fn row(baseline: f64, size: f64, segments: &[(f64, f64, &str)]) -> PdfRow {
        let segments = segments
            .iter()
            .map(|(left, right, text)| Segment {
                left: *left,
                right: *right,
                text: (*text).to_owned(),
                size,
                is_bold: false,
                look: Look::Plain,
                fixed: None,
                order: 0,
            })
            .collect();
        PdfRow {
            baseline,
            size,
            segments,
            table: None,
        }
    }

    fn markdown(rows: Vec<PdfRow>) -> String {
        let mut markdown = Markdown::new(100_000);
        let style = Style {
            body: 10.0,
            words: Vocabulary::default(),
            has_headings: false,
        };
        write_rows(&with_tables(rows), &style, &mut markdown);
        markdown.finish().0
    }

    #[test]
    fn rows_with_aligned_segments_become_a_table() {
        let rows = (0..3).map(|line| {
            row(
                100.0 + 12.0 * f64::from(line),
                10.0,
                &[
                    (50.0, 80.0, "name"),
                    (200.0, 220.0, "12"),
                    (300.0, 320.0, "x"),
                ],
            )
        });
        assert_eq!(
            markdown(rows.collect()),
            "| name | 12 | x |\n| --- | --- | --- |\n| name | 12 | x |\n| name | 12 | x |"
        );
    }

    #[test]
    fn lines_are_joined_into_paragraphs_and_items() {
        let rows = vec![
            row(
                100.0,
                10.0,
                &[(50.0, 500.0, "A paragraph whose last word is di-")],
            ),
            row(112.0, 10.0, &[(50.0, 300.0, "vided.")]),
            row(140.0, 10.0, &[(50.0, 500.0, "Another.")]),
            row(152.0, 10.0, &[(60.0, 66.0, "•"), (80.0, 500.0, "an item")]),
            row(164.0, 10.0, &[(60.0, 66.0, "•"), (80.0, 500.0, "a second")]),
            row(176.0, 10.0, &[(90.0, 500.0, "1. within it")]),
            row(188.0, 10.0, &[(60.0, 66.0, "•"), (80.0, 500.0, "a third")]),
        ];
        assert_eq!(
            markdown(rows),
            "A paragraph whose last word is divided.\n\nAnother.\n\n- an item\n- a second\n  1. within it\n- a third"
        );
    }
}

//! Writes rows as Markdown: tables, headings, list items and paragraphs.

use super::super::markdown::Markdown;
use super::rows::PdfRow;

const MAX_TABLE_COLUMNS: usize = 16;

/// Writes rows that are in reading order. `body` is the font size of most of the document.
pub(super) fn write_rows(rows: &[PdfRow], body: f64, markdown: &mut Markdown) {
    let leading = typical_leading(rows);
    let mut paragraph = PdfParagraph::default();
    let mut index = 0;
    while index < rows.len() {
        if let Some((length, table)) = table(&rows[index..]) {
            paragraph.end(body, markdown);
            markdown.table(&table);
            index += length;
            continue;
        }
        let row = &rows[index];
        if paragraph.is_over(row, leading) {
            paragraph.end(body, markdown);
        }
        paragraph.add(row);
        index += 1;
    }
    paragraph.end(body, markdown);
}

/// The usual distance between two lines.
fn typical_leading(rows: &[PdfRow]) -> f64 {
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

/// A table at the start of these rows: the number of its rows, and its cells.
fn table(rows: &[PdfRow]) -> Option<(usize, Vec<Vec<String>>)> {
    let length = rows.iter().take_while(|row| row.segments.len() > 1).count();
    let rows = &rows[..length];
    let columns = columns(rows);
    let cells: usize = rows.iter().map(|row| row.segments.len()).sum();
    let enough_rows = length >= 3 || (length == 2 && columns.len() >= 3);
    let dense = cells * 10 >= length * columns.len() * 6;
    if !enough_rows || columns.len() < 2 || columns.len() > MAX_TABLE_COLUMNS || !dense {
        return None;
    }
    let filled = rows.iter().map(|row| {
        let mut cells = vec![String::new(); columns.len()];
        for segment in &row.segments {
            let at = columns
                .iter()
                .position(|(_, right)| segment.left < *right)
                .unwrap_or(columns.len() - 1);
            let gap = if cells[at].is_empty() { "" } else { " " };
            cells[at] = format!("{}{gap}{}", cells[at], segment.text);
        }
        cells
    });
    Some((length, filled.collect()))
}

/// The left and right edges of the columns of a table.
fn columns(rows: &[PdfRow]) -> Vec<(f64, f64)> {
    let mut ranges: Vec<(f64, f64)> = rows
        .iter()
        .flat_map(|row| row.segments.iter().map(|it| (it.left, it.right)))
        .collect();
    ranges.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut columns: Vec<(f64, f64)> = Vec::new();
    for (left, right) in ranges {
        match columns.last_mut() {
            Some(last) if left < last.1 => last.1 = last.1.max(right),
            _ => columns.push((left, right)),
        }
    }
    columns
}

/// The paragraph that is being put together.
#[derive(Default)]
struct PdfParagraph {
    text: String,
    size: f64,
    left: f64,
    right: f64,
    last_left: f64,
    last_right: f64,
    baseline: f64,
    lines: usize,
    is_bold: bool,
}

impl PdfParagraph {
    /// Whether a row starts a new paragraph.
    fn is_over(&self, row: &PdfRow, leading: f64) -> bool {
        if self.lines == 0 {
            return false;
        }
        let text = row.text();
        let step = row.baseline - self.baseline;
        let other_size = (row.size / self.size - 1.0).abs() > 0.12;
        let ended = self
            .text
            .ends_with(['.', '!', '?', ':', '。', '」', '！', '？']);
        let ends_heading = self.is_bold && !row.is_bold();
        if starts_item(&text) || other_size || ends_heading {
            return true;
        }
        if step <= 0.0 {
            // The next column or page, where a sentence may continue.
            return ended || !text.starts_with(char::is_lowercase);
        }
        let wide_step = step > (1.35 * leading).max(1.5 * self.size);
        let indented = row.left() > self.left + 0.8 * row.size
            && self.last_left <= self.left + 0.3 * row.size
            && self.lines > 1;
        let short =
            self.last_right < self.right - 0.25 * (self.right - self.left) && self.lines > 1;
        wide_step || (indented && ended) || (short && ended)
    }

    fn add(&mut self, row: &PdfRow) {
        let text = row.text();
        join(&mut self.text, &text);
        self.left = if self.lines == 0 {
            row.left()
        } else {
            self.left.min(row.left())
        };
        self.right = if self.lines == 0 {
            row.right()
        } else {
            self.right.max(row.right())
        };
        self.size = if self.lines == 0 { row.size } else { self.size };
        self.is_bold = row.is_bold() && (self.lines == 0 || self.is_bold);
        (self.last_left, self.last_right, self.baseline) = (row.left(), row.right(), row.baseline);
        self.lines += 1;
    }

    /// The level of a heading that only its weight tells from the text.
    fn bold_level(&self, body: f64) -> Option<usize> {
        const LEVEL: usize = 4;
        let is_heading = self.is_bold
            && self.lines <= 2
            && self.size >= 0.95 * body
            && self.text.chars().count() <= 120
            && !self.text.ends_with(['.', ',', ';', ':']);
        is_heading.then_some(LEVEL)
    }

    fn end(&mut self, body: f64, markdown: &mut Markdown) {
        let paragraph = std::mem::take(self);
        let text = paragraph.text.trim();
        let level = heading_level(paragraph.size / body).or_else(|| paragraph.bold_level(body));
        match (level, item(text)) {
            (Some(level), None)
                if text.chars().count() <= 200 && text.chars().any(char::is_alphabetic) =>
            {
                markdown.heading(level, text)
            }
            (_, Some(text)) => markdown.item(0, None, text),
            _ => markdown.block(text),
        }
    }
}

/// The level of a heading, by its font size relative to the body text.
fn heading_level(ratio: f64) -> Option<usize> {
    Some(match ratio {
        ratio if ratio >= 1.7 => 1,
        ratio if ratio >= 1.35 => 2,
        ratio if ratio >= 1.13 => 3,
        _ => return None,
    })
}

const BULLETS: &[char] = &['•', '‣', '▪', '◦', '●', '○', '■', '·', '➢', '✓', '►'];

/// The text of a list item without its bullet.
fn item(text: &str) -> Option<&str> {
    let rest = text
        .strip_prefix(BULLETS)
        .or_else(|| text.strip_prefix("- "))
        .or_else(|| text.strip_prefix("– "))?;
    Some(rest.trim_start()).filter(|rest| !rest.is_empty())
}

/// Whether this is the first line of a bulleted or numbered item.
fn starts_item(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits)
        && text[digits..].starts_with([')', '.'])
        && text[digits + 1..].starts_with(' ');
    item(text).is_some() || numbered
}

/// Appends a line. Hyphenated words are joined; Chinese and Japanese text needs no blank.
fn join(text: &mut String, line: &str) {
    let divided = text.ends_with('\u{AD}')
        || (text.ends_with(['-', '‐'])
            && line.starts_with(char::is_lowercase)
            && text.chars().rev().nth(1).is_some_and(char::is_lowercase));
    let unspaced =
        text.is_empty() || (text.ends_with(is_ideograph) && line.starts_with(is_ideograph));
    if divided {
        text.pop();
    } else if !unspaced {
        text.push(' ');
    }
    text.push_str(line);
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}')
}

#[cfg(test)]
mod tests {
    use super::super::rows::Segment;
    use super::*;

    fn row(baseline: f64, size: f64, segments: &[(f64, f64, &str)]) -> PdfRow {
        let segments = segments
            .iter()
            .map(|(left, right, text)| Segment {
                left: *left,
                right: *right,
                text: (*text).to_owned(),
                is_bold: false,
            })
            .collect();
        PdfRow {
            baseline,
            size,
            segments,
        }
    }

    fn markdown(rows: Vec<PdfRow>) -> String {
        let mut markdown = Markdown::new(100_000);
        write_rows(&rows, 10.0, &mut markdown);
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
            row(152.0, 10.0, &[(60.0, 500.0, "• an item")]),
            row(164.0, 10.0, &[(60.0, 500.0, "• a second")]),
        ];
        assert_eq!(
            markdown(rows),
            "A paragraph whose last word is divided.\n\nAnother.\n\n- an item\n- a second"
        );
    }
}

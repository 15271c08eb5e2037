//! Rows to reading order: columns one after the other, tables as tables, lines joined into
//! paragraphs.
//!
//! Columns are found by their left edge: an edge that many rows share, with a gutter before it that
//! no row crosses. A region is only split when both sides look like prose; otherwise rows keep
//! together, since a table read by columns is worthless.

use super::super::markdown::Markdown;
use super::rows::{PdfRow, Segment};

/// A gutter is at least this many times as wide as the text is high.
const GUTTER: f64 = 0.8;
const MIN_COLUMN_ROWS: usize = 4;
const MIN_COLUMN_CHARS: usize = 14;
const MAX_DEPTH: usize = 6;
/// Beyond these a page is no page for readers, and looking for its columns would take longer than
/// reading it.
const MAX_ROWS: usize = 3_000;
const MAX_EDGES: usize = 40;
/// Columns of tables stand further apart than words of stretched lines.
const MAX_TABLE_COLUMNS: usize = 16;

/// The rows in the order they are read.
pub(super) fn ordered(rows: Vec<PdfRow>, depth: usize) -> Vec<PdfRow> {
    let split = if depth < MAX_DEPTH {
        column_region(&rows)
    } else {
        None
    };
    let Some((from, to, edge)) = split else {
        return rows;
    };
    let mut rest = rows;
    let below = rest.split_off(to);
    let region = rest.split_off(from);
    let (left, right) = divided(region, edge);
    let mut all = ordered(rest, depth + 1);
    all.extend(ordered(left, depth + 1));
    all.extend(ordered(right, depth + 1));
    all.extend(ordered(below, depth + 1));
    all
}

fn divided(rows: Vec<PdfRow>, edge: f64) -> (Vec<PdfRow>, Vec<PdfRow>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for row in rows {
        let (before, after): (Vec<Segment>, Vec<Segment>) = row
            .segments
            .into_iter()
            .partition(|segment| segment.left < edge - 1.0);
        for (segments, side) in [(before, &mut left), (after, &mut right)] {
            if !segments.is_empty() {
                side.push(PdfRow {
                    baseline: row.baseline,
                    size: row.size,
                    segments,
                });
            }
        }
    }
    (left, right)
}

/// The longest run of rows that a gutter divides into two columns of prose: first row, row after
/// the last, left edge of the right.
fn column_region(rows: &[PdfRow]) -> Option<(usize, usize, f64)> {
    if rows.len() > MAX_ROWS {
        return None;
    }
    let gutter = GUTTER * median(rows.iter().map(|row| row.size))?;
    let candidates = shared_edges(rows);
    let regions = candidates.into_iter().flat_map(|edge| {
        runs(rows, edge, gutter)
            .into_iter()
            .map(move |(from, to)| (from, to, edge))
    });
    regions
        .filter(|(from, to, edge)| is_prose(&rows[*from..*to], *edge))
        .max_by_key(|(from, to, _)| to - from)
}

/// Left edges of segments that several rows share, except the leftmost.
fn shared_edges(rows: &[PdfRow]) -> Vec<f64> {
    let mut edges: Vec<f64> = rows
        .iter()
        .flat_map(|row| row.segments.iter().map(|segment| segment.left))
        .collect();
    edges.sort_by(f64::total_cmp);
    let mut shared = Vec::new();
    let mut start = 0;
    for index in 1..=edges.len() {
        if index == edges.len() || edges[index] - edges[start] > 2.0 {
            if index - start >= MIN_COLUMN_ROWS && start > 0 {
                shared.push((index - start, edges[start]));
            }
            start = index;
        }
    }
    shared.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    shared
        .into_iter()
        .take(MAX_EDGES)
        .map(|(_, edge)| edge)
        .collect()
}

/// The runs of rows that leave the gutter before an edge free.
fn runs(rows: &[PdfRow], edge: f64, gutter: f64) -> Vec<(usize, usize)> {
    let is_free = |row: &PdfRow| {
        row.segments
            .iter()
            .all(|segment| segment.right <= edge - gutter || segment.left >= edge - 1.0)
    };
    let mut runs = Vec::new();
    let mut from = 0;
    for index in 0..=rows.len() {
        if index == rows.len() || !is_free(&rows[index]) {
            if index >= from + MIN_COLUMN_ROWS {
                runs.push((from, index));
            }
            from = index + 1;
        }
    }
    runs
}

/// Whether both sides of a region are lines that mostly fill their column.
fn is_prose(rows: &[PdfRow], edge: f64) -> bool {
    let (left, right) = divided(rows.to_vec(), edge);
    [left, right].iter().all(|side| {
        let start = side.iter().map(PdfRow::left).fold(f64::MAX, f64::min);
        let end = side.iter().map(PdfRow::right).fold(f64::MIN, f64::max);
        let filled = side
            .iter()
            .filter(|row| row.right() - row.left() > 0.6 * (end - start))
            .count();
        let chars: usize = side.iter().map(|row| row.text().chars().count()).sum();
        side.len() >= MIN_COLUMN_ROWS
            && chars >= MIN_COLUMN_CHARS * side.len()
            && filled * 2 >= side.len()
    })
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Writes rows that are in reading order. `body` is the size of the document's running text.
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
    // The lower median: between two lines and the gap after them, the lines say more.
    steps
        .get(steps.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(12.0)
}

/// A table at the start of these rows: how many rows, and its cells.
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

/// The ranges that cells of the same column cover together.
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

/// Lines that belong together.
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
}

impl PdfParagraph {
    /// Whether a row starts something new.
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
        if starts_item(&text) || other_size {
            return true;
        }
        if step <= 0.0 {
            // The next column or page: a sentence may go on there.
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
        (self.last_left, self.last_right, self.baseline) = (row.left(), row.right(), row.baseline);
        self.lines += 1;
    }

    fn end(&mut self, body: f64, markdown: &mut Markdown) {
        let paragraph = std::mem::take(self);
        let text = paragraph.text.trim();
        let level = heading_level(paragraph.size / body);
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

/// How large a heading must be, against the running text.
fn heading_level(ratio: f64) -> Option<usize> {
    Some(match ratio {
        ratio if ratio >= 1.7 => 1,
        ratio if ratio >= 1.35 => 2,
        ratio if ratio >= 1.13 => 3,
        _ => return None,
    })
}

const BULLETS: &[char] = &['•', '‣', '▪', '◦', '●', '○', '■', '·', '➢', '✓', '►'];

fn item(text: &str) -> Option<&str> {
    let rest = text
        .strip_prefix(BULLETS)
        .or_else(|| text.strip_prefix("- "))
        .or_else(|| text.strip_prefix("– "))?;
    Some(rest.trim_start()).filter(|rest| !rest.is_empty())
}

fn starts_item(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits)
        && text[digits..].starts_with([')', '.'])
        && text[digits + 1..].starts_with(' ');
    item(text).is_some() || numbered
}

/// Appends a line: words divided at its end come together, Chinese and Japanese need no blank.
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
    use super::*;

    fn row(baseline: f64, size: f64, segments: &[(f64, f64, &str)]) -> PdfRow {
        let segments = segments
            .iter()
            .map(|(left, right, text)| Segment {
                left: *left,
                right: *right,
                text: (*text).to_owned(),
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
        write_rows(&ordered(rows, 0), 10.0, &mut markdown);
        markdown.finish().0
    }

    #[test]
    fn columns_follow_each_other() {
        let mut rows = vec![row(
            40.0,
            20.0,
            &[(100.0, 500.0, "A title across both columns")],
        )];
        for line in 0..8 {
            let baseline = 80.0 + 12.0 * f64::from(line);
            let (left, right) = (
                format!("left line number {line} goes"),
                format!("right line number {line} goes"),
            );
            rows.push(row(
                baseline,
                10.0,
                &[(50.0, 290.0, &left), (310.0, 550.0, &right)],
            ));
        }
        let text = markdown(rows);
        assert!(
            text.starts_with(
                "# A title across both columns\n\nleft line number 0 goes left line number 1"
            ),
            "{text}"
        );
        assert!(
            text.find("left line number 7") < text.find("right line number 0"),
            "{text}"
        );
    }

    #[test]
    fn tables_keep_their_rows() {
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
    fn lines_become_paragraphs() {
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

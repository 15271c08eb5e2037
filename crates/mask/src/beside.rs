//! Rows of a list: where one row has a secret in a cell that no name of its own points at, the same
//! cell of the rows above and below it has one, too. `[smtp.example.com]:587 relay:***` above
//! `[mail.example.org]:465 backup:harbor.oyster.16`.
//!
//! The rows must be alike and the cell must look like a password or a stored key, because a list of
//! settings has one secret and many other values.

use super::name;
use super::near::is_secret_cell;
use super::text::{Span, Text};

/// The longest line that is read as a row, in bytes.
const LONGEST_LINE: usize = 240;

/// How many rows above and below a secret are read.
const MOST_ROWS: usize = 40;

/// More secrets than a readable list has.
const MOST: usize = 64;

/// A row with more cells is a sentence or code.
const MOST_CELLS: usize = 12;

/// Adds the cells of other rows that stand in the place of a secret that was found.
pub(super) fn find(text: Text<'_>, spans: &mut Vec<Span>) {
    let mut found = Vec::new();
    for span in spans.iter().take(MOST) {
        for divides in [is_blank_divider, is_any_divider] {
            if let Some(row) = Row::around(text, span, divides) {
                row.below(text, &mut found);
                row.above(text, &mut found);
            }
        }
    }
    found.retain(|cell| !spans.iter().any(|span| overlap(span, cell)));
    spans.append(&mut found);
}

fn overlap(one: &Span, other: &Span) -> bool {
    one.start < other.end && other.start < one.end
}

fn is_blank_divider(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_any_divider(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b',' | b';' | b'|' | b':')
}

/// A row with a secret, as what divides its cells, and which of them is the secret.
struct Row {
    line: Span,
    dividers: Vec<u8>,
    secret: usize,
    divides: fn(u8) -> bool,
}

impl Row {
    /// The row of a secret; `None` if it fills no cell, or if a name on the row says what it is.
    fn around(text: Text<'_>, span: &Span, divides: fn(u8) -> bool) -> Option<Self> {
        let start = text.line_start(span.start, LONGEST_LINE)?;
        let line = start..line_end(text, span.end)?;
        let (cells, dividers) = cells(text, &line, divides);
        let secret = cells
            .iter()
            .position(|cell| cell.start <= span.start && span.end <= cell.end)?;
        let own = unquoted(text, &cells[secret]);
        let named = |cell: &Span| name::hint(text.slice(cell.clone()), "").is_some();
        (secret > 0 && own == *span && !cells[..secret].iter().any(named)).then_some(Self {
            line,
            dividers,
            secret,
            divides,
        })
    }

    fn below(&self, text: Text<'_>, found: &mut Vec<Span>) {
        let mut end = self.line.end;
        for _ in 0..MOST_ROWS {
            let start = end + 1;
            let Some(next) = line_end(text, start).filter(|next| *next > start) else {
                return;
            };
            if !self.read(text, &(start..next), found) {
                return;
            }
            end = next;
        }
    }

    fn above(&self, text: Text<'_>, found: &mut Vec<Span>) {
        let mut start = self.line.start;
        for _ in 0..MOST_ROWS {
            let Some(end) = start.checked_sub(1) else {
                return;
            };
            let Some(from) = text.line_start(end, LONGEST_LINE) else {
                return;
            };
            if from == end || !self.read(text, &(from..end), found) {
                return;
            }
            start = from;
        }
    }

    /// Adds the cell in the place of the secret. Returns whether the line is a row like this one.
    fn read(&self, text: Text<'_>, line: &Span, found: &mut Vec<Span>) -> bool {
        let (cells, dividers) = cells(text, line, self.divides);
        if dividers != self.dividers {
            // A comment may stand between two rows.
            return text.at(line.start) == b'#';
        }
        let cell = cells.get(self.secret).map(|cell| unquoted(text, cell));
        found.extend(cell.filter(|cell| is_secret_cell(text.slice(cell.clone()))));
        true
    }
}

fn line_end(text: Text<'_>, from: usize) -> Option<usize> {
    let end = text.run(from, LONGEST_LINE, |byte| byte != b'\n' && byte != b'\r');
    (end - from.min(end) < LONGEST_LINE).then_some(end)
}

/// The cells of a line and the first byte of what divides each from the next. Blanks beside another
/// divider say nothing.
fn cells(text: Text<'_>, line: &Span, divides: fn(u8) -> bool) -> (Vec<Span>, Vec<u8>) {
    let (mut cells, mut dividers) = (Vec::new(), Vec::new());
    let mut at = text.run(line.start, line.len(), is_blank_divider);
    while at < line.end && cells.len() <= MOST_CELLS {
        let end = text.run(at, line.end - at, |byte| !divides(byte));
        let next = text.run(end, line.end - end, divides);
        cells.push(at..end);
        let marks = text.bytes[end..next].iter();
        let mark = marks.copied().find(|byte| !is_blank_divider(*byte));
        if next < line.end || mark.is_some() {
            dividers.push(mark.unwrap_or(b' '));
        }
        at = next;
    }
    (cells, dividers)
}

/// A cell without the quotation marks around it.
fn unquoted(text: Text<'_>, cell: &Span) -> Span {
    let mark = text.at(cell.start);
    let quoted = matches!(mark, b'"' | b'\'') && cell.len() > 2 && text.before(cell.end) == mark;
    cell.start + usize::from(quoted)..cell.end - usize::from(quoted)
}

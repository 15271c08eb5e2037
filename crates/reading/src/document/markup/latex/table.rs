//! The rows of a table.

use super::inline::{argument, inline, option};
use super::verbatim::revealed;
use crate::document::markdown::one_line;

/// The most columns that one cell can span. Real tables are narrower.
const MAX_SPAN: usize = 50;

pub(super) fn table_rows(source: &str, name: &str) -> Vec<Vec<String>> {
    let mut letters = source.chars().peekable();
    option(&mut letters);
    // The columns, and before them the width where there is one.
    if matches!(name, "tabular*" | "tabularx") {
        argument(&mut letters);
    }
    argument(&mut letters);
    let body: String = letters.collect();
    let rows = divided(&body).into_iter().map(|row| {
        let mut cells = Vec::new();
        for source in row {
            let (cell, columns) = cell(&source);
            cells.push(cell);
            cells.resize(cells.len() + columns - 1, String::new());
        }
        cells
    });
    rows.filter(|row| row.iter().any(|cell| !cell.is_empty()))
        .collect()
}

/// The source of each cell of each row.
fn divided(body: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut depth = 0_usize;
    let mut letters = body.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_row_end = depth == 0 && letter == '\\' && letters.next_if_eq(&'\\').is_some();
        if is_row_end {
            letters.next_if_eq(&'*');
            option(&mut letters);
            rows.push(vec![String::new()]);
            continue;
        }
        let Some(row) = rows.last_mut() else {
            continue;
        };
        match letter {
            '&' if depth == 0 => {
                row.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(cell) = row.last_mut() {
            cell.push(letter);
            if letter == '\\' {
                cell.extend(letters.next());
            }
        }
    }
    rows
}

/// The number that `\multicolumn` begins with.
fn spanned(source: &str) -> Option<usize> {
    let (_, after) = source.split_once("\\multicolumn")?;
    let number = argument(&mut after.chars().peekable());
    number.trim().parse().ok()
}

/// The text of a cell, and how many columns it spans.
fn cell(source: &str) -> (String, usize) {
    let text = one_line(&revealed(&inline(source, 0)));
    // A span that is no number spans nothing.
    let columns = spanned(source).unwrap_or(1);
    (text, columns.clamp(1, MAX_SPAN))
}

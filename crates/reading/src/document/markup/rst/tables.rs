//! The tables of reStructuredText: drawn with lines, with borders alone, and as lists or CSV.

use super::super::csv_table::csv_rows;
use super::super::indent;
use super::RstWriter;
use super::lines::{cells_at, column_starts, is_simple_border, option, ruler};

impl<'s> RstWriter<'s> {
    pub(super) fn table_directive(&mut self, name: &str, options: &[&'s str], body: &[&'s str]) {
        match name {
            "csv-table" => self.csv_table(options, body),
            "list-table" => self.list_table(body),
            _ => self.nested(body),
        }
    }

    /// A list of rows, each of which is a list of cells. Items of either are at one column; a list
    /// within a cell is further to the right.
    fn list_table(&mut self, body: &[&str]) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let (mut row_column, mut cell_column) = (None, None);
        for line in body.iter().filter(|line| !line.trim().is_empty()) {
            let mut column = indent(line);
            let mut text = line.trim();
            if column == *row_column.get_or_insert(column)
                && let Some(rest) = after_bullet(text)
            {
                rows.push(Vec::new());
                column += text.len() - rest.len();
                text = rest;
            }
            let Some(row) = rows.last_mut().filter(|_| !text.is_empty()) else {
                continue;
            };
            match (after_bullet(text), row.last_mut()) {
                (Some(rest), _) if column == *cell_column.get_or_insert(column) => {
                    row.push(self.inline(rest));
                }
                (_, Some(cell)) => append(cell, &self.inline(text)),
                (_, None) => row.push(self.inline(text)),
            }
        }
        self.markdown.table(&rows);
    }

    fn csv_table(&mut self, options: &[&str], body: &[&str]) {
        let delimiter = option(options, "delim");
        let head = csv_rows(option(options, "header").unwrap_or_default(), delimiter);
        let rows = head
            .into_iter()
            .chain(csv_rows(&body.join("\n"), delimiter));
        let rows: Vec<Vec<String>> = rows
            .map(|row| row.iter().map(|cell| self.inline(cell)).collect())
            .collect();
        self.markdown.table(&rows);
        // Files are not included, but it is told where the rows are.
        for source in ["file", "url"] {
            if let Some(place) = option(options, source) {
                self.markdown.block(&format!("Rows in: {place}"));
            }
        }
    }

    pub(super) fn grid_table(&mut self) {
        let lines = self.paragraph_lines();
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut current: Vec<String> = Vec::new();
        for line in &lines {
            if line.trim_start().starts_with('+') {
                if current.iter().any(|cell| !cell.is_empty()) {
                    rows.push(std::mem::take(&mut current));
                }
                continue;
            }
            let cells = line.trim().trim_matches('|').split('|');
            for (index, cell) in cells.enumerate() {
                if current.len() <= index {
                    current.push(String::new());
                }
                append(&mut current[index], &self.inline(cell.trim()));
            }
        }
        rows.extend(Some(current).filter(|row| row.iter().any(|cell| !cell.is_empty())));
        self.markdown.table(&rows);
    }

    pub(super) fn simple_table(&mut self) {
        let border = self.line(0);
        let starts = column_starts(border);
        let start = self.at;
        let mut borders = 0;
        // The table ends at its third border, or at the second if an empty line follows.
        while self.at < self.lines.len() {
            let line = self.line(0);
            borders += usize::from(is_simple_border(line));
            self.at += 1;
            let ended = borders >= 2 && is_simple_border(line);
            if ended && (borders >= 3 || self.line(0).trim().is_empty()) {
                break;
            }
        }
        let mut rows: Vec<Vec<String>> = Vec::new();
        for line in &self.lines[start..self.at] {
            if is_simple_border(line) || line.trim().is_empty() || ruler(line.trim()) == Some('-') {
                continue;
            }
            let cells = cells_at(line, &starts, self.references);
            match rows.last_mut() {
                // A row whose first cell is empty continues the one before.
                Some(row) if cells.first().is_some_and(String::is_empty) => {
                    row.resize(row.len().max(cells.len()), String::new());
                    for (cell, more) in row.iter_mut().zip(&cells) {
                        append(cell, more);
                    }
                }
                _ => rows.push(cells),
            }
        }
        self.markdown.table(&rows);
    }
}

/// The text after the bullet of an item.
fn after_bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['*', '-', '+'])?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start())
}

/// Adds text to a cell, after a blank.
fn append(cell: &mut String, more: &str) {
    if !cell.is_empty() && !more.is_empty() {
        cell.push(' ');
    }
    cell.push_str(more);
}

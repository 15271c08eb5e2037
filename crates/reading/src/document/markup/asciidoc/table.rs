//! Tables: cells after bars, and rows of values with commas, tabs or colons.

use super::super::csv_table::csv_rows;
use super::AsciidocWriter;
use super::lines::table_cells;
use super::style::BlockStyle;

impl<'s> AsciidocWriter<'s> {
    pub(super) fn table(&mut self, mark: &'s str, style: &BlockStyle<'_>) {
        let lines = self.until(mark);
        let format = match mark.as_bytes().first() {
            Some(b',') => "csv",
            Some(b':') => "dsv",
            _ => style.named("format").unwrap_or("psv"),
        };
        let delimiter = match format {
            "csv" => ",",
            "tsv" => "tab",
            "dsv" => ":",
            _ => return self.table_of_cells(&lines, style.columns()),
        };
        let delimiter = style.named("separator").unwrap_or(delimiter);
        let rows = csv_rows(&lines.join("\n"), Some(delimiter));
        self.rows(rows.iter().map(Vec::as_slice));
    }

    fn table_of_cells(&mut self, lines: &[&'s str], columns: Option<usize>) {
        let mut columns = columns;
        let mut cells: Vec<String> = Vec::new();
        for line in lines {
            let row = table_cells(line);
            if line.is_empty() {
                // The first row ends at an empty line.
                columns = columns.or(Some(cells.len()).filter(|it| *it > 0));
                continue;
            }
            if row.len() > 1 && columns.is_none() {
                columns = Some(row.len());
            }
            match (row.is_empty(), cells.last_mut()) {
                (true, Some(last)) => {
                    let goes_on = last.strip_suffix(" +").map(str::len);
                    last.truncate(goes_on.unwrap_or(last.len()));
                    last.push(if goes_on.is_some() { '\n' } else { ' ' });
                    last.push_str(line.trim());
                }
                _ => cells.extend(row),
            }
        }
        self.rows(cells.chunks(columns.unwrap_or(1).max(1)));
    }

    /// Writes rows, as many of them as fit.
    fn rows<'r>(&mut self, rows: impl Iterator<Item = &'r [String]>) {
        let mut shown: Vec<Vec<String>> = Vec::new();
        let mut written = 0;
        for row in rows {
            let mut cells = Vec::with_capacity(row.len());
            for cell in row {
                let cell = self.inline(cell);
                written += cell.len();
                cells.push(cell);
                if written > self.limit {
                    break;
                }
            }
            shown.push(cells);
            if written > self.limit {
                break;
            }
        }
        self.markdown.table(&shown);
    }
}

//! Tables and preformatted code as Markdown.

use super::data_tables::{self, has_heading_row, is_title, rows, span};
use super::html_tree::{HtmlTree, NodeId};
use super::inline::longest_run;
use super::render::PageWriter;
use super::table_layout::{Cell, TableLayout};
use crate::wide_table::{WIDEST, csv_text};

/// The most bytes of a table that is written as CSV.
const MAX_CSV: usize = 20_000_000;

impl PageWriter<'_> {
    /// Writes a table of data as a table, and a layout table as what is in its cells.
    pub(super) fn table(&mut self, id: NodeId, level: usize) {
        if !self.is_markdown() || !self.source.data_tables.contains(id) {
            return self.children(id, level);
        }
        self.caption(id, level);
        let tree = self.source.tree;
        let rows = rows(tree, id);
        let is_declared = data_tables::is_declared(tree, id, &rows);
        let mut has_heading = has_heading_row(tree, &rows);
        for part in rows.chunk_by(|_, next| !is_title(tree, *next)) {
            let (title, rows) = match part.split_first() {
                Some((first, rest)) if is_title(tree, *first) => (Some(*first), rest),
                _ => (None, part),
            };
            if let Some(title) = title {
                self.children(title, level);
                self.flush();
            }
            self.rows(rows, has_heading && title.is_none(), is_declared, level);
            has_heading = false;
        }
    }

    /// Writes rows that have the same columns. A single column is no table unless the author says
    /// so.
    fn rows(&mut self, rows: &[NodeId], has_heading: bool, is_declared: bool, level: usize) {
        let mut layout = TableLayout::default();
        for row in rows {
            let cells = self.cells(*row, level);
            layout.row(cells.into_iter());
        }
        let written = layout.texts();
        let columns = written.iter().map(Vec::len).max().unwrap_or(0);
        if columns < 2 && !(is_declared && written.len() > 1) {
            written
                .into_iter()
                .flatten()
                .filter(|it| !it.is_empty())
                .for_each(|it| self.emit(&it));
            return;
        }
        if columns > WIDEST {
            self.fenced("csv", csv_text(&written, MAX_CSV).trim_end());
        } else {
            let grid = grid(written, has_heading, columns);
            self.emit(grid.trim_end());
        }
        if layout.left_out > 0 {
            let count = layout.left_out;
            self.emit(&format!("({count} more cells of this table are left out.)"));
        }
    }

    fn caption(&mut self, table: NodeId, level: usize) {
        let tree = self.source.tree;
        let caption = tree
            .children(table)
            .find(|it| tree.name(*it) == "caption" && self.filled[*it as usize]);
        if let Some(caption) = caption {
            let caption = self.one_line(caption, level);
            self.emit(&caption);
        }
    }

    /// The cells of one row. Those that span rows or columns are repeated in all of them, so that
    /// every value is under its heading and beside its label. A value across several columns is
    /// written once.
    fn cells(&mut self, row: NodeId, level: usize) -> Vec<Cell> {
        let tree = self.source.tree;
        let own: Vec<NodeId> = data_tables::cells(tree, row).collect();
        let many = own.len() > 1;
        let cell = |cell: NodeId| Cell {
            text: match self.filled[cell as usize] {
                true => self.one_line(cell, level),
                false => String::new(),
            },
            columns: span(tree, cell, "colspan").unwrap_or(1),
            rows: span(tree, cell, "rowspan").unwrap_or(1),
            is_heading: tree.name(cell) == "th" && many,
        };
        own.into_iter().map(cell).collect()
    }

    /// Preformatted text in a fence, with its language where the page names one.
    pub(super) fn code(&mut self, id: NodeId) {
        let tree = self.source.tree;
        let mut code = String::new();
        for node in tree.below(id) {
            match tree.name(node) {
                "br" => code.push('\n'),
                "div" | "p" | "tr" | "li" if !code.is_empty() && !code.ends_with('\n') => {
                    code.push('\n')
                }
                _ if self.source.chosen[node as usize] => {
                    code.push_str(tree.text(node).unwrap_or_default())
                }
                _ => {}
            }
        }
        let code = code.replace("\r\n", "\n");
        // Only these: a listing may be about the other invisible characters.
        let code = code.replace(['\r', '\u{200B}'], "");
        let code = code.trim_matches('\n').trim_end();
        if code.trim().is_empty() {
            return;
        }
        if !self.is_markdown() {
            return self.emit(code);
        }
        self.fenced(&language(tree, id).unwrap_or_default(), code);
    }

    fn fenced(&mut self, language: &str, code: &str) {
        let fence = "`".repeat((longest_run(code, '`') + 1).max(3));
        self.emit(&format!("{fence}{language}\n{code}\n{fence}"));
    }
}

/// A table as Markdown. Without a heading row of its own it gets an empty one, which Markdown
/// needs.
fn grid(rows: Vec<Vec<String>>, has_heading_row: bool, columns: usize) -> String {
    let mut text = String::new();
    let mut rows = rows.into_iter();
    let head = if has_heading_row {
        rows.next().unwrap_or_default()
    } else {
        Vec::new()
    };
    push_row(&mut text, head, columns);
    push_row(&mut text, vec!["---".to_owned(); columns], columns);
    rows.for_each(|row| push_row(&mut text, row, columns));
    text
}

fn push_row(text: &mut String, mut row: Vec<String>, columns: usize) {
    row.resize(columns, String::new());
    let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
    text.push_str("| ");
    text.push_str(&cells.join(" | "));
    text.push_str(" |\n");
}

/// The programming language that a class of the element, of its `code` element or of an ancestor
/// names.
fn language(tree: &HtmlTree, id: NodeId) -> Option<String> {
    let inner = tree.children(id).filter(|it| tree.name(*it) == "code");
    let near = std::iter::once(id)
        .chain(inner)
        .chain(tree.ancestors(id).take(2));
    near.filter_map(|it| {
        let named = ["data-lang", "data-language"]
            .iter()
            .find_map(|name| tree.attribute(it, name))
            .map(str::to_owned);
        named.or_else(|| in_class(tree.attribute(it, "class")?))
    })
    .find(|it| {
        !it.is_empty()
            && it.len() <= 20
            && it
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-#_.".contains(c))
    })
}

fn in_class(class: &str) -> Option<String> {
    const STARTS: &[&str] = &[
        "language-",
        "lang-",
        "highlight-source-",
        "highlight-",
        "brush:",
    ];
    let words = class.split_whitespace();
    let found = words
        .filter_map(|word| STARTS.iter().find_map(|start| word.strip_prefix(start)))
        .find(|it| !it.is_empty());
    found
        .filter(|it| {
            !matches!(
                *it,
                "default" | "notranslate" | "none" | "plaintext" | "text"
            )
        })
        .map(|it| it.trim_end_matches(';').to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::markdown;

    fn table(rows: &str) -> String {
        let page = format!(
            "<html><body><article><h1>Cities</h1><table>{rows}</table></article></body></html>"
        );
        let text = markdown(&page, "https://a.example/").markdown;
        text.lines()
            .filter(|it| it.starts_with('|'))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn a_spanning_cell_is_repeated_in_every_row_and_column() {
        let rows = "<tr><th rowspan=2>Country<th colspan=2>City</tr><tr><th>Name<th>People</tr>\
            <tr><td rowspan=2>France<td>Paris<td>2</tr><tr><td>Lyon<td>1</tr><tr><td>Spain<td>Madrid<td rowspan=0>3</tr><tr><td>Peru<td>Lima</tr>";
        let wanted = "| Country | City | City |\n| --- | --- | --- |\n| Country | Name | People |\n| France | Paris | 2 |\n\
            | France | Lyon | 1 |\n| Spain | Madrid | 3 |\n| Peru | Lima | 3 |";
        assert_eq!(table(rows), wanted);
    }

    #[test]
    fn lists_tables_and_code_stay_in_the_cells_of_a_table_of_data() {
        let rows = "<tr><th>Tree<th>Parts</tr><tr><td>Oak<td><ul><li>leaf</li><li>acorn</li></ul></tr>\
            <tr><td>Ash<td><table><tr><td>a<td>b</tr></table></tr><tr><td>Elm<td><pre>x = 1</pre></tr>";
        let wanted = "| Tree | Parts |\n| --- | --- |\n| Oak | • leaf • acorn |\n| Ash | a, b |\n| Elm | x = 1 |";
        assert_eq!(table(rows), wanted);
    }

    #[test]
    fn huge_spans_stay_small_and_lose_no_cell() {
        let rows = "<tr><td rowspan=99999999999 colspan=4000000000>wide<td>next</tr><tr><td>a<td>b</tr><tr><td colspan=0>c<td rowspan=-1>d</tr>";
        let wanted = "|  |  |  |\n| --- | --- | --- |\n| wide | next |  |\n| wide | a | b |\n| wide | c | d |";
        assert_eq!(table(rows), wanted);
        let many = format!(
            "<tr><td rowspan=5000>x<td>y</tr>{}<tr><td>z</tr>",
            "<tr></tr>".repeat(2_000)
        );
        assert_eq!(table(&many), "|  |  |\n| --- | --- |\n| x | y |\n| x | z |");
    }
}

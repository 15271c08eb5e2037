//! Tables and code, which keep their shape.

use super::inline::longest_run;
use super::render::Writer;
use super::tree::{Id, Tree};

/// No table of a real page is wider; a span of a million columns is an attack.
const MAX_COLUMNS: usize = 60;

impl Writer<'_> {
    /// A table of data, or, where a table only arranges the page, what is in its cells.
    pub(super) fn table(&mut self, id: Id, level: usize) {
        let rows = rows(self.source.tree, id);
        if !self.is_markdown() || !is_data(self.source.tree, id, &rows) {
            return self.children(id, level);
        }
        let written: Vec<Vec<String>> =
            rows.iter().map(|row| self.cells(*row, level)).filter(|it| it.iter().any(|cell| !cell.is_empty())).collect();
        let columns = written.iter().map(Vec::len).max().unwrap_or(0);
        if columns < 2 {
            written.into_iter().flatten().filter(|it| !it.is_empty()).for_each(|it| self.emit(&it));
            return;
        }
        let has_head = rows.first().is_some_and(|row| self.source.tree.children(*row).any(|it| self.source.tree.name(it) == "th"));
        let mut text = String::new();
        let mut written = written.into_iter();
        let head = if has_head { written.next().unwrap_or_default() } else { Vec::new() };
        push_row(&mut text, head, columns);
        push_row(&mut text, vec!["---".to_owned(); columns], columns);
        written.for_each(|row| push_row(&mut text, row, columns));
        if let Some(caption) = self.source.tree.children(id).find(|it| self.source.tree.name(*it) == "caption" && self.filled[*it as usize])
        {
            let caption = self.one_line(caption, level);
            self.emit(&caption);
        }
        self.emit(text.trim_end());
    }

    fn cells(&mut self, row: Id, level: usize) -> Vec<String> {
        let mut cells = Vec::new();
        let tree = self.source.tree;
        for cell in tree.children(row).filter(|it| matches!(tree.name(*it), "td" | "th")) {
            let text = if self.filled[cell as usize] { self.one_line(cell, level).replace('|', "\\|") } else { String::new() };
            let span = tree.attribute(cell, "colspan").and_then(|it| it.trim().parse::<usize>().ok()).unwrap_or(1);
            cells.push(text);
            (1..span.min(MAX_COLUMNS)).for_each(|_| cells.push(String::new()));
            if cells.len() >= MAX_COLUMNS {
                break;
            }
        }
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        cells
    }

    /// Preformatted text in a fence, with its language where the page names one.
    pub(super) fn code(&mut self, id: Id) {
        let tree = self.source.tree;
        let mut code = String::new();
        for node in tree.below(id) {
            match tree.name(node) {
                "br" => code.push('\n'),
                "div" | "p" | "tr" | "li" if !code.is_empty() && !code.ends_with('\n') => code.push('\n'),
                _ if self.source.chosen[node as usize] => code.push_str(tree.text(node).unwrap_or_default()),
                _ => {}
            }
        }
        let code = code.replace("\r\n", "\n").replace(['\r', '\u{200b}'], "");
        let code = code.trim_matches('\n').trim_end();
        if code.trim().is_empty() {
            return;
        }
        if !self.is_markdown() {
            return self.emit(code);
        }
        let fence = "`".repeat((longest_run(code, '`') + 1).max(3));
        let language = language(tree, id).unwrap_or_default();
        self.emit(&format!("{fence}{language}\n{code}\n{fence}"));
    }
}

fn push_row(text: &mut String, mut row: Vec<String>, columns: usize) {
    row.resize(columns, String::new());
    text.push_str("| ");
    text.push_str(&row.join(" | "));
    text.push_str(" |\n");
}

/// The rows of a table itself, not of the tables in its cells.
fn rows(tree: &Tree, table: Id) -> Vec<Id> {
    let parts = tree.children(table).flat_map(|part| {
        let is_group = matches!(tree.name(part), "thead" | "tbody" | "tfoot");
        let inner: Vec<Id> = if is_group { tree.children(part).collect() } else { vec![part] };
        inner
    });
    parts.filter(|it| tree.name(*it) == "tr").collect()
}

/// Whether a table holds data: cells of one line, no blocks that need room of their own.
fn is_data(tree: &Tree, table: Id, rows: &[Id]) -> bool {
    let mut text = 0;
    for node in tree.below(table).skip(1) {
        let needs_room = matches!(tree.name(node), "table" | "pre" | "h1" | "h2" | "h3" | "blockquote" | "form" | "article" | "section");
        if needs_room || text > 200_000 {
            return false;
        }
        text += tree.text(node).map_or(0, str::len);
    }
    !rows.is_empty() && text / rows.len() < 1_500
}

/// The language that a class names on the element, its code element or what is around it.
fn language(tree: &Tree, id: Id) -> Option<String> {
    let inner = tree.children(id).filter(|it| tree.name(*it) == "code");
    let near = std::iter::once(id).chain(inner).chain(tree.ancestors(id).take(2));
    near.filter_map(|it| {
        let named = ["data-lang", "data-language"].iter().find_map(|name| tree.attribute(it, name)).map(str::to_owned);
        named.or_else(|| in_class(tree.attribute(it, "class")?))
    })
    .find(|it| !it.is_empty() && it.len() <= 20 && it.chars().all(|c| c.is_ascii_alphanumeric() || "+-#_.".contains(c)))
}

fn in_class(class: &str) -> Option<String> {
    const STARTS: &[&str] = &["language-", "lang-", "highlight-source-", "highlight-", "brush:"];
    let words = class.split_whitespace();
    let found = words.filter_map(|word| STARTS.iter().find_map(|start| word.strip_prefix(start))).find(|it| !it.is_empty());
    found
        .filter(|it| !matches!(*it, "default" | "notranslate" | "none" | "plaintext" | "text"))
        .map(|it| it.trim_end_matches(';').to_owned())
}

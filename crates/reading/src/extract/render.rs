//! The chosen part of the tree as Markdown, or as plain text.
//!
//! One walk writes blocks: text is collected in `line` until a block element begins or ends, then
//! it is written with the prefixes of the quotes and lists around it. `tables` writes tables and
//! code.

use url::Url;

use super::data_tables::DataTables;
use super::html_tree::{HtmlTree, NONE, NodeId, ROOT};
use super::inline;
use super::numbering::{Numbering, number};
use super::visibility::{self, Visibility};

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Markdown,
    /// Plain text: no markers, no link targets, no images.
    Text,
}

/// The parts of a page that the writer needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) tree: &'t HtmlTree,
    pub(super) visibility: &'t Visibility,
    /// By text node: whether it was chosen.
    pub(super) chosen: &'t [bool],
    pub(super) base: Option<&'t Url>,
    pub(super) data_tables: &'t DataTables,
}

/// Text deeper than this is written without structure. `bounded` lets no such tree through.
const MAX_LEVEL: usize = 2_000;

/// Writes the chosen text.
pub(super) fn write(source: Source<'_>, form: Form) -> String {
    let mut writer = PageWriter::new(source, form);
    writer.children(ROOT, 0);
    writer.flush();
    let end = writer.out.trim_end().len();
    writer.out.truncate(end);
    writer.out
}

/// What stands before each line inside a list item or a quote.
#[derive(Debug)]
struct Prefix {
    /// Before the first line only.
    first: Option<String>,
    rest: String,
}

impl Prefix {
    fn is_quote(&self) -> bool {
        self.rest.starts_with('>')
    }
}

pub(super) struct PageWriter<'t> {
    pub(super) source: Source<'t>,
    pub(super) form: Form,
    pub(super) out: String,
    /// The inline text of the current block.
    pub(super) line: String,
    prefixes: Vec<Prefix>,
    /// By node: whether chosen text, or an image to keep, is below.
    pub(super) filled: Vec<bool>,
    /// By node: whether an inline element has block elements below.
    pub(super) has_blocks: Vec<bool>,
    /// Whether blocks are put on one line, as in a cell.
    pub(super) on_one_line: bool,
    /// The target of a link around whole blocks, until one of them was written as the link.
    link: Option<String>,
    /// The next number of each open list; `None` for unordered ones.
    lists: Vec<Option<Numbering>>,
    /// Whether the last thing written was inside a list item.
    in_item: bool,
    /// How many of the open quotes were open around the last thing written.
    quotes: usize,
}

impl<'t> PageWriter<'t> {
    fn new(source: Source<'t>, form: Form) -> PageWriter<'t> {
        let (filled, has_blocks) = content_marks(source);
        PageWriter {
            source,
            form,
            out: String::new(),
            line: String::new(),
            prefixes: Vec::new(),
            filled,
            has_blocks,
            on_one_line: false,
            link: None,
            lists: Vec::new(),
            in_item: false,
            quotes: 0,
        }
    }

    pub(super) fn is_markdown(&self) -> bool {
        self.form == Form::Markdown
    }

    pub(super) fn children(&mut self, id: NodeId, level: usize) {
        let tree = self.source.tree;
        for child in tree.children(id) {
            if self.filled[child as usize] {
                self.node(child, level + 1);
            }
        }
    }

    fn node(&mut self, id: NodeId, level: usize) {
        let name = self.source.tree.name(id);
        if level > MAX_LEVEL {
            return self.flat(id);
        }
        if name.is_empty() || (!visibility::is_block(name) && !self.has_blocks[id as usize]) {
            return self.inline(id, level);
        }
        if !visibility::is_block(name) {
            return self.wide_inline(id, name, level);
        }
        self.flush();
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(id, name, level),
            "ul" | "ol" | "menu" | "dir" => self.list(id, level),
            "li" => self.item(id, level),
            "blockquote" => self.quote(id, level),
            "pre" | "listing" | "xmp" => self.code(id),
            "table" => self.table(id, level),
            _ => self.children(id, level),
        }
        self.flush();
    }

    /// The text below a node without its structure.
    fn flat(&mut self, id: NodeId) {
        let tree = self.source.tree;
        for text in tree.below(id).filter(|it| self.source.chosen[*it as usize]) {
            inline::push_text(
                &mut self.line,
                tree.text(text).unwrap_or_default(),
                self.form == Form::Markdown,
            );
        }
    }

    /// A link or another inline element around whole blocks.
    fn wide_inline(&mut self, id: NodeId, name: &str, level: usize) {
        let target = if name == "a" && self.is_markdown() {
            inline::target(self.source, id, "href")
        } else {
            None
        };
        let outer = target.map(|it| self.link.replace(it));
        if outer.is_some() {
            self.flush_before_link();
        }
        self.children(id, level);
        if let Some(outer) = outer {
            self.flush();
            self.link = outer;
        }
    }

    /// Writes the text before a link, which is not part of it.
    fn flush_before_link(&mut self) {
        let held = self.link.take();
        self.flush();
        self.link = held;
    }

    fn heading(&mut self, id: NodeId, name: &str, level: usize) {
        self.children(id, level);
        let text = self.line.split_whitespace().collect::<Vec<_>>().join(" ");
        self.line.clear();
        if !text.is_empty() {
            let marks = if self.is_markdown() {
                "#".repeat(usize::from(name.as_bytes()[1] - b'0')) + " "
            } else {
                String::new()
            };
            let text = self.linked(text);
            self.emit(&format!("{marks}{text}"));
        }
    }

    fn list(&mut self, id: NodeId, level: usize) {
        self.begin_list(id);
        self.children(id, level);
        self.end_list();
    }

    pub(super) fn begin_list(&mut self, id: NodeId) {
        let tree = self.source.tree;
        let numbering = (tree.name(id) == "ol").then(|| Numbering::of(tree, id));
        self.lists.push(numbering);
    }

    pub(super) fn end_list(&mut self) {
        self.lists.pop();
    }

    /// The number of an item. `None` if its list has none.
    pub(super) fn next_number(&mut self, item: NodeId) -> Option<i64> {
        let value = number(self.source.tree, item, "value");
        let numbering = self.lists.last_mut()?.as_mut()?;
        Some(numbering.next(value))
    }

    fn item(&mut self, id: NodeId, level: usize) {
        let marker = match self.next_number(id) {
            Some(number) => format!("{number}. "),
            None => "- ".to_owned(),
        };
        let rest = if self.is_markdown() {
            " ".repeat(marker.len())
        } else {
            String::new()
        };
        let first = if self.is_markdown() {
            marker
        } else {
            String::new()
        };
        self.prefixes.push(Prefix {
            first: Some(first),
            rest,
        });
        self.children(id, level);
        self.flush();
        self.prefixes.pop();
        self.in_item = true;
    }

    fn quote(&mut self, id: NodeId, level: usize) {
        let mark = if self.is_markdown() { "> " } else { "" };
        self.prefixes.push(Prefix {
            first: None,
            rest: mark.to_owned(),
        });
        self.children(id, level);
        self.flush();
        self.prefixes.pop();
        self.quotes = self.quotes.min(self.open_quotes());
    }

    /// Writes the current block.
    pub(super) fn flush(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        let text = line.trim();
        if text.is_empty() {
            return;
        }
        for paragraph in text
            .split("\n\n")
            .map(str::trim)
            .filter(|it| !it.is_empty())
        {
            let paragraph = if self.is_markdown() {
                inline::escape_line_starts(paragraph)
            } else {
                paragraph.to_owned()
            };
            let paragraph = self.linked(paragraph);
            self.emit(&paragraph);
        }
    }

    /// The first text inside a link around blocks becomes the link.
    fn linked(&mut self, text: String) -> String {
        if text.contains(['[', '\n']) || self.link.is_none() {
            return text;
        }
        match self.link.take() {
            Some(target) => format!("[{text}]({target})"),
            None => text,
        }
    }

    /// Writes a block, each line with its prefixes, a blank line before it unless it is the next
    /// item of a list.
    pub(super) fn emit(&mut self, text: &str) {
        let starts_item = self.prefixes.last().is_some_and(|it| it.first.is_some());
        let in_list = self
            .prefixes
            .iter()
            .any(|it| it.rest.starts_with(' ') || it.first.is_some());
        if !self.out.is_empty() {
            let tight = starts_item && (self.in_item || self.prefixes.len() > 1)
                || (self.form == Form::Text && in_list);
            if !tight {
                self.out.push('\n');
                let border = self.border();
                self.out.push_str(border.trim_end());
            }
            self.out.push('\n');
        }
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                self.out.push('\n');
            }
            self.push_prefixes();
            self.out.push_str(line);
            let end = self.out.trim_end_matches(' ').len();
            self.out.truncate(end);
        }
        self.in_item = in_list;
        self.quotes = self.open_quotes();
    }

    fn open_quotes(&self) -> usize {
        self.prefixes.iter().filter(|it| it.is_quote()).count()
    }

    /// The blank line before a block: the prefixes of the quotes and items that the block before is
    /// in as well. With those of a new quote it would take in the paragraph before it.
    fn border(&self) -> String {
        let mut left = self.quotes;
        let shared = self.prefixes.iter().take_while(|it| {
            let goes_on = it.first.is_none() && (!it.is_quote() || left > 0);
            left = left.saturating_sub(usize::from(it.is_quote()));
            goes_on
        });
        shared.map(|it| it.rest.as_str()).collect()
    }

    fn push_prefixes(&mut self) {
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.out.push_str(&first),
                None => self.out.push_str(&prefix.rest),
            }
        }
    }

    /// Writes what is below a node as one line, for cells and captions.
    pub(super) fn one_line(&mut self, id: NodeId, level: usize) -> String {
        let held = std::mem::take(&mut self.line);
        let was_on_one_line = std::mem::replace(&mut self.on_one_line, true);
        self.inline_children(id, level);
        self.on_one_line = was_on_one_line;
        let line = std::mem::replace(&mut self.line, held);
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Marks, by node, what has chosen text below and what has block elements below.
fn content_marks(source: Source<'_>) -> (Vec<bool>, Vec<bool>) {
    let tree = source.tree;
    let (mut filled, mut has_blocks) = (
        vec![false; tree.node_count()],
        vec![false; tree.node_count()],
    );
    let mut images = Vec::new();
    let (mut before, mut at) = (false, tree.node(ROOT).first);
    while at != NONE {
        let hidden = source.visibility.excludes(tree, at);
        if let Some(text) = tree.text(at).filter(|it| !it.trim().is_empty()) {
            let is_chosen = source.chosen[at as usize] && !text.is_empty();
            if is_chosen && before {
                images.drain(..).for_each(|it| mark(tree, it, &mut filled));
            }
            images.clear();
            before = is_chosen;
        }
        if source.chosen[at as usize] {
            mark(tree, at, &mut filled);
        }
        match tree.name(at) {
            "img" if !hidden => images.push(at),
            "br" => filled[at as usize] = true,
            name if visibility::is_block(name) => mark_inline_ancestors(tree, at, &mut has_blocks),
            _ => {}
        }
        at = tree.following(at, hidden);
    }
    (filled, has_blocks)
}

fn mark(tree: &HtmlTree, id: NodeId, marks: &mut [bool]) {
    let mut at = id;
    while at != NONE && !marks[at as usize] {
        marks[at as usize] = true;
        at = tree.parent(at);
    }
}

fn mark_inline_ancestors(tree: &HtmlTree, id: NodeId, marks: &mut [bool]) {
    let inline = tree
        .ancestors(id)
        .take_while(|it| !visibility::is_block(tree.name(*it)));
    for ancestor in inline {
        if std::mem::replace(&mut marks[ancestor as usize], true) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown;

    fn body(html: &str) -> String {
        markdown(
            &format!("<html><body>{html}</body></html>"),
            "https://a.example/",
        )
        .markdown
    }

    #[test]
    fn a_quote_is_separated_from_the_text_around_it() {
        assert_eq!(
            body("<p>Before.</p><blockquote><p>One.</p><p>Two.</p></blockquote><p>After.</p>"),
            "Before.\n\n> One.\n>\n> Two.\n\nAfter."
        );
        assert_eq!(
            body("<blockquote>A.</blockquote><blockquote>B.</blockquote>"),
            "> A.\n\n> B."
        );
        assert_eq!(
            body(
                "<blockquote><p>Out.</p><blockquote><p>In.</p></blockquote><p>Out again.</p></blockquote>"
            ),
            "> Out.\n>\n> > In.\n>\n> Out again."
        );
        assert_eq!(
            body("<ul><li>Item<blockquote>Said.</blockquote></li></ul>"),
            "- Item\n\n  > Said."
        );
    }
}

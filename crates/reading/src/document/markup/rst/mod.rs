//! reStructuredText: headings by their underlines, directives, literal blocks, tables.

mod inline;
mod lines;
mod lists;
mod references;
mod tables;

use lines::{
    field, is_grid_border, is_simple_border, line_of_block, list_mark, option, option_of_list,
    ruler, without_options,
};
use references::References;

use super::{included, indent};
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::{Markdown, one_line};
use crate::document::text::with_decoded_text;
use crate::document::{Document, Input, present};

impl DocumentKind {
    /// reStructuredText.
    pub const RST: DocumentKind = DocumentKind::named("rst");
}

pub(in crate::document) static RST: Format = Format {
    kind: DocumentKind::RST,
    label: Some("reStructuredText"),
    media_types: &["text/x-rst", "text/prs.fallenstein.rst"],
    extensions: &["rst", "rest"],
    signature: Signature::None,
    needs_worker: true,
    is_text: true,
    read: read_rst,
};

fn read_rst(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let text = text.replace("\r\n", "\n").replace('\t', "    ");
        let lines: Vec<&str> = text.lines().collect();
        let references = References::of(&lines);
        let mut writer = RstWriter {
            lines: &lines,
            references: &references,
            at: 0,
            markdown: input.markdown(),
            styles: Vec::new(),
            title: None,
            facts: Vec::new(),
            is_head: true,
            indents: Vec::new(),
            depth: 0,
        };
        writer.read();
        let title = writer.title.take();
        let fact = |names: &[&str]| {
            let fact = |(name, _): &&(String, String)| names.contains(&&*name.to_lowercase());
            writer
                .facts
                .iter()
                .find(fact)
                .map(|(_, value)| value.clone())
        };
        let (author, date) = (fact(&["author", "authors"]), fact(&["date"]));
        let mut document = Document::new(DocumentKind::RST, writer.markdown);
        (document.title, document.author, document.date) = (title, author, date);
        document
    }))
}

struct RstWriter<'s> {
    lines: &'s [&'s str],
    references: &'s References,
    at: usize,
    markdown: Markdown,
    /// The underlines of the headings so far, outermost first, and whether they have overlines.
    styles: Vec<(char, bool)>,
    title: Option<String>,
    /// The fields at the beginning, which are facts about the document.
    facts: Vec<(String, String)>,
    is_head: bool,
    /// How far the items are indented that the next one may be inside of, outermost first.
    indents: Vec<usize>,
    /// How many directives this one is inside of.
    depth: usize,
}

/// Directives in directives are read to this depth; deeper ones are text.
const MAX_DEPTH: usize = 20;

impl<'s> RstWriter<'s> {
    fn inline(&self, text: &str) -> String {
        inline::inline(text, self.references)
    }

    fn line(&self, ahead: usize) -> &'s str {
        self.lines.get(self.at + ahead).copied().unwrap_or("")
    }

    fn read(&mut self) {
        while self.at < self.lines.len() && !self.markdown.is_full() {
            let before = self.at;
            self.block();
            debug_assert!(self.at > before, "each step reads a line");
            self.at = self.at.max(before + 1);
        }
    }

    fn block(&mut self) {
        let line = self.line(0);
        if line.trim().is_empty() {
            self.at += 1;
            return;
        }
        let base = indent(line);
        self.indents.retain(|indent| *indent < base);
        self.is_head &=
            self.heading_style().is_some() || field(line).is_some() || line.starts_with("..");
        if let Some((mark, overlined)) = self.heading_style() {
            self.heading(mark, overlined);
        } else if ruler(line).is_some() && self.line(1).trim().is_empty() {
            self.markdown.block("---");
            self.at += 1;
        } else if is_grid_border(line) {
            self.grid_table();
        } else if is_simple_border(line) {
            self.simple_table();
        } else if let Some(directive) = line.trim_start().strip_prefix(".. ") {
            self.directive(directive, indent(line));
        } else if line.trim() == ".." {
            self.at += 1;
            self.indented(indent(line));
        } else if line.trim_start().starts_with(">>> ") {
            let code = self.paragraph_lines().join("\n");
            self.markdown.code("python", &code);
        } else if list_mark(line).is_some() {
            self.item();
        } else if field(line).is_some() {
            self.field();
        } else if option_of_list(line).is_some() {
            self.option_item();
        } else if line_of_block(line).is_some() {
            self.line_block();
        } else if self.begins_definition() {
            self.definition();
        } else {
            self.paragraph();
        }
    }

    fn heading_style(&self) -> Option<(char, bool)> {
        let (first, second, third) = (self.line(0), self.line(1), self.line(2));
        match (ruler(first), ruler(second), ruler(third)) {
            (Some(over), _, Some(under)) if over == under && !second.trim().is_empty() => {
                Some((over, true))
            }
            (None, Some(under), _)
                if second.trim_end().chars().count() + 2 >= first.trim_end().chars().count()
                    && !first.starts_with(' ') =>
            {
                Some((under, false))
            }
            _ => None,
        }
    }

    fn heading(&mut self, mark: char, overlined: bool) {
        let text = self.inline(self.line(usize::from(overlined)).trim());
        let style = (mark, overlined);
        let known = self.styles.iter().position(|it| *it == style);
        let level = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        if self.title.is_none() {
            self.title = present(&text);
        }
        self.markdown.heading(level + 1, &text);
        self.at += if overlined { 3 } else { 2 };
    }

    /// The lines up to the next empty one.
    fn paragraph_lines(&mut self) -> Vec<&'s str> {
        let start = self.at;
        while self.at < self.lines.len() && !self.line(0).trim().is_empty() {
            self.at += 1;
        }
        self.lines[start..self.at].to_vec()
    }

    /// The lines that are indented further than this, with their empty lines, and without the
    /// indent.
    fn indented(&mut self, base: usize) -> Vec<&'s str> {
        let start = self.at;
        while self.at < self.lines.len() {
            let line = self.line(0);
            if !line.trim().is_empty() && indent(line) <= base {
                break;
            }
            self.at += 1;
        }
        let lines = &self.lines[start..self.at];
        let filled = lines.iter().filter(|line| !line.trim().is_empty());
        let common = filled.map(|line| indent(line)).min().unwrap_or(0);
        let cut = lines.iter().map(|line| line.get(common..).unwrap_or(""));
        cut.collect()
    }

    fn paragraph(&mut self) {
        let base = indent(self.line(0));
        let lines = self.paragraph_lines();
        let text: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        let text = text.join("\n");
        let Some(before) = text.strip_suffix("::") else {
            // What is indented is a quote, or more of an item.
            let is_in_item = self.indents.iter().any(|indent| *indent < base);
            let mark = if base > 0 && !is_in_item { "> " } else { "" };
            let text = self.inline(&text).replace('\n', &format!("\n{mark}"));
            return self.markdown.block(&format!("{mark}{text}"));
        };
        // A literal block follows.
        let before = before.trim_end();
        if !before.is_empty() {
            self.markdown
                .block(&format!("{}:", self.inline(before.trim_end_matches(':'))));
        }
        let code = self.indented(base).join("\n");
        if !code.trim().is_empty() {
            self.markdown.code("", code.trim_matches('\n'));
        }
    }

    fn directive(&mut self, directive: &'s str, base: usize) {
        self.at += 1;
        let content = self.indented(base);
        // Targets and substitutions are shown where they are named.
        if directive.starts_with(['_', '|']) {
            return;
        }
        let Some((name, argument)) = directive.split_once("::") else {
            return self.explicit(directive, &content);
        };
        let (options, body) = without_options(&content);
        match name.trim() {
            // Names of letters, which come with the processor.
            "include" if argument.trim().starts_with('<') => {}
            "include" | "literalinclude" => self.markdown.block(&included(argument)),
            "code-block" | "code" | "sourcecode" | "highlight" | "parsed-literal" | "doctest"
            | "testcode" => {
                let code = body.join("\n");
                if !code.trim().is_empty() {
                    self.markdown.code(argument.trim(), code.trim_matches('\n'));
                }
            }
            "math" => self.formulas(argument, &content),
            "image" | "figure" => {
                let alt = option(&options, "alt").unwrap_or_else(|| argument.trim());
                self.markdown.block(&format!("![{alt}]"));
                self.nested(&body);
            }
            "toctree" => self.contents(&options, &body),
            "contents" | "index" | "meta" | "role" | "default-role" | "currentmodule" | "raw" => {}
            "csv-table" | "list-table" | "table" => {
                self.markdown.block(&self.inline(argument.trim()));
                self.table_directive(name.trim(), &options, &body);
            }
            name => {
                let title = one_line(&format!("{name}: {}", argument.trim()));
                let title = title.trim_end_matches(": ").trim_end_matches(':');
                self.markdown.block(&format!("**{title}**"));
                self.nested(&body);
            }
        }
    }

    /// Formulas, which may begin on the line of the directive; an empty line is between two.
    fn formulas(&mut self, argument: &str, content: &[&str]) {
        let is_option =
            |line: &&&str| !line.starts_with(":label:") && !line.starts_with(":nowrap:");
        let lines = std::iter::once(&argument).chain(content.iter().filter(is_option));
        let lines: Vec<&str> = lines.map(|line| line.trim()).collect();
        for formula in lines.split(|line| line.is_empty()) {
            if !formula.is_empty() {
                let formula = formula.join("\n");
                self.markdown.block(&format!("$$\n{formula}\n$$"));
            }
        }
    }

    /// Comments and footnotes.
    fn explicit(&mut self, directive: &str, content: &[&str]) {
        let note = directive
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        if let Some((label, text)) = note {
            let more = content.join(" ");
            let text = one_line(&format!("{} {more}", text.trim()));
            let label = self.references.defined(label);
            self.markdown
                .block(&format!("[^{label}]: {}", self.inline(&text)));
        }
    }

    /// The pages of a table of contents: `page`, or `title <page>`.
    fn contents(&mut self, options: &[&str], body: &[&str]) {
        if let Some(caption) = option(options, "caption") {
            let caption = self.inline(caption);
            self.markdown.block(&format!("**{caption}**"));
        }
        let entries = body.iter().map(|line| line.trim());
        for entry in entries.filter(|it| !it.is_empty() && *it != "self") {
            let titled = entry.strip_suffix('>').and_then(|it| it.rsplit_once('<'));
            match titled {
                Some((title, page)) => {
                    let item = format!("[{}]({})", title.trim(), page.trim());
                    self.markdown.item(0, None, &item);
                }
                None => self.markdown.item(0, None, entry),
            }
        }
    }

    /// Reads lines that are indented inside a directive.
    fn nested(&mut self, lines: &[&'s str]) {
        if self.depth == MAX_DEPTH {
            return self.markdown.block(&lines.join("\n"));
        }
        let markdown = std::mem::replace(&mut self.markdown, Markdown::new(0));
        let mut inner = RstWriter {
            lines,
            references: self.references,
            at: 0,
            markdown,
            styles: Vec::new(),
            title: Some(String::new()),
            facts: Vec::new(),
            is_head: true,
            indents: Vec::new(),
            depth: self.depth + 1,
        };
        inner.read();
        self.markdown = inner.markdown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(source: &str) -> String {
        let lines: Vec<&str> = source.lines().collect();
        let references = References::of(&lines);
        let mut writer = RstWriter {
            lines: &lines,
            references: &references,
            at: 0,
            markdown: Markdown::new(100_000),
            styles: Vec::new(),
            title: None,
            facts: Vec::new(),
            is_head: true,
            indents: Vec::new(),
            depth: 0,
        };
        writer.read();
        writer.markdown.finish().0
    }

    #[test]
    fn structure_becomes_markdown() {
        let source = "=====\nTitle\n=====\n\nSome ``code``, a `link <https://a.example/>`_ and :func:`run`::\n\n    x = 1\n\nPart\n----\n\n\
            - one\n  more\n- two\n\n  - inner\n\n1. first\n\n.. note:: Mind\n\n   the gap\n\n.. code-block:: python\n   :linenos:\n\n   print()\n\n\
            .. _target:\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\n+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n";
        assert_eq!(
            markdown(source),
            "# Title\n\nSome `code`, a [link](https://a.example/) and `run`:\n\n```\nx = 1\n```\n\n## Part\n\n\
             - one\n  more\n- two\n  - inner\n1. first\n\n**note: Mind**\n\nthe gap\n\n```python\nprint()\n```\n\n\
             | A | B |\n| --- | --- |\n| 1 | 2 |\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
        );
    }

    #[test]
    fn odd_markup_ends() {
        for source in [
            "`",
            "``",
            "::",
            "..",
            ".. x::",
            "====",
            "== ==",
            "== ==\n1",
            "+-+",
            ":a:`b",
            "1.",
            "- ",
            "日本\n====\n",
            ".. [1] x",
            "é:`x`",
            "\u{3000}- x",
            "\u{A0}1. x",
            " \u{3000}• x",
            "\u{2003}#. x",
            "- a\n \u{3000}- b",
        ] {
            markdown(source);
        }
        let deep: Vec<String> = (0..1_000)
            .map(|depth| format!("{}.. note::\n\n", " ".repeat(depth)))
            .collect();
        markdown(&deep.concat());
        for piece in ["| a |\n", "    b\n", "- ", "`", "``a", ":a:`", "a::\n\n"] {
            markdown(&format!("+---+\n{}", piece.repeat(50_000)));
            markdown(&format!("== ==\n{}", piece.repeat(50_000)));
            markdown(&piece.repeat(50_000));
        }
        markdown(&format!(
            "={}\n{}",
            "= ".repeat(50_000),
            "a\n".repeat(50_000)
        ));
        markdown(&".. note::\n".repeat(3_000));
    }
}

//! Lists: items, fields, options, terms with what they mean; and lines that stay lines.

use super::super::indent;
use super::RstWriter;
use super::lines::{field, line_of_block, list_mark, option_of_list};
use crate::document::markdown::one_line;

impl<'s> RstWriter<'s> {
    pub(super) fn item(&mut self) {
        let line = self.line(0);
        let Some((number, width)) = list_mark(line) else {
            return self.paragraph();
        };
        let base = indent(line);
        let mut text = vec![line[base + width..].trim()];
        self.at += 1;
        while self.at < self.lines.len() {
            let line = self.line(0);
            let goes_on = indent(line) > base && list_mark(line).is_none();
            if line.trim().is_empty() || !goes_on {
                break;
            }
            text.push(line.trim());
            self.at += 1;
        }
        let text = self.inline(&text.join("\n"));
        let level = self.level(base);
        self.markdown.item(level, number, &text);
    }

    /// The level of an item that is indented so far.
    fn level(&mut self, base: usize) -> usize {
        self.indents.retain(|indent| *indent < base);
        self.indents.push(base);
        self.indents.len() - 1
    }

    /// `:name: value`, whose value may go on in the next lines.
    pub(super) fn field(&mut self) {
        let line = self.line(0);
        let Some((name, first)) = field(line.trim_start()) else {
            return self.paragraph();
        };
        let base = indent(line);
        self.at += 1;
        // Only headings and fields stand before it.
        let is_fact = self.depth == 0 && self.is_head && self.styles.len() <= 1;
        let value = self.with_indented(first, base);
        // These are for the program that makes pages of it.
        if is_fact && matches!(name, "orphan" | "tocdepth" | "nocomments" | "nosearch") {
            return;
        }
        if is_fact {
            self.facts.push((name.to_owned(), value.clone()));
        }
        let name = self.inline(name);
        let level = self.level(base);
        self.markdown
            .item(level, None, format!("{name}: {value}").trim_end());
    }

    /// A text and the lines below it that are indented further, as one line.
    fn with_indented(&mut self, first: &str, base: usize) -> String {
        let more = self.indented(base).join(" ");
        self.inline(&one_line(&format!("{first} {more}")))
    }

    /// `-a, --all  what it does`.
    pub(super) fn option_item(&mut self) {
        let line = self.line(0);
        let Some((option, first)) = option_of_list(line) else {
            return self.paragraph();
        };
        let base = indent(line);
        self.at += 1;
        let text = self.with_indented(first, base);
        let level = self.level(base);
        self.markdown
            .item(level, None, &format!("`{option}`: {text}"));
    }

    /// Lines after bars, which stay lines.
    pub(super) fn line_block(&mut self) {
        let mut lines: Vec<String> = Vec::new();
        while let Some(text) = line_of_block(self.line(0)) {
            lines.push(self.inline(text.trim()));
            self.at += 1;
        }
        self.markdown.block(&lines.join("\n"));
    }

    /// Whether this line is a term: what it means is indented right below it.
    pub(super) fn begins_definition(&self) -> bool {
        let (line, next) = (self.line(0), self.line(1));
        !next.trim().is_empty() && indent(next) > indent(line) && !line.ends_with("::")
    }

    /// A term, and what it means.
    pub(super) fn definition(&mut self) {
        let line = self.line(0);
        let base = indent(line);
        let term = self.inline(line.trim());
        self.at += 1;
        let level = self.level(base);
        let next = self.line(0);
        if list_mark(next).is_some() || next.trim_start().starts_with("..") {
            return self.markdown.item(level, None, &format!("**{term}**:"));
        }
        let start = self.at;
        while !self.line(0).trim().is_empty() && indent(self.line(0)) > base {
            self.at += 1;
        }
        let lines = self.lines[start..self.at].iter().map(|it| it.trim());
        let meaning = lines.collect::<Vec<_>>().join(" ");
        let has_code = meaning.ends_with("::");
        let meaning = self.inline(
            meaning
                .strip_suffix(':')
                .filter(|_| has_code)
                .unwrap_or(&meaning),
        );
        let text = format!("**{term}**: {}", meaning.trim_end_matches(" :"));
        self.markdown.item(level, None, &text);
        if has_code {
            let code = self.indented(indent(next)).join("\n");
            self.markdown.code("", code.trim_matches('\n'));
        }
    }
}

//! AsciiDoc: headings, lists, blocks between lines of the same mark, tables.

mod head;
mod inline;
mod items;
mod lines;
mod macros;
mod style;
mod table;

use std::collections::HashMap;

use head::{authors, revision_date, shown_lines};
use items::OpenLists;
use lines::{
    attribute_entry, delimiter, heading_level, is_block_attribute, is_block_title, is_break,
    is_instruction, list_item,
};
use macros::picture;
use style::BlockStyle;

use super::included;
use crate::document::error::DocumentError;
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::Markdown;
use crate::document::text::with_decoded_text;
use crate::document::{Document, Input, present};

impl DocumentKind {
    /// AsciiDoc.
    pub const ASCIIDOC: DocumentKind = DocumentKind::named("asciidoc");
}

pub(in crate::document) static ASCIIDOC: Format = Format {
    kind: DocumentKind::ASCIIDOC,
    label: Some("AsciiDoc"),
    media_types: &["text/asciidoc", "text/x-asciidoc"],
    extensions: &["adoc", "asciidoc", "asc"],
    signature: Signature::None,
    needs_worker: true,
    is_text: true,
    read: read_asciidoc,
};

fn read_asciidoc(input: &Input<'_>) -> Result<Document, DocumentError> {
    Ok(with_decoded_text(input, |text| {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        // Detached signatures have this extension, too.
        if text.starts_with("-----BEGIN PGP") {
            let mut markdown = input.markdown();
            markdown.code("", text);
            return Document::new(DocumentKind::ASCIIDOC, markdown);
        }
        let lines = shown_lines(&lines);
        let mut writer = AsciidocWriter::new(&lines, input.markdown());
        writer.read();
        let title = writer.title.take();
        let author = writer
            .attribute("author")
            .or_else(|| writer.attribute("authors"));
        let date = writer
            .attribute("revdate")
            .or_else(|| writer.attribute("date"));
        let language = writer.attribute("lang");
        let mut document = Document::new(DocumentKind::ASCIIDOC, writer.markdown);
        (document.title, document.author, document.date) = (title, author, date);
        document.language = language;
        document
    }))
}

struct AsciidocWriter<'s> {
    lines: &'s [&'s str],
    at: usize,
    markdown: Markdown,
    /// The most bytes of text.
    limit: usize,
    attributes: HashMap<&'s str, String>,
    /// What is said of the next block.
    style: BlockStyle<'s>,
    title: Option<String>,
    lists: OpenLists<'s>,
    /// Whether a blank line came after the last item.
    ended_list: bool,
    /// Whether the next block belongs to the last item.
    is_attached: bool,
    notes: Vec<String>,
    named_notes: HashMap<String, usize>,
    /// How many notes the text that is read is inside of.
    note_depth: usize,
}

/// Attributes are few; more than this is an attack on memory.
const MAX_ATTRIBUTES: usize = 1_000;
/// Longer values are not put in the place of an attribute's name, of which there can be many.
const MAX_VALUE: usize = 1_000;
/// The most bytes of an attribute's name with its braces.
const MAX_NAME: usize = 100;
/// The most bytes of a link's target, and of its text.
const MAX_LINK: usize = 2_000;

impl<'s> AsciidocWriter<'s> {
    fn new(lines: &'s [&'s str], markdown: Markdown) -> AsciidocWriter<'s> {
        AsciidocWriter {
            lines,
            at: 0,
            limit: markdown.limit(),
            markdown,
            attributes: HashMap::new(),
            style: BlockStyle::default(),
            title: None,
            lists: OpenLists::default(),
            ended_list: false,
            is_attached: false,
            notes: Vec::new(),
            named_notes: HashMap::new(),
            note_depth: 0,
        }
    }

    fn attribute(&self, name: &str) -> Option<String> {
        self.attributes.get(name).and_then(present)
    }

    fn line(&self) -> &'s str {
        self.lines.get(self.at).copied().unwrap_or("")
    }

    fn read(&mut self) {
        while self.at < self.lines.len() && !self.markdown.is_full() {
            let line = self.line();
            self.at += 1;
            self.block(line);
        }
        for (note, number) in std::mem::take(&mut self.notes).iter().zip(1..) {
            self.markdown.block(&format!("[^{number}]: {note}"));
        }
    }

    fn block(&mut self, line: &'s str) {
        if line.is_empty() {
            self.ended_list = true;
            return;
        }
        if line == "+" {
            self.is_attached = true;
            return;
        }
        if is_comment(line) {
            return;
        }
        if let Some((name, value)) = attribute_entry(line) {
            let value = self.whole_value(value);
            return self.set(name, &value);
        }
        let is_title = line.strip_prefix('.').is_some_and(is_block_title);
        if self.ended_list && !self.is_attached && (is_title || is_block_attribute(line)) {
            self.lists.clear();
        }
        if is_block_attribute(line) {
            if !line.starts_with("[[") {
                self.style = BlockStyle::of(line);
            }
            return;
        }
        if let Some(title) = line.strip_prefix('.').filter(|it| is_block_title(it)) {
            let title = self.inline(title);
            return self.markdown.block(&format!("**{title}**"));
        }
        let is_attached = std::mem::take(&mut self.is_attached);
        if let Some(item) = list_item(line).filter(|_| !is_break(line)) {
            return self.item(&item);
        }
        if lines::term(line).is_some() {
            return self.term(line);
        }
        if !is_attached {
            self.lists.clear();
        }
        self.ended_list = false;
        let style = std::mem::take(&mut self.style);
        self.other_block(line, &style);
    }

    fn other_block(&mut self, line: &'s str, style: &BlockStyle<'s>) {
        if let Some(level) = heading_level(line) {
            self.heading(level, line);
        } else if [",===", ":===", "|===", "!==="]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            self.table(line, style);
        } else if let Some(mark) = delimiter(line) {
            self.delimited(mark, line, style);
        } else if line.starts_with("image::") || line.starts_with("video::") {
            let (target, attributes) = line[7..].split_once('[').unwrap_or((&line[7..], ""));
            let picture = picture(target, attributes.trim_end_matches(']'));
            self.markdown.block(&picture);
        } else if let Some(place) = line.strip_prefix("include::") {
            let place = place.split('[').next().unwrap_or(place);
            self.markdown.block(&included(place));
        } else if !is_instruction(line) {
            self.styled_paragraph(line, style);
        }
    }

    /// The value of an attribute, which may go on in the next lines.
    fn whole_value(&mut self, first: &str) -> String {
        let mut value = first.to_owned();
        while let Some(start) = value.strip_suffix(" \\").map(str::len) {
            if start > MAX_VALUE {
                break;
            }
            value.truncate(start);
            value = format!("{value} {}", self.line().trim());
            self.at += 1;
        }
        value
    }

    fn set(&mut self, name: &'s str, value: &str) {
        if name.starts_with('!') || name.ends_with('!') {
            self.attributes.remove(name.trim_matches('!'));
        } else if self.attributes.len() < MAX_ATTRIBUTES {
            let resolved = self.resolved(value);
            let is_short = resolved.len() <= MAX_VALUE;
            let value = if is_short { resolved } else { value.to_owned() };
            self.attributes.insert(name, value);
        }
    }

    fn heading(&mut self, level: usize, line: &'s str) {
        let text = self.inline(line[level..].trim().trim_end_matches('=').trim_end());
        if level == 1 && self.title.is_none() {
            self.title = present(&text);
            self.facts();
        }
        self.markdown.heading(level, &text);
    }

    /// The lines after the title: authors, and the number and the date of the revision.
    fn facts(&mut self) {
        let names = authors(self.line());
        let (next, after) = (self.at + 1, self.at + 2);
        let line = |at: usize| self.lines.get(at).copied().unwrap_or("");
        let ends = |it: &str| it.is_empty() || is_comment(it) || attribute_entry(it).is_some();
        let date = revision_date(line(next)).filter(|_| ends(line(after)));
        let Some(names) = names.filter(|_| date.is_some() || ends(line(next))) else {
            return;
        };
        self.at = if date.is_some() { after } else { next };
        self.attributes.insert("author", names);
        if let Some(date) = date {
            self.attributes.insert("revdate", date.to_owned());
        }
    }

    /// Words that go on in the next lines.
    fn paragraph_lines(&mut self, first: &'s str) -> String {
        let mut lines = vec![first];
        while !self.line().is_empty() && !self.begins_block(self.line()) {
            lines.push(self.line());
            self.at += 1;
        }
        lines.retain(|line| !is_comment(line));
        lines.join("\n")
    }

    fn paragraph(&mut self, first: &'s str) {
        self.styled_paragraph(first, &BlockStyle::default());
    }

    fn styled_paragraph(&mut self, first: &'s str, style: &BlockStyle<'s>) {
        let text = self.paragraph_lines(first);
        match style.kind() {
            "source" | "listing" | "literal" => {
                return self.markdown.code(style.language(), &text);
            }
            _ if style.is_formula() => return self.formula(&text),
            "quote" | "verse" => return self.quote(&text, style),
            _ if first.starts_with(' ') => return self.markdown.code("", &text),
            _ => {}
        }
        let text = self.inline(&text.replace(" +\n", "\n"));
        let said = text
            .split_once(": ")
            .filter(|(kind, _)| BlockStyle::warns(kind));
        let (kind, text) = match (style.admonition(), said) {
            (Some(kind), _) => (kind, &*text),
            (None, Some(said)) => said,
            (None, None) => return self.markdown.block(&text),
        };
        self.markdown
            .block(&format!("> **{kind}:** {}", quoted(text)));
    }

    fn begins_block(&self, line: &str) -> bool {
        heading_level(line).is_some()
            || delimiter(line).is_some()
            || AsciidocWriter::is_in_list(line)
            || line.starts_with("|===")
            || line == "+"
            || is_block_attribute(line)
    }

    /// The lines up to the same mark.
    fn until(&mut self, mark: &str) -> Vec<&'s str> {
        let start = self.at;
        while self.at < self.lines.len() && self.line() != mark {
            self.at += 1;
        }
        let lines = self.lines[start..self.at].to_vec();
        self.at += 1;
        lines
    }

    fn delimited(&mut self, kind: char, mark: &'s str, style: &BlockStyle<'s>) {
        match kind {
            '+' if style.is_formula() => {
                let text = self.until(mark).join("\n");
                self.formula(&text);
            }
            '-' | '.' | '+' | '`' => {
                let named = mark.strip_prefix("```").unwrap_or("");
                let end = if kind == '`' { "```" } else { mark };
                let code = self.until(end).join("\n");
                let language = if named.is_empty() {
                    style.language()
                } else {
                    named
                };
                self.markdown.code(language, &code);
            }
            // A comment.
            '/' => drop(self.until(mark)),
            '_' => {
                let text = self.until(mark).join("\n");
                self.quote(&text, style);
            }
            // An example or a sidebar: its lines are read like any others, and its end is such a mark.
            _ => {
                if let Some(kind) = style.admonition() {
                    self.markdown.block(&format!("**{kind}:**"));
                }
            }
        }
    }

    fn formula(&mut self, text: &str) {
        let text = text.trim_matches(['\n', '$']);
        self.markdown.block(&format!("$$\n{text}\n$$"));
    }

    fn quote(&mut self, text: &str, style: &BlockStyle<'_>) {
        let mut text = self.inline(text);
        if let Some(who) = style.attribution() {
            text = format!("{text}\n— {}", self.inline(&who));
        }
        self.markdown.block(&format!("> {}", quoted(&text)));
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("///")
}

/// The text with the mark of a quote before each line but the first.
fn quoted(text: &str) -> String {
    text.replace('\n', "\n> ")
}

/// The text up to so many bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(source: &str) -> String {
        let lines: Vec<&str> = source.lines().collect();
        let lines = shown_lines(&lines);
        let mut writer = AsciidocWriter::new(&lines, Markdown::new(100_000));
        writer.read();
        writer.markdown.finish().0
    }

    #[test]
    fn structure_becomes_markdown() {
        let source = "= Title\n:version: 1.2\n\n// hidden\nVersion {version} is *bold* and _soft_ with `code`,\nsee https://a.example/[here] and <<x,there>>.\n\n\
            == Part\n\n* one\n** inner\n* two\n\n. first\n. second\n\n[source,rust]\n----\nfn main() {}\n----\n\nNOTE: Mind it.\n\n\
            |===\n|A |B\n\n|1\n|2\n|===\n\nimage::a.png[A cat]\n";
        assert_eq!(
            markdown(source),
            "# Title\n\nVersion 1.2 is **bold** and *soft* with `code`,\nsee [here](https://a.example/) and there.\n\n\
             ## Part\n\n- one\n  - inner\n- two\n1. first\n2. second\n\n```rust\nfn main() {}\n```\n\n> **NOTE:** Mind it.\n\n\
             | A | B |\n| --- | --- |\n| 1 | 2 |\n\n![A cat]"
        );
    }

    #[test]
    fn odd_markup_ends() {
        for source in [
            "|===",
            "----",
            "=",
            "*",
            "* ",
            "https://",
            "link:[",
            "<<",
            "{",
            "**a",
            "日本_x_",
            "[",
            ":a",
        ] {
            markdown(source);
        }
        for piece in [
            "{",
            "<<",
            "link:",
            "link:a[",
            "* ",
            " *",
            "*a ",
            "**a ",
            "|",
            "* a\nb\n",
            "|===\n|a\n",
            "*",
            "+",
            "[[",
            "a:: ",
        ] {
            markdown(&piece.repeat(100_000));
        }
        markdown(&format!("* a{}", "\nb".repeat(100_000)));
        markdown(&format!("|===\n|a{}", "\nb".repeat(100_000)));
    }

    #[test]
    fn attributes_do_not_multiply_a_text_beyond_its_limit() {
        let long = format!(":a: {}\n\n{{a}}", "x".repeat(2_000));
        assert_eq!(markdown(&long), "{a}");
        let head = format!(":a: {}\n\n", "x".repeat(1_000));
        for body in [
            "{a}".repeat(100_000),
            format!("|===\n{}", "|{a}".repeat(100_000)),
        ] {
            let lines = [head.clone(), body].concat();
            assert!(markdown(&lines).len() <= 100_000);
        }
    }
}

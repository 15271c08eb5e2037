//! AsciiDoc: headings, lists, blocks between lines of the same mark, tables.

mod inline;
mod lines;

use std::collections::HashMap;

use inline::{cross_reference, emphasis, link};
use lines::{
    attribute_entry, delimiter, heading_level, is_block_attribute, is_block_title, is_instruction,
    list_item, table_cells,
};

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
        let mut writer = AsciidocWriter::new(&lines, input.markdown());
        writer.read();
        let (title, author) = (writer.title.take(), writer.attribute("author"));
        let language = writer.attribute("lang");
        let mut document = Document::new(DocumentKind::ASCIIDOC, writer.markdown);
        (document.title, document.author) = (title, author);
        document.language = language;
        document
    }))
}

struct AsciidocWriter<'s> {
    lines: &'s [&'s str],
    at: usize,
    markdown: Markdown,
    attributes: HashMap<&'s str, &'s str>,
    /// The language of the next listing.
    language: String,
    title: Option<String>,
    /// Of each level of the list, whether it is numbered, and how many items it has.
    numbers: Vec<(bool, usize)>,
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
            markdown,
            attributes: HashMap::new(),
            language: String::new(),
            title: None,
            numbers: Vec::new(),
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
    }

    fn block(&mut self, line: &'s str) {
        if line.is_empty() || line.starts_with("//") && !line.starts_with("///") || line == "+" {
            return;
        }
        if let Some(level) = heading_level(line) {
            return self.heading(level, line);
        }
        if let Some((name, value)) = attribute_entry(line) {
            if self.attributes.len() < MAX_ATTRIBUTES {
                self.attributes.insert(name, value);
            }
        } else if is_block_attribute(line) {
            self.note_language(line);
        } else if line.starts_with("|===") || line.starts_with("!===") {
            self.table(line);
        } else if let Some(mark) = delimiter(line) {
            self.delimited(mark, line);
        } else if let Some((level, numbered, text)) = list_item(line) {
            self.item(level, numbered, text);
        } else if line.starts_with("image::") || line.starts_with("video::") {
            let alt = line
                .split_once('[')
                .map_or("", |(_, rest)| rest.trim_end_matches(']'));
            let alt = alt.split(',').next().unwrap_or(alt).trim_matches('"');
            self.markdown.block(&format!("![{alt}]"));
        } else if is_instruction(line) {
            // It says nothing to a reader.
        } else if let Some(title) = line.strip_prefix('.').filter(|it| is_block_title(it)) {
            let title = self.inline(title);
            self.markdown.block(&format!("**{title}**"));
        } else {
            self.paragraph(line);
        }
    }

    fn heading(&mut self, level: usize, line: &str) {
        let text = self.inline(line[level..].trim().trim_end_matches('=').trim_end());
        if level == 1 && self.title.is_none() {
            self.title = present(&text);
        }
        self.numbers.clear();
        self.markdown.heading(level, &text);
    }

    fn note_language(&mut self, line: &str) {
        let mut words = line.trim_matches(['[', ']']).split(',').map(str::trim);
        let first = words.next().unwrap_or("");
        if matches!(first, "source" | "source%linenums" | "") {
            self.language = words.next().unwrap_or("").to_owned();
        }
    }

    /// Words that go on in the next lines.
    fn paragraph(&mut self, first: &'s str) {
        let mut lines = vec![first];
        while !self.line().is_empty() && !self.begins_block(self.line()) {
            lines.push(self.line());
            self.at += 1;
        }
        let text = lines.join("\n");
        if first.starts_with(' ') {
            return self.markdown.code("", &text);
        }
        let kinds = ["NOTE: ", "TIP: ", "IMPORTANT: ", "WARNING: ", "CAUTION: "];
        let text = self.inline(&text.replace(" +\n", "\n"));
        match kinds.iter().find(|kind| text.starts_with(**kind)) {
            Some(kind) => {
                self.markdown
                    .block(&format!("> **{}** {}", kind.trim(), &text[kind.len()..]))
            }
            None => self.markdown.block(&text),
        }
    }

    fn begins_block(&self, line: &str) -> bool {
        heading_level(line).is_some()
            || delimiter(line).is_some()
            || list_item(line).is_some()
            || line.starts_with("|===")
            || line == "+"
            || is_block_attribute(line)
    }

    fn item(&mut self, level: usize, numbered: bool, text: &'s str) {
        let mut text = text.to_owned();
        while !self.line().is_empty() && !self.begins_block(self.line()) {
            text.push('\n');
            text.push_str(self.line().trim());
            self.at += 1;
        }
        let text = self.inline(&text);
        self.numbers.resize(level + 1, (numbered, 0));
        let (was_numbered, count) = self.numbers[level];
        let count = if was_numbered == numbered {
            count + 1
        } else {
            1
        };
        self.numbers[level] = (numbered, count);
        let number = numbered.then_some(count);
        self.markdown.item(level, number, &text);
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

    fn delimited(&mut self, kind: char, mark: &'s str) {
        let language = std::mem::take(&mut self.language);
        match kind {
            '-' | '.' | '+' | '`' => {
                let named = mark.strip_prefix("```").unwrap_or("");
                let end = if kind == '`' { "```" } else { mark };
                let code = self.until(end).join("\n");
                let language = if named.is_empty() { &*language } else { named };
                self.markdown.code(language, &code);
            }
            // A comment.
            '/' => drop(self.until(mark)),
            '_' => {
                let text = self.until(mark).join("\n");
                let text = self.inline(&text).replace('\n', "\n> ");
                self.markdown.block(&format!("> {text}"));
            }
            // An example or a sidebar: its lines are read like any others, and its end is such a mark.
            _ => {}
        }
    }

    fn table(&mut self, mark: &'s str) {
        let lines = self.until(mark);
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut columns = None;
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
                    last.push(' ');
                    last.push_str(line.trim());
                }
                _ => cells.extend(row),
            }
        }
        let columns = columns.unwrap_or(1).max(1);
        let mut written = 0;
        for row in cells.chunks(columns) {
            let mut shown = Vec::with_capacity(row.len());
            for cell in row {
                let cell = self.inline(cell);
                written += cell.len();
                shown.push(cell);
                if written > self.markdown.limit() {
                    break;
                }
            }
            rows.push(shown);
            if written > self.markdown.limit() {
                break;
            }
        }
        self.markdown.table(&rows);
    }

    /// Attributes, emphasis and links inside a paragraph. What is beyond the limit of the text is
    /// left out, because it would be cut anyway.
    fn inline(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = ' ';
        while let Some(letter) = rest.chars().next() {
            let taken = match letter {
                '{' => self.substituted(rest),
                'h' | 'l' | 'x' | 'm' if !before.is_alphanumeric() => link(rest),
                '<' if rest.starts_with("<<") => cross_reference(rest),
                '*' | '_' | '`' if !before.is_alphanumeric() => emphasis(rest, letter),
                _ => None,
            };
            let (piece, length) = taken.unwrap_or_else(|| (letter.to_string(), letter.len_utf8()));
            before = letter;
            out.push_str(&piece);
            rest = &rest[length..];
            if out.len() > self.markdown.limit() {
                break;
            }
        }
        out
    }

    fn substituted(&self, rest: &str) -> Option<(String, usize)> {
        let end = beginning(rest, MAX_NAME).find('}')?;
        let value = match &rest[1..end] {
            "nbsp" => "\u{A0}",
            "plus" => "+",
            "cpp" => "C++",
            name => self
                .attributes
                .get(name)
                .filter(|it| it.len() <= MAX_VALUE)?,
        };
        Some((value.to_owned(), end + 1))
    }
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

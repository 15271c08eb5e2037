//! FictionBook (FB2): a book in one XML file.

use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::markdown::{Inline, Markdown, Style, one_line};
use super::parts::Unit;
use super::xml::{XmlChild, XmlElement, XmlTree};
use super::{Document, Input, present};
use crate::script::Script;

impl DocumentKind {
    /// A book in one XML file.
    pub const FB2: DocumentKind = DocumentKind::named("fb2");
}

pub(super) static FB2: Format = Format {
    kind: DocumentKind::FB2,
    label: Some("FB2"),
    media_types: &["application/x-fictionbook+xml", "application/fb2"],
    extensions: &["fb2"],
    signature: Signature::Within(|start, _| is_fiction_book(start)),
    needs_worker: true,
    is_text: true,
    read: read_fb2,
};

fn is_fiction_book(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let is_markup = text.starts_with("<?xml") || text.starts_with("<FictionBook");
    is_markup && text.contains("<FictionBook")
}

fn read_fb2(input: &Input<'_>) -> Result<Document, DocumentError> {
    let tree = XmlTree::parse(input.bytes, input.nodes())?;
    let root = tree.root();
    let mut writer = BookWriter {
        markdown: input.markdown(),
        chapters: 0,
    };
    let is_notes =
        |body: &XmlElement<'_>| matches!(body.attribute("name"), Some("notes" | "comments"));
    let about = root
        .child("description")
        .and_then(|it| it.child("title-info"));
    if let Some(annotation) = about.and_then(|it| it.child("annotation")) {
        writer.blocks(annotation, 2);
    }
    for body in root.all("body").filter(|body| !is_notes(body)) {
        input.budget.check_time()?;
        writer.body(body);
    }
    for body in root.all("body").filter(is_notes) {
        writer.notes(body);
    }
    let chapters = writer.chapters;
    let mut document = Document::new(DocumentKind::FB2, writer.markdown);
    if let Some(about) = about {
        describe(&mut document, about);
    }
    document.pages = (chapters > 0).then_some(chapters);
    if let Some(warning) = tree.warning() {
        document.warn(warning);
    }
    Ok(document)
}

fn describe(document: &mut Document, about: XmlElement<'_>) {
    let value = |name: &str| about.child(name).and_then(|it| present(it.text()));
    document.title = value("book-title");
    document.language = value("lang");
    document.date = value("date");
    let authors = about.all("author").filter_map(|author| {
        let names = ["first-name", "middle-name", "last-name"];
        let names = names.iter().filter_map(|name| author.child(name));
        let full = names.map(XmlElement::text).collect::<Vec<_>>().join(" ");
        present(full).or_else(|| present(author.child("nickname")?.text()))
    });
    document.author = present(authors.collect::<Vec<_>>().join(", "));
}

struct BookWriter {
    markdown: Markdown,
    chapters: u32,
}

/// Sections in sections are followed to this depth. XML is cut before, but the stack is ours.
const MAX_LEVEL: usize = 64;

impl BookWriter {
    /// Writes a body: its title, and each of its sections as a chapter.
    fn body(&mut self, body: XmlElement<'_>) {
        for element in body.elements() {
            if self.markdown.is_full() {
                return;
            }
            match element.name() {
                "title" => self.markdown.heading(1, &heading_text(element)),
                "section" => {
                    self.chapters += 1;
                    let title = element.child("title").map(heading_text);
                    self.markdown
                        .part(Unit::Chapter, self.chapters, title.as_deref());
                    self.blocks(element, 2);
                }
                _ => self.block(element, 2),
            }
        }
    }

    /// Writes everything in a section, whose title is a heading of that level.
    fn blocks(&mut self, parent: XmlElement<'_>, level: usize) {
        if level > MAX_LEVEL {
            return;
        }
        for element in parent.elements() {
            if self.markdown.is_full() {
                return;
            }
            self.block(element, level);
        }
    }

    fn block(&mut self, element: XmlElement<'_>, level: usize) {
        match element.name() {
            "title" => self.markdown.heading(level, &heading_text(element)),
            "subtitle" => self.markdown.heading(level + 1, &heading_text(element)),
            "section" => self.blocks(element, level + 1),
            "p" => self.markdown.block(&paragraph(element)),
            "poem" | "stanza" => self.poem(element, level),
            "cite" | "epigraph" => self.quote(element),
            "table" => self.table(element),
            "image" => {
                let text = element.attribute("alt").or(element.attribute("title"));
                let text = text.and_then(present);
                text.into_iter()
                    .for_each(|text| self.markdown.block(&format!("![{text}]")));
            }
            "text-author" | "v" | "date" => self.markdown.block(&paragraph(element)),
            "empty-line" | "binary" => {}
            _ => self.blocks(element, level + 1),
        }
    }

    /// Writes the verses of each stanza as the lines of one block.
    fn poem(&mut self, poem: XmlElement<'_>, level: usize) {
        let verses: Vec<String> = poem.all("v").map(paragraph).collect();
        for element in poem.elements().filter(|it| it.name() != "v") {
            self.block(element, level + 1);
        }
        self.markdown.block(&verses.join("  \n"));
    }

    fn quote(&mut self, quote: XmlElement<'_>) {
        let mut inner = BookWriter {
            markdown: Markdown::new(self.markdown.limit()),
            chapters: 0,
        };
        // Quotes in quotes are rare, and each level costs a copy.
        for element in quote.elements() {
            match element.name() {
                "cite" | "epigraph" => {
                    let text = one_line(&element.text());
                    inner.markdown.block(&text);
                }
                _ => inner.block(element, 5),
            }
        }
        let text = inner.markdown.finish().0;
        let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
        self.markdown.block(&lines.join("\n"));
    }

    fn table(&mut self, table: XmlElement<'_>) {
        let cells = |row: XmlElement<'_>| -> Vec<String> {
            let is_cell = |it: &XmlElement<'_>| matches!(it.name(), "td" | "th");
            row.elements().filter(is_cell).map(paragraph).collect()
        };
        let rows: Vec<Vec<String>> = table.all("tr").map(cells).collect();
        self.markdown.table(&rows);
    }

    /// Writes the notes that paragraphs refer to.
    fn notes(&mut self, body: XmlElement<'_>) {
        for note in body.find_all("section") {
            let Some(id) = note.attribute("id").and_then(note_name) else {
                continue;
            };
            let is_text = |it: &XmlElement<'_>| it.name() != "title";
            let texts = note.elements().filter(is_text).map(paragraph);
            let text = one_line(&texts.collect::<Vec<_>>().join(" "));
            self.markdown.block(&format!("[^{id}]: {text}"));
        }
    }
}

/// The text of a title, whose paragraphs are its lines.
fn heading_text(title: XmlElement<'_>) -> String {
    let line = |it: XmlElement<'_>| one_line(&paragraph(it).replace("**", ""));
    let mut lines: Vec<String> = title.all("p").map(line).collect();
    if lines.is_empty() {
        lines.push(line(title));
    }
    lines.retain(|line| !line.is_empty());
    lines.join(" / ")
}

fn paragraph(element: XmlElement<'_>) -> String {
    let mut inline = Inline::default();
    write_inline(element, &Style::default(), &mut inline);
    inline.finish()
}

fn write_inline(parent: XmlElement<'_>, style: &Style, inline: &mut Inline) {
    for child in parent.children() {
        let element = match child {
            XmlChild::Text(text) => {
                inline.push(&collapsed(text), style);
                continue;
            }
            XmlChild::Element(element) => element,
        };
        let mut inner = style.clone();
        match element.name() {
            "emphasis" => inner.italic = true,
            "strong" => inner.bold = true,
            "strikethrough" => inner.struck = true,
            "code" => inner.code = true,
            "sup" => inner.script = Script::Superscript,
            "sub" => inner.script = Script::Subscript,
            "a" => {
                let target = element.attribute("href").unwrap_or_default();
                if let Some(note) = target.strip_prefix('#').and_then(note_name) {
                    inline.plain(&format!("[^{note}]"));
                    continue;
                }
                inner.link = Some(target.to_owned()).filter(|it| it.contains(':'));
            }
            "image" => continue,
            _ => {}
        }
        write_inline(element, &inner, inline);
    }
}

/// The id of a note as Markdown can name it. `None` for one without letters or digits.
fn note_name(id: &str) -> Option<String> {
    let is_kept = |it: &char| it.is_alphanumeric() || "_-".contains(*it);
    let name: String = id.chars().filter(is_kept).take(60).collect();
    (!name.is_empty()).then_some(name)
}

/// The text with every run of blanks and line breaks as one blank.
fn collapsed(text: &str) -> String {
    let words = one_line(text);
    let start = if text.starts_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    let end = if text.ends_with(char::is_whitespace) && !words.is_empty() {
        " "
    } else {
        ""
    };
    format!("{start}{words}{end}")
}

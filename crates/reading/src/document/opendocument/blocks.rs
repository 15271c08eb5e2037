//! Headings, paragraphs, lists and tables.

use super::super::error::DocumentError;
use super::super::markdown::{Inline, Style, one_line};
use super::super::present;
use super::super::xml::{XmlChild, XmlElement};
use super::{OpenDocumentWriter, comment_text};
use crate::script::Script;

/// Blanks in a row. More of them only move the text that follows.
const MAX_BLANKS: usize = 64;
/// Columns that a row repeats an empty or a filled cell over.
const MAX_REPEATS: usize = 64;

/// What a paragraph holds besides its text.
#[derive(Default)]
pub(super) struct Anchored<'t> {
    boxes: Vec<XmlElement<'t>>,
    objects: Vec<XmlElement<'t>>,
}

/// The list that an item is in.
#[derive(Debug, Clone, Copy)]
struct ListLevel<'t> {
    style: &'t str,
    depth: usize,
}

impl<'t> OpenDocumentWriter<'t> {
    pub(super) fn blocks(
        &mut self,
        parent: XmlElement<'t>,
        depth: usize,
    ) -> Result<(), DocumentError> {
        for element in parent.elements() {
            if self.markdown.is_full() {
                return Ok(());
            }
            match element.name() {
                "h" | "p" => self.paragraph_block(element)?,
                "list" => self.list(element, "", depth)?,
                "table" => {
                    let rows = self.rows(element);
                    self.markdown.table(&rows);
                }
                "object" => self.object(element)?,
                "section" if is_hidden(element) => {}
                // Deleted text, forms and comments.
                "tracked-changes" | "forms" | "sequence-decls" | "annotation" => {}
                _ => self.blocks(element, depth)?,
            }
        }
        Ok(())
    }

    fn paragraph_block(&mut self, element: XmlElement<'t>) -> Result<(), DocumentError> {
        let mut anchored = Anchored::default();
        let text = self.text(element, &mut anchored);
        let style = element.attribute("style-name").unwrap_or_default();
        if element.name() == "h" {
            let level = element
                .attribute("outline-level")
                .and_then(|level| level.parse().ok())
                .unwrap_or(1);
            self.markdown.heading(level, &text.replace("**", ""));
        } else if self.styles.is_a(style, "Title") {
            self.markdown.heading(1, &text.replace("**", ""));
        } else {
            self.markdown.block(&text);
        }
        for text_box in anchored.boxes {
            self.blocks(text_box, 0)?;
        }
        for object in anchored.objects {
            self.object(object)?;
        }
        Ok(())
    }

    fn list(
        &mut self,
        list: XmlElement<'t>,
        outer: &'t str,
        depth: usize,
    ) -> Result<(), DocumentError> {
        let level = ListLevel {
            style: list.attribute("style-name").unwrap_or(outer),
            depth,
        };
        let continues = list.attribute("continue-numbering") == Some("true")
            || list.attribute("continue-list").is_some();
        let start = self.styles.start(level.style, depth);
        let before = self
            .numbers
            .iter()
            .find(|(other, _)| *other == depth && continues)
            .map(|(_, number)| *number);
        let mut last = before.or(start.map(|start| start.saturating_sub(1)));
        for item in list.elements() {
            if !matches!(item.name(), "list-item" | "list-header") {
                continue;
            }
            if self.markdown.is_full() {
                return Ok(());
            }
            let own = item.attribute("start-value").and_then(|it| it.parse().ok());
            let is_counted = item.name() == "list-item" && start.is_some();
            let number =
                is_counted.then(|| own.unwrap_or_else(|| last.unwrap_or(0).saturating_add(1)));
            last = number.or(last);
            self.item(item, level, number)?;
        }
        self.numbers.retain(|(other, _)| *other < depth);
        self.numbers.extend(last.map(|last| (depth, last)));
        Ok(())
    }

    /// Writes an item: its first paragraph with the mark, its other paragraphs below it, and the
    /// lists inside.
    fn item(
        &mut self,
        item: XmlElement<'t>,
        level: ListLevel<'t>,
        number: Option<usize>,
    ) -> Result<(), DocumentError> {
        let mut lines = Vec::new();
        let mut anchored = Anchored::default();
        let mut nested = Vec::new();
        for element in item.elements() {
            match element.name() {
                "list" => nested.push(element),
                "p" | "h" => lines.push(self.text(element, &mut anchored)),
                _ => lines.push(self.cell(element)),
            }
        }
        lines.retain(|line| !line.is_empty());
        self.markdown.item(level.depth, number, &lines.join("\n"));
        for text_box in anchored.boxes {
            self.blocks(text_box, 0)?;
        }
        for object in anchored.objects {
            self.object(object)?;
        }
        for list in nested {
            self.list(list, level.style, level.depth + 1)?;
        }
        Ok(())
    }

    /// The text of a paragraph, and what is anchored to it.
    pub(super) fn text(&mut self, element: XmlElement<'t>, anchored: &mut Anchored<'t>) -> String {
        let mut inline = Inline::default();
        let hides = |it: XmlElement<'_>| it.attribute("is-hidden") == Some("true");
        if self.hides_text(element) || element.all("hidden-paragraph").any(hides) {
            return String::new();
        }
        self.inline(element, &Style::default(), &mut inline, anchored);
        inline.finish()
    }

    fn inline(
        &mut self,
        parent: XmlElement<'t>,
        style: &Style,
        inline: &mut Inline,
        anchored: &mut Anchored<'t>,
    ) {
        for child in parent.children() {
            let element = match child {
                // As in HTML, any run of blanks and line breaks means one blank.
                XmlChild::Text(text) => {
                    inline.push(&collapsed(text), style);
                    continue;
                }
                XmlChild::Element(element) => element,
            };
            match element.name() {
                "s" => inline.push(&blanks(element), style),
                "tab" => inline.push("\t", style),
                "line-break" => inline.plain("\n"),
                "a" => self.inline(element, &linked(element, style), inline, anchored),
                "span" if self.hides_text(element) => {}
                "hidden-text" if is_hidden(element) => {}
                "span" => self.inline(element, &self.spanned(element, style), inline, anchored),
                "note" => {
                    let body = element
                        .child("note-body")
                        .map(|body| one_line(&body.text()))
                        .unwrap_or_default();
                    self.notes.push(body);
                    inline.plain(&format!("[^{}]", self.notes.len()));
                }
                "annotation" => {
                    let (author, text) = comment_text(element);
                    let author = author.map(|name| format!("{name}: ")).unwrap_or_default();
                    self.comments.push(format!("{author}{text}"));
                    inline.plain(&format!("[^comment-{}]", self.comments.len()));
                }
                "desc" | "title" | "annotation-end" | "tracked-changes" => {}
                "text-box" => anchored.boxes.push(element),
                "object" => match self.equation(element) {
                    Some(tex) => inline.plain(&format!("${tex}$")),
                    None => anchored.objects.push(element),
                },
                "image" => {
                    // The picture that stands in for an object is not one of its own.
                    let is_replacement = parent.child("object").is_some();
                    if let Some(text) = alternative_text(parent).filter(|_| !is_replacement) {
                        inline.plain(&format!("![{text}]"));
                    }
                }
                "ruby-text" => {}
                _ => self.inline(element, style, inline, anchored),
            }
        }
    }

    /// Whether the style of a paragraph or a span hides its text.
    fn hides_text(&self, element: XmlElement<'t>) -> bool {
        let style = element.attribute("style-name");
        style.is_some_and(|style| self.styles.hides_text(style))
    }

    /// The style inside a span: what is around it and what its own style adds.
    fn spanned(&self, span: XmlElement<'t>, style: &Style) -> Style {
        let own = span
            .attribute("style-name")
            .map(|name| self.styles.look(name))
            .unwrap_or_default();
        Style {
            bold: style.bold || own.bold,
            italic: style.italic || own.italic,
            struck: style.struck || own.struck,
            script: match own.script {
                Script::Baseline => style.script,
                script => script,
            },
            symbols: own.symbols.or(style.symbols),
            ..style.clone()
        }
    }

    /// All text in a cell or a text box, one line for each paragraph, item or row of a table.
    pub(super) fn cell(&mut self, cell: XmlElement<'t>) -> String {
        let mut lines = Vec::new();
        for element in cell.elements() {
            match element.name() {
                "p" | "h" => {
                    let mut anchored = Anchored::default();
                    lines.push(self.text(element, &mut anchored));
                    for text_box in anchored.boxes {
                        lines.push(self.cell(text_box));
                    }
                }
                "list" => {
                    for item in element.elements() {
                        let text = self.cell(item);
                        lines.push(if text.is_empty() {
                            text
                        } else {
                            format!("- {text}")
                        });
                    }
                }
                "table" => {
                    let rows = self.rows(element);
                    lines.extend(
                        rows.into_iter()
                            .map(|row| row.join(" | ").replace('\n', " ")),
                    );
                }
                "section" if is_hidden(element) => {}
                "annotation" | "shapes" | "desc" | "title" | "tracked-changes" => {}
                _ => lines.push(self.cell(element)),
            }
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }

    /// The rows of a table in a text. Those of a sheet are read differently.
    fn rows(&mut self, table: XmlElement<'t>) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for row in table.find_all("table-row") {
            let mut cells = Vec::new();
            for cell in row.elements() {
                if !matches!(cell.name(), "table-cell" | "covered-table-cell") {
                    continue;
                }
                let text = self.cell(cell);
                let repeats = repeated(cell, "number-columns-repeated").min(MAX_REPEATS);
                cells.extend(std::iter::repeat_n(text, repeats));
            }
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push(cells);
            }
        }
        rows
    }
}

/// Whether a section or a text is hidden, always or by its condition.
fn is_hidden(element: XmlElement<'_>) -> bool {
    element.attribute("display") == Some("none") || element.attribute("is-hidden") == Some("true")
}

fn linked(anchor: XmlElement<'_>, style: &Style) -> Style {
    Style {
        link: anchor
            .attribute("href")
            .filter(|target| target.contains(':'))
            .map(str::to_owned),
        ..style.clone()
    }
}

/// The blanks of an `s` element, which may be several.
fn blanks(element: XmlElement<'_>) -> String {
    let count = element
        .attribute("c")
        .and_then(|count| count.parse::<usize>().ok())
        .unwrap_or(1);
    " ".repeat(count.min(MAX_BLANKS))
}

/// The description of what is in a frame.
pub(super) fn alternative_text(frame: XmlElement<'_>) -> Option<String> {
    frame
        .child("desc")
        .or_else(|| frame.child("title"))
        .and_then(|it| present(it.text()))
}

pub(super) fn repeated(element: XmlElement<'_>, name: &str) -> usize {
    element
        .attribute(name)
        .and_then(|count| count.parse().ok())
        .unwrap_or(1)
        .max(1)
}

/// The text with every run of blanks and line breaks as one blank.
fn collapsed(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ' ' | '\n' | '\r' | '\t' if collapsed.ends_with(' ') => {}
            '\n' | '\r' | '\t' => collapsed.push(' '),
            letter => collapsed.push(letter),
        }
    }
    collapsed
}

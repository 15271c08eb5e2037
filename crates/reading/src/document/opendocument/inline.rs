//! The text of paragraphs: styles, links, notes, comments and what is anchored to them.

use super::super::format::DocumentKind;
use super::super::markdown::{Inline, Style, one_line, reading, titled_description};
use super::super::xml::{XmlChild, XmlElement};
use super::blocks::is_hidden;
use super::{OpenDocumentWriter, comment_text};
use crate::script::Script;

/// Blanks in a row. More of them only move the text that follows.
const MAX_BLANKS: usize = 64;
/// What a paragraph holds besides its text.
#[derive(Default)]
pub(super) struct Anchored<'t> {
    pub(super) boxes: Vec<XmlElement<'t>>,
    pub(super) objects: Vec<XmlElement<'t>>,
}

impl<'t> OpenDocumentWriter<'t> {
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
                "a" => self.inline(element, &self.linked(element, style), inline, anchored),
                "span" if self.hides_text(element) => {}
                "hidden-text" if is_hidden(element) => {}
                "span" => self.inline(element, &self.spanned(element, style), inline, anchored),
                "note" => {
                    let body = element.child("note-body").map(|body| self.cell(body));
                    self.notes.push(one_line(&body.unwrap_or_default()));
                    inline.plain(&format!("[^{}]", self.notes.len()));
                }
                "annotation" => {
                    let (author, text) = comment_text(element);
                    let author = author.map(|name| format!("{name}: ")).unwrap_or_default();
                    self.comments.push(format!("{author}{text}"));
                    self.begin_comment(element, inline);
                }
                "annotation-end" => self.end_comment(element, inline),
                "desc" | "title" | "tracked-changes" => {}
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
                // How the word before it is read.
                "ruby-text" => {
                    inline.push(&reading(&element.text()), style);
                }
                _ => self.inline(element, style, inline, anchored),
            }
        }
    }

    /// The style inside a link. Places in the document itself are named in a workbook only, where
    /// they are sheets and cells.
    fn linked(&self, anchor: XmlElement<'_>, style: &Style) -> Style {
        let is_place = |target: &str| target.starts_with('#') && self.kind == DocumentKind::ODS;
        let target = anchor.attribute("href");
        let target = target.filter(|it| it.contains(':') || is_place(it));
        Style {
            link: target.map(str::to_owned),
            ..style.clone()
        }
    }

    /// Marks the place of the last comment. One on a passage is marked where that ends.
    fn begin_comment(&mut self, annotation: XmlElement<'t>, inline: &mut Inline) {
        let number = self.comments.len();
        match annotation.attribute("office:name") {
            Some(name) => self.open_comments.push((name, number)),
            None => inline.plain(&format!("[^comment-{number}]")),
        }
    }

    fn end_comment(&mut self, end: XmlElement<'t>, inline: &mut Inline) {
        let name = end.attribute("office:name");
        let at = |open: &(&str, usize)| Some(open.0) == name;
        if let Some(index) = self.open_comments.iter().position(at) {
            let (_, number) = self.open_comments.remove(index);
            inline.plain(&format!("[^comment-{number}]"));
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
    let text = |name: &str| frame.child(name).map(XmlElement::text).unwrap_or_default();
    titled_description(&text("title"), &text("desc"))
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

//! Word documents.
//!
//! The body is walked once. Deleted and hidden text is left out, inserted text is kept. A text box,
//! a chart or a diagram follows the paragraph that it is anchored to. Footnotes and comments come
//! at the end, numbered as in the text, and then every header and footer once.

mod backdrop;
mod blocks;
mod chunks;
mod looks;
mod numbering;
mod runs;
mod styles;

use std::cell::OnceCell;
use std::collections::HashMap;

use super::{Package, Relationship};
use crate::document::error::{DocumentError, Warning};
use crate::document::format::{DocumentKind, Format, Signature};
use crate::document::markdown::Markdown;
use crate::document::xml::XmlElement;
use crate::document::{Document, Input};
use numbering::Numbering;
use runs::{Field, is_on};
use styles::StyleDefinitions;

impl DocumentKind {
    /// A Word document.
    pub const DOCX: DocumentKind = DocumentKind::named("docx");
}

pub(in crate::document) static DOCX: Format = Format {
    kind: DocumentKind::DOCX,
    label: Some("DOCX"),
    media_types: &[
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/vnd.ms-word.template.macroenabled.12",
    ],
    extensions: &["docx", "docm", "dotx", "dotm"],
    signature: Signature::Zip(|zip| {
        zip.has_folder("word/") || zip.declares_main_part(&["wordprocessingml", "ms-word"])
    }),
    needs_worker: true,
    is_text: false,
    read: read_docx,
};

fn read_docx(input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = Package::open(input)?;
    let main = package.main_part("word/document.xml")?;
    let folder = main
        .rsplit_once('/')
        .map(|(folder, _)| format!("{folder}/"))
        .unwrap_or_default();
    let tree = package.part(&main)?.ok_or(DocumentError::Broken)?;
    let body = tree.root().child("body").ok_or(DocumentError::Broken)?;
    let styles = StyleDefinitions::from_package(&package, &folder)?;
    let is_plain = backdrop::is_plain(tree.root());
    let mut writer = DocxWriter {
        numbering: Numbering::from_package(&package, &folder, &styles)?,
        styles,
        relations: package.relations(&main)?,
        markdown: input.markdown(),
        notes: Vec::new(),
        lead: String::new(),
        fields: Vec::new(),
        warnings: Vec::new(),
        dark_around: usize::from(!is_plain),
        is_white_paper: OnceCell::new(),
        package: &package,
    };
    writer.blocks(body)?;
    let relations = std::mem::take(&mut writer.relations);
    writer.write_all_notes(&folder, &relations)?;
    writer.write_headers_and_footers(body, &folder, &relations)?;
    let mut document = Document::new(DocumentKind::DOCX, writer.markdown);
    package.describe(&mut document)?;
    for warning in writer.warnings {
        document.warn(warning);
    }
    if tree.incomplete {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// What is written at the end and referred to in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoteKind {
    Footnote,
    Endnote,
    Comment,
}

impl NoteKind {
    const ALL: [NoteKind; 3] = [NoteKind::Footnote, NoteKind::Endnote, NoteKind::Comment];

    /// The element of one note.
    fn element(self) -> &'static str {
        match self {
            NoteKind::Footnote => "footnote",
            NoteKind::Endnote => "endnote",
            NoteKind::Comment => "comment",
        }
    }
}

struct DocxWriter<'p> {
    package: &'p Package<'p>,
    styles: StyleDefinitions,
    numbering: Numbering,
    /// The relationships of the part that is being read.
    relations: HashMap<String, Relationship>,
    markdown: Markdown,
    /// The notes that the text refers to, in order, with their ids.
    notes: Vec<(NoteKind, String)>,
    /// What belongs in front of the next paragraph: a drop cap, or a paragraph whose end was
    /// deleted.
    lead: String,
    /// The fields that are open, which may go on over paragraphs.
    fields: Vec<Field>,
    warnings: Vec<Warning>,
    /// How many things that may be dark are around the text that is being read.
    dark_around: usize,
    /// Whether the headers and footers leave the paper white, once that was asked.
    is_white_paper: OnceCell<bool>,
}

impl<'p> DocxWriter<'p> {
    /// The mark in the text of a note that was just added.
    fn note_mark(&self, kind: NoteKind) -> String {
        let of_kind = |note: &&(NoteKind, String)| {
            (note.0 == NoteKind::Comment) == (kind == NoteKind::Comment)
        };
        let number = self.notes.iter().filter(of_kind).count();
        match kind {
            NoteKind::Comment => format!("[^comment-{number}]"),
            _ => format!("[^{number}]"),
        }
    }

    fn write_all_notes(
        &mut self,
        folder: &str,
        relations: &HashMap<String, Relationship>,
    ) -> Result<(), DocumentError> {
        for kind in NoteKind::ALL {
            if !self.notes.iter().any(|note| note.0 == kind) {
                continue;
            }
            let related = format!("/{}s", kind.element());
            let name = relations
                .values()
                .find(|relation| relation.kind.ends_with(&related))
                .map_or_else(
                    || format!("{folder}{}s.xml", kind.element()),
                    |it| it.target.clone(),
                );
            if let Some(tree) = self.package.intact_part(&name)? {
                self.relations = self.package.relations(&name)?;
                self.write_notes(kind, tree.root())?;
            }
        }
        Ok(())
    }

    fn write_notes(&mut self, kind: NoteKind, root: XmlElement<'_>) -> Result<(), DocumentError> {
        let bodies: HashMap<&str, XmlElement<'_>> = root
            .all(kind.element())
            .filter_map(|note| Some((note.attribute("id")?, note)))
            .collect();
        let mut marked = Vec::new();
        let all = std::mem::take(&mut self.notes);
        for note in &all {
            self.notes.push(note.clone());
            if note.0 == kind {
                marked.push((self.note_mark(kind), note.1.clone()));
            }
        }
        for (mark, id) in marked {
            let Some(body) = bodies.get(id.as_str()) else {
                continue;
            };
            let mut late = Vec::new();
            let text = self.cell(*body, &mut late).replace('\n', " ");
            let author = body
                .attribute("author")
                .filter(|_| kind == NoteKind::Comment);
            let author = author.map(|name| format!("{name}: ")).unwrap_or_default();
            self.markdown.block(&format!("{mark}: {author}{text}"));
            self.write_graphics(&late)?;
        }
        Ok(())
    }

    /// Writes every header and footer that is shown, each text once.
    fn write_headers_and_footers(
        &mut self,
        body: XmlElement<'_>,
        folder: &str,
        relations: &HashMap<String, Relationship>,
    ) -> Result<(), DocumentError> {
        let settings = self.package.intact_part(&format!("{folder}settings.xml"))?;
        let has_even = settings
            .as_ref()
            .is_some_and(|it| is_on(it.root(), "evenAndOddHeaders"));
        let mut parts: Vec<&str> = Vec::new();
        for section in body.find_all("sectPr") {
            let has_first = is_on(section, "titlePg");
            for reference in section.elements() {
                let is_shown = match reference.attribute("type") {
                    Some("first") => has_first,
                    Some("even") => has_even,
                    _ => true,
                };
                let is_reference =
                    matches!(reference.name(), "headerReference" | "footerReference");
                let relation = reference
                    .qualified_attribute("id")
                    .and_then(|id| relations.get(id))
                    .filter(|_| is_reference && is_shown);
                parts.extend(relation.map(|relation| relation.target.as_str()));
            }
        }
        let mut seen: Vec<String> = Vec::new();
        for part in parts {
            let text = self.part_text(part)?;
            // A page number alone says nothing.
            if text.contains(char::is_alphabetic) && !seen.contains(&text) {
                if seen.is_empty() {
                    self.markdown.block("<!-- headers and footers -->");
                }
                self.markdown.block(&text);
                seen.push(text);
            }
        }
        Ok(())
    }

    /// The text of a part of its own.
    fn part_text(&mut self, part: &str) -> Result<String, DocumentError> {
        let Some(tree) = self.package.intact_part(part)? else {
            return Ok(String::new());
        };
        self.relations = self.package.relations(part)?;
        let outer = std::mem::replace(&mut self.markdown, self.package.input.markdown());
        self.blocks(tree.root())?;
        let inner = std::mem::replace(&mut self.markdown, outer);
        Ok(inner.finish().0)
    }
}

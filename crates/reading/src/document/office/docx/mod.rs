//! Word documents.
//!
//! The body is walked once. Deleted and hidden text is left out, inserted text is kept. A text box,
//! a chart or a diagram follows the paragraph that it is anchored to. Footnotes and comments come
//! at the end, numbered as in the text, and then every header and footer once.

mod backdrop;
mod blocks;
mod chunks;
mod looks;
mod notes;
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
use notes::Notes;
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
        notes: Notes::default(),
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
    if let Some(warning) = tree.warning() {
        document.warn(warning);
    }
    if tree.too_deep {
        document.warn(Warning::TooNested);
    }
    Ok(document)
}

struct DocxWriter<'p> {
    package: &'p Package<'p>,
    styles: StyleDefinitions,
    numbering: Numbering,
    /// The relationships of the part that is being read.
    relations: HashMap<String, Relationship>,
    markdown: Markdown,
    notes: Notes,
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

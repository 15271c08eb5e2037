//! Documents of OpenOffice 1 and StarOffice 6 (SXW, SXC, SXI), from before OpenDocument.
//!
//! OpenDocument came from this format, so that a few names are all that differs. The parts of such a
//! file are written with the names of today into one flat file, which is read like any other.

use std::borrow::Cow;

use super::budget::Budget;
use super::encryption::Encrypted;
use super::error::DocumentError;
use super::format::{DocumentKind, Format, Signature};
use super::zip::ZipArchive;
use super::{Document, Hint, Input, read_nested};

impl DocumentKind {
    /// A document of OpenOffice 1. One that was read has the kind that its content has today.
    pub const STAR_OFFICE: DocumentKind = DocumentKind::named("staroffice");
}

pub(super) static STAR_OFFICE: Format = Format {
    kind: DocumentKind::STAR_OFFICE,
    label: Some("SXW, SXC, SXI"),
    media_types: &[
        "application/vnd.sun.xml.writer",
        "application/vnd.sun.xml.writer.template",
        "application/vnd.sun.xml.calc",
        "application/vnd.sun.xml.calc.template",
        "application/vnd.sun.xml.impress",
        "application/vnd.sun.xml.impress.template",
        "application/vnd.sun.xml.draw",
    ],
    extensions: &["sxw", "stw", "sxc", "stc", "sxi", "sti", "sxd"],
    signature: Signature::Zip(|zip| {
        let declares = |family: &str| {
            zip.first_entry_mentions(family) || zip.entry_mentions("META-INF/manifest.xml", family)
        };
        // LibreOffice names the settings of its menus by the old family in OpenDocument, too.
        zip.has_listed_entry("content.xml")
            && declares("vnd.sun.xml.")
            && !declares("vnd.oasis.opendocument")
    }),
    needs_worker: true,
    is_text: false,
    read: read_star_office,
};

fn read_star_office(input: &Input<'_>) -> Result<Document, DocumentError> {
    let archive = ZipArchive::open(input.bytes, input.budget.limits.entries)?;
    let manifest = archive.read_entry("META-INF/manifest.xml", input.budget)?;
    if manifest.is_some_and(|it| String::from_utf8_lossy(&it).contains("encryption-data")) {
        return Err(Encrypted::OpenDocument.not_supported());
    }
    let content = archive.require_entry("content.xml", input.budget)?;
    let content = String::from_utf8_lossy(&content);
    let mut flat = Flat {
        body: body_name(&content),
        text: "<office:document >".to_owned(),
    };
    for name in ["meta.xml", "styles.xml"] {
        let part = archive.read_entry(name, input.budget)?.unwrap_or_default();
        flat.add(&String::from_utf8_lossy(&part), input.budget)?;
    }
    flat.add(&content, input.budget)?;
    flat.text.push_str("</office:document>");
    let hint = Hint {
        wanted: input.hint.wanted.clone(),
        formulas: input.hint.formulas,
        ..Hint::default()
    };
    read_nested(flat.text.as_bytes(), &hint, input)
}

/// The element that OpenDocument has around the content, by the class of the document.
fn body_name(content: &str) -> &'static str {
    let class = content.split_once("office:class=\"").map(|(_, rest)| rest);
    match class.and_then(|rest| rest.split('"').next()) {
        Some("spreadsheet") => "office:spreadsheet",
        Some("presentation" | "drawing") => "office:presentation",
        _ => "office:text",
    }
}

/// The flat file.
struct Flat {
    body: &'static str,
    text: String,
}

impl Flat {
    /// Adds what is in the root of a part. Some tags become several, so that this is counted piece by piece.
    fn add(&mut self, part: &str, budget: &Budget) -> Result<(), DocumentError> {
        let mut pieces = part.split('<');
        pieces.next();
        for piece in pieces {
            let before = self.text.len();
            match piece.split_once('>') {
                Some((tag, text)) => {
                    self.add_tag(tag);
                    self.text.push_str(text);
                }
                None => self.text.push_str(piece),
            }
            budget.count_unpacked((self.text.len() - before) as u64)?;
        }
        Ok(())
    }

    fn add_tag(&mut self, tag: &str) {
        // Declarations, and the root.
        if tag.starts_with(['?', '!']) || tag.trim_start_matches('/').starts_with("office:document")
        {
            return;
        }
        let is_end = tag.starts_with('/');
        let is_empty = tag.ends_with('/');
        let name_end = tag.find(char::is_whitespace).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(name_end);
        let name = name.trim_matches('/');
        let attributes = attributes.trim_end_matches('/');
        match (name, is_end) {
            ("style:properties", false) => self.add_properties(attributes, is_empty),
            ("office:body", false) => self.push(&["<office:body><", self.body, ">"]),
            ("office:body", true) => self.push(&["</", self.body, "></office:body>"]),
            ("draw:text-box", false) => self.push(&[
                "<draw:frame",
                attributes,
                "><draw:text-box",
                if is_empty { "/></draw:frame>" } else { ">" },
            ]),
            ("draw:text-box", true) => self.push(&["</draw:text-box></draw:frame>"]),
            (_, true) => self.push(&["</", modern_name(name), ">"]),
            _ => {
                let attributes = modern_attributes(name, attributes);
                let end = if is_empty { "/>" } else { ">" };
                self.push(&["<", modern_name(name), &attributes, end]);
            }
        }
    }

    /// Adds properties of text, paragraphs and tables, which were together in one element.
    fn add_properties(&mut self, attributes: &str, is_empty: bool) {
        let end = if is_empty { "/>" } else { ">" };
        self.push(&["<style:text-properties", attributes, "/>"]);
        self.push(&["<style:table-properties", attributes, "/>"]);
        self.push(&["<style:properties", attributes, end]);
    }

    fn push(&mut self, pieces: &[&str]) {
        self.text.extend(pieces.iter().copied());
    }
}

/// What an element is called today.
fn modern_name(name: &str) -> &str {
    match name {
        "text:ordered-list" | "text:unordered-list" => "text:list",
        "text:footnote" | "text:endnote" => "text:note",
        "text:footnote-citation" | "text:endnote-citation" => "text:note-citation",
        "text:footnote-body" | "text:endnote-body" => "text:note-body",
        "text:tab-stop" => "text:tab",
        "office:font-decls" => "office:font-face-decls",
        "style:font-decl" => "style:font-face",
        _ => name,
    }
}

fn modern_attributes<'t>(name: &str, attributes: &'t str) -> Cow<'t, str> {
    match name {
        "text:h" => Cow::Owned(attributes.replace(" text:level=", " text:outline-level=")),
        "style:font-decl" => {
            Cow::Owned(attributes.replace(" fo:font-family=", " svg:font-family="))
        }
        _ => Cow::Borrowed(attributes),
    }
}

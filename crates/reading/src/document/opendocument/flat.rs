//! Flat OpenDocument files: the parts of a package in one XML file.

use super::super::error::DocumentError;
use super::super::format::{DocumentKind, Format, Signature};
use super::super::xml::XmlTree;
use super::super::{Document, Input};
use super::{OpenDocumentWriter, describe};

impl DocumentKind {
    /// An OpenDocument file that is one XML file. A document that was read has the kind of its
    /// content.
    pub const FLAT_OPENDOCUMENT: DocumentKind = DocumentKind::named("flat-opendocument");
}

pub(in crate::document) static FLAT: Format = Format {
    kind: DocumentKind::FLAT_OPENDOCUMENT,
    label: Some("FODT, FODS, FODP"),
    media_types: &[
        "application/vnd.oasis.opendocument.text-flat-xml",
        "application/vnd.oasis.opendocument.spreadsheet-flat-xml",
        "application/vnd.oasis.opendocument.presentation-flat-xml",
    ],
    extensions: &["fodt", "fods", "fodp"],
    signature: Signature::Within(|start, _| is_flat(start)),
    needs_worker: true,
    is_text: true,
    read: read_flat,
};

fn is_flat(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let is_markup = text.starts_with("<?xml") || text.starts_with("<office:document");
    is_markup
        && [
            "<office:document ",
            "<office:document\n",
            "<office:document\r",
        ]
        .iter()
        .any(|it| text.contains(it))
}

fn read_flat(input: &Input<'_>) -> Result<Document, DocumentError> {
    let tree = XmlTree::parse(input.bytes, input.nodes())?;
    let root = tree.root();
    let body = root.child("body").ok_or(DocumentError::Broken)?;
    let kind = if body.child("spreadsheet").is_some() {
        DocumentKind::ODS
    } else if body.child("presentation").is_some() {
        DocumentKind::ODP
    } else {
        DocumentKind::ODT
    };
    let mut document = OpenDocumentWriter::new(kind, input, &tree, None).document(root)?;
    if let Some(meta) = root.child("meta") {
        describe(&mut document, meta);
    }
    if let Some(warning) = tree.warning() {
        document.warn(warning);
    }
    Ok(document)
}

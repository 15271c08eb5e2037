//! Electronic books: the chapters of the spine, in order.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::Markdown;
use super::office::full_name;
use super::xml::{XmlElement, XmlTree};
use super::zip::ZipArchive;
use super::{Document, Input, present, xhtml};

impl DocumentKind {
    /// An electronic book.
    pub const EPUB: DocumentKind = DocumentKind::named("epub");
}

pub(super) static EPUB: Format = Format {
    kind: DocumentKind::EPUB,
    label: Some("EPUB"),
    media_types: &["application/epub+zip"],
    extensions: &["epub"],
    signature: Signature::Zip(|zip| {
        zip.has_entry("META-INF/container.xml", "application/epub+zip")
    }),
    needs_worker: true,
    is_text: false,
    read: read_epub,
};

fn read_epub(input: &Input<'_>) -> Result<Document, DocumentError> {
    let archive = ZipArchive::open(input.bytes, input.budget.limits.entries)?;
    let package_name = package_name(&archive, input)?;
    let package = XmlTree::parse(
        &archive.require_entry(&package_name, input.budget)?,
        input.nodes(),
    )?;
    let folder = package_name
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let protected =
        archive.contains("META-INF/rights.xml") || archive.contains("META-INF/license.lcpl");

    let mut markdown = input.markdown();
    let (mut chapters, mut missing) = (0, false);
    for part in spine(package.root(), folder) {
        chapters += 1;
        match archive.read_entry(&part, input.budget) {
            Ok(Some(bytes)) => missing |= !write_chapter(&bytes, input, &mut markdown),
            Ok(None) | Err(DocumentError::Broken) => missing = true,
            Err(error) => return Err(error),
        }
        if markdown.is_full() {
            break;
        }
    }
    match (chapters, markdown.is_empty(), protected) {
        (_, true, true) => return Err(DocumentError::Encrypted),
        (0, ..) => return Err(DocumentError::Broken),
        _ => {}
    }
    let mut document = Document::new(DocumentKind::EPUB, markdown);
    describe(&mut document, package.root());
    document.pages = Some(chapters);
    if missing {
        document.warn(Warning::Incomplete);
    }
    Ok(document)
}

/// The name of the part that describes the book.
fn package_name(archive: &ZipArchive<'_>, input: &Input<'_>) -> Result<String, DocumentError> {
    let container = XmlTree::parse(
        &archive.require_entry("META-INF/container.xml", input.budget)?,
        input.nodes(),
    )?;
    container
        .root()
        .find("rootfile")
        .and_then(|it| it.attribute("full-path"))
        .map(str::to_owned)
        .ok_or(DocumentError::Broken)
}

/// The names of the chapters, in reading order.
fn spine(package: XmlElement<'_>, folder: &str) -> Vec<String> {
    let manifest: HashMap<&str, &str> = package
        .child("manifest")
        .into_iter()
        .flat_map(|manifest| manifest.all("item").collect::<Vec<_>>())
        .filter_map(|item| Some((item.attribute("id")?, item.attribute("href")?)))
        .collect();
    let references = package
        .child("spine")
        .into_iter()
        .flat_map(|spine| spine.all("itemref").collect::<Vec<_>>());
    let targets = references.filter_map(|item| manifest.get(item.attribute("idref")?).copied());
    // A reference has percent escapes, the names in the archive do not.
    targets
        .map(|target| full_name(folder, &percent_decode_str(target).decode_utf8_lossy()))
        .collect()
}

/// Writes one chapter. Returns whether it was complete.
fn write_chapter(bytes: &[u8], input: &Input<'_>, markdown: &mut Markdown) -> bool {
    let Ok(tree) = XmlTree::parse(bytes, input.nodes()) else {
        return bytes.is_empty();
    };
    let root = tree.root();
    // Links inside the book are of no use to a reader of its text.
    let link = |target: &str| target.contains("://").then(|| target.to_owned());
    xhtml::write_xhtml(root.find("body").unwrap_or(root), &link, markdown);
    !tree.incomplete
}

fn describe(document: &mut Document, package: XmlElement<'_>) {
    let Some(metadata) = package.child("metadata") else {
        return;
    };
    let value = |name: &str| {
        metadata
            .find(name)
            .and_then(|element| present(element.text()))
    };
    document.title = value("title");
    document.author = value("creator");
    document.date = value("date");
    document.language = value("language");
}

//! Electronic books: the chapters of the spine, in order.

use std::cell::RefCell;
use std::collections::HashMap;

use percent_encoding::percent_decode_str;

use super::encryption::Encrypted;
use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::Markdown;
use super::office::full_name;
use super::parts::Unit;
use super::xml::{XmlElement, XmlTree};
use super::zip::ZipArchive;
use super::{Document, Input, present, xhtml};
use crate::extract::{self, StyleRules, charset};

/// How many style sheets of a chapter are read.
const MAX_SHEETS: usize = 16;

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
        // InDesign packages have a container, too.
        zip.has_entry("META-INF/container.xml", "application/epub+zip")
            && !zip.has_listed_entry("designmap.xml")
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

    let mut spine = spine(package.root(), folder);
    if !spine.iter().any(|part| archive.contains(part)) {
        spine = pages_of(&archive);
    }
    let mut markdown = input.markdown();
    let book = StyleSheets {
        archive: &archive,
        input,
        read: RefCell::default(),
    };
    let (mut chapters, mut missing) = (0, false);
    for part in spine {
        chapters += 1;
        if markdown.is_full() || !input.wants_number(chapters) {
            markdown.part_without_text(Unit::Chapter, chapters, None);
            continue;
        }
        match archive.read_entry(&part, input.budget) {
            Ok(Some(bytes)) => {
                let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
                let sheet = |target: &str| book.sheet(folder, target);
                write_chapter(&bytes, chapters, input, &sheet, &mut markdown);
            }
            Ok(None) | Err(DocumentError::Broken) => missing = true,
            Err(error) => return Err(error),
        }
    }
    match (chapters, markdown.is_empty(), protected) {
        (_, true, true) => return Err(Encrypted::Book.not_supported()),
        (0, ..) => return Err(DocumentError::Broken),
        (_, true, _) if input.hint.wanted.is_none() && has_pictures(&archive) => {
            return Err(DocumentError::PictureBook);
        }
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

/// The name of the part that describes the book: as the container says, else the first of its kind.
fn package_name(archive: &ZipArchive<'_>, input: &Input<'_>) -> Result<String, DocumentError> {
    let container = archive.read_entry("META-INF/container.xml", input.budget)?;
    let tree = container.and_then(|bytes| XmlTree::parse(&bytes, input.nodes()).ok());
    let named = tree.as_ref().and_then(|tree| {
        let file = tree.root().find("rootfile")?;
        file.attribute("full-path").map(str::to_owned)
    });
    let first = || archive.names().find(|name| name.ends_with(".opf"));
    named
        .filter(|name| archive.contains(name))
        .or_else(|| first().map(str::to_owned))
        .ok_or(DocumentError::Broken)
}

fn has_pictures(archive: &ZipArchive<'_>) -> bool {
    const PICTURES: &[&str] = &[".jpg", ".jpeg", ".png", ".webp", ".gif"];
    let mut names = archive.names().map(str::to_ascii_lowercase);
    names.any(|name| PICTURES.iter().any(|end| name.ends_with(end)))
}

/// All pages in the archive's order, for a book whose spine leads nowhere.
fn pages_of(archive: &ZipArchive<'_>) -> Vec<String> {
    let is_page = |name: &&str| {
        [".xhtml", ".html", ".htm"]
            .iter()
            .any(|end| name.to_ascii_lowercase().ends_with(end))
    };
    archive.names().filter(is_page).map(str::to_owned).collect()
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

/// Writes one chapter. Markup that is no XML is read as the web reads it.
fn write_chapter(
    bytes: &[u8],
    number: u32,
    input: &Input<'_>,
    sheet: &dyn Fn(&str) -> String,
    markdown: &mut Markdown,
) {
    let parsed = XmlTree::parse(bytes, input.nodes()).ok();
    let Some(tree) = parsed.filter(|tree| !tree.incomplete) else {
        let text = charset::decode(bytes, None).text;
        markdown.part(Unit::Chapter, number, None);
        markdown.block(&extract::whole_markdown(&text, "about:blank").markdown);
        return;
    };
    let root = tree.root();
    let title = root.find("title").map(|title| title.text());
    markdown.part(Unit::Chapter, number, title.as_deref());
    // Links inside the book are of no use to a reader of its text.
    let link = |target: &str| target.contains("://").then(|| target.to_owned());
    if root.name() == "svg" {
        xhtml::write_svg(root, &link, markdown);
    } else {
        let rules = style_rules(root, sheet);
        xhtml::write_xhtml(root.find("body").unwrap_or(root), &link, &rules, markdown);
    }
}

/// The rules of the style sheets in a chapter, and of those that it refers to.
fn style_rules(root: XmlElement<'_>, sheet: &dyn Fn(&str) -> String) -> StyleRules {
    let head = root.child("head").into_iter();
    let sheets = head.flat_map(XmlElement::elements).filter_map(|element| {
        let target = element.attribute("href");
        match element.name() {
            "style" => Some(element.text()),
            "link" if element.attribute("rel") == Some("stylesheet") => target.map(sheet),
            _ => None,
        }
    });
    StyleRules::of_sheets(&sheets.take(MAX_SHEETS).collect::<Vec<_>>())
}

/// The style sheets of a book, which all its chapters refer to.
struct StyleSheets<'a> {
    archive: &'a ZipArchive<'a>,
    input: &'a Input<'a>,
    read: RefCell<HashMap<String, String>>,
}

impl StyleSheets<'_> {
    /// The text of a style sheet. Empty if it cannot be read.
    fn sheet(&self, folder: &str, target: &str) -> String {
        let name = full_name(folder, &percent_decode_str(target).decode_utf8_lossy());
        let mut read = self.read.borrow_mut();
        let text = read.entry(name).or_insert_with_key(|name| {
            let bytes = self.archive.read_entry(name, self.input.budget);
            let bytes = bytes.ok().flatten().unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        text.clone()
    }
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
    let creators = metadata.find_all("creator").into_iter();
    let creators: Vec<String> = creators.filter_map(|it| present(it.text())).collect();
    document.author = present(creators.join(", "));
    document.date = value("date");
    document.language = value("language");
}

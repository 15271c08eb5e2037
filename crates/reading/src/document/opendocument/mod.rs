//! OpenDocument text, spreadsheets and presentations, whose content is in `content.xml`, with
//! charts and equations in folders of their own.

mod backdrop;
mod blocks;
pub(super) mod flat;
mod inline;
mod lists;
mod objects;
mod package;
mod sheets;
mod slides;
mod spans;
mod styles;

use super::error::{DocumentError, Warning};
use super::format::{DocumentKind, Format, Signature};
use super::markdown::{Markdown, one_line};
use super::xml::{XmlElement, XmlTree};
use super::zip_listing::ZipListing;
use super::{Document, Input, present};
use lists::ListCounters;
use package::OpenPackage;
use styles::OpenStyles;

impl DocumentKind {
    /// An OpenDocument text.
    pub const ODT: DocumentKind = DocumentKind::named("odt");
    /// An OpenDocument spreadsheet.
    pub const ODS: DocumentKind = DocumentKind::named("ods");
    /// An OpenDocument presentation.
    pub const ODP: DocumentKind = DocumentKind::named("odp");
}

pub(super) static ODT: Format = Format {
    kind: DocumentKind::ODT,
    label: Some("ODT"),
    media_types: &[
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.text-template",
    ],
    extensions: &["odt", "ott"],
    signature: Signature::Zip(|zip| {
        is_open_document(zip) && !is_spreadsheet(zip) && !is_presentation(zip)
    }),
    needs_worker: true,
    is_text: false,
    read: |input| read_opendocument(DocumentKind::ODT, input),
};

pub(super) static ODS: Format = Format {
    kind: DocumentKind::ODS,
    label: Some("ODS"),
    media_types: &[
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.spreadsheet-template",
    ],
    extensions: &["ods", "ots"],
    signature: Signature::Zip(|zip| is_open_document(zip) && is_spreadsheet(zip)),
    needs_worker: true,
    is_text: false,
    read: |input| read_opendocument(DocumentKind::ODS, input),
};

pub(super) static ODP: Format = Format {
    kind: DocumentKind::ODP,
    label: Some("ODP"),
    media_types: &[
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.presentation-template",
    ],
    extensions: &["odp", "otp"],
    signature: Signature::Zip(|zip| is_open_document(zip) && is_presentation(zip)),
    needs_worker: true,
    is_text: false,
    read: |input| read_opendocument(DocumentKind::ODP, input),
};

fn is_open_document(zip: &ZipListing<'_>) -> bool {
    zip.has_entry("content.xml", "vnd.oasis.opendocument")
        || (zip.has_listed_entry("encrypted-package")
            && zip.first_entry_mentions("vnd.oasis.opendocument"))
}

fn is_spreadsheet(zip: &ZipListing<'_>) -> bool {
    declares(zip, "opendocument.spreadsheet", "<office:spreadsheet")
}

fn is_presentation(zip: &ZipListing<'_>) -> bool {
    declares(zip, "opendocument.presentation", "<office:presentation")
}

/// Whether the file says what it is: in its first entry, or where a program left that out, in the
/// manifest or the content itself.
fn declares(zip: &ZipListing<'_>, media_type: &str, body: &str) -> bool {
    const FAMILY: &str = "vnd.oasis.opendocument";
    if zip.first_entry_mentions(FAMILY) {
        return zip.first_entry_mentions(media_type);
    }
    if zip.entry_mentions("META-INF/manifest.xml", FAMILY) {
        return zip.entry_mentions("META-INF/manifest.xml", media_type);
    }
    zip.entry_mentions("content.xml", body)
}

fn read_opendocument(kind: DocumentKind, input: &Input<'_>) -> Result<Document, DocumentError> {
    let package = OpenPackage::open(input)?;
    let content = package.part("content.xml")?.ok_or(DocumentError::Broken)?;
    let tree = XmlTree::parse(&content, input.nodes())?;
    let common = package.intact_tree("styles.xml")?;
    let mut writer = OpenDocumentWriter::new(kind, input, &tree, common.as_ref());
    writer.package = Some(&package);
    let mut document = writer.document(tree.root())?;
    if let Some(meta) = package.intact_tree("meta.xml")? {
        describe(&mut document, meta.root());
    }
    if let Some(warning) = tree.warning() {
        document.warn(warning);
    }
    Ok(document)
}

fn describe(document: &mut Document, root: XmlElement<'_>) {
    let value = |name: &str| root.find(name).and_then(|element| present(element.text()));
    document.title = value("title");
    // The other is who changed it last.
    document.author = value("initial-creator").or_else(|| value("creator"));
    document.date = value("date").or_else(|| value("creation-date"));
    document.language = value("language");
}

struct OpenDocumentWriter<'t> {
    kind: DocumentKind,
    input: &'t Input<'t>,
    package: Option<&'t OpenPackage<'t>>,
    styles: OpenStyles<'t>,
    /// Headers and footers, of which each text is written once.
    masters: Option<XmlElement<'t>>,
    markdown: Markdown,
    notes: Vec<String>,
    comments: Vec<String>,
    /// The names of comments on a passage that has not ended, with their numbers.
    open_comments: Vec<(&'t str, usize)>,
    counters: ListCounters<'t>,
    warnings: Vec<Warning>,
}

impl<'t> OpenDocumentWriter<'t> {
    fn new(
        kind: DocumentKind,
        input: &'t Input<'t>,
        content: &'t XmlTree,
        common: Option<&'t XmlTree>,
    ) -> OpenDocumentWriter<'t> {
        let roots: Vec<XmlElement<'t>> = common
            .into_iter()
            .chain([content])
            .map(XmlTree::root)
            .collect();
        OpenDocumentWriter {
            kind,
            input,
            package: None,
            masters: roots.iter().find_map(|root| root.child("master-styles")),
            styles: OpenStyles::read(&roots),
            markdown: input.markdown(),
            notes: Vec::new(),
            comments: Vec::new(),
            counters: ListCounters::default(),
            open_comments: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn document(mut self, root: XmlElement<'t>) -> Result<Document, DocumentError> {
        let body = root.child("body").ok_or(DocumentError::Broken)?;
        let pages = match self.kind {
            DocumentKind::ODS => Some(self.sheets(body)?),
            DocumentKind::ODP => Some(self.slides(body)?),
            _ => {
                for text in body.elements() {
                    self.blocks(text, 0)?;
                }
                None
            }
        };
        for (index, note) in std::mem::take(&mut self.notes).iter().enumerate() {
            self.markdown.block(&format!("[^{}]: {note}", index + 1));
        }
        for (index, comment) in std::mem::take(&mut self.comments).iter().enumerate() {
            self.markdown
                .block(&format!("[^comment-{}]: {comment}", index + 1));
        }
        if self.kind == DocumentKind::ODT {
            self.headers_and_footers();
        }
        let mut document = Document::new(self.kind, self.markdown);
        document.pages = pages;
        for warning in self.warnings {
            document.warn(warning);
        }
        Ok(document)
    }

    /// Writes the headers and footers of all kinds of pages, each text once.
    fn headers_and_footers(&mut self) {
        let pages = self
            .masters
            .map(|masters| masters.all("master-page").collect::<Vec<_>>())
            .unwrap_or_default();
        let mut seen: Vec<String> = Vec::new();
        for part in pages
            .into_iter()
            .flat_map(|page| page.elements().collect::<Vec<_>>())
        {
            let is_shown = part.attribute("display") != Some("false")
                && (part.name().starts_with("header") || part.name().starts_with("footer"));
            if !is_shown {
                continue;
            }
            let text = self.cell(part);
            if text.contains(char::is_alphabetic) && !seen.contains(&text) {
                if seen.is_empty() {
                    self.markdown.block("<!-- headers and footers -->");
                }
                self.markdown.block(&text);
                seen.push(text);
            }
        }
    }
}

/// Who commented and what, in one line.
fn comment_text(annotation: XmlElement<'_>) -> (Option<String>, String) {
    let author = annotation
        .child("creator")
        .and_then(|it| present(it.text()));
    let lines = annotation
        .elements()
        .filter(|it| matches!(it.name(), "p" | "list" | "h"))
        .map(|it| it.text());
    (author, one_line(&lines.collect::<Vec<_>>().join(" ")))
}

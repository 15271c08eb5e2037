//! Documents to Markdown: PDF, Office, OpenDocument, books, tables, feeds and text.
//!
//! [`DocumentKind`] names the format of the bytes, one module reads each format, and all of them
//! share one account of the [`Limits`]. Parsers of binary formats belong in a process of their own
//! (the engine's `DocumentWorkers`), which has a deadline and a cap on memory and whose crash is
//! only a fault. [`read_document_within`] is what that process runs; tests call [`read_document`]
//! directly.

mod archive;
mod budget;
mod compound;
mod delimited;
mod encryption;
mod epub;
mod error;
mod fb2;
mod feed;
mod field_code;
mod field_equation;
mod format;
mod hint;
mod html;
mod html_symbols;
mod image;
mod item_mark;
mod json;
mod mail;
mod markdown;
mod markup;
mod mobi;
mod notebook;
mod office;
mod omml;
mod opendocument;
mod parts;
mod password;
mod pdf;
mod read;
mod recognise;
mod rtf;
pub mod scan;
mod signed;
mod sniff;
mod source;
mod staroffice;
mod subtitle;
mod symbol_fonts;
mod text;
mod unreadable;
mod vobject;
mod webarchive;
mod xhtml;
pub mod xml;
mod xml_outline;
mod zip;
mod zip_directory;
mod zip_listing;
mod zip_walk;

use fault::Fault;
use serde::{Deserialize, Serialize};

pub use budget::Limits;
pub use encryption::{Attempt, Encrypted};
pub use error::{DocumentError, Warning};
pub use format::DocumentKind;
pub use hint::Hint;
pub use parts::{Bookmark, Part, Unit, WantedParts, is_same_name, shown_name};
pub use password::Password;

use crate::extract::Metadata;
use format::Format;
use markdown::{Markdown, one_line};
use read::{Input, MAX_DEPTH, read_as_one_of, read_nested};
use scan::Scans;

/// Every format, in the order in which they are tried and error messages list them.
static FORMATS: &[&Format] = &[
    &pdf::PDF,
    &epub::EPUB,
    &mobi::MOBI,
    &fb2::FB2,
    // Before OpenDocument, whose files it looks like.
    &staroffice::STAR_OFFICE,
    &opendocument::ODT,
    &opendocument::ODS,
    &opendocument::ODP,
    &opendocument::flat::FLAT,
    &office::docx::DOCX,
    &office::pptx::PPTX,
    &office::xlsb::XLSB,
    &office::xlsx::XLSX,
    // Before the old formats: some programs add an empty document of one.
    &encryption::office::ENCRYPTED_OFFICE,
    &office::doc::DOC,
    &office::xls::XLS,
    &office::old_excel::OLD_EXCEL,
    &office::ppt::PPT,
    &rtf::RTF,
    &webarchive::WEBARCHIVE,
    &signed::SIGNED,
    &mail::msg::MSG,
    &mail::eml::EML,
    &mail::mbox::MBOX,
    &mail::tnef::TNEF,
    &vobject::CALENDAR,
    &vobject::CONTACTS,
    &subtitle::SRT,
    &subtitle::VTT,
    &notebook::NOTEBOOK,
    &delimited::CSV,
    &delimited::TSV,
    &json::JSON_LINES,
    &json::JSON,
    &xml_outline::XML,
    &feed::FEED,
    &markup::latex::LATEX,
    &markup::rst::RST,
    &markup::asciidoc::ASCIIDOC,
    &text::YAML,
    &html::HTML,
    &text::MARKDOWN,
    &source::SOURCE,
    &text::TEXT,
    &archive::TAR,
    &archive::GZIP,
    &image::IMAGE,
    &unreadable::VISIO,
    &unreadable::PUBLISHER,
    &unreadable::HANGUL,
    &unreadable::OLD_HANGUL,
    &unreadable::PROJECT,
    &unreadable::PERFECT_OFFICE,
    &unreadable::COMPOUND,
    &unreadable::IWORK,
    &unreadable::XPS,
    &archive::ZIP,
    &unreadable::ONENOTE,
    &unreadable::DJVU,
    &unreadable::HTML_HELP,
    &unreadable::POSTSCRIPT,
    &unreadable::WORDPERFECT,
    &unreadable::OLD_WORD,
    &unreadable::WRITE,
    &unreadable::MAIL_FOLDER,
    &unreadable::DRAWING,
    &unreadable::METAFILE,
    &unreadable::OLD_SPREADSHEET,
    &unreadable::DATABASE,
    &unreadable::PROGRAM,
    &unreadable::FONT,
    &unreadable::PROPERTY_LIST,
    &unreadable::MEDIA,
    &unreadable::ARCHIVE,
    &unreadable::EBCDIC,
    &unreadable::BINARY,
];

/// A document as Markdown. Facts that it does not state are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The format it was read as.
    pub kind: DocumentKind,
    pub title: Option<String>,
    pub author: Option<String>,
    /// When it was written or published, in the document's own notation.
    pub date: Option<String>,
    /// The language, as the document declares it.
    pub language: Option<String>,
    pub markdown: String,
    /// The number of pages, slides, sheets, chapters or files.
    pub pages: Option<u32>,
    /// The parts that can be asked for one by one, in the document's order.
    pub parts: Vec<Part>,
    /// Whether the end is missing because the document exceeds a limit.
    pub truncated: bool,
    pub warnings: Vec<Warning>,
    /// The numbers of the pages that are pictures and were not read.
    pub scans: Vec<u32>,
}

impl Document {
    fn new(kind: DocumentKind, mut markdown: Markdown) -> Document {
        let parts = markdown.take_parts();
        let (markdown, truncated) = markdown.finish();
        let warnings = if truncated {
            vec![Warning::Truncated]
        } else {
            Vec::new()
        };
        Document {
            kind,
            title: None,
            author: None,
            date: None,
            language: None,
            markdown,
            pages: None,
            parts,
            truncated,
            warnings,
            scans: Vec::new(),
        }
    }

    fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
        self.truncated |= warning == Warning::Truncated;
    }

    /// Tells of the time as the reason for which the end is missing.
    fn tell_of_time(&mut self) {
        for warning in &mut self.warnings {
            if *warning == Warning::Truncated {
                *warning = Warning::OutOfTime;
            }
        }
    }

    /// The warnings as one line. `None` if there are none.
    pub fn parse_warning(&self) -> Option<String> {
        let sentences: Vec<_> = self
            .warnings
            .iter()
            .map(|warning| warning.sentence())
            .collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

impl From<&Document> for Metadata {
    fn from(document: &Document) -> Metadata {
        Metadata {
            title: document.title.clone(),
            author: document.author.clone(),
            published: document.date.clone(),
            language: document.language.clone(),
            ..Metadata::default()
        }
    }
}

/// The text on one line. `None` if it is blank.
fn present(text: impl AsRef<str>) -> Option<String> {
    let text = one_line(text.as_ref());
    (!text.is_empty()).then_some(text)
}

/// Reads a document in this process. Blocks, takes processor time, and panics where a parser does:
/// a server reads through the engine's `DocumentWorkers`.
pub fn read_document(bytes: &[u8], hint: &Hint) -> Result<Document, Fault> {
    let limits = Limits::default();
    read_document_within(bytes, hint, limits).map_err(|error| error.fault(bytes.len(), &limits))
}

/// Reads a document within the given limits.
pub fn read_document_within(
    bytes: &[u8],
    hint: &Hint,
    limits: Limits,
) -> Result<Document, DocumentError> {
    read_with_scans(bytes, hint, limits).map(|(document, _)| document)
}

/// Reads a document within the given limits, and returns the pages that [`Hint::scans`] wants as
/// pictures.
pub fn read_with_scans(
    bytes: &[u8],
    hint: &Hint,
    limits: Limits,
) -> Result<(Document, Option<Scans>), DocumentError> {
    read_as_one_of(FORMATS, bytes, hint, limits)
}

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

use std::cell::RefCell;

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
use budget::Budget;
use format::{Format, Signature};
use markdown::{Markdown, one_line};
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

/// What the readers of all formats are given.
struct Input<'a> {
    bytes: &'a [u8],
    hint: &'a Hint,
    budget: &'a Budget,
    /// How many documents this one is inside of.
    depth: usize,
    scans: &'a RefCell<Option<Scans>>,
}

impl Input<'_> {
    fn markdown(&self) -> Markdown {
        Markdown::new(self.budget.limits.text).of(self.hint.wanted.clone())
    }

    /// Whether a hidden part of this number is among those that are wanted and left out.
    fn leaves_out(&self, number: u32) -> bool {
        let wanted = self.hint.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.has_number(number) && wanted.name.is_none())
    }

    /// Whether a part of this number can be wanted, whatever its name is.
    fn wants_number(&self, number: u32) -> bool {
        let wanted = self.hint.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.has_number(number))
    }

    /// Keeps the pages that are wanted as pictures, instead of those that were kept before.
    fn keep_scans(&self, scans: Option<Scans>) {
        self.scans.replace(scans);
    }

    fn nodes(&self) -> usize {
        self.budget.limits.nodes
    }
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

fn read_as_one_of(
    formats: &[&Format],
    bytes: &[u8],
    hint: &Hint,
    limits: Limits,
) -> Result<(Document, Option<Scans>), DocumentError> {
    if bytes.len() > limits.input {
        return Err(DocumentError::InputTooLarge);
    }
    let (budget, scans) = (Budget::new(limits), RefCell::new(None));
    let input = Input {
        bytes,
        hint,
        budget: &budget,
        depth: 0,
        scans: &scans,
    };
    let mut document = read_input(formats, &input)?;
    if budget.was_late() {
        document.tell_of_time();
    }
    Ok((document, scans.into_inner()))
}

/// Archives in archives are opened up to this depth.
const MAX_DEPTH: usize = 4;

/// Reads a document that is inside another one, from what is left of its budget.
fn read_nested(bytes: &[u8], hint: &Hint, outer: &Input<'_>) -> Result<Document, DocumentError> {
    if outer.depth >= MAX_DEPTH {
        return Err(DocumentError::TooDeep);
    }
    let input = Input {
        bytes,
        hint,
        depth: outer.depth + 1,
        ..*outer
    };
    read_input(FORMATS, &input)
}

fn read_input(formats: &[&Format], input: &Input<'_>) -> Result<Document, DocumentError> {
    let Input { bytes, hint, .. } = *input;
    let kind = recognise::detect(
        formats,
        hint.media_type.as_deref(),
        hint.name().as_deref(),
        bytes,
    );
    let format = formats
        .iter()
        .find(|format| format.kind == kind)
        .ok_or(DocumentError::Unsupported)?;
    if let Some(name) = hint.part.as_ref().filter(|_| input.depth > 0)
        && !format.has_files()
    {
        return read_named_part(formats, name, input);
    }
    let is_cut = matches!(format.signature, Signature::Zip(_)) && !zip::has_directory(bytes);
    let mut document = match (format.read)(input) {
        Err(DocumentError::Unsupported) if promises_a_document(formats, hint) => {
            return Err(DocumentError::Broken);
        }
        // What is missing may have been the text.
        Err(DocumentError::Empty) if is_cut => return Err(DocumentError::Broken),
        // The rest of a document is no archive.
        Ok(_) if is_cut && kind == DocumentKind::ZIP && hint.is_false(kind) => {
            return Err(DocumentError::Broken);
        }
        read => read?,
    };
    // Of a document without the parts that are wanted, the list of its parts is the answer.
    let lists_parts = hint.wanted.is_some() && !document.parts.is_empty();
    if document.markdown.trim().is_empty() && !lists_parts {
        let lost = [Warning::Incomplete, Warning::TooNested];
        let is_damaged = is_cut || lost.iter().any(|it| document.warnings.contains(it));
        return Err(match is_damaged {
            true => DocumentError::Broken,
            false => DocumentError::Empty,
        });
    }
    if is_cut {
        document.warn(Warning::Incomplete);
    }
    // A reader can find that it is another format.
    if hint.is_false(kind) && hint.is_false(document.kind) {
        document.warnings.insert(0, Warning::NotAsDeclared);
    }
    Ok(document)
}

/// Reads the sheet, slide or chapter of that name. Who names a part of a file inside another one must
/// not get the whole file.
fn read_named_part(
    formats: &[&Format],
    name: &str,
    input: &Input<'_>,
) -> Result<Document, DocumentError> {
    let pages = input.hint.wanted.as_ref();
    let wanted = WantedParts {
        first: pages.map_or(1, |pages| pages.first),
        last: pages.map_or(u32::MAX, |pages| pages.last),
        name: Some(name.to_owned()),
    };
    let hint = Hint {
        part: None,
        wanted: Some(wanted.clone()),
        ..input.hint.clone()
    };
    let document = read_input(
        formats,
        &Input {
            hint: &hint,
            ..*input
        },
    )?;
    let is_wanted = |part: &Part| wanted.has(part.number, part.name.as_deref(), part.is_hidden);
    match document
        .parts
        .iter()
        .any(|part| part.start.is_some() && is_wanted(part))
    {
        true => Ok(document),
        false => Err(DocumentError::NoSuchPart),
    }
}

/// Whether the file is declared as a document that can be read, as a damaged one still is.
fn promises_a_document(formats: &[&Format], hint: &Hint) -> bool {
    let claimed = DocumentKind::claimed(hint.media_type.as_deref(), hint.name().as_deref());
    let mut readable = formats
        .iter()
        .filter(|format| format.label.is_some() && !format.is_text);
    claimed.is_some_and(|claimed| readable.any(|format| format.kind == claimed))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOUTED: DocumentKind = DocumentKind::named("shouted");

    /// A format as its own file would define it.
    static SHOUTED_FORMAT: Format = Format {
        kind: SHOUTED,
        label: Some("SHOUT"),
        media_types: &["text/vnd.shouted"],
        extensions: &["shout"],
        signature: Signature::StartsWith(&[b"SHOUT\0"]),
        needs_worker: false,
        is_text: false,
        read: |input| {
            let mut markdown = input.markdown();
            markdown.block(&String::from_utf8_lossy(&input.bytes[6..]).to_uppercase());
            Ok(Document::new(SHOUTED, markdown))
        },
    };

    #[test]
    fn a_new_format_is_one_row() {
        let formats: Vec<&Format> = FORMATS.iter().copied().chain([&SHOUTED_FORMAT]).collect();
        let read = |bytes: &[u8]| {
            let read = read_as_one_of(&formats, bytes, &Hint::default(), Limits::default());
            read.expect("is read").0
        };
        let document = read(b"SHOUT\0hello");
        assert_eq!((document.kind, &*document.markdown), (SHOUTED, "HELLO"));
        assert_eq!(read(b"hello").kind, DocumentKind::TEXT);
        for (media_type, name) in [(Some("text/vnd.shouted"), None), (None, Some("a.shout"))] {
            let claimed = recognise::claimed(&formats, media_type, name);
            assert_eq!(claimed.map(|format| format.kind), Some(SHOUTED));
        }
    }
}

//! Documents to Markdown: PDF, Office, OpenDocument, books, tables, feeds and text.
//!
//! [`Kind`] says what the bytes are, one module reads each kind, and every one of them draws on the
//! same [`Limits`]. Parsers of binary formats belong into a process of their own (the engine's
//! `DocumentWorkers`), which has a deadline and a cap on memory and whose crash is only a fault;
//! [`read_document`] is what that process runs, and what tests and text formats call directly.

mod budget;
mod delimited;
mod epub;
mod error;
mod feed;
mod kind;
mod markdown;
mod office;
mod opendocument;
mod pdf;
mod plain;
mod rtf;
mod xhtml;
pub mod xml;
mod zip;

use fault::Fault;
use serde::{Deserialize, Serialize};

pub use budget::Limits;
pub use error::{DocumentError, Warning};
pub use kind::Kind;

use crate::extract::Metadata;
use budget::Budget;
use markdown::{Markdown, one_line};

/// What is known of a document before it is read. All of it is a claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The Content-Type, with its parameters.
    pub media_type: Option<String>,
    /// The name of the file.
    pub file_name: Option<String>,
    /// Where it came from: links are resolved against it, and it lends its last segment as a name.
    pub url: Option<String>,
}

impl Hint {
    /// The name of the file, or the last segment of the address.
    fn name(&self) -> Option<String> {
        let from_url = || {
            let url = url::Url::parse(self.url.as_deref()?).ok()?;
            url.path_segments()?
                .next_back()
                .filter(|segment| !segment.is_empty())
                .map(str::to_owned)
        };
        self.file_name.clone().or_else(from_url)
    }

    /// The charset of the Content-Type.
    fn charset(&self) -> Option<&str> {
        kind::charset(self.media_type.as_deref()?)
    }

    /// Whether what was declared is false in a way that matters, given what the bytes are.
    pub fn is_false(&self, kind: Kind) -> bool {
        is_lie(
            Kind::claimed(self.media_type.as_deref(), self.name().as_deref()),
            kind,
        )
    }

    /// What the bytes are.
    pub fn kind(&self, bytes: &[u8]) -> Kind {
        Kind::detect(self.media_type.as_deref(), self.name().as_deref(), bytes)
    }
}

/// A document as Markdown. Facts that it does not state stay missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// What it was read as.
    pub kind: Kind,
    /// The title.
    pub title: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// When it was written or published, as the document puts it.
    pub date: Option<String>,
    /// The language, as the document declares it.
    pub language: Option<String>,
    /// The text.
    pub markdown: String,
    /// How many pages, slides, sheets or chapters it has.
    pub pages: Option<u32>,
    /// Whether the end is missing because the document is longer than is read.
    pub truncated: bool,
    /// What was odd.
    pub warnings: Vec<Warning>,
}

impl Document {
    fn new(kind: Kind, markdown: Markdown) -> Document {
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
            truncated,
            warnings,
        }
    }

    fn warn(&mut self, warning: Warning) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
        self.truncated |= warning == Warning::Truncated;
    }

    /// The warnings in one line, for `parse_warning`.
    pub fn parse_warning(&self) -> Option<String> {
        let sentences: Vec<&str> = self
            .warnings
            .iter()
            .map(|warning| warning.sentence())
            .collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

/// What a document says about itself, as a page would.
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

/// A fact, if it says anything.
fn present(text: impl AsRef<str>) -> Option<String> {
    let text = one_line(text.as_ref());
    (!text.is_empty()).then_some(text)
}

/// What every reader is given.
struct Input<'a> {
    bytes: &'a [u8],
    hint: &'a Hint,
    budget: &'a Budget,
}

impl Input<'_> {
    fn markdown(&self) -> Markdown {
        Markdown::new(self.budget.limits.text)
    }

    fn nodes(&self) -> usize {
        self.budget.limits.nodes
    }
}

/// Reads a document in this process. Blocking and CPU-bound, and only as stable as its parsers: a
/// server reads through the engine's `DocumentWorkers`.
pub fn read_document(bytes: &[u8], hint: &Hint) -> Result<Document, Fault> {
    let limits = Limits::default();
    read_document_within(bytes, hint, limits).map_err(|error| error.fault(bytes.len(), &limits))
}

/// Reads a document within given limits.
pub fn read_document_within(
    bytes: &[u8],
    hint: &Hint,
    limits: Limits,
) -> Result<Document, DocumentError> {
    if bytes.len() > limits.input {
        return Err(DocumentError::InputTooLarge);
    }
    let kind = hint.kind(bytes);
    let budget = Budget::new(limits);
    let mut document = dispatch(
        kind,
        &Input {
            bytes,
            hint,
            budget: &budget,
        },
    )?;
    if document.markdown.trim().is_empty() {
        return Err(DocumentError::Empty);
    }
    if hint.is_false(kind) {
        document.warnings.insert(0, Warning::NotAsDeclared);
    }
    Ok(document)
}

fn dispatch(kind: Kind, input: &Input<'_>) -> Result<Document, DocumentError> {
    match kind {
        Kind::Pdf => pdf::read_pdf(input),
        Kind::Docx => office::docx::read_docx(input),
        Kind::Pptx => office::pptx::read_pptx(input),
        Kind::Xlsx => office::xlsx::read_xlsx(input),
        Kind::Odt | Kind::Ods | Kind::Odp => opendocument::read_opendocument(kind, input),
        Kind::Epub => epub::read_epub(input),
        Kind::Rtf => rtf::read_rtf(input),
        Kind::Csv | Kind::Tsv => delimited::read_delimited(kind, input),
        Kind::Feed => feed::read_feed(input),
        Kind::Xml => feed::read_xml(input),
        Kind::Json
        | Kind::JsonLines
        | Kind::Yaml
        | Kind::Source
        | Kind::Markdown
        | Kind::Text
        | Kind::Html => plain::read_text(kind, input),
        Kind::LegacyOffice => Err(DocumentError::LegacyOffice),
        Kind::Archive | Kind::Media | Kind::Binary => Err(DocumentError::Unsupported),
    }
}

/// Whether a claim was false in a way that matters: one kind of text as another is everyday life.
fn is_lie(claimed: Option<Kind>, kind: Kind) -> bool {
    claimed.is_some_and(|claimed| {
        claimed != kind
            && (claimed.needs_worker() || kind.needs_worker())
            && claimed != Kind::Archive
    })
}

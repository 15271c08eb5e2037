//! Why a document cannot be read, and what is wrong with one that can.
//!
//! Parsers return a [`DocumentError`] rather than a fault: it is small, it crosses the pipe from a
//! worker process as JSON, and it cannot hold text of the document. [`DocumentError::fault`] is the
//! one place where it becomes a [`Fault`].

use std::borrow::Cow;
use std::sync::LazyLock;

use fault::{Case, Fault, Limit, Origin, OtherForm, Retry, Say, Size};
use serde::{Deserialize, Serialize};

use super::encryption::{Attempt, Encrypted};
use super::{DocumentKind, FORMATS, Limits, MAX_DEPTH, unreadable};

/// Why a document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentError {
    /// The document has more bytes than the limit.
    InputTooLarge,
    /// An archive or a compressed stream unpacks to more than the limit.
    UnpacksTooLarge,
    /// An archive has more entries than the limit.
    TooManyEntries,
    /// The file is inside more archives than are opened.
    TooDeep,
    /// The worker reached its memory limit.
    OutOfMemory,
    /// The worker reached its time limit.
    TooSlow,
    /// A PDF draws more than the limit.
    TooManyOperations,
    /// The file does not follow its format.
    Broken,
    /// The parser panicked.
    Crashed,
    /// The file is encrypted and was not opened.
    Encrypted(Encrypted, Attempt),
    /// A PDF whose pages are images without text.
    ImageOnly,
    /// A book whose pages are images without text.
    PictureBook,
    /// A document without any text.
    Empty,
    /// A Word file from before 1993.
    OldWord,
    /// A PowerPoint file from before 1997 without a copy of its texts.
    OldPowerPoint,
    /// A format that is known and not read.
    NotRead(DocumentKind),
    /// A format that holds no text, or none that is read.
    Unsupported,
    /// A file inside an archive or a message, of a format that holds no text, or none that is read.
    UnsupportedInside,
    /// An archive compresses its files by a method that is not read.
    UnknownCompression,
    /// The source of a file is wanted that is no text.
    NoSource,
    /// The document has no part of the name that was asked for.
    NoSuchPart,
    /// The worker process did not start, or its reply could not be decoded.
    NoWorker,
}

/// What is read, listed wherever a type is refused.
static READABLE: LazyLock<String> = LazyLock::new(|| {
    let labels: Vec<&str> = FORMATS.iter().filter_map(|format| format.label).collect();
    match labels.split_last() {
        Some((last, others)) => format!("{} and {last} can be read.", others.join(", ")),
        None => String::new(),
    }
});

impl DocumentError {
    /// The fault to report, given the size of the document in bytes and the limits it was read
    /// with.
    pub fn fault(self, size: usize, limits: &Limits) -> Fault {
        let fault = Fault::new(self.case(), self.origin()).size(Size::Bytes(size as u64));
        let (happened, advice) = self.sentence().unzip();
        fault
            .retry(self.retry())
            .limit(self.limit(limits))
            .saying(happened)
            .advising(advice)
            .detail(self.remark().map(Say::new))
            .other_form((self == DocumentError::NoSource).then_some(OtherForm::MainText))
    }

    fn case(self) -> Case {
        match self {
            DocumentError::InputTooLarge
            | DocumentError::UnpacksTooLarge
            | DocumentError::TooManyEntries
            | DocumentError::TooDeep
            | DocumentError::OutOfMemory
            | DocumentError::TooSlow
            | DocumentError::TooManyOperations => Case::TooCostly,
            DocumentError::Broken | DocumentError::Crashed | DocumentError::Encrypted(..) => {
                Case::BrokenDocument
            }
            DocumentError::ImageOnly => Case::ImageOnlyPdf,
            DocumentError::Empty | DocumentError::PictureBook => Case::Empty,
            DocumentError::OldWord
            | DocumentError::OldPowerPoint
            | DocumentError::NotRead(_)
            | DocumentError::Unsupported
            | DocumentError::UnsupportedInside
            | DocumentError::UnknownCompression
            | DocumentError::NoSource => Case::UnsupportedType,
            DocumentError::NoSuchPart => Case::UnknownId,
            DocumentError::NoWorker => Case::Internal,
        }
    }

    /// A document without text has none the next time either; a page may be empty by accident.
    fn retry(self) -> Option<Retry> {
        matches!(self, DocumentError::Empty | DocumentError::PictureBook).then_some(Retry::Never)
    }

    /// The page is at fault, except where our own process failed.
    fn origin(self) -> Origin {
        if matches!(self, DocumentError::NoWorker | DocumentError::NoSuchPart) {
            Origin::Local
        } else {
            Origin::Page
        }
    }

    fn limit(self, limits: &Limits) -> Option<Limit> {
        match self {
            DocumentError::InputTooLarge => Some(Limit::Bytes(limits.input as u64)),
            DocumentError::UnpacksTooLarge => Some(Limit::Bytes(limits.unpacked)),
            DocumentError::TooManyEntries => Some(Limit::Count(limits.entries as u64)),
            DocumentError::TooDeep => Some(Limit::Count(MAX_DEPTH as u64)),
            DocumentError::TooManyOperations => Some(Limit::Count(limits.operations)),
            DocumentError::OutOfMemory => Some(Limit::Bytes(limits.memory)),
            _ => None,
        }
    }

    /// What happened and what to do, where the catalogue's own sentence says too little.
    fn sentence(self) -> Option<(Say, Say)> {
        Some(match self {
            DocumentError::InputTooLarge => (
                Say::new("The document is too large for this server to read."),
                Say::new("Do not retry; look for a smaller version or an HTML version."),
            ),
            DocumentError::TooManyEntries => (
                Say::new("The file consists of more parts than one file may have here."),
                Say::new("Do not retry; unpack it and read its files one by one, or look for an HTML or text version."),
            ),
            DocumentError::UnpacksTooLarge => (
                Say::new(
                    "The document unpacks to far more than its size and was not read further.",
                ),
                Say::new("Do not retry; look for an HTML or text version."),
            ),
            DocumentError::TooDeep => (
                Say::new("The file is inside more archives than are opened one in another."),
                Say::new("Unpack the outer archive and read the file inside it."),
            ),
            DocumentError::OutOfMemory
            | DocumentError::TooSlow
            | DocumentError::TooManyOperations => (
                Say::new(
                    "Reading the document took more time or memory than one document may take.",
                ),
                Say::new("Do not retry; look for a smaller version or an HTML version."),
            ),
            DocumentError::Encrypted(file, attempt) => {
                let (happened, advice) = file.sentences(attempt);
                (Say::new(happened), Say::new(advice))
            }
            DocumentError::OldWord => (
                Say::new("This is a Word file from before 1993, which cannot be read here."),
                Say::new(
                    "Do not retry it as it is; save it as DOCX or PDF from Word or LibreOffice, or look for such a version.",
                )
                .then(Say::new(&READABLE)),
            ),
            DocumentError::OldPowerPoint => (
                Say::new(
                    "This is a PowerPoint file from before 1997, which cannot be read here.",
                ),
                Say::new(
                    "Do not retry. Save it as PPTX or PDF from PowerPoint 2003 or before, or look for such a version.",
                )
                .then(Say::new(&READABLE)),
            ),
            DocumentError::NotRead(kind) => {
                let (happened, advice) = unreadable::refusal(kind)?;
                (
                    Say::new(happened),
                    Say::new("Do not retry.")
                        .then(Say::new(advice))
                        .then(Say::new(&READABLE)),
                )
            }
            DocumentError::NoSource => (
                Say::new("The content is not text, so there is no source to show."),
                Say::new("Read it as a document."),
            ),
            DocumentError::NoSuchPart => (
                Say::new("The document has no sheet, attachment or file of that name."),
                Say::new(
                    "Read it without a name; the reply lists the names it has. What is inside one of them is named by both, such as mail.eml/report.pdf.",
                ),
            ),
            DocumentError::Broken | DocumentError::Crashed => (
                Say::new("The document is damaged and cannot be read."),
                Say::new("Do not retry; look for another copy."),
            ),
            DocumentError::ImageOnly => (
                Say::new("The PDF holds images of text, not text."),
                Say::new("Do not retry; look for an HTML or text version."),
            ),
            DocumentError::Unsupported => (
                Say::new("The file is of a type that holds no readable text."),
                Say::new("Do not retry; look for an HTML, PDF or text version.")
                    .then(Say::new(&READABLE)),
            ),
            DocumentError::UnsupportedInside => (
                Say::new("The file was unpacked and is of a type that holds no readable text."),
                Say::new("Do not retry; read another file of the archive or message.")
                    .then(Say::new(&READABLE)),
            ),
            DocumentError::UnknownCompression => (
                Say::new(
                    "The file is compressed by a method other than Deflate, which is not read here.",
                ),
                Say::new("Do not retry; unpack it and read its files one by one."),
            ),
            DocumentError::PictureBook => (
                Say::new("The pages of this book are pictures, which are not read in a book."),
                Say::new(
                    "Do not retry; convert it to PDF with Calibre (`ebook-convert`), whose pages OCR reads, or look for a version with text.",
                ),
            ),
            DocumentError::Empty => (
                Say::new("The document was read and holds no text."),
                Say::new("Do not retry; look for another version."),
            ),
            _ => return None,
        })
    }

    /// A detail for operators.
    fn remark(self) -> Option<&'static str> {
        Some(match self {
            DocumentError::TooManyEntries => "more entries than an archive may have",
            DocumentError::OutOfMemory => "the worker reached its memory limit",
            DocumentError::TooSlow => "the worker reached its time limit",
            DocumentError::TooManyOperations => {
                "more drawing instructions, or parts that it names again and again, than a document may have"
            }
            DocumentError::Crashed => {
                "the parser stopped with a panic, which its own process contained"
            }
            DocumentError::NoWorker => "the worker process did not start or did not answer",
            _ => return None,
        })
    }
}

/// What is wrong with a document that was read nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// The declared type is not what the bytes are.
    NotAsDeclared,
    /// The end was cut because the document exceeds a limit.
    Truncated,
    /// The end is missing because the time was over.
    OutOfTime,
    /// Some pages, parts or bytes could not be read.
    Incomplete,
    /// What is inside too many tables or formulas is given without its structure.
    TooNested,
    /// JSON, XML or another text format that does not parse. It is given as it is.
    Malformed,
    /// Bytes that are invalid in the document's charset were replaced.
    Lossy,
    /// Some pages of a PDF hold only images.
    SomePagesAreImages,
    /// The PDF does not say which characters some of its glyphs stand for.
    UnmappedGlyphs,
    /// Text that is white on white, invisible or too small to be seen was left out.
    UnseenText,
    /// Hidden sheets or slides were left out.
    HiddenParts,
    /// What was read is hidden in the document.
    HiddenPart,
    /// A picture of which only the facts beside it are read.
    PictureNotRead,
    /// A picture of a format whose pixels are not read here.
    PictureNotDecoded,
    /// The archive has several files of the name that was read.
    SameName,
    /// An archive has several files of one name.
    SameNames,
    /// The file is signed.
    SignatureNotChecked,
    /// Formulas are wanted, and some cannot be read.
    FormulasNotRead,
    /// Text in pictures was recognised by a program, which is as sure of its words, in percent.
    ReadByOcr { sure: Option<u8> },
    /// A program looked for text in a picture and found none.
    NothingRecognised,
    /// A program failed on pictures, or had no time for them.
    SomeNotRecognised,
}

impl Warning {
    /// The sentence that [`Document::parse_warning`](super::Document::parse_warning) shows.
    pub fn sentence(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Warning::NotAsDeclared => {
                "The content is not of the declared type; it was read as the type that its bytes show."
            }
            Warning::Truncated => {
                "The document is longer than can be read at once; the end is missing."
            }
            Warning::OutOfTime => {
                "Time ran out before the end of the document, which is missing; a larger timeout or fewer pages help."
            }
            Warning::Incomplete => "Parts of the document are damaged and missing here.",
            Warning::TooNested => {
                "Some tables or formulas are nested deeper than is read; their text is here without its structure, or missing."
            }
            Warning::Malformed => {
                "The content could not be parsed as its type; it is shown unparsed."
            }
            Warning::Lossy => {
                "Some bytes are not valid in the document's charset and were replaced."
            }
            Warning::SomePagesAreImages => {
                "Some pages hold only images; their text is missing here."
            }
            Warning::UnmappedGlyphs => {
                "Some characters of the PDF are not mapped to text and are missing here."
            }
            Warning::UnseenText => {
                "The document has text that a reader cannot see, which is left out here."
            }
            Warning::HiddenParts => {
                "Hidden sheets or slides are left out; one that is named by itself is read."
            }
            Warning::HiddenPart => "The document hides what is read here.",
            Warning::SameName => {
                "The archive has several files of this name; this is the last, which unpacking leaves."
            }
            Warning::SameNames => {
                "Several files have the same name; by that name the last of them is read, which unpacking leaves."
            }
            Warning::FormulasNotRead => {
                "Some formulas of this workbook are not read; save it as XLSX or ODS to see them."
            }
            Warning::SignatureNotChecked => "The file is signed; the signature was not checked.",
            Warning::PictureNotRead => {
                "The picture itself is not looked at; an OCR program (`tesseract`) reads text in it."
            }
            Warning::PictureNotDecoded => {
                "Pictures of this format (HEIC, AVIF, JPEG XL and others) are not looked at; convert it to PNG or JPEG to have text in it read by OCR."
            }
            Warning::ReadByOcr {
                sure: Some(percent),
            } => {
                return Cow::Owned(format!(
                    "Text in pictures was read by OCR (tesseract), which is {percent} % sure of the words: words and numbers may be wrong."
                ));
            }
            Warning::ReadByOcr { sure: None } => {
                "Text in pictures was read by OCR (tesseract): words and numbers may be wrong."
            }
            Warning::SomeNotRecognised => {
                "OCR failed or had no time for some pictures; their text is missing here."
            }
            Warning::NothingRecognised => "OCR (tesseract) found no text in the picture.",
        })
    }
}

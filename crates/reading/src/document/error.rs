//! Why a document cannot be read, and what was odd about one that can.
//!
//! Parsers return a [`DocumentError`] rather than a fault: it is small, it crosses the pipe from a worker
//! process as JSON, and it has no room for words of the document. [`DocumentError::fault`] is the one
//! place where it becomes a [`Fault`].

use fault::{Case, Fault, Origin, Say};
use serde::{Deserialize, Serialize};

use super::Limits;

/// Why a document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentError {
    /// More bytes than are read at all.
    InputTooLarge,
    /// An archive or a compressed stream unpacks to more than the limit.
    UnpacksTooLarge,
    /// An archive of more entries than the limit.
    TooManyEntries,
    /// Reading took more memory than a worker may have.
    OutOfMemory,
    /// Reading took longer than a worker may.
    TooSlow,
    /// The file does not follow its format.
    Broken,
    /// The parser itself gave up in an orderless way.
    Crashed,
    /// The file asks for a password.
    Encrypted,
    /// A PDF of pictures.
    ImageOnly,
    /// A document without any text.
    Empty,
    /// An Office file of the time before 2007.
    LegacyOffice,
    /// Something that holds no text we can read.
    Unsupported,
    /// The worker process could not be started or spoke nonsense.
    NoWorker,
}

/// What works instead, said wherever a type is refused.
const READABLE: &str = "PDF, DOCX, PPTX, XLSX, ODT, ODS, ODP, EPUB, RTF, CSV, TSV, JSON, XML, RSS, Atom, YAML, HTML, Markdown and source text are read.";

impl DocumentError {
    /// The fault to answer with, given the size of the document and the limits that held.
    pub fn fault(self, size: usize, limits: &Limits) -> Fault {
        let fault = Fault::new(self.case(), self.origin()).size(size as u64);
        let fault = match self.limit(limits) {
            Some(limit) => fault.limit(limit),
            None => fault,
        };
        let fault = match self.saying() {
            Some(sentence) => fault.saying(sentence),
            None => fault,
        };
        match self.remark() {
            Some(remark) => fault.detail(Say::new(remark)),
            None => fault,
        }
    }

    fn case(self) -> Case {
        match self {
            DocumentError::InputTooLarge
            | DocumentError::UnpacksTooLarge
            | DocumentError::TooManyEntries
            | DocumentError::OutOfMemory
            | DocumentError::TooSlow => Case::TooLarge,
            DocumentError::Broken | DocumentError::Crashed | DocumentError::Encrypted => {
                Case::BrokenDocument
            }
            DocumentError::ImageOnly => Case::ImageOnlyPdf,
            DocumentError::Empty => Case::Empty,
            DocumentError::LegacyOffice | DocumentError::Unsupported => Case::UnsupportedType,
            DocumentError::NoWorker => Case::Internal,
        }
    }

    /// Whoever made the document made the trouble, except where our own process failed.
    fn origin(self) -> Origin {
        if self == DocumentError::NoWorker {
            Origin::Local
        } else {
            Origin::Page
        }
    }

    fn limit(self, limits: &Limits) -> Option<u64> {
        match self {
            DocumentError::InputTooLarge => Some(limits.input as u64),
            DocumentError::UnpacksTooLarge => Some(limits.unpacked),
            DocumentError::TooManyEntries => Some(limits.entries as u64),
            DocumentError::OutOfMemory => Some(limits.memory),
            _ => None,
        }
    }

    fn saying(self) -> Option<Say> {
        Some(match self {
            DocumentError::InputTooLarge => {
                Say::new("The document is larger than this server reads. Do not retry; look for a smaller or an HTML version.")
            }
            DocumentError::UnpacksTooLarge | DocumentError::TooManyEntries => Say::new(
                "The document unpacks to far more than its size and was not read further. Do not retry; look for an HTML or text version.",
            ),
            DocumentError::OutOfMemory | DocumentError::TooSlow => Say::new(
                "Reading the document took more time or memory than one document may take. Do not retry; look for a smaller or an HTML version.",
            ),
            DocumentError::Encrypted => {
                Say::new("The document is encrypted and asks for a password. Do not retry; look for an open copy, or ask the user for one.")
            }
            DocumentError::LegacyOffice => {
                Say::new("This is an Office file of the format before 2007 (DOC, XLS or PPT), which is not read. Save it as DOCX, XLSX, PPTX or PDF, or look for such a version.")
                    .then(Say::new(READABLE))
            }
            DocumentError::Unsupported => {
                Say::new("The file is of a type that holds no readable text. Do not retry; look for an HTML, PDF or text version.")
                    .then(Say::new(READABLE))
            }
            DocumentError::Empty => Say::new("The document was read and holds no text. Do not retry; look for another version."),
            _ => return None,
        })
    }

    /// What the operator and a debugging reader may want to know.
    fn remark(self) -> Option<&'static str> {
        Some(match self {
            DocumentError::TooManyEntries => "more entries than an archive may have",
            DocumentError::OutOfMemory => "the worker reached its memory limit",
            DocumentError::TooSlow => "the worker reached its time limit",
            DocumentError::Crashed => {
                "the parser stopped with a panic, which its own process contained"
            }
            DocumentError::NoWorker => "the worker process did not start or did not answer",
            _ => return None,
        })
    }
}

/// What was odd about a document that was read all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// The declared type is not what the bytes are.
    NotAsDeclared,
    /// Text beyond the limit was cut.
    Truncated,
    /// Some pages, parts or bytes could not be read.
    Incomplete,
    /// JSON, XML or the like that does not parse; it is given as it stands.
    Malformed,
    /// Bytes without meaning in the document's charset were replaced.
    Lossy,
    /// Some pages of a PDF hold only pictures.
    SomePagesAreImages,
    /// Some characters of a PDF have no text behind them.
    UnmappedGlyphs,
    /// Sheets or slides that their author hid were left out.
    HiddenParts,
}

impl Warning {
    /// The sentence of `parse_warning`.
    pub fn sentence(self) -> &'static str {
        match self {
            Warning::NotAsDeclared => {
                "The content is not of the declared type; it was read as what its bytes are."
            }
            Warning::Truncated => {
                "The document is longer than is read at once; the end is missing."
            }
            Warning::Incomplete => "Parts of the document are damaged and missing here.",
            Warning::Malformed => {
                "The content does not parse as its type; it is given as it stands."
            }
            Warning::Lossy => {
                "Some bytes had no meaning in the document's charset and were replaced."
            }
            Warning::SomePagesAreImages => {
                "Some pages hold only images; their text is missing here."
            }
            Warning::UnmappedGlyphs => {
                "Some characters carry no text in the PDF and are missing here."
            }
            Warning::HiddenParts => "Hidden sheets or slides are left out.",
        }
    }
}

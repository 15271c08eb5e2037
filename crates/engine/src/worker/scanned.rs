//! A document with pages that are pictures: its text is recognised page by page, as far as the time
//! of the call allows.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fault::{Fault, Say};
use reading::document::{Document, DocumentError, Limits, Warning};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdout};
use tokio::time::Instant;

use super::ocr::{OcrProgram, OcrState, OcrUse, PageFailure};
use super::ocr_text::{Certainty, RecognisedText};
use super::{MAX_TASK, PictureHead, error_from_exit, read_line};

/// Time that is kept for the answer.
const MARGIN: Duration = Duration::from_millis(500);
/// A program that fails on so many pages and has read none is not asked again.
const MAX_FAILURES: usize = 3;

/// Why a document was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadError {
    Document(DocumentError),
    /// Its pages are pictures, and no text of them is known.
    Scans(NoText),
}

/// Why no text of pictures is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoText {
    /// The program found none.
    NoneFound,
    ProgramFailed,
    NoLanguage,
    TooSlow,
    Undecodable,
}

impl From<DocumentError> for ReadError {
    fn from(error: DocumentError) -> ReadError {
        ReadError::Document(error)
    }
}

impl ReadError {
    pub(super) fn fault(self, size: usize, limits: &Limits, ocr: &OcrUse) -> Fault {
        let (error, reason) = match self {
            ReadError::Document(error) => (error, None),
            ReadError::Scans(reason) => (DocumentError::ImageOnly, Some(reason)),
        };
        let fault = error.fault(size, limits);
        match reason {
            Some(reason) => {
                let (happened, detail) = reason.sentences();
                fault
                    .saying(Some(Say::new(happened)))
                    .detail(detail.map(Say::new))
            }
            None if error == DocumentError::ImageOnly => without_program(fault, ocr),
            None => fault,
        }
    }
}

/// Says what would read the pictures.
fn without_program(fault: Fault, ocr: &OcrUse) -> Fault {
    let (advice, detail) = match ocr {
        OcrUse::Missing => (
            "Do not retry; look for an HTML or text version, or tell the user that this server reads scans once tesseract is installed on it.",
            "no OCR program is installed on this server; `apt install tesseract-ocr` adds one",
        ),
        OcrUse::Never => (
            "Do not retry; look for an HTML or text version, or tell the user that OCR is turned off on this server.",
            "OCR is turned off in the settings of this server",
        ),
        OcrUse::With(_) => return fault,
    };
    fault
        .advising(Some(Say::new(advice)))
        .detail(Some(Say::new(detail)))
}

impl NoText {
    /// What happened, and a detail for operators.
    fn sentences(self) -> (&'static str, Option<&'static str>) {
        match self {
            NoText::NoneFound => (
                "The pages are images, and OCR recognised no text in them.",
                None,
            ),
            NoText::ProgramFailed => (
                "The pages are images of text, and the OCR program of this server failed on them.",
                Some("tesseract ended with an error; `fingerpost doctor` checks it"),
            ),
            NoText::NoLanguage => (
                "The pages are images of text, and the OCR program of this server lacks the data of its languages.",
                Some(
                    "tesseract has no data for a language of ocr-languages; `fingerpost doctor` names it",
                ),
            ),
            NoText::TooSlow => (
                "The pages are images of text, and recognising one page takes longer than a call may take.",
                Some("OCR of a page was not finished within the deadline"),
            ),
            NoText::Undecodable => (
                "The pages are images that are damaged or too large to be decoded.",
                None,
            ),
        }
    }
}

/// A document whose worker hands over pages as pictures.
pub(super) struct PagesToRecognise {
    pub(super) document: Document,
    pub(super) pages: Vec<u32>,
    pub(super) child: Child,
    pub(super) output: BufReader<ChildStdout>,
}

#[derive(Default)]
struct Recognised {
    /// The text of each page that was looked at.
    texts: BTreeMap<u32, String>,
    certainty: Certainty,
    failures: Vec<PageFailure>,
    is_late: bool,
    /// Whether the worker ended before it had handed over all pages.
    has_ended: bool,
}

impl PagesToRecognise {
    /// Recognises as many pages as the time allows. Dropping the future ends both programs.
    pub(super) async fn recognise(
        mut self,
        ocr: &OcrProgram,
        own_program: &Path,
        deadline: Instant,
    ) -> Result<Document, ReadError> {
        let until = deadline - MARGIN.min((deadline - Instant::now()) / 4);
        let found = self.read_pages(ocr, own_program, until).await;
        if found.texts.is_empty() && found.has_ended {
            let status = self.child.wait().await;
            return Err(status
                .map_or(DocumentError::NoWorker, error_from_exit)
                .into());
        }
        let has_text = found.texts.values().any(|text| !text.is_empty());
        let mut document = self.document;
        let is_scan = !document.has_text();
        if !has_text && is_scan {
            return Err(ReadError::Scans(found.reason(ocr, own_program).await));
        }
        document.add_recognised(&found.texts, found.certainty.mean());
        if !found.failures.is_empty() || (found.is_late && found.texts.is_empty()) {
            // What the program failed on may have text.
            let warnings = &mut document.warnings;
            warnings.retain(|warning| *warning != Warning::NothingRecognised);
            warnings.push(Warning::SomeNotRecognised);
        }
        Ok(document)
    }

    async fn read_pages(
        &mut self,
        ocr: &OcrProgram,
        own_program: &Path,
        until: Instant,
    ) -> Recognised {
        let mut found = Recognised::default();
        let mut longest = Duration::ZERO;
        for _ in 0..self.pages.len() {
            let begun = Instant::now();
            let has_read = found.texts.values().any(|text| !text.is_empty());
            let is_hopeless = !has_read && found.failures.len() >= MAX_FAILURES;
            if is_hopeless {
                break;
            }
            if begun + longest > until {
                found.is_late = true;
                break;
            }
            let read = tokio::time::timeout_at(until, self.next_page(ocr, own_program)).await;
            match read {
                Err(_) => {
                    found.is_late = true;
                    break;
                }
                Ok(None | Some((_, Err(PageFailure::NoPicture)))) => {
                    found.has_ended = true;
                    break;
                }
                Ok(Some((page, Ok(read)))) => {
                    found.texts.insert(page, read.text);
                    found.certainty.add(read.certainty);
                }
                Ok(Some((page, Err(failure)))) => {
                    found.texts.insert(page, String::new());
                    found.failures.push(failure);
                }
            }
            longest = longest.max(begun.elapsed());
        }
        found
    }

    /// The next page and its text. `None` if the worker hands over no more.
    async fn next_page(
        &mut self,
        ocr: &OcrProgram,
        own_program: &Path,
    ) -> Option<(u32, Result<RecognisedText, PageFailure>)> {
        let line = read_line(&mut self.output, MAX_TASK).await;
        let head: PictureHead = serde_json::from_slice(&line).ok()?;
        if !self.pages.contains(&head.page) {
            return None;
        }
        let read = ocr.recognise(own_program, &head, &mut self.output).await;
        Some((head.page, read))
    }
}

impl Recognised {
    /// Why there is no text.
    async fn reason(&self, ocr: &OcrProgram, own_program: &Path) -> NoText {
        let failed = self.failures.contains(&PageFailure::Failed);
        match () {
            () if failed => match ocr.state(own_program).await {
                OcrState::NoLanguage(_) => NoText::NoLanguage,
                _ => NoText::ProgramFailed,
            },
            () if self.is_late && self.texts.is_empty() => NoText::TooSlow,
            () if !self.failures.is_empty() => NoText::Undecodable,
            () => NoText::NoneFound,
        }
    }
}

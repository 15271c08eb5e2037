//! Local files: only those inside the directories that the operator opened.

mod roots;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin, OtherForm, Phase, Result, Say};

use net::MemoryBudget;

use crate::fetch::{
    MORE_TIME, NOT_IN_TIME, ScannedPages, Selection, WholePage, separate_part, strip_parts,
    wanted_scans,
};
use crate::layer::Aged;
use crate::worker::{DocumentWorkers, NotRead};
use reading::document::{DocumentError, Hint, Limits};
use reading::extract::Metadata;
use tokio::time::Instant;

pub use roots::{PathRefusal, Roots};

/// Why a local file could not be read.
#[derive(Debug, Clone)]
pub enum FileError {
    Refused(PathRefusal),
    Failed(Fault),
}

impl From<PathRefusal> for FileError {
    fn from(refusal: PathRefusal) -> FileError {
        FileError::Refused(refusal)
    }
}

impl From<Fault> for FileError {
    fn from(fault: Fault) -> FileError {
        FileError::Failed(fault)
    }
}

/// For a file that could not be read before the deadline. A retry would take as long.
fn too_costly() -> Fault {
    Fault::new(Case::TooCostly, Origin::Local)
        .phase(Phase::Extract)
        .saying(Say::new(
            "The file is too large or complex to be read in time.",
        ))
        .advising(Say::new("Do not retry; look for a smaller version."))
}

/// What reading a local file needs.
pub(crate) struct LocalFiles<'a> {
    pub(crate) roots: &'a Roots,
    pub(crate) memory: &'a MemoryBudget,
    pub(crate) documents: &'a DocumentWorkers,
    /// Whether the caller gave less time than the operator allows.
    pub(crate) is_shortened: bool,
}

impl LocalFiles<'_> {
    /// Reads a file as a page; `raw` asks for its source. The selection that comes with it is what
    /// remains to be cut from it.
    pub(crate) async fn read(
        &self,
        path: &Path,
        raw: bool,
        selection: &Selection,
        deadline: Instant,
    ) -> std::result::Result<(Aged<Arc<WholePage>>, Selection), FileError> {
        let limits = Limits::default();
        let (opener, wanted) = (self.roots.clone(), path.to_owned());
        let opened = blocking(deadline, move || opener.open(&wanted)).await??;
        let size = opened.metadata().map_or(0, |file| file.len());
        let reserving = self.memory.reserve(size.min(limits.input as u64));
        let _reservation = tokio::time::timeout_at(deadline, reserving)
            .await
            .map_err(|_| net::memory_taken())?;
        let bytes = blocking(deadline, move || read_bytes(opened, limits.input)).await??;
        let reader = Reader {
            documents: self.documents,
            deadline,
            is_shortened: self.is_shortened,
        };
        reader.page(path, bytes, raw, selection).await
    }
}

/// How long a disk may take to open a file that is only checked.
const LONGEST_CHECK: Duration = Duration::from_secs(1);

/// Refuses a path that may not be read or names no file.
pub(crate) async fn check(roots: &Roots, path: &Path) -> std::result::Result<(), FileError> {
    let (roots, path) = (roots.clone(), path.to_owned());
    let opened = blocking(Instant::now() + LONGEST_CHECK, move || roots.open(&path)).await?;
    Ok(opened.map(drop)?)
}

/// Runs work that blocks off the async threads, until the deadline.
async fn blocking<T: Send + 'static>(
    deadline: Instant,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let done = tokio::time::timeout_at(deadline, tokio::task::spawn_blocking(work)).await;
    done.map_err(|_| too_costly())?
        .map_err(|_| Fault::new(Case::Internal, Origin::Local))
}

/// Reads documents until a deadline.
#[derive(Clone, Copy)]
struct Reader<'a> {
    documents: &'a DocumentWorkers,
    deadline: Instant,
    is_shortened: bool,
}

impl Reader<'_> {
    async fn page(
        self,
        path: &Path,
        bytes: Vec<u8>,
        raw: bool,
        selection: &Selection,
    ) -> std::result::Result<(Aged<Arc<WholePage>>, Selection), FileError> {
        let limits = Limits::default();
        if bytes.len() > limits.input {
            return Err(DocumentError::InputTooLarge
                .fault(bytes.len(), &limits)
                .into());
        }
        let hint = Hint {
            file_name: path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned()),
            wanted: selection.wanted_parts(),
            password: selection.password.clone(),
            formulas: selection.formulas,
            scans: Some(wanted_scans(selection, "")),
            ..Hint::default()
        };
        // A file inside has a source of its own.
        let names_a_file = selection.name.is_some() && !hint.kind(&bytes).is_text();
        let (page, selection) = if raw && !names_a_file {
            (source(&bytes, &hint, &limits)?, selection.clone())
        } else {
            let hint = Hint { raw, ..hint };
            self.selected(bytes, hint, selection).await?
        };
        let whole = Aged {
            answer: Arc::new(WholePage {
                url: on_one_line(path),
                ..page
            }),
            age: None,
        };
        Ok((whole, selection))
    }

    /// The document, or the file inside it that is wanted, and what is wanted of it.
    async fn selected(
        self,
        bytes: Vec<u8>,
        hint: Hint,
        selection: &Selection,
    ) -> Result<(WholePage, Selection)> {
        let bytes: Arc<[u8]> = bytes.into();
        let whole = self.document(Arc::clone(&bytes), hint.clone()).await?;
        let Some(part) = separate_part(&whole.parts, selection) else {
            if hint.raw {
                return Err(DocumentError::NoSource.fault(bytes.len(), &Limits::default()));
            }
            return Ok((whole, selection.clone()));
        };
        let inside = selection.inside_file();
        let hint = Hint {
            part: Some(part),
            wanted: inside.wanted_parts(),
            ..hint
        };
        Ok((self.document(bytes, hint).await?, inside))
    }

    async fn document(self, bytes: Arc<[u8]>, hint: Hint) -> Result<WholePage> {
        let asked = hint.scans.filter(|_| self.documents.has_ocr());
        let wanted = hint.wanted.clone();
        let read = self.documents.read_document(bytes, hint, self.deadline);
        let document = read.await.map_err(|error| match error {
            NotRead::TookTooLong if self.is_shortened => Fault::new(Case::Timeout, Origin::Local)
                .phase(Phase::Extract)
                .saying(NOT_IN_TIME)
                .advising(MORE_TIME),
            NotRead::TookTooLong => too_costly(),
            NotRead::Fault(fault) => fault,
        })?;
        let (parse_warning, source_truncated) = (document.parse_warning(), document.truncated);
        let scans = ScannedPages::new(&document.scans, &document.warnings, asked);
        let metadata = Metadata::from(&document);
        let (text, parts) = strip_parts(document.markdown, document.parts);
        Ok(WholePage {
            source_truncated,
            parse_warning,
            parts,
            wanted,
            scans,
            ..page(text, metadata)
        })
    }
}

/// The path as it is shown. A file name may hold line breaks, and text after one would look as if
/// the server said it.
fn on_one_line(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .map(|letter| {
            if letter.is_control() {
                '\u{FFFD}'
            } else {
                letter
            }
        })
        .collect()
}

/// At most one byte more than `most`. Blocks.
fn read_bytes(file: File, most: usize) -> std::result::Result<Vec<u8>, PathRefusal> {
    let mut bytes = Vec::new();
    let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|_| PathRefusal::NotPermitted)
}

fn source(bytes: &[u8], hint: &Hint, limits: &Limits) -> Result<WholePage> {
    if !hint.kind(bytes).is_text() {
        return Err(DocumentError::Unsupported
            .fault(bytes.len(), limits)
            .saying(crate::fetch::NO_SOURCE)
            .other_form(OtherForm::MainText));
    }
    Ok(page(
        reading::extract::charset::decode(bytes, None).text,
        Metadata::default(),
    ))
}

fn page(text: String, metadata: Metadata) -> WholePage {
    WholePage {
        metadata,
        ..WholePage::new(String::new(), "file", crate::fetch::strip_hidden(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_with_a_line_break_is_shown_on_one_line() {
        assert_eq!(
            on_one_line(Path::new("a\nSource: b.txt")),
            "a\u{FFFD}Source: b.txt"
        );
    }
}

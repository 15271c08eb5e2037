//! Local files: only those inside the directories that the operator opened.

mod roots;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin, OtherForm, Phase, Result, Say};

use crate::fetch::WholePage;
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

/// Reads a file as a page; `raw` asks for its source.
pub(crate) async fn read_file(
    roots: &Roots,
    path: &Path,
    raw: bool,
    documents: &DocumentWorkers,
    deadline: Instant,
) -> std::result::Result<Aged<Arc<WholePage>>, FileError> {
    let limits = Limits::default();
    let (opener, wanted) = (roots.clone(), path.to_owned());
    let reading = tokio::task::spawn_blocking(move || read_bytes(&opener, &wanted, limits.input));
    let bytes = tokio::time::timeout_at(deadline, reading)
        .await
        .map_err(|_| too_costly())?
        .map_err(|_| Fault::new(Case::Internal, Origin::Local))??;
    if bytes.len() > limits.input {
        return Err(DocumentError::InputTooLarge
            .fault(bytes.len(), &limits)
            .into());
    }
    let hint = Hint {
        file_name: path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned()),
        ..Hint::default()
    };
    let page = if raw {
        source(&bytes, &hint, &limits)?
    } else {
        document(bytes, hint, documents, deadline).await?
    };
    Ok(Aged {
        answer: Arc::new(WholePage {
            url: on_one_line(path),
            ..page
        }),
        age: None,
    })
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
fn read_bytes(
    roots: &Roots,
    path: &Path,
    most: usize,
) -> std::result::Result<Vec<u8>, PathRefusal> {
    let mut bytes = Vec::new();
    let read = roots
        .open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|_| PathRefusal::NotPermitted)
}

async fn document(
    bytes: Vec<u8>,
    hint: Hint,
    documents: &DocumentWorkers,
    deadline: Instant,
) -> Result<WholePage> {
    let read = documents.read_document(bytes, hint, deadline).await;
    let document = read.map_err(|error| match error {
        NotRead::TookTooLong => too_costly(),
        NotRead::Fault(fault) => fault,
    })?;
    let (parse_warning, source_truncated) = (document.parse_warning(), document.truncated);
    Ok(WholePage {
        source_truncated,
        parse_warning,
        ..page(document.markdown.clone(), Metadata::from(&document))
    })
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
        url: String::new(),
        tier: "file",
        metadata,
        text: crate::fetch::strip_hidden(text),
        source_truncated: false,
        parse_warning: None,
        partial: None,
        fresh_for: Duration::ZERO,
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

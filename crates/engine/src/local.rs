//! Local files: only those inside the directories that the operator opened.
//!
//! A path is checked twice. As it is written, so that `..` cannot leave a directory and a path
//! outside is refused without a look at the disk; and after links are resolved, so that a link
//! inside an open directory cannot lead out of it.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, Origin, OtherForm, Phase, Result, Say};

use crate::fetch::WholePage;
use crate::layer::Aged;
use crate::worker::DocumentWorkers;
use reading::document::{DocumentError, Hint, Limits};
use reading::extract::Metadata;

/// The directories that may be read.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    open: Vec<PathBuf>,
    everything: bool,
}

/// Why a path is refused. Only the server knows what the parameter and the setting are called, so
/// it puts this in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRefusal {
    /// The operator opened no directory at all.
    NoOpenDirectory,
    OutsideOpenDirectories,
    /// The path does not exist.
    Missing,
    Directory,
    /// A pipe or a device, which might never end.
    NotRegular,
    /// The operating system forbids this process to read it.
    NotPermitted,
}

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

impl Roots {
    /// These directories, with everything in them.
    pub fn only(open: Vec<PathBuf>) -> Roots {
        Roots {
            open,
            everything: false,
        }
    }

    /// Everything that the user of this process may read: for commands that the user types.
    pub fn everything() -> Roots {
        Roots {
            open: Vec::new(),
            everything: true,
        }
    }

    /// The real path of a file that may be read. A relative path is tried in each open directory.
    fn resolve(&self, path: &Path) -> std::result::Result<PathBuf, PathRefusal> {
        if self.everything {
            return regular_file(path);
        }
        if self.open.is_empty() {
            return Err(PathRefusal::NoOpenDirectory);
        }
        let mut refusal = PathRefusal::OutsideOpenDirectories;
        for root in &self.open {
            let Some(inside) = within(root, path) else {
                continue;
            };
            match regular_file(&inside) {
                Ok(real) if root.canonicalize().is_ok_and(|root| real.starts_with(root)) => {
                    return Ok(real);
                }
                Ok(_) => {}
                Err(reason) => refusal = reason,
            }
        }
        Err(refusal)
    }
}

/// The path under this root, if it stays inside as it is written. Does not look at the disk.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in root.join(path).components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    (clean.starts_with(root) && clean != root).then_some(clean)
}

/// The real path, if it is a regular file.
fn regular_file(path: &Path) -> std::result::Result<PathBuf, PathRefusal> {
    let real = path.canonicalize().map_err(|error| refusal(&error))?;
    if real.is_file() {
        Ok(real)
    } else if real.is_dir() {
        Err(PathRefusal::Directory)
    } else {
        Err(PathRefusal::NotRegular)
    }
}

fn refusal(error: &io::Error) -> PathRefusal {
    match error.kind() {
        io::ErrorKind::PermissionDenied => PathRefusal::NotPermitted,
        _ => PathRefusal::Missing,
    }
}

/// For a file that could not be read before the deadline. A retry would take as long.
pub(crate) fn too_costly() -> Fault {
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
) -> std::result::Result<Aged<Arc<WholePage>>, FileError> {
    let real = roots.resolve(path)?;
    let limits = Limits::default();
    let bytes = tokio::task::spawn_blocking(move || read_bytes(&real, limits.input)).await;
    let bytes = bytes
        .map_err(|_| PathRefusal::NotPermitted)?
        .map_err(|error| refusal(&error))?;
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
        document(bytes, hint, documents).await?
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

fn read_bytes(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

async fn document(bytes: Vec<u8>, hint: Hint, documents: &DocumentWorkers) -> Result<WholePage> {
    let document = documents.read_document(bytes, hint).await?;
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

    #[test]
    fn only_paths_inside_the_root_as_written_are_accepted() {
        let root = Path::new("/data/docs");
        for inside in [
            "a.pdf",
            "/data/docs/a.pdf",
            "b/../a.pdf",
            "./a.pdf",
            "/data/docs/x/./y/../a.pdf",
            "/data/../data/docs/a",
        ] {
            assert!(within(root, Path::new(inside)).is_some(), "{inside}");
        }
        for outside in [
            "../a.pdf",
            "/etc/passwd",
            "/data/docs/../../etc/passwd",
            "/data/docs2/a",
            "..",
            "",
            "/data/docs",
            "x/../..",
        ] {
            assert_eq!(within(root, Path::new(outside)), None, "{outside}");
        }
    }
}

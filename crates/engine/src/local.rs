//! Files on this machine: only inside the directories that the operator opened.
//!
//! A path is judged twice. As it is written, so that `..` leads nowhere and a closed place is
//! refused without being looked at; and as it really is, so that a link inside an open directory
//! does not lead out of it.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fault::{Case, Fault, FieldName, Issue, Origin, Phase, Problem, Result, Say, SettingName};

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

impl Roots {
    /// These directories, with all that is in them.
    pub fn only(open: Vec<PathBuf>) -> Roots {
        Roots {
            open,
            everything: false,
        }
    }

    /// Whatever this user may read: for a command that the user types.
    pub fn everything() -> Roots {
        Roots {
            open: Vec::new(),
            everything: true,
        }
    }

    /// The real path of a file that may be read. Relative paths are looked for in each open
    /// directory.
    fn admit(&self, path: &Path) -> Result<PathBuf> {
        if self.everything {
            return regular_file(path);
        }
        if self.open.is_empty() {
            return Err(wrong(NOTHING_OPEN).setting(SettingName::new("allow-path")));
        }
        let mut refusal = wrong(OUTSIDE).setting(SettingName::new("allow-path"));
        for root in &self.open {
            let Some(inside) = within(root, path) else {
                continue;
            };
            match regular_file(&inside) {
                Ok(real) if root.canonicalize().is_ok_and(|root| real.starts_with(root)) => {
                    return Ok(real);
                }
                Ok(_) => {}
                Err(fault) => refusal = fault,
            }
        }
        Err(refusal)
    }
}

const NOTHING_OPEN: Say = Say::new(
    "cannot be read: this server may read no local directory. Give a url, or ask the operator to open one with --allow-path",
);
const OUTSIDE: Say = Say::new(
    "is outside the directories that this server may read. Give a path inside them, or ask the operator to open it with --allow-path",
);
const NO_FILE: Say = Say::new(
    "names no file. Check the spelling, and give the path of a file rather than a directory",
);
const NOT_READABLE: Say = Say::new("names a file that this server is not permitted to read");

/// What is wrong with a path, told as the mistake in an argument that it is.
fn wrong(says: Say) -> Fault {
    Fault::arguments(vec![Problem::new(
        FieldName::new("path"),
        Issue::Says(says),
    )])
}

/// The path under this root, if it is written so that it stays inside. Nothing is looked up.
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

/// The real path, if it is a file. A pipe or a device would never end.
fn regular_file(path: &Path) -> Result<PathBuf> {
    let real = path.canonicalize().map_err(|error| unreadable(&error))?;
    if real.is_file() {
        Ok(real)
    } else {
        Err(wrong(NO_FILE))
    }
}

fn unreadable(error: &io::Error) -> Fault {
    wrong(if error.kind() == io::ErrorKind::PermissionDenied {
        NOT_READABLE
    } else {
        NO_FILE
    })
}

/// The time was up before the file was read: it takes as long the next time.
pub(crate) fn too_heavy() -> Fault {
    Fault::new(Case::TooCostly, Origin::Local)
        .phase(Phase::Extract)
        .saying(Say::new("The file is too heavy to be read in time."))
        .advising(Say::new("Do not retry; look for a smaller version."))
}

/// Reads a file as a page.
pub(crate) async fn read(
    roots: &Roots,
    path: &Path,
    raw: bool,
    documents: &DocumentWorkers,
) -> Result<Aged<Arc<WholePage>>> {
    let real = roots.admit(path)?;
    let limits = Limits::default();
    let bytes = tokio::task::spawn_blocking(move || bytes_of(&real, limits.input)).await;
    let bytes = bytes
        .map_err(|_| wrong(NOT_READABLE))?
        .map_err(|error| unreadable(&error))?;
    if bytes.len() > limits.input {
        return Err(DocumentError::InputTooLarge.fault(bytes.len(), &limits));
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

/// The path as it is told: a name may hold line breaks, and what follows one would look like words
/// of ours.
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

fn bytes_of(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

async fn document(bytes: Vec<u8>, hint: Hint, documents: &DocumentWorkers) -> Result<WholePage> {
    let document = documents.read(bytes, hint).await?;
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
            .saying(crate::fetch::NO_SOURCE));
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
        text: crate::fetch::visible(text),
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
    fn a_name_stays_on_its_line() {
        assert_eq!(
            on_one_line(Path::new("a\nSource: b.txt")),
            "a\u{FFFD}Source: b.txt"
        );
    }

    #[test]
    fn a_path_stays_inside_as_it_is_written() {
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

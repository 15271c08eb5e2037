//! Lets a program read a document, and keeps what others read: they take hours where ours takes
//! minutes, and do not change.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::programs::{self, Program};
use crate::{place, process};

/// The time that a program may take for one document, in seconds.
const LIMIT: u64 = 60;
/// The time that starting Python and its libraries may take beside it.
const START: u64 = 60;

/// What a program read of a document. No text if it failed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    pub(super) text: String,
    pub(super) seconds: f64,
    /// The peak of its memory, in bytes.
    pub(super) peak: f64,
}

/// Lets programs read.
pub(super) struct Reader {
    pub(super) python: PathBuf,
}

impl Reader {
    /// Reads a document.
    pub(super) fn read(&self, program: &Program, file: &Path) -> Read {
        let mut command = Command::new(&self.python);
        command
            .arg(programs::script())
            .arg(LIMIT.to_string())
            .args(program.arguments(file));
        let limit = Duration::from_secs(LIMIT + START);
        match process::within(limit, &mut command, "") {
            Ok(written) => {
                let figures = written.stderr.lines().last().unwrap_or_default();
                measured(written.stdout, figures)
            }
            Err(_) => measured(String::new(), ""),
        }
    }

    /// Reads a document, unless it was read before with the same versions.
    pub(super) fn read_once(&self, program: &Program, file: &Path) -> Read {
        let path = kept(program, file);
        if let Some(read) = path.as_deref().and_then(load) {
            return read;
        }
        let read = self.read(program, file);
        if let Some(path) = path {
            store(&path, &read);
        }
        read
    }
}

/// The figures stand in the last line that `read.py` writes. Without them, the program failed.
fn measured(text: String, figures: &str) -> Read {
    let figures: Value = serde_json::from_str(figures).unwrap_or_default();
    let number = |name: &str| figures.get(name).and_then(Value::as_f64);
    Read {
        text: number("seconds").map_or_else(String::new, |_| text),
        seconds: number("seconds").unwrap_or(LIMIT as f64),
        peak: number("peak").unwrap_or(0.0),
    }
}

/// Where the reading of a document is kept, by what it depends on.
fn kept(program: &Program, file: &Path) -> Option<PathBuf> {
    let mut bytes = fs::read(file).ok()?;
    for part in [programs::pins(), programs::script()] {
        bytes.extend(fs::read(part).ok()?);
    }
    let digest = digest(&SHA256, &bytes);
    let hash: Vec<String> = digest.as_ref()[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let folder = place::target()
        .join("bench/documents/read")
        .join(program.name);
    fs::create_dir_all(&folder).ok()?;
    Some(folder.join(hash.concat()))
}

fn store(path: &Path, read: &Read) {
    let kept = json!({"text": read.text, "seconds": read.seconds, "peak": read.peak});
    // What cannot be kept is read again.
    let _ = fs::write(path, kept.to_string());
}

fn load(path: &Path) -> Option<Read> {
    let kept: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    Some(Read {
        text: kept["text"].as_str()?.to_owned(),
        seconds: kept["seconds"].as_f64()?,
        peak: kept["peak"].as_f64()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_read_nothing() {
        let read = measured("text".to_owned(), r#"{"seconds": 0.5, "peak": 1000}"#);
        assert_eq!((read.seconds, read.peak), (0.5, 1000.0));
        assert_eq!(read.text, "text");
        let failed = measured("half a text".to_owned(), "Traceback");
        assert_eq!(failed.text, "");
    }

    #[test]
    fn what_is_kept_is_the_same_again() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("kept");
        let read = measured("ä\n".to_owned(), r#"{"seconds": 0.25, "peak": 7}"#);
        store(&path, &read);
        assert_eq!(load(&path), Some(read));
        assert_eq!(load(&folder.path().join("other")), None);
    }
}

//! The pattern library with the user's own files, which the crate itself does not read.

use std::{
    fs::{self, File},
    io::{self, Read},
    ops::Deref,
    path::Path,
};

use patterns::library::Library;

/// Patterns as a server or a command uses them.
#[derive(Debug)]
pub(crate) enum PatternLibrary {
    Shipped(&'static Library),
    /// Shipped patterns and those of a directory.
    Extended(Library),
}

impl Deref for PatternLibrary {
    type Target = Library;

    fn deref(&self) -> &Library {
        match self {
            PatternLibrary::Shipped(library) => library,
            PatternLibrary::Extended(library) => library,
        }
    }
}

impl PatternLibrary {
    /// The shipped patterns and the Markdown files of a directory. The error is for the operator: it
    /// names the file and what is wrong with it.
    pub(crate) fn load(directory: Option<&Path>) -> Result<PatternLibrary, String> {
        let Some(directory) = directory else {
            return Ok(PatternLibrary::Shipped(Library::shipped()));
        };
        let unreadable =
            |error: std::io::Error| format!("{}: {}", directory.display(), error.kind());
        let mut files = Vec::new();
        for entry in fs::read_dir(directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
                let text =
                    read(&path).map_err(|error| format!("{}: {}", path.display(), error.kind()))?;
                files.push((path.display().to_string(), text));
            }
        }
        files.sort();
        let files = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        Library::shipped()
            .extended(files)
            .map(PatternLibrary::Extended)
            .map_err(|mistake| mistake.to_string())
    }
}

/// More than the library takes, so that a file that is too large is told as that by the library.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a regular file, and of a large one no more than its start.
fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?
        .take(MOST_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}

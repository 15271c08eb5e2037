//! The pattern library with the user's own files, which the crate itself does not read.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use patterns::library::{Library, Mistake};

/// The library of a server: read once, and again when the files have changed.
#[derive(Debug)]
pub(crate) struct PatternLibrary {
    directory: Option<PathBuf>,
    last: Mutex<Option<(Snapshot, Arc<LoadedPatterns>)>>,
}

/// Patterns as a server or a command uses them.
#[derive(Debug)]
pub(crate) struct LoadedPatterns {
    /// `None` where there are only the shipped ones.
    extended: Option<Library>,
    /// What is wrong with files, for the operator. Everything else is in the library.
    pub(crate) mistakes: Vec<String>,
}

impl LoadedPatterns {
    pub(crate) fn library(&self) -> &Library {
        match &self.extended {
            Some(library) => library,
            None => Library::shipped(),
        }
    }
}

/// The Markdown files of a directory, by name, with what tells that one has changed.
type Snapshot = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// At most this many files are read, so that a wrong directory does not become a slow server.
const MOST_FILES: usize = 1_000;

impl PatternLibrary {
    pub(crate) fn new(directory: Option<PathBuf>) -> PatternLibrary {
        PatternLibrary {
            directory,
            last: Mutex::new(None),
        }
    }

    /// The library as the files are now. Files are looked at in a thread for blocking work.
    pub(crate) async fn current(self: &Arc<Self>) -> Arc<LoadedPatterns> {
        let own = Arc::clone(self);
        match self.directory {
            None => self.load(),
            Some(_) => tokio::task::spawn_blocking(move || own.load())
                .await
                .unwrap_or_else(|_| only_shipped("reading the directory failed".to_owned())),
        }
    }

    /// The same, in this thread.
    pub(crate) fn load(&self) -> Arc<LoadedPatterns> {
        let Some(directory) = &self.directory else {
            return Arc::new(LoadedPatterns {
                extended: None,
                mistakes: Vec::new(),
            });
        };
        let snapshot = match snapshot(directory) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                return only_shipped(format!("{}: {}", directory.display(), error.kind()));
            }
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, loaded)) = last.as_ref()
            && *known == snapshot
        {
            return Arc::clone(loaded);
        }
        let loaded = Arc::new(read_all(&snapshot));
        for mistake in &loaded.mistakes {
            tracing::warn!(mistake, "a file of patterns-dir is wrong");
        }
        *last = Some((snapshot, Arc::clone(&loaded)));
        loaded
    }
}

fn only_shipped(mistake: String) -> Arc<LoadedPatterns> {
    Arc::new(LoadedPatterns {
        extended: None,
        mistakes: vec![mistake],
    })
}

fn snapshot(directory: &Path) -> io::Result<Snapshot> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        // A link that leads nowhere, and a file that went away meanwhile, are no files.
        let Ok(found) = fs::metadata(&path) else {
            continue;
        };
        if found.is_file() {
            files.push((path, found.len(), found.modified().ok()));
        }
    }
    files.sort();
    Ok(files)
}

fn read_all(snapshot: &Snapshot) -> LoadedPatterns {
    let (mut texts, mut mistakes) = (Vec::new(), Vec::new());
    for (path, _, _) in snapshot.iter().take(MOST_FILES) {
        let name = path.display().to_string();
        match read(path) {
            Ok(text) => texts.push((name, text)),
            Err(error) => mistakes.push(format!("{name}: {error}; left out")),
        }
    }
    let unread = snapshot.len().saturating_sub(MOST_FILES);
    if unread > 0 {
        mistakes.push(format!(
            "{unread} files more than the {MOST_FILES} that are read; left out"
        ));
    }
    let files = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let (library, wrong) = Library::shipped().extended(files);
    mistakes.extend(wrong.iter().map(|mistake| match mistake.what {
        Mistake::UnknownRelated(_) => format!("{mistake}; that relation is left out"),
        _ => format!("{mistake}; left out"),
    }));
    LoadedPatterns {
        extended: Some(library),
        mistakes,
    }
}

/// More than the library takes, so that a file that is too large is told as that by the library.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a regular file, and of a large one no more than its start.
fn read(path: &Path) -> Result<String, &'static str> {
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    opened.map_err(|_| "cannot be read")?;
    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text")
}

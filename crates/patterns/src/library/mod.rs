//! The patterns: Markdown files with front matter, shipped with the program or the user's own.

mod front_matter;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;

pub use front_matter::{Mistake, parse};

/// The files below `library/` as `build.rs` packs them: path and text by turns, each before a zero.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

/// The categories, in the order lists show them.
pub const CATEGORIES: &[&str] = &[
    "classification",
    "retry-and-backoff",
    "timeouts-and-cancellation",
    "rate-limits",
    "secrets",
    "trust-boundary",
    "validation",
    "partial-results",
    "fallback",
    "sessions",
    "observability",
    "testing",
    "protocol",
];

pub const DIFFICULTIES: &[&str] = &["beginner", "intermediate", "advanced"];

/// Whether a pattern says what to do or what not to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Pattern,
    AntiPattern,
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Pattern => "pattern",
            Kind::AntiPattern => "anti-pattern",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub id: String,
    pub title: String,
    pub category: &'static str,
    pub kind: Kind,
    pub difficulty: &'static str,
    pub tags: Vec<String>,
    pub summary: String,
    pub use_when: String,
    pub avoid_when: String,
    pub related: Vec<String>,
    /// Markdown.
    pub body: String,
}

/// Patterns whose ids are unique and whose relations lead somewhere.
#[derive(Debug, Default)]
pub struct Library {
    patterns: Vec<Pattern>,
}

impl Library {
    /// The patterns that are shipped, unpacked on first use.
    pub fn shipped() -> &'static Library {
        static SHIPPED: LazyLock<Library> = LazyLock::new(|| {
            let mut text = String::new();
            DeflateDecoder::new(PACKED)
                .read_to_string(&mut text)
                .expect("the build packed it");
            let parts: Vec<&str> = text.split_terminator('\0').collect();
            let (files, _) = parts.as_chunks::<2>();
            let files = files.iter().map(|[path, text]| (*path, *text));
            let (library, mistakes) = Library::default().extended(files);
            debug_assert!(mistakes.is_empty(), "{mistakes:?}");
            library
        });
        &SHIPPED
    }

    /// These patterns and those of more files. A file whose id is known replaces that pattern. What
    /// is wrong with files is told, and changes nothing else: a file that is no pattern is left out,
    /// and so is a relation that leads nowhere.
    pub fn extended<'f>(
        &self,
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> (Library, Vec<FileMistake>) {
        let mut patterns = self.patterns.clone();
        let mut mistakes = Vec::new();
        let mut added: BTreeMap<String, &str> = BTreeMap::new();
        for (path, text) in files {
            let read = parse(text).and_then(|pattern| match added.get(&pattern.id) {
                Some(_) => Err(Mistake::DuplicateId),
                None => Ok(pattern),
            });
            match read {
                Ok(pattern) => {
                    added.insert(pattern.id.clone(), path);
                    patterns.retain(|known| known.id != pattern.id);
                    patterns.push(pattern);
                }
                Err(what) => mistakes.push(FileMistake::new(path, what)),
            }
        }
        let ids: BTreeSet<String> = patterns.iter().map(|it| it.id.clone()).collect();
        for pattern in &mut patterns {
            let path = added.get(&pattern.id).copied();
            pattern.related.retain(|id| {
                let leads_somewhere = ids.contains(id);
                if let (false, Some(path)) = (leads_somewhere, path) {
                    mistakes.push(FileMistake::new(path, Mistake::UnknownRelated(id.clone())));
                }
                leads_somewhere
            });
        }
        let place = |category: &str| CATEGORIES.iter().position(|known| *known == category);
        patterns.sort_by(|a, b| (place(a.category), &a.id).cmp(&(place(b.category), &b.id)));
        (Library { patterns }, mistakes)
    }

    /// All patterns, by category and id.
    pub fn all(&self) -> &[Pattern] {
        &self.patterns
    }

    pub fn find(&self, id: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.id == id)
    }
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMistake {
    pub path: String,
    pub what: Mistake,
}

impl FileMistake {
    fn new(path: &str, what: Mistake) -> FileMistake {
        FileMistake {
            path: path.to_owned(),
            what,
        }
    }
}

impl std::fmt::Display for FileMistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

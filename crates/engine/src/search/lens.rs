//! Lenses: named lists of sites that know a subject.
//!
//! A lens is a text file: `about:` and a line on what it is for, then one host a line; `#` starts a
//! comment, `-` before a host leaves it out. The curated ones are files in `lenses/`, compiled in
//! by one line each of [`CURATED`]. A file `<name>.txt` in the operator's directory adds a lens or
//! replaces a curated one. The operator's files are read when a lens is used, so that an edit needs
//! no restart.

use std::path::PathBuf;

use fault::{Tainted, Word};

/// A named list of sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// What callers ask for it by.
    pub name: Word,
    /// What it is for.
    pub about: String,
    /// The sites it searches.
    pub sites: Vec<String>,
    /// Sites that are left out of its results.
    pub excluded: Vec<String>,
}

macro_rules! curated {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("lenses/", $name, ".txt")))),+]
    };
}

/// The curated lenses: the file's name without its extension, and its text.
const CURATED: &[(&str, &str)] = curated![
    "academic",
    "preprints",
    "medicine",
    "statistics",
    "government",
    "law",
    "standards",
    "reference",
    "newswires",
    "factcheck",
    "finance",
    "climate",
    "security",
    "programming",
    "rust",
    "python",
    "javascript",
    "linux",
    "machine-learning",
    "datasets",
    "patents",
];

/// The names of the curated lenses.
pub const CURATED_LENSES: &[&str] = &{
    let mut names = [""; CURATED.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = CURATED[index].0;
        index += 1;
    }
    names
};

/// The most sites of a lens: a longer list makes queries too long for most providers.
const MAX_SITES: usize = 30;
const MAX_FILE: u64 = 64 * 1024;
const MAX_LENSES: usize = 200;

/// Why there is no lens of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LensError {
    /// There is no such lens.
    Unknown {
        /// The lenses there are.
        known: Vec<Word>,
        /// The one that was probably meant.
        nearest: Option<Word>,
    },
    /// The operator's file is no list of hosts; this is its text.
    File(Tainted),
}

/// The curated lenses and those of the operator's directory.
#[derive(Debug, Clone, Default)]
pub struct Lenses {
    directory: Option<PathBuf>,
}

impl Lenses {
    /// The curated lenses, and those of a directory where there is one.
    pub fn new(directory: Option<PathBuf>) -> Lenses {
        Lenses { directory }
    }

    /// The lens of a name, in any case, with spaces or hyphens.
    pub fn find(&self, name: &str) -> Result<Lens, LensError> {
        let wanted = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        let Some(word) = Word::parse(&wanted) else {
            return Err(self.unknown(&wanted));
        };
        if let Some(text) = self.operators_file(&word) {
            return Lens::parse(word, &text).ok_or_else(|| LensError::File(Tainted::new(&*text)));
        }
        let curated = CURATED.iter().find(|(name, _)| *name == word.as_str());
        curated
            .and_then(|(_, text)| Lens::parse(word, text))
            .ok_or_else(|| self.unknown(&wanted))
    }

    /// Every lens, by name. Files that are no list of hosts are left out.
    pub fn all(&self) -> Vec<Lens> {
        self.names()
            .iter()
            .filter_map(|name| self.find(name.as_str()).ok())
            .collect()
    }

    fn names(&self) -> Vec<Word> {
        let mut names: Vec<Word> = CURATED
            .iter()
            .filter_map(|(name, _)| Word::parse(name))
            .collect();
        let entries = self
            .directory
            .as_ref()
            .and_then(|directory| std::fs::read_dir(directory).ok());
        let stems = entries
            .into_iter()
            .flatten()
            .flatten()
            .take(MAX_LENSES)
            .filter_map(|entry| {
                let path = entry.path();
                path.extension()
                    .is_some_and(|extension| extension == "txt")
                    .then(|| path.file_stem()?.to_str().and_then(Word::parse))
                    .flatten()
            });
        names.extend(stems);
        names.sort();
        names.dedup();
        names
    }

    /// The text of the operator's file for a lens. The name is a [`Word`], so the path cannot leave
    /// the directory.
    fn operators_file(&self, name: &Word) -> Option<String> {
        let path = self.directory.as_ref()?.join(format!("{name}.txt"));
        let fits =
            std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= MAX_FILE);
        fits.then(|| std::fs::read(&path).ok())
            .flatten()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn unknown(&self, wanted: &str) -> LensError {
        let known = self.names();
        let nearest = fault::nearest(wanted, known.iter().map(Word::as_str)).and_then(Word::parse);
        LensError::Unknown { known, nearest }
    }
}

impl Lens {
    /// A lens of at least one site; `None` when a line is no host.
    fn parse(name: Word, text: &str) -> Option<Lens> {
        let mut lens = Lens {
            name,
            about: String::new(),
            sites: Vec::new(),
            excluded: Vec::new(),
        };
        for line in text
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim())
            .filter(|line| !line.is_empty())
        {
            match (line.strip_prefix("about:"), line.strip_prefix('-')) {
                (Some(about), _) => lens.about = super::markup::tidy(about, 200),
                (None, Some(host)) => lens.excluded.push(site(host)?),
                (None, None) => lens.sites.push(site(line)?),
            }
        }
        let count = lens.sites.len() + lens.excluded.len();
        (1..=MAX_SITES).contains(&count).then_some(lens)
    }
}

/// A host as people write one: `docs.rs`, `*.gov`, `https://docs.rs/`. Lower case, in ASCII.
pub(super) fn site(text: &str) -> Option<String> {
    let text = text.trim();
    let host = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = host
        .split(['/', '?', '#'])
        .next()
        .unwrap_or(host)
        .trim_start_matches("*.")
        .trim_matches('.');
    let parsed = match url::Host::parse(host).ok()? {
        url::Host::Domain(name) => name,
        _ => return None,
    };
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.trim_matches('-') == label
            && label.bytes().all(inside)
    };
    (parsed.len() <= 253 && parsed.split('.').all(label)).then_some(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curated_lenses_are_complete() {
        let lenses = Lenses::default().all();
        assert_eq!(lenses.len(), CURATED.len());
        assert!(lenses.len() >= 15);
        for lens in lenses {
            assert!(
                !lens.about.is_empty() && lens.sites.len() >= 3 && lens.sites.len() <= 12,
                "{}",
                lens.name
            );
            let mut sites = lens.sites.clone();
            sites.sort();
            sites.dedup();
            assert_eq!(
                sites.len(),
                lens.sites.len(),
                "{} names a site twice",
                lens.name
            );
        }
    }

    #[test]
    fn every_file_of_the_directory_is_compiled_in() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/search/lenses");
        let mut files: Vec<String> = std::fs::read_dir(directory)
            .expect("the lenses")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .collect();
        files.sort();
        let mut compiled: Vec<&str> = CURATED.iter().map(|(name, _)| *name).collect();
        compiled.sort_unstable();
        assert_eq!(files, compiled);
    }

    #[test]
    fn an_unknown_lens_names_those_there_are() {
        let Err(LensError::Unknown { known, nearest }) = Lenses::default().find("programing")
        else {
            panic!("a typo is no lens")
        };
        assert!(known.iter().any(|name| name.as_str() == "medicine"));
        assert_eq!(
            nearest.as_ref().map(Word::as_str),
            Some("programming"),
            "{known:?}"
        );
        assert!(Lenses::default().find("../../etc/passwd").is_err());
    }

    #[test]
    fn the_operator_adds_and_replaces_lenses() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(
            directory.path().join("mine.txt"),
            "about: Ours\nintra.example # home\n-old.intra.example\n",
        )
        .expect("a file");
        std::fs::write(directory.path().join("rust.txt"), "crates.example").expect("a file");
        std::fs::write(directory.path().join("broken.txt"), "not a host!").expect("a file");
        let lenses = Lenses::new(Some(directory.path().to_owned()));
        let mine = lenses.find("Mine").expect("a lens");
        assert_eq!(
            (mine.sites, mine.excluded),
            (
                vec!["intra.example".to_owned()],
                vec!["old.intra.example".to_owned()]
            )
        );
        assert_eq!(
            lenses.find("rust").expect("a lens").sites,
            ["crates.example"]
        );
        assert!(matches!(lenses.find("broken"), Err(LensError::File(_))));
    }

    #[test]
    fn sites_may_be_written_as_addresses_or_patterns() {
        let cases = [
            ("https://Docs.RS/x", Some("docs.rs")),
            ("*.gov", Some("gov")),
            ("bücher.example", Some("xn--bcher-kva.example")),
        ];
        for (written, host) in cases {
            assert_eq!(site(written).as_deref(), host, "{written}");
        }
        for bad in [
            "",
            "a b",
            "127.0.0.1",
            "[::1]",
            "a..b",
            "-",
            "site:x.example",
            "a\u{0}b",
        ] {
            assert_eq!(site(bad), None, "{bad}");
        }
    }
}

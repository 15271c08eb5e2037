//! The programs that read documents, and where they come from: poppler-utils and pandoc from
//! Debian, the libraries from PyPI.

use std::path::{Path, PathBuf};

use crate::{install, place, process};

/// A program that turns a file into text.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) name: &'static str,
    /// What `read.py` is told: `run` and a command, or the name of a library.
    how: Vec<String>,
    /// The endings of the files that it reads. All files, if there is none.
    endings: &'static [&'static str],
    /// Whether it writes Markdown, so that its headings, lists and tables can be scored.
    pub(super) is_markdown: bool,
    /// The endings of the files about whose words it is asked where the truth is not known. One
    /// program of each engine is: two that agree because they are the same say nothing.
    judges: &'static [&'static str],
}

const PDF: &[&str] = &["pdf"];
const OFFICE: &[&str] = &["docx", "pptx", "xlsx", "xls", "epub", "html", "htm", "msg"];
const PANDOC: &[&str] = &[
    "docx", "odt", "epub", "html", "htm", "rtf", "ipynb", "tex", "rst", "fb2", "pptx", "xlsx",
];

impl Program {
    pub(super) fn reads(&self, file: &Path) -> bool {
        self.endings.is_empty() || has_ending(file, self.endings)
    }

    pub(super) fn judges(&self, file: &Path) -> bool {
        has_ending(file, self.judges)
    }

    /// The arguments of `read.py` for a file.
    pub(super) fn arguments(&self, file: &Path) -> Vec<String> {
        let file = file.to_string_lossy();
        let mut arguments = self.how.clone();
        arguments.push(file.clone().into_owned());
        // pdftotext writes a file of its own unless told where to.
        arguments.extend((self.name == "pdftotext").then(|| "-".to_owned()));
        arguments
    }
}

fn has_ending(file: &Path, endings: &[&str]) -> bool {
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    endings.contains(&ending.to_ascii_lowercase().as_str())
}

/// Our program.
pub(super) fn ours(path: &Path) -> Program {
    let path = path.to_string_lossy();
    Program {
        name: "Fingerpost",
        how: ["run", &path, "convert"].map(str::to_owned).to_vec(),
        endings: &[],
        is_markdown: true,
        judges: &[],
    }
}

/// The programs that ours is compared with.
pub(super) fn others() -> Vec<Program> {
    let command = |words: &[&str]| -> Vec<String> {
        let run = std::iter::once("run").chain(words.iter().copied());
        run.map(str::to_owned).collect()
    };
    let library = |name: &str| vec![name.to_owned()];
    let program = |name, how, endings, is_markdown, judges| Program {
        name,
        how,
        endings,
        is_markdown,
        judges,
    };
    let pandoc = command(&["pandoc", "-t", "gfm", "--wrap=none"]);
    vec![
        program("pdftotext", command(&["pdftotext"]), PDF, false, PDF),
        program("pdfium", library("pdfium"), PDF, false, PDF),
        program("pymupdf", library("pymupdf"), PDF, false, PDF),
        program("pymupdf4llm", library("pymupdf4llm"), PDF, true, &[]),
        program("markitdown", library("markitdown"), &[], true, OFFICE),
        program("pandoc", pandoc, PANDOC, true, PANDOC),
    ]
}

/// Installs the programs that are compared with, and returns the Python that runs `read.py`.
pub(super) fn install() -> Result<PathBuf, String> {
    for (program, package) in [("pdftotext", "poppler-utils"), ("pandoc", "pandoc")] {
        if !install::is_on_path(program) {
            install::install_debian_package(package)?;
        }
    }
    install::python_with(&pins(), &place::target().join("bench/documents/python"))
}

/// The versions of the libraries.
pub(super) fn pins() -> PathBuf {
    place::root().join("benches/documents/requirements.txt")
}

pub(super) fn script() -> PathBuf {
    place::root().join("benches/documents/read.py")
}

/// Our program as people install it, or another build of it.
pub(super) fn our_program(path: Option<&str>) -> Result<PathBuf, String> {
    match path {
        Some(path) => Ok(PathBuf::from(path)),
        None => process::release_program(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_asked_only_about_files_that_they_read() {
        let named = |name: &str| others().into_iter().find(|it| it.name == name);
        let pdftotext = named("pdftotext").expect("known");
        assert!(pdftotext.reads(Path::new("a.PDF")) && !pdftotext.reads(Path::new("a.docx")));
        assert_eq!(
            pdftotext.arguments(Path::new("a.pdf")),
            ["run", "pdftotext", "a.pdf", "-"]
        );
        let markitdown = named("markitdown").expect("known");
        assert!(markitdown.reads(Path::new("a.pdf")) && !markitdown.judges(Path::new("a.pdf")));
        assert!(markitdown.judges(Path::new("a.docx")));
    }
}

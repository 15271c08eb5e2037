//! `cargo xtask bench documents DIRECTORY [--worst N] [PROGRAM]`: how completely and how fast
//! documents are read, beside other programs.
//!
//! A document with a file `NAME.truth.md` beside it is scored against that ([`truth`]), any other
//! against what other programs agree on ([`agreement`]). The documents are the caller's own: none is
//! part of this repository. What other programs read is kept, so a second run takes only our time.

mod agreement;
mod programs;
mod reading;
mod report;
mod structure;
mod truth;
mod words;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::Outcome;
use agreement::Reading;
use programs::Program;
use reading::{Read, Reader};
use report::Scores;
use truth::Truth;

const USAGE: &str = "usage: cargo xtask bench documents DIRECTORY [--worst N] [PROGRAM]";

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
struct Wanted<'a> {
    directory: &'a str,
    program: Option<&'a str>,
    /// How many of the worst documents are named.
    worst: usize,
}

impl Wanted<'_> {
    fn parse(arguments: &[String]) -> Option<Wanted<'_>> {
        let mut names: Vec<&str> = Vec::new();
        let mut worst = 0;
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--worst" => worst = arguments.next()?.parse().ok()?,
                name => names.push(name),
            }
        }
        let (directory, program) = match names[..] {
            [directory] => (directory, None),
            [directory, program] => (directory, Some(program)),
            _ => return None,
        };
        Some(Wanted {
            directory,
            program,
            worst,
        })
    }
}

pub(super) fn run(arguments: &[String]) -> Outcome {
    let wanted = Wanted::parse(arguments).ok_or(USAGE)?;
    let documents = documents(Path::new(wanted.directory))?;
    let reader = Reader {
        python: programs::install()?,
    };
    let mut programs = vec![programs::ours(&programs::our_program(wanted.program)?)];
    programs.extend(programs::others());
    let mut bench = Bench::new(programs);
    for (number, document) in documents.iter().enumerate() {
        bench.add(number, document, &reader);
    }
    let names: Vec<String> = documents
        .iter()
        .map(|document| document.display().to_string())
        .collect();
    println!("{}", bench.report(&names, wanted.worst));
    Ok(())
}

/// The files below a directory, in order.
fn documents(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory)
        .map_err(|error| format!("cannot read {}: {error}", directory.display()))?;
    let mut files = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(documents(&path)?);
        } else if !path.to_string_lossy().ends_with(truth::ENDING) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The programs and their scores so far.
struct Bench {
    programs: Vec<Program>,
    by_truth: Vec<Scores>,
    by_agreement: Vec<Scores>,
}

impl Bench {
    fn new(programs: Vec<Program>) -> Bench {
        let scores = vec![Scores::default(); programs.len()];
        Bench {
            programs,
            by_truth: scores.clone(),
            by_agreement: scores,
        }
    }

    /// Lets every program read a document, and adds the scores.
    fn add(&mut self, number: usize, document: &Path, reader: &Reader) {
        let mut readers: Vec<usize> = (0..self.programs.len()).collect();
        readers.retain(|it| self.programs[*it].reads(document));
        let read = |it: &usize| match *it {
            0 => reader.read(&self.programs[0], document),
            other => reader.read_once(&self.programs[other], document),
        };
        let readings: Vec<Read> = readers.iter().map(read).collect();
        match Truth::about(document) {
            Some(truth) => self.score_by_truth(number, &readers, &readings, &truth),
            None => self.score_by_agreement(number, document, &readers, &readings),
        }
    }

    fn score_by_truth(
        &mut self,
        number: usize,
        readers: &[usize],
        readings: &[Read],
        truth: &Truth,
    ) {
        for (program, read) in readers.iter().zip(readings) {
            let is_markdown = self.programs[*program].is_markdown;
            let scores = truth.scores(&read.text, is_markdown);
            self.by_truth[*program].add(number, scores.to_vec(), read);
        }
    }

    fn score_by_agreement(
        &mut self,
        number: usize,
        document: &Path,
        readers: &[usize],
        readings: &[Read],
    ) {
        let reading = |(program, read): (&usize, &Read)| Reading {
            words: words::words(&read.text),
            is_judge: self.programs[*program].judges(document),
        };
        let judged: Vec<Reading> = readers.iter().zip(readings).map(reading).collect();
        let Some(scores) = agreement::scores(&judged) else {
            return;
        };
        for ((program, read), scores) in readers.iter().zip(readings).zip(scores) {
            let scores = scores.map(Some).to_vec();
            self.by_agreement[*program].add(number, scores, read);
        }
    }

    fn report(&self, documents: &[String], worst: usize) -> String {
        let mut report = String::new();
        let parts: [(&str, &[&str], &Vec<Scores>); 2] = [
            ("Scored against the truth", &truth::NAMES, &self.by_truth),
            (
                "Scored by what programs agree on",
                &agreement::NAMES,
                &self.by_agreement,
            ),
        ];
        for (title, names, scores) in parts {
            let programs = self.programs.iter().map(|program| program.name);
            let rows: Vec<(&str, &Scores)> = programs
                .zip(scores)
                .filter(|(_, scores)| !scores.is_empty())
                .collect();
            if !rows.is_empty() {
                report.push_str(&format!("{title}:\n\n{}", report::table(names, &rows)));
                report.push_str(&report::worst(names, &scores[0], documents, worst));
                report.push('\n');
            }
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_directory_a_number_and_a_program() {
        let parse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&it| it.into()).collect();
            Wanted::parse(&words).map(|it| {
                let program = it.program.map(str::to_owned);
                (it.directory.to_owned(), program, it.worst)
            })
        };
        assert_eq!(parse(&["files"]), Some(("files".into(), None, 0)));
        assert_eq!(
            parse(&["--worst", "5", "files", "program"]),
            Some(("files".into(), Some("program".into()), 5))
        );
        assert_eq!(parse(&[]), None);
        assert_eq!(parse(&["files", "--worst"]), None);
    }

    #[test]
    fn truths_are_no_documents() {
        let folder = tempfile::tempdir().expect("a directory");
        for name in ["b.pdf", "b.truth.md", "a.docx"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let names: Vec<String> = documents(folder.path())
            .expect("readable")
            .iter()
            .filter_map(|it| Some(it.file_name()?.to_string_lossy().into_owned()))
            .collect();
        assert_eq!(names, ["a.docx", "b.pdf"]);
    }
}

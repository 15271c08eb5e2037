//! `cargo xtask bench documents DIRECTORY [PROGRAM]`: how completely documents are read, beside
//! other programs.
//!
//! There is no truth about the text of a public file, but there is what several programs agree on.
//! A word is expected as often as at least two of the others have it (or the only one, if no other
//! is installed). It is invented if no other has it as often. Order is the share of our pairs of
//! neighbouring expected words that another program has, too. What differs only in case, hyphens
//! and the marks of Markdown is the same. The documents are the caller's own: none is part of this
//! repository.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{Outcome, process};

/// Longer than any program here may take for one document.
const LIMIT: Duration = Duration::from_secs(30);
/// A document of which others read fewer words says little.
const MIN_WORDS: usize = 5;

/// A program that turns a file into text.
struct Program {
    name: &'static str,
    command: fn(&Path) -> Command,
}

static OTHERS: &[Program] = &[
    Program {
        name: "pdftotext",
        command: |file| with_arguments("pdftotext", &[file.as_os_str(), "-".as_ref()]),
    },
    Program {
        name: "mutool",
        command: |file| {
            let arguments = ["draw", "-q", "-F", "txt"].map(str::as_ref);
            with_arguments("mutool", &[&arguments[..], &[file.as_os_str()]].concat())
        },
    },
    Program {
        name: "markitdown",
        command: |file| with_arguments("markitdown", &[file.as_os_str()]),
    },
    Program {
        name: "pandoc",
        command: |file| {
            let arguments = ["-t", "plain", "--wrap=none"].map(str::as_ref);
            with_arguments("pandoc", &[&arguments[..], &[file.as_os_str()]].concat())
        },
    },
];

fn with_arguments(program: &str, arguments: &[&std::ffi::OsStr]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

pub(super) fn run(arguments: &[String]) -> Outcome {
    let (directory, program) = match arguments {
        [directory] => (directory, process::release_program()?),
        [directory, program] => (directory, PathBuf::from(program)),
        _ => return Err("usage: cargo xtask bench documents DIRECTORY [PROGRAM]".to_owned()),
    };
    let files = files(Path::new(directory))?;
    let others: Vec<&Program> = OTHERS.iter().filter(|other| is_installed(other)).collect();
    if others.is_empty() {
        return Err("install pdftotext, markitdown or pandoc to compare with".to_owned());
    }
    let mut totals = vec![Totals::default(); others.len() + 1];
    for file in &files {
        let mut texts = vec![words(&text_of(with_arguments(
            &program.to_string_lossy(),
            &["convert".as_ref(), file.as_os_str()],
        )))];
        texts.extend(
            others
                .iter()
                .map(|other| words(&text_of((other.command)(file)))),
        );
        score(&texts, &mut totals);
    }
    print(&others, &totals, files.len());
    Ok(())
}

fn is_installed(program: &Program) -> bool {
    let found = process::within(LIMIT, Command::new(program.name).arg("-v"), "");
    found.is_ok()
}

/// The files below a directory, in order.
fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory)
        .map_err(|error| format!("cannot read {}: {error}", directory.display()))?;
    let mut files = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// What a program writes about a file. Nothing if it fails.
fn text_of(mut command: Command) -> String {
    let written = process::within(LIMIT, &mut command, "");
    written.map_or_else(|_| String::new(), |it| it.stdout)
}

/// The words of a text without the marks of Markdown. An ideograph is a word.
fn words(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with("<!-- page ") && !line.starts_with("Links: <"));
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_divided = false;
    for line in lines {
        for letter in line.chars().chain(['\n']) {
            match letter {
                '\u{AD}' => {}
                '-' | '‐' if !word.is_empty() => is_divided = true,
                letter if is_ideograph(letter) => {
                    words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                    words.push(letter.to_string());
                }
                letter if letter.is_alphanumeric() => {
                    word.extend(letter.to_lowercase());
                    is_divided = false;
                }
                // A hyphen at the end of a line divides a word.
                '\n' if is_divided => {}
                _ => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            }
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}')
}

/// The sums of one program over all documents.
#[derive(Debug, Default, Clone)]
struct Totals {
    documents: usize,
    read: usize,
    found: f64,
    invented: f64,
    order: f64,
    ordered: usize,
}

/// How often each word occurs.
type Counts<'t> = HashMap<&'t str, usize>;

fn counted(words: &[String]) -> Counts<'_> {
    let mut counts = Counts::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

fn pairs(words: &[String]) -> HashSet<(&str, &str)> {
    words
        .windows(2)
        .map(|pair| (pair[0].as_str(), pair[1].as_str()))
        .collect()
}

/// Adds the scores of one document. The first text is ours; each is judged by the others.
fn score(texts: &[Vec<String>], totals: &mut [Totals]) {
    let counts: Vec<Counts<'_>> = texts.iter().map(|text| counted(text)).collect();
    let expected = agreed(&counts[1..]);
    let total: usize = expected.values().sum();
    if total < MIN_WORDS {
        return;
    }
    let known: Vec<HashSet<(&str, &str)>> = texts.iter().map(|text| pairs(text)).collect();
    for (index, text) in texts.iter().enumerate() {
        let sum = &mut totals[index];
        let answered = (1..texts.len()).filter(|other| !texts[*other].is_empty());
        let mut judges: Vec<usize> = answered.collect();
        if judges.len() > 1 {
            judges.retain(|judge| *judge != index);
        }
        let found = expected
            .iter()
            .map(|(word, times)| *times.min(counts[index].get(word).unwrap_or(&0)))
            .sum::<usize>();
        let invented = counts[index].iter().map(|(word, times)| {
            let most = judges
                .iter()
                .filter_map(|judge| counts[*judge].get(word))
                .max();
            times.saturating_sub(*most.unwrap_or(&0))
        });
        sum.documents += 1;
        sum.read += usize::from(!text.is_empty());
        sum.found += found as f64 / total as f64;
        sum.invented += invented.sum::<usize>() as f64 / text.len().max(1) as f64;
        let ours = text
            .windows(2)
            .map(|pair| (pair[0].as_str(), pair[1].as_str()))
            .filter(|(one, other)| expected.contains_key(one) && expected.contains_key(other));
        let ours: Vec<(&str, &str)> = ours.collect();
        let confirmed = ours
            .iter()
            .filter(|pair| judges.iter().any(|judge| known[*judge].contains(*pair)))
            .count();
        if !ours.is_empty() {
            sum.order += confirmed as f64 / ours.len() as f64;
            sum.ordered += 1;
        }
    }
}

/// How often at least two of these have each word, or the only one if there is one.
fn agreed<'t>(counts: &[Counts<'t>]) -> Counts<'t> {
    let answered = counts.iter().filter(|it| !it.is_empty()).count();
    let needed = answered.clamp(1, 2);
    let mut expected = Counts::new();
    for word in counts.iter().flat_map(|it| it.keys()) {
        let mut times: Vec<usize> = counts
            .iter()
            .filter_map(|it| it.get(word).copied())
            .collect();
        times.sort_unstable_by(|one, other| other.cmp(one));
        if let Some(times) = times.get(needed - 1) {
            expected.insert(word, *times);
        }
    }
    expected
}

fn print(others: &[&Program], totals: &[Totals], files: usize) {
    println!("{files} files; scored where others agree on some words.\n");
    println!("| | scored | read | words found | invented | order |\n|---|---|---|---|---|---|");
    let names = std::iter::once("Fingerpost").chain(others.iter().map(|other| other.name));
    for (name, sum) in names.zip(totals) {
        let mean = |total: f64, count: usize| total / count.max(1) as f64;
        println!(
            "| {name} | {} | {} | {:.4} | {:.4} | {:.4} |",
            sum.documents,
            sum.read,
            mean(sum.found, sum.documents),
            mean(sum.invented, sum.documents),
            mean(sum.order, sum.ordered),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_hyphens_and_marks() {
        let one =
            words("<!-- page 1 -->\n\n# The well-known\n\n| a | b |\nLinks: <https://a.example>");
        assert_eq!(one, ["the", "wellknown", "a", "b"]);
        assert_eq!(
            words("a divi-\nded word 日本"),
            ["a", "divided", "word", "日", "本"]
        );
    }

    #[test]
    fn a_word_is_expected_where_two_agree_and_invented_where_none_has_it() {
        let texts = ["one two four", "one two three", "one two"]
            .map(words)
            .to_vec();
        let mut totals = vec![Totals::default(); 3];
        let texts: Vec<Vec<String>> = texts
            .into_iter()
            .map(|mut text: Vec<String>| {
                text.extend(["and", "so", "on"].map(str::to_owned));
                text
            })
            .collect();
        score(&texts, &mut totals);
        assert_eq!(totals[0].found, 1.0);
        assert_eq!(totals[0].invented, 1.0 / 6.0);
        assert_eq!(totals[2].invented, 0.0);
    }
}

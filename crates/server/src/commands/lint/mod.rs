//! `fingerpost lint`: finds where code of tools fails badly, with the rules of the `patterns` crate.
//!
//! Exit codes: 0 no errors, 1 errors (with `--strict` warnings too), 2 the command line or the rules
//! file is wrong, or what was named has no rules or could not be analysed.

mod report;
mod rules_file;
mod sarif;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use clap::Arg;
use ignore::WalkBuilder;
use patterns::analysis::{
    Config, Diagnostic, DiagnosticKind, Edit, Finding, Language, Refusal, Severity, Unparsed,
    analyse, apply_edits,
};

use crate::shown_name::shown_name;

use super::{Subcommand, arguments, error::CommandError, terminal::print_message};

pub(super) const COMMAND: Subcommand = Subcommand {
    name: "lint",
    about: "Find where code of tools fails badly",
    arguments: || {
        vec![
            Arg::new("path")
                .value_name("PATH")
                .num_args(1..)
                .required_unless_present("list")
                .help("Files and directories; what .gitignore and .ignore name is left out"),
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["human", "json", "sarif"])
                .default_value("human")
                .help("How to print the findings"),
            Arg::new("rules")
                .long("rules")
                .value_name("FILE")
                .help("Levels of rules (default: fingerpost-lint.toml, if it is there)"),
            arguments::switch("strict").help("Exit with 1 for warnings too"),
            arguments::switch("fix").help("Make the changes that are labelled as safe"),
            arguments::switch("list").help("List the rules instead"),
        ]
    },
    run: |matches| {
        let output = std::io::stdout().lock();
        if matches.get_flag("list") {
            return report::list_rules(output);
        }
        let config = rules_file::load(arguments::text(matches, "rules").map(Path::new))?;
        let paths = arguments::texts(matches, "path");
        let findings = lint(&paths, &config, matches.get_flag("fix"))?;
        let fails = |it: &Finding| it.severity == Severity::Error || matches.get_flag("strict");
        let unread = paths.iter().find(|path| findings.has_skipped(path));
        let outcome = match (findings.findings.iter().any(fails), unread) {
            (true, _) => Err(CommandError::Reported),
            (false, Some(path)) => Err(CommandError::Usage(format!(
                "{path}: it was named and could not be analysed"
            ))),
            (false, None) => Ok(()),
        };
        let written = match arguments::text(matches, "format") {
            Some("json") => report::json(&findings, output),
            Some("sarif") => sarif::write(&findings, output),
            _ => report::human(&findings, output),
        };
        match written {
            // Who reads only the first lines still learns the outcome.
            Ok(()) | Err(CommandError::OutputClosed) => outcome,
            failed => failed,
        }
    },
};

/// What was found in all files.
#[derive(Debug, Default)]
struct Linted {
    files: usize,
    findings: Vec<Finding>,
    suppressed: usize,
    /// Diagnostics with their file. That a file holds tests is not worth a line.
    diagnostics: Vec<(String, Diagnostic)>,
    /// Files that could not be analysed, and why.
    skipped: Vec<(String, &'static str)>,
    fixed: usize,
}

impl Linted {
    /// Whether a file that was named on the command line could not be analysed.
    fn has_skipped(&self, path: &str) -> bool {
        let name = shown_name(path.trim_start_matches("./").as_bytes());
        self.skipped.iter().any(|(skipped, _)| *skipped == name)
    }
}

fn lint(paths: &[String], config: &Config, is_fixing: bool) -> Result<Linted, CommandError> {
    let mut linted = Linted::default();
    for file in sources(paths, &mut linted)? {
        lint_file(&file, config, is_fixing, &mut linted);
    }
    for (file, why) in &linted.skipped {
        print_message(&format!("{file}: {why}"));
    }
    Ok(linted)
}

/// The files that have rules, each once and in order.
fn sources(paths: &[String], linted: &mut Linted) -> Result<BTreeSet<PathBuf>, CommandError> {
    let mut files = BTreeSet::new();
    for path in paths {
        if !Path::new(path).exists() {
            return Err(CommandError::Usage(format!(
                "{path}: there is no such file"
            )));
        }
        if !Path::new(path).is_file() && !Path::new(path).is_dir() {
            return Err(CommandError::Usage(format!(
                "{path}: it is neither a file nor a directory"
            )));
        }
        if Path::new(path).is_file() && Language::of_file(path).is_none() {
            return Err(CommandError::Usage(format!(
                "{path}: there are no rules for this language"
            )));
        }
        for entry in WalkBuilder::new(path).build() {
            let Ok(entry) = entry else {
                let why = "a directory in it could not be read";
                linted.skipped.push((shown_name(path.as_bytes()), why));
                continue;
            };
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let name = entry.path().to_string_lossy();
            if is_file && Language::of_file(&name).is_some() && !is_generated(&name) {
                let path = entry.path();
                files.insert(path.strip_prefix("./").unwrap_or(path).to_owned());
            }
        }
    }
    Ok(files)
}

/// Declarations and packed code, which nobody mends by hand.
fn is_generated(name: &str) -> bool {
    [".d.ts", ".d.mts", ".min.js", ".pb.go"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn lint_file(path: &Path, config: &Config, is_fixing: bool, linted: &mut Linted) {
    let name = shown_name(path.as_os_str().as_encoded_bytes());
    let Ok(text) = fs::read_to_string(path) else {
        linted.skipped.push((name, "not readable as UTF-8 text"));
        return;
    };
    if is_packed(&text) {
        linted.skipped.push((name, "packed code"));
        return;
    }
    if is_javascript(&name) && is_bundle(&text) {
        linted.skipped.push((name, "a bundle of several packages"));
        return;
    }
    let mut analysis = match analyse(&name, &text, config) {
        Ok(analysis) => analysis,
        Err(refusal) => {
            linted.skipped.push((name, reason(refusal)));
            return;
        }
    };
    linted.files += 1;
    if is_fixing {
        let edits: Vec<Edit> = analysis
            .findings
            .iter()
            .flat_map(|it| it.edits.clone())
            .collect();
        if !edits.is_empty() && fs::write(path, apply_edits(&text, &edits)).is_ok() {
            let before = analysis.findings.len();
            analysis.findings.retain(|it| it.edits.is_empty());
            linted.fixed += before - analysis.findings.len();
        }
    }
    linted.suppressed += analysis.suppressed;
    linted.findings.append(&mut analysis.findings);
    let told = analysis.diagnostics.into_iter();
    let told = told.filter(|it| it.kind != DiagnosticKind::TestFile);
    linted.diagnostics.extend(told.map(|it| (name.clone(), it)));
}

/// Whether a program wrote the text for machines: nobody writes lines that long. One long constant
/// among ordinary lines does not count.
fn is_packed(text: &str) -> bool {
    let mut lengths: Vec<usize> = text.lines().map(str::len).collect();
    lengths.sort_unstable();
    let is_long = |length: Option<&usize>| length.is_some_and(|length| *length > 300);
    let most_are_long = is_long(lengths.get(lengths.len() / 2));
    // Licences of the parts stand between packed lines.
    let long_ones: usize = lengths.iter().filter(|length| **length > 1_000).sum();
    most_are_long || (long_ones > 50_000 && long_ones * 10 > text.len() * 8)
}

/// Whether a bundler could have written the file.
fn is_javascript(name: &str) -> bool {
    [".js", ".mjs", ".cjs"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Whether a bundler put the code of other packages into the file: the findings would be about code
/// that is mended elsewhere.
fn is_bundle(text: &str) -> bool {
    const MARKS: &[&str] = &[
        "__commonJS",
        "__webpack_require__",
        "// node_modules/",
        "__toESM(",
        "/******/",
    ];
    // Names that nobody chose, beside what tells a minifier that a call may be dropped.
    let is_minified = text.matches("/* @__PURE__ */").count() > 50;
    is_minified || MARKS.iter().any(|mark| text.contains(mark))
}

fn reason(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::UnsupportedLanguage => "no rules for this language",
        Refusal::Unparsed(Unparsed::TooLarge { .. }) => "larger than 1 MiB",
        Refusal::Unparsed(Unparsed::TooDeep) => "nested too deeply",
        Refusal::Unparsed(Unparsed::TooAmbiguous) => "takes too much work to parse",
        Refusal::TooMuchWork => "takes too much work to analyse; split the file",
    }
}

//! Finds violations of the patterns in source code.
//!
//! A source is parsed (`parse`), its facts are collected (`syntax`, `unit`), and every rule of its
//! language (`rules`) looks at them. Nothing of the source enters a message: a finding has the words
//! of its rule and a place.

mod config;
mod facts;
mod finding;
mod interpolation;
mod language;
mod parse;
pub mod rules;
mod suppress;
mod syntax;
mod unit;
mod words;
mod work;

use tree_sitter::Tree;

pub use config::{Config, ConfigMistake, Level};
use finding::Lines;
pub use finding::{
    Confidence, Diagnostic, DiagnosticKind, Edit, Finding, Position, Severity, apply_edits,
};
pub use language::Language;
pub use parse::{MAX_BYTES, MAX_DEPTH, Unparsed};

/// The largest source that a tool takes in a call, in bytes. Files may be larger.
pub const MAX_PAYLOAD: usize = 100 * 1024;

use rules::{Report, Rule};
use unit::Unit;

/// The outcome of analysing one source.
#[derive(Debug)]
pub struct Analysis {
    pub language: Language,
    /// In the order of the text.
    pub findings: Vec<Finding>,
    /// How many findings comments suppressed.
    pub suppressed: usize,
    pub diagnostics: Vec<Diagnostic>,
    /// How much work it took, in steps of about one byte that is looked at.
    pub steps: u64,
}

/// Why a source was not analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The end of the file name is of no language that has rules.
    UnsupportedLanguage,
    Unparsed(Unparsed),
    /// The rules would take more work than a source of this size may take. It is the same work on
    /// every machine, so a second try ends the same; a part of the source may pass.
    TooMuchWork,
}

/// Analyses a source. The name tells its language and is part of the ids of findings.
pub fn analyse(file: &str, text: &str, config: &Config) -> Result<Analysis, Refusal> {
    let language = Language::of_file(file).ok_or(Refusal::UnsupportedLanguage)?;
    let tree = parse::parse(text, language).map_err(Refusal::Unparsed)?;
    let lines = Lines::new(text);
    let mut analysis = Analysis {
        language,
        findings: Vec::new(),
        suppressed: 0,
        diagnostics: syntax_errors(&lines, &tree),
        steps: 0,
    };
    if language::is_test_file(file) {
        analysis.diagnostics.push(Diagnostic {
            kind: DiagnosticKind::TestFile,
            at: Position { line: 1, column: 1 },
        });
        return Ok(analysis);
    }
    let unit = syntax::collect(text, language, &tree);
    for rule in rules::all() {
        if unit.work().is_used_up() {
            return Err(Refusal::TooMuchWork);
        }
        let findings = check(rule, &unit, &lines, config);
        analysis.findings.extend(findings.map(|finding| Finding {
            file: file.to_owned(),
            ..finding
        }));
    }
    analysis
        .findings
        .sort_by_key(|finding| (finding.start, finding.rule.id));
    analysis
        .findings
        .dedup_by_key(|finding| (finding.start, finding.rule.id));
    analysis.suppressed = suppress::suppress(
        &unit,
        config,
        &mut analysis.findings,
        &mut analysis.diagnostics,
    );
    analysis.steps = unit.work().steps();
    match unit.work().is_used_up() {
        true => Err(Refusal::TooMuchWork),
        false => Ok(analysis),
    }
}

/// The findings of one rule.
fn check<'l>(
    rule: &'static Rule,
    unit: &Unit<'_>,
    lines: &'l Lines<'_>,
    config: &Config,
) -> impl Iterator<Item = Finding> + 'l {
    let severity = config.severity(rule);
    let mut report = Report::default();
    if let (Some(_), Some(detect)) = (severity, rule.detectors.of(unit.language)) {
        unit.begin_rule();
        detect.run(unit, &mut report);
    }
    report.hits.into_iter().map(move |hit| Finding {
        rule,
        file: String::new(),
        severity: severity.unwrap_or(rule.severity),
        start: lines.position(hit.bytes.start),
        end: lines.position(hit.bytes.end),
        edits: hit.edits,
    })
}

/// At most this many syntax errors are reported: one mistake makes many.
const MAX_SYNTAX_ERRORS: usize = 5;

fn syntax_errors(lines: &Lines<'_>, tree: &Tree) -> Vec<Diagnostic> {
    if !tree.root_node().has_error() {
        return Vec::new();
    }
    unit::below(tree.root_node())
        .filter(|node| node.is_error() || node.is_missing())
        .take(MAX_SYNTAX_ERRORS)
        .map(|node| Diagnostic {
            kind: DiagnosticKind::SyntaxError,
            at: lines.position(node.start_byte()),
        })
        .collect()
}

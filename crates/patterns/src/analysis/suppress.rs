//! Comments that suppress findings: `fingerpost-ignore rule-id: reason`, on the line of the finding
//! or on a line of its own before it.

use super::config::Config;
use super::finding::{Diagnostic, DiagnosticKind, Finding, Lines, Position};
use super::rules;
use super::unit::Unit;

const MARK: &str = "fingerpost-ignore";

/// One comment.
#[derive(Debug)]
struct Suppression {
    rules: Vec<&'static str>,
    /// The lines whose findings it suppresses.
    lines: std::ops::RangeInclusive<usize>,
    at: Position,
    is_used: bool,
}

/// Removes suppressed findings, and says which comments are wrong or without effect.
pub(super) fn suppress(
    unit: &Unit<'_>,
    config: &Config,
    findings: &mut Vec<Finding>,
    diagnostics: &mut Vec<Diagnostic>,
) -> usize {
    let mut suppressions = read(unit, diagnostics);
    let before = findings.len();
    findings.retain(|finding| {
        unit.work().spend(suppressions.len());
        let matching = suppressions.iter_mut().find(|it| {
            it.rules.contains(&finding.rule.id) && it.lines.contains(&finding.start.line)
        });
        match matching {
            Some(suppression) => {
                suppression.is_used = true;
                false
            }
            None => true,
        }
    });
    // A comment about a rule that is off is of use as soon as somebody switches it on.
    let is_on = |id: &&str| rules::find(id).is_some_and(|it| config.severity(it).is_some());
    let unused = suppressions
        .iter()
        .filter(|it| !it.is_used && it.rules.iter().any(is_on));
    diagnostics.extend(unused.map(|it| Diagnostic {
        kind: DiagnosticKind::UnusedSuppression,
        at: it.at,
    }));
    before - findings.len()
}

fn read(unit: &Unit<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Suppression> {
    let mut suppressions = Vec::new();
    let lines = Lines::new(unit.whole_text());
    let code = CodeLines::new(unit.whole_code());
    for comment in unit.comments() {
        let text = unit.text(*comment);
        // A comment that merely mentions the mark explains it.
        let words = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let Some(rest) = words.strip_prefix(MARK) else {
            continue;
        };
        let at = lines.position(comment.start_byte());
        let mut complain = |kind| diagnostics.push(Diagnostic { kind, at });
        let (names, reason) = rest.split_once(':').unwrap_or((rest, ""));
        if reason.trim().trim_end_matches("*/").trim().is_empty() {
            complain(DiagnosticKind::SuppressionWithoutReason);
            continue;
        }
        let names = names.split([',', ' ']).map(str::trim);
        let mut known = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            match rules::find(name) {
                Some(rule) => known.push(rule.id),
                None => complain(DiagnosticKind::SuppressionOfUnknownRule),
            }
        }
        if !known.is_empty() {
            let end = lines.position(comment.end_byte()).line;
            // A comment beside code is about that line alone.
            let last = match code.has(at.line) {
                true => end,
                false => code.next_after(end),
            };
            suppressions.push(Suppression {
                rules: known,
                lines: at.line..=last,
                at,
                is_used: false,
            });
        }
    }
    suppressions
}

/// The numbers of the lines that have code, in order.
struct CodeLines(Vec<usize>);

impl CodeLines {
    fn new(code: &str) -> CodeLines {
        let lines = code.lines().enumerate();
        let with_code = lines.filter(|(_, line)| !line.trim().is_empty());
        CodeLines(with_code.map(|(index, _)| index + 1).collect())
    }

    fn has(&self, line: usize) -> bool {
        self.0.binary_search(&line).is_ok()
    }

    /// The first line with code after a comment: a reason may take several lines of comment.
    fn next_after(&self, line: usize) -> usize {
        let next = self.0.partition_point(|it| *it <= line);
        self.0.get(next).copied().unwrap_or(line)
    }
}

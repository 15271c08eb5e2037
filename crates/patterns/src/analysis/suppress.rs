//! Comments that suppress findings: `fingerpost-ignore rule-id: reason`, on the line of the finding
//! or on a line of its own before it.

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
    findings: &mut Vec<Finding>,
    diagnostics: &mut Vec<Diagnostic>,
) -> usize {
    let mut suppressions = read(unit, diagnostics);
    let before = findings.len();
    findings.retain(|finding| {
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
    let unused = suppressions.iter().filter(|it| !it.is_used);
    diagnostics.extend(unused.map(|it| Diagnostic {
        kind: DiagnosticKind::UnusedSuppression,
        at: it.at,
    }));
    before - findings.len()
}

fn read(unit: &Unit<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Suppression> {
    let mut suppressions = Vec::new();
    let lines = Lines::new(unit.text);
    for comment in &unit.comments {
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
            let last = match follows_code(unit, at.line) {
                true => end,
                false => next_code_line(unit, end),
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

/// Whether a comment on this line stands beside code, and so is about that line alone.
fn follows_code(unit: &Unit<'_>, line: usize) -> bool {
    let code = unit.code.lines().nth(line - 1);
    code.is_some_and(|code| !code.trim().is_empty())
}

/// The line after a comment that has code: a reason may take several lines of comment.
fn next_code_line(unit: &Unit<'_>, after: usize) -> usize {
    let lines = unit.code.lines().enumerate().skip(after);
    lines
        .map(|(index, line)| (index + 1, line))
        .find(|(_, line)| !line.trim().is_empty())
        .map_or(after, |(line, _)| line)
}

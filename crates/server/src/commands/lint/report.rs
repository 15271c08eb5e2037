//! Findings for people, and as JSON.

use std::io::Write;

use patterns::analysis::rules::{Rule, all};
use patterns::analysis::{Finding, Language, Severity};
use serde_json::{Value, json};

use super::Linted;
use crate::commands::error::CommandError;

type Written = Result<(), CommandError>;

pub(super) fn human(linted: &Linted, mut output: impl Write) -> Written {
    let mut text = String::new();
    for finding in &linted.findings {
        text.push_str(&line(finding));
    }
    for (file, diagnostic) in &linted.diagnostics {
        let (line, column) = (diagnostic.at.line, diagnostic.at.column);
        let message = diagnostic.kind.message();
        text.push_str(&format!("{file}:{line}:{column}: note: {message}\n"));
    }
    text.push_str(&summary(linted));
    write(&mut output, &text)
}

fn line(finding: &Finding) -> String {
    let rule = finding.rule;
    format!(
        "{}:{}:{}: {}[{}]: {}\n    {} (fix: {}; see `fingerpost patterns show {}`)\n",
        finding.file,
        finding.start.line,
        finding.start.column,
        finding.severity.as_str(),
        rule.id,
        rule.title,
        rule.advice,
        finding.fix_label().as_str(),
        rule.pattern
    )
}

fn count(linted: &Linted, severity: Severity) -> usize {
    let of_severity = |finding: &&Finding| finding.severity == severity;
    linted.findings.iter().filter(of_severity).count()
}

fn summary(linted: &Linted) -> String {
    let mut parts = vec![
        format!("errors: {}", count(linted, Severity::Error)),
        format!("warnings: {}", count(linted, Severity::Warning)),
        format!("files: {}", linted.files),
    ];
    let more = [
        ("suppressed", linted.suppressed),
        ("fixed", linted.fixed),
        ("skipped", linted.skipped.len()),
    ];
    for (name, count) in more.into_iter().filter(|(_, count)| *count > 0) {
        parts.push(format!("{name}: {count}"));
    }
    format!("{}\n", parts.join(", "))
}

pub(super) fn json(linted: &Linted, mut output: impl Write) -> Written {
    let diagnostics = linted.diagnostics.iter().map(|(file, diagnostic)| {
        let mut value = diagnostic.to_json();
        value["file"] = json!(file);
        value
    });
    let findings = linted.findings.iter().map(|finding| {
        let mut value = finding.to_json();
        value["file"] = json!(finding.file);
        value
    });
    let skipped = linted
        .skipped
        .iter()
        .map(|(file, why)| json!({ "file": file, "reason": why }));
    let report = json!({
        "summary": {
            "errors": count(linted, Severity::Error),
            "warnings": count(linted, Severity::Warning),
            "files": linted.files,
            "suppressed": linted.suppressed,
            "fixed": linted.fixed,
        },
        "findings": findings.collect::<Vec<Value>>(),
        "diagnostics": diagnostics.collect::<Vec<Value>>(),
        "skipped": skipped.collect::<Vec<Value>>(),
    });
    write(&mut output, &format!("{report}\n"))
}

pub(super) fn list_rules(mut output: impl Write) -> Written {
    let lines: String = all().map(rule_line).collect();
    write(&mut output, &lines)
}

fn rule_line(rule: &Rule) -> String {
    let languages: Vec<&str> = rule.languages().map(Language::as_str).collect();
    let id = rule.id;
    let level = match rule.is_on() {
        true => rule.severity.as_str(),
        false => "off",
    };
    let measured = rule.measured();
    let right = format!("{}/{}", measured.right, measured.read);
    format!(
        "{id:<36} {level:<8} {right:>6} right  {} ({})\n",
        rule.title,
        languages.join(", ")
    )
}

pub(super) fn write(output: &mut impl Write, text: &str) -> Written {
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| CommandError::output(&error))
}

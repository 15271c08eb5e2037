//! Findings as SARIF 2.1.0, which code hosts show beside the lines of a change.

use std::io::Write;

use patterns::analysis::rules::{Rule, all};
use patterns::analysis::{Finding, Severity};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Linted, report};
use crate::commands::error::CommandError;
use crate::shown_name::starts_with_digits;

pub(super) fn write(linted: &Linted, mut output: impl Write) -> Result<(), CommandError> {
    report::write(&mut output, &format!("{}\n", log(linted)))
}

fn log(linted: &Linted) -> Value {
    json!({
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fingerpost",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": all().map(rule).collect::<Vec<Value>>(),
            }},
            "invocations": [invocation(linted)],
            "columnKind": "unicodeCodePoints",
            "results": linted.findings.iter().map(result).collect::<Vec<Value>>(),
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title },
        "help": { "text": rule.advice },
        "defaultConfiguration": { "level": level(rule.severity), "enabled": rule.is_on() },
        "properties": { "precision": rule.confidence.as_str(), "pattern": rule.pattern },
    })
}

/// What could not be analysed, and what is wrong with files and comments, as notifications.
fn invocation(linted: &Linted) -> Value {
    let skipped = linted
        .skipped
        .iter()
        .map(|(file, why)| notification("file-not-analysed", why, file, None));
    let diagnostics = linted.diagnostics.iter().map(|(file, it)| {
        notification(it.kind.as_str(), it.kind.message(), file, Some(it.at.line))
    });
    json!({
        "executionSuccessful": true,
        "toolExecutionNotifications": skipped.chain(diagnostics).collect::<Vec<Value>>(),
    })
}

fn notification(id: &str, text: &str, file: &str, line: Option<usize>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line });
    }
    json!({
        "descriptor": { "id": id },
        "level": "warning",
        "message": { "text": text },
        "locations": [{ "physicalLocation": place }],
    })
}

/// A shown name as a URI: `file://` and an absolute path, or a relative reference. `a b.py` is no
/// URI, and a colon would begin a scheme. What the name has escaped stays as it is.
fn uri(file: &str) -> String {
    let mut encoded = String::new();
    for (index, part) in file.split('%').enumerate() {
        if index > 0 {
            let is_escape = starts_with_digits(part.as_bytes());
            encoded.push_str(if is_escape { "%" } else { "%25" });
        }
        encoded.extend(utf8_percent_encode(part, PATH));
    }
    let first = encoded.split('/').next().unwrap_or_default();
    match (encoded.starts_with('/'), first.contains(':')) {
        (true, _) => format!("file://{encoded}"),
        (false, true) => format!("./{encoded}"),
        (false, false) => encoded,
    }
}

/// Everything but what may stand in a path as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b':')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

fn result(finding: &Finding) -> Value {
    json!({
        "ruleId": finding.rule.id,
        "level": level(finding.severity),
        "message": { "text": format!("{}. {}", finding.rule.title, finding.rule.advice) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&finding.file) },
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column,
            },
        }}],
        "partialFingerprints": { "findingId/v1": finding.id() },
    })
}

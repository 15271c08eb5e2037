//! Findings as SARIF 2.1.0, which code hosts show beside the lines of a change.

use std::io::Write;

use patterns::analysis::rules::{Rule, all};
use patterns::analysis::{Finding, Severity};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Linted, report};
use crate::commands::error::CommandError;

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
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "precision": rule.confidence.as_str(), "pattern": rule.pattern },
    })
}

/// A path as a relative reference: `a b.py` is no URI, and a colon would begin a scheme.
fn uri(file: &str) -> String {
    let encoded = utf8_percent_encode(file, PATH).to_string();
    let first = encoded.split('/').next().unwrap_or_default();
    match first.contains(':') {
        true => format!("./{encoded}"),
        false => encoded,
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

//! Analyses one source: all findings, in the order of the text.

use fault::{Fault, Format, Surface};
use patterns::analysis::{Analysis, Diagnostic, Finding, Severity};
use serde_json::{Value, json};

use super::code_analysis::{
    CONFIG_EXAMPLE, MOST_DIAGNOSTICS, analysis, config, echoed, file_name, line, notes, source,
};
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};

const PARAMS: &[Param; 3] = &[
    source("source"),
    file_name("filename"),
    Param {
        name: "config",
        about: "Levels by rule: {\"rules\": {\"rule-id\": \"off\"}}; off, warn or error",
        shape: Shape::Object,
        required: false,
        example: CONFIG_EXAMPLE,
    },
];

pub(super) const TOOL: Tool = Tool {
    name: "analyze_code",
    title: "Analyse code",
    about: "Find where a tool's code fails badly: failures told as successes, missing timeouts, keys and upstream \
            text in the open, careless retries. The source is not kept.",
    toolsets: &[Toolset::Patterns],
    surface: Surface::Stored,
    search_type: "patterns",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|_, args| Box::pin(async move { config(args.object("config"), false).map(drop) })),
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let file = args.text("filename").unwrap_or_default();
    let levels = config(args.object("config"), call.can_name("list_analysis_rules"))?;
    let text = args.text("source").unwrap_or_default();
    let found = analysis(file, "filename", text, levels).await?;
    Ok(Answer::Gated {
        structured: structured(&found, file),
        markdown: markdown(&found),
        format: Format::Markdown,
    })
}

fn count(found: &Analysis, severity: Severity) -> usize {
    let of_severity = |finding: &&Finding| finding.severity == severity;
    found.findings.iter().filter(of_severity).count()
}

/// More findings than this would fill what an agent can read; the rest is counted.
const MOST_FINDINGS: usize = 200;

/// How many findings are not shown.
fn hidden(found: &Analysis) -> usize {
    found.findings.len().saturating_sub(MOST_FINDINGS)
}

fn structured(found: &Analysis, file: &str) -> Value {
    let shown = found.findings.iter().take(MOST_FINDINGS);
    let findings: Vec<Value> = shown.map(Finding::to_json).collect();
    let told = found.diagnostics.iter().take(MOST_DIAGNOSTICS);
    let diagnostics: Vec<Value> = told.map(Diagnostic::to_json).collect();
    json!({
        "kind": "codeAnalysis:v1",
        "filename": echoed(file),
        "language": found.language.as_str(),
        "summary": {
            "errors": count(found, Severity::Error),
            "warnings": count(found, Severity::Warning),
            "suppressed": found.suppressed,
        },
        "findings": findings,
        "hidden": hidden(found),
        "diagnostics": diagnostics,
    })
}

fn markdown(found: &Analysis) -> String {
    let (errors, warnings) = (
        count(found, Severity::Error),
        count(found, Severity::Warning),
    );
    let shown = found.findings.iter().take(MOST_FINDINGS);
    let mut lines: Vec<String> = shown.map(line).collect();
    if hidden(found) > 0 {
        lines.push(format!(
            "\n{} more findings are not shown: send a part of the source, or switch rules off in config.",
            hidden(found)
        ));
    }
    let head = match found.findings.is_empty() {
        true => "No finding.".to_owned(),
        false => format!("Errors: {errors}, warnings: {warnings}\n\n"),
    };
    format!("{head}{}{}", lines.join("\n"), notes(found))
}

//! Reviews one source: the findings that matter most, and how many others there are.

use fault::{Fault, Format, Surface};
use patterns::analysis::{Analysis, Config, Diagnostic, Finding};
use serde_json::{Value, json};

use super::code_analysis::{MOST_DIAGNOSTICS, analysis, echoed, file_name, line, notes, source};
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, names};

/// How many findings a review shows.
const SHOWN: usize = 5;

const PARAMS: &[Param; 2] = &[source("code"), file_name("filePath")];

pub(super) const TOOL: Tool = Tool {
    name: "review_code",
    title: "Review code",
    about: "Review a tool's code: the five findings that matter most, by severity, confidence and line, and how many \
            others there are.",
    toolsets: &[Toolset::Patterns],
    surface: Surface::Stored,
    search_type: "patterns",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: None,
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
    let file = args.text("filePath").unwrap_or_default();
    let text = args.text("code").unwrap_or_default();
    let mut found = analysis(file, "filePath", text, Config::default()).await?;
    found.findings.sort_by_key(Finding::rank);
    Ok(Answer::Gated {
        structured: structured(&found, file),
        markdown: markdown(&found, call.can_name("analyze_code")),
        format: Format::Markdown,
    })
}

fn hidden(found: &Analysis) -> usize {
    found.findings.len().saturating_sub(SHOWN)
}

fn structured(found: &Analysis, file: &str) -> Value {
    let shown = found.findings.iter().take(SHOWN).map(Finding::to_json);
    let diagnostics: Vec<Value> = found
        .diagnostics
        .iter()
        .take(MOST_DIAGNOSTICS)
        .map(Diagnostic::to_json)
        .collect();
    json!({
        "kind": "codeReview:v1",
        "filePath": echoed(file),
        "language": found.language.as_str(),
        "total": found.findings.len(),
        "hidden": hidden(found),
        "findings": shown.collect::<Vec<Value>>(),
        "diagnostics": diagnostics,
    })
}

fn markdown(found: &Analysis, can_analyze: bool) -> String {
    let lines: Vec<String> = found.findings.iter().take(SHOWN).map(line).collect();
    let total = found.findings.len();
    let text = match (total, hidden(found)) {
        (0, _) => "No finding.".to_owned(),
        (_, 0) => format!("Findings: {total}\n\n{}", lines.join("\n")),
        (_, hidden) => {
            let others = match can_analyze {
                true => "; analyze_code has them all.",
                false => ".",
            };
            format!(
                "The {SHOWN} most important of {total} findings\n\n{}\n\n{hidden} more {} hidden{others}",
                lines.join("\n"),
                if hidden == 1 { "is" } else { "are" },
            )
        }
    };
    text + &notes(found)
}

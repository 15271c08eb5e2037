//! The rules of the analyser.

use fault::{Fault, Format, Surface};
use patterns::analysis::Language;
use patterns::analysis::rules::{Rule, all};
use serde_json::{Value, json};

use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, names};

pub(super) const TOOL: Tool = Tool {
    name: "list_analysis_rules",
    title: "List rules",
    about: "List the rules that analyze_code checks: severity, confidence, languages, pattern, kind of fix.",
    toolsets: &[Toolset::Patterns],
    surface: Surface::Stored,
    search_type: "patterns",
    params: &[],
    param_names: &const { names(&[]) },
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

async fn run(_call: &Call<'_>, _args: Args) -> Result<Answer, Fault> {
    let rules: Vec<Value> = all().map(Rule::to_json).collect();
    let lines: Vec<String> = all().map(line).collect();
    Ok(Answer::Gated {
        markdown: format!("{} rules\n\n{}", rules.len(), lines.join("\n")),
        structured: json!({ "kind": "analysisRules:v1", "total": rules.len(), "rules": rules }),
        format: Format::Markdown,
    })
}

fn line(rule: &Rule) -> String {
    let languages: Vec<&str> = rule.languages().map(Language::as_str).collect();
    let on = if rule.is_on() {
        ""
    } else {
        "; off until a level is set"
    };
    let measured = rule.measured();
    format!(
        "- **{}** ({}, {} confidence, {} of {} right{on}; {}; fix: {}; pattern `{}`): {}",
        rule.id,
        rule.severity.as_str(),
        rule.confidence.as_str(),
        measured.right,
        measured.read,
        languages.join(", "),
        rule.fix.as_str(),
        rule.pattern,
        rule.title
    )
}

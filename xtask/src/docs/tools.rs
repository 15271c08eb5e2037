//! `docs/tools.md`, from the server's table of tools: exactly the tools that this build offers.

use std::fmt::Write;

use serde_json::Value;
use server::{
    params::{Param, described, input_schema},
    tools::{TOOLS, Tool, Toolset},
};

use super::cell;

const HEAD: &str = "\
# Tools

<!-- Written by `cargo xtask docs` from crates/server/src/tools/. Do not edit. -->

What this version offers. `--toolset` chooses; the first chosen toolset that has a tool decides the wire format of its failures
(`--dialect` overrides it). `--tools` offers only some of them.

Every tool also takes `timeout`, in seconds, whether or not its schema has room for it: the call then ends by that time at the
latest. More than the operator allows (`--deadline`, `GROK_TIMEOUT` or `--agent-deadline`) counts as what the operator allows.

| toolset | failures are told in | tools |
|---|---|---|
";

pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for toolset in Toolset::ALL {
        let names: Vec<String> = TOOLS
            .iter()
            .filter(|tool| tool.toolsets.contains(&toolset))
            .map(|tool| format!("`{}`", tool.name))
            .collect();
        let names = if names.is_empty() {
            "none in this version".to_owned()
        } else {
            names.join(", ")
        };
        let _ = writeln!(
            page,
            "| `{}` | `{}` | {names} |",
            toolset.as_str(),
            toolset.dialect().as_str()
        );
    }
    for tool in TOOLS {
        page.push_str(&section(tool));
    }
    page
}

fn section(tool: &Tool) -> String {
    let toolsets: Vec<String> = tool
        .toolsets
        .iter()
        .map(|toolset| format!("`{}`", toolset.as_str()))
        .collect();
    let mut text = format!(
        "\n## {}\n\n{}\n\n- **Toolsets:** {}\n",
        tool.name,
        described(tool.about, tool.any_of),
        toolsets.join(", ")
    );
    let _ = writeln!(text, "- **Answers with:** {}", answer(tool));
    let _ = writeln!(text, "- **Hints to clients:** {}", hints(tool));
    if tool.shown_params().next().is_none() {
        text.push_str("- **Parameters:** none\n");
        return text;
    }
    text.push_str("\n| parameter | value | needed | meaning | example |\n|---|---|---|---|---|\n");
    let schema = input_schema(tool.shown_params(), tool.any_of);
    for param in tool.shown_params() {
        text.push_str(&parameter(param, &schema["properties"][param.name]));
    }
    text
}

fn answer(tool: &Tool) -> &'static str {
    if tool.output.schema().is_some() {
        "structured content, and the same facts as text"
    } else {
        "text"
    }
}

fn hints(tool: &Tool) -> String {
    let hints = &tool.annotations;
    let named = [
        (hints.read_only, "read-only"),
        (hints.idempotent, "idempotent"),
        (hints.open_world, "open world"),
    ];
    let given: Vec<&str> = named
        .iter()
        .filter(|(given, _)| *given)
        .map(|(_, name)| *name)
        .collect();
    if given.is_empty() {
        "none".to_owned()
    } else {
        given.join(", ")
    }
}

fn parameter(param: &Param, schema: &Value) -> String {
    let needed = if param.required { "yes" } else { "no" };
    format!(
        "| `{}` | {} | {needed} | {} | `{}` |\n",
        param.name,
        cell(&shape(schema)),
        cell(param.about),
        cell(param.example)
    )
}

/// A parameter's schema in words.
fn shape(schema: &Value) -> String {
    let mut words = vec![kind(schema)];
    let limit = |key: &str| schema.get(key).map(ToString::to_string);
    if let (Some(min), Some(max)) = (limit("minimum"), limit("maximum")) {
        words.push(format!("{min} to {max}"));
    }
    words.extend(limit("maxLength").map(|max| format!("at most {max} characters")));
    words.extend(limit("maxItems").map(|max| format!("at most {max}")));
    words
        .extend(limit("default").map(|default| format!("default `{}`", default.trim_matches('"'))));
    words.join(", ")
}

fn kind(schema: &Value) -> String {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let names: Vec<String> = allowed
            .iter()
            .filter_map(Value::as_str)
            .map(|name| format!("`{name}`"))
            .collect();
        return names.join(" or ");
    }
    let format = schema.get("format").and_then(Value::as_str);
    match (schema.get("type").and_then(Value::as_str), format) {
        (Some("string"), Some("uri")) => "URL".to_owned(),
        (Some("string"), Some("date")) => "date (`YYYY-MM-DD`)".to_owned(),
        (Some("string"), _) => "text".to_owned(),
        (Some("boolean"), _) => "`true` or `false`".to_owned(),
        (Some("array"), _) => format!("list of: {}", shape(&schema["items"])),
        (Some(other), _) => other.to_owned(),
        (None, _) => "anything".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shapes_read_like_sentences() {
        for (schema, words) in [
            (
                json!({"type": "string", "format": "uri", "maxLength": 8192}),
                "URL, at most 8192 characters",
            ),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 9, "default": 3}),
                "integer, 1 to 9, default `3`",
            ),
            (
                json!({"type": "string", "enum": ["a", "b"], "default": "a"}),
                "`a` or `b`, default `a`",
            ),
            (
                json!({"type": "array", "items": {"type": "string"}, "maxItems": 5}),
                "list of: text, at most 5",
            ),
        ] {
            assert_eq!(shape(&schema), words);
        }
    }

    #[test]
    fn every_tool_and_parameter_is_on_the_page() {
        let page = page();
        for tool in TOOLS {
            assert!(
                page.contains(&format!("\n## {}\n", tool.name)),
                "{}",
                tool.name
            );
            assert!(
                tool.params
                    .iter()
                    .all(|param| page.contains(&format!("| `{}` |", param.name))),
                "{}",
                tool.name
            );
        }
    }
}

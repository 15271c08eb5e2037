//! What the Model Context Protocol asks of tools and their servers.

use std::collections::HashMap;

use super::common::{arguments, arguments_bare, arguments_code, go_imports, python_imports};
use super::{Report, insert, rules};
use crate::analysis::Language;
use crate::analysis::finding::Edit;
use crate::analysis::unit::{Call, ToolKind, Unit, is_inside, named};
use crate::analysis::words::{has_word, mentions};

rules! {
    "missing-is-error": "A tool answers a failure as if it were a success", Error, High, Assisted,
        see "is-error-flag",
        "Mark the result: isError true, an error result, or an exception that the SDK turns into one.",
        { TypeScript: success_typescript, Python: success_python, Go: success_go, Rust: success_rust }
    "stdout-in-stdio-server": "A stdio server writes to stdout, which is the wire", Error, High, SafeCodemod,
        see "stdout-is-the-wire",
        "Write to stderr: a line that is no message breaks the client's parser.",
        { TypeScript: stdout, Python: stdout, Go: stdout, Rust: stdout }
    "failure-as-protocol-error": "A tool reports its failure as a protocol error", Warning, Medium, Assisted,
        see "tool-errors-are-results",
        "Return a result with isError: clients need not show protocol errors to the model.",
        { TypeScript: protocol_typescript, Go: protocol_go, Rust: protocol_rust }
}

/// Words that say that something failed.
fn tells_failure(text: &str) -> bool {
    mentions(
        text,
        &[
            "error",
            "fail",
            "unable",
            "could not",
            "cannot",
            "exception",
        ],
    )
}

fn success_typescript(unit: &Unit<'_>, report: &mut Report) {
    for (node, scope) in unit.of_kind("return_statement") {
        let Some(handler) = unit.handler(*scope).filter(|it| is_inside(*node, it.body)) else {
            continue;
        };
        let Some(object) = named(*node).into_iter().find(|it| it.kind() == "object") else {
            continue;
        };
        let keys: Vec<&str> = named(object)
            .iter()
            .filter_map(|pair| pair.child_by_field_name("key"))
            .map(|key| unit.text(key))
            .collect();
        let code = unit.code(object);
        let has_content = keys.contains(&"content") && code.contains("type:");
        let spreads = code.contains("...");
        let tells = tells_failure(code) || handler.binding.is_some_and(|name| has_word(code, name));
        if has_content && !keys.contains(&"isError") && !spreads && tells {
            report.at(*node);
        }
    }
}

fn success_python(unit: &Unit<'_>, report: &mut Report) {
    for (node, scope) in unit.of_kind("return_statement") {
        let Some(handler) = unit.handler(*scope).filter(|it| is_inside(*node, it.body)) else {
            continue;
        };
        let code = unit.code(*node);
        let has_content = code.contains("TextContent(");
        let is_tool = unit.tool(*scope).is_some();
        if !is_tool
            || code.contains("isError")
            || code.contains("is_error")
            || code.contains("ToolResult(")
        {
            continue;
        }
        let value = named(*node).into_iter().next();
        let is_text = value.is_some_and(|it| {
            matches!(
                it.kind(),
                "string"
                    | "concatenated_string"
                    | "binary_operator"
                    | "dictionary"
                    | "call"
                    | "list"
            )
        });
        let names_error = handler
            .binding
            .is_some_and(|name| has_word(unit.code(*node), name));
        let wording = tells_failure(code);
        if (is_text || has_content)
            && wording
            && (names_error || has_content || code.contains('"') || code.contains('\''))
        {
            report.at(*node);
        }
    }
}

fn success_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.name == "NewToolResultText") {
        let Some(handler) = unit.handler(call.scope) else {
            continue;
        };
        let code = arguments_code(unit, call);
        if handler.binding.is_some_and(|name| has_word(code, name)) || tells_failure(code) {
            report.at(call.node);
        }
    }
}

fn success_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit
        .calls()
        .filter(|call| call.callee == "CallToolResult::success")
    {
        if unit.handler(call.scope).is_some() && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

/// Whether the file itself serves the protocol over pipes.
fn serves_stdio(unit: &Unit<'_>) -> bool {
    let code = unit.whole_code();
    match unit.language {
        Language::TypeScript => has_word(code, "StdioServerTransport"),
        Language::Python => {
            has_word(code, "stdio_server")
                || code.contains("transport=\"stdio\"")
                || code.contains("transport='stdio'")
                || (has_word(code, "FastMCP") && code.contains("mcp.run()"))
        }
        Language::Go => code.contains("ServeStdio") || code.contains("StdioTransport"),
        Language::Rust => code.contains("transport::stdio") || code.contains("stdio()"),
    }
}

fn stdout(unit: &Unit<'_>, report: &mut Report) {
    if !serves_stdio(unit) || unit.whole_code().contains("console.log =") {
        return;
    }
    let imports = match unit.language {
        Language::Python => python_imports(unit, "import sys"),
        Language::Go => go_imports(unit, "os"),
        _ => true,
    };
    let mut frame_serves = HashMap::new();
    for call in unit.calls() {
        if let Some(edits) = stdout_write(unit, call, imports)
            && !call.scope.in_test
            && !is_before_exit(unit, call)
            && (unit.tool(call.scope).is_some()
                || is_on_straight_way(unit, call)
                    && *frame_serves
                        .entry(call.scope.function)
                        .or_insert_with(|| serves(unit, call)))
        {
            report.with_edits(call.node, edits);
        }
    }
}

/// The edits that send the output of a call to stderr; `None` when it does not write to stdout.
/// `imports` says whether the file imports what the edits need.
fn stdout_write(unit: &Unit<'_>, call: &Call<'_>, imports: bool) -> Option<Vec<Edit>> {
    let replace = |from: &str, to: &str| {
        let begin = call.node.start_byte() + call.callee.len() - from.len();
        vec![Edit {
            bytes: begin..begin + from.len(),
            text: to.to_owned(),
        }]
    };
    match unit.language {
        Language::TypeScript
            if matches!(
                call.callee,
                "console.log" | "console.info" | "console.debug"
            ) =>
        {
            Some(replace(call.name, "error"))
        }
        Language::Python if call.callee == "print" => {
            if has_word(arguments_bare(unit, call), "file") {
                return None;
            }
            let code = arguments_code(unit, call);
            let end = call.node.end_byte() - 1;
            let comma = if arguments(call).is_empty() { "" } else { ", " };
            // A generator without parentheses of its own must be the only argument.
            let is_list = call
                .arguments
                .is_some_and(|it| it.kind() == "argument_list");
            let can_edit =
                is_list && imports && !code.trim_end_matches(')').trim_end().ends_with(',');
            Some(match can_edit {
                true => vec![insert(end, format!("{comma}file=sys.stderr"))],
                false => Vec::new(),
            })
        }
        Language::Go if matches!(call.callee, "fmt.Println" | "fmt.Printf" | "fmt.Print") => {
            if !imports {
                return Some(Vec::new());
            }
            let name = format!("F{}", call.name.to_lowercase());
            let mut edits = replace(call.name, &name);
            let open = call.arguments?.start_byte() + 1;
            let comma = if arguments(call).is_empty() { "" } else { ", " };
            edits.push(insert(open, format!("os.Stderr{comma}")));
            Some(edits)
        }
        Language::Rust if matches!(call.callee, "println" | "print") => {
            let begin = call.node.start_byte();
            Some(vec![insert(begin, "e")])
        }
        _ => None,
    }
}

/// Whether the function around an output starts to serve. Output surely happens in a process that
/// serves when it is in a tool, or on the straight way to the call that serves: branches print help,
/// and serve other transports.
fn serves(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let frame = match unit.function(call.scope) {
        Some(function) => unit.code(function.node),
        None => unit.whole_code(),
    };
    [
        ".connect(",
        ".run(",
        "stdio_server",
        "ServeStdio",
        "StdioTransport",
        "stdio()",
        "run(stdio",
        "mcp.run",
    ]
    .iter()
    .any(|word| frame.contains(word))
}

/// Whether nothing between an output and the function around it asks or repeats anything.
fn is_on_straight_way(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let function = unit.function(call.scope);
    let begin = function.map_or(0, |it| it.node.start_byte());
    call.scope.branch.is_none_or(|branch| branch < begin)
}

/// Whether the program ends right after the output, so that it never served a client: help and
/// version texts.
fn is_before_exit(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let after = unit.bare_after(call.node.end_byte());
    let near: String = after.lines().take(6).collect::<Vec<_>>().join("\n");
    let block_end = near.find('}').unwrap_or(near.len());
    let near = match unit.language {
        Language::Python => near.as_str(),
        _ => near.get(..block_end).unwrap_or(&near),
    };
    near.contains("process.exit") || near.contains("sys.exit") || near.contains("os.Exit")
}

/// `throw new McpError(…)` in a handler of tools/call.
fn protocol_typescript(unit: &Unit<'_>, report: &mut Report) {
    for raise in unit.raises() {
        let code = unit.code(raise.node);
        let is_bare = unit
            .tool(raise.scope)
            .is_some_and(|(_, kind)| kind == ToolKind::Bare);
        // An unknown tool is an error of the protocol.
        let is_unknown = code.contains("MethodNotFound")
            || mentions(code, &["unknown tool", "tool name", "request param"])
            || mentions(
                unit.code_before(raise.node.start_byte()),
                &["unknown tool", "tool name", "tool not found"],
            );
        if is_bare && code.contains("new McpError(") && !is_unknown {
            report.at(raise.node);
        }
    }
}

/// `return nil, err` in a handler of two results.
fn protocol_go(unit: &Unit<'_>, report: &mut Report) {
    for (node, scope) in unit.of_kind("return_statement") {
        let function = unit.function(*scope);
        if !function.is_some_and(|it| it.tool == Some(ToolKind::Bare)) {
            continue;
        }
        let values = named(*node)
            .first()
            .map(|list| named(*list))
            .unwrap_or_default();
        if let [first, last] = values.as_slice()
            && unit.text(*first) == "nil"
            && unit.text(*last) != "nil"
        {
            report.at(*node);
        }
    }
}

/// `Err(McpError::internal_error(…))` in a tool.
fn protocol_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let is_error = matches!(call.name, "internal_error" | "invalid_params")
            && (call.receiver.ends_with("McpError") || call.receiver.ends_with("ErrorData"));
        if is_error && unit.tool(call.scope).is_some() && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

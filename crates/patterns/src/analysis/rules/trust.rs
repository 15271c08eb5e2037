//! Words of others in what an agent reads or a shell runs.

use std::collections::{HashMap, HashSet};

use super::common::{arguments, derived_names, mentions_name, tried};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::interpolation::interpolated;
use crate::analysis::unit::{Call, Function, Scope, Unit, is_inside, named};
use crate::analysis::words::{has_word, last_name, mentions, names_in, parts_of_name};

rules! {
    "upstream-text-in-error": "The body of a response becomes part of an error message", Error, High, Manual,
        see "no-upstream-text-in-errors",
        "Name the status and the host instead, and keep the body for the operator's log.",
        { TypeScript: upstream_text, Python: upstream_text, Go: upstream_text, Rust: upstream_text }
    "exception-text-to-agent": "The text of an exception is sent to the agent", Warning, High, Manual,
        see "no-upstream-text-in-errors",
        "Say in your own words what failed and what to do next; log the exception.",
        { TypeScript: exception_typescript, Python: exception_python, Go: exception_go, Rust: exception_rust }
    "input-echoed-in-error": "An argument of the caller is repeated in an error message", Warning, Medium, Assisted,
        see "no-user-input-echo",
        "Name the field and what is allowed; repeat input only in a data field, short and stripped.",
        { TypeScript: input_echoed, Python: input_echoed, Go: input_echoed, Rust: input_echoed }
    "stack-trace-to-agent": "A stack trace is sent to the agent", Error, High, Manual,
        see "stack-trace-to-the-agent",
        "Send an id that leads the operator to the trace in the log.",
        { TypeScript: stack_trace, Python: stack_trace, Go: stack_trace }
    "shell-command-from-text": "A shell command is assembled from text", Error, Low, Assisted,
        see "no-shell-for-arguments",
        "Run the program with a list of arguments, without a shell.",
        { TypeScript: shell_typescript, Python: shell_python, Go: shell_go, Rust: shell_rust }
}

/// Whether an expression is the body of a response, here or by the line that assigned it to one of
/// these names.
fn is_body(unit: &Unit<'_>, expression: &str, assigned: &HashSet<&str>) -> bool {
    let expression = expression.trim();
    let is_response = |text: &str| {
        parts_of_name(last_name(text))
            .iter()
            .any(|part| matches!(part.as_str(), "response" | "resp" | "res" | "r"))
    };
    if mentions(expression, &["sanitize", "redact", "mask"]) {
        return false;
    }
    let direct = match unit.language {
        Language::TypeScript => {
            expression.ends_with(".text()")
                || expression.contains("response.data")
                || expression.contains("response?.data")
                || expression.contains("res.data")
        }
        Language::Python => {
            let head = expression.split(['[', '(']).next().unwrap_or(expression);
            (head.ends_with(".text") || head.ends_with(".content"))
                && is_response(head.rsplit_once('.').map_or("", |(left, _)| left))
        }
        Language::Go => false,
        Language::Rust => expression.contains(".text().await"),
    };
    let inner = expression
        .strip_prefix("string(")
        .and_then(|inner| inner.strip_suffix(')'))
        .unwrap_or(expression);
    let name = inner.split(['.', '[', '(']).next().unwrap_or(inner);
    direct || (assigned.contains(name) && !inner.contains(".length"))
}

/// The names that a frame assigns the body of a response to.
fn body_names(language: Language, frame: &str) -> HashSet<&str> {
    let is_read = |right: &str| match language {
        Language::TypeScript => right.contains(".text()") && right.contains("await"),
        Language::Python => {
            right.contains("response.text")
                || right.contains("resp.text")
                || right.contains(".text()")
        }
        Language::Go => right.contains("ReadAll("),
        Language::Rust => right.contains(".text().await"),
    };
    frame
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(left, right)| !left.contains('(') && is_read(right))
        // Of several names the first one is the body, and the last one the error.
        .flat_map(|(left, _)| names_in(left.split(',').next().unwrap_or(left)))
        .collect()
}

fn upstream_text(unit: &Unit<'_>, report: &mut Report) {
    let mut assigned = HashMap::new();
    for raise in unit.raises().filter(|raise| !raise.scope.in_test) {
        let assigned = assigned
            .entry(unit.frame_index(raise.scope))
            .or_insert_with(|| body_names(unit.language, unit.frame_code(raise.scope)));
        if interpolated(unit, raise.node)
            .iter()
            .any(|expression| is_body(unit, expression, assigned))
        {
            report.at(raise.node);
        }
    }
}

fn exception_typescript(unit: &Unit<'_>, report: &mut Report) {
    let mut derived = HashMap::new();
    for (node, scope) in unit.of_kind("return_statement") {
        let Some(handler) = unit.handler(*scope).filter(|it| is_inside(*node, it.body)) else {
            continue;
        };
        let (Some(binding), Some(object)) = (
            handler.binding,
            named(*node).into_iter().find(|it| it.kind() == "object"),
        ) else {
            continue;
        };
        let code = unit.code(object);
        let names = derived
            .entry(handler.body.id())
            .or_insert_with(|| derived_names(unit, handler.body, binding));
        if has_word(code, "content") && has_word(code, "text") && mentions_name(code, names) {
            report.at(*node);
        }
    }
}

fn exception_python(unit: &Unit<'_>, report: &mut Report) {
    let mut derived = HashMap::new();
    for (node, scope) in unit.of_kind("return_statement") {
        let Some(handler) = unit.handler(*scope).filter(|it| is_inside(*node, it.body)) else {
            continue;
        };
        let Some(binding) = handler.binding.filter(|_| unit.tool(*scope).is_some()) else {
            continue;
        };
        let names = derived
            .entry(handler.body.id())
            .or_insert_with(|| derived_names(unit, handler.body, binding));
        if handler.is_broad && mentions_name(unit.code(*node), names) {
            report.at(*node);
        }
    }
}

fn exception_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit
        .calls()
        .filter(|call| call.name.starts_with("NewToolResult"))
    {
        let binding = unit.handler(call.scope).and_then(|it| it.binding);
        if binding.is_some_and(|name| has_word(unit.code(call.node), name))
            && !is_own_check(unit, call.scope)
        {
            report.at(call.node);
        }
    }
}

/// Whether the error is of the program's own check of arguments, by the name of the call before it.
fn is_own_check(unit: &Unit<'_>, scope: Scope) -> bool {
    let Some(handler) = unit.handler(scope) else {
        return false;
    };
    let before = unit.code_before(handler.body.start_byte());
    let assignment = before
        .lines()
        .rev()
        .take(6)
        .find(|line| line.contains('=') && !line.contains("!="));
    let inline = before
        .lines()
        .next_back()
        .filter(|line| line.contains(":="));
    inline.or(assignment).is_some_and(|line| {
        mentions(
            line,
            &[
                "param",
                "required",
                "optional",
                "validate",
                "parse",
                "pagination",
                "args",
                "argument",
                "check",
            ],
        )
    })
}

fn exception_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let tells = call.callee == "CallToolResult::error"
            || (matches!(call.name, "internal_error" | "invalid_params")
                && (call.receiver.ends_with("McpError") || call.receiver.ends_with("ErrorData")));
        let binding = unit.handler(call.scope).and_then(|it| it.binding);
        let code = call.arguments.map_or("", |it| unit.text(it));
        let in_code = |name: &str| has_word(code, name);
        if tells
            && !call.scope.in_test
            && unit.tool(call.scope).is_some()
            && binding.is_some_and(in_code)
        {
            report.at(call.node);
        }
    }
}

/// The names that hold what the caller sent, inside a tool.
fn input_names<'t>(unit: &Unit<'t>, tool: &Function<'t>) -> HashSet<&'t str> {
    let unlikely = [
        "ctx", "context", "extra", "self", "server", "request", "req",
    ];
    let mut names: HashSet<&str> = tool
        .params
        .iter()
        .copied()
        .filter(|name| !unlikely.contains(name))
        .collect();
    let code = unit.code(tool.node);
    if code.contains("} = request.params") || code.contains("} = req.params") {
        names.extend(["name", "args"]);
    }
    names
}

fn input_echoed(unit: &Unit<'_>, report: &mut Report) {
    let mut names_by_tool = HashMap::new();
    for raise in unit.raises().filter(|raise| !raise.scope.in_test) {
        let Some((tool, _)) = unit.tool(raise.scope) else {
            continue;
        };
        let names = names_by_tool
            .entry(tool.node.id())
            .or_insert_with(|| input_names(unit, tool));
        let is_input = |expression: &&str| {
            let head = expression
                .split(['.', '[', '(', '?', '!'])
                .next()
                .unwrap_or_default()
                .trim();
            let is_whole = expression.trim() == head
                || names.contains("args") && head == "args"
                || unit.language == Language::Rust
                    && names.contains(head)
                    && !expression.contains('(');
            (names.contains(head) && is_whole)
                || mentions(expression, &["request.params.name", "req.params.name"])
        };
        if interpolated(unit, raise.node).iter().any(is_input) {
            report.at(raise.node);
        }
    }
}

fn stack_trace(unit: &Unit<'_>, report: &mut Report) {
    if unit.language == Language::Go {
        for call in unit.calls() {
            let answers = call.name.starts_with("NewToolResult") || call.callee == "http.Error";
            if answers && unit.code(call.node).contains("debug.Stack()") {
                report.at(call.node);
            }
        }
        return;
    }
    for (node, scope) in unit.of_kind("return_statement") {
        let code = unit.bare(*node);
        let has_trace = match unit.language {
            Language::TypeScript => code.contains(".stack") && has_word(code, "text"),
            _ => {
                code.contains("traceback.format_exc()")
                    || code.contains("traceback.format_exception(")
            }
        };
        // Who switches debugging on wants to see it.
        let is_for_debugging = mentions(code, &["debug", "verbose", "development"]);
        // The trace of code that the caller sent is the answer.
        let runs_callers_code = || {
            let handler = unit.handler(*scope);
            let mut calls = handler
                .and_then(|handler| tried(unit, handler))
                .into_iter()
                .flat_map(|body| unit.calls_in(body));
            calls.any(|call| matches!(call.callee, "exec" | "eval" | "compile"))
        };
        if has_trace
            && !is_for_debugging
            && !runs_callers_code()
            && (unit.handler(*scope).is_some() || unit.tool(*scope).is_some())
        {
            report.at(*node);
        }
    }
}

fn has_interpolation(unit: &Unit<'_>, call: &Call<'_>) -> bool {
    let first = arguments(call).into_iter().next();
    // A list of arguments needs no shell, an address of one's own is opened, a program is looked for.
    let code = first.map_or("", |first| unit.code(first));
    let frame = unit.frame(call.scope).map_or("", |it| it.name);
    if code.starts_with('[')
        || code.contains("which $")
        || mentions(frame, &["openbrowser", "open_browser"])
    {
        return false;
    }
    let values = first
        .map(|first| interpolated(unit, first))
        .unwrap_or_default();
    values
        .iter()
        .any(|value| is_from_caller(unit, call.scope, value))
}

/// Whether a value comes from a parameter of a function around it, and not from a constant.
fn is_from_caller(unit: &Unit<'_>, scope: Scope, value: &str) -> bool {
    // Numbers have no syntax of a shell in them.
    let numbers = ["port", "pid", "ppid", "process_id", "processId"];
    let is_number = |name: &str| numbers.contains(&name);
    // What is replaced in it is what a shell would read; a number has no such thing.
    if value.contains(".replace(") || value.ends_with("pid") || value == "limit" {
        return false;
    }
    names_in(value).filter(|name| !is_number(name)).any(|name| {
        let mut functions = unit.functions(scope);
        functions.any(|(_, function)| function.params.contains(name))
    })
}

fn shell_typescript(unit: &Unit<'_>, report: &mut Report) {
    if !mentions(unit.whole_code(), &["child_process"]) {
        return;
    }
    for call in unit.calls() {
        let runs = matches!(
            call.callee,
            "exec" | "execSync" | "execAsync" | "execPromise"
        ) || (matches!(call.name, "exec" | "execSync")
            && matches!(last_name(call.receiver), "child_process" | "cp"));
        if runs && has_interpolation(unit, call) {
            report.at(call.node);
        }
    }
}

fn shell_python(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let runs = matches!(
            call.callee,
            "os.system" | "os.popen" | "asyncio.create_subprocess_shell"
        ) || (call.receiver == "subprocess"
            && unit.bare(call.node).contains("shell=True"));
        if runs && has_interpolation(unit, call) {
            report.at(call.node);
        }
    }
}

fn shell_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit
        .calls()
        .filter(|call| matches!(call.callee, "exec.Command" | "exec.CommandContext"))
    {
        let all = arguments(call);
        let code = unit.code(call.node);
        let is_shell = ["\"sh\"", "\"bash\"", "\"/bin/sh\"", "\"/bin/bash\""]
            .iter()
            .any(|shell| code.contains(shell));
        let values = all
            .last()
            .map(|last| interpolated(unit, *last))
            .unwrap_or_default();
        let is_text = values
            .iter()
            .any(|value| is_from_caller(unit, call.scope, value));
        if is_shell && code.contains("\"-c\"") && is_text {
            report.at(call.node);
        }
    }
}

fn shell_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.name == "arg") {
        let is_shell = ["new(\"sh\")", "new(\"bash\")", "new(\"/bin/sh\")"]
            .iter()
            .any(|shell| call.receiver.contains(shell));
        let is_command = call.receiver.trim_end().ends_with("arg(\"-c\")");
        if is_shell && is_command && has_interpolation(unit, call) {
            report.at(call.node);
        }
    }
}

//! Work without an end, and ends that do not stop the work.

use std::collections::HashMap;

use tree_sitter::Node;

use super::common::{PerFrame, Places, arguments, arguments_bare, python_imports};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::finding::Edit;
use crate::analysis::unit::{Function, Unit, below_of, named};
use crate::analysis::words::{has_any_word, has_word, last_name, mentions};

rules! {
    "request-without-timeout": "A request has no time limit", Error, High, Assisted,
        see "timeout-on-every-request",
        "Give the request a limit that is shorter than what the caller will wait.",
        { TypeScript: limit_typescript, Python: limit_python, Go: limit_go, Rust: limit_rust }
    "timer-not-covering-body": "The time limit ends before the body is read", Error, Medium, Assisted,
        see "timer-covers-the-body",
        "Stop the timer after the body: a server can send its head at once and its body never.",
        { TypeScript: body_typescript, Python: body_python, Rust: body_rust }
    "sleep-blocks-runtime": "A blocking sleep stops every other call", Error, High, SafeCodemod,
        see "do-not-block-the-runtime",
        "Sleep with the runtime's own timer.",
        { Python: sleep_python, Rust: sleep_rust }
    "request-blocks-runtime": "A blocking call inside async code stops every other call", Error, High, Assisted,
        see "do-not-block-the-runtime",
        "Use an asynchronous client, or run the call in a thread.",
        { TypeScript: block_typescript, Python: block_python, Rust: block_rust }
    "cancellation-dropped": "The caller's cancellation does not reach the work", Warning, Low, Assisted,
        see "propagate-cancellation",
        "Pass the caller's context on.",
        { Go: cancel_go }
    "cancel-function-dropped": "A context is made whose timer is never released", Warning, Low, Assisted,
        see "propagate-cancellation",
        "Keep the cancel function and defer it.",
        { Go: cancel_function }
    "timeout-abandons-work": "A timeout gives up on work that goes on", Warning, Medium, Assisted,
        see "timeout-stops-the-work",
        "Pass an AbortSignal to the work, so that a timeout also stops it.",
        { TypeScript: race }
}

fn limit_typescript(unit: &Unit<'_>, report: &mut Report) {
    let has_limits = has_any_word(unit.whole_bare(), &["timeout", "defaults"]);
    for call in unit.calls().filter(|call| call.is_request) {
        if call.name == "create" || call.scope.in_test {
            continue;
        }
        let bare = arguments_bare(unit, call);
        let names = [
            "signal",
            "timeout",
            "options",
            "opts",
            "init",
            "config",
            "requestOptions",
            "requestInit",
            "fetchOptions",
            "params",
        ];
        let all = arguments(call);
        // What is passed in a variable may hold a limit, and so may an instance that was configured.
        let opaque = all
            .iter()
            .skip(1)
            .any(|it| it.kind() == "identifier" || it.kind() == "call_expression")
            || bare.contains("...");
        let is_instance = has_limits && !matches!(call.callee, "fetch" | "globalThis.fetch");
        let is_local = all
            .first()
            .is_some_and(|it| unit.text(*it).contains("localhost"));
        if !has_any_word(bare, &names) && !opaque && !is_instance && !is_local {
            report.at(call.node);
        }
    }
}

fn limit_python(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let is_plain = call.receiver == "requests"
            && matches!(
                call.name,
                "get" | "post" | "put" | "delete" | "patch" | "head" | "request"
            );
        let is_open = matches!(
            call.callee,
            "urllib.request.urlopen" | "urlopen" | "request.urlopen"
        );
        let bare = arguments_bare(unit, call);
        let count = arguments(call).len();
        let has_limit = has_word(bare, "timeout") || bare.contains("**") || (is_open && count >= 3);
        if (is_plain || is_open) && !has_limit && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

fn limit_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        if matches!(
            call.callee,
            "http.Get" | "http.Post" | "http.Head" | "http.PostForm"
        ) {
            report.at(call.node);
        }
    }
    let bare = unit.whole_bare();
    let has_context = bare.contains("NewRequestWithContext") || bare.contains(".Timeout =");
    for (node, _) in unit.of_kind("composite_literal") {
        let is_client = node
            .child_by_field_name("type")
            .is_some_and(|it| unit.text(it) == "http.Client");
        if is_client
            && !has_context
            && !has_word(unit.bare(*node), "Timeout")
            && !has_word(unit.bare(*node), "Transport")
        {
            report.at(*node);
        }
    }
}

fn limit_rust(unit: &Unit<'_>, report: &mut Report) {
    let has_limit = has_any_word(
        unit.whole_bare(),
        &["timeout", "timeout_at", "read_timeout"],
    );
    for call in unit.calls() {
        let is_unlimited = matches!(
            call.callee,
            "reqwest::get" | "reqwest::Client::new" | "reqwest::blocking::get"
        );
        if is_unlimited && !has_limit && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

/// `fetch`, `clearTimeout`, and only then `response.text()`.
fn body_typescript(unit: &Unit<'_>, report: &mut Report) {
    let finally = Places::of(unit, &["finally_clause"]);
    let mut known = HashMap::new();
    for call in unit.calls().filter(|call| call.callee == "clearTimeout") {
        let Some(function) = unit.frame(call.scope) else {
            continue;
        };
        let (first_request, last_read) = *known
            .entry(function.node.id())
            .or_insert_with(|| (first_request(unit, function), last_read(unit, function)));
        let requests = first_request.is_some_and(|end| end < call.node.start_byte());
        let reads = last_read > Some(call.node.end_byte());
        let in_handler = unit.handler(call.scope).is_some();
        // A second clear in a later place covers the body after all.
        if requests && reads && !in_handler && !finally.have(call.node) {
            report.at(call.node);
        }
    }
}

/// Where the first request of a function ends.
fn first_request<'t>(unit: &Unit<'t>, function: &Function<'t>) -> Option<usize> {
    let requests = unit.calls_in(function.node).filter(|it| it.is_request);
    requests.map(|it| it.node.end_byte()).min()
}

/// Where the last call of a function begins that reads a body.
fn last_read<'t>(unit: &Unit<'t>, function: &Function<'t>) -> Option<usize> {
    let reads = unit
        .calls_in(function.node)
        .filter(|it| match unit.language {
            Language::Python => matches!(it.name, "text" | "read" | "json"),
            _ => {
                matches!(it.name, "text" | "json" | "arrayBuffer" | "blob")
                    && arguments(it).is_empty()
            }
        });
    reads.map(|it| it.node.start_byte()).max()
}

/// `asyncio.wait_for(session.get(…))`, and `await response.text()` after it.
fn body_python(unit: &Unit<'_>, report: &mut Report) {
    if !has_word(unit.whole_code(), "aiohttp") {
        return;
    }
    let mut known = HashMap::new();
    for call in unit.calls().filter(|call| call.name == "wait_for") {
        let inner = unit.code(call.node);
        let sends = unit
            .calls_in(call.node)
            .any(|it| it.is_request && !matches!(last_name(it.receiver), "httpx"));
        let reads_inside =
            inner.contains(".text()") || inner.contains(".read()") || inner.contains(".json()");
        let Some(function) = unit.frame(call.scope).filter(|_| sends && !reads_inside) else {
            continue;
        };
        let last_read = *known
            .entry(function.node.id())
            .or_insert_with(|| last_read(unit, function));
        if last_read > Some(call.node.end_byte()) {
            report.at(call.node);
        }
    }
}

/// `timeout(limit, request.send())`, and `.text().await` after it.
fn body_rust(unit: &Unit<'_>, report: &mut Report) {
    let mut known = HashMap::new();
    for call in unit
        .calls()
        .filter(|call| matches!(call.name, "timeout" | "timeout_at"))
    {
        let inner = unit.code(call.node);
        let sends = inner.contains(".send()");
        let reads = [".text()", ".bytes()", ".json()", ".json::"];
        let reads_inside = reads.iter().any(|read| inner.contains(read));
        let Some(function) = unit.frame(call.scope).filter(|_| sends && !reads_inside) else {
            continue;
        };
        let last_read = *known.entry(function.node.id()).or_insert_with(|| {
            let code = unit.code(function.node);
            let last = reads.iter().filter_map(|read| code.rfind(read)).max();
            last.map(|at| function.node.start_byte() + at)
        });
        if last_read >= Some(call.node.end_byte()) && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

fn sleep_python(unit: &Unit<'_>, report: &mut Report) {
    let can_edit = python_imports(unit, "import asyncio");
    for call in unit.calls().filter(|call| call.callee == "time.sleep") {
        if unit.function(call.scope).is_some_and(|it| it.is_async) {
            let begin = call.node.start_byte();
            let edit = Edit {
                bytes: begin..begin + call.callee.len(),
                text: "await asyncio.sleep".to_owned(),
            };
            report.with_edits(call.node, if can_edit { vec![edit] } else { Vec::new() });
        }
    }
}

fn sleep_rust(unit: &Unit<'_>, report: &mut Report) {
    let uses_tokio = has_word(unit.whole_bare(), "tokio");
    for call in unit
        .calls()
        .filter(|call| matches!(call.callee, "std::thread::sleep" | "thread::sleep"))
    {
        if unit.function(call.scope).is_some_and(|it| it.is_async) && !call.scope.in_test {
            let edits = vec![
                Edit {
                    bytes: call.node.start_byte()..call.node.start_byte() + call.callee.len(),
                    text: "tokio::time::sleep".to_owned(),
                },
                super::insert(call.node.end_byte(), ".await"),
            ];
            report.with_edits(call.node, if uses_tokio { edits } else { Vec::new() });
        }
    }
}

fn block_typescript(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let blocks = matches!(call.name, "execSync" | "spawnSync" | "execFileSync");
        if blocks && unit.tool(call.scope).is_some() {
            report.at(call.node);
        }
    }
}

fn block_python(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let blocks = (call.receiver == "requests" && call.is_request)
            || call.name == "urlopen"
            || matches!(
                call.callee,
                "subprocess.run" | "subprocess.check_output" | "subprocess.call"
            );
        if blocks && unit.function(call.scope).is_some_and(|it| it.is_async) {
            report.at(call.node);
        }
    }
}

fn block_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let blocks = call.callee.starts_with("reqwest::blocking");
        if blocks && unit.function(call.scope).is_some_and(|it| it.is_async) && !call.scope.in_test
        {
            report.at(call.node);
        }
    }
}

fn cancel_go(unit: &Unit<'_>, report: &mut Report) {
    let outliving = Places::of(unit, &["go_statement", "defer_statement"]);
    let mut is_fallback = PerFrame::default();
    for call in unit
        .calls()
        .filter(|call| matches!(call.callee, "context.Background" | "context.TODO"))
    {
        let has_context = unit
            .function(call.scope)
            .is_some_and(|it| it.params.contains("ctx"));
        let is_meant = mentions(
            unit.line_of(call.node),
            &["bgctx", "bgcontext", "detached", "shutdown"],
        );
        // Work that outlives the call on purpose is started in a goroutine or deferred.
        if has_context
            && !is_meant
            && !is_fallback.of(unit, call.scope, |frame| frame.contains("ctx == nil"))
            && !outliving.have(call.node)
        {
            report.at(call.node);
        }
    }
}

fn cancel_function(unit: &Unit<'_>, report: &mut Report) {
    for kind in ["short_var_declaration", "assignment_statement"] {
        for (node, _) in unit.of_kind(kind) {
            let text = |field: &str| {
                node.child_by_field_name(field)
                    .map_or("", |it| unit.text(it))
            };
            let makes = [
                "context.WithTimeout(",
                "context.WithCancel(",
                "context.WithDeadline(",
            ]
            .iter()
            .any(|call| text("right").starts_with(call));
            if makes && text("left").ends_with('_') {
                report.at(*node);
            }
        }
    }
}

/// Words of code that ends work which it gave up.
const STOPS: &[&str] = &[
    "abort",
    "AbortController",
    "signal",
    "kill",
    "close",
    "terminate",
    "destroy",
    "dispose",
    "disposeAll",
    "shutdown",
    "disconnect",
    "cancel",
    "stop",
];

/// `Promise.race([work, new Promise((_, reject) => setTimeout(reject, …))])`
fn race(unit: &Unit<'_>, report: &mut Report) {
    let mut stops = PerFrame::default();
    for call in unit.calls().filter(|call| call.callee == "Promise.race") {
        let code = unit.bare(call.node);
        let has_timer = code.contains("setTimeout")
            || names_of_array(unit, call.node)
                .iter()
                .any(|name| name.to_lowercase().contains("timeout"));
        // Work with a limit of its own ends by itself; a flush may go on.
        let ends_itself = mentions(code, &["timeout:", "flush"]);
        // An event is waited for, not worked on.
        let is_event = names_of_array(unit, call.node)
            .iter()
            .any(|name| mentions(name, &["event"]));
        let ends_itself = ends_itself || is_event;
        if has_timer
            && !ends_itself
            && !stops.of(unit, call.scope, |frame| {
                has_any_word(frame, STOPS)
                    || frame.contains("Signal)")
                    || frame.contains(".catch(() =>")
            })
        {
            report.at(call.node);
        }
    }
}

fn names_of_array<'t>(unit: &Unit<'t>, node: Node<'t>) -> Vec<&'t str> {
    below_of(node, "array")
        .take(1)
        .flat_map(named)
        .filter(|item| item.kind() == "identifier" || item.kind() == "call_expression")
        .map(|item| unit.text(item).split('(').next().unwrap_or_default())
        .collect()
}

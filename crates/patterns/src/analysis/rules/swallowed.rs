//! Failures that are caught and forgotten.

use tree_sitter::Node;

use super::common::{has_comment, is_sleep, reads_files, tried};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Handler, Unit};
use crate::analysis::words::{has_word, mentions};

rules! {
    "swallowed-error": "A handler that does nothing hides the failure", Error, Low, Manual,
        see "swallowed-error",
        "Return the failure, or say in a comment why it does not matter here.",
        { TypeScript: swallowed, Python: swallowed, Go: swallowed, Rust: swallowed }
    "ignored-failure": "The outcome of a fallible call is thrown away", Warning, Low, Manual,
        see "swallowed-error",
        "Handle the failure, or say in a comment why it does not matter here.",
        { Go: ignored_go, Rust: ignored_rust }
}

/// Calls whose failure changes nothing for anybody.
const CLEANUP: &[&str] = &[
    "close",
    "aclose",
    "kill",
    "unlink",
    "unlinkSync",
    "rm",
    "rmSync",
    "abort",
    "destroy",
    "disconnect",
    "cleanup",
    "terminate",
    "dispose",
    "stop",
    "cancel",
    "end",
    "releaseLock",
    "remove",
    "rmdir",
    "rmtree",
    "clearTimeout",
    "shutdown",
    "Close",
    "Remove",
    "RemoveAll",
    "Kill",
    "quit",
    "removeListener",
    "off",
    "detach",
    "unsubscribe",
    "release",
    "flush",
    "rollback",
    // Whoever only watches must not make the work fail.
    "appendFile",
    "appendFileSync",
    "emit",
    "observer",
    "observe",
    "finish",
    "record",
    "track",
    "capture",
    "log",
    "notify",
];

/// Whether everything that was tried is cleaning up.
fn only_cleans_up<'t>(unit: &Unit<'t>, tried: Node<'t>) -> bool {
    let mut calls = unit.calls_in(tried).peekable();
    calls.peek().is_some()
        && calls.all(|call| {
            CLEANUP.contains(&call.name)
                || mentions(call.callee, &["telemetry", "analytics"])
                || call.node.kind() == "new_expression"
                || call.name.starts_with("require")
        })
}

/// Whether a block has neither code nor a comment that gives a reason.
fn is_silent(unit: &Unit<'_>, body: Node<'_>) -> bool {
    let text = unit.text(body);
    let inner = text.trim_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, '{' | '}' | '(' | ')' | ';')
    });
    matches!(inner, "" | "pass" | "..." | "()")
}

fn swallowed(unit: &Unit<'_>, report: &mut Report) {
    let is_statement = |handler: &&Handler<'_>| match unit.language {
        Language::TypeScript => handler.node.kind() == "catch_clause",
        Language::Rust => handler.node.kind() != "call_expression",
        _ => true,
    };
    for handler in unit.handlers().filter(is_statement) {
        if handler.scope.in_test || !handler.is_broad || !is_silent(unit, handler.body) {
            continue;
        }
        let tried = tried(unit, handler);
        let is_harmless = tried.is_some_and(|tried| only_cleans_up(unit, tried))
            || reads_files(unit, handler)
            || only_converts(unit, handler)
            || waits_for_something(unit, handler);
        if !has_comment(unit, handler) && !is_harmless {
            report.at(handler.node);
        }
    }
}

/// Whether what was tried only converts a value, and goes on another way when it cannot.
fn only_converts(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    let Some(body) = tried(unit, handler) else {
        return false;
    };
    let mut calls = unit.calls_in(body).peekable();
    calls.peek().is_some()
        && calls.all(|call| matches!(call.callee, "int" | "float" | "len" | "Number" | "parseInt"))
}

/// Whether the failure only means that something is not there yet: a loop that sleeps asks again.
fn waits_for_something<'t>(unit: &Unit<'t>, handler: &Handler<'t>) -> bool {
    let around = handler.scope.in_loop.and_then(|index| unit.loop_at(index));
    around.is_some_and(|it| unit.calls_in(it.node).any(|call| is_sleep(unit, call)))
}

/// `data, _ := io.ReadAll(…)`
fn ignored_go(unit: &Unit<'_>, report: &mut Report) {
    const FALLIBLE: &[&str] = &[
        "json.Unmarshal",
        "io.ReadAll",
        "ioutil.ReadAll",
        "http.NewRequest",
        "http.NewRequestWithContext",
        "url.Parse",
        "http.Get",
        "os.ReadFile",
    ];
    for kind in ["short_var_declaration", "assignment_statement"] {
        for (node, _) in unit.of_kind(kind) {
            let left = node
                .child_by_field_name("left")
                .map_or("", |it| unit.text(it));
            let right = node
                .child_by_field_name("right")
                .map_or("", |it| unit.text(it));
            let callee = right.split('(').next().unwrap_or_default();
            let drops_error = left
                .rsplit(',')
                .next()
                .is_some_and(|last| last.trim() == "_");
            let is_fallible = FALLIBLE.contains(&callee)
                || (callee.ends_with(".Do") && mentions(callee, &["client"]));
            if drops_error && is_fallible && !is_for_error(unit, *node, callee) {
                report.at(*node);
            }
        }
    }
}

/// Whether a body is read only for the message of a failure that is returned anyway.
fn is_for_error(unit: &Unit<'_>, node: Node<'_>, callee: &str) -> bool {
    let after = unit.bare_after(node.end_byte());
    let block = after.split("\n\n").next().unwrap_or_default();
    callee.ends_with("ReadAll") && has_word(block, "return") && mentions(block, &["err", "status"])
}

/// `send(…).ok();` as a statement.
fn ignored_rust(unit: &Unit<'_>, report: &mut Report) {
    for (node, scope) in unit.of_kind("expression_statement") {
        let text = unit.text(*node);
        if text.ends_with(".ok();") && !text.starts_with("return ") && !scope.in_test {
            report.at(*node);
        }
    }
}

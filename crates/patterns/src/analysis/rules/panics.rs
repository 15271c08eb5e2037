//! Code that ends the program or the handler instead of answering.

use std::collections::HashSet;

use super::common::{PerFrame, arguments_bare};
use super::{Report, rules};
use crate::analysis::unit::{Unit, named};
use crate::analysis::words::{has_word, names_in};

rules! {
    "panic-in-handler": "A tool can panic instead of answering", Error, Low, Manual,
        see "panic-in-handler",
        "Return the failure: a panic leaves the caller without an answer.",
        { Rust: panic_rust, Go: panic_go }
    "exit-in-handler": "One failed call ends the whole server", Error, High, Manual,
        see "panic-in-handler",
        "Return the failure and let the server live.",
        { TypeScript: exit_typescript, Python: exit_python, Go: exit_go, Rust: exit_rust }
    "assert-as-validation": "An argument is checked with assert, which can be switched off", Warning, Medium, Assisted,
        see "all-mistakes-at-once",
        "Raise an error that names the argument and what is allowed.",
        { Python: assert_python }
    "arguments-not-validated": "Arguments are cast to a type that nothing has checked", Error, Medium, Assisted,
        see "all-mistakes-at-once",
        "Check the arguments against the schema, and report every mistake at once.",
        { TypeScript: cast_typescript, Go: cast_go }
}

fn panic_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let is_method =
            call.node.kind() == "call_expression" && matches!(call.name, "unwrap" | "expect");
        let is_macro = call.node.kind() == "macro_invocation"
            && matches!(call.name, "panic" | "todo" | "unimplemented");
        // A poisoned lock means that another handler has panicked already.
        let is_lock = call.receiver.ends_with(".lock()")
            || call.receiver.ends_with(".read()")
            || call.receiver.ends_with(".write()");
        // `v if v.is_string() => v.as_str().unwrap()`
        let is_known = call.receiver.contains(".as_") && unit.line_of(call.node).contains(".is_");
        if (is_method || is_macro)
            && !is_lock
            && !is_known
            && !call.scope.in_test
            && unit.tool(call.scope).is_some()
        {
            report.at(call.node);
        }
    }
}

fn panic_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.callee == "panic") {
        let name = unit.frame(call.scope).map_or("", |it| it.name);
        let can_return = unit
            .frame(call.scope)
            .is_some_and(|it| it.tool.is_some() || has_word(it.returns, "error"));
        if can_return && !name.starts_with("Must") && !name.starts_with("must") {
            report.at(call.node);
        }
    }
}

fn exit_typescript(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.callee == "process.exit") {
        if unit.tool(call.scope).is_some() {
            report.at(call.node);
        }
    }
}

fn exit_python(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let exits = matches!(call.callee, "sys.exit" | "os._exit" | "exit" | "quit");
        if exits && unit.tool(call.scope).is_some() {
            report.at(call.node);
        }
    }
}

fn exit_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let exits = call.callee == "os.Exit" && arguments_bare(unit, call) != "(0)"
            || (call.receiver == "log" && call.name.starts_with("Fatal"));
        if exits && unit.tool(call.scope).is_some() {
            report.at(call.node);
        }
    }
}

fn exit_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let exits = matches!(call.callee, "std::process::exit" | "process::exit");
        if exits && unit.tool(call.scope).is_some() && !call.scope.in_test {
            report.at(call.node);
        }
    }
}

fn assert_python(unit: &Unit<'_>, report: &mut Report) {
    for (node, scope) in unit.of_kind("assert_statement") {
        let Some((tool, _)) = unit.tool(*scope) else {
            continue;
        };
        // A check of None tells a type checker what is known already.
        let is_for_types = unit.bare(*node).contains("is not None");
        if !is_for_types && names_in(unit.bare(*node)).any(|name| tool.params.contains(name)) {
            report.at(*node);
        }
    }
}

/// `request.params.arguments as Arguments`
fn cast_typescript(unit: &Unit<'_>, report: &mut Report) {
    let mut is_checked = PerFrame::default();
    for (node, scope) in unit.of_kind("as_expression") {
        let parts = named(*node);
        let (operand, target) = (
            parts.first().map_or("", |it| unit.text(*it)),
            parts.get(1).map_or("", |it| unit.text(*it)),
        );
        let is_arguments = operand.ends_with("params.arguments")
            || operand.starts_with("args.")
            || operand.starts_with("args?.");
        let is_opaque = matches!(target, "any" | "unknown")
            || target.starts_with("Record<string, unknown")
            || target.starts_with("Record<string, any");
        let is_cast = is_arguments && !is_opaque && unit.tool(*scope).is_some();
        if is_cast && !is_checked.of(unit, *scope, checks_arguments) {
            report.at(*node);
        }
    }
}

fn checks_arguments(frame: &str) -> bool {
    [".parse(", ".safeParse(", "validate", "typeof "]
        .iter()
        .any(|word| frame.contains(word))
}

/// `request.Params.Arguments["x"].(string)` without the second result.
fn cast_go(unit: &Unit<'_>, report: &mut Report) {
    let checked = checked_assertions(unit);
    for (node, scope) in unit.of_kind("type_assertion_expression") {
        let operand = node
            .child_by_field_name("operand")
            .map_or("", |it| unit.text(it));
        let is_argument = (operand.contains("Arguments[")
            || operand.contains("GetArguments()[")
            || operand.starts_with("args["))
            && operand.ends_with(']');
        let asked = (unit.frame_index(*scope), unit.text(*node));
        if is_argument && !checked.contains(&asked) {
            report.at(*node);
        }
    }
}

/// The assertions whose second result is kept, with the frame that they are checked in.
fn checked_assertions<'t>(unit: &Unit<'t>) -> HashSet<(Option<usize>, &'t str)> {
    ["short_var_declaration", "assignment_statement", "var_spec"]
        .iter()
        .flat_map(|kind| unit.of_kind(kind))
        .filter_map(|(node, scope)| {
            let field = |name: &str| node.child_by_field_name(name);
            let (left, right) = (
                field("left").or_else(|| field("name"))?,
                field("right").or_else(|| field("value"))?,
            );
            let values = named(right);
            let [assertion] = values.as_slice() else {
                return None;
            };
            let is_pair = unit.text(left).contains(',');
            let is_assertion = assertion.kind() == "type_assertion_expression";
            (is_pair && is_assertion).then(|| (unit.frame_index(*scope), unit.text(*assertion)))
        })
        .collect()
}

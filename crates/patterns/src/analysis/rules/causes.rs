//! What a failure tells the code that catches it: its type, and what caused it.

use tree_sitter::Node;

use super::common::{arguments, go_imports, is_go_error};
use super::{Report, insert, rules};
use crate::analysis::finding::Edit;
use crate::analysis::unit::{Unit, named};
use crate::analysis::words::has_word;

rules! {
    "error-compared-by-identity": "An error is compared with ==, which misses wrapped errors", Warning, Low, SafeCodemod,
        see "keep-the-cause-chain",
        "Use errors.Is, which also finds a wrapped error.",
        { Go: compared_by_identity }
    "error-type-asserted": "A type assertion on an error misses wrapped errors", Warning, Low, Assisted,
        see "keep-the-cause-chain",
        "Use errors.As, which also finds a wrapped error.",
        { Go: type_asserted }
    "cause-dropped": "A new error is raised without the one that caused it", Warning, High, SafeCodemod,
        see "keep-the-cause-chain",
        "Pass the cause on: { cause } in JavaScript, from in Python, %w in Go.",
        { TypeScript: cause_typescript, Python: cause_python, Go: cause_go }
    "untyped-error": "A failure is raised as a plain Exception or a string", Warning, High, Manual,
        see "closed-set-of-kinds",
        "Raise a type that says what kind of failure it is, so that callers need not read its words.",
        { TypeScript: thrown_value, Python: plain_exception }
}

fn compared_by_identity(unit: &Unit<'_>, report: &mut Report) {
    let can_edit = go_imports(unit, "errors");
    for (node, _) in unit.of_kind("binary_expression") {
        let text = |field: &str| {
            node.child_by_field_name(field)
                .map_or("", |it| unit.text(it))
        };
        let (left, operator, right) = (text("left"), text("operator"), text("right"));
        let last = right.rsplit('.').next().unwrap_or_default();
        // io.EOF comes from Read as it is, by contract.
        // ErrServerClosed comes from Serve as it is, by contract.
        let is_sentinel = (last.starts_with("Err") && last.len() > 3 && last != "ErrServerClosed")
            || matches!(right, "context.Canceled" | "context.DeadlineExceeded");
        let is_error = is_go_error(left);
        if !is_error || !is_sentinel || !matches!(operator, "==" | "!=") {
            continue;
        }
        let not = if operator == "!=" { "!" } else { "" };
        let edit = Edit {
            bytes: node.byte_range(),
            text: format!("{not}errors.Is({left}, {right})"),
        };
        report.with_edits(*node, if can_edit { vec![edit] } else { Vec::new() });
    }
}

fn type_asserted(unit: &Unit<'_>, report: &mut Report) {
    for (node, _) in unit.of_kind("type_assertion_expression") {
        let text = |field: &str| {
            node.child_by_field_name(field)
                .map_or("", |it| unit.text(it))
        };
        let operand = text("operand");
        if is_go_error(operand) && !text("type").starts_with("interface") {
            report.at(*node);
        }
    }
}

/// `throw new Error("…")` in a handler.
fn cause_typescript(unit: &Unit<'_>, report: &mut Report) {
    for raise in unit.raises() {
        let Some(handler) = unit.handler(raise.scope) else {
            continue;
        };
        let new = named(raise.node)
            .into_iter()
            .find(|it| it.kind() == "new_expression");
        let Some(new) = new.filter(|_| handler.scope.function == raise.scope.function) else {
            continue;
        };
        let class = new
            .child_by_field_name("constructor")
            .map_or("", |it| unit.text(it));
        let Some(list) = new.child_by_field_name("arguments") else {
            continue;
        };
        let is_builtin = matches!(class, "Error" | "TypeError" | "RangeError");
        if !is_builtin || has_word(unit.bare(list), "cause") || named(list).len() != 1 {
            continue;
        }
        // After a spread the options would have no certain place.
        let is_spread = named(list).iter().any(|it| it.kind() == "spread_element");
        let binding = handler.binding.filter(|_| !is_spread);
        let edits = binding.map(|binding| {
            let last = named(list)
                .last()
                .map_or(list.end_byte() - 1, Node::end_byte);
            insert(last, format!(", {{ cause: {binding} }}"))
        });
        report.with_edits(raise.node, edits.into_iter().collect());
    }
}

/// `raise Problem(…)` in a handler, without `from`.
fn cause_python(unit: &Unit<'_>, report: &mut Report) {
    for raise in unit.raises() {
        let Some(handler) = unit.handler(raise.scope) else {
            continue;
        };
        let value = named(raise.node).into_iter().next();
        let has_cause = raise.node.child_by_field_name("cause").is_some();
        let Some(value) = value.filter(|it| it.kind() == "call" && !has_cause) else {
            continue;
        };
        if handler.scope.function != raise.scope.function {
            continue;
        }
        let edits = handler
            .binding
            .map(|binding| insert(value.end_byte(), format!(" from {binding}")));
        report.with_edits(raise.node, edits.into_iter().collect());
    }
}

/// `fmt.Errorf("…: %v", err)`
fn cause_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls().filter(|call| call.callee == "fmt.Errorf") {
        let all = arguments(call);
        let (Some(format), Some(last)) = (all.first(), all.last()) else {
            continue;
        };
        let text = unit.text(*format);
        let is_error = is_go_error(unit.text(*last));
        if all.len() < 2 || !is_error || text.contains("%w") {
            continue;
        }
        // The error is the last argument, so its verb is the last one.
        let Some(at) = text.rfind('%') else { continue };
        if text[at..].starts_with("%v") || text[at..].starts_with("%s") {
            let begin = format.start_byte() + at + 1;
            let edit = Edit {
                bytes: begin..begin + 1,
                text: "w".to_owned(),
            };
            report.with_edits(call.node, vec![edit]);
        }
    }
}

/// `throw "…"`
fn thrown_value(unit: &Unit<'_>, report: &mut Report) {
    for raise in unit.raises() {
        let value = named(raise.node).into_iter().next();
        if value.is_some_and(|it| {
            matches!(
                it.kind(),
                "string" | "template_string" | "object" | "number"
            )
        }) {
            report.at(raise.node);
        }
    }
}

/// `raise Exception(…)`
fn plain_exception(unit: &Unit<'_>, report: &mut Report) {
    for raise in unit.raises() {
        let value = named(raise.node)
            .into_iter()
            .next()
            .map_or("", |it| unit.text(it));
        if value.starts_with("Exception(")
            || value.starts_with("BaseException(")
            || value == "Exception"
        {
            report.at(raise.node);
        }
    }
}

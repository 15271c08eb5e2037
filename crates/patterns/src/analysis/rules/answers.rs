//! Failures that are answered as if there were none.

use tree_sitter::Node;

use super::common::{
    arguments, arguments_code, has_comment, is_lenient, is_log, only_parses, reads_files, tried,
};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Call, Handler, Scope, Unit, is_inside, named};
use crate::analysis::words::{has_word, last_name, mentions, parts_of_name};

rules! {
    "failure-returned-as-empty": "A failure is answered with an empty result", Error, Medium, Manual,
        see "failure-returned-as-success",
        "Return the failure: an agent takes an empty result for the truth and stops looking.",
        { TypeScript: empty_typescript, Python: empty_python, Go: empty_go, Rust: empty_rust }
    "failure-cached": "A failure is put into a cache", Warning, Low, Manual,
        see "do-not-cache-failures-beyond-advice",
        "Cache successes only, or keep a failure no longer than the wait that you advise.",
        { TypeScript: cached, Python: cached, Go: cached, Rust: cached }
}

/// The values that handlers return, with the handler.
fn returned<'u, 't>(
    unit: &'u Unit<'t>,
    kind: &'static str,
) -> impl Iterator<Item = (Node<'t>, &'u Handler<'t>)> {
    unit.of_kind(kind).filter_map(move |(node, scope)| {
        let handler = unit.handler(*scope)?;
        let is_its_function =
            handler.scope.function == scope.function || handler.node.kind().contains("function");
        let is_plain = is_its_function && handler.is_broad && !scope.in_test;
        // Nothing between the handler and the value asks which failure it was.
        let begin = handler.body.start_byte();
        let is_unconditional = scope.question.is_none_or(|question| question < begin);
        // A comment says why it is right.
        let is_harmless = only_parses(unit, handler)
            || reads_files(unit, handler)
            || has_comment(unit, handler)
            || is_lenient(unit, *scope)
            || !is_failure(unit, handler);
        (is_plain && is_unconditional && !is_harmless).then_some((*node, handler))
    })
}

/// Whether what is handled is a failure and not one of the outcomes: then it is logged.
fn is_failure<'t>(unit: &Unit<'t>, handler: &Handler<'t>) -> bool {
    if !matches!(unit.language, Language::TypeScript | Language::Python) {
        return true;
    }
    // What is noted in a list is told with the rest.
    let is_noted = |call: &Call<'_>| matches!(call.name, "push" | "append");
    if unit.calls_in(handler.body).any(is_noted) || completes(unit, handler.scope) {
        return false;
    }
    let is_logged = |call: &Call<'_>| {
        let is_minor = matches!(call.name, "print" | "debug" | "trace" | "info");
        let goes_on = mentions(
            unit.code(call.node),
            &["skip", "unavailable", "fallback", "falling back", "default"],
        );
        is_log(unit, call) && !is_minor && !goes_on
    };
    unit.calls_in(handler.body).any(is_logged)
}

/// Whether a function completes what a user types: nothing is a fair answer.
fn completes(unit: &Unit<'_>, scope: Scope) -> bool {
    let mut functions = unit.functions(scope);
    functions.any(|(_, function)| mentions(function.name, &["complete", "completion"]))
}

fn empty_typescript(unit: &Unit<'_>, report: &mut Report) {
    for (node, _) in returned(unit, "return_statement") {
        let value = named(node).first().map_or("", |value| unit.text(*value));
        if matches!(value, "[]" | "{}" | "\"\"" | "''" | "``") {
            report.at(node);
        }
    }
}

fn empty_python(unit: &Unit<'_>, report: &mut Report) {
    for (node, _) in returned(unit, "return_statement") {
        let value = named(node).first().map_or("", |value| unit.text(*value));
        if matches!(
            value,
            "[]" | "{}" | "\"\"" | "''" | "()" | "set()" | "dict()" | "list()"
        ) {
            report.at(node);
        }
    }
}

fn empty_go(unit: &Unit<'_>, report: &mut Report) {
    for (node, handler) in returned(unit, "return_statement") {
        let returns = unit.function(handler.scope).map_or("", |it| it.returns);
        let values = named(node)
            .first()
            .map(|list| named(*list))
            .unwrap_or_default();
        let is_empty = |value: &Node<'_>| {
            let text = unit.text(*value);
            text == "nil" || text == "\"\"" || text.ends_with("{}")
        };
        let ends_in_nil = values.last().is_some_and(|last| unit.text(*last) == "nil");
        if has_word(returns, "error")
            && values.len() > 1
            && ends_in_nil
            && values.iter().all(is_empty)
        {
            report.at(node);
        }
    }
}

fn empty_rust(unit: &Unit<'_>, report: &mut Report) {
    const EMPTY: &[&str] = &[
        "vec![]",
        "Vec::new()",
        "String::new()",
        "Default::default()",
        "HashMap::new()",
        "Vec::default()",
    ];
    for handler in unit.handlers() {
        let body = unit.text(handler.body);
        let body = body.trim_matches(|letter: char| {
            letter.is_whitespace() || matches!(letter, '{' | '}' | ';')
        });
        let body = body.strip_prefix("return ").unwrap_or(body);
        let inner = body
            .strip_prefix("Ok(")
            .and_then(|body| body.strip_suffix(')'));
        if !handler.scope.in_test && handler.is_broad && EMPTY.contains(&inner.unwrap_or(body)) {
            report.at(handler.node);
        }
    }
}

fn cached(unit: &Unit<'_>, report: &mut Report) {
    let stores = [
        "set", "put", "store", "insert", "Set", "Put", "Add", "setex", "setItem", "save", "add",
    ];
    for call in unit.calls() {
        let in_cache = mentions(last_name(call.receiver), &["cache"]);
        let expires = mentions(arguments_code(unit, call), &["ttl", "expire", "negative"])
            || arguments(call).len() > 2;
        let is_store =
            in_cache && stores.contains(&call.name) && arguments(call).len() > 1 && !expires;
        let value = arguments(call).last().map_or("", |it| unit.text(*it));
        let is_store = is_store && is_no_success(value);
        if is_store && !call.scope.in_test && is_directly_handled(unit, call.scope, call.node) {
            report.at(call.node);
        }
    }
    if unit.language == Language::Python {
        for (node, scope) in unit.of_kind("assignment") {
            let left = node.child_by_field_name("left");
            let left = left
                .filter(|left| left.kind() == "subscript")
                .map_or("", |left| unit.text(left));
            let place = left.split('[').next().unwrap_or_default();
            let value = node
                .child_by_field_name("right")
                .map_or("", |it| unit.text(it));
            let parts = parts_of_name(last_name(place));
            if parts.last().is_some_and(|part| part == "cache")
                && is_no_success(value)
                && !mentions(value, &["ttl", "expire", "negative"])
                && is_directly_handled(unit, *scope, *node)
            {
                report.at(*node);
            }
        }
    }
}

/// Whether a value stands for a failure, and is not what a second way found.
fn is_no_success(value: &str) -> bool {
    matches!(value, "{}" | "[]" | "\"\"" | "''")
        || value.ends_with("{}")
        || mentions(
            value,
            &[
                "err",
                "fail",
                "null",
                "none",
                "nil",
                "undefined",
                "empty",
                "false",
            ],
        )
}

/// Whether the failure can be another one a moment later: another machine was asked, or it is logged.
fn can_pass<'t>(unit: &Unit<'t>, handler: &Handler<'t>) -> bool {
    let Some(body) = tried(unit, handler) else {
        return true;
    };
    has_word(unit.bare(body), "await")
        || unit.calls_in(body).any(|call| call.is_request)
        || unit.calls_in(handler.body).any(|call| is_log(unit, call))
}

fn is_directly_handled(unit: &Unit<'_>, scope: Scope, node: Node<'_>) -> bool {
    // A handler that asks which failure it was may keep an answer that stays the same.
    unit.handler(scope).is_some_and(|handler| {
        let asks = scope.question >= Some(handler.body.start_byte());
        is_inside(node, handler.body)
            && !asks
            && !has_comment(unit, handler)
            && can_pass(unit, handler)
    })
}

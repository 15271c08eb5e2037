//! Failures that vanish: caught and forgotten, or turned into an answer.

use tree_sitter::Node;

use super::common::{arguments, arguments_code, last_name};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{
    Handler, Scope, Unit, has_word, is_inside, mentions, named, names_in, parts_of_name,
};

rules! {
    "swallowed-error": "A handler that does nothing hides the failure", Error, High, Manual,
        see "swallowed-error",
        "Return the failure, or say in a comment why it does not matter here.",
        { TypeScript: swallowed, Python: swallowed, Go: swallowed, Rust: swallowed }
    "ignored-failure": "The outcome of a fallible call is thrown away", Warning, High, Manual,
        see "swallowed-error",
        "Handle the failure, or say in a comment why it does not matter here.",
        { TypeScript: ignored_typescript, Go: ignored_go, Rust: ignored_rust }
    "failure-returned-as-empty": "A failure is answered with an empty result", Error, Medium, Manual,
        see "failure-returned-as-success",
        "Return the failure: an agent takes an empty result for the truth and stops looking.",
        { TypeScript: empty_typescript, Python: empty_python, Go: empty_go, Rust: empty_rust }
    "mock-data-on-failure": "A failure is answered with invented data", Error, High, Manual,
        see "never-invent-a-default",
        "Return the failure; invented data is indistinguishable from real data for an agent.",
        { TypeScript: mock_data, Python: mock_data, Go: mock_data, Rust: mock_data }
    "failure-cached": "A failure is put into a cache", Warning, Medium, Manual,
        see "do-not-cache-failures-beyond-advice",
        "Cache successes only, or keep a failure no longer than the wait that you advise.",
        { TypeScript: cached, Python: cached, Go: cached, Rust: cached }
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
];

/// Whether everything that was tried is cleaning up.
fn only_cleans_up<'t>(unit: &Unit<'t>, tried: Node<'t>) -> bool {
    let mut calls = unit.calls_in(tried).peekable();
    calls.peek().is_some()
        && calls.all(|call| {
            CLEANUP.contains(&call.name)
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
    let tries = unit.of_kind("try_statement");
    for handler in unit.handlers.iter().filter(is_statement) {
        if handler.scope.in_test || !handler.is_broad || !is_silent(unit, handler.body) {
            continue;
        }
        let tried = tries
            .iter()
            .map(|(node, _)| *node)
            .rfind(|node| is_inside(handler.node, *node));
        let tried = tried.and_then(|node| node.child_by_field_name("body"));
        let has_reason = comment_follows(unit, handler);
        if !has_reason && !tried.is_some_and(|tried| only_cleans_up(unit, tried)) {
            report.at(handler.node);
        }
    }
}

/// A comment on the line where the handler ends. Python has comments after `pass` outside the
/// block.
fn comment_follows(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    let end = handler.node.end_position().row;
    let begin = handler.node.start_position().row;
    unit.comments
        .iter()
        .any(|comment| (begin..=end).contains(&comment.start_position().row))
}

/// `promise.catch(() => {})`
fn ignored_typescript(unit: &Unit<'_>, report: &mut Report) {
    for handler in &unit.handlers {
        if handler.node.kind() != "catch_clause"
            && handler.body.kind() == "statement_block"
            && is_silent(unit, handler.body)
        {
            let call = unit
                .calls
                .iter()
                .filter(|call| call.name == "catch")
                .rfind(|call| call.arguments.is_some_and(|it| is_inside(handler.node, it)));
            // A promise that was kept in a variable is awaited elsewhere; reports about failures may
            // fail themselves.
            let is_harmless = call.is_none_or(|call| {
                CLEANUP.iter().any(|name| has_word(call.receiver, name))
                    || !call.receiver.ends_with(')')
                    || mentions(
                        call.receiver,
                        &[
                            "capture",
                            "track",
                            "analytics",
                            "telemetry",
                            "log",
                            "report",
                        ],
                    )
            });
            if !is_harmless {
                report.at(handler.node);
            }
        }
    }
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
            if drops_error && is_fallible {
                report.at(*node);
            }
        }
    }
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

/// The values that handlers return, with the handler.
fn returned<'u, 't>(
    unit: &'u Unit<'t>,
    kind: &'static str,
) -> impl Iterator<Item = (Node<'t>, &'u Handler<'t>)> {
    unit.of_kind(kind).iter().filter_map(|(node, scope)| {
        let handler = unit.handler(*scope)?;
        let is_its_function =
            handler.scope.function == scope.function || handler.node.kind().contains("function");
        let is_plain = is_its_function && handler.is_broad && !scope.in_test;
        (is_plain && is_unconditional(*node, handler) && !reads_files(unit, handler))
            .then_some((*node, handler))
    })
}

/// Whether nothing between the handler and the node asks which failure it was.
fn is_unconditional(node: Node<'_>, handler: &Handler<'_>) -> bool {
    let mut next = node.parent();
    while let Some(parent) = next.filter(|it| is_inside(*it, handler.body)) {
        if matches!(
            parent.kind(),
            "if_statement" | "switch_statement" | "match_statement"
        ) {
            return false;
        }
        next = parent.parent();
    }
    true
}

/// Whether what was tried reads local files: one that is not there is empty in truth.
fn reads_files(unit: &Unit<'_>, handler: &Handler<'_>) -> bool {
    const READS: &[&str] = &[
        "readFile",
        "readFileSync",
        "access",
        "accessSync",
        "stat",
        "readdir",
        "readdirSync",
        "open",
        "listdir",
        "read_text",
        "iterdir",
        "scandir",
    ];
    let tries = unit.of_kind("try_statement").iter();
    let tried = tries
        .map(|(node, _)| *node)
        .rfind(|node| is_inside(handler.node, *node));
    let body = tried.and_then(|node| node.child_by_field_name("body"));
    body.is_some_and(|body| unit.calls_in(body).any(|call| READS.contains(&call.name)))
}

fn empty_typescript(unit: &Unit<'_>, report: &mut Report) {
    for (node, _) in returned(unit, "return_statement") {
        let value = named(node).first().map_or("", |value| unit.text(*value));
        if matches!(value, "[]" | "{}" | "\"\"" | "''" | "``") {
            report.at(node);
        }
    }
    for handler in unit
        .handlers
        .iter()
        .filter(|it| it.node.kind() == "arrow_function")
    {
        if matches!(unit.text(handler.body), "[]" | "({})" | "\"\"" | "''") {
            report.at(handler.node);
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
    for handler in &unit.handlers {
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

fn mock_data(unit: &Unit<'_>, report: &mut Report) {
    for handler in &unit.handlers {
        let is_mock = |name: &str| {
            let parts = parts_of_name(name);
            let has = |word: &str| parts.iter().any(|part| part == word);
            has("mock")
                || has("dummy")
                || has("fake")
                || (has("sample") && (has("data") || has("results")))
        };
        let returns = unit.calls_in(handler.body).next().is_some()
            || has_word(unit.bare(handler.body), "return");
        if !handler.scope.in_test && returns && names_in(unit.bare(handler.body)).any(is_mock) {
            report.at(handler.node);
        }
    }
}

fn cached(unit: &Unit<'_>, report: &mut Report) {
    let stores = [
        "set", "put", "store", "insert", "Set", "Put", "Add", "setex", "setItem", "save", "add",
    ];
    for call in &unit.calls {
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
            if mentions(last_name(place), &["cache"])
                && is_no_success(value)
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

fn is_directly_handled(unit: &Unit<'_>, scope: Scope, node: Node<'_>) -> bool {
    unit.handler(scope)
        .is_some_and(|handler| is_inside(node, handler.body))
}

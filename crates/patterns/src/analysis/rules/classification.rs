//! Failures that are told apart by their words, or not told apart at all.

use tree_sitter::Node;

use super::common::{PerFrame, arguments, is_errorish};
use super::{Report, insert, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Scope, Unit, named};
use crate::analysis::words::{has_any_word, has_word, mentions, names_in, parts_of_name};

rules! {
    "classified-by-message": "A failure is classified by words in its message", Error, High, Manual,
        see "classify-by-type-not-by-text",
        "Decide by type, status or machine code; the words of a message change without notice.",
        { TypeScript: words_typescript, Python: words_python, Go: words_go, Rust: words_rust }
    "message-compared": "An error message is compared with a string", Error, High, Manual,
        see "classify-by-type-not-by-text",
        "Compare types or codes instead.",
        { TypeScript: compared, Python: compared, Go: compared, Rust: compared }
    "bare-except": "A bare except also catches cancellation and interrupts", Error, High, SafeCodemod,
        see "cancelled-is-not-a-timeout",
        "Catch Exception, or better the exceptions that the call can raise.",
        { Python: bare_except }
    "status-not-checked": "A response is read without looking at its status", Error, Medium, Assisted,
        see "upstream-status-to-kind",
        "Check the status before reading the body: an error page is not the answer.",
        { TypeScript: status, Python: status, Go: status, Rust: status }
}

/// `error.message.includes("…")`
fn words_typescript(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let asks = matches!(
            call.name,
            "includes" | "startsWith" | "endsWith" | "indexOf" | "match"
        );
        let of_message = mentions(call.receiver, &[".message", "message", "string("])
            && is_message_expression(call.receiver);
        let is_literal = arguments(call)
            .first()
            .is_some_and(|it| matches!(it.kind(), "string" | "regex"));
        if asks && of_message && is_literal {
            report.at(call.node);
        }
    }
}

/// `error.message`, `String(error)`, `errorMessage`, also in lower case.
fn is_message_expression(text: &str) -> bool {
    let text = text
        .trim_end_matches("()")
        .trim_end_matches(".toLowerCase")
        .trim_end_matches(".lower")
        .trim_end_matches(".to_lowercase")
        .trim_end_matches(['?', '.']);
    let is_name = names_in(text).count() == 1 && {
        let parts = parts_of_name(text);
        let has = |words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
        has(&["err", "error", "exception", "exc"])
            && has(&["message", "msg", "str", "text", "string"])
    };
    let is_member = text.ends_with(".message") && is_errorish(text);
    // `String(error.code)` is a code.
    let of_field = text.contains('(') && text.contains(['.', '[']) && !text.contains(".message");
    let is_converted = (text.starts_with("String(") || text.starts_with("str("))
        && text.ends_with([')'])
        && !of_field
        && is_errorish(&text[3..]);
    let is_converted_open = (text.starts_with("String(") || text.starts_with("str("))
        && !of_field
        && is_errorish(&text[3..]);
    let is_method = (text.ends_with(".Error()")
        || text.ends_with(".Error")
        || text.ends_with(".to_string()")
        || text.ends_with(".to_string"))
        && is_errorish(text);
    is_name || is_member || is_converted || is_converted_open || is_method
}

/// `"…" in str(error)`
fn words_python(unit: &Unit<'_>, report: &mut Report) {
    for (node, scope) in unit.of_kind("comparison_operator") {
        let sides = named(*node);
        let (Some(left), Some(right)) = (sides.first(), sides.get(1)) else {
            continue;
        };
        let between = unit.bare_between(left.end_byte()..right.start_byte());
        if has_word(between, "in")
            && left.kind() == "string"
            && is_message_expression(unit.text(*right))
            && !scope.in_test
        {
            report.at(*node);
        }
    }
    for call in unit.calls() {
        let asks = matches!(call.name, "startswith" | "endswith" | "find");
        if asks && call.receiver.starts_with("str(") && is_message_expression(call.receiver) {
            report.at(call.node);
        }
    }
}

/// `strings.Contains(err.Error(), "…")`
fn words_go(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let asks = matches!(
            call.callee,
            "strings.Contains" | "strings.HasPrefix" | "strings.HasSuffix"
        );
        let first = arguments(call).first().map_or("", |it| unit.text(*it));
        let first = first.strip_prefix("strings.ToLower(").unwrap_or(first);
        if asks && first.trim_end_matches(')').ends_with(".Error(") {
            report.at(call.node);
        }
    }
}

/// `error.to_string().contains("…")`
fn words_rust(unit: &Unit<'_>, report: &mut Report) {
    for call in unit.calls() {
        let asks = matches!(call.name, "contains" | "starts_with" | "ends_with");
        if asks
            && !call.scope.in_test
            && call.receiver.contains(".to_string()")
            && is_message_expression(call.receiver)
        {
            report.at(call.node);
        }
    }
}

fn compared(unit: &Unit<'_>, report: &mut Report) {
    let kind = match unit.language {
        Language::Python => "comparison_operator",
        _ => "binary_expression",
    };
    for (node, scope) in unit.of_kind(kind) {
        let sides = named(*node);
        let (Some(left), Some(right)) = (sides.first(), sides.get(1)) else {
            continue;
        };
        let operator = unit
            .bare_between(left.end_byte()..right.start_byte())
            .trim();
        let is_equality = matches!(operator, "==" | "===" | "!=" | "!==");
        // Whether there is a message is a fair question.
        let is_literal =
            |node: &Node<'_>| node.kind().contains("string") && unit.text(*node).len() > 2;
        let is_message = |node: &Node<'_>| {
            let text = unit.text(*node);
            // A plain name may hold a message that this program made itself.
            text.contains(['.', '(']) && !text.starts_with("typeof") && is_message_expression(text)
        };
        let matches =
            || (is_literal(right) && is_message(left)) || (is_literal(left) && is_message(right));
        if is_equality && !scope.in_test && matches() {
            report.at(*node);
        }
    }
}

fn bare_except(unit: &Unit<'_>, report: &mut Report) {
    for handler in unit.handlers() {
        let text = unit.text(handler.node);
        let is_bare = text
            .strip_prefix("except")
            .is_some_and(|rest| rest.trim_start().starts_with(':'));
        // Cleaning up after everything and raising it again is what a bare one is for.
        let raises_again = text.trim_end().lines().next_back().map(str::trim) == Some("raise");
        if is_bare && !raises_again {
            let at = handler.node.start_byte() + "except".len();
            report.with_edits(handler.node, vec![insert(at, " Exception")]);
        }
    }
}

/// Whether a function that sees to failures is given the response: `await throwIfFailed(response)`.
fn hands_on_response(unit: &Unit<'_>, scope: Scope) -> bool {
    const SEES_TO: &[&str] = &[
        "handle", "check", "assert", "ensure", "validate", "verify", "throw", "raise", "expect",
        "parse", "process",
    ];
    let Some(function) = unit.frame(scope) else {
        return false;
    };
    unit.calls_in(function.node).any(|call| {
        let parts = parts_of_name(call.name);
        parts.iter().any(|part| SEES_TO.contains(&part.as_str()))
            && arguments(call).iter().any(|it| {
                it.kind() == "identifier" && {
                    let parts = parts_of_name(unit.text(*it));
                    let last = parts.last().map(String::as_str);
                    matches!(last, Some("response" | "resp" | "res" | "reply"))
                }
            })
    })
}

fn status(unit: &Unit<'_>, report: &mut Report) {
    let (checks, reads): (&[&str], &[&str]) = match unit.language {
        Language::TypeScript => (
            &[
                "ok",
                "status",
                "statusCode",
                "statusText",
                "ensureOk",
                "assertOk",
            ],
            &[".json()", ".text()", ".arrayBuffer()"],
        ),
        Language::Python => (
            &[
                "raise_for_status",
                "status_code",
                "status",
                "ok",
                "is_success",
                "is_error",
                "urlopen",
                "event_hooks",
            ],
            &[".json()", ".text", ".content"],
        ),
        Language::Go => (
            &["StatusCode", "Status"],
            &["ReadAll(", "NewDecoder(", "Scanner("],
        ),
        Language::Rust => (
            &["status", "error_for_status", "StatusCode"],
            &[".json", ".text()", ".bytes()"],
        ),
    };
    let mut is_unchecked = PerFrame::default();
    for call in unit.calls().filter(|call| call.is_request) {
        // Axios raises by itself; only fetch does not.
        if unit.language == Language::TypeScript
            && !matches!(call.callee, "fetch" | "globalThis.fetch")
        {
            continue;
        }
        let is_unchecked = is_unchecked.of(unit, call.scope, |frame| {
            let is_read = reads.iter().any(|read| frame.contains(read));
            is_read && !has_any_word(frame, checks) && !hands_on_response(unit, call.scope)
        });
        if is_unchecked && !call.scope.in_test && unit.frame(call.scope).is_some() {
            report.at(call.node);
        }
    }
}

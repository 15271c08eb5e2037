//! Failures that are told apart by their words, or not told apart at all.

use tree_sitter::Node;

use super::common::{arguments, go_imports, is_errorish, is_go_error, is_request};
use super::{Report, insert, rules};
use crate::analysis::Language;
use crate::analysis::finding::Edit;
use crate::analysis::unit::{
    Unit, has_any_word, has_word, mentions, named, names_in, parts_of_name,
};

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
    "error-compared-by-identity": "An error is compared with ==, which misses wrapped errors", Warning, High, SafeCodemod,
        see "keep-the-cause-chain",
        "Use errors.Is, which also finds a wrapped error.",
        { Go: compared_by_identity }
    "error-type-asserted": "A type assertion on an error misses wrapped errors", Warning, High, Assisted,
        see "keep-the-cause-chain",
        "Use errors.As, which also finds a wrapped error.",
        { Go: type_asserted }
    "status-not-checked": "A response is read without looking at its status", Error, Medium, Assisted,
        see "upstream-status-to-kind",
        "Check the status before reading the body: an error page is not the answer.",
        { TypeScript: status, Python: status, Go: status, Rust: status }
    "cause-dropped": "A new error is raised without the one that caused it", Warning, High, SafeCodemod,
        see "keep-the-cause-chain",
        "Pass the cause on: { cause } in JavaScript, from in Python, %w in Go.",
        { TypeScript: cause_typescript, Python: cause_python, Go: cause_go }
    "untyped-error": "A failure is raised as a plain Exception or a string", Warning, High, Manual,
        see "closed-set-of-kinds",
        "Raise a type that says what kind of failure it is, so that callers need not read its words.",
        { TypeScript: thrown_value, Python: plain_exception }
}

/// `error.message.includes("…")`
fn words_typescript(unit: &Unit<'_>, report: &mut Report) {
    for call in &unit.calls {
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
    let is_converted = (text.starts_with("String(") || text.starts_with("str("))
        && text.ends_with([')'])
        && is_errorish(&text[3..]);
    let is_converted_open =
        (text.starts_with("String(") || text.starts_with("str(")) && is_errorish(&text[3..]);
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
    for call in &unit.calls {
        let asks = matches!(call.name, "startswith" | "endswith" | "find");
        if asks && call.receiver.starts_with("str(") && is_message_expression(call.receiver) {
            report.at(call.node);
        }
    }
}

/// `strings.Contains(err.Error(), "…")`
fn words_go(unit: &Unit<'_>, report: &mut Report) {
    for call in &unit.calls {
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
    for call in &unit.calls {
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
        let is_literal = |node: &Node<'_>| node.kind().contains("string");
        let is_message = |node: &Node<'_>| {
            let text = unit.text(*node);
            // A plain name may hold a message that this program made itself.
            text.contains(['.', '(']) && !text.starts_with("typeof") && is_message_expression(text)
        };
        let matches =
            (is_message(left) && is_literal(right)) || (is_literal(left) && is_message(right));
        if is_equality && matches && !scope.in_test {
            report.at(*node);
        }
    }
}

fn bare_except(unit: &Unit<'_>, report: &mut Report) {
    for handler in &unit.handlers {
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

fn compared_by_identity(unit: &Unit<'_>, report: &mut Report) {
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
        let edits = if go_imports(unit, "errors") {
            vec![edit]
        } else {
            Vec::new()
        };
        report.with_edits(*node, edits);
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
    for call in unit.calls.iter().filter(|call| is_request(unit, call)) {
        // Axios raises by itself; only fetch does not.
        if unit.language == Language::TypeScript
            && !matches!(call.callee, "fetch" | "globalThis.fetch")
        {
            continue;
        }
        let frame = unit.frame_code(call.scope);
        let is_read = reads.iter().any(|read| frame.contains(read));
        let is_checked = has_any_word(frame, checks)
            || mentions(
                frame,
                &[
                    "check_response",
                    "checkresponse",
                    "handle_response",
                    "handleresponse",
                    "validateresponse",
                ],
            );
        if is_read && !is_checked && !call.scope.in_test && unit.frame(call.scope).is_some() {
            report.at(call.node);
        }
    }
}

/// `throw new Error("…")` in a handler.
fn cause_typescript(unit: &Unit<'_>, report: &mut Report) {
    for raise in &unit.raises {
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
    for raise in &unit.raises {
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
    for call in unit.calls.iter().filter(|call| call.callee == "fmt.Errorf") {
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
    for raise in &unit.raises {
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
    for raise in &unit.raises {
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

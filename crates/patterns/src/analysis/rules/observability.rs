//! Logs that say too little or the same twice.

use std::collections::HashSet;

use super::common::{
    arguments, derived_names, has_comment, is_log, mentions_name, only_parses, reads_files, tried,
};
use super::{Report, rules};
use crate::analysis::Language;
use crate::analysis::unit::{Unit, is_inside, named};
use crate::analysis::words::{has_word, mentions};

rules! {
    "cause-missing-in-log": "A failure is logged without its cause", Warning, Medium, Assisted,
        see "keep-the-cause-chain",
        "Log the error itself as a field, so that the operator can find the cause.",
        { TypeScript: without_cause, Python: without_cause, Go: without_cause, Rust: without_cause }
    "logged-and-rethrown": "A failure is logged here and handed up to be logged again", Warning, Medium, Manual,
        see "log-once-at-the-edge",
        "Log where the failure is answered; on the way there, only add facts to it.",
        { TypeScript: rethrown, Python: rethrown, Go: rethrown }
}

/// Words of messages that leave no question about the cause.
const CAUSES: &[&str] = &[
    "timed out",
    "timeout",
    "not set",
    "not found",
    "invalid",
    "not valid",
];

/// A handler whose only word about the failure is a fixed text in the log.
fn without_cause(unit: &Unit<'_>, report: &mut Report) {
    for handler in unit
        .handlers()
        .filter(|it| it.is_broad && !it.scope.in_test)
    {
        let logs: Vec<_> = unit
            .calls_in(handler.body)
            .filter(|call| is_log(unit, call))
            .collect();
        let Some(first) = logs.first() else {
            continue;
        };
        // The level of a log is called like an error too.
        let body = unit
            .text(handler.body)
            .replace(".error(", "(")
            .replace("error!", "");
        let names = match handler.binding {
            Some(binding) => derived_names(unit, handler.body, binding),
            None => HashSet::new(),
        };
        let uses_error = mentions_name(&body, &names);
        let has_trace = ["exc_info", ".exception(", "traceback", "stack_info"]
            .iter()
            .any(|word| body.contains(word));
        let hands_on = has_word(unit.bare(handler.body), "raise")
            || has_word(unit.bare(handler.body), "throw");
        let is_failure_log = !matches!(
            first.name,
            "debug" | "trace" | "Debug" | "info" | "Info" | "print" | "println"
        ) && first.callee != "console.log";
        // A handler of a nested failure has its own turn.
        let is_own = unit
            .handler(first.scope)
            .is_some_and(|it| it.node.byte_range() == handler.node.byte_range());
        // What is logged after a second try is its outcome; what a comment explains is known.
        let second_try = unit.around("try_statement", first.node);
        let is_second = second_try.is_some_and(|it| is_inside(it, handler.body));
        // Nothing can be said of a log that cannot be written; some words are the cause.
        let logs_only = tried(unit, handler)
            .and_then(|body| unit.calls_in(body).next())
            .is_some_and(|call| is_log(unit, call));
        // A text that is no JSON and a module that is not installed have no further cause.
        let is_plain = tried(unit, handler).is_some_and(|body| {
            let code = unit.bare(body);
            code.contains("import(") || has_word(code, "import")
        }) || only_parses(unit, handler)
            || unit.bare(handler.body).contains("exit(");
        let says_cause = mentions(unit.text(first.node), CAUSES);
        let is_known = is_second
            || logs_only
            || is_plain
            || says_cause
            || has_comment(unit, handler)
            || reads_files(unit, handler);
        if !uses_error
            && !is_known
            && !has_trace
            && !hands_on
            && is_failure_log
            && is_own
            && !arguments(first).is_empty() | (unit.language == Language::Rust)
        {
            report.at(first.node);
        }
    }
}

fn rethrown(unit: &Unit<'_>, report: &mut Report) {
    for handler in unit.handlers().filter(|it| !it.scope.in_test) {
        let own: Vec<_> = named(handler.body);
        let statements: Vec<_> = match unit.language {
            Language::Go => {
                let list = own.iter().find(|it| it.kind() == "statement_list");
                list.map(|list| named(*list)).unwrap_or_default()
            }
            _ => own,
        };
        let statements: Vec<_> = statements
            .into_iter()
            .filter(|it| !it.kind().ends_with("comment"))
            .collect();
        let [log, last] = statements.as_slice() else {
            continue;
        };
        let Some(binding) = handler.binding else {
            continue;
        };
        let is_logged = unit.calls_in(*log).any(|call| {
            is_log(unit, call)
                && log.byte_range().len() <= call.node.byte_range().len() + 2
                && has_word(unit.code(call.node), binding)
        });
        let text = unit.code(*last).trim_end_matches(';');
        let is_handed_on = match unit.language {
            Language::TypeScript => text == format!("throw {binding}"),
            Language::Python => text == "raise" || text == format!("raise {binding}"),
            _ => text.starts_with("return") && text.ends_with(binding),
        };
        if is_logged && is_handed_on {
            report.at(*log);
        }
    }
}

//! `code`: `{"error":{"code","message"}}`, exactly these keys, as the web tools of devkit-pi.

use serde_json::json;

use super::{Context, Reply, message, with_example, with_unknown_arguments};
use crate::codes::Surface;
use crate::fault::Fault;
use crate::problem::{Issue, Problem};

pub(super) const COMPATIBLE_WITH: &str =
    "The format of devkit-pi's web tools: a code and a message, no other keys.";

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let message = with_unknown_arguments(message(fault, context), fault);
    let value = json!({"error": {"code": code(fault, context.surface), "message": with_example(message, fault)}});
    Reply::of_text(value.to_string(), value)
}

/// The row's code, except that a search without a query has a code of its own.
fn code(fault: &Fault, surface: Surface) -> &'static str {
    if surface == Surface::Search && fault.seen_problems().iter().any(is_blank_query) {
        return "WEB_SEARCH_INVALID_QUERY";
    }
    fault.row().codes.on(surface)
}

fn is_blank_query(problem: &Problem) -> bool {
    matches!(problem.field.as_str(), "query" | "queries")
        && matches!(problem.issue, Issue::Required | Issue::Blank)
}

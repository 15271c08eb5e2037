//! `agent`: what an embedded agent's tool returns instead of a result, as in sentry-mcp.

use serde_json::json;

use super::{Context, Reply, with_api_status, with_example, with_notes, with_unknown_arguments};
use crate::catalogue::AgentPrefix;
use crate::fault::Fault;
use crate::kind::Origin;
use crate::remedy::in_words;
use crate::text::Say;

pub(super) const COMPATIBLE_WITH: &str = "The format of the tools inside sentry-mcp's embedded agents: one key, `error` or `result`, never both.";

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let value = json!({"error": line(fault, context)});
    Reply::of_text(value.to_string(), value)
}

/// `PREFIX: MESSAGE.[ Event ID: ID.][ TAIL]`
fn line(fault: &Fault, context: &Context<'_>) -> Say {
    let message = with_example(
        with_unknown_arguments(with_notes(with_api_status(fault), fault, context), fault),
        fault,
    );
    let event = fault
        .event()
        .map(|id| format!(" Event ID: {id}."))
        .unwrap_or_default();
    let closed = message.as_str().trim_end_matches('.');
    let tail = tail(fault).map(|tail| format!(" {tail}"));
    Say::assembled(format!(
        "{}: {closed}.{event}{}",
        prefix(fault),
        tail.unwrap_or_default()
    ))
}

/// A provider's 4xx is the caller's, as in sentry-mcp. A page's is not: no argument changes it.
fn is_server_side(fault: &Fault) -> bool {
    fault.row().agent_prefix == AgentPrefix::Server
        && (fault.origin() == Origin::Page
            || fault.seen_status().is_none_or(|status| status >= 500))
}

fn prefix(fault: &Fault) -> String {
    match (fault.row().agent_prefix, fault.seen_status()) {
        (AgentPrefix::Configuration, _) => "Configuration Error".to_owned(),
        _ if !is_server_side(fault) => "Input Error".to_owned(),
        (_, Some(status)) if status >= 400 => format!("Server Error ({status})"),
        (_, _) => "Server Error".to_owned(),
    }
}

/// The last sentence: whether a retry can help. Most sentences have said it.
fn tail(fault: &Fault) -> Option<String> {
    if fault.says_whether_to_retry() {
        return None;
    }
    Some(match fault.advice().seconds() {
        None if fault.is_stopped() => "Do not make this call again.".to_owned(),
        Some(0) => "The same call may succeed now.".to_owned(),
        Some(seconds) => format!("The same call may succeed after {}.", in_words(seconds)),
        None if is_server_side(fault) => {
            "This is a system error that cannot be resolved by retrying.".to_owned()
        }
        None if fault.row().correctable => {
            "You may be able to resolve this by addressing the concern and trying again.".to_owned()
        }
        None => "Trying the same call again does not help.".to_owned(),
    })
}

//! RFC 9457 problem details, for the HTTP layer.

use serde::Serialize;
use serde_json::json;

use super::{Block, Context, Reply, message, with_example};
use crate::fault::Fault;
use crate::id::EventId;
use crate::kind::{Action, Kind};
use crate::remedy::{NextCall, RecoveryHint};
use crate::slot::ProviderId;
use crate::text::{Quoted, Say};

pub(super) const COMPATIBLE_WITH: &str = "RFC 9457 problem details (`application/problem+json`), for clients that speak HTTP rather than MCP.";

/// The members after `detail` and `instance` are extensions, with the names of the `dual` dialect.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProblemDetails<'f> {
    r#type: String,
    title: Say,
    status: u16,
    detail: Say,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    retryable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u64>,
    suggested_action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<ProviderId>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    alternatives: &'f [ProviderId],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unknown_arguments: &'f [Quoted],
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_hint: Option<RecoveryHint>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    next_calls: &'f [NextCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<&'f EventId>,
}

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let problem = ProblemDetails {
        r#type: format!("urn:fingerpost:fault:{}", fault.row().anchor()),
        title: title(fault),
        status: fault.row().http_status,
        detail: detail(fault, context),
        instance: fault
            .seen_request()
            .map(|id| format!("urn:fingerpost:call:{id}")),
        kind: fault.kind(),
        reason: fault.reason(),
        retryable: fault.advice().is_possible(),
        retry_after_seconds: fault.advice().seconds(),
        suggested_action: fault.action(),
        provider: fault.seen_provider(),
        alternatives: fault.usable_alternatives(),
        unknown_arguments: fault.seen_unknown_arguments(),
        recovery_hint: fault.hint(),
        next_calls: fault.calls(),
        event_id: fault.event(),
    };
    let text = serde_json::to_string(&problem)
        .expect("strings, numbers and maps with string keys always serialise");
    Reply {
        blocks: vec![Block {
            text,
            mime: Some("application/problem+json"),
        }],
        structured: Some(json!(problem)),
        is_error: true,
    }
}

/// The sentence. A next call has a member of its own.
fn detail(fault: &Fault, context: &Context<'_>) -> Say {
    let message = message(fault, context);
    match fault.calls() {
        [] => with_example(message, fault),
        _ => message,
    }
}

/// The kind in words. The RFC requires the same title for every occurrence.
fn title(fault: &Fault) -> Say {
    Say::assembled(fault.kind().as_str().replace('_', " ")).capitalised()
}

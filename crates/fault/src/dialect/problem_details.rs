//! RFC 9457 problem details, for the HTTP layer.

use serde::Serialize;
use serde_json::json;

use super::{Block, Context, Reply, message, with_example};
use crate::fault::Fault;
use crate::kind::{Action, Kind};
use crate::text::Say;

pub(super) const COMPATIBLE_WITH: &str = "RFC 9457 problem details (`application/problem+json`), for clients that speak HTTP rather than MCP.";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProblemDetails {
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
}

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let problem = ProblemDetails {
        r#type: format!("urn:fingerpost:fault:{}", fault.row().anchor()),
        title: title(fault),
        status: fault.row().http_status,
        detail: with_example(message(fault, context), fault),
        instance: fault
            .seen_request()
            .map(|id| format!("urn:fingerpost:call:{id}")),
        kind: fault.kind(),
        reason: fault.reason(),
        retryable: fault.advice().is_possible(),
        retry_after_seconds: fault.advice().seconds(),
        suggested_action: fault.action(),
    };
    let text = serde_json::to_string(&problem).expect("strings and numbers always serialise");
    Reply {
        blocks: vec![Block {
            text,
            mime: Some("application/problem+json"),
        }],
        structured: Some(json!(problem)),
        is_error: true,
    }
}

/// The kind in words. The RFC requires the same title for every occurrence.
fn title(fault: &Fault) -> Say {
    Say::assembled(fault.kind().as_str().replace('_', " ")).capitalised()
}

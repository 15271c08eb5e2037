//! `dual`: a sentence for readers, a blank line, a JSON object for programs, as in
//! web-researcher-mcp.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Context, Reply, until_stopped, with_closing_notes, with_example};
use crate::fault::Fault;
use crate::id::{EventId, RequestId};
use crate::kind::{Action, Kind};
use crate::page_outcome::UNTRUSTED_TEXTS;
use crate::remedy::{NextCall, RecoveryHint};
use crate::slot::ProviderId;
use crate::text::{Quoted, Say};

pub(super) const COMPATIBLE_WITH: &str = "The format of web-researcher-mcp: a sentence for the model, a blank line, one JSON object for programs.";

/// The machine form. The original format defines the order of the fields; fields without a value
/// are left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MachineForm<'f> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Say>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unknown_arguments: &'f [Quoted],
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_hint: Option<RecoveryHint>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    next_calls: &'f [NextCall],
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'f RequestId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<&'f EventId>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'f> {
    error: MachineForm<'f>,
    /// The rest is for calls that were to read several pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    untrusted: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scrape_failures: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_results: Vec<Value>,
}

fn envelope(fault: &Fault) -> Envelope<'_> {
    Envelope {
        error: MachineForm {
            kind: fault.kind(),
            reason: fault.reason(),
            retryable: fault.advice().is_possible(),
            retry_after_seconds: fault.advice().seconds(),
            suggested_action: fault.action(),
            provider: fault.seen_provider(),
            alternatives: fault.usable_alternatives(),
            detail: fault.facts_line(),
            unknown_arguments: fault.seen_unknown_arguments(),
            recovery_hint: fault.hint(),
            next_calls: fault.calls(),
            request_id: fault.seen_request(),
            event_id: fault.event(),
        },
        status: (fault.failed_page_count() > 0).then_some("failed"),
        untrusted: fault.quotes_results().then_some(UNTRUSTED_TEXTS),
        scrape_failures: fault.failed_pages(),
        other_results: fault.untried_pages(),
    }
}

/// The machine form as a value, for dialects that share it.
pub(super) fn machine(fault: &Fault) -> Value {
    json!(envelope(fault))
}

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    // The outcome of each tier and page is in the object.
    let sentence = until_stopped(fault.in_parts(fault.common_wording()), fault);
    let sentence = with_closing_notes(sentence, fault, context);
    // A next call shows valid arguments better than an example does.
    let sentence = if fault.calls().is_empty() {
        with_example(sentence, fault)
    } else {
        sentence
    };
    let object = serde_json::to_string(&envelope(fault))
        .expect("strings, numbers and maps with string keys always serialise");
    Reply::of_text(format!("{sentence}\n\n{object}"), machine(fault))
}

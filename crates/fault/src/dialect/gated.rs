//! `gated`: `toolError:v1` and `needsInput:v1`, in the blocks that the caller's `format` selects,
//! as in the MCP server of EffectPatterns.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Block, Context, Format, Reply, own_words, with_example, with_notes, with_unknown_arguments,
};
use crate::catalogue::Wording;
use crate::fault::Fault;
use crate::kind::Origin;
use crate::remedy::NeedsInput;
use crate::sentence::Sentence;
use crate::text::Say;

pub(super) const COMPATIBLE_WITH: &str = "The format of the EffectPatterns MCP server. The caller's `format` argument chooses the blocks: `markdown` (the sentence, the default), `json` or `both`.";

#[derive(Serialize)]
struct ToolError {
    kind: &'static str,
    code: &'static str,
    message: Say,
    retryable: bool,
    #[serde(skip_serializing_if = "Map::is_empty")]
    details: Map<String, Value>,
}

/// What a provider's 404 is called.
const MISSING_RESOURCE: Wording = Wording("Resource not found: {source}", "");

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let error = ToolError {
        kind: "toolError:v1",
        code: code(fault),
        message: with_notes(words(fault), fault, context),
        retryable: fault.advice().is_possible(),
        details: details(fault),
    };
    Reply {
        blocks: blocks(&text(fault, context), &error, context.format),
        structured: Some(json!(error)),
        is_error: true,
    }
}

/// The row's code, except that a provider's 404 has a code of its own.
fn code(fault: &Fault) -> &'static str {
    if is_missing_resource(fault) {
        return "NOT_FOUND";
    }
    fault.row().codes.gated
}

fn is_missing_resource(fault: &Fault) -> bool {
    fault.origin() == Origin::Provider && fault.seen_status() == Some(404)
}

/// The format's words, with the source that they leave out.
fn words(fault: &Fault) -> Sentence {
    let wording = if is_missing_resource(fault) {
        Some(MISSING_RESOURCE)
    } else {
        fault.row().gated
    };
    let words = own_words(fault, wording);
    let names_it = |wording: Wording| {
        let slots = ["{source}", "{host}", "{setting}", "{problems}"];
        slots.iter().any(|slot| wording.happened().contains(slot))
    };
    let is_own = fault.has_own_sentence() || fault.failed_page_count() > 1;
    match fault.named_source() {
        Some(source) if !is_own && wording.is_some_and(|wording| !names_it(wording)) => {
            words.naming(&source)
        }
        _ => words,
    }
}

/// The text block. A reader of `markdown` sees nothing else, so it also says what to do.
fn text(fault: &Fault, context: &Context<'_>) -> Say {
    let advice = fault.in_parts(fault.common_wording()).only_advice();
    let sentence = match advice {
        Some(advice) if !words(fault).has_advice() => words(fault).advised(advice),
        _ => words(fault),
    };
    let message = with_unknown_arguments(with_notes(sentence, fault, context), fault);
    match fault.calls().first() {
        None => with_example(message, fault),
        Some(call) => message.then(Say::assembled(format!("Next call: {call}"))),
    }
}

/// A question back to the user. It is an answer, not a failure.
pub fn needs_input(question: &NeedsInput, format: Format) -> Reply {
    let mut inner = Map::from_iter([
        ("fields".to_owned(), json!(question.fields)),
        ("reason".to_owned(), json!(question.reason)),
    ]);
    if !question.suggestions.is_empty() {
        inner.insert(
            "suggestions".to_owned(),
            Value::Object(question.suggestions.clone()),
        );
    }
    let mut object = Map::from_iter([
        ("kind".to_owned(), json!("needsInput:v1")),
        ("type".to_owned(), json!("elicitation")),
        ("message".to_owned(), json!(question.message)),
        ("needsInput".to_owned(), Value::Object(inner)),
    ]);
    if !question.options.is_empty() {
        object.insert("options".to_owned(), json!(question.options));
    }
    Reply {
        blocks: blocks(&question.message, &object, format),
        structured: Some(Value::Object(object)),
        is_error: false,
    }
}

/// Facts that the sentence does not contain, if any.
fn details(fault: &Fault) -> Map<String, Value> {
    let facts = [
        ("statusCode", fault.seen_status().map(|it| json!(it))),
        (
            "retryAfterSeconds",
            fault.requested_seconds().map(|it| json!(it)),
        ),
        (
            "unknownArguments",
            (!fault.seen_unknown_arguments().is_empty())
                .then(|| json!(fault.seen_unknown_arguments())),
        ),
        (
            "nextCalls",
            (!fault.calls().is_empty()).then(|| json!(fault.calls())),
        ),
        ("requestId", fault.seen_request().map(|it| json!(it))),
        ("eventId", fault.event().map(|it| json!(it))),
    ];
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

fn blocks(message: &Say, object: &impl Serialize, format: Format) -> Vec<Block> {
    let human = || Block {
        text: message.to_string(),
        mime: Some("text/markdown"),
    };
    let machine = || Block {
        text: serde_json::to_string_pretty(object)
            .expect("strings, numbers and maps with string keys always serialise"),
        mime: Some("application/json"),
    };
    match format {
        Format::Markdown => vec![human()],
        Format::Json => vec![machine()],
        Format::Both => vec![human(), machine()],
    }
}

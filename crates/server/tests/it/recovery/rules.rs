//! What must hold for every failed reply, whatever failed.

use serde_json::Value;
use server::{params, tools::TOOLS};

/// The rules that a failed reply breaks. `text` is what a model reads, `error` the machine form.
pub fn broken(text: &str, error: &Value, tool: &str, arguments: &Value) -> Vec<&'static str> {
    let sentence = text.lines().next().unwrap_or_default().to_lowercase();
    let retryable = error["retryable"] == true;
    let wait = error["retryAfterSeconds"].as_u64();
    let calls: Vec<&Value> = error["nextCalls"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let is_same = |call: &&Value| call["tool"] == tool && call["arguments"] == *arguments;
    let same = calls.iter().position(is_same);
    let rules = [
        (
            sentence.contains("do not retry") && retryable,
            "the sentence says not to retry, the JSON says to",
        ),
        (
            ["wait ", "free again", "retry once"]
                .iter()
                .any(|words| sentence.contains(words))
                && !retryable,
            "the sentence says to wait, the JSON says not to retry",
        ),
        (
            wait.is_some() && !retryable,
            "a wait for what is not retryable",
        ),
        (
            same.is_some() && !retryable,
            "the same call is listed, and is not retryable",
        ),
        (
            same.is_some_and(|place| place + 1 < calls.len()),
            "the same call comes before one that helps now",
        ),
        (
            same.is_some_and(|place| {
                calls[place]["afterSeconds"].as_u64().unwrap_or(0) != wait.unwrap_or(0)
            }),
            "the same call has another wait than the fault",
        ),
        (
            calls
                .iter()
                .any(|call| call["arguments"].as_object().is_none_or(|it| it.is_empty())),
            "a next call without arguments",
        ),
        (
            calls.iter().any(|call| {
                !arguments["sessionId"].is_null()
                    && call["arguments"]["sessionId"] != arguments["sessionId"]
            }),
            "a next call leaves the session",
        ),
        (
            calls
                .iter()
                .any(|call| lacks_required(call, tool, arguments)),
            "a next call lacks an argument that its tool's schema requires",
        ),
        (
            error["suggestedAction"] == "try_different_provider"
                && error["alternatives"].as_array().is_none_or(Vec::is_empty),
            "another provider is advised, and none is named",
        ),
        (
            error["suggestedAction"] == "retry_after_delay" && !retryable,
            "a retry is advised that is not possible",
        ),
    ];
    let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
    broken.map(|(_, rule)| rule).collect()
}

/// Whether a client that validates calls would refuse this one. What the caller itself left out of
/// its call of the same tool, it may leave out again.
fn lacks_required(call: &Value, tool: &str, arguments: &Value) -> bool {
    let Some(called) = TOOLS.iter().find(|known| call["tool"] == known.name) else {
        return true;
    };
    let schema = params::input_schema(called.shown_params(), called.any_of);
    let required = schema.get("required").and_then(Value::as_array);
    let left_out = |name: &str| called.name == tool && arguments[name].is_null();
    let mut names = required.into_iter().flatten().filter_map(Value::as_str);
    names.any(|name| call["arguments"][name].is_null() && !left_out(name))
}

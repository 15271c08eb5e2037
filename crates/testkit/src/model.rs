//! Messages of a scripted language model, as an OpenAI-compatible endpoint sends them.
//!
//! ```ignore
//! web.on_each(model::PATH, vec![
//!     model::calls(&[("web_search", json!({"query": "tides"}))]),
//!     model::says("The moon [1]."),
//! ]);
//! ```

use lab::http::Behavior;
use serde_json::{Value, json};

/// Where completions are asked for, below the base URL `…/v1`.
pub const PATH: &str = "/v1/chat/completions";

/// A message with words.
#[must_use]
pub fn says(text: &str) -> Behavior {
    message(&json!({"role": "assistant", "content": text}), "stop")
}

/// A message that calls tools.
#[must_use]
pub fn calls(calls: &[(&str, Value)]) -> Behavior {
    let calls: Vec<(&str, String)> = calls
        .iter()
        .map(|(name, arguments)| (*name, arguments.to_string()))
        .collect();
    let calls: Vec<(&str, &str)> = calls
        .iter()
        .map(|(name, it)| (*name, it.as_str()))
        .collect();
    raw_calls(&calls)
}

/// A message that calls tools with these arguments, which need not be JSON.
#[must_use]
pub fn raw_calls(calls: &[(&str, &str)]) -> Behavior {
    let call = |(index, (name, arguments)): (usize, &(&str, &str))| {
        json!({"id": format!("call_{index}"), "type": "function",
            "function": {"name": name, "arguments": arguments}})
    };
    let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
    message(
        &json!({"role": "assistant", "content": null, "tool_calls": calls}),
        "tool_calls",
    )
}

/// A whole completion with this message.
#[must_use]
pub fn message(message: &Value, finish_reason: &str) -> Behavior {
    Behavior::json(
        200,
        &json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}),
    )
}

//! Reads the body of a chat completion.
//!
//! Endpoints differ in details: the text is a string or a list of parts, arguments are a string of
//! JSON or an object, ids are missing, reasoning comes first. All of that is accepted. Nothing else
//! is guessed: a body without a message is unreadable.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{ChatReply, Ending, MAX_CALLS_IN_A_MESSAGE, ToolCall};

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: WrittenMessage,
    #[serde(default)]
    finish_reason: Value,
}

#[derive(Deserialize)]
struct WrittenMessage {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Value,
    #[serde(default, deserialize_with = "readable_calls")]
    tool_calls: Vec<WrittenCall>,
    /// The form of endpoints from before there were several calls in a message.
    #[serde(default, deserialize_with = "readable_call")]
    function_call: Option<WrittenFunction>,
}

#[derive(Deserialize)]
struct WrittenCall {
    function: WrittenFunction,
}

#[derive(Deserialize)]
struct WrittenFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// The calls that can be read. One that cannot does not make the others unreadable.
fn readable_calls<'de, D: Deserializer<'de>>(body: D) -> Result<Vec<WrittenCall>, D::Error> {
    let calls = match Value::deserialize(body)? {
        Value::Array(calls) => calls,
        _ => Vec::new(),
    };
    let readable = calls
        .into_iter()
        .filter_map(|call| serde_json::from_value(call).ok());
    Ok(readable.collect())
}

fn readable_call<'de, D: Deserializer<'de>>(body: D) -> Result<Option<WrittenFunction>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(body)?).ok())
}

/// The message in the body of a completion; `None` when it has none.
pub fn read_completion(body: &[u8]) -> Option<ChatReply> {
    let completion: Completion = serde_json::from_slice(body).ok()?;
    let choice = completion.choices.into_iter().next()?;
    let message = choice.message;
    let text = match text_of(&message.content) {
        text if text.is_empty() => text_of(&message.refusal),
        text => text,
    };
    let functions = message.tool_calls.into_iter().map(|call| call.function);
    let calls = functions
        .chain(message.function_call)
        .take(MAX_CALLS_IN_A_MESSAGE)
        .enumerate()
        .map(|(index, function)| ToolCall {
            id: call_id(index + 1),
            name: function.name,
            arguments: match function.arguments {
                Value::String(json) => json,
                Value::Null => "{}".to_owned(),
                other => other.to_string(),
            },
        });
    Some(ChatReply {
        text: without_reasoning(&text).to_owned(),
        calls: calls.collect(),
        ending: match choice.finish_reason.as_str() {
            Some("length") => Ending::Cut,
            Some("content_filter") => Ending::Filtered,
            _ => Ending::Complete,
        },
    })
}

/// Nine letters and digits, which is what the strictest endpoints demand.
pub fn call_id(number: usize) -> String {
    format!("call{:05}", number % 100_000)
}

/// The text of a message: a string, or the texts among its parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// What follows the reasoning that some local models write first.
pub(super) fn without_reasoning(text: &str) -> &str {
    let trimmed = text.trim();
    let after = trimmed
        .strip_prefix("<think>")
        .and_then(|rest| rest.split_once("</think>"));
    after.map_or(trimmed, |(_, answer)| answer.trim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(message: Value) -> Option<ChatReply> {
        let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        read_completion(body.to_string().as_bytes())
    }

    #[test]
    fn the_forms_that_endpoints_use_are_read() {
        for (content, text) in [
            (json!("An answer."), "An answer."),
            (
                json!([{"type": "text", "text": "An"}, {"type": "text", "text": "answer."}]),
                "An\nanswer.",
            ),
            (json!("<think>Hm.</think>\n\nAn answer."), "An answer."),
            (json!(null), ""),
        ] {
            let reply = read(json!({"role": "assistant", "content": content})).expect("a message");
            assert_eq!((reply.text.as_str(), reply.calls.len()), (text, 0));
        }
        let refused = read(json!({"content": null, "refusal": "No."})).expect("a message");
        assert_eq!(refused.text, "No.");
    }

    #[test]
    fn calls_get_ids_of_ours_and_arguments_as_text() {
        let calls = json!([
            {"id": "x\u{0}", "type": "function", "function": {"name": "web_search", "arguments": "{\"query\":\"a\"}"}},
            {"function": {"name": "scrape_page", "arguments": {"url": "https://a.example/"}}},
            {"function": {"name": "health_check"}},
            "not a call",
            {"function": {"name": 7}},
        ]);
        let reply = read(json!({"content": null, "tool_calls": calls})).expect("a message");
        let seen: Vec<_> = reply
            .calls
            .iter()
            .map(|call| {
                (
                    call.id.as_str(),
                    call.name.as_str(),
                    call.arguments.as_str(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("call00001", "web_search", "{\"query\":\"a\"}"),
                (
                    "call00002",
                    "scrape_page",
                    "{\"url\":\"https://a.example/\"}"
                ),
                ("call00003", "health_check", "{}"),
            ]
        );
    }

    #[test]
    fn a_body_without_a_message_is_unreadable() {
        for body in [
            "",
            "{}",
            "null",
            "{\"choices\": []}",
            "{\"choices\": [{}]}",
            "{\"error\": {\"message\": \"no\"}}",
            "{\"choices\": [{\"message\": \"text\"}]}",
            "<html>",
        ] {
            assert_eq!(read_completion(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn endings_are_told_apart() {
        let ending = |reason: &str| {
            let body = json!({"choices": [{"message": {"content": "a"}, "finish_reason": reason}]});
            read_completion(body.to_string().as_bytes()).map(|reply| reply.ending)
        };
        assert_eq!(ending("stop"), Some(Ending::Complete));
        assert_eq!(ending("length"), Some(Ending::Cut));
        assert_eq!(ending("content_filter"), Some(Ending::Filtered));
    }
}

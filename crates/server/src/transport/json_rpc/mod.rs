//! JSON-RPC messages: parsing, refusing and repairing what clients send.
//!
//! The SDK answers a message it cannot parse without the id of the request, so the client waits for
//! ever. Here the id is read wherever it can be found, and the refusal is sent under it. A message
//! with neither an id nor a meaning gets no reply: two programs that answer each other's garbage
//! never stop.

mod repair;
mod sanitize;

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ErrorCode, RequestId},
};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::params::has_too_many_values;

pub(super) use repair::repair;
pub(super) use sanitize::{sanitize_error, sanitize_message};

/// The result of parsing one message.
#[derive(Debug)]
pub(super) enum ParsedMessage {
    Valid(Box<ClientJsonRpcMessage>),
    /// Needs no reply: blank, not JSON, or an unknown notification.
    Ignored,
    /// To be refused once under each id, or without an id when there is none.
    Refused(Vec<RequestId>, ErrorData),
}

pub(super) fn parse(text: &[u8]) -> ParsedMessage {
    let text = without_bom(text).trim_ascii();
    if text.is_empty() {
        return ParsedMessage::Ignored;
    }
    match refuse_many_values(text) {
        Some((ids, _)) if ids.is_empty() => return ParsedMessage::Ignored,
        Some((ids, error)) => return ParsedMessage::Refused(ids, error),
        None => {}
    }
    if let Some((id, error)) = refuse_cursor(text) {
        return ParsedMessage::Refused(vec![id], error);
    }
    if let Ok(message) = serde_json::from_slice(text) {
        return ParsedMessage::Valid(Box::new(message));
    }
    if let Ok(value) = serde_json::from_slice::<Value>(text) {
        return match &value {
            Value::Array(messages) => refused_batch(messages),
            value => invalid_message(value),
        };
    }
    let is_json = |text: &Vec<u8>| serde_json::from_slice::<IgnoredAny>(text).is_ok();
    match repair(text).filter(is_json) {
        Some(repaired) => parse(&repaired),
        None => not_json(text),
    }
}

/// Some programs begin their output with a byte-order mark.
pub(super) fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

fn not_json(text: &[u8]) -> ParsedMessage {
    let ids = if text.starts_with(b"{") {
        repair::request_ids(text)
    } else {
        Vec::new()
    };
    if ids.is_empty() {
        tracing::warn!(bytes = text.len(), "skipped a line that is not JSON");
        return ParsedMessage::Ignored;
    }
    ParsedMessage::Refused(ids, not_json_error(text))
}

fn not_json_error(text: &[u8]) -> ErrorData {
    let mut messages = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    match (messages.next(), messages.next()) {
        (Some(Ok(_)), Some(_)) => several_messages(),
        _ => ErrorData::parse_error(
            "This is not JSON that can be read: check for NaN, numbers out of range and nesting over 128 levels.",
            None,
        ),
    }
}

/// The error for a body that the SDK could not parse, and the id of its request if it has one.
pub(super) fn refuse_body(body: &[u8]) -> (Option<RequestId>, ErrorData) {
    match serde_json::from_slice::<Value>(body).map(|value| match &value {
        Value::Array(messages) => refused_batch(messages),
        value => invalid_message(value),
    }) {
        Ok(ParsedMessage::Refused(ids, error)) => (ids.into_iter().next(), error),
        Ok(_) => (None, not_a_message()),
        Err(_) => {
            let error = not_json_error(body);
            // JSON-RPC gives a parse error no id, and a body's response needs none to find its
            // request.
            let is_parse_error = error.code == ErrorCode::PARSE_ERROR;
            let id = repair::request_ids(body).into_iter().next();
            (id.filter(|_| !is_parse_error), error)
        }
    }
}

/// Refuses a message with far more values than any method takes, before they are built. The ids are
/// those of its requests.
pub(super) fn refuse_many_values(text: &[u8]) -> Option<(Vec<RequestId>, ErrorData)> {
    let message = "The message holds more than 10000 values. No tool takes so many: send only what its schema lists.";
    has_too_many_values(text).then(|| {
        let error = ErrorData::invalid_params(message, None);
        (repair::request_ids(text), error)
    })
}

/// Refuses a list request whose cursor is not a string. The SDK would ignore such a cursor and
/// answer with the first page.
pub(super) fn refuse_cursor(body: &[u8]) -> Option<(RequestId, ErrorData)> {
    /// List requests are short, so longer bodies need not be parsed a second time.
    const MAX_BODY: usize = 4096;
    if body.len() > MAX_BODY
        || !std::str::from_utf8(body)
            .is_ok_and(|text| text.contains("\"cursor\"") && text.contains("/list\""))
    {
        return None;
    }
    let value: Value = serde_json::from_slice(body).ok()?;
    let method = value.get("method")?.as_str()?;
    let cursor = value.get("params")?.get("cursor")?;
    let id = serde_json::from_value(value.get("id")?.clone()).ok()?;
    let is_wrong = method.ends_with("/list") && !cursor.is_string() && !cursor.is_null();
    let message = "A cursor is a string. The list has one page: call without a cursor.";
    is_wrong.then(|| (id, ErrorData::invalid_params(message, None)))
}

/// Several messages at once. Only one older revision has them, and each is answered that it must come
/// alone.
fn refused_batch(messages: &[Value]) -> ParsedMessage {
    let requests = messages
        .iter()
        .filter(|message| message["method"].is_string());
    let ids = requests.filter_map(|message| serde_json::from_value(message["id"].clone()).ok());
    ParsedMessage::Refused(ids.take(repair::MAX_IDS).collect(), several_messages())
}

fn several_messages() -> ErrorData {
    ErrorData::invalid_request(
        "More than one message came at once: send one per line or body.",
        None,
    )
}

/// JSON that is not a valid message. Without an id it may be a notification of another protocol,
/// which must not be answered.
fn invalid_message(value: &Value) -> ParsedMessage {
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let method = value.get("method").and_then(Value::as_str);
    match (id, method) {
        (None, Some(_)) if value.get("id").is_none() => ParsedMessage::Ignored,
        (Some(id), Some(_)) if value["jsonrpc"] == "2.0" => {
            let error = ErrorData::invalid_params(params_error(value), None);
            ParsedMessage::Refused(vec![id], error)
        }
        (id, _) => ParsedMessage::Refused(id.into_iter().collect(), not_a_message()),
    }
}

fn not_a_message() -> ErrorData {
    ErrorData::new(
        ErrorCode::INVALID_REQUEST,
        "This is not a JSON-RPC 2.0 message.",
        None,
    )
}

fn params_error(value: &Value) -> &'static str {
    match value.get("params") {
        Some(Value::Object(params))
            if params.get("_meta").is_some_and(|meta| !meta.is_object()) =>
        {
            "_meta must be an object."
        }
        Some(Value::Object(_)) => "The params do not fit this method's schema.",
        _ => "The params of a request must be an object.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> Option<(Option<RequestId>, i32)> {
        match parse(line.as_bytes()) {
            ParsedMessage::Refused(ids, error) => Some((ids.into_iter().next(), error.code.0)),
            _ => None,
        }
    }

    #[test]
    fn a_request_that_cannot_be_parsed_is_refused_under_its_id() {
        let params = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#;
        assert_eq!(refusal(params), Some((Some(RequestId::Number(7)), -32602)));
        let version = r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#;
        assert_eq!(
            refusal(version),
            Some((Some(RequestId::String("a".into())), -32600))
        );
        for line in [
            "{}",
            "[]",
            "5",
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        ] {
            assert_eq!(refusal(line), Some((None, -32600)), "{line}");
        }
    }

    #[test]
    fn messages_without_an_id_that_cannot_be_parsed_are_ignored() {
        for line in [
            "",
            " \r\n",
            "not json",
            "\u{feff}",
            r#"{"jsonrpc":"2.0","method":"$/lsp","params":5}"#,
        ] {
            assert!(
                matches!(parse(line.as_bytes()), ParsedMessage::Ignored),
                "{line}"
            );
        }
        assert!(matches!(parse(b"\xff\xfe\n"), ParsedMessage::Ignored));
    }

    #[test]
    fn a_message_that_is_almost_json_is_repaired_or_refused_under_its_id() {
        let lone = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"q":"\ud800"}}}"#;
        assert!(matches!(parse(lone.as_bytes()), ParsedMessage::Valid(_)));
        assert!(matches!(
            parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x/\xff\"}"),
            ParsedMessage::Valid(_)
        ));
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"x","params":{{"a":{}{}}}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        assert_eq!(refusal(&deep), Some((Some(RequestId::Number(4)), -32700)));
        assert_eq!(
            refusal(r#"{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":1e999}}"#),
            Some((Some(RequestId::Number(5)), -32700))
        );
        assert_eq!(
            refusal(r#"{"jsonrpc":"2.0","id":6,"method":"x","params":{"a":NaN}}"#),
            Some((Some(RequestId::Number(6)), -32700))
        );
        let two =
            r#"{"jsonrpc":"2.0","id":8,"method":"ping"} {"jsonrpc":"2.0","id":9,"method":"ping"}"#;
        assert_eq!(refusal(two), Some((Some(RequestId::Number(8)), -32600)));
        let cursor = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":5}}"#;
        assert_eq!(refusal(cursor), Some((Some(RequestId::Number(2)), -32602)));
    }
}

//! Sanitizes every JSON-RPC error before it is sent.
//!
//! Some errors come from the SDK and repeat what the caller sent: a header, a version, an address.
//! Their messages are replaced by our own. Everything else in an error is masked, stripped of
//! control characters and shortened.

use fault::Quoted;
use mask::Masker;
use rmcp::ErrorData;
use serde_json::Value;

/// Our own messages are shorter; this limits those of the SDK.
const MAX_MESSAGE: usize = 400;

/// Replaces, masks and shortens the parts of an error as the module describes.
pub(crate) fn sanitize_error(error: &mut ErrorData, masker: &Masker) {
    if let Some(message) = replacement_message(error.code.0, &error.message) {
        error.message = message.into();
    }
    let plain: String = error
        .message
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_MESSAGE)
        .collect();
    let masked = masker.mask(&plain).into_owned();
    if masked != error.message {
        error.message = masked.into();
    }
    if let Some(data) = &mut error.data {
        masker.mask_json(data);
        shorten(data);
    }
}

/// Sanitizes a whole message that is already JSON. `None` when it is not an error response.
pub(crate) fn sanitize_message(message: &[u8], masker: &Masker) -> Option<Vec<u8>> {
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let mut error: ErrorData = serde_json::from_value(message.get("error")?.clone()).ok()?;
    sanitize_error(&mut error, masker);
    message["error"] = serde_json::to_value(error).ok()?;
    serde_json::to_vec(&message).ok()
}

/// Our message for errors of the SDK that repeat the caller or do not say what to do.
///
/// The codes -32600 and -32602 have many causes, and the SDK names the cause only in its prose, so
/// its words are compared here. The tests in `tests/it` that expect our messages fail when the SDK
/// changes its words.
fn replacement_message(code: i32, message: &str) -> Option<&'static str> {
    Some(match code {
        -32020 => {
            "The headers MCP-Protocol-Version, Mcp-Method, Mcp-Name and any Mcp-Param-* must be present and match the body."
        }
        -32022 => "This protocol version is not supported; data.supported lists those that are.",
        -32601 => "This server has no such method.",
        -32600 if message.starts_with("Invalid Request: MCP-Protocol-Version") => {
            "The MCP-Protocol-Version header must be the protocolVersion that initialize asks for."
        }
        -32602 if message.contains("_meta is missing or has malformed required fields") => {
            "Send initialize first, or give each request the _meta of revision 2026-07-28: \
             io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities are missing or malformed."
        }
        _ => return None,
    })
}

fn shorten(data: &mut Value) {
    match data {
        Value::String(text) => {
            if let Ok(Value::String(short)) = serde_json::to_value(Quoted::from_input(text)) {
                *text = short;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_does_not_repeat_what_the_caller_sent() {
        let secret = "sk-ant-api03-".to_owned() + &"Ab9".repeat(30);
        let mut error = ErrorData::new(
            ErrorCode(-32022),
            format!("Unsupported {secret}"),
            Some(
                json!({ "requested": format!("\u{1b}[31m{}", "x".repeat(5_000)), "supported": ["2025-06-18"], "key": secret }),
            ),
        );
        sanitize_error(&mut error, &Masker::default());
        let data = error.data.clone().expect("data");
        assert!(
            !error.message.contains("sk-ant") && !data.to_string().contains(&secret),
            "{data}"
        );
        assert_eq!(
            data["requested"].as_str().map(|text| text.chars().count()),
            Some(200)
        );
        assert_eq!(data["supported"], json!(["2025-06-18"]));
        let header =
            sanitize_message(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Mcp-Name header `evil` is wrong"}}"#, &Masker::default());
        assert!(
            !String::from_utf8(header.expect("an error"))
                .expect("text")
                .contains("evil")
        );
        assert_eq!(
            sanitize_message(
                br#"{"jsonrpc":"2.0","id":1,"result":{"error":{}}}"#,
                &Masker::default()
            ),
            None
        );
    }
}

//! Fixture tools with contents and schemas that our tools do not have.

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, LoggingLevel,
        LoggingMessageNotificationParam, Tool,
    },
};
use serde_json::{Value, json};

use crate::{Context, fixture};

/// One red pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV file without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

pub(crate) fn tools() -> Vec<Tool> {
    let bare = [
        ("test_image_content", "Answers with an image"),
        ("test_audio_content", "Answers with a sound"),
        ("test_embedded_resource", "Answers with a resource"),
        (
            "test_multiple_content_types",
            "Answers with a text, an image and a resource",
        ),
        ("test_tool_with_logging", "Logs three times while it works"),
        (
            "test_logging_tool",
            "Logs only if the request asks for logs",
        ),
        (
            "test_reconnection",
            "Works a little longer than a stream may last",
        ),
    ];
    let mut tools: Vec<Tool> = bare
        .into_iter()
        .map(|(name, about)| fixture(json!({"name": name, "description": about, "inputSchema": {"type": "object", "properties": {}}})))
        .collect();
    tools.push(fixture(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Has a schema with the keywords of JSON Schema 2020-12",
        "inputSchema": schema(),
    })));
    tools.push(fixture(json!({
        "name": "test_custom_header",
        "description": "Has a parameter that is mirrored into a header",
        "inputSchema": {
            "type": "object",
            "properties": {"value": {"type": "string", "description": "Any text", "x-mcp-header": "Value"}},
            "required": ["value"]
        },
    })));
    tools
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"}
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false
    })
}

/// The answer of a tool in this file, or `None` for other names.
pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &Context,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let content = match request.name.as_ref() {
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => {
            vec![embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )]
        }
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            embedded(
                "test://mixed-content-resource",
                "application/json",
                "{\"test\":\"data\",\"value\":123}",
            ),
        ],
        "test_tool_with_logging" => {
            log_thrice(context).await;
            vec![ContentBlock::text("logged")]
        }
        "test_logging_tool" => {
            if context.meta.log_level().is_some() {
                log_thrice(context).await;
            }
            vec![ContentBlock::text("done")]
        }
        "test_reconnection" => {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            vec![ContentBlock::text("done")]
        }
        "json_schema_2020_12_tool" | "test_custom_header" => {
            vec![ContentBlock::text(
                Value::Object(request.arguments.clone().unwrap_or_default()).to_string(),
            )]
        }
        _ => return None,
    };
    Some(Ok(CallToolResult::success(content).into()))
}

fn embedded(uri: &str, mime: &str, text: &str) -> ContentBlock {
    fixture(json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}))
}

async fn log_thrice(context: &Context) {
    for words in ["started", "working", "finished"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
        // A client that has left needs no log message.
        let _ = context.peer.notify_logging_message(message).await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

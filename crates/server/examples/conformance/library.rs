//! Fixture prompts and resources.

use rmcp::{
    ErrorData,
    model::{
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult, Prompt,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceTemplate,
    },
};
use serde_json::{Value, json};
use server::wire::resource_not_found;

use crate::{
    asking::{answer_of, question},
    fixture,
    rich::PNG,
};

pub(crate) fn prompts() -> Vec<Prompt> {
    let argument =
        |name: &str, about: &str| json!({"name": name, "description": about, "required": true});
    fixture(json!([
        {"name": "test_simple_prompt", "description": "One message"},
        {"name": "test_prompt_with_arguments", "description": "One message with two gaps",
         "arguments": [argument("arg1", "First gap"), argument("arg2", "Second gap")]},
        {"name": "test_prompt_with_embedded_resource", "description": "A message with a resource",
         "arguments": [argument("resourceUri", "The resource")]},
        {"name": "test_prompt_with_image", "description": "A message with an image"},
        {"name": "test_input_required_result_prompt", "description": "Asks the user before it answers"},
    ]))
}

pub(crate) fn prompt(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| {
        request
            .arguments
            .as_ref()
            .and_then(|all| all.get(name))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let contents = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![text(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            json!({"type": "resource", "resource": {
                "uri": argument("resourceUri"), "mimeType": "text/plain", "text": "Embedded resource content for testing."}}),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => {
            vec![
                json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
                text("Please analyze the image above."),
            ]
        }
        "test_input_required_result_prompt" => {
            match answer_of(request.input_responses.as_ref(), "user_context") {
                Some(context) => vec![text(&format!("Context: {context}"))],
                None => {
                    return Ok(InputRequiredResult::from_input_requests(question(
                        "user_context",
                        "context",
                    ))
                    .into());
                }
            }
        }
        _ => {
            return Err(ErrorData::invalid_params(
                "There is no prompt of that name.",
                None,
            ));
        }
    };
    let messages: Vec<Value> = contents
        .into_iter()
        .map(|content| json!({"role": "user", "content": content}))
        .collect();
    Ok(GetPromptResult::new(fixture(json!(messages))).into())
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

pub(crate) fn resources() -> Vec<Resource> {
    fixture(json!([
        {"uri": "test://static-text", "name": "Static text", "description": "A text that never changes", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "Static image", "description": "An image that never changes", "mimeType": "image/png"},
    ]))
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    fixture(json!([{
        "uriTemplate": "test://template/{id}/data", "name": "Data by id",
        "description": "Data of any id", "mimeType": "application/json"
    }]))
}

pub(crate) fn resource(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let contents = match uri {
        "test://static-text" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        "test://watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Watched."})
        }
        _ => {
            let id = uri
                .strip_prefix("test://template/")
                .and_then(|rest| rest.strip_suffix("/data"));
            let id = id
                .filter(|id| !id.is_empty() && !id.contains('/'))
                .ok_or_else(|| resource_not_found(uri))?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    };
    Ok(ReadResourceResult::new(fixture(json!([contents]))).into())
}

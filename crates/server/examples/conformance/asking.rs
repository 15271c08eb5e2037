//! Fixture tools that ask the client: by requests in the older revisions, by `input_required` in
//! the newest.

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        InputRequests, InputRequiredResult, InputResponses, RequestStateCodec, Tool,
    },
};
use serde_json::{Value, json};

use crate::{Context, fixture};

type Answered = Result<CallToolResponse, ErrorData>;

/// A fixed key, because these states protect nothing.
fn codec() -> RequestStateCodec {
    RequestStateCodec::new([7u8; 32])
}

pub(crate) fn tools() -> Vec<Tool> {
    let names = [
        "test_sampling",
        "test_elicitation",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_input_required_result_elicitation",
        "test_input_required_result_sampling",
        "test_input_required_result_list_roots",
        "test_input_required_result_request_state",
        "test_input_required_result_multiple_inputs",
        "test_input_required_result_multi_round",
        "test_input_required_result_tampered_state",
        "test_input_required_result_capabilities",
    ];
    let texts = json!({"prompt": {"type": "string"}, "message": {"type": "string"}});
    let describe = |name: &str| json!({"name": name, "description": "Asks the client before it answers", "inputSchema": {"type": "object", "properties": texts}});
    names
        .into_iter()
        .map(|name| fixture(describe(name)))
        .collect()
}

/// The answer of a tool in this file, or `None` for other names.
pub(crate) async fn call(request: &CallToolRequestParams, context: &Context) -> Option<Answered> {
    let responses = request.input_responses.as_ref();
    Some(match request.name.as_ref() {
        "test_sampling" => sample(context, text_argument(request, "prompt")).await,
        "test_elicitation" => {
            elicit(context, text_argument(request, "message"), contact_schema()).await
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(context, "Check these values", defaults_schema()).await
        }
        "test_elicitation_sep1330_enums" => elicit(context, "Choose", enums_schema()).await,
        "test_missing_capability" => needs_sampling(context),
        "test_streaming_elicitation" | "test_input_required_result_elicitation" => {
            greeted(responses)
        }
        "test_input_required_result_sampling" => once(responses, "capital_question", sampling()),
        "test_input_required_result_list_roots" => once(responses, "client_roots", roots()),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => with_state(request),
        "test_input_required_result_multiple_inputs" => several(request),
        "test_input_required_result_multi_round" => rounds(request),
        "test_input_required_result_capabilities" => declared_only(context, responses),
        _ => return None,
    })
}

fn text_argument<'r>(request: &'r CallToolRequestParams, name: &str) -> &'r str {
    request
        .arguments
        .as_ref()
        .and_then(|all| all.get(name))
        .and_then(Value::as_str)
        .unwrap_or("Please answer")
}

fn said(words: impl Into<String>) -> Answered {
    Ok(CallToolResult::success(vec![ContentBlock::text(words)]).into())
}

async fn sample(context: &Context, prompt: &str) -> Answered {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    match context
        .peer
        .create_message(fixture(json!({"messages": [message], "maxTokens": 100})))
        .await
    {
        Ok(reply) => said(format!("LLM response: {}", json!(reply))),
        Err(_) => said("The client did not sample."),
    }
}

async fn elicit(context: &Context, message: &str, schema: Value) -> Answered {
    let asked = fixture(json!({"mode": "form", "message": message, "requestedSchema": schema}));
    match context.peer.create_elicitation(asked).await {
        Ok(reply) => said(format!("User response: {}", json!(reply))),
        Err(_) => said("The client did not ask its user."),
    }
}

fn contact_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"username": {"type": "string", "description": "Your name"}, "email": {"type": "string", "description": "Your address"}},
        "required": ["username", "email"]
    })
}

fn defaults_schema() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true}
    }})
}

fn enums_schema() -> Value {
    let titled = json!([{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}, {"const": "value3", "title": "Third"}]);
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}}
    }})
}

fn needs_sampling(context: &Context) -> Answered {
    match context
        .client_capabilities()
        .is_some_and(|has| has.sampling.is_some())
    {
        true => said("The client can sample."),
        false => Err(ErrorData::missing_required_client_capability(
            ClientCapabilities::builder().enable_sampling().build(),
        )),
    }
}

fn elicitation(field: &str) -> Value {
    let schema =
        json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Please answer", "requestedSchema": schema}})
}

fn confirmation() -> Value {
    let schema =
        json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Please confirm", "requestedSchema": schema}})
}

fn sampling() -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}})
}

fn roots() -> Value {
    json!({"method": "roots/list"})
}

/// A question to the user, with our key.
pub(crate) fn question(key: &str, field: &str) -> InputRequests {
    fixture(json!({key: elicitation(field)}))
}

/// The first string or boolean of an accepted answer, or `None` when it is missing, refused or
/// malformed.
pub(crate) fn answer_of(responses: Option<&InputResponses>, key: &str) -> Option<String> {
    let answer = responses?.get(key)?;
    let content = answer
        .get("content")
        .filter(|_| answer["action"] == "accept")?
        .as_object()?;
    content.values().find_map(|value| {
        value
            .as_str()
            .map(str::to_owned)
            .or_else(|| value.as_bool().map(|flag| flag.to_string()))
    })
}

fn ask(requests: Value, state: Option<String>) -> Answered {
    Ok(InputRequiredResult::new(Some(fixture(requests)), state).into())
}

fn greeted(responses: Option<&InputResponses>) -> Answered {
    match answer_of(responses, "user_name") {
        Some(name) => said(format!("Hello, {name}!")),
        None => ask(json!({"user_name": elicitation("name")}), None),
    }
}

/// Asks one question and accepts any object as the answer.
fn once(responses: Option<&InputResponses>, key: &str, request: Value) -> Answered {
    match responses
        .and_then(|all| all.get(key))
        .filter(|answer| answer.is_object())
    {
        Some(answer) => said(format!("Answered: {answer}")),
        None => ask(json!({key: request}), None),
    }
}

/// Decodes the state that the client sent back. An error when it is not one of ours.
fn opened(request: &CallToolRequestParams) -> Result<Option<String>, ErrorData> {
    let Some(state) = &request.request_state else {
        return Ok(None);
    };
    let opened = codec().open(state).map_err(|_| {
        ErrorData::invalid_params("The requestState is not one this server gave.", None)
    })?;
    Ok(Some(String::from_utf8_lossy(&opened).into_owned()))
}

fn with_state(request: &CallToolRequestParams) -> Answered {
    let state = opened(request)?;
    match (
        state.as_deref(),
        answer_of(request.input_responses.as_ref(), "confirm"),
    ) {
        (Some("asked"), Some(_)) => said("state-ok"),
        _ => ask(
            json!({"confirm": confirmation()}),
            Some(codec().seal(b"asked")),
        ),
    }
}

fn several(request: &CallToolRequestParams) -> Answered {
    let state = opened(request)?;
    let answered = |key: &str| {
        request
            .input_responses
            .as_ref()
            .is_some_and(|all| all.get(key).is_some_and(Value::is_object))
    };
    if state.is_some()
        && ["user_name", "greeting", "client_roots"]
            .into_iter()
            .all(answered)
    {
        return said("All three answers arrived.");
    }
    let requests =
        json!({"user_name": elicitation("name"), "greeting": sampling(), "client_roots": roots()});
    ask(requests, Some(codec().seal(b"several")))
}

fn rounds(request: &CallToolRequestParams) -> Answered {
    let state = opened(request)?;
    let answered = |key: &str| answer_of(request.input_responses.as_ref(), key).is_some();
    match state.as_deref() {
        Some("second") if answered("step2") => said("Both rounds are done."),
        Some("first") if answered("step1") => ask(
            json!({"step2": elicitation("color")}),
            Some(codec().seal(b"second")),
        ),
        Some("second") => ask(
            json!({"step2": elicitation("color")}),
            Some(codec().seal(b"second")),
        ),
        _ => ask(
            json!({"step1": elicitation("name")}),
            Some(codec().seal(b"first")),
        ),
    }
}

/// Asks only in the ways that the client supports.
fn declared_only(context: &Context, responses: Option<&InputResponses>) -> Answered {
    let has = context.client_capabilities().unwrap_or_default();
    let mut requests = serde_json::Map::new();
    if has.sampling.is_some() {
        requests.insert("capital_question".to_owned(), sampling());
    }
    if has.elicitation.is_some() {
        requests.insert("user_name".to_owned(), elicitation("name"));
    }
    if has.roots.is_some() {
        requests.insert("client_roots".to_owned(), roots());
    }
    let done = requests
        .keys()
        .all(|key| responses.is_some_and(|all| all.contains_key(key)));
    if done {
        said("Nothing left to ask.")
    } else {
        ask(Value::Object(requests), None)
    }
}

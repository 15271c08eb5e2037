//! Asks the user through the client, where the client can.
//!
//! The stateless revision has the server return what it needs, and the client repeats the call with
//! the answer; before it, the server sends a request of its own. A client that can do neither gets
//! the question as the result of the call, and so does one whose user declines.

use std::time::Duration;

use rmcp::{
    RoleServer,
    model::{
        ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    },
    service::{ElicitationMode, RequestContext},
};
use serde_json::{Map, Value, json};

use crate::reply::Question;

/// The key of our one question among the input requests of a call.
const KEY: &str = "choice";

/// How long a person may take to answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// What came of asking.
pub(super) enum Asked {
    /// The client repeats the call with the answer.
    Returned(InputRequiredResult),
    /// Arguments to add to the call.
    Answered(Map<String, Value>),
    Unanswered,
}

/// Adds the answers that a repeated call brings to its arguments. Returns whether there were any,
/// refusals included.
pub(super) fn merge_answers(
    arguments: &mut Map<String, Value>,
    responses: Option<InputResponses>,
) -> bool {
    let response = responses.and_then(|mut responses| responses.remove(KEY));
    let Some(result) = response.and_then(|it| serde_json::from_value::<ElicitResult>(it).ok())
    else {
        return false;
    };
    arguments.extend(accepted(result));
    true
}

fn accepted(result: ElicitResult) -> Map<String, Value> {
    match (result.action, result.content) {
        (ElicitationAction::Accept, Some(Value::Object(content))) => content,
        _ => Map::new(),
    }
}

pub(super) async fn ask(
    question: &Question,
    context: &RequestContext<RoleServer>,
    was_answered: bool,
    is_modern: bool,
) -> Asked {
    let Some(params) = form(question).filter(|_| !was_answered) else {
        return Asked::Unanswered;
    };
    if is_modern {
        let can_ask = context
            .meta
            .client_capabilities()
            .is_some_and(|it| has_forms(&it));
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        return match can_ask {
            true => Asked::Returned(InputRequiredResult::from_input_requests(
                InputRequests::from_iter([(KEY.to_owned(), request)]),
            )),
            false => Asked::Unanswered,
        };
    }
    if !context
        .peer
        .supported_elicitation_modes()
        .contains(&ElicitationMode::Form)
    {
        return Asked::Unanswered;
    }
    let asking = context
        .peer
        .create_elicitation_with_timeout(params, Some(PATIENCE));
    let result = tokio::select! {
        () = context.ct.cancelled() => return Asked::Unanswered,
        result = asking => result,
    };
    let answer = result.map(accepted).unwrap_or_default();
    match answer.is_empty() {
        true => Asked::Unanswered,
        false => Asked::Answered(answer),
    }
}

/// A client that declares elicitation without saying how can show forms.
fn has_forms(capabilities: &ClientCapabilities) -> bool {
    let elicitation = capabilities.elicitation.as_ref();
    elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none())
}

fn form(question: &Question) -> Option<ElicitRequestParams> {
    let mut field = json!({ "type": "string" });
    if !question.choices.is_empty() {
        field["enum"] = json!(question.choices);
    }
    let schema = json!({
        "type": "object",
        "properties": { question.field: field },
        "required": [question.field],
    });
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema,
    })
}

//! The JSON-RPC errors of requests that reach no tool.

use fault::{Case, Context, Dialect, Fault, Kind, Origin, RequestId, Say, Surface};
use rmcp::{
    ErrorData,
    model::{ErrorCode, PaginatedRequestParams},
};
use serde_json::{Value, json};

use crate::dispatch::UnknownTool;

/// A fault as a JSON-RPC error, for requests whose results cannot say that they failed. Its sentence
/// is the message; `data` has the other fields of RFC 9457, as at the HTTP layer.
pub(super) fn of_fault(fault: &Fault) -> ErrorData {
    let problem = fault::render(fault, Dialect::Problem, &Context::new(Surface::Fetch));
    let mut data = problem.structured.unwrap_or_default();
    let detail = data.as_object_mut().and_then(|data| data.remove("detail"));
    let message = detail.and_then(|detail| detail.as_str().map(str::to_owned));
    let code = match fault.kind() {
        Kind::UpstreamUnavailable | Kind::Network => ErrorCode::INTERNAL_ERROR,
        Kind::Validation | Kind::NotFound => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INVALID_REQUEST,
    };
    ErrorData::new(code, message.unwrap_or_default(), Some(data))
}

/// The refusal of a request that the HTTP layer should have refused with a challenge.
pub(super) fn lacks_scope() -> ErrorData {
    let fault = Fault::new(Case::Forbidden, Origin::Local)
        .saying(Say::new("The token lacks a scope that this request needs."))
        .advising(Say::new("Ask the operator for a token that has it."));
    of_fault(&fault)
}

/// The refusal of a request whose caller the HTTP layer did not find.
pub(super) fn unknown_caller() -> ErrorData {
    let fault = Fault::new(Case::Internal, Origin::Local)
        .saying(Say::new("The caller of this request is not known."));
    of_fault(&fault)
}

/// Lists the names of the tools that the caller may use, and does not repeat the one that was called.
/// The log knows the call by the id.
pub(super) fn unknown_tool(unknown: &UnknownTool, names: &[&str], id: &RequestId) -> ErrorData {
    let nearest = unknown.nearest.filter(|near| names.contains(near));
    let message = match nearest {
        None if names.is_empty() => {
            "There is no tool of that name, and the token has the scope of none.".to_owned()
        }
        Some(near) => {
            format!("There is no tool of that name. Did you mean {near}? tools/list has them all.")
        }
        None => format!(
            "There is no tool of that name. The tools are: {}.",
            names.join(", ")
        ),
    };
    let mut data = json!({ "tools": names, "requestId": id.as_str() });
    if let Some(near) = nearest {
        data["nearest"] = json!(near);
    }
    ErrorData::invalid_params(message, Some(data))
}

/// Lists have one page, so there are no valid cursors.
pub(super) fn no_cursor(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_ref()) {
        Some(_) => Err(ErrorData::invalid_params(
            "The list has one page: call without a cursor.",
            None,
        )),
        None => Ok(()),
    }
}

/// Methods that this server answers. A request for one of them that the SDK could not parse has
/// invalid params, rather than an unknown method.
const ANSWERED: &[&str] = &[
    "server/discover",
    "tools/list",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
];

/// The error for a request that the SDK could not parse: an unknown method, or invalid params of
/// `initialize`. `None` for methods that this server answers, since before a session is open the
/// missing session is reported first.
pub(crate) fn unknown_request_error(method: &str) -> Option<ErrorData> {
    match method {
        "initialize" => Some(ErrorData::invalid_params(
            "initialize needs params with protocolVersion, capabilities and clientInfo {name, version}.",
            None,
        )),
        "tools/call" => None,
        method if ANSWERED.contains(&method) => None,
        _ => Some(no_such_method()),
    }
}

pub(super) fn no_such_method() -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        "This server has no such method.",
        None,
    )
}

/// The protocol demands the URI in `data`. There it is data, and it is shortened.
pub fn resource_not_found(uri: &str) -> ErrorData {
    let fault = Fault::new(Case::UnknownId, Origin::Local)
        .saying(Say::new("There is no resource at that address."))
        .advising(Say::new(
            "resources/list and resources/templates/list have those there are.",
        ));
    let mut error = of_fault(&fault);
    if let Some(Value::Object(data)) = &mut error.data {
        data.insert("uri".to_owned(), json!(fault::Quoted::from_input(uri)));
    }
    ErrorData::resource_not_found(error.message, error.data)
}

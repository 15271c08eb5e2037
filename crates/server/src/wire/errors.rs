//! The JSON-RPC errors of requests that reach no tool.

use rmcp::{
    ErrorData,
    model::{ErrorCode, PaginatedRequestParams},
};
use serde_json::json;

use crate::dispatch::UnknownTool;

/// Lists the names of the tools that the caller may use, and does not repeat the one that was called.
pub(super) fn unknown_tool(unknown: &UnknownTool, names: &[&str]) -> ErrorData {
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
    let mut data = json!({ "tools": names });
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
    ErrorData::resource_not_found(
        "There is no resource at that address.",
        Some(json!({ "uri": fault::Quoted::from_input(uri) })),
    )
}

//! Responses of the HTTP layer itself: JSON-RPC errors at `/mcp`, problem details (RFC 9457)
//! elsewhere.

use axum::response::{IntoResponse, Response};
use fault::{Context, Dialect, Fault, Surface};
use http::{HeaderValue, StatusCode, header};
use rmcp::{ErrorData, model::RequestId};
use serde_json::{Value, json};

const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;

/// A JSON-RPC error that says what a status means at `/mcp` and what to do. It has no id, because
/// the request was not parsed.
pub(super) fn refusal(status: StatusCode) -> Response {
    let message = match status.as_u16() {
        400 => {
            "The request does not fit MCP: check the MCP-Protocol-Version and Mcp-Session-Id headers; a session begins with initialize."
        }
        403 => {
            "This Host or Origin is not allowed. The operator can allow one with --allowed-origin."
        }
        404 => "The session is unknown or has ended. Begin a new one with initialize.",
        405 => "This method is not served here. Send MCP requests with POST.",
        406 => "Accept must list both application/json and text/event-stream.",
        408 => "The body did not arrive in time.",
        413 => "The body is larger than 4 MiB.",
        415 => "Content-Type must be application/json.",
        502 => {
            "The store of sessions does not answer. Wait and try again, or use protocol revision 2026-07-28, which needs no session."
        }
        503 => {
            "Too many sessions are open. Wait and try again, or use protocol revision 2026-07-28, which needs no session."
        }
        _ => "The request could not be served.",
    };
    let code = if status.is_server_error() {
        INTERNAL_ERROR
    } else {
        INVALID_REQUEST
    };
    let body = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    json_response(status, "application/json", &body)
}

/// A JSON-RPC error under the request's id, if it has one.
pub(super) fn rpc_error(id: Option<RequestId>, error: &ErrorData) -> Response {
    let mut reply = json!({ "jsonrpc": "2.0", "error": error });
    if let Some(id) = id {
        reply["id"] = json!(id);
    }
    json_response(StatusCode::BAD_REQUEST, "application/json", &reply)
}

/// Problem details, for clients that do not speak JSON-RPC.
pub(super) fn problem(status: StatusCode, detail: &str) -> Response {
    let title = status.canonical_reason().unwrap_or("Refused");
    let body = json!({ "type": "about:blank", "title": title, "status": status.as_u16(), "detail": detail });
    json_response(status, "application/problem+json", &body)
}

/// A fault as problem details, under a status of this server's own.
pub(super) fn fault(status: StatusCode, fault: &Fault) -> Response {
    let rendered = fault::render(fault, Dialect::Problem, &Context::new(Surface::Fetch));
    let mut body = rendered.structured.unwrap_or_default();
    body["status"] = Value::from(status.as_u16());
    let mut response = json_response(status, "application/problem+json", &body);
    if let Some(seconds) = fault.advice().seconds() {
        let value = HeaderValue::from(seconds);
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// What happened and what to do, for a page.
pub(super) fn sentence(fault: &Fault) -> String {
    let rendered = fault::render(fault, Dialect::Problem, &Context::new(Surface::Fetch));
    let detail = rendered.structured.unwrap_or_default();
    detail["detail"].as_str().unwrap_or_default().to_owned()
}

pub(super) async fn use_get() -> Response {
    problem(StatusCode::METHOD_NOT_ALLOWED, "Use GET here.")
}

pub(super) async fn use_post() -> Response {
    problem(StatusCode::METHOD_NOT_ALLOWED, "Use POST here.")
}

pub(super) async fn use_get_or_post() -> Response {
    problem(StatusCode::METHOD_NOT_ALLOWED, "Use GET or POST here.")
}

pub(super) fn json_response(
    status: StatusCode,
    content_type: &'static str,
    body: &Value,
) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, content_type)],
        body.to_string(),
    )
        .into_response()
}

//! Responses of the HTTP layer itself. Each is a fault of the catalogue as problem details (RFC 9457).
//! At `/mcp`, where a client expects JSON-RPC, the problem is the `data` of a JSON-RPC error, unless
//! the client says that it takes problem details ([`as_problem`]).

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use fault::{Case, Context, Dialect, Fault, Origin, Retry, Say, Surface};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use rmcp::{ErrorData, model::RequestId};
use serde_json::{Value, json};

const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;
const PROBLEM: &str = "application/problem+json";
/// The advised wait when the store does not answer.
const STORE_RETRY: Duration = Duration::from_secs(5);

/// The advice about a message that does not fit the protocol.
const CORRECT_IT: Say =
    Say::new("Correct the message as the detail says; the same message is refused again.");

/// The problem behind a refusal, among the extensions of the response.
#[derive(Debug, Clone)]
struct ProblemDetails(Value);

/// The refusal that a status means at `/mcp`, as a JSON-RPC error. It has no id, because the request
/// was not parsed.
pub(super) fn refusal(status: StatusCode) -> Response {
    refusal_of(status, &refused(status))
}

/// The refusal of a request at `/mcp` for this fault, as a JSON-RPC error.
pub(super) fn refusal_of(status: StatusCode, refused: &Fault) -> Response {
    let code = if status.is_server_error() {
        INTERNAL_ERROR
    } else {
        INVALID_REQUEST
    };
    let data = problem_of(status, refused);
    let error = json!({ "code": code, "message": data["detail"], "data": data });
    let body = json!({ "jsonrpc": "2.0", "error": error });
    let mut response = with_wait(json_response(status, "application/json", &body), refused);
    response.extensions_mut().insert(ProblemDetails(data));
    response
}

/// Whether a client takes problem details, at `/mcp` too.
pub(super) fn takes_problems(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter();
    let mut accepts = accepts.filter_map(|accept| accept.to_str().ok());
    accepts.any(|accept| accept.contains(PROBLEM))
}

/// A refusal as problem details, for clients that take them. Other responses stay as they are.
pub(super) fn as_problem(response: Response) -> Response {
    let Some(ProblemDetails(problem)) = response.extensions().get().cloned() else {
        return response;
    };
    let mut changed = json_response(response.status(), PROBLEM, &problem);
    for name in [header::ALLOW, header::RETRY_AFTER] {
        if let Some(value) = response.headers().get(&name) {
            changed.headers_mut().insert(name, value.clone());
        }
    }
    changed
}

/// What a status means at `/mcp`.
fn refused(status: StatusCode) -> Fault {
    let message = match status.as_u16() {
        400 => {
            "The request does not fit MCP: check the MCP-Protocol-Version and Mcp-Session-Id headers; a session begins with initialize."
        }
        403 => {
            "This Host or Origin is not allowed. The operator can allow one with --public-url or --allowed-origin."
        }
        404 => "The session is unknown or has ended. Begin a new one with initialize.",
        405 => "This method is not served here. Send MCP requests with POST.",
        406 => "Accept must list both application/json and text/event-stream.",
        408 => "The body did not arrive in time. Send the request again.",
        413 => "The body is larger than 4 MiB. Send less in one request.",
        415 => "Content-Type must be application/json.",
        502 => {
            "The store of sessions does not answer. Wait and try again, or use protocol revision 2026-07-28, which needs no session."
        }
        _ => "The request could not be served.",
    };
    match status {
        StatusCode::NOT_FOUND => told(Case::SessionUnknown, message),
        StatusCode::BAD_GATEWAY => told(Case::Store, message).retry(Retry::After(STORE_RETRY)),
        _ => of_status(status, message),
    }
}

/// The refusal of a session of the older protocol revisions.
pub(super) fn too_many_sessions(wait: Duration) -> Response {
    let message = "Too many sessions are open. Wait and try again, or use protocol revision 2026-07-28, which needs no session.";
    let refused = told(Case::LocalLimit, message).retry(Retry::After(wait));
    refusal_of(StatusCode::SERVICE_UNAVAILABLE, &refused)
}

/// The fault that a status of ours stands for.
fn of_status(status: StatusCode, message: &'static str) -> Fault {
    match status.as_u16() {
        403 => told(Case::AccessDenied, message),
        404 => told(Case::Http404, message),
        408 => told(Case::Timeout, message).retry(Retry::Now),
        413 | 414 | 431 => told(Case::TooLong, message),
        415 => told(Case::UnsupportedType, message),
        429 | 503 => told(Case::LocalLimit, message),
        500.. => told(Case::Internal, message),
        _ => told(Case::InvalidArgument, message),
    }
}

fn told(case: Case, message: &'static str) -> Fault {
    Fault::new(case, Origin::Local).saying(Say::new(message))
}

/// A JSON-RPC error under the request's id, if it has one.
pub(super) fn rpc_error(id: Option<RequestId>, error: &ErrorData) -> Response {
    let mut reply = json!({ "jsonrpc": "2.0", "error": error });
    if let Some(id) = id {
        reply["id"] = json!(id);
    }
    with_problem(StatusCode::BAD_REQUEST, reply)
}

/// The refusal of a message that does not fit the protocol. Its error says what is wrong with it, and
/// gets the problem as its `data`, unless the protocol defines what stands there.
pub(super) fn with_problem(status: StatusCode, mut reply: Value) -> Response {
    let error = &mut reply["error"];
    let mut problem = problem_of(
        status,
        &told(Case::InvalidArgument, "The message does not fit MCP.").advising(CORRECT_IT),
    );
    problem["detail"] = error["message"].clone();
    if error["data"].is_null() {
        error["data"] = problem.clone();
    }
    let mut response = json_response(status, "application/json", &reply);
    response.extensions_mut().insert(ProblemDetails(problem));
    response
}

/// A request to another path that cannot be served. The message says what to do instead.
pub(super) fn problem(status: StatusCode, message: &'static str) -> Response {
    fault(status, &of_status(status, message))
}

/// The content type and the body of such a response.
pub(super) fn problem_body(status: StatusCode, message: &'static str) -> (&'static str, String) {
    let problem = problem_of(status, &of_status(status, message));
    (PROBLEM, problem.to_string())
}

/// A fault as problem details, under a status of this server's own.
pub(super) fn fault(status: StatusCode, fault: &Fault) -> Response {
    let body = problem_of(status, fault);
    with_wait(json_response(status, PROBLEM, &body), fault)
}

/// What happened and what to do, for a page.
pub(super) fn sentence(fault: &Fault) -> String {
    let problem = problem_of(StatusCode::OK, fault);
    problem["detail"].as_str().unwrap_or_default().to_owned()
}

fn problem_of(status: StatusCode, fault: &Fault) -> Value {
    let rendered = fault::render(fault, Dialect::Problem, &Context::new(Surface::Fetch));
    let mut problem = rendered.structured.unwrap_or_default();
    problem["status"] = Value::from(status.as_u16());
    problem
}

fn with_wait(mut response: Response, fault: &Fault) -> Response {
    if let Some(seconds) = fault.advice().seconds() {
        let value = HeaderValue::from(seconds);
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
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

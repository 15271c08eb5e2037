//! The middleware around the SDK's service: it reads the body (limited in bytes and time), repairs
//! it, refuses invalid requests in JSON, answers CORS preflights, and sanitizes every error on its
//! way out.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::{ConnectInfo, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use engine::store::Tenant;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use mask::Masker;
use rmcp::transport::streamable_http_server::session::{SessionState, local::LocalSessionManager};
use serde_json::Value;

use super::{
    connections::{ActiveMessages, ConnectionInfo},
    guard::Guard,
    known_hosts::KnownHosts,
    responses::{self, problem, refusal, rpc_error},
    session_owners::{SESSION_ID, SessionOwners, session_id},
    shared_sessions::SharedSessions,
    stopping::Stopping,
};
use crate::{
    auth::{Caller, Refusal, Scope},
    tools::{TOOLS, Toolset},
    transport::json_rpc,
};

/// What all headers of a request may have together. The HTTP library takes at most a hundred.
const MAX_HEAD: usize = 32 * 1_024;
pub(super) const MAX_BODY: usize = 4 * 1024 * 1024;
pub(super) const BODY_TIME: Duration = Duration::from_secs(30);
/// Sessions of the older protocol revisions. Each costs about 50 KB until it ends or was idle for
/// five minutes.
const MAX_SESSIONS: usize = 1_000;
/// Sessions of one user, where users are known.
const MAX_OF_OWNER: usize = MAX_SESSIONS / 4;

/// The state of the middleware.
pub(super) struct Middleware {
    pub(super) masker: Masker,
    pub(super) hosts: KnownHosts,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) active: ActiveMessages,
    pub(super) owners: SessionOwners,
    pub(super) guard: Arc<Guard>,
    /// The toolsets that this server offers.
    pub(super) toolsets: Vec<Toolset>,
    /// Where servers that share a store find one another's sessions.
    pub(super) shared_sessions: Option<SharedSessions>,
    pub(super) stopping: Stopping,
}

/// For every path: checks the Host header, and marks the connection as busy until the response is
/// written.
pub(super) async fn track_request(
    State(middleware): State<Arc<Middleware>>,
    mut request: Request,
    next: Next,
) -> Response {
    let connection = request
        .extensions_mut()
        .remove::<ConnectInfo<ConnectionInfo>>();
    let busy = connection
        .as_ref()
        .map(|connection| connection.0.requests.start());
    if let Some(connection) = connection {
        request
            .extensions_mut()
            .insert(ConnectInfo(connection.0.address));
    }
    if request.uri().authority().is_some()
        || request.headers().get_all(header::HOST).iter().count() != 1
    {
        return problem(
            StatusCode::BAD_REQUEST,
            "Send a path in the request line and exactly one Host header.",
        );
    }
    if head_bytes(request.headers()) > MAX_HEAD {
        return problem(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "The headers of the request are larger than 32 KiB. Send fewer or shorter ones.",
        );
    }
    let active = (request.method() == Method::POST).then(|| middleware.active.start());
    let mut response = next.run(request).await;
    middleware.stopping.mark(&mut response);
    let (parts, body) = response.into_parts();
    if !is_stream(&parts.headers) {
        // The body is complete already, so the guards may be dropped.
        return Response::from_parts(parts, body);
    }
    let middleware = middleware.clone();
    let stream = body.map_frame(move |frame| {
        let _guards = (&busy, &active);
        frame.map_data(|data| middleware.sanitize_events(data))
    });
    Response::from_parts(parts, Body::new(stream))
}

/// For `/mcp`: handles CORS around the guard and [`serve_mcp`].
pub(super) async fn handle_cors(
    State(middleware): State<Arc<Middleware>>,
    request: Request,
    next: Next,
) -> Response {
    let origin = request
        .headers()
        .get(header::ORIGIN)
        .cloned()
        .filter(|origin| middleware.hosts.allows(origin));
    let mut response = if is_preflight(&request) {
        preflight(origin.is_some())
    } else {
        next.run(request).await
    };
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate"),
        );
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

/// For requests at `/mcp` that the guard let through.
pub(super) async fn serve_mcp(
    State(middleware): State<Arc<Middleware>>,
    request: Request,
    next: Next,
) -> Response {
    let takes_problems = responses::takes_problems(request.headers());
    let response = middleware.serve(request, next).await;
    match takes_problems {
        true => responses::as_problem(response),
        false => response,
    }
}

impl Middleware {
    async fn serve(&self, request: Request, next: Next) -> Response {
        let (mut parts, body) = request.into_parts();
        let caller = parts.extensions.get::<Caller>().cloned();
        let owner = caller
            .as_ref()
            .filter(|caller| caller.subject.is_some())
            .map(|caller| caller.tenant.clone());
        if !self.owners.admit(&parts.headers, owner.as_ref()) {
            // As for a session that does not exist.
            return refusal(StatusCode::NOT_FOUND);
        }
        let is_post = parts.method == Method::POST;
        if is_post && !normalize_content_type(&mut parts) {
            return refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        let body = match read_body(&parts.headers, body).await {
            Ok(body) => repair(body),
            Err(status) => return refusal(status),
        };
        if is_post {
            if let Some(refusal) = caller.and_then(|caller| self.missing_scope(caller, &body)) {
                return self.guard.refusal(&refusal);
            }
            if let Some((id, error)) = json_rpc::refuse_cursor(&body) {
                return rpc_error(Some(id), &error);
            }
            if let Some(limit) = self
                .exceeded_sessions(&parts.headers, &body, owner.as_ref())
                .await
            {
                return too_many_sessions(limit);
            }
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        let found = match self.find_shared(&parts.headers, owner.as_ref()).await {
            Ok(found) => found,
            Err(refusal) => return refusal,
        };
        let request = Request::from_parts(parts, Body::from(body.clone()));
        let user = owner.clone().unwrap_or_else(Tenant::local);
        let response = SharedSessions::within(user, found, next.run(request)).await;
        self.owners.record(response.headers(), owner);
        self.sanitize(response, is_post, &body).await
    }

    /// The session that another server has begun, if the request names one. A session that is open
    /// here is looked for too when its user is not known here.
    async fn find_shared(
        &self,
        headers: &HeaderMap,
        owner: Option<&Tenant>,
    ) -> Result<Option<SessionState>, Response> {
        let (Some(shared), Some(id)) = (&self.shared_sessions, session_id(headers)) else {
            return Ok(None);
        };
        let is_open = self.sessions.sessions.read().await.contains_key(id);
        if is_open && (owner.is_none() || self.owners.has(id)) {
            return Ok(None);
        }
        let user = owner.cloned().unwrap_or_else(Tenant::local);
        let found = shared.find(&user, id).await.map_err(|fault| {
            tracing::warn!(case = ?fault.case(), "a session could not be looked for in the store");
            refusal(StatusCode::BAD_GATEWAY)
        })?;
        let Some(found) = found else {
            return Err(refusal(StatusCode::NOT_FOUND));
        };
        if let Some(limit) = self.limit_reached(owner).await {
            return Err(too_many_sessions(limit));
        }
        if let Some(owner) = owner {
            self.owners.insert(id, owner.clone());
        }
        Ok(Some(found))
    }

    /// The refusal of a call of a tool that the caller's scopes do not allow. It comes before the
    /// SDK sees the call, because only an HTTP status with its challenge makes a client ask for more
    /// scopes.
    fn missing_scope(&self, caller: Caller, body: &[u8]) -> Option<Refusal> {
        let scopes = &caller.scopes;
        let mut offered = self.toolsets.iter().copied().map(Scope::of);
        if offered.all(|scope| scopes.has(scope)) {
            return None;
        }
        let message: Value = serde_json::from_slice(body).ok()?;
        let name = message["params"]["name"].as_str()?;
        let tool = TOOLS.iter().find(|tool| tool.name == name)?;
        let is_call = message["method"] == "tools/call";
        if !is_call || scopes.allow_tool(tool.toolsets, &self.toolsets) {
            return None;
        }
        let mut toolsets = self.toolsets.iter();
        let toolset = toolsets.find(|set| tool.toolsets.contains(set))?;
        Some(Refusal::Scope {
            needed: Scope::of(*toolset),
            granted: caller.scopes,
        })
    }

    /// The limit that this request exceeds by opening a session of the older revisions: that of all
    /// users, or that of its own.
    async fn exceeded_sessions(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        owner: Option<&Tenant>,
    ) -> Option<usize> {
        if headers.contains_key(SESSION_ID) {
            return None;
        }
        let limit = self.limit_reached(owner).await?;
        let opens = |message: Value| message["method"] == "initialize";
        serde_json::from_slice(body)
            .is_ok_and(opens)
            .then_some(limit)
    }

    async fn limit_reached(&self, owner: Option<&Tenant>) -> Option<usize> {
        let open = self.sessions.sessions.read().await;
        self.owners.retain(|id| open.contains_key(id));
        let of_owner = owner.map_or(0, |owner| self.owners.count(owner));
        match (open.len() >= MAX_SESSIONS, of_owner >= MAX_OF_OWNER) {
            (true, _) => Some(MAX_SESSIONS),
            (false, true) => Some(MAX_OF_OWNER),
            (false, false) => None,
        }
    }

    /// Replaces a plain-text refusal of the SDK by JSON, and sanitizes every JSON error.
    async fn sanitize(&self, response: Response, is_post: bool, body: &[u8]) -> Response {
        let status = response.status();
        let is_refusal = status.is_client_error() || status.is_server_error();
        if is_stream(response.headers()) {
            return response;
        }
        if !is_refusal || has_json(response.headers()) {
            return self.sanitize_json(response).await;
        }
        // The SDK answers a body it cannot parse with 415, whatever its type is.
        if is_post && status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let (id, error) = json_rpc::refuse_body(body);
            return rpc_error(id, &error);
        }
        let mut refusal = refusal(status);
        for name in [header::ALLOW, header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
            if let Some(value) = response.headers().get(&name) {
                refusal.headers_mut().insert(name, value.clone());
            }
        }
        refusal
    }

    async fn sanitize_json(&self, response: Response) -> Response {
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR);
        };
        let body = body.to_bytes();
        let sanitized = has_error(&body)
            .then(|| json_rpc::sanitize_message(&body, &self.masker))
            .flatten();
        Response::from_parts(parts, Body::from(sanitized.map_or(body, Bytes::from)))
    }

    /// Sanitizes the errors in a frame of an event stream. Each frame holds whole events.
    fn sanitize_events(&self, frame: Bytes) -> Bytes {
        if !has_error(&frame) {
            return frame;
        }
        let mut sanitized = Vec::with_capacity(frame.len());
        for line in frame.split_inclusive(|byte| *byte == b'\n') {
            let data = line
                .strip_prefix(b"data:")
                .and_then(|data| json_rpc::sanitize_message(data.trim_ascii(), &self.masker));
            match data {
                Some(data) => {
                    sanitized.extend_from_slice(b"data: ");
                    sanitized.extend_from_slice(&data);
                    sanitized.push(b'\n');
                }
                None => sanitized.extend_from_slice(line),
            }
        }
        Bytes::from(sanitized)
    }
}

fn too_many_sessions(limit: usize) -> Response {
    tracing::warn!(limit, "refused a session: too many are open");
    refusal(StatusCode::SERVICE_UNAVAILABLE)
}

fn head_bytes(headers: &HeaderMap) -> usize {
    let lines = headers.iter();
    lines
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight(allowed: bool) -> Response {
    if !allowed {
        return refusal(StatusCode::FORBIDDEN);
    }
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id",
        ),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

async fn read_body(headers: &HeaderMap, body: Body) -> Result<Bytes, StatusCode> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_elapsed) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// Removes a byte-order mark and replaces invalid characters, as the stdio transport does.
fn repair(body: Bytes) -> Bytes {
    let body = body.slice_ref(json_rpc::without_bom(&body));
    match json_rpc::repair(&body) {
        Some(repaired) => Bytes::from(repaired),
        None => body,
    }
}

/// Writes a JSON content type in the one spelling that the SDK accepts. `false` when the type is
/// not JSON.
fn normalize_content_type(parts: &mut Parts) -> bool {
    let is_json = has_json(&parts.headers);
    if is_json {
        parts.headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
    }
    is_json
}

fn has_json(headers: &HeaderMap) -> bool {
    has_type(headers, "application/json")
}

fn is_stream(headers: &HeaderMap) -> bool {
    has_type(headers, "text/event-stream")
}

fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    given.is_some_and(|given| {
        given
            .split(';')
            .next()
            .is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
    })
}

/// A cheap check without parsing: quotes inside strings are escaped, so only a key can match.
fn has_error(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains("\"error\":"))
}

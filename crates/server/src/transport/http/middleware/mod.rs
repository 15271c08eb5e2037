//! The middleware around the SDK's service: it reads the body (limited in bytes and time), repairs
//! it, refuses invalid requests in JSON, answers CORS preflights, and sanitizes every error on its
//! way out.

mod content_type;
mod cors;
mod expected_call;
mod request_body;
mod sanitize;
mod session_limits;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    middleware::Next,
    response::Response,
};
use engine::store::Tenant;
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use mask::Masker;
use rmcp::{ErrorData, transport::streamable_http_server::session::local::LocalSessionManager};
use serde_json::Value;
use tokio::sync::RwLock;

use self::{
    content_type::{is_stream, normalize_accept},
    expected_call::ExpectedCall,
    request_body::{address, normalize_content_type, read_body, repair},
};
pub(super) use self::{cors::handle_cors, request_body::MAX_BODY};
use super::{
    body_room::{BodyPlace, BodyRoom},
    connections::{ActiveMessages, ConnectionInfo},
    guard::Guard,
    known_hosts::KnownHosts,
    responses::{self, problem, refusal, rpc_error},
    session_owners::{SessionGuard, SessionOwner, SessionOwners},
    shared_sessions::SharedSessions,
    stopping::Stopping,
};
use crate::{
    auth::{Caller, Refusal, Scope, Scopes},
    peer::counted_for,
    settings::Settings,
    tools::{TOOLS, ToolAccess},
    transport::json_rpc,
};

/// What all headers of a request may have together. The HTTP library takes at most a hundred.
const MAX_HEAD: usize = 32 * 1_024;

/// The state of the middleware.
pub(super) struct Middleware {
    pub(super) masker: Masker,
    pub(super) hosts: KnownHosts,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) active: ActiveMessages,
    pub(super) owners: SessionOwners,
    pub(super) guard: Arc<Guard>,
    pub(super) settings: Settings,
    /// Where servers that share a store find one another's sessions.
    pub(super) shared_sessions: Option<SharedSessions>,
    /// Locked for writing while a session that another server has begun is opened here.
    pub(super) opening: Arc<RwLock<()>>,
    pub(super) stopping: Stopping,
    pub(super) body_room: BodyRoom,
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
    if !has_one_host(&request) {
        return problem(
            StatusCode::BAD_REQUEST,
            "Send exactly one Host header, and in the request line a path or an address of the same host.",
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
        if !self.hosts.knows(&parts.headers) {
            tracing::info!(
                status = StatusCode::FORBIDDEN.as_u16(),
                "refused a request: its Host is a name that is not known here"
            );
            return refusal(StatusCode::FORBIDDEN);
        }
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
        if is_post && is_encoded(&parts.headers) {
            return rpc_error(None, &encoded_body());
        }
        normalize_accept(&mut parts.headers);
        let user = owner.clone().unwrap_or_else(Tenant::local);
        let peer = address(&parts);
        let counted_for: Arc<str> = counted_for(&user, peer).unwrap_or_default().into();
        let (body, place) = match read_body(&parts, body, &self.body_room, &counted_for).await {
            Ok((body, place)) => (repair(body), place),
            Err(refusal) => return refusal,
        };
        let session_owner = SessionOwner {
            user: owner,
            counted_for,
        };
        if let Some((ids, error)) = json_rpc::refuse_many_values(&body) {
            return rpc_error(ids.into_iter().next(), &error);
        }
        let call = ExpectedCall::new(&self.settings, &body);
        place.is_complete(call.time);
        if is_post {
            if let Some(refusal) = caller.and_then(|caller| self.missing_scope(caller, &body)) {
                return self.guard.refusal(&refusal, &parts);
            }
            if let Some((id, error)) = json_rpc::refuse_cursor(&body) {
                return rpc_error(Some(id), &error);
            }
            let begun = self.admit_session(&parts.headers, &body, &session_owner, peer);
            if let Err(refusal) = begun.await {
                return refusal;
            }
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        let finding = self.find_shared(&parts, &session_owner, peer);
        let found = match finding.await {
            Ok(found) => found,
            Err(refusal) => return refusal,
        };
        if let Some(found) = &found {
            self.open_shared(&parts, &user, found, next.clone()).await;
        }
        let counted_for = &session_owner.counted_for;
        // As long as a call waits for a slot.
        let patience = self.settings.deadline / 4;
        let reserving = self
            .body_room
            .reserve(counted_for, call.reply_bytes, patience, call.time);
        let for_reply = match reserving.await {
            Ok(place) => place,
            Err(full) => return full.refusal(peer),
        };
        let in_use = self.owners.start(&parts.headers);
        let request = Request::from_parts(parts, Body::from(body.clone()));
        let Some(response) = SharedSessions::within(user, found, next.run(request)).await else {
            return refusal(StatusCode::BAD_GATEWAY);
        };
        if response.status() == StatusCode::FORBIDDEN {
            tracing::info!(
                status = StatusCode::FORBIDDEN.as_u16(),
                "refused a request: its Origin is not allowed"
            );
        }
        self.owners.record(response.headers(), &session_owner);
        let response = self.sanitize(response, is_post, &body, counted_for).await;
        in_use_until_read(self.hold_events(response, counted_for, for_reply), in_use)
    }

    /// Lets the events of a stream take room until they are read.
    fn hold_events(
        &self,
        response: Response,
        counted_for: &Arc<str>,
        for_reply: BodyPlace,
    ) -> Response {
        if !is_stream(response.headers()) {
            return response;
        }
        let (room, counted_for) = (self.body_room.clone(), Arc::clone(counted_for));
        response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _until_the_end = &for_reply;
                frame.map_data(|data| room.hold(&counted_for, data))
            }))
        })
    }

    /// The refusal of a call of a tool, or of a resource, that the caller's scopes do not allow. It
    /// comes before the SDK sees the request, because only an HTTP status with its challenge makes a
    /// client ask for more scopes.
    fn missing_scope(&self, caller: Caller, body: &[u8]) -> Option<Refusal> {
        let mut offered = self.settings.toolsets.iter().copied().map(Scope::of);
        if offered.all(|scope| caller.scopes.has(scope)) {
            return None;
        }
        let message: Value = serde_json::from_slice(body).ok()?;
        let needed = match message["method"].as_str()? {
            "tools/call" => self.scope_of_tool(&caller.scopes, message["params"]["name"].as_str()?),
            "resources/read" => self.guard.scope_for_looking(&caller),
            _ => None,
        };
        Some(Refusal::Scope {
            needed: needed?,
            granted: caller.scopes,
        })
    }

    /// The scope that these lack for a call of this tool.
    fn scope_of_tool(&self, scopes: &Scopes, name: &str) -> Option<Scope> {
        let tool = TOOLS.iter().find(|tool| tool.name == name)?;
        if tool.access(&self.settings, scopes) != ToolAccess::NeedsScope {
            return None;
        }
        let mut toolsets = self.settings.toolsets.iter();
        let toolset = toolsets.find(|set| tool.toolsets.contains(set))?;
        Some(Scope::of(*toolset))
    }
}

/// A session whose stream is open is in use.
fn in_use_until_read(response: Response, in_use: Option<SessionGuard>) -> Response {
    if in_use.is_none() || !is_stream(response.headers()) {
        return response;
    }
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _guard = &in_use;
            frame
        }))
    })
}

fn is_encoded(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn encoded_body() -> ErrorData {
    ErrorData::invalid_request("Send the body as it is, without Content-Encoding.", None)
}

/// Whether a request names one host, or none where a load balancer asks as in HTTP/1.0.
fn has_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next(), request.uri().authority()) {
        (Some(_), None, None) => true,
        (Some(host), None, Some(authority)) => host.as_bytes() == authority.as_str().as_bytes(),
        (None, _, None) => matches!(request.uri().path(), "/healthz" | "/readyz"),
        _ => false,
    }
}

fn head_bytes(headers: &HeaderMap) -> usize {
    let lines = headers.iter();
    lines
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}

//! The web page at `/`: what works, what failed, the research sessions, and tools to try.
//!
//! The page is a few files of this program (`files`) that read JSON from `/api` (`api`) and are told
//! of changes by server-sent events (`events`). `access` decides which requests are served. A user
//! sees their own sessions and failures only; an operator sees every failure.

mod access;
mod api;
mod events;
mod files;
mod try_call;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::SocketAddr,
    sync::Arc,
};

use axum::{
    Router,
    extract::{ConnectInfo, FromRequestParts, Path, Request, State},
    middleware::{Next, from_fn_with_state, map_response},
    response::Response,
    routing::{MethodRouter, get, post},
};
use engine::store::Tenant;
use http::{HeaderMap, StatusCode, request::Parts};
use tokio_util::sync::CancellationToken;

use self::{access::Access, events::Streams};
use super::{body_room::BodyRoom, known_hosts::KnownHosts, responses::problem, sign_in};
use crate::{
    auth::{Caller, Scope, Scopes},
    dispatch::Dispatcher,
    peer::one_customer,
    tools::Tool,
};

/// The tool that reads research sessions.
const SESSIONS_TOOL: &str = "get_research_session";

/// What the page is served from.
#[derive(Debug)]
pub(super) struct WebPage {
    dispatcher: Arc<Dispatcher>,
    access: Access,
    /// Cancelled when the server stops, which ends every stream.
    stopping: CancellationToken,
    streams: Streams,
    body_room: BodyRoom,
}

impl WebPage {
    pub(super) fn new(
        dispatcher: Arc<Dispatcher>,
        hosts: KnownHosts,
        stopping: CancellationToken,
        body_room: BodyRoom,
    ) -> WebPage {
        WebPage {
            access: Access { hosts },
            dispatcher,
            stopping,
            streams: Streams::default(),
            body_room,
        }
    }

    pub(super) fn routes(self) -> Router {
        let page = Arc::new(self);
        let files = Router::new()
            .route("/", get(index).fallback(get_only))
            .route("/page/{name}", get(file).fallback(get_only))
            .layer(from_fn_with_state(page.clone(), guard_files));
        // Around the methods of a route, and not around its fallback: a method that it does not have is
        // refused as such, whoever asks.
        let guarded = |route: MethodRouter<Arc<WebPage>>| {
            route.route_layer(from_fn_with_state(page.clone(), guard_data))
        };
        let read = |route: MethodRouter<Arc<WebPage>>| guarded(route).fallback(get_only);
        let data = Router::new()
            .route("/api/viewer", read(get(api::viewer)))
            .route("/api/overview", read(get(api::overview)))
            .route("/api/faults", read(get(api::faults)))
            .route("/api/faults/{id}", read(get(api::fault)))
            .route("/api/sessions", read(get(api::sessions)))
            .route("/api/sessions/{id}", read(get(api::session)))
            .route("/api/tools", read(get(api::tools)))
            .route("/api/events", read(get(events::stream)))
            .route(
                "/api/call",
                guarded(post(try_call::call)).fallback(post_only),
            )
            .layer(map_response(async |response| files::secure(response)));
        files.merge(data).with_state(page)
    }
}

async fn get_only() -> Response {
    problem(StatusCode::METHOD_NOT_ALLOWED, "This is read with GET.")
}

async fn post_only() -> Response {
    problem(
        StatusCode::METHOD_NOT_ALLOWED,
        "Tools are called with POST.",
    )
}

async fn index(headers: HeaderMap) -> Response {
    files::index(&headers).unwrap_or_else(not_found)
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    files::file(&name, &headers).unwrap_or_else(not_found)
}

fn not_found() -> Response {
    problem(StatusCode::NOT_FOUND, "The page has no such file.")
}

async fn guard_files(State(page): State<Arc<WebPage>>, request: Request, next: Next) -> Response {
    files::secure(match page.access.check_file(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => problem(refusal.status(), refusal.message()),
    })
}

async fn guard_data(State(page): State<Arc<WebPage>>, request: Request, next: Next) -> Response {
    let allowed = page.access.check_data(request.method(), request.headers());
    match allowed {
        Ok(()) => next.run(request).await,
        Err(refusal) => problem(refusal.status(), refusal.message()),
    }
}

/// Who looks at the page.
#[derive(Debug, Clone)]
pub(super) struct Viewer {
    tenant: Tenant,
    /// Their name, where the server knows its users.
    subject: Option<String>,
    /// Whether a cookie stands for their token, so that they can sign out.
    signed_in: bool,
    /// Whether they see the failures of all users, and the words of upstreams.
    is_operator: bool,
    /// Which tools they may use.
    scopes: Scopes,
    /// Where the request came from.
    address: Option<SocketAddr>,
}

/// The guard around these routes has found the caller.
impl FromRequestParts<Arc<WebPage>> for Viewer {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut Parts,
        _page: &Arc<WebPage>,
    ) -> Result<Viewer, Response> {
        let caller = Caller::of(parts).cloned().ok_or_else(|| {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            problem(status, "The caller of this request is not known.")
        })?;
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Viewer {
            is_operator: caller.scopes.has(Scope::Operator),
            tenant: caller.tenant,
            signed_in: caller.subject.is_some() && sign_in::cookie(&parts.headers).is_some(),
            subject: caller.subject,
            scopes: caller.scopes,
            address: address.map(|address| address.0),
        })
    }
}

impl Viewer {
    /// Whether they may use a tool.
    fn may_use(&self, page: &WebPage, tool: &Tool) -> bool {
        tool.is_granted(page.dispatcher.settings(), &self.scopes)
    }

    /// Whether they may read their research sessions: what the tool for that needs, this page needs.
    fn may_read_sessions(&self, page: &WebPage) -> bool {
        let mut tools = page.dispatcher.tools();
        let tool = tools.find(|tool| tool.name == SESSIONS_TOOL);
        tool.is_none_or(|tool| self.may_use(page, tool))
    }

    /// A number for this user, or this address where users are not known.
    fn hash(&self, purpose: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        let address = self.address.map(|address| one_customer(address.ip()));
        let by_address = address.filter(|_| self.tenant == Tenant::local());
        (&self.tenant, by_address, purpose).hash(&mut hasher);
        hasher.finish()
    }
}

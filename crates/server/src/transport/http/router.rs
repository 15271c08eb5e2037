//! What is served at which path.

use std::sync::Arc;

use axum::{Router, middleware::from_fn_with_state, response::Response, routing::get};
use http::StatusCode;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;

use super::{
    guard::{Access, Guard},
    metadata,
    metrics_page::{self, MetricsAccess},
    middleware::{self, Middleware},
    page::WebPage,
    responses, sign_in,
};
use crate::{auth::MCP_PATH, dispatch::Dispatcher};

/// What is served besides MCP.
pub(super) struct Pages {
    pub(super) metrics: Option<MetricsAccess>,
    pub(super) page: Option<WebPage>,
    /// Whose store `/readyz` tells about.
    pub(super) dispatcher: Option<Arc<Dispatcher>>,
}

pub(super) fn router<H: ServerHandler + Clone>(
    service: StreamableHttpService<H, LocalSessionManager>,
    pages: Pages,
    guard: Arc<Guard>,
    middleware: Arc<Middleware>,
) -> Router {
    let with_middleware = || middleware.clone();
    let mcp = Router::new()
        .route_service(MCP_PATH, service)
        .layer(from_fn_with_state(with_middleware(), middleware::serve_mcp));
    let mcp = guard.around(mcp, Access::MCP).layer(from_fn_with_state(
        with_middleware(),
        middleware::handle_cors,
    ));
    let Pages {
        metrics,
        page,
        dispatcher,
    } = pages;
    let has_page = page.is_some();
    let stopping = middleware.stopping.clone();
    let mut pages = Router::new()
        .route("/healthz", get(health).fallback(method_not_allowed))
        .route(
            "/readyz",
            get(async move || stopping.readiness(dispatcher.as_deref()).await)
                .fallback(method_not_allowed),
        )
        .merge(sign_in::routes(Arc::clone(&guard)))
        .merge(metadata::routes(&guard.authenticator));
    if let Some(access) = metrics {
        let counters = Router::new().route("/metrics", metrics_page::route(access));
        pages = pages.merge(guard.around(counters, Access::METRICS));
    }
    if let Some(page) = page {
        pages = pages.merge(guard.around(page.routes(), Access::PAGE));
    }
    pages
        .merge(mcp)
        .fallback(async move || not_found(has_page))
        .layer(from_fn_with_state(middleware, middleware::track_request))
}

async fn health() -> Response {
    responses::json_response(
        StatusCode::OK,
        "application/json",
        &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }),
    )
}

async fn method_not_allowed() -> Response {
    responses::problem(
        StatusCode::METHOD_NOT_ALLOWED,
        "The health page is read with GET.",
    )
}

fn not_found(has_page: bool) -> Response {
    let places = match has_page {
        true => {
            "Nothing is served here. MCP is at /mcp, a page for people at /, health at /healthz, readiness at /readyz."
        }
        false => {
            "Nothing is served here. MCP is at /mcp, health at /healthz, readiness at /readyz."
        }
    };
    responses::problem(StatusCode::NOT_FOUND, places)
}

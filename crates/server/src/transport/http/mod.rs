//! MCP over HTTP: one endpoint, `/mcp`, a web page at `/` for people, a health page, and counters if
//! the operator wants them.
//!
//! The SDK's service checks Host, Origin and protocol headers and serves every protocol revision.
//! `connections` limits connections, and `middleware` wraps the SDK and turns its plain-text
//! refusals into JSON, so that a client's error handling gets a code and a message.

mod connection;
mod connections;
mod metrics_page;
mod middleware;
mod origins;
mod page;
mod responses;
mod session_owners;
mod shared_sessions;
mod stopping;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, middleware::from_fn_with_state, response::Response, routing::get};
use http::{HeaderName, StatusCode};
use mask::Masker;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::{
    connections::{ActiveMessages, ConnectionInfo, LimitedListener},
    metrics_page::MetricsAccess,
    middleware::{MAX_BODY, Middleware},
    origins::KnownHosts,
    page::WebPage,
    session_owners::SessionOwners,
    shared_sessions::SharedSessions,
    stopping::Stopping,
};
use crate::{dispatch::Dispatcher, settings::Settings};

const PATH: &str = "/mcp";

/// A listening socket that is not served yet.
#[derive(Debug)]
pub struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    origins: Vec<String>,
    masker: Masker,
    subject_header: Option<HeaderName>,
    metrics: Option<Arc<Dispatcher>>,
    page: Option<Arc<Dispatcher>>,
    calls: Option<Arc<Dispatcher>>,
    shared_sessions: Option<SharedSessions>,
    drain_delay: Duration,
}

impl Endpoint {
    pub async fn bind(address: SocketAddr, settings: &Settings) -> std::io::Result<Endpoint> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Endpoint {
            listener,
            address,
            origins: settings.allowed_origins.clone(),
            masker: settings.masker(),
            subject_header: settings.subject_header.clone(),
            metrics: None,
            page: None,
            calls: None,
            shared_sessions: (settings.store_url.is_some())
                .then(|| SharedSessions::new(settings.store())),
            drain_delay: settings.drain_delay,
        })
    }

    /// Serves the counters of this dispatcher at `/metrics`.
    #[must_use]
    pub fn with_metrics(mut self, dispatcher: Arc<Dispatcher>) -> Endpoint {
        self.metrics = Some(dispatcher);
        self
    }

    /// Serves the web page about this dispatcher at `/`.
    #[must_use]
    pub fn with_page(mut self, dispatcher: Arc<Dispatcher>) -> Endpoint {
        self.page = Some(dispatcher);
        self
    }

    /// Answers the calls of this dispatcher that still run when the server ends.
    #[must_use]
    pub fn ending_calls_of(mut self, dispatcher: Arc<Dispatcher>) -> Endpoint {
        self.calls = Some(dispatcher);
        self
    }

    /// The address it listens on, with the real port when port 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` resolves, and some time longer: running calls may finish, while idle
    /// connections and open streams are closed.
    pub async fn serve<H>(
        self,
        handler: H,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()>
    where
        H: ServerHandler + Clone,
    {
        let stopping = Stopping::default();
        let sessions = Arc::new(LocalSessionManager::default());
        let active = ActiveMessages::default();
        let middleware = Middleware {
            masker: self.masker.clone(),
            origins: self.allowed_origins(),
            sessions: sessions.clone(),
            active: active.clone(),
            owners: SessionOwners::default(),
            subject_header: self.subject_header.clone(),
            shared_sessions: self.shared_sessions.clone(),
            stopping: stopping.clone(),
        };
        let service = StreamableHttpService::new(
            move || Ok(handler.clone()),
            sessions,
            self.config(stopping.ended()),
        );
        let metrics = self.metrics.clone().map(|dispatcher| MetricsAccess {
            dispatcher,
            hosts: self.hosts(),
        });
        let page = self.page.clone().map(|dispatcher| {
            WebPage::new(dispatcher, KnownHosts(self.hosts()), stopping.closing())
        });
        let router = router(service, metrics, page, Arc::new(middleware));
        let listener = LimitedListener::new(self.listener, stopping.closing());
        let router = router.into_make_service_with_connect_info::<ConnectionInfo>();
        let serving = axum::serve(listener, router)
            .with_graceful_shutdown(stopping.closing().cancelled_owned());
        let ending = async move {
            stop.await;
            stopping.run(self.drain_delay, &active, self.calls).await;
        };
        tokio::select! {
            served = serving.into_future() => served,
            () = ending => Ok(()),
        }
    }

    /// Loopback, and the origins that the operator allows.
    fn allowed_origins(&self) -> Vec<String> {
        let loopback = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        loopback
            .into_iter()
            .map(str::to_owned)
            .chain(self.origins.iter().cloned())
            .collect()
    }

    fn config(&self, ended: CancellationToken) -> StreamableHttpServerConfig {
        let mut config = StreamableHttpServerConfig::default();
        if let Some(sessions) = &self.shared_sessions {
            config.session_store = Some(Arc::new(sessions.clone()));
        }
        config
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_allowed_hosts(self.hosts())
            .with_allowed_origins(self.allowed_origins())
            .enforce_origin_validation()
            .with_cancellation_token(ended)
    }

    /// Loopback, the address it listens on, and the hosts of the origins that the operator allows.
    fn hosts(&self) -> Vec<String> {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        if !self.address.ip().is_unspecified() {
            hosts.push(self.address.ip().to_string());
        }
        let trusted = self
            .origins
            .iter()
            .filter_map(|origin| url::Url::parse(origin.trim_end_matches(":*")).ok());
        hosts.extend(trusted.filter_map(|url| url.host_str().map(str::to_owned)));
        hosts
    }
}

fn router<H: ServerHandler + Clone>(
    service: StreamableHttpService<H, LocalSessionManager>,
    metrics: Option<MetricsAccess>,
    page: Option<WebPage>,
    middleware: Arc<Middleware>,
) -> Router {
    let mcp = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(
            middleware.clone(),
            middleware::handle_mcp,
        ));
    let stopping = middleware.stopping.clone();
    let mut pages = Router::new()
        .route("/healthz", get(health).fallback(method_not_allowed))
        .route(
            "/readyz",
            get(async move || stopping.readiness()).fallback(method_not_allowed),
        );
    if let Some(access) = metrics {
        pages = pages.route("/metrics", metrics_page::route(access));
    }
    if let Some(page) = page {
        pages = pages.merge(page.routes());
    }
    pages
        .merge(mcp)
        .fallback(not_found)
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

async fn not_found() -> Response {
    responses::problem(
        StatusCode::NOT_FOUND,
        "Nothing is served here. MCP is at /mcp, a page for people at /, health at /healthz, readiness at /readyz.",
    )
}

/// Parses an address to listen on: `IP:PORT`, or `localhost:PORT` and `:PORT` for loopback. The
/// error says what was expected.
pub fn parse_address(text: &str) -> Result<SocketAddr, &'static str> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let digits = text
        .rsplit_once(':')
        .map(|(_, port)| port)
        .filter(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    if digits.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err("a port from 0 to 65535");
    }
    let port = text
        .strip_prefix("localhost:")
        .or_else(|| text.strip_prefix(':'))
        .and_then(|port| port.parse::<u16>().ok());
    port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
        .ok_or("an IP address and a port")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_addresses_are_parsed_leniently() {
        let port = |text| parse_address(text).ok().map(|address| address.to_string());
        assert_eq!(port("127.0.0.1:8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(port("[::1]:0").as_deref(), Some("[::1]:0"));
        assert_eq!(port("localhost:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(port(":9000").as_deref(), Some("127.0.0.1:9000"));
        for wrong in ["8080", "example.com:80", "127.0.0.1", "localhost:http", ""] {
            assert_eq!(
                parse_address(wrong),
                Err("an IP address and a port"),
                "{wrong}"
            );
        }
        assert_eq!(
            parse_address("127.0.0.1:99999"),
            Err("a port from 0 to 65535")
        );
    }
}

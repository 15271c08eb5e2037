//! MCP over HTTP: one endpoint, `/mcp`, a web page at `/` for people, a health page, and counters if
//! the operator wants them.
//!
//! `guard` finds out who makes a request, before anything but the health page, the metadata
//! documents and the sign-in form (`sign_in`) sees it. The SDK's service checks Host, Origin and
//! protocol headers and serves every protocol revision.
//! `connections` limits connections, and `middleware` wraps the SDK and turns its plain-text
//! refusals into JSON, so that a client's error handling gets a code and a message.

mod connection;
mod connections;
mod guard;
mod known_hosts;
mod metadata;
mod metrics_page;
mod middleware;
mod page;
mod responses;
mod session_owners;
mod shared_sessions;
mod sign_in;
mod socket;
mod stopping;

use std::{fmt, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, middleware::from_fn_with_state, response::Response, routing::get};
use http::StatusCode;
use mask::Masker;
use net::{CertificateError, ServerTls};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use url::Url;

use self::{
    connections::{ActiveMessages, ConnectionInfo, LimitedListener},
    guard::{Access, Guard},
    known_hosts::KnownHosts,
    metrics_page::MetricsAccess,
    middleware::{BODY_TIME, MAX_BODY, Middleware},
    page::WebPage,
    session_owners::SessionOwners,
    shared_sessions::SharedSessions,
    stopping::Stopping,
};
use crate::{
    auth::{Authenticator, MCP_PATH, SignIns},
    dispatch::Dispatcher,
    settings::Settings,
    tools::Toolset,
};

/// A listening socket that is not served yet.
#[derive(Debug)]
pub struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    origins: Vec<String>,
    masker: Masker,
    authenticator: Authenticator,
    sign_ins: SignIns,
    public_url: Option<Url>,
    tls: Option<ServerTls>,
    toolsets: Vec<Toolset>,
    metrics: Option<Arc<Dispatcher>>,
    page: Option<Arc<Dispatcher>>,
    calls: Option<Arc<Dispatcher>>,
    shared_sessions: Option<SharedSessions>,
    drain_delay: Duration,
}

/// Why a server cannot start.
#[derive(Debug)]
pub enum StartError {
    /// A setting does not work; the text says which, and why.
    Setting(String),
    /// The address cannot be listened on.
    Listen(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Setting(text) => out.write_str(text),
            StartError::Listen(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for StartError {}

impl Endpoint {
    pub async fn bind(address: SocketAddr, settings: &Settings) -> Result<Endpoint, StartError> {
        let authenticator = Authenticator::new(settings).map_err(StartError::Setting)?;
        let tls = load_tls(settings).map_err(StartError::Setting)?;
        let listener = TcpListener::bind(address)
            .await
            .map_err(StartError::Listen)?;
        let address = listener.local_addr().map_err(StartError::Listen)?;
        Ok(Endpoint {
            listener,
            address,
            origins: settings.allowed_origins.clone(),
            masker: settings.masker(),
            authenticator,
            sign_ins: SignIns::new(settings.store()),
            public_url: settings.public_url.clone(),
            tls,
            toolsets: settings.toolsets.clone(),
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

    /// The scheme of its addresses.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
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
        let (config, hosts) = (self.config(stopping.ended()), self.known_hosts());
        let metrics = self.metrics.map(|dispatcher| MetricsAccess {
            dispatcher,
            hosts: hosts.clone(),
        });
        let guard = Arc::new(Guard {
            is_secure: self.tls.is_some() || is_https(self.public_url.as_ref()),
            authenticator: self.authenticator,
            sign_ins: self.sign_ins,
            hosts: hosts.clone(),
        });
        let middleware = Middleware {
            masker: self.masker,
            hosts,
            sessions: sessions.clone(),
            active: active.clone(),
            owners: SessionOwners::default(),
            guard: Arc::clone(&guard),
            toolsets: self.toolsets,
            shared_sessions: self.shared_sessions,
            stopping: stopping.clone(),
        };
        let page = self
            .page
            .map(|dispatcher| WebPage::new(dispatcher, guard.hosts.clone(), stopping.closing()));
        let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
        let pages = Pages { metrics, page };
        let router = router(service, pages, guard, Arc::new(middleware));
        let listener = LimitedListener::new(self.listener, self.tls, stopping.closing());
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

    fn known_hosts(&self) -> KnownHosts {
        let own = self.origins.iter().cloned();
        KnownHosts {
            names: self.hosts(),
            origins: self.allowed_origins(),
            own: own.chain(self.public_url.as_ref().map(origin_of)).collect(),
            public: self.public_url.clone(),
            is_tls: self.tls.is_some(),
        }
    }

    /// Loopback, and the origins that the operator allows.
    fn allowed_origins(&self) -> Vec<String> {
        let scheme = self.scheme();
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        loopback
            .into_iter()
            .map(|host| format!("{scheme}://{host}:*"))
            .chain(self.origins.iter().cloned())
            .chain(self.public_url.as_ref().map(origin_of))
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

    /// Loopback, the address it listens on, the public address, and the hosts of the origins that the
    /// operator allows.
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
        let trusted = trusted.chain(self.public_url.clone());
        hosts.extend(trusted.filter_map(|url| url.host_str().map(str::to_owned)));
        hosts
    }
}

/// TLS, if the operator has set a certificate. The error says which setting does not work.
pub(crate) fn load_tls(settings: &Settings) -> Result<Option<ServerTls>, String> {
    match (settings.tls_cert.clone(), settings.tls_key.clone()) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            let loaded = ServerTls::load(certificate, key);
            loaded.map(Some).map_err(|error| match error {
                CertificateError::NoCertificate => format!("--tls-cert: {error}"),
                CertificateError::NoKey | CertificateError::Mismatch => {
                    format!("--tls-key: {error}")
                }
            })
        }
        (Some(_), None) => {
            Err("--tls-cert needs --tls-key, the private key of that certificate".to_owned())
        }
        (None, Some(_)) => {
            Err("--tls-key needs --tls-cert, the certificate of that key".to_owned())
        }
    }
}

fn is_https(url: Option<&Url>) -> bool {
    url.is_some_and(|url| url.scheme() == "https")
}

/// With its port, as the SDK compares origins.
fn origin_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}://{host}:{port}", url.scheme())
}

/// What is served besides MCP.
struct Pages {
    metrics: Option<MetricsAccess>,
    page: Option<WebPage>,
}

fn router<H: ServerHandler + Clone>(
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
    let Pages { metrics, page } = pages;
    let stopping = middleware.stopping.clone();
    let mut pages = Router::new()
        .route("/healthz", get(health).fallback(method_not_allowed))
        .route(
            "/readyz",
            get(async move || stopping.readiness()).fallback(method_not_allowed),
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

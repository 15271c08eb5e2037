//! MCP over HTTP: one endpoint, `/mcp`, and a health page.
//!
//! The SDK's service checks Host, Origin and headers and serves both eras. `door` decides who may
//! stay connected, `gate` stands around the SDK and puts its plain-text refusals into JSON, so that
//! a client's own error handling sees a code and a sentence.

mod door;
mod gate;
mod told;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, middleware::from_fn_with_state, response::Response, routing::get};
use http::StatusCode;
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
    door::{Door, Peer, Running},
    gate::{Gate, MAX_BODY},
};
use crate::settings::Settings;

/// How long running calls may finish after a signal.
const DRAIN_TIME: Duration = Duration::from_secs(10);
/// And how long the last bytes may take then.
const LAST_BYTES: Duration = Duration::from_secs(1);
const PATH: &str = "/mcp";

/// A listening socket that is not served yet.
#[derive(Debug)]
pub struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    origins: Vec<String>,
    masker: Masker,
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
        })
    }

    /// Where it really listens, also when port 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` resolves. Then nobody new is let in, running calls may finish, and
    /// whoever says nothing or only listens is shown out.
    pub async fn serve<H>(
        self,
        handler: H,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()>
    where
        H: ServerHandler + Clone,
    {
        // Two moments: the SDK ends every call when its token is cancelled, so it must not learn of
        // the first one.
        let (stopping, ended) = (CancellationToken::new(), CancellationToken::new());
        let sessions = Arc::new(LocalSessionManager::default());
        let running = Running::default();
        let gate = Gate {
            masker: self.masker.clone(),
            origins: self.allowed_origins(),
            sessions: sessions.clone(),
            running: running.clone(),
        };
        let service = StreamableHttpService::new(
            move || Ok(handler.clone()),
            sessions,
            self.config(ended.clone()),
        );
        let router = router(service, Arc::new(gate));
        let door = Door::new(self.listener, stopping.clone());
        let serving = axum::serve(door, router.into_make_service_with_connect_info::<Peer>())
            .with_graceful_shutdown(stopping.clone().cancelled_owned());
        let ending = async move {
            stop.await;
            stopping.cancel();
            let _ = tokio::time::timeout(DRAIN_TIME, running.none()).await;
            ended.cancel();
            tokio::time::sleep(LAST_BYTES).await;
        };
        tokio::select! {
            served = serving.into_future() => served,
            () = ending => Ok(()),
        }
    }

    /// Loopback and those the operator trusts.
    fn allowed_origins(&self) -> Vec<String> {
        let loopback = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        loopback
            .into_iter()
            .map(str::to_owned)
            .chain(self.origins.iter().cloned())
            .collect()
    }

    fn config(&self, ended: CancellationToken) -> StreamableHttpServerConfig {
        StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_allowed_hosts(self.hosts())
            .with_allowed_origins(self.allowed_origins())
            .enforce_origin_validation()
            .with_cancellation_token(ended)
    }

    /// Loopback, the address we were told to listen on, and the hosts of origins the operator
    /// trusts.
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
    gate: Arc<Gate>,
) -> Router {
    let mcp = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(gate.clone(), gate::mcp));
    Router::new()
        .route("/healthz", get(healthy).fallback(only_get))
        .merge(mcp)
        .fallback(nothing_here)
        .layer(from_fn_with_state(gate, gate::watched))
}

async fn healthy() -> Response {
    told::as_json(
        StatusCode::OK,
        "application/json",
        &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }),
    )
}

async fn only_get() -> Response {
    told::problem(
        StatusCode::METHOD_NOT_ALLOWED,
        "The health page is read with GET.",
    )
}

async fn nothing_here() -> Response {
    told::problem(
        StatusCode::NOT_FOUND,
        "Nothing is served here. MCP is at /mcp, health at /healthz.",
    )
}

/// An address to listen on: `IP:PORT`, `localhost:PORT` or `:PORT`, the last two on loopback. Or
/// what would have been right.
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

/// Resolves when the operator asks the process to end. It listens from now on, not from its first
/// poll, so that a signal that follows our first words on its heels is not missed. Needs a runtime.
pub fn asked_to_stop() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    let asked = {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
        );
        async move {
            match (interrupt, terminate) {
                (Ok(mut interrupt), Ok(mut terminate)) => {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                }
                // Without handlers of ours a signal ends the process as it always does.
                _ => std::future::pending().await,
            }
        }
    };
    #[cfg(not(unix))]
    let asked = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_people_type() {
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

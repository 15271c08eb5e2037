//! MCP over HTTP: one endpoint, `/mcp`, and a health page.
//!
//! The SDK's service checks Host, Origin and headers and serves both eras. Around it stands one layer that reads the
//! body (bounded in bytes and time) and turns the SDK's plain-text refusals into JSON, so that a client's own error
//! handling sees a code and a sentence. Accepted sockets have Nagle's algorithm off: with it on, every streamed reply
//! waits about 40 ms for an acknowledgement.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::get,
    serve::ListenerExt,
};
use http::{HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{lines, settings::Settings};

const MAX_BODY: usize = 4 * 1024 * 1024;
const BODY_TIME: Duration = Duration::from_secs(30);
/// How long running calls may finish after a signal.
const DRAIN_TIME: Duration = Duration::from_secs(10);
const PATH: &str = "/mcp";

/// A listening socket that is not served yet.
#[derive(Debug)]
pub struct Endpoint {
    listener: TcpListener,
    address: SocketAddr,
    origins: Vec<String>,
}

impl Endpoint {
    pub async fn bind(address: SocketAddr, settings: &Settings) -> std::io::Result<Endpoint> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Endpoint { listener, address, origins: settings.allowed_origins.clone() })
    }

    /// Where it really listens, also when port 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` resolves, then lets running calls finish.
    pub async fn serve<H>(self, handler: H, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()>
    where
        H: ServerHandler + Clone,
    {
        let stopping = CancellationToken::new();
        let router = router(handler, self.config(stopping.clone()));
        let listener = self.listener.tap_io(|socket| {
            if let Err(error) = socket.set_nodelay(true) {
                tracing::debug!(%error, "a socket keeps Nagle's algorithm");
            }
        });
        let stopped = stopping.clone();
        let serving =
            axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).with_graceful_shutdown(async move {
                stop.await;
                stopped.cancel();
            });
        tokio::select! {
            served = serving.into_future() => served,
            () = async { stopping.cancelled().await; tokio::time::sleep(DRAIN_TIME).await } => Ok(()),
        }
    }

    fn config(&self, stopping: CancellationToken) -> StreamableHttpServerConfig {
        let loopback = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        let origins = loopback.into_iter().map(str::to_owned).chain(self.origins.iter().cloned());
        StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_allowed_hosts(self.hosts())
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_cancellation_token(stopping)
    }

    /// Loopback, the address we were told to listen on, and the hosts of origins the operator trusts.
    fn hosts(&self) -> Vec<String> {
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        if !self.address.ip().is_unspecified() {
            hosts.push(self.address.ip().to_string());
        }
        let trusted = self.origins.iter().filter_map(|origin| url::Url::parse(origin.trim_end_matches(":*")).ok());
        hosts.extend(trusted.filter_map(|url| url.host_str().map(str::to_owned)));
        hosts
    }
}

fn router<H: ServerHandler + Clone>(handler: H, config: StreamableHttpServerConfig) -> Router {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    let mcp = Router::new().route_service(PATH, service).layer(from_fn(in_json));
    Router::new().route("/healthz", get(healthy)).merge(mcp).fallback(nothing_here)
}

async fn healthy() -> Response {
    json_response(StatusCode::OK, "application/json", &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// RFC 9457, since a caller of another path does not speak JSON-RPC.
async fn nothing_here() -> Response {
    let problem = json!({
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "Nothing is served here. MCP is at /mcp, health at /healthz.",
    });
    json_response(StatusCode::NOT_FOUND, "application/problem+json", &problem)
}

/// Reads the body, lets the SDK answer, and puts a refusal into JSON.
async fn in_json(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let claims_json = is_json(parts.headers.get(header::CONTENT_TYPE));
    let posted = parts.method == Method::POST;
    let body = match read(body).await {
        Ok(body) => body,
        Err(status) => return refusal(status),
    };
    let answered = next.run(Request::from_parts(parts, Body::from(body.clone()))).await;
    let status = answered.status();
    let refused = status.is_client_error() || status.is_server_error();
    if !refused || is_json(answered.headers().get(header::CONTENT_TYPE)) {
        return answered;
    }
    // The SDK answers a body it cannot read with 415 whatever its type was.
    if posted && claims_json && status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return unreadable(&body);
    }
    let mut told = refusal(status);
    for name in [header::ALLOW, header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
        if let Some(value) = answered.headers().get(&name) {
            told.headers_mut().insert(name, value.clone());
        }
    }
    told
}

async fn read(body: Body) -> Result<Bytes, StatusCode> {
    match tokio::time::timeout(BODY_TIME, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_elapsed) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

fn is_json(content_type: Option<&HeaderValue>) -> bool {
    content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}

const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;

/// Answered under the request's id where it can be read, as on stdio.
fn unreadable(body: &[u8]) -> Response {
    let (id, error) = lines::refusal(body);
    let mut reply = json!({ "jsonrpc": "2.0", "error": error });
    if let Some(id) = id {
        reply["id"] = json!(id);
    }
    json_response(StatusCode::BAD_REQUEST, "application/json", &reply)
}

/// What each status means here and what to do about it.
fn refusal(status: StatusCode) -> Response {
    let message = match status.as_u16() {
        400 => "The request does not fit MCP: check the MCP-Protocol-Version and Mcp-Session-Id headers; a session begins with initialize.",
        403 => "This Host or Origin is not allowed. The operator can allow one with --allowed-origin.",
        404 => "The session is unknown or has ended. Begin a new one with initialize.",
        405 => "This method is not served here. Send MCP requests with POST.",
        406 => "Accept must list both application/json and text/event-stream.",
        408 => "The body did not arrive in time.",
        413 => "The body is larger than 4 MiB.",
        415 => "Content-Type must be application/json.",
        _ => "The request could not be served.",
    };
    let code = if status.is_server_error() { INTERNAL_ERROR } else { INVALID_REQUEST };
    rpc_error(status, code, message)
}

/// Without an id: the request it belongs to was not understood.
fn rpc_error(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    json_response(status, "application/json", &body)
}

fn json_response(status: StatusCode, content_type: &'static str, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, content_type)], body.to_string()).into_response()
}

/// An address to listen on: `IP:PORT`, `localhost:PORT` or `:PORT`, the last two on loopback.
pub fn parse_address(text: &str) -> Option<SocketAddr> {
    let text = text.trim();
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':'))?;
    Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?)))
}

/// Resolves when the operator asks the process to end. It listens from now on, not from its first poll, so that a signal
/// that follows our first words on its heels is not missed. Needs a runtime.
pub fn asked_to_stop() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    let asked = {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
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
        let port = |text| parse_address(text).map(|address| address.to_string());
        assert_eq!(port("127.0.0.1:8080").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(port("[::1]:0").as_deref(), Some("[::1]:0"));
        assert_eq!(port("localhost:80").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(port(":9000").as_deref(), Some("127.0.0.1:9000"));
        for wrong in ["8080", "example.com:80", "127.0.0.1", "localhost:http", ""] {
            assert_eq!(parse_address(wrong), None, "{wrong}");
        }
    }
}

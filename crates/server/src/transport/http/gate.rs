//! What stands between a request and the SDK: one layer that reads the body (bounded in bytes and
//! time), mends what can be mended, refuses in JSON what must be refused, answers browsers, and
//! looks at every error on its way out.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::{ConnectInfo, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use mask::Masker;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::Value;

use super::{
    door::{Peer, Running},
    told::{problem, refusal, rpc_error},
};
use crate::{scan, transport::lines, transport::outgoing};

pub(super) const MAX_BODY: usize = 4 * 1024 * 1024;
const BODY_TIME: Duration = Duration::from_secs(30);
/// Sessions of the older revisions; each costs about 50 KB until it ends or has rested for five
/// minutes.
const MAX_SESSIONS: usize = 1_000;
const SESSIONS_RETRY: &str = "30";
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// What the layer knows.
pub(super) struct Gate {
    pub(super) masker: Masker,
    pub(super) origins: Vec<String>,
    pub(super) sessions: Arc<LocalSessionManager>,
    pub(super) running: Running,
}

/// For every path: a request is for this server, and its connection is busy until the reply is
/// written.
pub(super) async fn watched(
    State(gate): State<Arc<Gate>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions_mut().remove::<ConnectInfo<Peer>>();
    let served = peer.as_ref().map(|peer| peer.0.served.begin());
    if let Some(peer) = peer {
        request.extensions_mut().insert(ConnectInfo(peer.0.address));
    }
    if request.uri().authority().is_some()
        || request.headers().get_all(header::HOST).iter().count() != 1
    {
        return problem(
            StatusCode::BAD_REQUEST,
            "Send a path in the request line and exactly one Host header.",
        );
    }
    let running = (request.method() == Method::POST).then(|| gate.running.begin());
    let (parts, body) = next.run(request).await.into_parts();
    if !is_stream(&parts.headers) {
        // Whole already, so that nothing is left to wait for.
        return Response::from_parts(parts, body);
    }
    let gate = gate.clone();
    let stream = body.map_frame(move |frame| {
        let _held = (&served, &running);
        frame.map_data(|data| gate.tidied_events(data))
    });
    Response::from_parts(parts, Body::new(stream))
}

/// For `/mcp`.
pub(super) async fn mcp(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let origin = request
        .headers()
        .get(header::ORIGIN)
        .cloned()
        .filter(|origin| gate.allows(origin));
    let mut answer = if is_preflight(&request) {
        preflight(origin.is_some())
    } else {
        gate.serve(request, next).await
    };
    if let Some(origin) = origin {
        let headers = answer.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("Mcp-Session-Id"),
        );
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    answer
}

impl Gate {
    async fn serve(&self, request: Request, next: Next) -> Response {
        let (mut parts, body) = request.into_parts();
        let posted = parts.method == Method::POST;
        if posted && !claims_json(&mut parts) {
            return refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        let body = match read(&parts.headers, body).await {
            Ok(body) => mended(body),
            Err(status) => return refusal(status),
        };
        if posted {
            if let Some((id, error)) = lines::bad_cursor(&body) {
                return rpc_error(Some(id), &error);
            }
            if self.is_full_for(&parts.headers, &body).await {
                tracing::warn!(limit = MAX_SESSIONS, "refused a session");
                return (
                    [(header::RETRY_AFTER, SESSIONS_RETRY)],
                    refusal(StatusCode::SERVICE_UNAVAILABLE),
                )
                    .into_response();
            }
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        let answered = next
            .run(Request::from_parts(parts, Body::from(body.clone())))
            .await;
        self.in_json(answered, posted, &body).await
    }

    /// Whether this begins a session of the older revisions while there is no room for one.
    async fn is_full_for(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        if headers.contains_key(SESSION_ID)
            || self.sessions.sessions.read().await.len() < MAX_SESSIONS
        {
            return false;
        }
        serde_json::from_slice::<Value>(body).is_ok_and(|message| message["method"] == "initialize")
    }

    /// Puts a refusal of the SDK into JSON and looks at every error.
    async fn in_json(&self, answered: Response, posted: bool, body: &[u8]) -> Response {
        let status = answered.status();
        let refused = status.is_client_error() || status.is_server_error();
        if is_stream(answered.headers()) {
            return answered;
        }
        if !refused || has_json(answered.headers()) {
            return self.tidied(answered).await;
        }
        // The SDK answers a body it cannot read with 415 whatever its type was.
        if posted && status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let (id, error) = lines::refusal(body);
            return rpc_error(id, &error);
        }
        let mut told = refusal(status);
        for name in [header::ALLOW, header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
            if let Some(value) = answered.headers().get(&name) {
                told.headers_mut().insert(name, value.clone());
            }
        }
        told
    }

    async fn tidied(&self, answered: Response) -> Response {
        let (parts, body) = answered.into_parts();
        let Ok(body) = body.collect().await else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR);
        };
        let body = body.to_bytes();
        let tidy = has_error(&body)
            .then(|| outgoing::tidied(&body, &self.masker))
            .flatten();
        Response::from_parts(parts, Body::from(tidy.map_or(body, Bytes::from)))
    }

    /// The same for the events of a stream. Each frame holds whole events.
    fn tidied_events(&self, frame: Bytes) -> Bytes {
        if !has_error(&frame) {
            return frame;
        }
        let mut told = Vec::with_capacity(frame.len());
        for line in frame.split_inclusive(|byte| *byte == b'\n') {
            let data = line
                .strip_prefix(b"data:")
                .and_then(|data| outgoing::tidied(data.trim_ascii(), &self.masker));
            match data {
                Some(data) => {
                    told.extend_from_slice(b"data: ");
                    told.extend_from_slice(&data);
                    told.push(b'\n');
                }
                None => told.extend_from_slice(line),
            }
        }
        Bytes::from(told)
    }

    /// As the SDK judges origins, for the headers that browsers want.
    fn allows(&self, origin: &HeaderValue) -> bool {
        let Some(url) = origin
            .to_str()
            .ok()
            .and_then(|text| url::Url::parse(text).ok())
        else {
            return false;
        };
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return false;
        };
        let place = format!("{}://{host}", url.scheme());
        self.origins
            .iter()
            .any(|allowed| match allowed.strip_suffix(":*") {
                Some(any_port) => any_port == place,
                None => *allowed == format!("{place}:{port}"),
            })
    }
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

async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, StatusCode> {
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

/// What stdio forgives is forgiven here: a byte-order mark, and characters that cannot be.
fn mended(body: Bytes) -> Bytes {
    let body = body.slice_ref(lines::without_mark(&body));
    match scan::repaired(&body) {
        Some(repaired) => Bytes::from(repaired),
        None => body,
    }
}

/// Whether the type is JSON, in any spelling; the SDK then sees the one it knows.
fn claims_json(parts: &mut Parts) -> bool {
    let claims = has_json(&parts.headers);
    if claims {
        parts.headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
    }
    claims
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

/// A cheap look; quotes inside texts are escaped, so only a key can match.
fn has_error(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains("\"error\":"))
}

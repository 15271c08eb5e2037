//! A proxy on loopback, the only way to the network for our browser. It checks every address before
//! it connects.
//!
//! A browser resolves names and opens sockets by itself, so the guard of this crate would not see
//! what a page's scripts, frames, workers and sockets request. The browser is therefore started
//! without any way to the network but this proxy. Each page gets a proxy of its own: refusals are
//! known per page, and when the page closes, its connections end.
//!
//! **What it reaches.** A page on the public internet reaches only the public internet. A page that
//! the operator allowed may also reach what else the operator allowed, until it leads to a public
//! one. Otherwise any public page's scripts could use the operator's allow rules. The proxy cannot
//! tell which frame of a page sends a request, so a page with such a reach gets no frames with public
//! documents: the browser asks before it requests one ([`Proxy::admits_frame`]). A name keeps its
//! addresses as long as the page is open, beginning with those that the page itself was judged by
//! ([`reach`]): DNS answers that change in between change nothing.
//!
//! **Who may use it.** The proxy listens on a random port of 127.0.0.1 while its page is open. It
//! refuses what a plain fetch would refuse. A password would add little: Chromium takes none on its
//! command line, and answers a challenge only through request interception, which slows down every
//! request and misses workers. Instead the owner of the connecting socket is looked up
//! ([`socket_owner`]). Other users' processes are refused; processes of our own user could read our
//! memory anyway.
//!
//! **What it limits.** Open connections, connections in total and bytes received, each per page.
//! Time is limited by the page: dropping the proxy ends all its connections.

mod byte_limit;
mod reach;
mod socket_owner;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::client::CheckedTarget;
use crate::connector::Connector;
use crate::guard::{Denied, Target, TargetHost, host_of};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::progress::Progress;
use byte_limit::{ByteLimit, ByteLimitedStream};
use reach::PageReach;

/// Connections one page may have open. Chromium opens up to 32 to a proxy.
const MAX_OPEN_CONNECTIONS: usize = 64;

/// Connections one page may open in total: far more than a heavy page needs, too few for a port
/// scan.
const MAX_CONNECTIONS: usize = 1_000;

/// How many connection errors are remembered per page.
const MAX_REMEMBERED: usize = 256;

/// The most that connecting may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Marks responses of the proxy itself. The value is secret, so no site can imitate it.
const OWN_RESPONSE_HEADER: &str = "x-fingerpost-proxy";

/// Headers that are meant for the next hop only (RFC 9110, 7.6.1), and those that only proxies
/// read.
const HOP_BY_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    OWN_RESPONSE_HEADER,
];

/// A running proxy. Dropping it ends its connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    state: Arc<ProxyState>,
    serving: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.ended.cancel();
        self.serving.abort();
    }
}

impl Proxy {
    /// Starts a proxy for this page that receives at most this many bytes.
    pub(crate) async fn start(
        connector: Connector,
        page: &CheckedTarget,
        max_bytes: u64,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(ProxyState::new(PageReach::new(connector, page), max_bytes));
        let serving = tokio::spawn(accept(listener, address, Arc::clone(&state)));
        Ok(Self {
            address,
            state,
            serving,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The error of the last connection to this host and port. `None` when it succeeded.
    pub(crate) fn error(&self, host: &TargetHost, port: u16) -> Option<NetworkError> {
        self.state.errors().get(&(host.clone(), port)).cloned()
    }

    /// Whether a response with these headers came from the proxy itself.
    pub(crate) fn is_own_response(&self, headers: &HeaderMap) -> bool {
        headers.get(OWN_RESPONSE_HEADER) == Some(&self.state.mark)
    }

    /// The main frame requests a document here.
    pub(crate) fn enter_document(&self, host: &TargetHost) {
        self.state.reach.enter_document(host);
    }

    /// Whether a frame inside the page may show a document of this host.
    pub(crate) fn admits_frame(&self, host: &TargetHost, port: u16) -> bool {
        self.state.reach.admits_frame(host, port)
    }

    /// Whether the page may reach only public addresses, because it is or was public itself.
    pub(crate) fn is_public_only(&self) -> bool {
        self.state.reach.is_public_only()
    }

    /// Bytes received so far.
    pub(crate) fn received(&self) -> u64 {
        self.state.byte_limit.total()
    }

    /// Whether the page has received more bytes than it may.
    pub(crate) fn exhausted(&self) -> bool {
        self.state.byte_limit.exhausted()
    }
}

async fn accept(listener: TcpListener, address: SocketAddr, state: Arc<ProxyState>) {
    // Connections end with this set, and the set with the task.
    let mut running = JoinSet::new();
    let slots = Arc::new(Semaphore::new(MAX_OPEN_CONNECTIONS));
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        while running.try_join_next().is_some() {}
        // Most likely out of file descriptors, which may change in a moment.
        let Ok((socket, peer)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let state = Arc::clone(&state);
        running.spawn(async move {
            let _place = slot;
            if !socket_owner::is_another_user(peer, address).await {
                serve_connection(socket, state).await;
            }
        });
    }
}

async fn serve_connection(socket: TcpStream, state: Arc<ProxyState>) {
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        async move { Ok::<_, Infallible>(state.respond(request).await) }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(socket), service)
        .with_upgrades();
    // Errors on this connection are the browser's to handle.
    let _ = serving.await;
}

type ProxyResponse = Response<Either<Incoming, Empty<Bytes>>>;

/// What the connections of one proxy share.
#[derive(Debug)]
struct ProxyState {
    reach: PageReach,
    byte_limit: Arc<ByteLimit>,
    mark: HeaderValue,
    connections: AtomicUsize,
    errors: Mutex<HashMap<(TargetHost, u16), NetworkError>>,
    ended: CancellationToken,
}

impl ProxyState {
    fn new(reach: PageReach, max_bytes: u64) -> Self {
        // Random: the hash uses the random keys of this process.
        let secret = (fresh_number(), fresh_number());
        let mark = HeaderValue::from_str(&format!("{:016x}{:016x}", secret.0, secret.1));
        Self {
            reach,
            byte_limit: Arc::new(ByteLimit::new(max_bytes)),
            mark: mark.unwrap_or_else(|_| HeaderValue::from_static("")),
            connections: AtomicUsize::new(0),
            errors: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    async fn respond(self: &Arc<Self>, request: Request<Incoming>) -> ProxyResponse {
        let outcome = match *request.method() {
            Method::CONNECT => self.tunnel(request).await,
            _ => self.forward(request).await,
        };
        outcome.unwrap_or_else(|error| self.refusal(&error))
    }

    /// Copies bytes in both directions, for TLS and WebSockets.
    async fn tunnel(
        self: &Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<ProxyResponse, NetworkError> {
        let authority = request
            .uri()
            .authority()
            .ok_or_else(|| NetworkError::denied(Denied::Unparsable))?;
        let target = self.check_url(&format!("https://{authority}/"))?;
        let mut far = self.connect(&target).await?;
        let ended = self.ended.clone();
        tokio::spawn(ended.run_until_cancelled_owned(async move {
            if let Ok(near) = hyper::upgrade::on(request).await {
                let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(near), &mut far).await;
            }
        }));
        Ok(Response::new(Either::Right(Empty::new())))
    }

    /// Forwards one plain request on a connection of its own.
    async fn forward(
        self: &Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<ProxyResponse, NetworkError> {
        let target = self.check_url(&request.uri().to_string())?;
        let far = self.connect(&target).await?;
        let failed = |error: hyper::Error| self.remember(&target, NetworkError::sending(&error));
        let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
            .ignore_invalid_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .handshake(TokioIo::new(far))
            .await
            .map_err(failed)?;
        tokio::spawn(self.ended.clone().run_until_cancelled_owned(connection));
        let response = sender
            .send_request(forwarded(request)?)
            .await
            .map_err(failed)?;
        let (mut head, body) = response.into_parts();
        remove_hop_by_hop(&mut head.headers);
        Ok(Response::from_parts(head, Either::Left(body)))
    }

    fn check_url(&self, url: &str) -> Result<Target, NetworkError> {
        let connector = self.reach.connector();
        let checked = connector.policy().target(url).map_err(NetworkError::denied);
        checked.map_err(|error| match address_of(url) {
            Some(host_and_port) => self.remember_at(host_and_port, error),
            None => error,
        })
    }

    async fn connect(&self, target: &Target) -> Result<ByteLimitedStream<TcpStream>, NetworkError> {
        if self.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            return Err(NetworkError::new(NetworkErrorKind::Refused));
        }
        let progress = Progress::new(Instant::now() + CONNECT_TIME);
        let work = async {
            let (connector, addresses) = self.reach.addresses(target, &progress).await?;
            let opened = connector.open(target, &addresses, progress.remaining());
            opened.await.map(|(stream, _)| stream)
        };
        let late = || NetworkError::new(NetworkErrorKind::Timeout).at(progress.phase());
        let stream = tokio::time::timeout(CONNECT_TIME, work)
            .await
            .unwrap_or_else(|_| Err(late()));
        let stream = stream.map_err(|error| self.remember(target, error))?;
        self.errors()
            .remove(&(target.host().clone(), target.port()));
        let _ = stream.set_nodelay(true);
        Ok(ByteLimitedStream::new(stream, Arc::clone(&self.byte_limit)))
    }

    fn remember(&self, target: &Target, error: NetworkError) -> NetworkError {
        self.remember_at((target.host().clone(), target.port()), error)
    }

    fn remember_at(&self, host_and_port: (TargetHost, u16), error: NetworkError) -> NetworkError {
        let mut errors = self.errors();
        if errors.len() < MAX_REMEMBERED || errors.contains_key(&host_and_port) {
            errors.insert(host_and_port, error.clone());
        }
        error
    }

    fn errors(&self) -> MutexGuard<'_, HashMap<(TargetHost, u16), NetworkError>> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refusal(&self, error: &NetworkError) -> ProxyResponse {
        let mut response = Response::new(Either::Right(Empty::new()));
        *response.status_mut() = match error.kind {
            NetworkErrorKind::Denied(_) => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_GATEWAY,
        };
        response
            .headers_mut()
            .insert(OWN_RESPONSE_HEADER, self.mark.clone());
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// The host and port in a URL, also of one that was refused.
fn address_of(url: &str) -> Option<(TargetHost, u16)> {
    let url = url::Url::parse(url).ok()?;
    Some((host_of(&url).ok()?, url.port_or_known_default()?))
}

/// The request as the server should receive it.
fn forwarded(request: Request<Incoming>) -> Result<Request<Incoming>, NetworkError> {
    let (mut head, body) = request.into_parts();
    let host = head
        .uri
        .authority()
        .map(host_header)
        .ok_or_else(|| NetworkError::denied(Denied::BadHost))?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    head.uri = path
        .parse::<Uri>()
        .map_err(|_| NetworkError::denied(Denied::Unparsable))?;
    remove_hop_by_hop(&mut head.headers);
    head.headers.insert(
        header::HOST,
        HeaderValue::from_str(&host).map_err(|_| NetworkError::denied(Denied::BadHost))?,
    );
    head.headers
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(Request::from_parts(head, body))
}

fn host_header(authority: &Authority) -> String {
    authority.port().map_or_else(
        || authority.host().to_owned(),
        |port| format!("{}:{port}", authority.host()),
    )
}

/// Removes headers for the next hop only, including those that `Connection` names.
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named
        .iter()
        .map(HeaderName::as_str)
        .chain(HOP_BY_HOP.iter().copied())
    {
        headers.remove(name);
    }
}

fn fresh_number() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests;

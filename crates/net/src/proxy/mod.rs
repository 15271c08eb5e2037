//! The only way out for our browser: a proxy on loopback that checks every address before it connects.
//!
//! A browser resolves names and opens sockets by itself, so the guard of this crate would not see
//! what a page's scripts, frames, workers and sockets ask for. It is therefore started without any
//! way to the network but this proxy, and each page it opens gets a proxy of its own: what was
//! refused is then known per page, and when the page closes, its connections end with it.
//!
//! **What it reaches.** What the operator opened with an allow rule is open to pages that are there
//! themselves. A page on the public internet gets only the public internet: it was not the
//! operator's wish to let any page's scripts inside.
//!
//! **Who may use it.** The proxy listens on a random port of 127.0.0.1, only while its page is
//! open. It opens nothing that a plain fetch would not: private addresses are refused here as
//! there. A password would not add much, as Chromium takes none on its command line and answers a
//! challenge only through request interception, which slows every request down and misses workers.
//! Instead the system is asked whose the connecting socket is: another user's processes are turned
//! away ([`socket_owner`]), and processes of our own user could read our memory anyway.
//!
//! **What it caps.** Connections at a time, connections in all, and bytes received, all per page.
//! Time is the page's: dropping the proxy ends everything it carries.

mod byte_limit;
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

use crate::connector::Connector;
use crate::guard::{Denied, Target, TargetHost, check_ip, host_of};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::open_socket::open_socket;
use crate::progress::Progress;
use byte_limit::{ByteLimit, ByteLimitedStream};

/// Connections one page may have open. Chromium itself opens 32 to one proxy.
const MAX_OPEN_CONNECTIONS: usize = 64;

/// Connections one page may open in all: many times what a heavy page needs, too few for a scan.
const MAX_CONNECTIONS: usize = 1_000;

/// How many failures are remembered; the page's own is what matters.
const MAX_REMEMBERED: usize = 256;

/// The most one dial may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Marks the answers that come from the proxy itself. Its value is the proxy's secret, so no site
/// can pretend.
const OWN_RESPONSE_HEADER: &str = "x-fingerpost-proxy";

/// Headers that are between two neighbours and go no further (RFC 9110, 7.6.1), and those that only
/// proxies read.
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

/// Where a page may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressScope {
    /// Public addresses only.
    PublicOnly,
    /// Also what the operator opened.
    PublicAndAllowed,
}

impl AddressScope {
    /// The reach of a page at these addresses.
    pub(crate) fn from(addresses: &[SocketAddr]) -> Self {
        let public = addresses
            .iter()
            .all(|address| check_ip(address.ip()).is_ok());
        if public {
            Self::PublicOnly
        } else {
            Self::PublicAndAllowed
        }
    }
}

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
    /// Starts a proxy that lets this many bytes in.
    pub(crate) async fn start(
        connector: Connector,
        reach: AddressScope,
        max_bytes: u64,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(ProxyState::new(connector, reach, max_bytes));
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

    /// Why a connection to this host and port last failed, if it did.
    pub(crate) fn error(&self, host: &TargetHost, port: u16) -> Option<NetworkError> {
        self.state.errors().get(&(host.clone(), port)).cloned()
    }

    /// Whether these headers are those of an answer that the proxy itself sent.
    pub(crate) fn is_own_response(&self, headers: &HeaderMap) -> bool {
        headers.get(OWN_RESPONSE_HEADER) == Some(&self.state.mark)
    }

    /// Bytes received so far.
    pub(crate) fn received(&self) -> u64 {
        self.state.byte_limit.total()
    }

    /// Whether the page wanted more bytes than it may have.
    pub(crate) fn exhausted(&self) -> bool {
        self.state.byte_limit.exhausted()
    }
}

async fn accept(listener: TcpListener, address: SocketAddr, state: Arc<ProxyState>) {
    // Connections die with the set, and the set with this task.
    let mut running = JoinSet::new();
    let slots = Arc::new(Semaphore::new(MAX_OPEN_CONNECTIONS));
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        while running.try_join_next().is_some() {}
        // Out of file descriptors, most likely: a moment later there may be one.
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
        async move { Ok::<_, Infallible>(state.answer(request).await) }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(socket), service)
        .with_upgrades();
    // An error with the browser's side of the connection is the browser's to notice.
    let _ = serving.await;
}

type ProxyResponse = Response<Either<Incoming, Empty<Bytes>>>;

/// What the connections of one proxy share.
#[derive(Debug)]
struct ProxyState {
    connector: Connector,
    reach: AddressScope,
    byte_limit: Arc<ByteLimit>,
    mark: HeaderValue,
    connections: AtomicUsize,
    errors: Mutex<HashMap<(TargetHost, u16), NetworkError>>,
    ended: CancellationToken,
}

impl ProxyState {
    fn new(connector: Connector, reach: AddressScope, max_bytes: u64) -> Self {
        // Two hashes of the random keys that every map of this process gets.
        let secret = (fresh_number(), fresh_number());
        let mark = HeaderValue::from_str(&format!("{:016x}{:016x}", secret.0, secret.1));
        Self {
            connector,
            reach,
            byte_limit: Arc::new(ByteLimit::new(max_bytes)),
            mark: mark.unwrap_or_else(|_| HeaderValue::from_static("")),
            connections: AtomicUsize::new(0),
            errors: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>) -> ProxyResponse {
        let outcome = match *request.method() {
            Method::CONNECT => self.tunnel(request).await,
            _ => self.forward(request).await,
        };
        outcome.unwrap_or_else(|error| self.refusal(&error))
    }

    /// Bytes both ways, for TLS and for WebSockets.
    async fn tunnel(
        self: &Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<ProxyResponse, NetworkError> {
        let authority = request
            .uri()
            .authority()
            .ok_or_else(|| NetworkError::denied(Denied::Unparsable))?;
        let target = self.judge(&format!("https://{authority}/"))?;
        let mut far = self.dial(&target).await?;
        let ended = self.ended.clone();
        tokio::spawn(ended.run_until_cancelled_owned(async move {
            if let Ok(near) = hyper::upgrade::on(request).await {
                let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(near), &mut far).await;
            }
        }));
        Ok(Response::new(Either::Right(Empty::new())))
    }

    /// One plain request, one hop, on a connection of its own.
    async fn forward(
        self: &Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<ProxyResponse, NetworkError> {
        let target = self.judge(&request.uri().to_string())?;
        let far = self.dial(&target).await?;
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
            .send_request(onward(request)?)
            .await
            .map_err(failed)?;
        let (mut head, body) = response.into_parts();
        strip(&mut head.headers);
        Ok(Response::from_parts(head, Either::Left(body)))
    }

    fn judge(&self, url: &str) -> Result<Target, NetworkError> {
        let judged = self
            .connector
            .policy()
            .target(url)
            .map_err(NetworkError::denied);
        judged.map_err(|error| match address_of(url) {
            Some(slot) => self.remember_at(slot, error),
            None => error,
        })
    }

    async fn dial(&self, target: &Target) -> Result<ByteLimitedStream<TcpStream>, NetworkError> {
        if self.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            return Err(NetworkError::new(NetworkErrorKind::Refused));
        }
        let progress = Progress::new(Instant::now() + CONNECT_TIME);
        let work = async {
            let addresses = self.connector.checked_addresses(target, &progress).await?;
            if self.reach == AddressScope::PublicOnly {
                addresses
                    .iter()
                    .try_for_each(|address| check_ip(address.ip()))
                    .map_err(NetworkError::denied)?;
            }
            open_socket(
                self.connector.policy(),
                target.host().name(),
                &addresses,
                progress.remaining(),
            )
            .await
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

    fn remember_at(&self, slot: (TargetHost, u16), error: NetworkError) -> NetworkError {
        let mut errors = self.errors();
        if errors.len() < MAX_REMEMBERED || errors.contains_key(&slot) {
            errors.insert(slot, error.clone());
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

/// Where a URL leads by its text, also when it was refused.
fn address_of(url: &str) -> Option<(TargetHost, u16)> {
    let url = url::Url::parse(url).ok()?;
    Some((host_of(&url).ok()?, url.port_or_known_default()?))
}

/// The request as the server is to see it.
fn onward(request: Request<Incoming>) -> Result<Request<Incoming>, NetworkError> {
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
    strip(&mut head.headers);
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

/// Removes what is meant for the neighbour only, the headers that `Connection` names included.
fn strip(headers: &mut HeaderMap) {
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

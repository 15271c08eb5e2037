//! The only way out for our browser: a proxy on loopback that judges every address before it dials.
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
//! away ([`peer`]), and processes of our own user could read our memory anyway.
//!
//! **What it caps.** Connections at a time, connections in all, and bytes received, all per page.
//! Time is the page's: dropping the proxy ends everything it carries.

mod metered;
mod peer;

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

use crate::connect::Connector;
use crate::dial::dial;
use crate::guard::{Denied, Target, TargetHost, host_of, judge_ip};
use crate::progress::Progress;
use crate::trouble::{Trouble, What};
use metered::{Meter, Metered};

/// Connections one page may have open. Chromium itself opens 32 to one proxy.
const AT_ONCE: usize = 64;

/// Connections one page may open in all: many times what a heavy page needs, too few for a scan.
const IN_ALL: usize = 1_000;

/// How many failures are remembered; the page's own is what matters.
const REMEMBERED: usize = 256;

/// The most one dial may take.
const DIAL: Duration = Duration::from_secs(10);

/// Marks the answers that come from the proxy itself. Its value is the proxy's secret, so no site
/// can pretend.
const MARK: &str = "x-fingerpost-proxy";

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
    MARK,
];

/// Where a page may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Public addresses only.
    Public,
    /// Also what the operator opened.
    Opened,
}

impl Reach {
    /// The reach of a page at these addresses.
    pub(crate) fn from(addresses: &[SocketAddr]) -> Self {
        let public = addresses
            .iter()
            .all(|address| judge_ip(address.ip()).is_ok());
        if public { Self::Public } else { Self::Opened }
    }
}

/// A running proxy. Dropping it ends its connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    exit: Arc<Exit>,
    serving: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.exit.ended.cancel();
        self.serving.abort();
    }
}

impl Proxy {
    /// Starts a proxy that lets this many bytes in.
    pub(crate) async fn start(
        connector: Connector,
        reach: Reach,
        max_bytes: u64,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let exit = Arc::new(Exit::new(connector, reach, max_bytes));
        let serving = tokio::spawn(accept(listener, address, Arc::clone(&exit)));
        Ok(Self {
            address,
            exit,
            serving,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Why a connection to this host and port last failed, if it did.
    pub(crate) fn trouble(&self, host: &TargetHost, port: u16) -> Option<Trouble> {
        self.exit.troubles().get(&(host.clone(), port)).cloned()
    }

    /// Whether these headers are those of an answer that the proxy itself gave.
    pub(crate) fn gave(&self, headers: &HeaderMap) -> bool {
        headers.get(MARK) == Some(&self.exit.mark)
    }

    /// Bytes received so far.
    pub(crate) fn received(&self) -> u64 {
        self.exit.meter.total()
    }

    /// Whether the page wanted more bytes than it may have.
    pub(crate) fn exhausted(&self) -> bool {
        self.exit.meter.exhausted()
    }
}

async fn accept(listener: TcpListener, address: SocketAddr, exit: Arc<Exit>) {
    // Connections die with the set, and the set with this task.
    let mut running = JoinSet::new();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        while running.try_join_next().is_some() {}
        // Out of file descriptors, most likely: a moment later there may be one.
        let Ok((socket, peer)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let exit = Arc::clone(&exit);
        running.spawn(async move {
            let _place = place;
            if !peer::is_foreign(peer, address).await {
                converse(socket, exit).await;
            }
        });
    }
}

async fn converse(socket: TcpStream, exit: Arc<Exit>) {
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request| {
        let exit = Arc::clone(&exit);
        async move { Ok::<_, Infallible>(exit.answer(request).await) }
    });
    let serving = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(socket), service)
        .with_upgrades();
    // Trouble with the browser's side of the connection is the browser's to notice.
    let _ = serving.await;
}

type Answer = Response<Either<Incoming, Empty<Bytes>>>;

/// What the connections of one proxy share.
#[derive(Debug)]
struct Exit {
    connector: Connector,
    reach: Reach,
    meter: Arc<Meter>,
    mark: HeaderValue,
    dials: AtomicUsize,
    troubles: Mutex<HashMap<(TargetHost, u16), Trouble>>,
    ended: CancellationToken,
}

impl Exit {
    fn new(connector: Connector, reach: Reach, max_bytes: u64) -> Self {
        // Two hashes of the random keys that every map of this process gets.
        let secret = (fresh_number(), fresh_number());
        let mark = HeaderValue::from_str(&format!("{:016x}{:016x}", secret.0, secret.1));
        Self {
            connector,
            reach,
            meter: Arc::new(Meter::new(max_bytes)),
            mark: mark.unwrap_or_else(|_| HeaderValue::from_static("")),
            dials: AtomicUsize::new(0),
            troubles: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>) -> Answer {
        let outcome = match *request.method() {
            Method::CONNECT => self.tunnel(request).await,
            _ => self.forward(request).await,
        };
        outcome.unwrap_or_else(|trouble| self.refusal(&trouble))
    }

    /// Bytes both ways, for TLS and for WebSockets.
    async fn tunnel(self: &Arc<Self>, request: Request<Incoming>) -> Result<Answer, Trouble> {
        let authority = request
            .uri()
            .authority()
            .ok_or_else(|| Trouble::denied(Denied::Unparsable))?;
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
    async fn forward(self: &Arc<Self>, request: Request<Incoming>) -> Result<Answer, Trouble> {
        let target = self.judge(&request.uri().to_string())?;
        let far = self.dial(&target).await?;
        let failed = |error: hyper::Error| self.remember(&target, Trouble::sending(&error));
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

    fn judge(&self, url: &str) -> Result<Target, Trouble> {
        let judged = self.connector.policy().target(url).map_err(Trouble::denied);
        judged.map_err(|trouble| match address_of(url) {
            Some(place) => self.remember_at(place, trouble),
            None => trouble,
        })
    }

    async fn dial(&self, target: &Target) -> Result<Metered<TcpStream>, Trouble> {
        if self.dials.fetch_add(1, Ordering::Relaxed) >= IN_ALL {
            return Err(Trouble::new(What::Refused));
        }
        let progress = Progress::new(Instant::now() + DIAL);
        let work = async {
            let addresses = self.connector.judged_addresses(target, &progress).await?;
            if self.reach == Reach::Public {
                addresses
                    .iter()
                    .try_for_each(|address| judge_ip(address.ip()))
                    .map_err(Trouble::denied)?;
            }
            dial(
                self.connector.policy(),
                target.host().name(),
                &addresses,
                progress.remaining(),
            )
            .await
        };
        let late = || Trouble::new(What::Timeout).at(progress.phase());
        let stream = tokio::time::timeout(DIAL, work)
            .await
            .unwrap_or_else(|_| Err(late()));
        let stream = stream.map_err(|trouble| self.remember(target, trouble))?;
        self.troubles()
            .remove(&(target.host().clone(), target.port()));
        let _ = stream.set_nodelay(true);
        Ok(Metered::new(stream, Arc::clone(&self.meter)))
    }

    fn remember(&self, target: &Target, trouble: Trouble) -> Trouble {
        self.remember_at((target.host().clone(), target.port()), trouble)
    }

    fn remember_at(&self, place: (TargetHost, u16), trouble: Trouble) -> Trouble {
        let mut troubles = self.troubles();
        if troubles.len() < REMEMBERED || troubles.contains_key(&place) {
            troubles.insert(place, trouble.clone());
        }
        trouble
    }

    fn troubles(&self) -> MutexGuard<'_, HashMap<(TargetHost, u16), Trouble>> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refusal(&self, trouble: &Trouble) -> Answer {
        let mut response = Response::new(Either::Right(Empty::new()));
        *response.status_mut() = match trouble.what {
            What::Denied(_) => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_GATEWAY,
        };
        response.headers_mut().insert(MARK, self.mark.clone());
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
fn onward(request: Request<Incoming>) -> Result<Request<Incoming>, Trouble> {
    let (mut head, body) = request.into_parts();
    let host = head
        .uri
        .authority()
        .map(host_header)
        .ok_or_else(|| Trouble::denied(Denied::BadHost))?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    head.uri = path
        .parse::<Uri>()
        .map_err(|_| Trouble::denied(Denied::Unparsable))?;
    strip(&mut head.headers);
    head.headers.insert(
        header::HOST,
        HeaderValue::from_str(&host).map_err(|_| Trouble::denied(Denied::BadHost))?,
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

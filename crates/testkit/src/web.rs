//! The fake web: one listener, scripted behavior per path, a record of every request.

use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lab::http::{
    Behavior, ConnectionEnd, HttpRequest, HttpServer, Service, end_connection, serve_stream,
};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::authority::Identity;

/// The scripted behaviors and the requests received.
#[derive(Default)]
struct WebScript {
    routes: Mutex<HashMap<String, Vec<Behavior>>>,
    seen: Mutex<Vec<HttpRequest>>,
    connections: AtomicUsize,
    reset_on_accept: AtomicBool,
    /// Closes kept-alive connections after this long without a request.
    idle_close: Mutex<Option<Duration>>,
}

/// A scripted HTTP/1.1 server on loopback. Dropping it stops it.
pub struct Web {
    scheme: &'static str,
    script: Arc<WebScript>,
    server: HttpServer,
}

impl std::fmt::Debug for Web {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Web")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

impl Web {
    /// Plain HTTP on 127.0.0.1.
    pub async fn start() -> Self {
        Self::serve((Ipv4Addr::LOCALHOST, 0).into(), None).await
    }

    /// Plain HTTP on a public address, in a test that runs in a network of its own; see
    /// [`in_public_network`](crate::in_public_network).
    pub async fn start_public(port: u16) -> Self {
        Self::serve((crate::PUBLIC_ADDRESS, port).into(), None).await
    }

    /// Plain HTTP on ::1. `None` when the machine has no IPv6.
    pub async fn start_v6() -> Option<Self> {
        let address = SocketAddr::from((Ipv6Addr::LOCALHOST, 0));
        TcpListener::bind(address).await.ok()?;
        Some(Self::serve(address, None).await)
    }

    /// HTTPS on 127.0.0.1 with this certificate.
    pub async fn tls(identity: &Identity) -> Self {
        Self::serve((Ipv4Addr::LOCALHOST, 0).into(), Some(identity.acceptor())).await
    }

    async fn serve(address: SocketAddr, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let script = Arc::new(WebScript::default());
        let shared = Arc::clone(&script);
        let server = HttpServer::serve_with(listener, move |socket| {
            shared.connections.fetch_add(1, Ordering::SeqCst);
            one_connection(socket, tls.clone(), Arc::clone(&shared))
        });
        Self {
            scheme,
            script,
            server: server.expect("a bound socket has an address"),
        }
    }

    /// Scripts a path (without query). The path `*` answers all paths that have no script.
    pub fn on(&self, path: &str, behavior: impl Into<Behavior>) -> &Self {
        self.on_each(path, vec![behavior.into()])
    }

    /// Scripts a path with one behavior per request; the last one repeats.
    pub fn on_each(&self, path: &str, behaviors: Vec<Behavior>) -> &Self {
        assert!(!behaviors.is_empty(), "a path needs at least one behavior");
        lock(&self.script.routes).insert(path.to_owned(), behaviors);
        self
    }

    /// Resets every new connection at once, before a request is read.
    pub fn reset_on_accept(&self, on: bool) {
        self.script.reset_on_accept.store(on, Ordering::SeqCst);
    }

    /// Closes a connection that was idle this long after a reply.
    pub fn close_idle_after(&self, idle: Duration) {
        *lock(&self.script.idle_close) = Some(idle);
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.address().port()
    }

    /// The URL of a path on this server, by address.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address())
    }

    /// The URL of a path on this server, with a name that the fake DNS resolves.
    #[must_use]
    pub fn url_as(&self, name: &str, path: &str) -> String {
        format!("{}://{name}:{}{path}", self.scheme, self.port())
    }

    /// How often a path was requested.
    #[must_use]
    pub fn hits(&self, path: &str) -> usize {
        lock(&self.script.seen)
            .iter()
            .filter(|seen| seen.path() == path)
            .count()
    }

    /// Every request so far, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<HttpRequest> {
        lock(&self.script.seen).clone()
    }

    /// The requests for one path, in order.
    #[must_use]
    pub fn seen_on(&self, path: &str) -> Vec<HttpRequest> {
        self.seen()
            .into_iter()
            .filter(|seen| seen.path() == path)
            .collect()
    }

    /// How many connections were accepted.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.script.connections.load(Ordering::SeqCst)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service for WebScript {
    fn respond(&self, request: HttpRequest) -> Behavior {
        let behavior = self.next_behavior(request.path());
        lock(&self.seen).push(request);
        behavior
    }

    fn idle_limit(&self, answered: bool) -> Duration {
        lock(&self.idle_close)
            .filter(|_| answered)
            .unwrap_or(Duration::from_secs(60))
    }
}

impl WebScript {
    fn next_behavior(&self, path: &str) -> Behavior {
        let mut routes = lock(&self.routes);
        let key = if routes.contains_key(path) { path } else { "*" };
        match routes.get_mut(key) {
            Some(behaviors) if behaviors.len() > 1 => behaviors.remove(0),
            Some(behaviors) => behaviors
                .first()
                .cloned()
                .unwrap_or_else(|| Behavior::status(404)),
            None => Behavior::html(404, "<h1>Not scripted</h1>"),
        }
    }
}

async fn one_connection(mut socket: TcpStream, tls: Option<TlsAcceptor>, script: Arc<WebScript>) {
    let end = if script.reset_on_accept.load(Ordering::SeqCst) {
        ConnectionEnd::Reset
    } else {
        match tls {
            None => serve_stream(&mut socket, &*script).await,
            Some(acceptor) => serve_tls(&mut socket, acceptor, &script).await,
        }
    };
    end_connection(&mut socket, end).await;
}

async fn serve_tls(
    socket: &mut TcpStream,
    acceptor: TlsAcceptor,
    script: &WebScript,
) -> ConnectionEnd {
    let Ok(mut stream) = acceptor.accept(socket).await else {
        return ConnectionEnd::Close;
    };
    let end = serve_stream(&mut stream, script).await;
    if end == ConnectionEnd::Close {
        let _ = stream.shutdown().await;
    }
    end
}

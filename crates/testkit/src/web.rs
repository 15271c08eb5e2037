//! The fake web: one listener, a script per path, a record of every request.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use crate::act::{Act, After};
use crate::authority::Identity;

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    /// Path and query, exactly as sent.
    pub target: String,
    /// Names in lower case, in the order they were sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or(&self.target)
    }
}

#[derive(Default)]
struct Shared {
    routes: Mutex<HashMap<String, Vec<Act>>>,
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    reset_on_accept: AtomicBool,
    /// Closes kept-alive connections after this long without a request.
    idle_close: Mutex<Option<Duration>>,
}

/// A scripted HTTP/1.1 server on loopback; it stops when dropped.
pub struct Web {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

impl std::fmt::Debug for Web {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Web")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Web {
    /// Plain HTTP on 127.0.0.1.
    pub async fn start() -> Self {
        Self::serve(IpAddr::V4(Ipv4Addr::LOCALHOST), None).await
    }

    /// Plain HTTP on ::1; `None` where the machine has no IPv6.
    pub async fn start_v6() -> Option<Self> {
        let address = IpAddr::V6(Ipv6Addr::LOCALHOST);
        TcpListener::bind((address, 0)).await.ok()?;
        Some(Self::serve(address, None).await)
    }

    /// HTTPS on 127.0.0.1 with this certificate.
    pub async fn tls(identity: &Identity) -> Self {
        Self::serve(IpAddr::V4(Ipv4Addr::LOCALHOST), Some(identity.acceptor())).await
    }

    async fn serve(address: IpAddr, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind((address, 0))
            .await
            .expect("a loopback port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let shared = Arc::new(Shared::default());
        let scheme = if tls.is_some() { "https" } else { "http" };
        let serving = tokio::spawn(accept(listener, tls, Arc::clone(&shared)));
        Self {
            address,
            scheme,
            shared,
            serving,
        }
    }

    /// Scripts a path (without query). The path `*` answers everything that has no script of its
    /// own.
    pub fn on(&self, path: &str, act: impl Into<Act>) -> &Self {
        self.on_each(path, vec![act.into()])
    }

    /// Scripts a path with one act per request; the last one repeats.
    pub fn on_each(&self, path: &str, acts: Vec<Act>) -> &Self {
        assert!(!acts.is_empty(), "a path needs at least one act");
        lock(&self.shared.routes).insert(path.to_owned(), acts);
        self
    }

    /// Every new connection is reset at once, before a request is read.
    pub fn reset_on_accept(&self, on: bool) {
        self.shared.reset_on_accept.store(on, Ordering::SeqCst);
    }

    /// Promises keep-alive, but closes a connection that was idle this long after a reply.
    pub fn close_idle_after(&self, idle: Duration) {
        *lock(&self.shared.idle_close) = Some(idle);
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The URL of a path on this server, by address.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The URL of a path on this server, by a name that the test's DNS knows.
    #[must_use]
    pub fn url_as(&self, name: &str, path: &str) -> String {
        format!("{}://{name}:{}{path}", self.scheme, self.address.port())
    }

    /// How often a path was asked for.
    #[must_use]
    pub fn hits(&self, path: &str) -> usize {
        lock(&self.shared.seen)
            .iter()
            .filter(|seen| seen.path() == path)
            .count()
    }

    /// Every request so far, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }

    /// The requests for one path, in order.
    #[must_use]
    pub fn seen_on(&self, path: &str) -> Vec<Seen> {
        self.seen()
            .into_iter()
            .filter(|seen| seen.path() == path)
            .collect()
    }

    /// How many connections were accepted.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    // Connections die with the server, so a test leaves nothing running.
    let mut running = JoinSet::new();
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            return;
        };
        shared.connections.fetch_add(1, Ordering::SeqCst);
        while running.try_join_next().is_some() {}
        running.spawn(one_connection(socket, tls.clone(), Arc::clone(&shared)));
    }
}

async fn one_connection(mut socket: TcpStream, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let _ = socket.set_nodelay(true);
    if shared.reset_on_accept.load(Ordering::SeqCst) {
        let _ = socket.set_zero_linger();
        return;
    }
    let end = match tls {
        None => converse(&mut socket, &shared).await,
        Some(acceptor) => match acceptor.accept(&mut socket).await {
            Ok(mut stream) => {
                let end = converse(&mut stream, &shared).await;
                if matches!(end, After::Close | After::KeepAlive) {
                    let _ = stream.shutdown().await;
                }
                end
            }
            Err(_) => After::Close,
        },
    };
    match end {
        After::Reset => drop(socket.set_zero_linger()),
        // Reads what the client still sends: closing on unread bytes would reset the connection
        // instead.
        After::Close | After::HangUp | After::KeepAlive => {
            let _ = socket.shutdown().await;
            let mut sink = [0; 1024];
            let drained =
                async { while socket.read(&mut sink).await.is_ok_and(|read| read > 0) {} };
            let _ = tokio::time::timeout(Duration::from_millis(200), drained).await;
        }
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut S, shared: &Shared) -> After {
    let mut served = false;
    loop {
        let idle = lock(&shared.idle_close)
            .filter(|_| served)
            .unwrap_or(Duration::from_secs(60));
        let Ok(Some(seen)) = tokio::time::timeout(idle, read_request(socket)).await else {
            return After::Close;
        };
        let act = next_act(shared, seen.path());
        lock(&shared.seen).push(seen);
        match act.play(socket).await {
            Ok(After::KeepAlive) => served = true,
            Ok(end) => return end,
            Err(_) => return After::Close,
        }
    }
}

fn next_act(shared: &Shared, path: &str) -> Act {
    let mut routes = lock(&shared.routes);
    let key = if routes.contains_key(path) { path } else { "*" };
    match routes.get_mut(key) {
        Some(acts) if acts.len() > 1 => acts.remove(0),
        Some(acts) => acts.first().cloned().unwrap_or_else(|| Act::status(404)),
        None => Act::html(404, "<h1>Not scripted</h1>"),
    }
}

/// The first byte of a TLS handshake, which a plain server answers as such servers do.
const TLS_HANDSHAKE: u8 = 0x16;

async fn read_request<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut S) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    let head_end = loop {
        if let Some(at) = find(&bytes, b"\r\n\r\n") {
            break at;
        }
        if bytes.first() == Some(&TLS_HANDSHAKE) {
            let _ = socket
                .write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                .await;
            return None;
        }
        match socket.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    };
    let mut seen = parse_head(&String::from_utf8_lossy(&bytes[..head_end]))?;
    let length = seen
        .header("content-length")
        .and_then(|value| value.parse().ok())
        .unwrap_or(0usize);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        match socket.read(&mut piece).await {
            Ok(read) if read > 0 => body.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
    seen.body = body;
    Some(seen)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

fn parse_head(head: &str) -> Option<Seen> {
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(Seen {
        method,
        target,
        headers,
        body: Vec::new(),
    })
}

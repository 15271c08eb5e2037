//! The listener and its connections.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use super::behavior::{Behavior, ConnectionEnd};
use super::message::{HttpRequest, Reply, reason};

const MAX_CONNECTIONS: usize = 4096;
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_BODY_BYTES: usize = 1024 * 1024;
const IDLE_LIMIT: Duration = Duration::from_secs(60);

/// How long a closed connection is still read from: closing a socket with unread bytes would reset
/// the connection instead.
const DRAIN_TIME: Duration = Duration::from_millis(200);

/// Decides what happens to requests.
pub trait Service: Send + Sync + 'static {
    fn respond(&self, request: HttpRequest) -> Behavior;

    /// How long a connection may wait for its next request. `answered` says whether it has already
    /// had a reply.
    fn idle_limit(&self, answered: bool) -> Duration {
        let _ = answered;
        IDLE_LIMIT
    }
}

/// A running server. Dropping it frees its port and ends its connections.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl HttpServer {
    /// Serves plain HTTP; port 0 takes any free one.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn start(address: SocketAddr, service: Arc<impl Service>) -> io::Result<HttpServer> {
        HttpServer::serve(TcpListener::bind(address).await?, service)
    }

    /// Serves plain HTTP on a listener.
    ///
    /// # Errors
    /// When the listener has no address.
    pub fn serve(listener: TcpListener, service: Arc<impl Service>) -> io::Result<HttpServer> {
        HttpServer::serve_with(listener, move |mut socket| {
            let service = Arc::clone(&service);
            async move {
                let end = serve_stream(&mut socket, &*service).await;
                end_connection(&mut socket, end).await;
            }
        })
    }

    /// Hands each new connection to a function, which may put TLS or anything else around it.
    ///
    /// # Errors
    /// When the listener has no address.
    pub fn serve_with<C, F>(listener: TcpListener, connection: C) -> io::Result<HttpServer>
    where
        C: Fn(TcpStream) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let address = listener.local_addr()?;
        let serving = tokio::spawn(accept(listener, connection));
        Ok(HttpServer { address, serving })
    }

    /// Serves plain HTTP on all these addresses from one thread until the program ends, for
    /// programs without a runtime. Returns the addresses with their ports.
    ///
    /// # Errors
    /// When an address cannot be listened on or no thread can be started.
    pub fn start_on_thread(
        addresses: &[SocketAddr],
        service: &Arc<impl Service>,
    ) -> io::Result<Vec<SocketAddr>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut servers = Vec::new();
        for address in addresses {
            let starting = HttpServer::start(*address, Arc::clone(service));
            servers.push(runtime.block_on(starting)?);
        }
        let listening = servers.iter().map(HttpServer::address).collect();
        let serve = move || {
            runtime.block_on(async {
                for server in &mut servers {
                    server.ended().await;
                }
            });
        };
        std::thread::Builder::new()
            .name("http-server".to_owned())
            .spawn(serve)?;
        Ok(listening)
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the server stops, which it does only when it is dropped.
    pub async fn ended(&mut self) {
        let _ = (&mut self.serving).await;
    }
}

async fn accept<C, F>(listener: TcpListener, connection: C)
where
    C: Fn(TcpStream) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Connections end with this set, and the set with the server.
    let mut running = JoinSet::new();
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        match listener.accept().await {
            Ok((socket, _)) => {
                let _ = socket.set_nodelay(true);
                let work = connection(socket);
                running.spawn(async move {
                    work.await;
                    drop(slot);
                });
            }
            // Out of file descriptors, most likely: they come back when connections end.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while running.try_join_next().is_some() {}
    }
}

/// Answers the requests on one connection and says how to end it.
pub async fn serve_stream<S, T>(stream: &mut S, service: &T) -> ConnectionEnd
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: Service,
{
    let (mut input, mut output) = tokio::io::split(stream);
    let (mut unread, mut answered) = (Vec::new(), false);
    loop {
        let receiving = receive(&mut input, &mut unread);
        let (behavior, is_last) =
            match tokio::time::timeout(service.idle_limit(answered), receiving).await {
                Ok(Received::Request(request)) => {
                    let is_last = asks_to_close(&request);
                    (service.respond(request), is_last)
                }
                Ok(Received::Refused(status)) => (Reply::html(status, reason(status)).into(), true),
                Ok(Received::End) | Err(_) => return ConnectionEnd::Close,
            };
        // A client that leaves is noticed: a stalled reply to nobody would hold its slot for
        // minutes.
        let end = tokio::select! {
            biased;
            end = behavior.perform(&mut output) => end.unwrap_or(Some(ConnectionEnd::Close)),
            () = client_left(&mut input, &mut unread) => Some(ConnectionEnd::Close),
        };
        match end {
            None if is_last => return ConnectionEnd::Close,
            None => answered = true,
            Some(end) => return end,
        }
    }
}

fn asks_to_close(request: &HttpRequest) -> bool {
    request
        .header("connection")
        .is_some_and(|value| value.eq_ignore_ascii_case("close"))
}

/// Resolves when the client closes its side. What it sends meanwhile is kept for the next request.
async fn client_left(input: &mut (impl AsyncRead + Unpin), unread: &mut Vec<u8>) {
    let mut piece = [0; 1024];
    while unread.len() < MAX_BODY_BYTES {
        match input.read(&mut piece).await {
            Ok(read @ 1..) => unread.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    std::future::pending().await
}

/// Ends a connection as decided.
pub async fn end_connection(socket: &mut TcpStream, end: ConnectionEnd) {
    if end == ConnectionEnd::Reset {
        let _ = socket.set_zero_linger();
        return;
    }
    let _ = socket.shutdown().await;
    let mut sink = [0; 1024];
    let drained = async { while socket.read(&mut sink).await.is_ok_and(|read| read > 0) {} };
    let _ = tokio::time::timeout(DRAIN_TIME, drained).await;
}

enum Received {
    Request(HttpRequest),
    /// Not HTTP, or too much of it: the status to answer with.
    Refused(u16),
    /// The client closed the connection.
    End,
}

/// The first byte of a TLS handshake, which a plain server refuses as real ones do.
const TLS_HANDSHAKE: u8 = 0x16;

/// Reads one request. Bytes that belong to the next one stay in `unread`.
async fn receive(input: &mut (impl AsyncRead + Unpin), unread: &mut Vec<u8>) -> Received {
    let head_end = loop {
        if let Some(at) = unread.windows(4).position(|window| window == b"\r\n\r\n")
            && at <= MAX_HEAD_BYTES
        {
            break at;
        }
        if unread.len() > MAX_HEAD_BYTES {
            return Received::Refused(431);
        }
        if unread.first() == Some(&TLS_HANDSHAKE) {
            return Received::Refused(400);
        }
        if !read_more(input, unread).await {
            return Received::End;
        }
    };
    let Some(mut request) = parse_head(&String::from_utf8_lossy(&unread[..head_end])) else {
        return Received::Refused(400);
    };
    let length = match body_length(&request) {
        Ok(length) => length,
        Err(status) => return Received::Refused(status),
    };
    let end = head_end + 4 + length;
    while unread.len() < end {
        if !read_more(input, unread).await {
            return Received::End;
        }
    }
    let rest = unread.split_off(end);
    request.body = unread.split_off(head_end + 4);
    *unread = rest;
    Received::Request(request)
}

/// False when there is nothing more to read.
async fn read_more(input: &mut (impl AsyncRead + Unpin), bytes: &mut Vec<u8>) -> bool {
    let mut piece = [0; 8192];
    match input.read(&mut piece).await {
        Ok(read @ 1..) => {
            bytes.extend_from_slice(&piece[..read]);
            true
        }
        _ => false,
    }
}

/// The length of a request's body, or the status that refuses it.
fn body_length(request: &HttpRequest) -> Result<usize, u16> {
    if request.header("transfer-encoding").is_some() {
        return Err(411);
    }
    let length = match request.header("content-length") {
        None => 0,
        Some(value) => value.parse().unwrap_or(usize::MAX),
    };
    if length > MAX_BODY_BYTES {
        return Err(413);
    }
    Ok(length)
}

fn parse_head(head: &str) -> Option<HttpRequest> {
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target, version) = (first.next()?, first.next()?, first.next()?);
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return None;
    }
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(HttpRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        body: Vec::new(),
    })
}

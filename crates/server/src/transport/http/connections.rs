//! Limits TCP connections in number and in idle time.
//!
//! axum waits without limit for the head of a request and for a client to read its response, so a
//! few thousand silent connections would use up every file descriptor of this process. Here the
//! number of connections is limited, in total and for one address, a connection must send the head
//! of each request in time, and a client must go on reading what it is sent. No limit applies while
//! a request is being served.

use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::Sleep,
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Four times the thousand clients that this server is measured with. Where the system allows fewer
/// open files, a failing accept is logged and tried again.
const MAX_CONNECTIONS: usize = 4_096;
/// For one address: enough for a proxy in front of a thousand clients, and half of what there is.
const MAX_OF_ADDRESS: usize = 2_048;
/// The time in which a client must read something of what waits for it. What it does not read is
/// kept in memory.
const UNREAD_TIME: Duration = Duration::from_secs(10);
/// The time for a request's head: from connecting, or from the head's first byte.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The time between two requests of a connection.
const IDLE_TIME: Duration = Duration::from_secs(75);
/// The pause after a failed accept, for example when there are no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The response to a connection above the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\
Content-Type: application/problem+json\r\nContent-Length: 115\r\n\r\n\
{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"Too many connections. Try again soon.\"}\n";

/// A listener that limits the number of connections.
#[derive(Debug)]
pub(super) struct LimitedListener {
    listener: TcpListener,
    permits: Arc<Semaphore>,
    addresses: AddressCounts,
    stopping: CancellationToken,
}

impl LimitedListener {
    pub(super) fn new(listener: TcpListener, stopping: CancellationToken) -> LimitedListener {
        LimitedListener::with_limits(listener, stopping, MAX_CONNECTIONS, MAX_OF_ADDRESS)
    }

    fn with_limits(
        listener: TcpListener,
        stopping: CancellationToken,
        connections: usize,
        of_address: usize,
    ) -> LimitedListener {
        LimitedListener {
            listener,
            permits: Arc::new(Semaphore::new(connections)),
            addresses: AddressCounts {
                limit: of_address,
                counts: Arc::default(),
            },
            stopping,
        }
    }

    /// `None` when there are too many connections, in total or from this address.
    fn admit(&self, address: IpAddr) -> Option<ConnectionPermit> {
        Some(ConnectionPermit {
            _of_address: self.addresses.admit(address)?,
            _permit: Arc::clone(&self.permits).try_acquire_owned().ok()?,
        })
    }
}

/// How many connections each address has.
#[derive(Debug, Clone)]
struct AddressCounts {
    limit: usize,
    counts: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AddressCounts {
    fn admit(&self, address: IpAddr) -> Option<AddressGuard> {
        let mut counts = self.counts();
        let count = counts.entry(address).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(AddressGuard {
            addresses: self.clone(),
            address,
        })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct AddressGuard {
    addresses: AddressCounts,
    address: IpAddr,
}

impl Drop for AddressGuard {
    fn drop(&mut self) {
        let mut counts = self.addresses.counts();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// Held as long as a connection is open.
#[derive(Debug)]
struct ConnectionPermit {
    _of_address: AddressGuard,
    _permit: OwnedSemaphorePermit,
}

impl Listener for LimitedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((socket, address)) => match self.admit(address.ip()) {
                    Some(permit) => {
                        return (
                            Connection::new(socket, permit, self.stopping.clone()),
                            address,
                        );
                    }
                    None => refuse(socket),
                },
                Err(error) if is_peer_error(&error) => {
                    tracing::debug!(kind = %error.kind(), "a connection ended before it began")
                }
                Err(error) => {
                    tracing::error!(%error, "no connection can be taken; trying again");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

fn is_peer_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

fn refuse(mut socket: TcpStream) {
    tracing::warn!(
        limit = MAX_CONNECTIONS,
        "refused a connection: too many are open"
    );
    tokio::spawn(async move {
        let _ = tokio::time::timeout(ACCEPT_PAUSE, async {
            socket.write_all(FULL).await?;
            socket.shutdown().await
        })
        .await;
    });
}

/// A connection with its timers.
#[derive(Debug)]
pub(super) struct Connection {
    socket: TcpStream,
    /// Released when the connection ends.
    _permit: ConnectionPermit,
    requests: ConnectionRequests,
    stopping: Pin<Box<WaitForCancellationFutureOwned>>,
    timer: Option<Pin<Box<Sleep>>>,
    /// No request was served yet, so the time limit is that of a head.
    is_new: bool,
    /// The first byte of a head has arrived.
    in_head: bool,
    /// The count of started requests at the last poll: a quick request starts and ends between two
    /// polls.
    last_started: usize,
    /// Runs while the client reads nothing of what it is sent.
    unread: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn new(socket: TcpStream, permit: ConnectionPermit, stopping: CancellationToken) -> Connection {
        // With Nagle's algorithm on, every streamed reply waits about 40 ms for an acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "Nagle's algorithm could not be turned off for a socket");
        }
        let stopping = Box::pin(stopping.cancelled_owned());
        Connection {
            socket,
            _permit: permit,
            requests: ConnectionRequests::default(),
            stopping,
            timer: None,
            is_new: true,
            in_head: false,
            last_started: 0,
            unread: None,
        }
    }

    /// Whether the connection was idle for too long, or is idle while the server stops.
    fn is_expired(&mut self, cx: &mut Context<'_>) -> bool {
        let started = self.requests.started();
        if started != self.last_started {
            (self.last_started, self.timer) = (started, None);
            (self.is_new, self.in_head) = (false, false);
        }
        if self.requests.is_busy() {
            self.timer = None;
            return false;
        }
        let limit = if self.is_new || self.in_head {
            HEAD_TIME
        } else {
            IDLE_TIME
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        timer.as_mut().poll(cx).is_ready() || self.stopping.as_mut().poll(cx).is_ready()
    }

    /// Passes on the outcome of a write, unless the client has not read for too long.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.unread = None;
            return outcome;
        }
        let timer = self
            .unread
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(UNREAD_TIME)));
        match timer.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.is_expired(cx) {
            // To axum this looks as if the client had closed the connection.
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.socket).poll_read(cx, buffer);
        if buffer.filled().len() > before && !this.in_head && !this.requests.is_busy() {
            this.in_head = true;
            if !this.is_new {
                this.timer = None;
            }
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.socket).poll_write(cx, bytes);
        this.written(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.socket).poll_write_vectored(cx, bytes);
        this.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}

/// Counts the requests of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionRequests(Arc<RequestCounts>);

#[derive(Debug, Default)]
struct RequestCounts {
    started: AtomicUsize,
    ended: AtomicUsize,
}

impl ConnectionRequests {
    fn started(&self) -> usize {
        self.0.started.load(Ordering::Acquire)
    }

    fn is_busy(&self) -> bool {
        // In this order, a request that ends in between makes the connection look busy once more;
        // in the other, a running request could look ended.
        let ended = self.0.ended.load(Ordering::Acquire);
        self.started() != ended
    }

    /// The connection is busy until the guard is dropped.
    pub(super) fn start(&self) -> RequestGuard {
        self.0.started.fetch_add(1, Ordering::AcqRel);
        RequestGuard(self.clone())
    }
}

#[derive(Debug)]
pub(super) struct RequestGuard(ConnectionRequests);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.0.ended.fetch_add(1, Ordering::AcqRel);
    }
}

/// What a request knows about its connection.
#[derive(Debug, Clone)]
pub(super) struct ConnectionInfo {
    pub(super) address: SocketAddr,
    pub(super) requests: ConnectionRequests,
}

impl Connected<IncomingStream<'_, LimitedListener>> for ConnectionInfo {
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> ConnectionInfo {
        ConnectionInfo {
            address: *stream.remote_addr(),
            requests: stream.io().requests.clone(),
        }
    }
}

/// Counts the messages of all connections that are being answered. A server that stops waits for
/// them.
#[derive(Debug, Clone)]
pub(super) struct ActiveMessages(watch::Sender<usize>);

impl Default for ActiveMessages {
    fn default() -> ActiveMessages {
        ActiveMessages(watch::Sender::new(0))
    }
}

impl ActiveMessages {
    pub(super) fn start(&self) -> MessageGuard {
        self.0.send_modify(|count| *count += 1);
        MessageGuard(self.clone())
    }

    /// Resolves when no message is being answered.
    pub(super) async fn finished(&self) {
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

#[derive(Debug)]
pub(super) struct MessageGuard(ActiveMessages);

impl Drop for MessageGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_to_a_connection_above_the_limit_is_valid() {
        let text = std::str::from_utf8(FULL).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        assert!(
            head.contains(&format!("Content-Length: {}", body.len())),
            "{}",
            body.len()
        );
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }

    #[tokio::test]
    async fn one_address_cannot_take_every_connection() {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let listener = LimitedListener::with_limits(socket, CancellationToken::new(), 4, 2);
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let held: Vec<_> = (0..3).map_while(|_| listener.admit(one)).collect();
        assert_eq!(held.len(), 2);
        assert!(listener.admit(other).is_some());
        drop(held);
        assert!(listener.admit(one).is_some());
        assert!(listener.addresses.counts().is_empty());
    }

    #[tokio::test]
    async fn finished_waits_for_active_messages() {
        let active = ActiveMessages::default();
        active.finished().await;
        let guard = active.start();
        assert!(
            tokio::time::timeout(Duration::from_millis(20), active.finished())
                .await
                .is_err()
        );
        drop(guard);
        active.finished().await;
    }
}

//! Limits TCP connections in number and in idle time.
//!
//! axum waits without limit for the head of a request and for a client to read its response, so a
//! few thousand silent connections would use up every file descriptor of this process. Here the
//! number of connections is limited, in total and for one address, a connection must send the head
//! of each request in time, and a client must go on reading what it is sent. No limit applies while
//! a request is being served. When few places are left, idle connections are closed sooner, and when
//! none is left, `places` says who gives one up.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};
use net::ServerTls;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{Semaphore, watch},
};
use tokio_util::sync::CancellationToken;

use super::{connection::Connection, connection_requests::ConnectionRequests, places::Places};
use crate::process_limits;

/// Four times the thousand clients that this server is measured with. There are fewer where the
/// system allows fewer open files.
const MAX_CONNECTIONS: usize = 4_096;
/// One address has half of them: enough for a proxy in front of a thousand clients.
const ADDRESSES: usize = 2;
/// Bytes of responses that the system keeps for a connection; Linux doubles it.
const SEND_BUFFER: u32 = 128 << 10;
/// Connections that the system keeps until they are accepted.
const WAITING_CONNECTIONS: u32 = 1_024;
/// Connections above the limit that are answered at a time; more of them are only closed.
const MAX_REFUSALS: usize = 32;
/// The time that such an answer takes.
const REFUSAL_TIME: Duration = Duration::from_secs(1);
/// The pause after a failed accept, for example when there are no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The response to a connection above the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\
Content-Type: application/problem+json\r\nContent-Length: 283\r\n\r\n\
{\"type\":\"urn:fingerpost:fault:rate_limited-local_limit\",\"title\":\"Rate limited\",\"status\":503,\"kind\":\"rate_limited\",\"reason\":\"local_limit\",\"retryable\":true,\"retryAfterSeconds\":5,\"suggestedAction\":\"retry_after_delay\",\"detail\":\"Too many connections are open. Wait 5 seconds and retry.\"}\n";

/// Opens a listening socket whose connections keep little of what their clients do not read. By
/// default the system would take up to megabytes for each, so that nobody here could tell that a
/// client does not read.
pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // So that a server can be started again at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(WAITING_CONNECTIONS)
}

/// A listener that limits the number of connections.
#[derive(Debug)]
pub(super) struct LimitedListener {
    listener: TcpListener,
    places: Places,
    refusals: Arc<Semaphore>,
    tls: Option<ServerTls>,
    stopping: CancellationToken,
}

impl LimitedListener {
    pub(super) fn new(
        listener: TcpListener,
        tls: Option<ServerTls>,
        stopping: CancellationToken,
    ) -> LimitedListener {
        let connections = process_limits::connections(MAX_CONNECTIONS);
        let of_address = connections / ADDRESSES;
        LimitedListener {
            tls,
            ..LimitedListener::with_limits(listener, stopping, connections, of_address)
        }
    }

    fn with_limits(
        listener: TcpListener,
        stopping: CancellationToken,
        connections: usize,
        of_address: usize,
    ) -> LimitedListener {
        LimitedListener {
            listener,
            places: Places::new(connections, of_address),
            refusals: Arc::new(Semaphore::new(MAX_REFUSALS)),
            tls: None,
            stopping,
        }
    }

    fn refuse(&self, socket: TcpStream) {
        tracing::warn!("refused a connection: too many are open");
        // A TLS handshake costs more than the connection that there is no room for.
        if self.tls.is_some() {
            return;
        }
        let Ok(permit) = Arc::clone(&self.refusals).try_acquire_owned() else {
            return;
        };
        tokio::spawn(async move {
            let _permit = permit;
            let _ = tokio::time::timeout(REFUSAL_TIME, send_refusal(socket)).await;
        });
    }
}

impl Listener for LimitedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((socket, address)) => match self.places.take(address.ip()) {
                    Some(place) => {
                        return (
                            Connection::new(socket, self.tls.clone(), place, self.stopping.clone()),
                            address,
                        );
                    }
                    None => self.refuse(socket),
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

/// Tells the client when to come back. What it has sent is read meanwhile, because a system that
/// closes a connection with unread bytes resets it, and the client may then not see the answer.
async fn send_refusal(mut socket: TcpStream) -> io::Result<()> {
    socket.write_all(FULL).await?;
    socket.shutdown().await?;
    tokio::io::copy(&mut socket, &mut tokio::io::sink()).await?;
    Ok(())
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
            requests: stream.io().requests(),
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
    use std::net::IpAddr;

    use tokio::io::AsyncReadExt;

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

    async fn listener() -> LimitedListener {
        let socket = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        LimitedListener::with_limits(socket, CancellationToken::new(), 16, 16)
    }

    #[expect(clippy::disallowed_methods, reason = "the client of a test")]
    async fn connect(listener: &mut LimitedListener) -> (TcpStream, Connection) {
        let address = listener.local_addr().expect("an address");
        let client = TcpStream::connect(address).await.expect("a connection");
        (client, listener.accept().await.0)
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_are_closed_sooner_when_others_need_their_places() {
        let mut listener = listener().await;
        let mut seconds_open = async |requests: usize, others: usize| {
            let (_client, mut connection) = connect(&mut listener).await;
            (0..requests).for_each(|_| drop(connection.requests().start()));
            let one = IpAddr::from([10, 0, 0, 1]);
            let _others: Vec<_> = (0..others).map(|_| listener.places.take(one)).collect();
            let begun = tokio::time::Instant::now();
            assert_eq!(connection.read(&mut [0; 9]).await.ok(), Some(0));
            begun.elapsed().as_secs()
        };
        assert_eq!(seconds_open(0, 13).await, 10);
        assert_eq!(seconds_open(1, 13).await, 75);
        assert_eq!(seconds_open(0, 14).await, 5);
        assert_eq!(seconds_open(1, 14).await, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_from_the_end_of_its_request() {
        let mut listener = listener().await;
        let (_client, mut connection) = connect(&mut listener).await;
        let request = connection.requests().start();
        let begun = tokio::time::Instant::now();
        let read = tokio::spawn(async move { connection.read(&mut [0; 9]).await.ok() });
        tokio::time::sleep(Duration::from_secs(200)).await;
        drop(request);
        let read = tokio::time::timeout(Duration::from_secs(1_000), read).await;
        assert_eq!(read.expect("an end").expect("no panic"), Some(0));
        assert_eq!(begun.elapsed().as_secs(), 275);
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

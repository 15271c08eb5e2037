//! Who comes in over TCP, and for how long without saying anything.
//!
//! The web framework waits for ever for the head of a request, so a few hundred silent connections
//! would use up every file this process may open. Here a connection has a place (there are so
//! many), must begin to speak soon, and must finish the head of each request soon. What happens
//! between head and reply is not its business: a connection whose request is being served is left
//! alone.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
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

/// Connections at once: four times the thousand clients this server is measured with. Where the
/// system allows fewer open files, an accept that fails is logged and tried again.
const MAX_CONNECTIONS: usize = 4_096;
/// From the first byte of a head (or from the greeting) to its end.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long a connection may rest between two requests.
const IDLE_TIME: Duration = Duration::from_secs(75);
/// How long to wait when no connection can be taken, for example because files have run out.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\
Content-Type: application/problem+json\r\nContent-Length: 115\r\n\r\n\
{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"detail\":\"Too many connections. Try again soon.\"}\n";

/// The listening socket with its rules.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    places: Arc<Semaphore>,
    stopping: CancellationToken,
}

impl Door {
    pub(super) fn new(listener: TcpListener, stopping: CancellationToken) -> Door {
        Door {
            listener,
            places: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            stopping,
        }
    }
}

impl Listener for Door {
    type Io = Visitor;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Visitor, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((socket, address)) => match self.places.clone().try_acquire_owned() {
                    Ok(place) => {
                        return (Visitor::new(socket, place, self.stopping.clone()), address);
                    }
                    Err(_) => turn_away(socket),
                },
                Err(error) if is_the_visitors(&error) => {
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

fn is_the_visitors(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

fn turn_away(mut socket: TcpStream) {
    tracing::warn!(limit = MAX_CONNECTIONS, "turned a connection away");
    tokio::spawn(async move {
        let _ = tokio::time::timeout(ACCEPT_PAUSE, async {
            socket.write_all(FULL).await?;
            socket.shutdown().await
        })
        .await;
    });
}

/// One connection.
#[derive(Debug)]
pub(super) struct Visitor {
    socket: TcpStream,
    /// Given back when the connection ends.
    _place: OwnedSemaphorePermit,
    served: Served,
    stopping: Pin<Box<WaitForCancellationFutureOwned>>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Nothing was served yet, so there is no reason to rest.
    fresh: bool,
    /// The first byte of a head has come.
    head_begun: bool,
    /// Requests that had been handed on when we last looked: a quick one begins and ends between
    /// two looks.
    seen: usize,
}

impl Visitor {
    fn new(socket: TcpStream, place: OwnedSemaphorePermit, stopping: CancellationToken) -> Visitor {
        // With Nagle's algorithm on, every streamed reply waits about 40 ms for an acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "a socket keeps Nagle's algorithm");
        }
        let stopping = Box::pin(stopping.cancelled_owned());
        Visitor {
            socket,
            _place: place,
            served: Served::default(),
            stopping,
            timer: None,
            fresh: true,
            head_begun: false,
            seen: 0,
        }
    }

    /// Whether this visitor has been silent for too long, or is silent while the server wants to
    /// end.
    fn outstays(&mut self, cx: &mut Context<'_>) -> bool {
        let begun = self.served.begun();
        if begun != self.seen {
            (self.seen, self.timer, self.fresh, self.head_begun) = (begun, None, false, false);
        }
        if self.served.is_busy() {
            self.timer = None;
            return false;
        }
        let limit = if self.fresh || self.head_begun {
            HEAD_TIME
        } else {
            IDLE_TIME
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        timer.as_mut().poll(cx).is_ready() || self.stopping.as_mut().poll(cx).is_ready()
    }
}

impl AsyncRead for Visitor {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.outstays(cx) {
            // To the framework this looks like a visitor who hung up.
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.socket).poll_read(cx, buffer);
        if buffer.filled().len() > before && !this.head_begun && !this.served.is_busy() {
            this.head_begun = true;
            if !this.fresh {
                this.timer = None;
            }
        }
        read
    }
}

impl AsyncWrite for Visitor {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().socket).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().socket).poll_write_vectored(cx, bytes)
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

/// The requests of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Served(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: AtomicUsize,
    ended: AtomicUsize,
}

impl Served {
    fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Acquire)
    }

    fn is_busy(&self) -> bool {
        // In this order: one that ends in between then looks busy once more, never the other way
        // round.
        let ended = self.0.ended.load(Ordering::Acquire);
        self.begun() != ended
    }

    /// Until the guard is dropped, the connection is busy.
    pub(super) fn begin(&self) -> ServedGuard {
        self.0.begun.fetch_add(1, Ordering::AcqRel);
        ServedGuard(self.clone())
    }
}

#[derive(Debug)]
pub(super) struct ServedGuard(Served);

impl Drop for ServedGuard {
    fn drop(&mut self) {
        self.0.0.ended.fetch_add(1, Ordering::AcqRel);
    }
}

/// What a request knows of its connection.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    pub(super) served: Served,
}

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Peer {
        Peer {
            address: *stream.remote_addr(),
            served: stream.io().served.clone(),
        }
    }
}

/// Messages of all connections that are being answered: what a server that wants to end waits for.
#[derive(Debug, Clone)]
pub(super) struct Running(watch::Sender<usize>);

impl Default for Running {
    fn default() -> Running {
        Running(watch::Sender::new(0))
    }
}

impl Running {
    pub(super) fn begin(&self) -> RunningGuard {
        self.0.send_modify(|count| *count += 1);
        RunningGuard(self.clone())
    }

    /// Resolves when nothing is being answered.
    pub(super) async fn none(&self) {
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

#[derive(Debug)]
pub(super) struct RunningGuard(Running);

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_at_the_door_is_whole() {
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
    async fn a_server_that_ends_waits_for_what_is_running() {
        let running = Running::default();
        running.none().await;
        let guard = running.begin();
        assert!(
            tokio::time::timeout(Duration::from_millis(20), running.none())
                .await
                .is_err()
        );
        drop(guard);
        running.none().await;
    }
}

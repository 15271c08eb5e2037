//! One TCP connection with its timers: how long it may be idle, take for the head of a request, or
//! leave its responses unread. It may be idle for less time while others wait for a place.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use net::ServerTls;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::{
    bare_refusals, connection_requests::ConnectionRequests, places::Place, socket::Socket,
};

/// The time in which a client must read something of what waits for it. What it does not read is
/// kept in memory.
pub(super) const UNREAD_TIME: Duration = Duration::from_secs(10);
/// The time for a request's head: from connecting, or from the head's first byte.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The time between two requests of a connection.
const IDLE_TIME: Duration = Duration::from_secs(75);
/// The time for a head and between two requests while others find no place. They are told to come
/// back after it.
const CROWDED_TIME: Duration = Duration::from_secs(5);
/// How often a client that sends nothing more is asked whether it is still there.
const PROBE_PAUSE: Duration = Duration::from_millis(250);
const INTERIM_RESPONSE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection with its timers.
#[derive(Debug)]
pub(super) struct Connection {
    socket: Socket,
    /// Released when the connection ends.
    place: Place,
    requests: ConnectionRequests,
    stopping: Pin<Box<WaitForCancellationFutureOwned>>,
    idle: Option<IdleTimer>,
    /// No request was served yet, so the time limit is that of a head.
    is_new: bool,
    /// The first byte of a head has arrived.
    in_head: bool,
    /// The count of started requests at the last poll: a quick request starts and ends between two
    /// polls.
    last_started: usize,
    /// The client sends nothing more, and waits for its response.
    half_closed: Option<HalfClosed>,
    /// The count of started requests when something was last written, and when all of it was.
    written_for: usize,
    flushed_for: usize,
    /// Runs while the client reads nothing of what it is sent.
    unread: Option<Pin<Box<Sleep>>>,
    /// What is left of a response that is sent in place of a bare refusal.
    replacement: Option<VecDeque<u8>>,
}

impl Connection {
    pub(super) fn new(
        socket: TcpStream,
        tls: Option<ServerTls>,
        place: Place,
        stopping: CancellationToken,
    ) -> Connection {
        // With Nagle's algorithm on, every streamed reply waits about 40 ms for an acknowledgement.
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "Nagle's algorithm could not be turned off for a socket");
        }
        let stopping = Box::pin(stopping.cancelled_owned());
        Connection {
            socket: Socket::new(socket, tls),
            requests: place.requests(),
            place,
            stopping,
            idle: None,
            is_new: true,
            in_head: false,
            last_started: 0,
            half_closed: None,
            written_for: 0,
            flushed_for: 0,
            unread: None,
            replacement: None,
        }
    }

    pub(super) fn requests(&self) -> ConnectionRequests {
        self.requests.clone()
    }

    /// Fails once the place of this connection was given to another.
    fn check_open(&self) -> io::Result<()> {
        match self.requests.is_closed() {
            true => Err(io::ErrorKind::ConnectionAborted.into()),
            false => Ok(()),
        }
    }

    /// Whether the connection was idle for too long, or is idle while the server stops.
    fn is_expired(&mut self, cx: &mut Context<'_>) -> bool {
        self.requests.wake_when_ended(cx.waker());
        let started = self.requests.started();
        if started != self.last_started {
            (self.last_started, self.idle) = (started, None);
            (self.is_new, self.in_head) = (false, false);
        }
        if self.requests.is_busy() {
            self.idle = None;
            return false;
        }
        let limit = if self.is_new || self.in_head {
            HEAD_TIME
        } else {
            IDLE_TIME
        };
        let idle = self.idle.get_or_insert_with(|| IdleTimer::new(limit));
        idle.is_over(cx, &self.place) || self.stopping.as_mut().poll(cx).is_ready()
    }

    /// Whether the response to everything that was sent is complete and on its way.
    fn is_answered(&self) -> bool {
        !self.in_head && !self.requests.is_busy() && self.flushed_for == self.requests.started()
    }

    /// Handles the end of what the client sends while its response is due: a client that only closed
    /// its sending side still gets it. One that is gone altogether looks the same until something
    /// is sent to it, so it is sent an interim response, which HTTP lets every client ignore.
    fn poll_half_closed(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_answered()
            || self.written_for == self.requests.started() && self.requests.is_busy()
        {
            return Poll::Ready(Ok(()));
        }
        let may_probe = self.requests.is_busy();
        let state = self.half_closed.get_or_insert_with(HalfClosed::new);
        state.waker = Some(cx.waker().clone());
        while state.timer.as_mut().poll(cx).is_ready() {
            if may_probe && self.socket.try_send(cx, INTERIM_RESPONSE).is_err() {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            state.timer = Box::pin(tokio::time::sleep(PROBE_PAUSE));
        }
        Poll::Pending
    }

    /// Sends another response in place of these bytes, if they are a bare refusal. `None` if they are
    /// not.
    fn poll_replacement(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Option<Poll<io::Result<usize>>> {
        if self.replacement.is_none() && !self.requests.is_busy() {
            self.replacement = bare_refusals::replacement(bytes).map(VecDeque::from);
        }
        let rest = self.replacement.as_mut()?;
        while !rest.is_empty() {
            match Pin::new(&mut self.socket).poll_write(cx, rest.as_slices().0) {
                Poll::Ready(Ok(0)) => {
                    return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into())));
                }
                Poll::Ready(Ok(written)) => drop(rest.drain(..written)),
                other => return Some(other),
            }
        }
        self.replacement = None;
        Some(Poll::Ready(Ok(bytes.len())))
    }

    /// Passes on the outcome of a write, unless the client has not read for too long.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.unread = None;
            self.written_for = self.requests.started();
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
        this.check_open()?;
        if this.is_expired(cx) {
            // To axum this looks as if the client had closed the connection.
            return Poll::Ready(Ok(()));
        }
        // Again, because whoever closed it meanwhile may have found no task to wake.
        this.check_open()?;
        if this.half_closed.is_some() {
            return this.poll_half_closed(cx);
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.socket).poll_read(cx, buffer);
        let is_end = matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
        if is_end && buffer.remaining() > 0 && !this.is_answered() {
            return this.poll_half_closed(cx);
        }
        if buffer.filled().len() > before && !this.in_head && !this.requests.is_busy() {
            this.in_head = true;
            if !this.is_new {
                this.idle = None;
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
        this.check_open()?;
        let written = match this.poll_replacement(cx, bytes) {
            Some(written) => written,
            None => Pin::new(&mut this.socket).poll_write(cx, bytes),
        };
        this.written(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.check_open()?;
        let replaced = match bytes {
            [only] => this.poll_replacement(cx, only),
            _ => None,
        };
        let written = match replaced {
            Some(written) => written,
            None => Pin::new(&mut this.socket).poll_write_vectored(cx, bytes),
        };
        this.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.check_open()?;
        let flushed = Pin::new(&mut this.socket).poll_flush(cx);
        if flushed.is_ready() && this.written_for == this.requests.started() {
            this.flushed_for = this.written_for;
        }
        if let Some(state) = this.half_closed.as_mut().filter(|_| flushed.is_ready())
            && let Some(waker) = state.waker.take()
        {
            waker.wake();
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}

/// How long nothing was sent. It ends early if others need the place.
#[derive(Debug)]
struct IdleTimer {
    end: Instant,
    /// Until others are thought of next.
    step: Pin<Box<Sleep>>,
}

impl IdleTimer {
    fn new(limit: Duration) -> IdleTimer {
        IdleTimer {
            end: Instant::now() + limit,
            step: Box::pin(tokio::time::sleep(CROWDED_TIME)),
        }
    }

    fn is_over(&mut self, cx: &mut Context<'_>, place: &Place) -> bool {
        while self.step.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if now >= self.end || place.is_wanted() {
                return true;
            }
            self.step.as_mut().reset(self.end.min(now + CROWDED_TIME));
        }
        false
    }
}

/// A client that has closed its sending side.
#[derive(Debug)]
struct HalfClosed {
    timer: Pin<Box<Sleep>>,
    /// Of the task that reads, which must learn of the end once the response is written.
    waker: Option<Waker>,
}

impl HalfClosed {
    fn new() -> HalfClosed {
        HalfClosed {
            timer: Box::pin(tokio::time::sleep(Duration::ZERO)),
            waker: None,
        }
    }
}

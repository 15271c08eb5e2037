//! What the server does about one request.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::message::Reply;

/// No request is held longer than this.
pub(crate) const LONGEST_HOLD: Duration = Duration::from_secs(120);

/// What happens on the connection after a request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Behavior {
    Reply(Reply),
    /// These bytes exactly, then close.
    Raw(Vec<u8>),
    /// Reads the request and never answers.
    StallHead,
    /// Sends the head and `after` bytes of the body, then nothing.
    StallBody {
        reply: Reply,
        after: usize,
    },
    /// Sends the body in pieces of `piece` bytes, one every `every`.
    Drip {
        reply: Reply,
        piece: usize,
        every: Duration,
    },
    /// A body that never ends (chunked), as fast as the socket takes it.
    Endless(Reply),
    /// Claims `claim` bytes and closes cleanly after the real body.
    ShortBody {
        reply: Reply,
        claim: usize,
    },
    /// A chunked body without its last chunk.
    CutChunked(Reply),
    /// Sends `after` bytes of the body, then resets the connection.
    ResetInBody {
        reply: Reply,
        after: usize,
    },
    /// A head of at least this many bytes.
    HugeHeaders {
        bytes: usize,
    },
    /// A head with this many header lines.
    ManyHeaders {
        count: usize,
    },
    /// Reads the request, then resets the connection (RST).
    Reset,
    /// Reads the request, then closes the connection without a byte.
    Close,
    /// Answers without a length, then hangs up: over TLS without the goodbye that proves the end.
    HangUp(Reply),
    /// Answers after a pause.
    Slow {
        reply: Reply,
        wait: Duration,
    },
    /// The head of this reply, then so many spaces as its body.
    Padding {
        reply: Reply,
        bytes: usize,
    },
}

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEnd {
    Close,
    /// Closes the socket below TLS, without the message that proves the end of the stream.
    HangUp,
    /// Resets the connection (RST).
    Reset,
}

impl Behavior {
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::html(200, body)
    }

    #[must_use]
    pub fn html(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Reply(Reply::html(status, body))
    }

    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::Reply(Reply::json(status, body))
    }

    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Reply(Reply::new(status, ""))
    }

    #[must_use]
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::Reply(Reply::new(status, "moved").header("Location", location))
    }

    /// A page whose body is in this content encoding.
    #[must_use]
    pub fn encoded(encoding: &str, body: Vec<u8>) -> Self {
        let reply = Reply::typed(200, "text/html", body);
        Self::Reply(reply.header("Content-Encoding", encoding))
    }

    /// Carries it out. `None` when the connection can take another request.
    pub(super) async fn perform<S: AsyncWrite + Unpin>(
        &self,
        socket: &mut S,
    ) -> io::Result<Option<ConnectionEnd>> {
        match self {
            Self::Reply(reply) => send(socket, reply).await,
            Self::Raw(bytes) => {
                socket.write_all(bytes).await?;
                Ok(Some(ConnectionEnd::Close))
            }
            Self::StallHead => hold().await,
            Self::StallBody { reply, after } => {
                send_part(socket, reply, *after).await?;
                hold().await
            }
            Self::Drip {
                reply,
                piece,
                every,
            } => drip(socket, reply, *piece, *every).await,
            Self::Endless(reply) => endless(socket, reply).await,
            Self::ShortBody { reply, claim } => short_body(socket, reply, *claim).await,
            Self::CutChunked(reply) => cut_chunked(socket, reply).await,
            Self::ResetInBody { reply, after } => {
                send_part(socket, reply, *after).await?;
                // The bytes must reach the reader before the reset discards what is queued.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(Some(ConnectionEnd::Reset))
            }
            Self::HugeHeaders { bytes } => huge_headers(socket, *bytes).await,
            Self::ManyHeaders { count } => many_headers(socket, *count).await,
            Self::Reset => Ok(Some(ConnectionEnd::Reset)),
            Self::Close => Ok(Some(ConnectionEnd::Close)),
            Self::HangUp(reply) => {
                send(socket, &reply.clone().until_close()).await?;
                Ok(Some(ConnectionEnd::HangUp))
            }
            Self::Slow { reply, wait } => {
                tokio::time::sleep(*wait).await;
                send(socket, reply).await
            }
            Self::Padding { reply, bytes } => padding(socket, reply, *bytes).await,
        }
    }
}

impl From<Reply> for Behavior {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

/// Keeps the client waiting, but not for ever.
async fn hold() -> io::Result<Option<ConnectionEnd>> {
    tokio::time::sleep(LONGEST_HOLD).await;
    Ok(Some(ConnectionEnd::Close))
}

async fn send<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
) -> io::Result<Option<ConnectionEnd>> {
    // A small reply goes out in one piece; a large one is not copied for that.
    let mut bytes = reply.head(Some(reply.body.len()));
    let (first, rest) = reply.body.split_at(reply.body.len().min(16 * 1024));
    bytes.extend_from_slice(first);
    socket.write_all(&bytes).await?;
    socket.write_all(rest).await?;
    socket.flush().await?;
    Ok(reply.until_close.then_some(ConnectionEnd::Close))
}

async fn send_part<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
    after: usize,
) -> io::Result<()> {
    socket
        .write_all(&reply.head(Some(reply.body.len())))
        .await?;
    socket
        .write_all(&reply.body[..after.min(reply.body.len())])
        .await?;
    socket.flush().await
}

async fn short_body<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
    claim: usize,
) -> io::Result<Option<ConnectionEnd>> {
    socket.write_all(&reply.head(Some(claim))).await?;
    socket.write_all(&reply.body).await?;
    Ok(Some(ConnectionEnd::Close))
}

async fn cut_chunked<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
) -> io::Result<Option<ConnectionEnd>> {
    let head = reply
        .clone()
        .header("Transfer-Encoding", "chunked")
        .head(None);
    socket.write_all(&head).await?;
    socket.write_all(&chunk(&reply.body)).await?;
    Ok(Some(ConnectionEnd::Close))
}

async fn drip<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
    piece: usize,
    every: Duration,
) -> io::Result<Option<ConnectionEnd>> {
    socket
        .write_all(&reply.head(Some(reply.body.len())))
        .await?;
    for part in reply.body.chunks(piece.max(1)) {
        socket.write_all(part).await?;
        socket.flush().await?;
        tokio::time::sleep(every).await;
    }
    Ok(None)
}

async fn endless<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
) -> io::Result<Option<ConnectionEnd>> {
    let head = reply
        .clone()
        .header("Transfer-Encoding", "chunked")
        .head(None);
    socket.write_all(&head).await?;
    let filler = vec![b'a'; 16 * 1024];
    let piece = chunk(if reply.body.is_empty() {
        &filler
    } else {
        &reply.body
    });
    loop {
        socket.write_all(&piece).await?;
        tokio::task::yield_now().await;
    }
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}

async fn huge_headers<S: AsyncWrite + Unpin>(
    socket: &mut S,
    bytes: usize,
) -> io::Result<Option<ConnectionEnd>> {
    socket.write_all(b"HTTP/1.1 200 OK\r\n").await?;
    let line = format!("X-Filler: {}\r\n", "f".repeat(1000));
    for _ in 0..=bytes / line.len() {
        socket.write_all(line.as_bytes()).await?;
    }
    socket.write_all(b"Content-Length: 2\r\n\r\nok").await?;
    Ok(Some(ConnectionEnd::Close))
}

async fn many_headers<S: AsyncWrite + Unpin>(
    socket: &mut S,
    count: usize,
) -> io::Result<Option<ConnectionEnd>> {
    let mut head = String::from("HTTP/1.1 200 OK\r\n");
    for number in 0..count {
        head.push_str(&format!("X-{number}: 1\r\n"));
    }
    head.push_str("Content-Length: 2\r\n\r\nok");
    socket.write_all(head.as_bytes()).await?;
    Ok(Some(ConnectionEnd::Close))
}

async fn padding<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
    bytes: usize,
) -> io::Result<Option<ConnectionEnd>> {
    socket.write_all(&reply.head(Some(bytes))).await?;
    let spaces = vec![b' '; 64 * 1024];
    let mut left = bytes;
    while left > 0 {
        let piece = left.min(spaces.len());
        socket.write_all(&spaces[..piece]).await?;
        left -= piece;
    }
    Ok(Some(ConnectionEnd::Close))
}

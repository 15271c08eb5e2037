//! What the fake web does when a path is asked for.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::bodies;

/// A well-formed answer. `Content-Length` is added unless the headers already frame the body.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    unframed: bool,
}

impl Reply {
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            body: body.into(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// No `Content-Length`: the body ends where the connection does.
    #[must_use]
    pub fn until_close(mut self) -> Self {
        self.unframed = true;
        self
    }

    fn head(&self, length: Option<usize>) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(length) = length.filter(|_| !self.unframed && !self.frames_itself()) {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    fn frames_itself(&self) -> bool {
        let own = |name: &str| {
            name.eq_ignore_ascii_case("content-length")
                || name.eq_ignore_ascii_case("transfer-encoding")
        };
        self.status == 204 || self.status == 304 || self.headers.iter().any(|(name, _)| own(name))
    }
}

/// One scripted behaviour.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Act {
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
}

/// What becomes of the connection after an act.
pub(crate) enum After {
    KeepAlive,
    Close,
    HangUp,
    Reset,
}

impl Act {
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::html(200, body)
    }

    #[must_use]
    pub fn html(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Reply(Reply::new(status, body).header("Content-Type", "text/html; charset=utf-8"))
    }

    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::Reply(Reply::new(status, body.to_string()).header("Content-Type", "application/json"))
    }

    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Reply(Reply::new(status, ""))
    }

    #[must_use]
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::Reply(Reply::new(status, "moved").header("Location", location))
    }

    #[must_use]
    pub fn gzip(plain: &[u8]) -> Self {
        Self::encoded("gzip", bodies::gzip(plain))
    }

    #[must_use]
    pub fn deflate(plain: &[u8]) -> Self {
        Self::encoded("deflate", bodies::zlib(plain))
    }

    #[must_use]
    pub fn brotli(plain: &[u8]) -> Self {
        Self::encoded("br", bodies::brotli_stored(plain))
    }

    #[must_use]
    pub fn encoded(encoding: &str, body: Vec<u8>) -> Self {
        let reply = Reply::new(200, body).header("Content-Type", "text/html");
        Self::Reply(reply.header("Content-Encoding", encoding))
    }

    pub(crate) async fn play<S: AsyncWrite + Unpin>(&self, socket: &mut S) -> io::Result<After> {
        match self {
            Self::Reply(reply) => send(socket, reply).await,
            Self::Raw(bytes) => {
                socket.write_all(bytes).await?;
                Ok(After::Close)
            }
            Self::StallHead => std::future::pending().await,
            Self::StallBody { reply, after } => {
                send_part(socket, reply, *after).await?;
                std::future::pending().await
            }
            Self::Drip {
                reply,
                piece,
                every,
            } => drip(socket, reply, *piece, *every).await,
            Self::Endless(reply) => endless(socket, reply).await,
            Self::ShortBody { reply, claim } => {
                socket.write_all(&reply.head(Some(*claim))).await?;
                socket.write_all(&reply.body).await?;
                Ok(After::Close)
            }
            Self::CutChunked(reply) => {
                let head = reply
                    .clone()
                    .header("Transfer-Encoding", "chunked")
                    .head(None);
                socket.write_all(&head).await?;
                socket.write_all(&chunk(&reply.body)).await?;
                Ok(After::Close)
            }
            Self::ResetInBody { reply, after } => {
                send_part(socket, reply, *after).await?;
                // The bytes must reach the reader before the reset discards what is queued.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(After::Reset)
            }
            Self::HugeHeaders { bytes } => huge_headers(socket, *bytes).await,
            Self::ManyHeaders { count } => many_headers(socket, *count).await,
            Self::Reset => Ok(After::Reset),
            Self::Close => Ok(After::Close),
            Self::HangUp(reply) => {
                send(socket, &reply.clone().until_close()).await?;
                Ok(After::HangUp)
            }
            Self::Slow { reply, wait } => {
                tokio::time::sleep(*wait).await;
                send(socket, reply).await
            }
        }
    }
}

impl From<Reply> for Act {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

async fn send<S: AsyncWrite + Unpin>(socket: &mut S, reply: &Reply) -> io::Result<After> {
    let mut bytes = reply.head(Some(reply.body.len()));
    bytes.extend_from_slice(&reply.body);
    socket.write_all(&bytes).await?;
    socket.flush().await?;
    Ok(if reply.unframed {
        After::Close
    } else {
        After::KeepAlive
    })
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

async fn drip<S: AsyncWrite + Unpin>(
    socket: &mut S,
    reply: &Reply,
    piece: usize,
    every: Duration,
) -> io::Result<After> {
    socket
        .write_all(&reply.head(Some(reply.body.len())))
        .await?;
    for part in reply.body.chunks(piece.max(1)) {
        socket.write_all(part).await?;
        socket.flush().await?;
        tokio::time::sleep(every).await;
    }
    Ok(After::KeepAlive)
}

async fn endless<S: AsyncWrite + Unpin>(socket: &mut S, reply: &Reply) -> io::Result<After> {
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

async fn huge_headers<S: AsyncWrite + Unpin>(socket: &mut S, bytes: usize) -> io::Result<After> {
    socket.write_all(b"HTTP/1.1 200 OK\r\n").await?;
    let line = format!("X-Filler: {}\r\n", "f".repeat(1000));
    for _ in 0..=bytes / line.len() {
        socket.write_all(line.as_bytes()).await?;
    }
    socket.write_all(b"Content-Length: 2\r\n\r\nok").await?;
    Ok(After::Close)
}

async fn many_headers<S: AsyncWrite + Unpin>(socket: &mut S, count: usize) -> io::Result<After> {
    let mut head = String::from("HTTP/1.1 200 OK\r\n");
    for number in 0..count {
        head.push_str(&format!("X-{number}: 1\r\n"));
    }
    head.push_str("Content-Length: 2\r\n\r\nok");
    socket.write_all(head.as_bytes()).await?;
    Ok(After::Close)
}

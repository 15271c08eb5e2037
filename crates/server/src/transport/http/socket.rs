//! The socket of a connection: plain, or TLS whose handshake is part of the first read.
//!
//! The handshake is not awaited where connections are accepted, so that a client that is slow with
//! it keeps nobody else waiting; the time limit of a request's head covers it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use net::{ServerHandshake, ServerStream, ServerTls};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// The first byte of every TLS connection.
const TLS_HANDSHAKE: u8 = 0x16;

/// The response to a request without TLS.
const NEEDS_TLS: &[u8] = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\
Content-Type: application/problem+json\r\nContent-Length: 244\r\n\r\n\
{\"type\":\"urn:fingerpost:fault:validation-invalid_url\",\"title\":\"Validation\",\"status\":400,\"kind\":\"validation\",\"reason\":\"invalid_url\",\"retryable\":false,\"suggestedAction\":\"inform_user\",\"detail\":\"This port speaks TLS. Use https:// in the address.\"}\n";

#[derive(Debug)]
pub(super) enum Socket {
    Plain(TcpStream),
    /// Nothing has arrived yet.
    Silent(TcpStream, ServerTls),
    Handshake(Box<Handshake>),
    Tls(Box<ServerStream>),
    Closed,
}

/// A handshake under way.
pub(super) struct Handshake(ServerHandshake);

impl std::fmt::Debug for Handshake {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Handshake").finish_non_exhaustive()
    }
}

impl Socket {
    pub(super) fn new(socket: TcpStream, tls: Option<ServerTls>) -> Socket {
        match tls {
            None => Socket::Plain(socket),
            Some(tls) => Socket::Silent(socket, tls),
        }
    }

    /// Sends a few bytes if they can be sent at once. An error means that the client is gone.
    pub(super) fn try_send(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> io::Result<()> {
        let sent = match self {
            Socket::Plain(socket) => return socket.try_write(bytes).map(drop),
            Socket::Tls(stream) => match Pin::new(&mut *stream).poll_write(cx, bytes) {
                Poll::Ready(Ok(_)) => Pin::new(stream).poll_flush(cx),
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                Poll::Pending => Poll::Pending,
            },
            Socket::Silent(..) | Socket::Handshake(_) | Socket::Closed => Poll::Pending,
        };
        match sent {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => Ok(()),
        }
    }

    /// Does the handshake, if there is one to do. `Ready` when bytes can be read.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match self {
                Socket::Plain(_) | Socket::Tls(_) | Socket::Closed => return Poll::Ready(Ok(())),
                Socket::Silent(socket, _) => {
                    let mut first = [0; 1];
                    let mut buffer = ReadBuf::new(&mut first);
                    ready!(socket.poll_peek(cx, &mut buffer))?;
                    let first = buffer.filled().first().copied();
                    self.begin(first);
                }
                Socket::Handshake(handshake) => {
                    let stream = ready!(Pin::new(&mut handshake.0).poll(cx));
                    let stream = stream.inspect_err(
                        |error| tracing::debug!(kind = %error.kind(), "a TLS handshake failed"),
                    );
                    *self = Socket::Closed;
                    *self = Socket::Tls(Box::new(stream?));
                }
            }
        }
    }

    /// Begins the handshake, or says what to do to a client that does not know of TLS.
    fn begin(&mut self, first: Option<u8>) {
        let Socket::Silent(socket, tls) = std::mem::replace(self, Socket::Closed) else {
            return;
        };
        match first {
            Some(TLS_HANDSHAKE) => {
                *self = Socket::Handshake(Box::new(Handshake(tls.accept(socket))))
            }
            Some(_) => {
                let _ = socket.try_write(NEEDS_TLS);
                // What was sent must be read, or closing would take the response back.
                let _ = socket.try_read(&mut [0; 8 * 1_024]);
            }
            None => {}
        }
    }
}

fn closed<T>() -> Poll<io::Result<T>> {
    Poll::Ready(Err(io::ErrorKind::NotConnected.into()))
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_ready(cx))?;
        match this {
            Socket::Plain(socket) => Pin::new(socket).poll_read(cx, buffer),
            Socket::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
            Socket::Silent(..) | Socket::Handshake(_) | Socket::Closed => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Socket::Plain(socket) => Pin::new(socket).poll_write(cx, bytes),
            Socket::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
            Socket::Silent(..) | Socket::Handshake(_) | Socket::Closed => closed(),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Socket::Plain(socket) => Pin::new(socket).poll_write_vectored(cx, bytes),
            Socket::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, bytes),
            Socket::Silent(..) | Socket::Handshake(_) | Socket::Closed => closed(),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Socket::Plain(socket) => socket.is_write_vectored(),
            _ => true,
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Socket::Tls(stream) => Pin::new(stream).poll_flush(cx),
            Socket::Silent(..) | Socket::Handshake(_) | Socket::Closed => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Socket::Plain(socket) | Socket::Silent(socket, _) => Pin::new(socket).poll_shutdown(cx),
            Socket::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
            Socket::Handshake(_) | Socket::Closed => Poll::Ready(Ok(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_to_a_request_without_tls_is_valid() {
        let text = std::str::from_utf8(NEEDS_TLS).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let length = format!("Content-Length: {}", body.len());
        assert!(head.contains(&length), "{length}");
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}

//! A stream that counts the bytes it receives and fails when its page has received too many.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The byte limit that all connections of one page share.
#[derive(Debug)]
pub(super) struct ByteLimit {
    total: AtomicU64,
    limit: u64,
}

impl ByteLimit {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            total: AtomicU64::new(0),
            limit,
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    pub(super) fn exhausted(&self) -> bool {
        self.total() > self.limit
    }

    fn add(&self, bytes: usize) -> io::Result<()> {
        let before = self.total.fetch_add(bytes as u64, Ordering::Relaxed);
        if before.saturating_add(bytes as u64) > self.limit {
            Err(io::ErrorKind::QuotaExceeded.into())
        } else {
            Ok(())
        }
    }
}

#[derive(Debug)]
pub(super) struct ByteLimitedStream<S> {
    inner: S,
    limit: Arc<ByteLimit>,
}

impl<S> ByteLimitedStream<S> {
    pub(super) fn new(inner: S, limit: Arc<ByteLimit>) -> Self {
        Self { inner, limit }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ByteLimitedStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let polled = Pin::new(&mut this.inner).poll_read(cx, buf);
        let Poll::Ready(Ok(())) = polled else {
            return polled;
        };
        let counted = this.limit.add(buf.filled().len() - before);
        if counted.is_err() {
            // A failed read must not return bytes.
            buf.set_filled(before);
        }
        Poll::Ready(counted)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ByteLimitedStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn connections_share_one_limit() {
        let limit = Arc::new(ByteLimit::new(5));
        let read = async |bytes: &'static [u8]| {
            ByteLimitedStream::new(bytes, Arc::clone(&limit))
                .read_to_end(&mut Vec::new())
                .await
        };
        assert!(read(b"abc").await.is_ok());
        assert!(!limit.exhausted());
        assert!(read(b"def").await.is_err());
        assert!(limit.exhausted());
        assert_eq!(limit.total(), 6);
    }
}

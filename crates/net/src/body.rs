//! Reads a response body under two limits, raw bytes and decoded bytes, and within the memory that
//! all bodies share.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming};
use tokio::time::Instant;

use crate::decode::{Decoder, Flow, PIECE};
use crate::memory::{MemoryBudget, Reservation};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::progress::Progress;

/// How much of a redirect's body is read so that its connection can be reused.
const DRAIN_BYTES: usize = 16 * 1024;
const DRAIN_TIME: Duration = Duration::from_millis(100);

/// A body that waits for memory gives up this long before its deadline, to say why.
const GIVE_UP: Duration = Duration::from_millis(100);

/// A body while it is being read. When reading is cancelled, what was read so far stays here.
#[derive(Debug)]
pub(crate) struct BodyReader {
    decoder: Decoder,
    pub(crate) raw: u64,
    pub(crate) truncated: bool,
    /// The body has neither a length nor chunks: it ends when the connection closes.
    until_close: bool,
    sizes: BodySizes,
    reservation: Reservation,
}

/// A wait for memory. Its time counts even if the deadline ends it.
struct MemoryWait<'p> {
    progress: &'p Progress,
    asked: Instant,
}

impl Drop for MemoryWait<'_> {
    fn drop(&mut self) {
        let waited = self.asked.elapsed();
        self.progress
            .record_timing(|timings| timings.memory += waited);
    }
}

/// What is known about the size of a body before it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodySizes {
    pub(crate) max_raw: u64,
    pub(crate) max_decoded: u64,
    /// The size that its head announces, unless it is encoded.
    pub(crate) announced: Option<u64>,
}

impl BodyReader {
    pub(crate) fn new(
        decoder: Decoder,
        sizes: BodySizes,
        until_close: bool,
        memory: &MemoryBudget,
    ) -> Self {
        Self {
            decoder,
            raw: 0,
            truncated: false,
            until_close,
            sizes,
            reservation: Reservation::new(memory.clone()),
        }
    }

    /// The body as far as it was read. Its memory stays reserved until the last copy is dropped.
    pub(crate) fn into_decoded(mut self) -> Bytes {
        self.reservation.guard(self.decoder.take_decoded())
    }

    /// Waits until there is memory for this many decoded bytes.
    async fn reserve(&mut self, decoded: u64, progress: &Progress) -> Result<(), NetworkError> {
        let most = self.sizes.max_decoded;
        let expected = self.sizes.announced.map_or(decoded, |size| size.min(most));
        let patience = progress.remaining().saturating_sub(GIVE_UP);
        let growing = self.reservation.grow_to(expected.max(decoded), most);
        let _counted = MemoryWait {
            progress,
            asked: Instant::now(),
        };
        let reserved = tokio::time::timeout(patience, growing).await;
        reserved.map_err(|_| NetworkError::new(NetworkErrorKind::NoMemory))
    }

    /// Reads to the end or to a limit. Stopping at a limit is a success and sets `truncated`.
    pub(crate) async fn read_from(
        &mut self,
        incoming: &mut Incoming,
        progress: &Progress,
    ) -> Result<(), NetworkError> {
        while let Some(frame) = incoming.frame().await {
            let data = match frame.map(Frame::into_data) {
                Ok(Ok(data)) => data,
                Ok(Err(_trailers)) => continue,
                Err(error) => return self.broke_off(&error),
            };
            progress.received(data.len() as u64);
            if self.decode(&data, progress).await? == Flow::Full {
                self.truncated = true;
                return Ok(());
            }
        }
        self.decoder.finish()
    }

    async fn decode(&mut self, data: &[u8], progress: &Progress) -> Result<Flow, NetworkError> {
        let room = usize::try_from(self.sizes.max_raw - self.raw).unwrap_or(usize::MAX);
        let taken = &data[..data.len().min(room)];
        self.raw += taken.len() as u64;
        for piece in taken.chunks(PIECE) {
            let decoded = (self.decoder.decoded() + piece.len()) as u64;
            if self.reservation.is_outgrown_by(decoded) {
                self.reserve(decoded, progress).await?;
            }
            if self.decoder.feed(piece)? == Flow::Full {
                return Ok(Flow::Full);
            }
            // Decoding never waits, and timers only fire while something waits. So the clock is
            // checked here, and yielding lets a cancellation through.
            if progress.remaining().is_zero() {
                return Err(progress.out_of_time());
            }
            tokio::task::yield_now().await;
        }
        Ok(if data.len() > room {
            Flow::Full
        } else {
            Flow::Open
        })
    }

    /// Many TLS servers close the connection without a close message. Where the body ends with the
    /// connection anyway, what arrived is kept and marked as truncated.
    fn broke_off(&mut self, error: &hyper::Error) -> Result<(), NetworkError> {
        let error = NetworkError::body(error);
        if self.until_close && error.kind == NetworkErrorKind::CutBody && self.decoder.decoded() > 0
        {
            self.truncated = true;
            return Ok(());
        }
        Err(error)
    }
}

/// Reads and discards a short body, so that its connection can be reused.
pub(crate) async fn drain(mut incoming: Incoming) {
    let reading = async {
        let mut seen = 0;
        while let Some(Ok(frame)) = incoming.frame().await {
            seen += frame.data_ref().map_or(0, |data| data.len());
            if seen > DRAIN_BYTES {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}

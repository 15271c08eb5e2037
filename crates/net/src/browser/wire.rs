//! The conversation with a browser: the DevTools protocol over two pipes.
//!
//! A pipe needs no port that other programs could find and no WebSocket library, and it closes when
//! this process ends, however it ends; the browser then ends too. Messages are JSON with a zero
//! byte behind each. Only the few commands that reading a page takes are used, so there are no
//! generated types here.
//!
//! Events go straight from the reading task into the [`Watch`] of the page they are about. There is
//! no queue that a noisy page could fill, and a message beyond [`MAX_MESSAGE`] is skipped unread.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::watch::Watch;

/// The longest message that is read: a page of the largest size, with every byte escaped.
pub(super) const MAX_MESSAGE: usize = 96 << 20;

/// Why a command brought no answer.
#[derive(Debug)]
pub(super) enum Snag {
    /// The browser is gone.
    Gone,
    /// The browser said no, in these words.
    Refused(String),
}

/// One browser's end of the pipes. Dropping the last clone closes them, which ends the browser.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    out: mpsc::UnboundedSender<Vec<u8>>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Value, Snag>>>>,
    watched: Mutex<HashMap<String, Arc<Watch>>>,
    closed: CancellationToken,
}

#[derive(Debug, Deserialize)]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(default)]
    result: Value,
    error: Option<Value>,
}

impl Wire {
    /// Starts talking. The tasks end with the pipes.
    pub(super) fn open(
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let (out, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared::default());
        let wire = Self {
            out,
            shared: Arc::clone(&shared),
        };
        tokio::spawn(
            shared
                .closed
                .clone()
                .run_until_cancelled_owned(write(input, queue)),
        );
        // The reader answers some events by itself, but must not keep the pipes open.
        tokio::spawn(read(output, shared, wire.out.downgrade()));
        wire
    }

    /// Sends a command and waits for its answer.
    pub(super) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<Value, Snag> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        lock(&self.shared.waiting).insert(id, answer);
        let _forget = Forget {
            shared: &self.shared,
            id,
        };
        self.out
            .send(spelled(id, session, method, params))
            .map_err(|_| Snag::Gone)?;
        tokio::select! {
            biased;
            answer = answered => answer.unwrap_or(Err(Snag::Gone)),
            () = self.shared.closed.cancelled() => Err(Snag::Gone),
        }
    }

    /// Sends a command whose answer does not matter. Never blocks, so that a destructor can use it.
    pub(super) fn tell(&self, session: Option<&str>, method: &'static str, params: Value) {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let _ = self.out.send(spelled(id, session, method, params));
    }

    /// From now on the events of this session go to this watch.
    pub(super) fn watch(&self, session: &str, watch: Arc<Watch>) {
        lock(&self.shared.watched).insert(session.to_owned(), watch);
    }

    pub(super) fn unwatch(&self, session: &str) {
        lock(&self.shared.watched).remove(session);
    }

    /// Fires when the browser is gone.
    pub(super) fn closed(&self) -> &CancellationToken {
        &self.shared.closed
    }
}

/// Removes a question that nobody waits for any more.
struct Forget<'a> {
    shared: &'a Shared,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        lock(&self.shared.waiting).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spelled(id: u64, session: Option<&str>, method: &str, params: Value) -> Vec<u8> {
    let mut message = json!({ "id": id, "method": method, "params": params });
    if let Some(session) = session {
        message["sessionId"] = session.into();
    }
    let mut bytes = message.to_string().into_bytes();
    bytes.push(0);
    bytes
}

async fn write(mut input: impl AsyncWrite + Unpin, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if input.write_all(&bytes).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}

async fn read(
    output: impl AsyncRead + Unpin,
    shared: Arc<Shared>,
    out: mpsc::WeakUnboundedSender<Vec<u8>>,
) {
    // Whatever ends this task, everybody who waits learns of it.
    let _closing = shared.closed.clone().drop_guard();
    let mut output = BufReader::with_capacity(64 * 1024, output);
    while let Some(bytes) = next_message(&mut output, MAX_MESSAGE).await {
        let Some(message) = understood(bytes) else {
            continue;
        };
        if let Some((session, method, params)) = shared.take_in(message) {
            let Some(out) = out.upgrade() else { return };
            let id = shared.next.fetch_add(1, Ordering::Relaxed);
            let _ = out.send(spelled(id, Some(&session), method, params));
        }
    }
}

/// Reads a message. JavaScript text may hold halves of surrogate pairs, which are no characters; a
/// dialog's text with one must not keep the dialog from being seen.
fn understood(mut bytes: Vec<u8>) -> Option<Message> {
    if let Ok(message) = serde_json::from_slice(&bytes) {
        return Some(message);
    }
    for at in 0..bytes.len().saturating_sub(5) {
        if let [
            b'\\',
            b'u',
            b'd' | b'D',
            b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F',
            _,
            _,
        ] = bytes[at..at + 6]
        {
            bytes[at + 2..at + 6].copy_from_slice(b"fffd");
        }
    }
    serde_json::from_slice(&bytes).ok()
}

impl Shared {
    /// Hands a message to whoever it is for. Some events want a command in return.
    fn take_in(&self, message: Message) -> Option<(String, &'static str, Value)> {
        if let Some(id) = message.id {
            let waiting = lock(&self.waiting).remove(&id)?;
            let answer = message.error.map_or(Ok(message.result), |error| {
                Err(Snag::Refused(error.to_string()))
            });
            let _ = waiting.send(answer);
            return None;
        }
        let (session, method) = (message.session?, message.method?);
        let watch = lock(&self.watched).get(&session).cloned()?;
        let (method, params) = watch.see(&method, &message.params)?;
        Some((session, method, params))
    }
}

/// The next message without its zero byte; an empty one in place of one that is too long. Nothing
/// at the end.
async fn next_message(output: &mut (impl AsyncBufReadExt + Unpin), max: usize) -> Option<Vec<u8>> {
    let (mut message, mut skipping) = (Vec::new(), false);
    loop {
        let available = output
            .fill_buf()
            .await
            .ok()
            .filter(|bytes| !bytes.is_empty())?;
        let end = available.iter().position(|byte| *byte == 0);
        let piece = &available[..end.unwrap_or(available.len())];
        skipping |= message.len() + piece.len() > max;
        if skipping {
            message = Vec::new();
        } else {
            message.extend_from_slice(piece);
        }
        let used = piece.len() + usize::from(end.is_some());
        output.consume(used);
        if end.is_some() {
            return Some(message);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn messages_end_at_zero_and_long_ones_are_skipped() {
        let mut bytes: &[u8] = b"one\0much too long\0two\0unfinished";
        let mut seen = Vec::new();
        while let Some(message) = next_message(&mut bytes, 8).await {
            seen.push(String::from_utf8(message).unwrap());
        }
        assert_eq!(seen, ["one", "", "two"]);
    }

    #[test]
    fn half_a_character_does_not_hide_a_message() {
        let message =
            understood(br#"{"method":"A.b","params":{"x":"1\ud83d2","y":"\\\\ud83d"}}"#.to_vec())
                .unwrap();
        assert_eq!(message.params["x"], "1\u{fffd}2");
        assert!(understood(b"{".to_vec()).is_none());
    }

    #[tokio::test]
    async fn an_answer_finds_its_question_and_a_closed_pipe_ends_the_wait() {
        let (near, far) = tokio::io::duplex(4096);
        let (mut far_in, mut far_out) = tokio::io::split(far);
        let (near_in, near_out) = tokio::io::split(near);
        let wire = Wire::open(near_out, near_in);
        let asking = tokio::spawn({
            let wire = wire.clone();
            async move {
                (
                    wire.call(None, "A.b", json!({})).await,
                    wire.call(None, "A.c", json!({})).await,
                )
            }
        });
        let mut far_reader = BufReader::new(&mut far_in);
        let question: Value =
            serde_json::from_slice(&next_message(&mut far_reader, 100).await.unwrap()).unwrap();
        assert_eq!(
            (&question["method"], &question["id"]),
            (&json!("A.b"), &json!(0))
        );
        far_out
            .write_all(b"not json\0{\"id\":77}\0{\"id\":0,\"result\":{\"x\":1}}\0")
            .await
            .unwrap();
        next_message(&mut far_reader, 100).await.unwrap();
        far_out.shutdown().await.unwrap();
        let (first, second) = tokio::time::timeout(Duration::from_secs(5), asking)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(first.unwrap()["x"], 1);
        assert!(matches!(second, Err(Snag::Gone)));
        assert!(wire.closed().is_cancelled());
        assert!(lock(&wire.shared.waiting).is_empty());
    }
}

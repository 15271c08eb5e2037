//! The connection to a browser: the DevTools protocol over two pipes.
//!
//! A pipe needs no port that other programs could find and no WebSocket library. It closes when
//! this process ends, however it ends, and then the browser ends too. A message is JSON followed by
//! a zero byte. Only the few commands that reading a page needs are used, so there are no generated
//! types.
//!
//! Events go directly from the reading task to the [`PageMonitor`] of their page. There is no queue
//! that a page could fill, and a message longer than [`MAX_MESSAGE`] is skipped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::monitor::PageMonitor;

/// The longest message that is read: the largest page with every byte escaped.
pub(super) const MAX_MESSAGE: usize = 96 << 20;

/// Why a command failed.
#[derive(Debug)]
pub(super) enum CommandError {
    /// The browser has ended.
    BrowserGone,
    /// The browser rejected the command, with this message.
    Refused(String),
}

/// Our end of the pipes to one browser. Dropping the last clone closes them, which ends the
/// browser.
#[derive(Debug, Clone)]
pub(super) struct DevTools {
    out: mpsc::UnboundedSender<Vec<u8>>,
    state: Arc<DevToolsState>,
}

#[derive(Debug, Default)]
struct DevToolsState {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Value, CommandError>>>>,
    monitors: Mutex<HashMap<String, Arc<PageMonitor>>>,
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

impl DevTools {
    /// Starts the tasks that read and write. They end with the pipes.
    pub(super) fn open(
        input: impl AsyncWrite + Send + Unpin + 'static,
        output: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let (out, queue) = mpsc::unbounded_channel();
        let state = Arc::new(DevToolsState::default());
        let devtools = Self {
            out,
            state: Arc::clone(&state),
        };
        tokio::spawn(
            state
                .closed
                .clone()
                .run_until_cancelled_owned(write_messages(input, queue)),
        );
        // The reading task replies to some events, but must not keep the pipes open.
        tokio::spawn(read_messages(output, state, devtools.out.downgrade()));
        devtools
    }

    /// Sends a command and waits for its result.
    pub(super) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<Value, CommandError> {
        let id = self.state.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        lock(&self.state.waiting).insert(id, answer);
        let _forget = PendingCallGuard {
            state: &self.state,
            id,
        };
        self.out
            .send(encode_message(id, session, method, params))
            .map_err(|_| CommandError::BrowserGone)?;
        tokio::select! {
            biased;
            answer = answered => answer.unwrap_or(Err(CommandError::BrowserGone)),
            () = self.state.closed.cancelled() => Err(CommandError::BrowserGone),
        }
    }

    /// Sends a command and ignores its result. Never blocks, so that `Drop` can use it.
    pub(super) fn send(&self, session: Option<&str>, method: &'static str, params: Value) {
        let id = self.state.next.fetch_add(1, Ordering::Relaxed);
        let _ = self.out.send(encode_message(id, session, method, params));
    }

    /// Sends the events of this session to this monitor.
    pub(super) fn monitor(&self, session: &str, monitor: Arc<PageMonitor>) {
        lock(&self.state.monitors).insert(session.to_owned(), monitor);
    }

    pub(super) fn unmonitor(&self, session: &str) {
        lock(&self.state.monitors).remove(session);
    }

    /// Cancelled when the browser has ended.
    pub(super) fn closed(&self) -> &CancellationToken {
        &self.state.closed
    }
}

/// Forgets a command when nobody waits for its result any more.
struct PendingCallGuard<'a> {
    state: &'a DevToolsState,
    id: u64,
}

impl Drop for PendingCallGuard<'_> {
    fn drop(&mut self) {
        lock(&self.state.waiting).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn encode_message(id: u64, session: Option<&str>, method: &str, params: Value) -> Vec<u8> {
    let mut message = json!({ "id": id, "method": method, "params": params });
    if let Some(session) = session {
        message["sessionId"] = session.into();
    }
    let mut bytes = message.to_string().into_bytes();
    bytes.push(0);
    bytes
}

async fn write_messages(
    mut input: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    while let Some(bytes) = queue.recv().await {
        if input.write_all(&bytes).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}

async fn read_messages(
    output: impl AsyncRead + Unpin,
    state: Arc<DevToolsState>,
    out: mpsc::WeakUnboundedSender<Vec<u8>>,
) {
    // However this task ends, all waiting commands fail.
    let _closing = state.closed.clone().drop_guard();
    let mut output = BufReader::with_capacity(64 * 1024, output);
    while let Some(bytes) = next_message(&mut output, MAX_MESSAGE).await {
        let Some(message) = parse_message(bytes) else {
            continue;
        };
        if let Some((session, method, params)) = state.dispatch(message) {
            let Some(out) = out.upgrade() else { return };
            let id = state.next.fetch_add(1, Ordering::Relaxed);
            let _ = out.send(encode_message(id, Some(&session), method, params));
        }
    }
}

/// Parses a message. JavaScript strings may contain unpaired surrogates, which JSON in Rust cannot;
/// they are replaced, because a dialog with such a text must still be closed.
fn parse_message(mut bytes: Vec<u8>) -> Option<Message> {
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

impl DevToolsState {
    /// Delivers a message. Returns the command that some events require as a reply.
    fn dispatch(&self, message: Message) -> Option<(String, &'static str, Value)> {
        if let Some(id) = message.id {
            let waiting = lock(&self.waiting).remove(&id)?;
            let answer = message.error.map_or(Ok(message.result), |error| {
                Err(CommandError::Refused(error.to_string()))
            });
            let _ = waiting.send(answer);
            return None;
        }
        let (session, method) = (message.session?, message.method?);
        let monitor = lock(&self.monitors).get(&session).cloned()?;
        let (method, params) = monitor.handle_event(&method, &message.params)?;
        Some((session, method, params))
    }
}

/// The next message without its zero byte, or an empty one in place of one that is too long. `None`
/// when the pipe has closed.
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
    fn an_unpaired_surrogate_does_not_hide_a_message() {
        let message = parse_message(
            br#"{"method":"A.b","params":{"x":"1\ud83d2","y":"\\\\ud83d"}}"#.to_vec(),
        )
        .unwrap();
        assert_eq!(message.params["x"], "1\u{fffd}2");
        assert!(parse_message(b"{".to_vec()).is_none());
    }

    #[tokio::test]
    async fn a_result_reaches_its_command_and_a_closed_pipe_ends_the_wait() {
        let (near, far) = tokio::io::duplex(4096);
        let (mut far_in, mut far_out) = tokio::io::split(far);
        let (near_in, near_out) = tokio::io::split(near);
        let devtools = DevTools::open(near_out, near_in);
        let asking = tokio::spawn({
            let devtools = devtools.clone();
            async move {
                (
                    devtools.call(None, "A.b", json!({})).await,
                    devtools.call(None, "A.c", json!({})).await,
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
        assert!(matches!(second, Err(CommandError::BrowserGone)));
        assert!(devtools.closed().is_cancelled());
        assert!(lock(&devtools.state.waiting).is_empty());
    }
}

//! Messages as lines: the transport under stdio.
//!
//! The SDK's own line transport answers a message it cannot read without saying whose it was, so the client waits for
//! ever; and it ends the session over a stray notification before the first request. This one reads the id where there
//! is one and answers under it, and skips what cannot open a session. What is not JSON at all gets no reply: two
//! programs that answer each other's garbage never stop.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientJsonRpcMessage, ErrorCode, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::Mutex,
};

/// Longest line that is read; what the HTTP side of the SDK allows an event, too.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Refusals waiting to be written. A client that floods us with nonsense and reads nothing gets no more.
const MAX_REFUSALS: usize = 16;

pub(crate) struct Lines<R, W> {
    input: BufReader<R>,
    /// What of the current line has been read. It outlives a cancelled read, so no byte is lost.
    line: Vec<u8>,
    /// The current line was too long and is being skipped.
    skipping: bool,
    /// A request has come, so a session can be in progress.
    begun: bool,
    output: Arc<Mutex<Option<W>>>,
    refusals: Arc<AtomicUsize>,
}

/// What a line turned out to be.
#[derive(Debug)]
enum Heard {
    Message(Box<ClientJsonRpcMessage>),
    /// Not for us: empty, not JSON, or a notification nobody knows.
    Nothing,
    /// A message we must refuse, under its id if it has one.
    Wrong(Option<RequestId>, ErrorData),
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(crate) fn new(input: R, output: W) -> Lines<R, W> {
        Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            begun: false,
            output: Arc::new(Mutex::new(Some(output))),
            refusals: Arc::default(),
        }
    }

    /// Reads to the end of a line. True when one is complete, false at the end of the input. Safe to drop at any await.
    async fn read_line(&mut self) -> std::io::Result<bool> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(false);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            self.skipping |= self.line.len() + taken > MAX_LINE;
            if self.skipping {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// What the line that was just completed says; the buffer is then ready for the next one.
    fn heard(&mut self) -> Heard {
        if std::mem::take(&mut self.skipping) {
            tracing::warn!(limit = MAX_LINE, "skipped a line that was too long");
            return Heard::Wrong(None, ErrorData::invalid_request("The message is longer than 16 MiB.", None));
        }
        let heard = understand(&self.line);
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        heard
    }
}

fn understand(line: &[u8]) -> Heard {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Heard::Nothing;
    }
    match serde_json::from_slice(line) {
        Ok(message) => Heard::Message(Box::new(message)),
        Err(_) => match serde_json::from_slice::<Value>(line) {
            Ok(value) => misshapen(&value),
            Err(_) => {
                tracing::warn!(bytes = line.len(), "skipped a line that is not JSON");
                Heard::Nothing
            }
        },
    }
}

/// Why a body that is no message is refused, under its id if it has one.
pub(crate) fn refusal(body: &[u8]) -> (Option<RequestId>, ErrorData) {
    match serde_json::from_slice::<Value>(body).map(|value| misshapen(&value)) {
        Ok(Heard::Wrong(id, error)) => (id, error),
        Ok(_) => (None, ErrorData::invalid_request("This is not a JSON-RPC 2.0 message.", None)),
        Err(_) => (None, ErrorData::parse_error("The body is not JSON.", None)),
    }
}

/// JSON that is no message. Without an id it may be a notification of another protocol, which nobody may answer.
fn misshapen(value: &Value) -> Heard {
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let method = value.get("method").and_then(Value::as_str);
    match (id, method) {
        (None, Some(_)) if value.get("id").is_none() => Heard::Nothing,
        (Some(id), Some(_)) if value["jsonrpc"] == "2.0" => {
            Heard::Wrong(Some(id), ErrorData::invalid_params("The params of a request must be an object.", None))
        }
        (id, _) => Heard::Wrong(id, ErrorData::new(ErrorCode::INVALID_REQUEST, "This is not a JSON-RPC 2.0 message.", None)),
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Writes a refusal beside the reading, because reading may be dropped half-way and a frame must not be.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        if self.refusals.fetch_add(1, Ordering::Relaxed) >= MAX_REFUSALS {
            self.refusals.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let waiting = self.refusals.clone();
        let sending = self.send(ServerJsonRpcMessage::error(error, id));
        tokio::spawn(async move {
            // A client that has closed its end needs no refusal.
            let _ = sending.await;
            waiting.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let mut frame = serde_json::to_vec(&message)?;
            frame.push(b'\n');
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(std::io::ErrorKind::NotConnected)?;
            output.write_all(&frame).await?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            match self.read_line().await {
                Ok(true) => {}
                // What came without its newline was cut off, so it cannot be trusted to be whole.
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(kind = %error.kind(), "the input cannot be read any more");
                    return None;
                }
            }
            match self.heard() {
                Heard::Nothing => {}
                Heard::Wrong(id, error) => self.refuse(id, error),
                Heard::Message(message) => {
                    self.begun |= matches!(*message, ClientJsonRpcMessage::Request(_));
                    if self.begun {
                        return Some(*message);
                    }
                    tracing::debug!("skipped a message that came before the first request");
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> Option<(Option<RequestId>, i32)> {
        match understand(line.as_bytes()) {
            Heard::Wrong(id, error) => Some((id, error.code.0)),
            _ => None,
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_is_refused_under_its_id() {
        let params = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#;
        assert_eq!(refusal(params), Some((Some(RequestId::Number(7)), -32602)));
        let version = r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#;
        assert_eq!(refusal(version), Some((Some(RequestId::String("a".into())), -32600)));
        for line in ["{}", "[]", "5", r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#] {
            assert_eq!(refusal(line), Some((None, -32600)), "{line}");
        }
    }

    #[test]
    fn what_nobody_waits_for_is_not_answered() {
        for line in ["", " \r\n", "not json", "\u{feff}", r#"{"jsonrpc":"2.0","method":"$/lsp","params":5}"#] {
            assert!(matches!(understand(line.as_bytes()), Heard::Nothing), "{line}");
        }
        assert!(matches!(understand(b"\xff\xfe\n"), Heard::Nothing));
    }

    #[tokio::test]
    async fn a_line_may_come_in_pieces_and_a_long_one_is_skipped() {
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n";
        let mut input = vec![b'x'; MAX_LINE + 10];
        input.push(b'\n');
        input.extend_from_slice(ping);
        let (mut writing, reading) = tokio::io::duplex(1000);
        tokio::spawn(async move {
            for piece in input.chunks(777) {
                writing.write_all(piece).await.expect("the reader reads");
            }
        });
        let mut lines = Lines::new(reading, tokio::io::sink());
        assert!(matches!(lines.receive().await, Some(ClientJsonRpcMessage::Request(_))));
        assert!(lines.receive().await.is_none());
    }
}

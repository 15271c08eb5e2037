//! Messages as lines: the transport under stdio.
//!
//! The SDK's own line transport answers a message it cannot read without saying whose it was, so
//! the client waits for ever; and it ends the session over a stray notification before the first
//! request. This one reads the id where there is one and answers under it, and skips what cannot
//! open a session. What has neither id nor sense gets no reply: two programs that answer each
//! other's garbage never stop. And it reads on only while few replies are under way, so that a
//! client that asks and does not read fills its own pipe and not our memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex as Guarded, PoisonError},
};

use mask::Masker;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetMeta,
        JsonRpcRequest, RequestId, ServerJsonRpcMessage,
    },
    transport::Transport,
};
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, OwnedSemaphorePermit, Semaphore},
};

use crate::{scan, transport::outgoing, wire};

/// Longest line that is read; what the HTTP side of the SDK allows an event, too.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Replies and refusals that may be under way before the next line is read.
const MAX_WAITING: usize = 1024;

pub(crate) struct Lines<R, W> {
    input: BufReader<R>,
    /// What of the current line has been read. It outlives a cancelled read, so no byte is lost.
    line: Vec<u8>,
    /// The current line was too long and is being skipped.
    skipping: bool,
    /// A request has come, so a session can be in progress.
    begun: bool,
    /// A request has come that opens a session: `initialize`, or one that brings its own metadata.
    opened: bool,
    output: Arc<Mutex<Option<W>>>,
    desk: Arc<Desk>,
    masker: Masker,
}

/// Who waits for a reply.
#[derive(Debug)]
struct Desk {
    room: Arc<Semaphore>,
    waiting: Guarded<HashMap<RequestId, usize>>,
}

impl Desk {
    fn new(places: usize) -> Desk {
        Desk {
            room: Arc::new(Semaphore::new(places)),
            waiting: Guarded::default(),
        }
    }

    /// The place stays taken until the reply is written.
    fn took(&self, id: &RequestId, place: OwnedSemaphorePermit) {
        place.forget();
        *self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(id.clone())
            .or_default() += 1;
    }

    fn answered(&self, id: &RequestId) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = waiting.get_mut(id) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            waiting.remove(id);
        }
        self.room.add_permits(1);
    }

    /// A withdrawn request gets no reply.
    fn withdrawn(&self, id: &RequestId) {
        let count = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(id);
        self.room.add_permits(count.unwrap_or_default());
    }
}

/// What a line turned out to be.
#[derive(Debug)]
enum Heard {
    Message(Box<ClientJsonRpcMessage>),
    /// Not for us: empty, not JSON, or a notification nobody knows.
    Nothing,
    /// A message we must refuse, under each id it has, or under none.
    Wrong(Vec<RequestId>, ErrorData),
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub(crate) fn new(input: R, output: W, masker: Masker) -> Lines<R, W> {
        Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            begun: false,
            opened: false,
            output: Arc::new(Mutex::new(Some(output))),
            desk: Arc::new(Desk::new(MAX_WAITING)),
            masker,
        }
    }

    /// Reads to the end of a line. True when one is complete, false at the end of the input. Safe
    /// to drop at any await.
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
            return Heard::Wrong(
                Vec::new(),
                ErrorData::invalid_request("The message is longer than 16 MiB.", None),
            );
        }
        let heard = understand(&self.line);
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        heard
    }
}

fn understand(line: &[u8]) -> Heard {
    let line = without_mark(line).trim_ascii();
    if line.is_empty() {
        return Heard::Nothing;
    }
    if let Some((id, error)) = bad_cursor(line) {
        return Heard::Wrong(vec![id], error);
    }
    match serde_json::from_slice(line) {
        Ok(message) => Heard::Message(Box::new(message)),
        Err(_) => match serde_json::from_slice::<Value>(line) {
            Ok(value) => misshapen(&value),
            Err(_) => match scan::repaired(line)
                .filter(|repaired| serde_json::from_slice::<IgnoredAny>(repaired).is_ok())
            {
                Some(repaired) => understand(&repaired),
                None => not_json(line),
            },
        },
    }
}

/// Some programs begin their output with a byte-order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

fn not_json(line: &[u8]) -> Heard {
    let ids = if line.starts_with(b"{") {
        scan::ids(line)
    } else {
        Vec::new()
    };
    if ids.is_empty() {
        tracing::warn!(bytes = line.len(), "skipped a line that is not JSON");
        return Heard::Nothing;
    }
    Heard::Wrong(ids, why_not_json(line))
}

fn why_not_json(text: &[u8]) -> ErrorData {
    let mut messages = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    match (messages.next(), messages.next()) {
        (Some(Ok(_)), Some(_)) => ErrorData::invalid_request(
            "More than one message came at once: send one per line or body.",
            None,
        ),
        _ => ErrorData::parse_error(
            "This is not JSON that can be read: check for NaN, numbers out of range and nesting over 128 levels.",
            None,
        ),
    }
}

/// Why a body that is no message is refused, under its id if it has one.
pub(crate) fn refusal(body: &[u8]) -> (Option<RequestId>, ErrorData) {
    match serde_json::from_slice::<Value>(body).map(|value| misshapen(&value)) {
        Ok(Heard::Wrong(ids, error)) => (ids.into_iter().next(), error),
        Ok(_) => (
            None,
            ErrorData::invalid_request("This is not a JSON-RPC 2.0 message.", None),
        ),
        Err(_) => (scan::ids(body).into_iter().next(), why_not_json(body)),
    }
}

/// The SDK reads a list request with a cursor of the wrong type as one without, and would answer it
/// from the start.
pub(crate) fn bad_cursor(body: &[u8]) -> Option<(RequestId, ErrorData)> {
    const LONGEST: usize = 4096;
    if body.len() > LONGEST
        || !std::str::from_utf8(body)
            .is_ok_and(|text| text.contains("\"cursor\"") && text.contains("/list\""))
    {
        return None;
    }
    let value: Value = serde_json::from_slice(body).ok()?;
    let (method, cursor) = (
        value.get("method")?.as_str()?,
        value.get("params")?.get("cursor")?,
    );
    let id = serde_json::from_value(value.get("id")?.clone()).ok()?;
    let wrong = method.ends_with("/list") && !cursor.is_string() && !cursor.is_null();
    wrong.then(|| {
        (
            id,
            ErrorData::invalid_params(
                "A cursor is a text. The list has one page: call without a cursor.",
                None,
            ),
        )
    })
}

/// JSON that is no message. Without an id it may be a notification of another protocol, which
/// nobody may answer.
fn misshapen(value: &Value) -> Heard {
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let method = value.get("method").and_then(Value::as_str);
    match (id, method) {
        (None, Some(_)) if value.get("id").is_none() => Heard::Nothing,
        (Some(id), Some(_)) if value["jsonrpc"] == "2.0" => {
            Heard::Wrong(vec![id], ErrorData::invalid_params(misfit(value), None))
        }
        (id, _) => Heard::Wrong(
            id.into_iter().collect(),
            ErrorData::new(
                ErrorCode::INVALID_REQUEST,
                "This is not a JSON-RPC 2.0 message.",
                None,
            ),
        ),
    }
}

fn misfit(value: &Value) -> &'static str {
    match value.get("params") {
        Some(Value::Object(params))
            if params.get("_meta").is_some_and(|meta| !meta.is_object()) =>
        {
            "_meta must be an object."
        }
        Some(Value::Object(_)) => "The params do not fit this method's schema.",
        _ => "The params of a request must be an object.",
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Writes a refusal beside the reading, because reading may be dropped half-way and a frame
    /// must not be. It holds its place until it is written: whoever floods us with nonsense waits
    /// for us to be done with it.
    fn refuse(&self, ids: Vec<RequestId>, error: ErrorData, place: OwnedSemaphorePermit) {
        let ids: Vec<Option<RequestId>> = if ids.is_empty() {
            vec![None]
        } else {
            ids.into_iter().map(Some).collect()
        };
        let frames: Vec<_> = ids
            .into_iter()
            .map(|id| self.write(ServerJsonRpcMessage::error(error.clone(), id)))
            .collect();
        tokio::spawn(async move {
            for frame in frames {
                // A client that has closed its end needs no refusal.
                let _ = frame.await;
            }
            drop(place);
        });
    }

    fn write(
        &self,
        mut message: ServerJsonRpcMessage,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static + use<R, W> {
        if let ServerJsonRpcMessage::Error(told) = &mut message {
            outgoing::tidy(&mut told.error, &self.masker);
        }
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

    /// Before a session is open the SDK would ask a stranger's method for metadata; it is simply
    /// not ours.
    fn refused_at_the_door(
        &mut self,
        request: &JsonRpcRequest<ClientRequest>,
    ) -> Option<ErrorData> {
        self.opened |= matches!(request.request, ClientRequest::InitializeRequest(_))
            || request.request.get_meta().protocol_version().is_some();
        match &request.request {
            ClientRequest::CustomRequest(custom) if !self.opened => wire::misfit(&custom.method),
            _ => None,
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
            ServerJsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (writing, desk) = (self.write(message), self.desk.clone());
        async move {
            let written = writing.await;
            if let Some(id) = answered {
                desk.answered(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let place = self.desk.room.clone().acquire_owned().await.ok()?;
            match self.read_line().await {
                Ok(true) => {}
                // What came without its newline was cut off, so it cannot be trusted to be whole.
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(kind = %error.kind(), "the input cannot be read any more");
                    return None;
                }
            }
            let message = match self.heard() {
                Heard::Nothing => continue,
                Heard::Wrong(ids, error) => {
                    self.refuse(ids, error, place);
                    continue;
                }
                Heard::Message(message) => *message,
            };
            match &message {
                ClientJsonRpcMessage::Request(request) => {
                    if let Some(error) = self.refused_at_the_door(request) {
                        self.refuse(vec![request.id.clone()], error, place);
                        continue;
                    }
                    self.begun = true;
                    self.desk.took(&request.id, place);
                }
                ClientJsonRpcMessage::Notification(told) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.desk.withdrawn(id);
                    }
                }
                _ => {}
            }
            if self.begun {
                return Some(message);
            }
            tracing::debug!("skipped a message that came before the first request");
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
            Heard::Wrong(ids, error) => Some((ids.into_iter().next(), error.code.0)),
            _ => None,
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_is_refused_under_its_id() {
        let params = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#;
        assert_eq!(refusal(params), Some((Some(RequestId::Number(7)), -32602)));
        let version = r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#;
        assert_eq!(
            refusal(version),
            Some((Some(RequestId::String("a".into())), -32600))
        );
        for line in [
            "{}",
            "[]",
            "5",
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        ] {
            assert_eq!(refusal(line), Some((None, -32600)), "{line}");
        }
    }

    #[test]
    fn what_nobody_waits_for_is_not_answered() {
        for line in [
            "",
            " \r\n",
            "not json",
            "\u{feff}",
            r#"{"jsonrpc":"2.0","method":"$/lsp","params":5}"#,
        ] {
            assert!(
                matches!(understand(line.as_bytes()), Heard::Nothing),
                "{line}"
            );
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
        let mut lines = Lines::new(reading, tokio::io::sink(), Masker::default());
        assert!(matches!(
            lines.receive().await,
            Some(ClientJsonRpcMessage::Request(_))
        ));
        assert!(lines.receive().await.is_none());
    }

    #[test]
    fn a_line_that_is_almost_json_is_repaired_or_refused_under_its_id() {
        let lone = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"q":"\ud800"}}}"#;
        assert!(matches!(understand(lone.as_bytes()), Heard::Message(_)));
        assert!(matches!(
            understand(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x/\xff\"}"),
            Heard::Message(_)
        ));
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":4,"method":"x","params":{{"a":{}{}}}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        assert_eq!(refusal(&deep), Some((Some(RequestId::Number(4)), -32700)));
        assert_eq!(
            refusal(r#"{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":1e999}}"#),
            Some((Some(RequestId::Number(5)), -32700))
        );
        assert_eq!(
            refusal(r#"{"jsonrpc":"2.0","id":6,"method":"x","params":{"a":NaN}}"#),
            Some((Some(RequestId::Number(6)), -32700))
        );
        let two =
            r#"{"jsonrpc":"2.0","id":8,"method":"ping"} {"jsonrpc":"2.0","id":9,"method":"ping"}"#;
        assert_eq!(refusal(two), Some((Some(RequestId::Number(8)), -32600)));
        let cursor = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":5}}"#;
        assert_eq!(refusal(cursor), Some((Some(RequestId::Number(2)), -32602)));
    }

    #[tokio::test]
    async fn refusals_of_a_flood_are_all_written_and_a_client_that_does_not_read_is_not_read_from()
    {
        let (client, server) = tokio::io::duplex(64 * 1024);
        let (reading, writing) = tokio::io::split(server);
        let mut lines = Lines::new(reading, writing, Masker::default());
        let serving = tokio::spawn(async move { lines.receive().await.is_some() });
        let (mut answers, mut asking) = tokio::io::split(client);
        let flood = 20_000usize;
        let asked = tokio::spawn(async move {
            for number in 0..flood {
                let line = format!("{{\"jsonrpc\":\"1.0\",\"id\":{number},\"method\":\"ping\"}}\n");
                asking
                    .write_all(line.as_bytes())
                    .await
                    .expect("the server reads");
            }
            asking.shutdown().await.expect("our end closes");
        });
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert!(
            !asked.is_finished(),
            "nobody reads the answers, so the questions wait"
        );
        let mut told = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut answers, &mut told)
            .await
            .expect("text");
        assert!(!serving.await.expect("no panic"), "the input ended");
        assert_eq!(told.lines().count(), flood);
    }
}

//! MCP over pipes: one message per line.
//!
//! The SDK's own line transport ends the session when a notification comes before the first
//! request; this one skips it. It also stops reading while many replies are unwritten, so that a
//! client that sends without reading fills its own pipe and not our memory. The session ends when
//! the client closes its end: calls in flight are answered, then the process exits.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError},
    time::Duration,
};

use mask::Masker;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, JsonRpcRequest,
        RequestId, ServerJsonRpcMessage,
    },
    serve_server,
    service::ServerInitializeError,
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::DRAIN_TIME;
use super::json_rpc::{self, ParsedMessage, sanitize_error};
use crate::wire;

/// The longest line that is read; the SDK's HTTP side has the same limit for an event.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Replies and refusals that may be unwritten before the next line is read.
const MAX_PENDING: usize = 1024;

/// How long the end waits for a client that does not read its refusals.
const LAST_REFUSALS: Duration = Duration::from_secs(1);

/// The session could not be established.
#[derive(Debug)]
pub struct StartError(ServerInitializeError);

impl std::fmt::Display for StartError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "the session could not start: {}", self.0)
    }
}

/// Serves one client until it closes its end or `stop` resolves; then nothing more is read, and
/// running calls may finish. Every error is masked before it is sent.
pub async fn serve<H, R, W>(
    handler: H,
    masker: Masker,
    input: R,
    output: W,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), StartError>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = StdioTransport::new(input, output, masker);
    let stopping = transport.stopping.clone();
    let drained = async {
        stop.await;
        stopping.cancel();
        tokio::time::sleep(DRAIN_TIME).await;
    };
    tokio::select! {
        served = serve_session(handler, transport) => served,
        () = drained => Ok(()),
    }
}

async fn serve_session<H, R, W>(
    handler: H,
    transport: StdioTransport<R, W>,
) -> Result<(), StartError>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match serve_server(handler, transport).await {
        Ok(session) => {
            // The SDK has logged whatever ended the session.
            let _ = session.waiting().await;
            Ok(())
        }
        // A client that connects and leaves did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(StartError(error)),
    }
}

struct StdioTransport<R, W> {
    input: BufReader<R>,
    /// The part of the current line that has been read. Kept here, so that cancelling a read loses
    /// no byte.
    line: Vec<u8>,
    /// The current line is too long and is being skipped.
    skipping: bool,
    /// A request has arrived, so messages are passed on.
    has_request: bool,
    /// A request has arrived that opens a session: `initialize`, or one with its own metadata.
    is_open: bool,
    output: Arc<Mutex<Option<W>>>,
    pending: Arc<PendingReplies>,
    masker: Masker,
    /// Cancelled when nothing more is to be read.
    stopping: CancellationToken,
    /// Refusals that are being written.
    refusals: TaskTracker,
}

/// Requests whose replies are not written yet. Each holds a permit.
#[derive(Debug)]
struct PendingReplies {
    permits: Arc<Semaphore>,
    ids: SyncMutex<HashSet<RequestId>>,
}

impl PendingReplies {
    fn new(limit: usize) -> PendingReplies {
        PendingReplies {
            permits: Arc::new(Semaphore::new(limit)),
            ids: SyncMutex::default(),
        }
    }

    /// Takes note of a request, which keeps its permit until the reply is written. `false` when one of
    /// this id is not answered yet: the SDK would answer only one of them.
    fn add(&self, id: &RequestId) -> bool {
        self.ids().insert(id.clone())
    }

    /// Its reply is written, or it is cancelled and gets none.
    fn done(&self, id: &RequestId) {
        if self.ids().remove(id) {
            self.permits.add_permits(1);
        }
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: AsyncRead + Unpin, W> StdioTransport<R, W> {
    fn new(input: R, output: W, masker: Masker) -> StdioTransport<R, W> {
        StdioTransport {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            has_request: false,
            is_open: false,
            output: Arc::new(Mutex::new(Some(output))),
            pending: Arc::new(PendingReplies::new(MAX_PENDING)),
            masker,
            stopping: CancellationToken::new(),
            refusals: TaskTracker::new(),
        }
    }

    /// Reads to the end of a line. Returns `true` when one is complete and `false` at the end of
    /// the input, where a line without its newline may be truncated and is dropped. Cancel safe.
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

    /// Parses the completed line and empties the buffer.
    fn parse_line(&mut self) -> ParsedMessage {
        if std::mem::take(&mut self.skipping) {
            tracing::warn!(limit = MAX_LINE, "skipped a line that was too long");
            return ParsedMessage::Refused(
                Vec::new(),
                ErrorData::invalid_request("The message is longer than 16 MiB.", None),
            );
        }
        let parsed = json_rpc::parse(&self.line);
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        parsed
    }
}

impl<R, W> StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Writes a refusal in a task of its own, because `receive` may be dropped at any await and a
    /// frame must be written whole. The permit is held until then, so a client that floods us with
    /// invalid messages waits for our replies.
    fn refuse(&self, ids: Vec<RequestId>, error: ErrorData, permit: OwnedSemaphorePermit) {
        let ids: Vec<Option<RequestId>> = if ids.is_empty() {
            vec![None]
        } else {
            ids.into_iter().map(Some).collect()
        };
        let frames: Vec<_> = ids
            .into_iter()
            .map(|id| self.write(ServerJsonRpcMessage::error(error.clone(), id)))
            .collect();
        self.refusals.spawn(async move {
            for frame in frames {
                // A client that has closed its end needs no refusal.
                let _ = frame.await;
            }
            drop(permit);
        });
    }

    fn write(
        &self,
        mut message: ServerJsonRpcMessage,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static + use<R, W> {
        if let ServerJsonRpcMessage::Error(response) = &mut message {
            sanitize_error(&mut response.error, &self.masker);
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

    /// Refuses an unknown method that comes before a session is open. The SDK would complain about
    /// missing metadata instead.
    fn refuse_before_open(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Option<ErrorData> {
        self.is_open |= matches!(request.request, ClientRequest::InitializeRequest(_))
            || request.request.get_meta().protocol_version().is_some();
        match &request.request {
            ClientRequest::CustomRequest(custom) if !self.is_open => {
                wire::unknown_request_error(&custom.method)
            }
            _ => None,
        }
    }

    /// Takes note of a message, or refuses it. `None` when there is nothing to pass on.
    fn admit(
        &mut self,
        message: ClientJsonRpcMessage,
        permit: OwnedSemaphorePermit,
    ) -> Option<ClientJsonRpcMessage> {
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                if let Some(error) = self.refuse_before_open(request) {
                    self.refuse(vec![request.id.clone()], error, permit);
                    return None;
                }
                self.has_request = true;
                if !self.pending.add(&request.id) {
                    let error = ErrorData::invalid_request(
                        "A request with this id is being answered; use another id.",
                        None,
                    );
                    self.refuse(vec![request.id.clone()], error, permit);
                    return None;
                }
                permit.forget();
            }
            ClientJsonRpcMessage::Notification(message) => {
                if let ClientNotification::CancelledNotification(cancelled) = &message.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.pending.done(id);
                }
            }
            _ => {}
        }
        if !self.has_request {
            tracing::debug!("skipped a message that came before the first request");
            return None;
        }
        Some(message)
    }
}

impl<R, W> Transport<RoleServer> for StdioTransport<R, W>
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
        let (writing, pending) = (self.write(message), self.pending.clone());
        async move {
            let written = writing.await;
            if let Some(id) = answered {
                pending.done(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let stopping = self.stopping.clone();
            let permit = self.pending.permits.clone().acquire_owned();
            let permit = stopping.run_until_cancelled(permit).await?.ok()?;
            // Cancelled: as if the client had closed its end.
            match stopping.run_until_cancelled(self.read_line()).await? {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(kind = %error.kind(), "the input cannot be read any more");
                    return None;
                }
            }
            match self.parse_line() {
                ParsedMessage::Ignored => {}
                ParsedMessage::Refused(ids, error) => self.refuse(ids, error, permit),
                ParsedMessage::Valid(message) => {
                    if let Some(message) = self.admit(*message, permit) {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // A client that closes its end still reads what it was refused, unless it is gone.
        self.refusals.close();
        let _ = tokio::time::timeout(LAST_REFUSALS, self.refusals.wait()).await;
        drop(self.output.lock().await.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut transport = StdioTransport::new(reading, tokio::io::sink(), Masker::default());
        assert!(matches!(
            transport.receive().await,
            Some(ClientJsonRpcMessage::Request(_))
        ));
        assert!(transport.receive().await.is_none());
    }

    /// What is written for these lines before the client closes its end.
    async fn written_for(lines: &str) -> Vec<serde_json::Value> {
        let (mut client, server) = tokio::io::duplex(64 * 1024);
        let (reading, writing) = tokio::io::split(server);
        client.write_all(lines.as_bytes()).await.expect("room");
        client.shutdown().await.expect("our end closes");
        let mut transport = StdioTransport::new(reading, writing, Masker::default());
        while transport.receive().await.is_some() {}
        transport.close().await.expect("closed");
        drop(transport);
        let mut text = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut client, &mut text)
            .await
            .expect("text");
        let frames = text.lines().map(serde_json::from_str);
        frames.map(|frame| frame.expect("JSON")).collect()
    }

    #[tokio::test]
    async fn refusals_are_written_before_the_end() {
        let written = written_for("{\"jsonrpc\":\"1.0\",\"id\":8,\"method\":\"ping\"}\n").await;
        assert_eq!(written.len(), 1, "{written:?}");
        assert_eq!(written[0]["id"], 8);
    }

    #[tokio::test]
    async fn an_id_that_is_being_answered_is_not_used_twice() {
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}\n";
        let written = written_for(&ping.repeat(3)).await;
        assert_eq!(written.len(), 2, "the first is the SDK's: {written:?}");
        for refusal in written {
            let message = refusal["error"]["message"].as_str().expect("a message");
            assert!(message.contains("another id"), "{refusal}");
        }
    }

    #[tokio::test]
    async fn every_request_of_a_batch_is_told_to_come_alone() {
        let batch = r#"[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":"b","method":"ping"}]"#;
        let written = written_for(&format!("{batch}\n")).await;
        let ids: Vec<_> = written.iter().map(|frame| frame["id"].clone()).collect();
        assert_eq!(ids, [serde_json::json!(5), serde_json::json!("b")]);
        assert!(written[0].to_string().contains("send one per line"));
    }

    #[tokio::test]
    async fn reading_pauses_while_the_client_does_not_read_its_refusals() {
        let (client, server) = tokio::io::duplex(64 * 1024);
        let (reading, writing) = tokio::io::split(server);
        let mut transport = StdioTransport::new(reading, writing, Masker::default());
        let serving = tokio::spawn(async move { transport.receive().await.is_some() });
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
        let mut written = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut answers, &mut written)
            .await
            .expect("text");
        assert!(!serving.await.expect("no panic"), "the input ended");
        assert_eq!(written.lines().count(), flood);
    }
}

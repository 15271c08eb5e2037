//! MCP over pipes: one message per line.
//!
//! The SDK's line transport already drops what is not JSON, answers what is not a message and bounds a line at 16 MiB.
//! Two things are added. Until the first request, anything else is skipped, because the SDK would end the session over
//! a stray notification. And the session ends when the client closes its end: what is in flight is answered, then the
//! process exits.

use rmcp::{
    RoleServer, ServerHandler,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    serve_server,
    service::ServerInitializeError,
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::io::{AsyncRead, AsyncWrite};

/// Why a session ended before it began.
#[derive(Debug)]
pub struct NeverStarted(ServerInitializeError);

impl std::fmt::Display for NeverStarted {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "the session could not start: {}", self.0)
    }
}

/// Serves one client until it closes its end.
pub async fn serve<H, R, W>(handler: H, input: R, output: W) -> Result<(), NeverStarted>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = Patient { inner: AsyncRwTransport::new_server(input, output), started: false };
    match serve_server(handler, transport).await {
        Ok(session) => {
            // The SDK has drained and logged whatever ended the session; there is nothing left to tell.
            let _ = session.waiting().await;
            Ok(())
        }
        // A client that only looked and left did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(NeverStarted(error)),
    }
}

/// A transport that skips what cannot open a session.
struct Patient<R: AsyncRead, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, R, W>,
    started: bool,
}

impl<R, W> Transport<RoleServer> for Patient<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            self.started |= matches!(message, ClientJsonRpcMessage::Request(_));
            if self.started {
                return Some(message);
            }
            tracing::debug!("skipped a message that came before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

//! MCP over pipes: one message per line.
//!
//! The session ends when the client closes its end: what is in flight is answered, then the process
//! exits.

use mask::Masker;
use rmcp::{ServerHandler, serve_server, service::ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::transport::lines::Lines;

/// Why a session ended before it began.
#[derive(Debug)]
pub struct NeverStarted(ServerInitializeError);

impl std::fmt::Display for NeverStarted {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "the session could not start: {}", self.0)
    }
}

/// Serves one client until it closes its end. No error leaves without having passed `masker`.
pub async fn serve<H, R, W>(
    handler: H,
    masker: Masker,
    input: R,
    output: W,
) -> Result<(), NeverStarted>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match serve_server(handler, Lines::new(input, output, masker)).await {
        Ok(session) => {
            // The SDK has drained and logged whatever ended the session; there is nothing left to
            // tell.
            let _ = session.waiting().await;
            Ok(())
        }
        // A client that only looked and left did nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(NeverStarted(error)),
    }
}

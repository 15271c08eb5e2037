//! How a server ends without a failed call: it is no longer ready, then takes no more connections,
//! then finishes what it was asked.
//!
//! A load balancer learns from `/readyz` that it must send requests elsewhere, and needs some time for
//! that (`--drain-delay`). In this time the server goes on as before, but closes every connection
//! after its response, so that the balancer keeps none. Calls that still run when the time to finish
//! is over are answered too, with the advice to retry.

use std::{sync::Arc, time::Duration};

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{connections::ActiveMessages, responses};
use crate::{
    dispatch::Dispatcher,
    health::StoreTrouble,
    transport::{DRAIN_TIME, stop_signal},
};

/// The time for the last bytes to be written.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The time for the store to answer. Those who ask for readiness wait about a second.
const STORE_TIME: Duration = Duration::from_millis(500);

/// The steps of an ending.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopping {
    /// The server is no longer ready.
    leaving: CancellationToken,
    /// No connection is taken any more, and idle ones are closed.
    closing: CancellationToken,
    /// The SDK aborts every call when this is cancelled, so it is cancelled last.
    ended: CancellationToken,
}

impl Stopping {
    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.is_cancelled()
    }

    pub(super) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    pub(super) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Ends the server, step by step.
    pub(super) async fn run(
        &self,
        delay: Duration,
        active: &ActiveMessages,
        calls: Option<Arc<Dispatcher>>,
    ) {
        self.leaving.cancel();
        if !delay.is_zero() {
            // Before the line that offers it, so that a quick second signal is not missed.
            let second_signal = stop_signal();
            tracing::info!(
                seconds = delay.as_secs(),
                "stopping: no longer ready; a second signal skips this delay"
            );
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = second_signal => {}
            }
        }
        tracing::info!("stopping: no more connections; calls that run may finish");
        self.closing.cancel();
        if tokio::time::timeout(DRAIN_TIME, active.finished())
            .await
            .is_err()
            && let Some(calls) = calls
        {
            calls.end_calls();
            let _ = tokio::time::timeout(FLUSH_TIME, active.finished()).await;
        }
        self.ended.cancel();
        tokio::time::sleep(FLUSH_TIME).await;
    }

    /// `/readyz`: whether requests should be sent here. A store that does not answer or takes no changes is told and changes
    /// nothing: all servers share it, so none would be left to search and read, which need no store.
    pub(super) async fn readiness(&self, dispatcher: Option<&Dispatcher>) -> Response {
        if self.is_leaving() {
            return responses::problem(
                StatusCode::SERVICE_UNAVAILABLE,
                "This server is stopping. Send requests to another one.",
            );
        }
        let mut ready = json!({ "status": "ready" });
        if let Some(dispatcher) = dispatcher {
            let answers = tokio::time::timeout(STORE_TIME, dispatcher.store_trouble());
            ready["store"] = json!(match answers.await {
                Ok(None) => "ok",
                Ok(Some(StoreTrouble::Unreadable(_))) => "unavailable",
                Ok(Some(StoreTrouble::Unwritable(_))) => "not writable",
                Err(_elapsed) => "slow",
            });
        }
        responses::json_response(StatusCode::OK, "application/json", &ready)
    }

    /// Has the connection closed after this response, once the server is leaving.
    pub(super) fn mark(&self, response: &mut Response) {
        if self.is_leaving() {
            response
                .headers_mut()
                .insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

//! Connections to servers, kept open for the next request.

use std::time::Duration;

use bytes::Bytes;
use fault::Phase;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::capture_connection;
use hyper_util::client::legacy::{Client as Pool, Error as PoolError};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::connector::{ConnectionUse, Connector};
use crate::network_error::{NetworkError, NetworkErrorKind};
use crate::outgoing::OutgoingRequest;
use crate::progress::Progress;

/// The largest response head, and the most header lines in it.
const MAX_HEAD_BYTES: usize = 64 * 1024;
const MAX_HEADERS: usize = 200;

/// Idle connections are kept long enough for the next page of a site, but not so long that they
/// often go stale.
const IDLE: Duration = Duration::from_secs(20);
const IDLE_PER_HOST: usize = 4;

type HttpPool = Pool<Connector, Full<Bytes>>;

/// The connections that one connector opened. Nothing else is ever sent over them.
#[derive(Debug)]
pub(crate) struct ConnectionPools {
    pub(crate) connector: Connector,
    pooled: HttpPool,
    /// Never reuses a connection. Used to retry after a reused connection was found closed.
    fresh: HttpPool,
}

impl ConnectionPools {
    pub(crate) fn new(connector: Connector) -> Self {
        Self {
            pooled: pool(&connector, IDLE_PER_HOST),
            fresh: pool(&connector, 0),
            connector,
        }
    }

    /// Sends one request and waits for the head of its response. A reused connection may have been
    /// closed by the server while it was idle, or hold bytes of the response before; then the
    /// request is sent once more on a fresh connection.
    pub(crate) async fn exchange(
        &self,
        outgoing: &OutgoingRequest,
        replayable: bool,
        progress: &Progress,
    ) -> Result<http::Response<Incoming>, NetworkError> {
        match exchange_over(&self.pooled, outgoing, progress).await {
            Err((_, stale)) if stale && replayable => {
                exchange_over(&self.fresh, outgoing, progress).await
            }
            outcome => outcome,
        }
        .map_err(|(error, _)| error)
    }
}

fn pool(connector: &Connector, idle: usize) -> HttpPool {
    Pool::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(idle)
        .http1_max_buf_size(MAX_HEAD_BYTES)
        .http1_max_headers(MAX_HEADERS)
        // Real servers break these rules and browsers accept it. There is no second parser behind
        // us that could read the message differently.
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .build(connector.clone())
}

async fn exchange_over(
    http: &HttpPool,
    outgoing: &OutgoingRequest,
    progress: &Progress,
) -> Result<http::Response<Incoming>, (NetworkError, bool)> {
    let mut request = outgoing.request().map_err(|error| (error, false))?;
    let mut connection = capture_connection(&mut request);
    let sending = http.request(request);
    tokio::pin!(sending);
    let connected = async {
        connection.wait_for_connection_metadata().await;
    };
    let outcome = tokio::select! {
        biased;
        outcome = &mut sending => outcome,
        () = connected => {
            progress.enter(Phase::Headers);
            sending.await
        }
    };
    match outcome {
        Ok(answer) => {
            if let Some(usage) = answer.extensions().get::<ConnectionUse>() {
                usage.record_response();
            }
            Ok(answer)
        }
        Err(error) => {
            let network_error = NetworkError::exchange(&error);
            let stale = was_stale(&error, network_error.kind);
            Err((network_error, stale))
        }
    }
}

/// Whether the connection was at fault rather than the response. A server that sends a body where
/// none may be, as with a 204, leaves bytes on the connection that the next response seems to begin
/// with.
fn was_stale(error: &PoolError, kind: NetworkErrorKind) -> bool {
    let mut extras = http::Extensions::new();
    if let Some(connected) = error.connect_info() {
        connected.get_extras(&mut extras);
    }
    extras.get::<ConnectionUse>().is_some_and(|usage| {
        usage.was_closed_while_idle() || kind == NetworkErrorKind::BadHead && usage.was_reused()
    })
}

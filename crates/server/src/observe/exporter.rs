//! Sends finished traces to a collector, in the background and in batches.
//!
//! Traces are not precious: what does not fit into the queue, and what the collector did not take
//! after a few tries, is dropped and counted. No call waits.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http::{HeaderName, HeaderValue, header};
use mask::Masker;
use tokio::{sync::Notify, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{otlp, trace::Span};
use crate::settings::Settings;

const LOG: &str = "fingerpost::traces";
/// Spans that may wait.
const MAX_WAITING: usize = 4_096;
/// Spans of one request.
const BATCH: usize = 512;
/// How long a batch is collected.
const COLLECT: Duration = Duration::from_secs(2);
const REQUEST_TIME: Duration = Duration::from_secs(10);
const TRIES: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long the end of the program waits for the last spans.
const LAST_SPANS_TIME: Duration = Duration::from_secs(2);
const MAX_REPLY: u64 = 64 << 10;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Exports traces. `None` instead of it means that no endpoint is set.
#[derive(Debug)]
pub(crate) struct Exporter {
    sender: Arc<Sender>,
    task: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Sender {
    url: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    service: String,
    client: net::Client,
    masker: Masker,
    waiting: Mutex<Vec<Span>>,
    dropped: AtomicU64,
    wake: Notify,
    stopping: CancellationToken,
}

impl Exporter {
    /// Nothing is opened or started.
    pub(super) fn new(settings: &Settings) -> Option<Exporter> {
        let is_on = settings.exports_traces && !settings.otel_disabled;
        let base = settings.otlp_endpoint.as_ref().filter(|_| is_on)?;
        let sender = Sender {
            url: traces_url(base),
            headers: settings.otlp_headers.clone(),
            service: settings.service_name.clone(),
            client: net::Client::trusted(settings.network()),
            masker: settings.masker(),
            waiting: Mutex::default(),
            dropped: AtomicU64::new(0),
            wake: Notify::new(),
            stopping: CancellationToken::new(),
        };
        Some(Exporter {
            sender: Arc::new(sender),
            task: Mutex::default(),
        })
    }

    /// Spans that did not reach the collector.
    pub(crate) fn dropped(&self) -> u64 {
        self.sender.dropped.load(Ordering::Relaxed)
    }

    pub(super) fn export(&self, spans: Vec<Span>) {
        let mut waiting = self.sender.lock_waiting();
        if waiting.len() + spans.len() > MAX_WAITING {
            self.sender.count_dropped(spans.len());
            return;
        }
        waiting.extend(spans);
        drop(waiting);
        let mut task = self.lock_task();
        if task.is_none() {
            let sender = Arc::clone(&self.sender);
            *task = Some(tokio::spawn(sender.run()));
        }
        self.sender.wake.notify_one();
    }

    pub(super) fn count_dropped(&self, spans: usize) {
        self.sender.count_dropped(spans);
    }

    /// Sends what waits, for a short time.
    pub(crate) async fn finish(&self) {
        let running = self.lock_task().take();
        self.sender.stopping.cancel();
        if let Some(running) = running {
            let _ = tokio::time::timeout(LAST_SPANS_TIME, running).await;
        }
    }

    fn lock_task(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sender {
    async fn run(self: Arc<Self>) {
        loop {
            let is_last = self.stopping.is_cancelled();
            while let Some(batch) = self.next_batch() {
                self.send(&batch).await;
            }
            if is_last {
                return;
            }
            tokio::select! {
                () = self.wake.notified() => {}
                () = self.stopping.cancelled() => {}
            }
            self.pause(COLLECT).await;
        }
    }

    /// Waits, but not beyond the end of the program. Returns whether that has come.
    async fn pause(&self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => false,
            () = self.stopping.cancelled() => true,
        }
    }

    fn next_batch(&self) -> Option<Vec<Span>> {
        let mut waiting = self.lock_waiting();
        let count = waiting.len().min(BATCH);
        let batch: Vec<Span> = waiting.drain(..count).collect();
        (!batch.is_empty()).then_some(batch)
    }

    async fn send(&self, batch: &[Span]) {
        let mut body = otlp::request_body(&self.service, batch);
        // Nothing in a span can hold a secret by intent; what is sent to others is searched anyway.
        self.masker.mask_json(&mut body);
        let body = body.to_string();
        for tried in 0..TRIES {
            let wait = match self.post(&body).await {
                Outcome::Accepted => return,
                Outcome::Refused => break,
                Outcome::Later(wait) => wait,
            };
            let backoff = (FIRST_WAIT * 2u32.pow(tried)).min(LONGEST_WAIT);
            if self.pause(wait.unwrap_or(backoff).min(LONGEST_WAIT)).await {
                break;
            }
        }
        self.count_dropped(batch.len());
    }

    async fn post(&self, body: &str) -> Outcome {
        let mut request = net::Request::post(self.url.clone(), body.to_owned())
            .header(header::CONTENT_TYPE, JSON)
            .within(REQUEST_TIME)
            .at_most(MAX_REPLY, MAX_REPLY);
        for (name, value) in &self.headers {
            request = request.header(name.clone(), value.clone());
        }
        match self.client.send(request).await {
            Ok(reply) => match reply.status {
                200..=299 => {
                    self.count_dropped(otlp::rejected_spans(&reply.body));
                    Outcome::Accepted
                }
                // The statuses that OTLP calls retryable.
                429 | 502 | 503 | 504 => Outcome::Later(net::requested_wait(&reply.headers, None)),
                status => {
                    tracing::warn!(target: LOG, status, "the collector refused traces; check --otlp-endpoint and --otlp-headers");
                    Outcome::Refused
                }
            },
            Err(fault) => {
                let reason = fault.reason().unwrap_or_default();
                tracing::debug!(target: LOG, reason, "the collector cannot be reached");
                Outcome::Later(None)
            }
        }
    }

    /// The first lost span is told, the others are counted.
    fn count_dropped(&self, spans: usize) {
        if spans > 0 && self.dropped.fetch_add(spans as u64, Ordering::Relaxed) == 0 {
            tracing::warn!(target: LOG, "spans were dropped or refused; further ones are only counted");
        }
    }

    fn lock_waiting(&self) -> MutexGuard<'_, Vec<Span>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a collector takes traces. A query in its address stays behind the path.
fn traces_url(base: &Url) -> String {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["v1", "traces"]);
    }
    url.to_string()
}

/// What became of one request.
enum Outcome {
    Accepted,
    Refused,
    /// Worth another try, after this wait if the collector named one.
    Later(Option<Duration>),
}

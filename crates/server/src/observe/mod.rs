//! The one place that is told what happens: each call, the upstreams it asks, every request,
//! retries, and how the call ended. It feeds the counters, which `health_check` and Prometheus show,
//! and, when an endpoint is set, traces for OpenTelemetry. Without one nothing is collected.

mod exporter;
mod otlp;
mod trace;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use engine::{Asked, CallObserver, SentRequest};
use fault::{Fault, RequestId};
use serde::Serialize;
use tokio::time::Instant;

use self::exporter::Exporter;
pub use self::trace::{CallSource, TraceParent};
use self::trace::{CallTrace, FinishedCall};
use crate::{metrics::Metrics, settings::Settings};

/// Built once per server.
#[derive(Debug)]
pub struct Observability {
    metrics: Arc<Metrics>,
    exporter: Option<Arc<Exporter>>,
}

impl Observability {
    pub(crate) fn new(settings: &Settings, metrics: Arc<Metrics>) -> Observability {
        Observability {
            metrics,
            exporter: Exporter::new(settings).map(Arc::new),
        }
    }

    pub(crate) fn call_started(&self, tool: &'static str, source: CallSource) -> Arc<ObservedCall> {
        self.metrics.began();
        let exporter = self.exporter.as_ref();
        Arc::new(ObservedCall {
            tool,
            started: Instant::now(),
            metrics: Arc::clone(&self.metrics),
            asked: Mutex::default(),
            traced: exporter
                .and_then(|exporter| Some((CallTrace::start(source)?, Arc::clone(exporter)))),
        })
    }

    /// Spans that did not reach the collector; `None` when there is none.
    pub(crate) fn dropped_spans(&self) -> Option<u64> {
        self.exporter.as_ref().map(|exporter| exporter.dropped())
    }

    /// Sends the last spans, for a short time.
    pub(crate) async fn finish(&self) {
        if let Some(exporter) = &self.exporter {
            exporter.finish().await;
        }
    }
}

/// A call from its start to its end.
#[derive(Debug)]
pub(crate) struct ObservedCall {
    tool: &'static str,
    started: Instant,
    metrics: Arc<Metrics>,
    /// The first upstreams that were asked.
    asked: Mutex<Vec<AskedUpstream>>,
    traced: Option<(CallTrace, Arc<Exporter>)>,
}

/// The most upstreams of a call that are remembered for whoever tries it.
const MAX_ASKED: usize = 50;

/// A provider or tier that a call asked.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskedUpstream {
    upstream: &'static str,
    /// When it was asked, from the start of the call.
    after_ms: u64,
    took_ms: u64,
    /// The kind and the reason of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl ObservedCall {
    /// The upstreams that were asked, in the order in which they ended.
    pub(crate) fn upstreams(&self) -> Vec<AskedUpstream> {
        self.asked().clone()
    }

    fn asked(&self) -> MutexGuard<'_, Vec<AskedUpstream>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, asked: &Asked<'_>) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut list = self.asked();
        if list.len() < MAX_ASKED {
            list.push(AskedUpstream {
                upstream: asked.upstream,
                after_ms: millis(asked.started.saturating_duration_since(self.started)),
                took_ms: millis(asked.started.elapsed()),
                kind: asked.fault.map(|fault| fault.kind().as_str()),
                reason: asked.fault.and_then(Fault::reason),
            });
        }
    }

    /// Where a call comes from that this call makes: it is a part of the same trace.
    pub(crate) fn source_inside(&self) -> CallSource {
        let traced = self.traced.as_ref();
        traced.map_or_else(CallSource::default, |(trace, _)| trace.source_inside())
    }

    pub(crate) fn finished(&self, request_id: &RequestId, fault: Option<&Fault>) {
        self.metrics.ended(self.tool, self.started.elapsed(), fault);
        if let Some((trace, exporter)) = &self.traced {
            let (spans, dropped) = trace.finished(&FinishedCall {
                tool: self.tool,
                request_id: request_id.as_str(),
                fault,
            });
            exporter.export(spans);
            exporter.count_dropped(dropped);
        }
    }
}

impl CallObserver for ObservedCall {
    fn asked(&self, asked: &Asked<'_>) {
        // The tiers of a page are counted, and a cached page took nobody's time.
        if !asked.is_page {
            let took = asked.started.elapsed();
            self.metrics.answered(asked.upstream, took, asked.fault);
            self.remember(asked);
        }
        if let Some((trace, _)) = &self.traced {
            trace.asked(asked);
        }
    }

    fn sent(&self, request: &SentRequest) {
        if let Some((trace, _)) = &self.traced {
            trace.sent(request);
        }
    }

    fn retried(&self, upstream: &'static str) {
        self.metrics.retried(upstream);
    }

    fn looked_up(&self, cache: &'static str, is_hit: bool) {
        self.metrics.looked_up(cache, is_hit);
    }
}

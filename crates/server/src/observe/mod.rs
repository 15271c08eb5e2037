//! The one place that is told what happens: each call, the upstreams it asks, every request,
//! retries, and how the call ended. It feeds the counters, which `health_check` and Prometheus show,
//! and, when an endpoint is set, traces for OpenTelemetry. Without one nothing is collected.

mod exporter;
mod otlp;
mod trace;

use std::sync::Arc;

use engine::{Asked, CallObserver, SentRequest};
use fault::{Fault, RequestId};
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
    traced: Option<(CallTrace, Arc<Exporter>)>,
}

impl ObservedCall {
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

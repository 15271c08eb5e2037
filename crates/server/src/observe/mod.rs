//! The one place that is told what happens: each call, the upstreams it asks, every request,
//! retries, and how the call ended. It feeds the counters, which `health_check` and Prometheus show.

use std::sync::Arc;

use engine::{CallObserver, SentRequest};
use fault::Fault;
use tokio::time::Instant;

use crate::metrics::Metrics;

/// Built once per server.
#[derive(Debug)]
pub struct Observability {
    metrics: Arc<Metrics>,
}

impl Observability {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Observability {
        Observability { metrics }
    }

    pub(crate) fn call_started(&self, tool: &'static str) -> Arc<ObservedCall> {
        self.metrics.began();
        Arc::new(ObservedCall {
            tool,
            started: Instant::now(),
            metrics: Arc::clone(&self.metrics),
        })
    }
}

/// A call from its start to its end.
#[derive(Debug)]
pub(crate) struct ObservedCall {
    tool: &'static str,
    started: Instant,
    metrics: Arc<Metrics>,
}

impl ObservedCall {
    pub(crate) fn finished(&self, fault: Option<&Fault>) {
        self.metrics.ended(self.tool, self.started.elapsed(), fault);
    }
}

impl CallObserver for ObservedCall {
    fn asked(&self, upstream: &'static str, started: Instant, fault: Option<&Fault>) {
        self.metrics.answered(upstream, started.elapsed(), fault);
    }

    fn sent(&self, _request: &SentRequest) {}

    fn retried(&self, upstream: &'static str) {
        self.metrics.retried(upstream);
    }

    fn looked_up(&self, cache: &'static str, is_hit: bool) {
        self.metrics.looked_up(cache, is_hit);
    }
}

//! Tells whoever watches the server what is done for a call: which upstreams are asked, each
//! request that is sent, retries and cached answers.
//!
//! The engine only tells. What becomes of it (counters, traces) is up to the observer, which must
//! not block. It is told ids, hosts, statuses and times: never an address, a query or a body.

use std::fmt::Debug;
use std::sync::Arc;

use fault::Fault;
use tokio::time::Instant;

/// Watches one call.
pub trait CallObserver: Debug + Send + Sync {
    /// A provider or a tier was asked, with all its retries.
    fn asked(&self, upstream: &'static str, started: Instant, fault: Option<&Fault>);

    /// A request was sent, and answered or not.
    fn sent(&self, request: &SentRequest);

    /// An upstream is about to be asked again.
    fn retried(&self, upstream: &'static str);

    /// An answer was looked up in a cache.
    fn looked_up(&self, cache: &'static str, is_hit: bool);
}

/// One HTTP request that was sent for a call, its redirects included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    /// The provider or tier that sent it.
    pub upstream: &'static str,
    pub method: String,
    /// The host and port of the first request.
    pub host: Option<String>,
    pub port: Option<u16>,
    pub started: Instant,
    pub ended: Instant,
    pub status: Option<u16>,
    /// The wire name of the fault that kept a response from arriving.
    pub failure: Option<&'static str>,
    /// How many times the same was requested before.
    pub resent: u32,
}

/// The observer of a call, if there is one. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Observer(Option<Arc<dyn CallObserver>>);

impl Observer {
    pub fn new(observer: Arc<dyn CallObserver>) -> Observer {
        Observer(Some(observer))
    }

    pub(crate) fn is_watching(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn sent(&self, request: &SentRequest) {
        if let Some(observer) = &self.0 {
            observer.sent(request);
        }
    }

    pub(crate) fn asked(&self, upstream: &'static str, started: Instant, fault: Option<&Fault>) {
        if let Some(observer) = &self.0 {
            observer.asked(upstream, started, fault);
        }
    }

    pub(crate) fn retried(&self, upstream: &'static str) {
        if let Some(observer) = &self.0 {
            observer.retried(upstream);
        }
    }

    pub(crate) fn looked_up(&self, cache: &'static str, is_hit: bool) {
        if let Some(observer) = &self.0 {
            observer.looked_up(cache, is_hit);
        }
    }
}

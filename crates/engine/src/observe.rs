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
    /// An upstream was asked, with all its retries.
    fn asked(&self, asked: &Asked<'_>);

    /// A request was sent, and answered or not.
    fn sent(&self, request: &SentRequest);

    /// An upstream is about to be asked again.
    fn retried(&self, upstream: &'static str);

    /// An answer was looked up in a cache.
    fn looked_up(&self, cache: &'static str, is_hit: bool);
}

/// The upstream that stands for a page as a whole.
pub(crate) const PAGE: &str = "page";

/// Names one question to an upstream among all of a call.
pub type AskId = u64;

/// A question to an upstream that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub id: AskId,
    /// The question during which this one was asked, such as the page that a tier read.
    pub parent: Option<AskId>,
    pub upstream: &'static str,
    /// Whether it is a page as a whole, which its tiers or a cache answered.
    pub is_page: bool,
    pub started: Instant,
    pub fault: Option<&'a Fault>,
}

/// One HTTP request that was sent for a call, its redirects included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    /// The provider or tier that sent it.
    pub upstream: &'static str,
    /// The question for which it was sent.
    pub ask: Option<AskId>,
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
pub struct Observer {
    observer: Option<Arc<dyn CallObserver>>,
    /// The question on whose behalf it is told.
    ask: Option<AskId>,
}

impl Observer {
    pub fn new(observer: Arc<dyn CallObserver>) -> Observer {
        Observer {
            observer: Some(observer),
            ask: None,
        }
    }

    pub(crate) fn is_watching(&self) -> bool {
        self.observer.is_some()
    }

    pub(crate) fn ask(&self) -> Option<AskId> {
        self.ask
    }

    /// The same observer during a new question.
    pub(crate) fn during_a_question(&self) -> Observer {
        Observer {
            observer: self.observer.clone(),
            ask: self.is_watching().then(|| fastrand::u64(1..)),
        }
    }

    pub(crate) fn sent(&self, request: &SentRequest) {
        if let Some(observer) = &self.observer {
            observer.sent(request);
        }
    }

    pub(crate) fn asked(&self, asked: &Asked<'_>) {
        if let Some(observer) = &self.observer {
            observer.asked(asked);
        }
    }

    pub(crate) fn retried(&self, upstream: &'static str) {
        if let Some(observer) = &self.observer {
            observer.retried(upstream);
        }
    }

    pub(crate) fn looked_up(&self, cache: &'static str, is_hit: bool) {
        if let Some(observer) = &self.observer {
            observer.looked_up(cache, is_hit);
        }
    }
}

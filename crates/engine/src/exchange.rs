//! What was sent to a provider and what came back, for a person who checks an adapter.

use std::sync::{Arc, Mutex, PoisonError};

use fault::Fault;
use url::Url;

/// A request to a provider and its reply. It holds the provider's words and, in the URL or the
/// body, possibly a key: mask what is shown of it.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub method: &'static str,
    pub url: Url,
    /// Names and values; `None` for values that are secrets.
    pub headers: Vec<(String, Option<String>)>,
    pub body: Option<String>,
    pub reply: Result<ExchangeReply, Fault>,
}

/// A reply of any status.
#[derive(Debug, Clone)]
pub struct ExchangeReply {
    pub status: u16,
    pub headers: http::HeaderMap,
    pub body: Vec<u8>,
}

/// The exchanges of a call, in the order in which they ended. It is off unless somebody asked for
/// it, and clones share one log.
#[derive(Debug, Clone, Default)]
pub struct ExchangeLog(Option<Arc<Mutex<Vec<Exchange>>>>);

impl ExchangeLog {
    /// A log that keeps what is recorded.
    pub fn keeping() -> ExchangeLog {
        ExchangeLog(Some(Arc::default()))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn record(&self, exchange: Exchange) {
        if let Some(log) = &self.0 {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(exchange);
        }
    }

    /// Everything recorded so far.
    pub fn snapshot(&self) -> Vec<Exchange> {
        let log = self.0.as_ref();
        log.map(|log| log.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .unwrap_or_default()
    }
}

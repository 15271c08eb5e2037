//! How far a request has come, readable while it runs.
//!
//! A deadline or a cancellation drops the work at any point, so what is known about it is kept
//! outside of it. The pool calls the connector without our arguments; the connector finds the
//! progress of its request in a task-local.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fault::Phase;
use tokio::time::Instant;
use url::Url;

use crate::network_error::{NetworkError, NetworkErrorKind};

tokio::task_local! {
    static CURRENT: Arc<Progress>;
}

/// Where the time of the last request in a redirect chain went. The first three are `None` when a
/// connection was reused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    pub dns: Option<Duration>,
    pub connect: Option<Duration>,
    pub tls: Option<Duration>,
    /// From the start of the first request to the head of the last response.
    pub head: Option<Duration>,
    /// How long the body waited for memory that other bodies had taken.
    pub memory: Duration,
    /// The whole time, redirects and body included.
    pub total: Duration,
}

#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    deadline: Instant,
    received: AtomicU64,
    state: Mutex<ProgressState>,
}

#[derive(Debug)]
struct ProgressState {
    phase: Phase,
    timings: Timings,
    requested: Option<Url>,
    current_url: Option<Url>,
    /// A search found the requested URL; the caller did not name it.
    is_search_result: bool,
}

impl Progress {
    pub(crate) fn new(deadline: Instant) -> Self {
        let state = ProgressState {
            phase: Phase::Policy,
            timings: Timings::default(),
            requested: None,
            current_url: None,
            is_search_result: false,
        };
        Self {
            started: Instant::now(),
            deadline,
            received: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    /// Runs work so that the connector can find this progress.
    pub(crate) async fn watch<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }

    /// The progress of the request that is being polled.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.state().phase = phase;
    }

    pub(crate) fn phase(&self) -> Phase {
        self.state().phase
    }

    /// Sets the URL the caller asked for. Faults name its host, wherever it redirects to.
    pub(crate) fn set_requested(&self, url: &Url) {
        let mut state = self.state();
        state.requested = Some(url.clone());
        state.current_url = Some(url.clone());
    }

    /// Sets a URL that a search found. Until a page redirects, faults treat it as one that the
    /// caller did not choose.
    pub(crate) fn set_search_result(&self, url: &Url) {
        self.set_requested(url);
        self.state().is_search_result = true;
    }

    pub(crate) fn is_search_result(&self) -> bool {
        self.state().is_search_result
    }

    /// Starts the next request of a redirect chain. Its connection is timed anew; its host is named
    /// to the operator only.
    pub(crate) fn redirected_to(&self, url: &Url) {
        let mut state = self.state();
        state.current_url = Some(url.clone());
        state.timings = Timings::default();
        state.phase = Phase::Policy;
    }

    pub(crate) fn requested(&self) -> Option<Url> {
        self.state().requested.clone()
    }

    pub(crate) fn current_url(&self) -> Option<Url> {
        self.state().current_url.clone()
    }

    pub(crate) fn record_timing(&self, change: impl FnOnce(&mut Timings)) {
        change(&mut self.state().timings);
    }

    pub(crate) fn timings(&self) -> Timings {
        Timings {
            total: self.elapsed(),
            ..self.state().timings
        }
    }

    pub(crate) fn received(&self, bytes: u64) {
        self.received.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Why a request is not done at its deadline. If much of its time went to waiting for memory, that
    /// is the reason, not the site.
    pub(crate) fn out_of_time(&self) -> NetworkError {
        let timings = self.timings();
        NetworkError::new(if timings.memory * 4 > timings.total {
            NetworkErrorKind::NoMemory
        } else {
            NetworkErrorKind::Timeout
        })
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

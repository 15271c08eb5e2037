//! How far one request has come, seen from outside while it runs.
//!
//! A deadline or a cancellation drops the work in the middle, so what is known about it must live
//! beside it. The connector is called by the pool and cannot be handed arguments; it finds the
//! progress of the request it serves through a task-local.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fault::Phase;
use tokio::time::Instant;
use url::Url;

tokio::task_local! {
    static CURRENT: Arc<Progress>;
}

/// Where the time of the last hop went. A reused connection spends none on the first three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    pub dns: Option<Duration>,
    pub connect: Option<Duration>,
    pub tls: Option<Duration>,
    /// From the first hop's start to the last hop's head.
    pub head: Option<Duration>,
    /// Everything, redirects and body included.
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
    asked: Option<Url>,
    reached: Option<Url>,
}

impl Progress {
    pub(crate) fn new(deadline: Instant) -> Self {
        let state = ProgressState {
            phase: Phase::Policy,
            timings: Timings::default(),
            asked: None,
            reached: None,
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

    /// The progress of the request that is being polled right now.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.state().phase = phase;
    }

    pub(crate) fn phase(&self) -> Phase {
        self.state().phase
    }

    /// The URL the caller asked for: its host is the one to name, whatever it leads to.
    pub(crate) fn ask(&self, url: &Url) {
        let mut state = self.state();
        state.asked = Some(url.clone());
        state.reached = Some(url.clone());
    }

    /// A new hop: its connection is the one to time, its host one for the operator only.
    pub(crate) fn redirected_to(&self, url: &Url) {
        let mut state = self.state();
        state.reached = Some(url.clone());
        state.timings = Timings::default();
        state.phase = Phase::Policy;
    }

    pub(crate) fn asked(&self) -> Option<Url> {
        self.state().asked.clone()
    }

    pub(crate) fn reached(&self) -> Option<Url> {
        self.state().reached.clone()
    }

    pub(crate) fn note(&self, change: impl FnOnce(&mut Timings)) {
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

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

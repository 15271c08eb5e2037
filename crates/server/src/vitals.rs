//! What the server knows about itself: since when it runs, how many calls it served, how they ended.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use fault::Kind;

/// Counters of one server, shared by all its connections.
#[derive(Debug)]
pub struct Vitals {
    started: Instant,
    calls: AtomicU64,
    succeeded: AtomicU64,
    /// Failed calls by kind.
    faults: Mutex<BTreeMap<&'static str, u64>>,
}

impl Default for Vitals {
    fn default() -> Vitals {
        Vitals { started: Instant::now(), calls: AtomicU64::new(0), succeeded: AtomicU64::new(0), faults: Mutex::default() }
    }
}

impl Vitals {
    pub(crate) fn began(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn worked(&self) {
        self.succeeded.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self, kind: Kind) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        *faults.entry(kind.as_str()).or_default() += 1;
    }

    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Calls begun, this one included.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub fn succeeded(&self) -> u64 {
        self.succeeded.load(Ordering::Relaxed)
    }

    pub fn faults(&self) -> BTreeMap<&'static str, u64> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Resident memory in bytes, where the system tells.
pub fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

//! Counters of the server: uptime, calls served and their outcomes.

use std::{
    collections::BTreeMap,
    io::Read,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use engine::LoggedAttempt;
use fault::Kind;

/// Counters of one server, shared by all its connections.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    calls: AtomicU64,
    succeeded: AtomicU64,
    /// Failed calls by kind.
    faults: Mutex<BTreeMap<&'static str, u64>>,
    /// Search providers whose last answer was a failure: its kind and when it came.
    failing: Mutex<BTreeMap<&'static str, (Kind, Instant)>>,
    /// Resident memory in bytes, and when it was read.
    memory: Mutex<Option<(Instant, u64)>>,
}

/// How long a reading of resident memory is reused: asking the kernel takes longer than the rest of
/// a health check.
const MEMORY_HOLDS: Duration = Duration::from_secs(1);

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics {
            started: Instant::now(),
            calls: AtomicU64::new(0),
            succeeded: AtomicU64::new(0),
            faults: Mutex::default(),
            failing: Mutex::default(),
            memory: Mutex::default(),
        }
    }
}

impl Metrics {
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

    /// Notes how the search providers of a call answered.
    pub(crate) fn asked(&self, attempts: &[LoggedAttempt]) {
        let searches = attempts.iter().filter(|attempt| attempt.url.is_none());
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        for (provider, error) in searches.filter_map(|it| Some((it.provider?, it.error))) {
            match error {
                Some(kind) => failing.insert(provider, (kind, Instant::now())),
                None => failing.remove(provider),
            };
        }
    }

    /// Search providers whose last answer was a failure, its kind, and how long ago it came.
    pub fn failing(&self) -> Vec<(&'static str, Kind, Duration)> {
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |(provider, (kind, at)): (&&'static str, &(Kind, Instant))| {
            (*provider, *kind, at.elapsed())
        };
        failing.iter().map(row).collect()
    }

    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Calls started, the current one included.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub fn succeeded(&self) -> u64 {
        self.succeeded.load(Ordering::Relaxed)
    }

    pub fn faults(&self) -> BTreeMap<&'static str, u64> {
        self.faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Resident memory in bytes, at most a second old; `None` where the system does not report it.
    pub fn resident_memory(&self) -> Option<u64> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.is_none_or(|(asked, _)| asked.elapsed() >= MEMORY_HOLDS) {
            *memory = resident_memory().map(|bytes| (Instant::now(), bytes));
        }
        memory.map(|(_, bytes)| bytes)
    }
}

/// Reads the file in one call: it reports no length, so a reader that grows its buffer would make
/// eight or more system calls.
fn resident_memory() -> Option<u64> {
    let mut buffer = [0; 8192];
    let length = std::fs::File::open("/proc/self/status")
        .ok()?
        .read(&mut buffer)
        .ok()?;
    let status = str::from_utf8(buffer.get(..length)?).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_uses_more_than_nothing_and_less_than_everything() {
        let metrics = Metrics::default();
        let bytes = metrics.resident_memory().expect("Linux tells");
        assert!((100_000..10_000_000_000).contains(&bytes), "{bytes}");
    }
}

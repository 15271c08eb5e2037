//! Counters of the server: uptime, calls and their outcomes, the upstreams that were asked, caches.
//!
//! Every name in them is one of ours (a tool, a kind, a provider, a tier), so their number is
//! limited whatever callers and upstreams send.

mod histogram;
mod history;

use std::{
    collections::BTreeMap,
    io::Read,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use engine::LoggedAttempt;
use fault::{Fault, Kind};
use tokio::sync::watch;

use self::history::History;
pub(crate) use self::{
    histogram::{BOUNDS, Histogram},
    history::{Period, Span, UpstreamSpan},
};
use crate::clock::unix_millis;

/// Counters of one server, shared by all its connections.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    calls: AtomicU64,
    succeeded: AtomicU64,
    /// Failed calls by kind and reason.
    faults: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    /// Calls that have ended, by tool.
    tools: Mutex<BTreeMap<&'static str, ToolCounts>>,
    /// By provider or tier.
    upstreams: Mutex<BTreeMap<&'static str, UpstreamCounts>>,
    caches: Mutex<BTreeMap<&'static str, CacheCounts>>,
    /// Search providers whose last answer was a failure: its kind and when it came.
    failing: Mutex<BTreeMap<&'static str, (Kind, Instant)>>,
    /// Resident memory in bytes, and when it was read.
    memory: Mutex<Option<(Instant, u64)>>,
    history: Mutex<History>,
    /// Told of every call that has ended and every record that was stored.
    changes: watch::Sender<Changes>,
}

/// Counts that differ when there is something new to look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Calls that have ended.
    pub(crate) calls: u64,
    /// Records of failed calls that were stored.
    pub(crate) records: u64,
}

/// The calls of one tool that have ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolCounts {
    pub(crate) succeeded: u64,
    pub(crate) failed: u64,
    /// Withdrawn by the caller.
    pub(crate) cancelled: u64,
    pub(crate) times: Histogram,
}

/// How often a provider or tier was asked, and with which outcome.
#[derive(Debug, Clone, Default)]
pub(crate) struct UpstreamCounts {
    /// By `ok` or the kind of the fault.
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
    pub(crate) retries: u64,
    pub(crate) times: Histogram,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct CacheCounts {
    pub(crate) hits: u64,
    pub(crate) misses: u64,
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
            tools: Mutex::default(),
            upstreams: Mutex::default(),
            caches: Mutex::default(),
            failing: Mutex::default(),
            memory: Mutex::default(),
            history: Mutex::default(),
            changes: watch::Sender::default(),
        }
    }
}

impl Metrics {
    pub(crate) fn began(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call that has ended.
    pub(crate) fn ended(&self, tool: &'static str, took: Duration, fault: Option<&Fault>) {
        let mut tools = lock(&self.tools);
        let counts = tools.entry(tool).or_default();
        counts.times.add(took);
        match fault {
            None => counts.succeeded += 1,
            Some(fault) if fault.is_withdrawn() => counts.cancelled += 1,
            Some(_) => counts.failed += 1,
        }
        drop(tools);
        // A withdrawn call is neither a success nor a failure.
        if !fault.is_some_and(Fault::is_withdrawn) {
            let name = |it: &Fault| (it.kind().as_str(), it.reason().unwrap_or_default());
            self.count_outcome(fault.map(name));
        }
        self.changes.send_modify(|changes| changes.calls += 1);
    }

    fn count_outcome(&self, fault: Option<(&'static str, &'static str)>) {
        match fault {
            None => {
                self.succeeded.fetch_add(1, Ordering::Relaxed);
            }
            Some(name) => *lock(&self.faults).entry(name).or_default() += 1,
        }
        lock(&self.history).ended(unix_seconds(), fault);
    }

    /// Notes that the record of a failed call can be looked up now.
    pub(crate) fn recorded(&self) {
        self.changes.send_modify(|changes| changes.records += 1);
    }

    /// Resolves when a call has ended or a record was stored.
    pub(crate) fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    /// The spans of a period in which something happened, with their beginning in seconds since
    /// 1970.
    pub(crate) fn history(&self, period: Period) -> Vec<(u64, Span)> {
        lock(&self.history).spans(period, unix_seconds())
    }

    /// Counts an answer of a provider or tier. A withdrawn call says nothing about it.
    pub(crate) fn answered(&self, upstream: &'static str, took: Duration, fault: Option<&Fault>) {
        if fault.is_some_and(Fault::is_withdrawn) {
            return;
        }
        let outcome = fault.map_or("ok", |fault| fault.kind().as_str());
        let mut upstreams = lock(&self.upstreams);
        let counts = upstreams.entry(upstream).or_default();
        *counts.outcomes.entry(outcome).or_default() += 1;
        counts.times.add(took);
        drop(upstreams);
        lock(&self.history).answered(unix_seconds(), upstream, took, fault.is_some());
    }

    pub(crate) fn retried(&self, upstream: &'static str) {
        lock(&self.upstreams).entry(upstream).or_default().retries += 1;
    }

    pub(crate) fn looked_up(&self, cache: &'static str, is_hit: bool) {
        let mut caches = lock(&self.caches);
        let counts = caches.entry(cache).or_default();
        match is_hit {
            true => counts.hits += 1,
            false => counts.misses += 1,
        }
    }

    pub(crate) fn tools(&self) -> BTreeMap<&'static str, ToolCounts> {
        lock(&self.tools).clone()
    }

    pub(crate) fn upstreams(&self) -> BTreeMap<&'static str, UpstreamCounts> {
        lock(&self.upstreams).clone()
    }

    pub(crate) fn caches(&self) -> BTreeMap<&'static str, CacheCounts> {
        lock(&self.caches).clone()
    }

    /// Failed calls by kind and reason.
    pub(crate) fn faults_by_reason(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        lock(&self.faults).clone()
    }

    /// Notes how the search providers of a call answered.
    pub(crate) fn asked(&self, attempts: &[LoggedAttempt]) {
        let searches = attempts.iter().filter(|attempt| attempt.url.is_none());
        let mut failing = lock(&self.failing);
        for (provider, error) in searches.filter_map(|it| Some((it.provider?, it.error))) {
            match error {
                Some(kind) => failing.insert(provider, (kind, Instant::now())),
                None => failing.remove(provider),
            };
        }
    }

    /// Search providers whose last answer was a failure, its kind, and how long ago it came.
    pub fn failing(&self) -> Vec<(&'static str, Kind, Duration)> {
        let failing = lock(&self.failing);
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

    /// Failed calls by kind.
    pub fn faults(&self) -> BTreeMap<&'static str, u64> {
        let mut kinds = BTreeMap::new();
        for ((kind, _), count) in self.faults_by_reason() {
            *kinds.entry(kind).or_default() += count;
        }
        kinds
    }

    /// Resident memory in bytes, at most a second old; `None` where the system does not report it.
    pub fn resident_memory(&self) -> Option<u64> {
        let mut memory = lock(&self.memory);
        if memory.is_none_or(|(asked, _)| asked.elapsed() >= MEMORY_HOLDS) {
            *memory = resident_memory().map(|bytes| (Instant::now(), bytes));
        }
        memory.map(|(_, bytes)| bytes)
    }
}

fn unix_seconds() -> u64 {
    unix_millis() / 1_000
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

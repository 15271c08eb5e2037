//! Limits the memory of the browser's processes (Linux).
//!
//! A script can take all memory of the machine within seconds: a bound on its heap does not count
//! arrays, canvases, WebAssembly and workers. So the data of each process has a limit that the
//! system holds, and while pages are open, all processes together are measured; when they take too
//! much, the one that takes the most is killed. To its page that is a crash, and other pages go on.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

/// How often the processes are measured while a page is open.
const MEASURE_PAUSE: Duration = Duration::from_millis(100);

/// What one process may have as data. A renderer reserves more than half a gigabyte of it before it
/// shows anything.
const MAX_DATA: u64 = 2 << 30;

/// What all processes may take together. Three heavy pages and the browser take less.
const MAX_TOTAL: u64 = 3 << 29;

/// Limits the data of the browser, and so of every process that it starts.
pub(super) fn limit_data(browser: u32) {
    let limit = Rlimit {
        current: Some(MAX_DATA),
        maximum: Some(MAX_DATA),
    };
    if let Err(error) = prlimit(pid(browser), Resource::Data, limit) {
        tracing::warn!(%error, "the memory of the browser's processes could not be limited");
    }
}

/// Limits what all processes of the browser take together, for as long as it is polled.
pub(super) async fn limit_total(group: u32) {
    loop {
        tokio::time::sleep(MEASURE_PAUSE).await;
        let _ = tokio::task::spawn_blocking(move || kill_largest_if_too_much(group)).await;
    }
}

/// Kills the largest process of the browser if all of them together take too much memory. Reads
/// files, so it must not run where tasks are polled.
fn kill_largest_if_too_much(group: u32) {
    let members = members(group);
    let total: u64 = members.iter().map(|(_, bytes)| bytes).sum();
    let largest = members.into_iter().max_by_key(|(_, bytes)| *bytes);
    let Some((id, bytes)) = largest.filter(|_| total > MAX_TOTAL) else {
        return;
    };
    tracing::warn!(
        total_megabytes = total >> 20,
        largest_megabytes = bytes >> 20,
        "the browser takes too much memory; its largest process is killed"
    );
    if let Some(pid) = pid(id) {
        // It may have ended meanwhile.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// The processes of the group, and the bytes of memory that each has for itself or shares with
/// others of the group. Code is not counted: it is in memory once.
fn members(group: u32) -> Vec<(u32, u64)> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let processes = entries.flatten().filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let folder = entry.path();
        (group_of(&folder)? == group).then(|| Some((id, memory_of(&folder)?)))?
    });
    processes.collect()
}

fn group_of(process: &Path) -> Option<u32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    // The name of the program stands in brackets and may contain anything.
    stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
}

fn memory_of(process: &Path) -> Option<u64> {
    let status = std::fs::read_to_string(process.join("status")).ok()?;
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some((kilobytes("RssAnon:")? + kilobytes("RssShmem:")?) << 10)
}

fn pid(id: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(id).ok()?)
}

//! Watches the child processes of a server and records the highest memory use of any of them.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crate::bench::usage;

/// The polling interval: a worker lives for tens of milliseconds at least.
const EVERY: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub(super) struct Watch {
    ends: Arc<AtomicBool>,
    thread: thread::JoinHandle<u64>,
}

impl Watch {
    /// Watches the children of this process.
    pub(super) fn start(process: u32) -> Watch {
        let ends = Arc::new(AtomicBool::new(false));
        let told = ends.clone();
        Watch {
            ends,
            thread: thread::spawn(move || watch(process, &told)),
        }
    }

    /// The highest resident memory of any child in kilobytes; zero when there was none.
    pub(super) fn stop(self) -> u64 {
        self.ends.store(true, Ordering::SeqCst);
        self.thread.join().unwrap_or_default()
    }
}

/// The kernel's peak value only grows, so the last value of a process is the one to use. The first
/// may even be too large: before it runs the new program, a child is a copy of its parent.
fn watch(process: u32, ends: &AtomicBool) -> u64 {
    let mut peaks: HashMap<u32, u64> = HashMap::new();
    while !ends.load(Ordering::SeqCst) {
        for child in usage::children(process) {
            if let Ok(kilobytes) = usage::peak_kilobytes(child) {
                peaks.insert(child, kilobytes);
            }
        }
        thread::sleep(EVERY);
    }
    peaks.into_values().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_is_seen() {
        let watch = Watch::start(std::process::id());
        let slept = Command::new("sleep").arg("0.2").status();
        let peak = watch.stop();
        assert!(slept.is_ok_and(|status| status.success()));
        assert!(peak > 100, "{peak}");
    }
}

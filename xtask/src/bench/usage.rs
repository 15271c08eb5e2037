//! The resources that a process uses, as the kernel counts them. Linux only, like the figures.

use std::{fs, time::Duration};

/// The unit of times in `/proc/PID/stat` is a hundredth of a second on every Linux that Rust runs
/// on.
const TICK: Duration = Duration::from_millis(10);

/// `VmRSS` of a process.
pub(crate) fn resident_kilobytes(process: u32) -> Result<u64, String> {
    kilobytes(process, "VmRSS:")
}

/// `VmHWM` of a process: its peak resident memory.
pub(crate) fn peak_kilobytes(process: u32) -> Result<u64, String> {
    kilobytes(process, "VmHWM:")
}

fn kilobytes(process: u32, field: &str) -> Result<u64, String> {
    let status = read_proc_file(process, "status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|value| value.split_whitespace().next()?.parse().ok())
        .ok_or_else(|| format!("no {field}"))
}

/// The kernel's kilobytes are 1024 bytes.
pub(crate) fn megabytes(kilobytes: u64) -> String {
    format!("{:.1} MB", in_megabytes(kilobytes))
}

pub(crate) fn in_megabytes(kilobytes: u64) -> f64 {
    kilobytes as f64 * 1_024.0 / 1e6
}

/// The running processes that the threads of a process have started.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|child| child.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect()
}

/// User and system time of all its threads, including those that have ended.
pub(crate) fn processor_time(process: u32) -> Result<Duration, String> {
    let stat = read_proc_file(process, "stat")?;
    // The name in parentheses may hold any character; the fields after it are numbers. These are
    // fields 14 and 15 of the line.
    let after_name = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    let ticks: u32 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u32>().ok())
        .sum();
    Ok(TICK * ticks)
}

fn read_proc_file(process: u32, file: &str) -> Result<String, String> {
    fs::read_to_string(format!("/proc/{process}/{file}"))
        .map_err(|error| format!("/proc is needed for this ({})", error.kind()))
}

/// Describes the machine: its processor, the number of cores, and its current load.
pub(crate) fn machine() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown", |(_, name)| name.trim());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load
        .split_whitespace()
        .next()
        .unwrap_or("unknown")
        .to_owned();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} shared cores ({model}), load average {load} before the first measurement")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_something() {
        let own = std::process::id();
        assert!(resident_kilobytes(own).is_ok_and(|kilobytes| kilobytes > 100));
        assert!(
            peak_kilobytes(own)
                .is_ok_and(|peak| resident_kilobytes(own).is_ok_and(|now| peak > 100 && now > 100))
        );
        assert!(processor_time(own).is_ok());
    }
}

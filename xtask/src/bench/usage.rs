//! What a process uses, as the kernel counts it. Linux only, like the figures it is for.

use std::{fs, time::Duration};

/// The unit of times in `/proc/PID/stat` is a hundredth of a second on every Linux that Rust runs on.
const TICK: Duration = Duration::from_millis(10);

/// `VmRSS` of a process.
pub(crate) fn resident_kilobytes(process: u32) -> Result<u64, String> {
    let status = read(process, "status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|value| value.split_whitespace().next()?.parse().ok()).ok_or_else(|| "no VmRSS".to_owned())
}

/// User and system time of all its threads, ended ones too.
pub(crate) fn processor_time(process: u32) -> Result<Duration, String> {
    let stat = read(process, "stat")?;
    // The name in parentheses may hold anything; the fields after it are numbers. These are fields 14 and 15 of the whole line.
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
    let ticks: u32 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    Ok(TICK * ticks)
}

fn read(process: u32, file: &str) -> Result<String, String> {
    fs::read_to_string(format!("/proc/{process}/{file}")).map_err(|error| format!("/proc is needed for this ({})", error.kind()))
}

/// The machine in words: its processor, how many of it, and how busy it already is.
pub(crate) fn machine() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map_or("unknown", |(_, name)| name.trim());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown").to_owned();
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
        assert!(processor_time(own).is_ok());
    }
}

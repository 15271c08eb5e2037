//! Whether the memory of a server stays flat.

use crate::{
    Outcome,
    bench::usage::{in_megabytes, resident_kilobytes},
    mcp_client,
    process::Server,
};

/// What a server may take more in the last third of the calls than in the third before, without
/// what its caches hold: an eighth as much again and 16 MiB. A leak of a kilobyte a call would be
/// seen in 100 000 calls.
const ROOM_KILOBYTES: u64 = 16 * 1_024;

/// The metric of a server that tells how much its caches hold. They fill up slowly, because most
/// calls of a soak ask for something new, and have a limit of their own.
const CACHED: &str = "fingerpost_cache_bytes ";

/// What a server takes at moments that are evenly spread over the calls, the end included.
#[derive(Debug, Default)]
pub(super) struct Memory(Vec<Sample>);

#[derive(Debug, Clone, Copy)]
struct Sample {
    resident_kilobytes: u64,
    cached_kilobytes: u64,
}

impl Sample {
    fn without_caches(self) -> u64 {
        self.resident_kilobytes
            .saturating_sub(self.cached_kilobytes)
    }
}

impl Memory {
    /// After which share of the calls it is noted, in percent; and once more at the end.
    pub(super) const MOMENTS: [usize; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];

    /// The server must have been started with [`Memory::FLAG`].
    pub(super) fn note(&mut self, server: &Server) -> Outcome {
        self.0.push(Sample {
            resident_kilobytes: resident_kilobytes(server.process())?,
            cached_kilobytes: cached_bytes(server.address())? / 1_024,
        });
        Ok(())
    }

    /// Lets a server tell how much its caches hold.
    pub(super) const FLAG: &str = "--metrics";

    /// All samples in megabytes, what the caches hold in parentheses.
    pub(super) fn shown(&self) -> String {
        let shown = |sample: &Sample| {
            let resident = in_megabytes(sample.resident_kilobytes);
            let cached = in_megabytes(sample.cached_kilobytes);
            format!("{resident:.0} ({cached:.0})")
        };
        self.0.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn outcome(&self) -> Outcome {
        let third = self.0.len() / 3;
        if third == 0 {
            return Err("it was not looked at".to_owned());
        }
        let (before, last) = self.0.split_at(self.0.len() - third);
        let (before, last) = (mean(&before[before.len() - third..]), mean(last));
        if last <= before + before / 8 + ROOM_KILOBYTES {
            Ok(())
        } else {
            Err(format!("it grew: {}", self.shown()))
        }
    }
}

fn mean(samples: &[Sample]) -> u64 {
    let sum: u64 = samples.iter().map(|sample| sample.without_caches()).sum();
    sum / samples.len().max(1) as u64
}

fn cached_bytes(address: &str) -> Result<u64, String> {
    let page = mcp_client::page(address, "/metrics")?;
    let value = page.lines().find_map(|line| line.strip_prefix(CACHED));
    value
        .and_then(|value| value.trim().parse().ok())
        .ok_or_else(|| format!("the metrics have no {CACHED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grew(samples: &[(u64, u64)]) -> bool {
        let sample = |(resident_kilobytes, cached_kilobytes): &(u64, u64)| Sample {
            resident_kilobytes: *resident_kilobytes,
            cached_kilobytes: *cached_kilobytes,
        };
        Memory(samples.iter().map(sample).collect())
            .outcome()
            .is_err()
    }

    #[test]
    fn growth_is_told_from_settling_and_from_caches() {
        let resident = |kilobytes: &[u64]| kilobytes.iter().map(|it| (*it, 0)).collect::<Vec<_>>();
        assert!(!grew(&resident(&[
            20_000, 90_000, 90_000, 80_000, 95_000, 90_000
        ])));
        assert!(!grew(&resident(&[
            90_000, 70_000, 95_000, 75_000, 90_000, 80_000
        ])));
        assert!(grew(&resident(&[
            50_000, 70_000, 90_000, 110_000, 130_000, 150_000
        ])));
        assert!(grew(&[]));
        let caches_only = [1, 2, 3, 4, 5, 6].map(|step| (50_000 + step * 20_000, step * 20_000));
        assert!(!grew(&caches_only));
    }
}

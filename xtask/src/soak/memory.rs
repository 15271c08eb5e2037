//! Whether the memory of a server stays flat.

use crate::{
    Outcome,
    bench::usage::{megabytes, resident_kilobytes},
};

/// What a server may take more in the last third of the calls than in the third before: a quarter as
/// much again and 32 MiB. Caches fill up slowly and take some of it; a leak of three kilobytes a call
/// would be seen in 100 000 calls.
const ROOM_KILOBYTES: u64 = 32 * 1_024;

/// What a server takes at moments that are evenly spread over the calls, the end included.
#[derive(Debug, Default)]
pub(super) struct Memory {
    kilobytes: Vec<u64>,
}

impl Memory {
    /// After which share of the calls it is noted, in percent; and once more at the end.
    pub(super) const MOMENTS: [usize; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];

    pub(super) fn note(&mut self, process: u32) -> Outcome {
        self.kilobytes.push(resident_kilobytes(process)?);
        Ok(())
    }

    pub(super) fn shown(&self) -> String {
        let samples = self.kilobytes.iter().copied().map(megabytes);
        samples.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn outcome(&self) -> Outcome {
        let third = self.kilobytes.len() / 3;
        if third == 0 {
            return Err("it was not looked at".to_owned());
        }
        let (before, last) = self.kilobytes.split_at(self.kilobytes.len() - third);
        let (before, last) = (mean(&before[before.len() - third..]), mean(last));
        if last <= before + before / 4 + ROOM_KILOBYTES {
            Ok(())
        } else {
            Err(format!("it grew: {}", self.shown()))
        }
    }
}

fn mean(samples: &[u64]) -> u64 {
    samples.iter().sum::<u64>() / samples.len().max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_from_settling() {
        let grew = |kilobytes: &[u64]| {
            let memory = Memory {
                kilobytes: kilobytes.to_vec(),
            };
            memory.outcome().is_err()
        };
        assert!(!grew(&[20_000, 90_000, 200_000, 190_000, 210_000, 200_000]));
        assert!(!grew(&[
            200_000, 100_000, 220_000, 110_000, 210_000, 120_000
        ]));
        assert!(grew(&[50_000, 100_000, 150_000, 200_000, 250_000, 300_000]));
        assert!(grew(&[]));
    }
}

//! Whether the memory of a server stays flat.

use crate::{
    Outcome,
    bench::usage::{megabytes, resident_kilobytes},
};

/// What a server may take more at the end than after a quarter of the calls: half as much again and
/// 64 MiB. Allocators and caches settle late; a leak of two kilobytes a call would be seen in
/// 100 000 calls.
const ROOM_KILOBYTES: u64 = 64 * 1_024;

#[derive(Debug, Default)]
pub(super) struct Memory {
    early: u64,
    late: u64,
}

impl Memory {
    pub(super) fn note_early(&mut self, process: u32) -> Outcome {
        self.early = resident_kilobytes(process)?;
        Ok(())
    }

    pub(super) fn note_late(&mut self, process: u32) -> Outcome {
        self.late = resident_kilobytes(process)?;
        Ok(())
    }

    pub(super) fn shown(&self) -> String {
        let Memory { early, late } = self;
        format!("{} / {}", megabytes(*early), megabytes(*late))
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.late <= self.early + self.early / 2 + ROOM_KILOBYTES {
            Ok(())
        } else {
            Err(format!("it grew: {}", self.shown()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_from_settling() {
        let grew = |early, late| Memory { early, late }.outcome().is_err();
        assert!(!grew(100_000, 200_000));
        assert!(grew(100_000, 300_000));
    }
}

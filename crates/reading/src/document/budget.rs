//! What one document may cost, and the running account of it.
//!
//! Every parser draws on the same account, so that a document cannot spend the whole limit twice by
//! hiding in two parts.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::DocumentError;

const MEGABYTE: u64 = 1_000_000;

/// What one document may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the document as it comes.
    pub input: usize,
    /// Bytes that all parts of it may unpack to, together.
    pub unpacked: u64,
    /// Bytes that one part may unpack to.
    pub part: u64,
    /// Entries of an archive.
    pub entries: usize,
    /// Elements and texts of one XML part; what comes after is cut.
    pub nodes: usize,
    /// Bytes of Markdown; what comes after is cut.
    pub text: usize,
    /// Pages of a PDF; what comes after is cut.
    pub pages: usize,
    /// Time to read it.
    pub time: Duration,
    /// Address space of the worker process.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            input: 50 * MEGABYTE as usize,
            unpacked: 100 * MEGABYTE,
            part: 64 * MEGABYTE,
            entries: 10_000,
            nodes: 2_000_000,
            text: 8 * MEGABYTE as usize,
            pages: 5_000,
            time: Duration::from_secs(20),
            memory: 640 * MEGABYTE,
        }
    }
}

/// The account of one document.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) limits: Limits,
    deadline: Instant,
    unpacked: Cell<u64>,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Budget {
        Budget {
            limits,
            deadline: Instant::now() + limits.time,
            unpacked: Cell::new(0),
        }
    }

    /// Fails once the time is over. Cheap enough for every page, part or thousand steps.
    pub(super) fn check_time(&self) -> Result<(), DocumentError> {
        if Instant::now() < self.deadline {
            Ok(())
        } else {
            Err(DocumentError::TooSlow)
        }
    }

    /// Whether most of the time is over: what has been read by now had better be handed over.
    pub(super) fn is_late(&self) -> bool {
        Instant::now() + self.limits.time.mul_f32(0.3) >= self.deadline
    }

    /// Takes note of bytes that were just unpacked.
    pub(super) fn unpacked(&self, bytes: u64) -> Result<(), DocumentError> {
        let total = self.unpacked.get().saturating_add(bytes);
        self.unpacked.set(total);
        if total <= self.limits.unpacked {
            self.check_time()
        } else {
            Err(DocumentError::UnpacksTooLarge)
        }
    }
}

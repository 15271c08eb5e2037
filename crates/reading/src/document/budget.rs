//! The limits for reading one document, and how much of them is used up.
//!
//! All parsers of a document share one budget, so that it cannot use a limit twice by dividing its
//! content between two parts.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::DocumentError;

const MEGABYTE: u64 = 1_000_000;

/// The limits for reading one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the document itself.
    pub input: usize,
    /// Bytes that all its parts may unpack to, together.
    pub unpacked: u64,
    /// Bytes that one part may unpack to.
    pub part: u64,
    /// Entries of an archive.
    pub entries: usize,
    /// Elements, attributes and texts of one XML part. The rest is cut.
    pub nodes: usize,
    /// Bytes of Markdown. The rest is cut.
    pub text: usize,
    /// Pages of a PDF. The rest is cut.
    pub pages: usize,
    /// Drawing instructions of a PDF, together. The rest is cut. Time alone is no limit: a file of
    /// a few kilobytes whose forms draw one another would use all of it, and keep a worker from
    /// other documents.
    pub operations: u64,
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
            operations: 20_000_000,
            time: Duration::from_secs(20),
            memory: 640 * MEGABYTE,
        }
    }
}

/// The limits of one document and what is used up.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) limits: Limits,
    deadline: Instant,
    unpacked: Cell<u64>,
    operations: Cell<u64>,
    was_late: Cell<bool>,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Budget {
        Budget {
            limits,
            deadline: Instant::now() + limits.time,
            unpacked: Cell::new(0),
            operations: Cell::new(0),
            was_late: Cell::new(false),
        }
    }

    /// Fails once the time is over. Call it for every page, part or thousand steps.
    pub(super) fn check_time(&self) -> Result<(), DocumentError> {
        if Instant::now() < self.deadline {
            Ok(())
        } else {
            Err(DocumentError::TooSlow)
        }
    }

    /// Whether most of the time is over, so that a partial result is better than reading on.
    pub(super) fn is_late(&self) -> bool {
        let is_late = Instant::now() + self.limits.time.mul_f32(0.3) >= self.deadline;
        self.was_late.set(self.was_late.get() || is_late);
        is_late
    }

    /// Whether a reader was told that most of the time is over, and stopped.
    pub(super) fn was_late(&self) -> bool {
        self.was_late.get()
    }

    /// Counts work that costs as much as this many drawing instructions, and fails if there is too
    /// much of it.
    pub(super) fn count_operations(&self, operations: u64) -> Result<(), DocumentError> {
        let total = self.operations.get().saturating_add(operations);
        self.operations.set(total);
        if total <= self.limits.operations {
            Ok(())
        } else {
            Err(DocumentError::TooManyOperations)
        }
    }

    /// Counts bytes that were just unpacked, and fails if they exceed the limit.
    pub(super) fn count_unpacked(&self, bytes: u64) -> Result<(), DocumentError> {
        let total = self.unpacked.get().saturating_add(bytes);
        self.unpacked.set(total);
        if total <= self.limits.unpacked {
            self.check_time()
        } else {
            Err(DocumentError::UnpacksTooLarge)
        }
    }
}

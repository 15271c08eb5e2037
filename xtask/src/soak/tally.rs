//! Counts what became of calls.

use std::collections::BTreeMap;

/// How many examples of what went wrong are kept.
const EXAMPLES: usize = 5;

#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) succeeded: usize,
    /// Failures with valid advice, by kind and reason.
    pub(super) failed: BTreeMap<String, usize>,
    pub(super) vanished: usize,
    pub(super) unanswered: Wrongs,
    pub(super) badly_advised: Wrongs,
}

/// Replies that are wrong in one way.
#[derive(Debug, Default)]
pub(super) struct Wrongs {
    count: usize,
    examples: Vec<String>,
}

impl Wrongs {
    pub(super) fn add(&mut self, example: String) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn outcome(&self) -> Result<(), String> {
        if self.count == 0 {
            return Ok(());
        }
        let examples = self.examples.join("\n      ");
        Err(format!("{}, such as\n      {examples}", self.count))
    }

    fn merge(&mut self, other: Wrongs) {
        self.count += other.count;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

impl Tally {
    pub(super) fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    /// Failures for this reason, of any kind.
    pub(super) fn failures_for(&self, reason: &str) -> usize {
        let of_reason = self
            .failed
            .iter()
            .filter(|(name, _)| name.rsplit('/').next() == Some(reason));
        of_reason.map(|(_, count)| count).sum()
    }

    pub(super) fn merge(&mut self, other: Tally) {
        self.succeeded += other.succeeded;
        self.vanished += other.vanished;
        for (name, count) in other.failed {
            *self.failed.entry(name).or_default() += count;
        }
        self.unanswered.merge(other.unanswered);
        self.badly_advised.merge(other.badly_advised);
    }
}

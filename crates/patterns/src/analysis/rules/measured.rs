//! How often each rule is right, measured on public servers: see `docs/lint-accuracy.md`.
//!
//! The figures decide: a rule that was right in less than four of five findings is off until a user
//! sets a level for it. Whoever changes what a rule reports measures it again, on servers that
//! nobody has looked at.

/// How many findings of a rule were read, and how many of them were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measured {
    pub read: u32,
    pub right: u32,
}

impl Measured {
    /// With fewer findings than this, nothing can be said of a rule.
    pub const ENOUGH: u32 = 3;

    pub fn is_too_rare(self) -> bool {
        self.read < Measured::ENOUGH
    }

    pub fn is_too_often_wrong(self) -> bool {
        !self.is_too_rare() && self.right * 5 < self.read * 4
    }
}

pub(super) fn of(rule: &str) -> Measured {
    let row = MEASURED.iter().find(|(id, ..)| *id == rule);
    row.map_or(Measured::default(), |(_, right, read)| Measured {
        right: *right,
        read: *read,
    })
}

/// Rule, right, read. A rule without a row was never found in code of others.
const MEASURED: &[(&str, u32, u32)] = &[("swallowed-error", 5, 20)];

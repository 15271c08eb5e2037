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
    /// The sets of servers that the findings were drawn from; empty when there were none.
    pub sets: &'static str,
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
    row.map_or(Measured::default(), |(_, right, read, sets)| Measured {
        right: *right,
        read: *read,
        sets,
    })
}

/// Rule, right, read, sets. A rule without a row was not found in code of others in its present form.
const MEASURED: &[(&str, u32, u32, &str)] = &[
    ("swallowed-error", 5, 20, "D"),
    ("failure-returned-as-empty", 18, 22, "G"),
    ("failure-cached", 1, 3, "G"),
    ("classified-by-message", 12, 12, "held out, A"),
    ("message-compared", 8, 8, "F"),
    ("bare-except", 12, 12, "A, B, D"),
    ("status-not-checked", 11, 12, "B, C"),
    ("error-compared-by-identity", 1, 1, "D"),
    ("error-type-asserted", 1, 1, "D"),
    ("cause-dropped", 12, 12, "held out, A"),
    ("untyped-error", 13, 13, "held out, A, B"),
    ("missing-is-error", 12, 12, "held out, A"),
    ("stdout-in-stdio-server", 7, 7, "C, D"),
    ("failure-as-protocol-error", 20, 22, "C, D, E"),
    ("upstream-text-in-error", 6, 6, "B"),
    ("exception-text-to-agent", 12, 12, "held out, A"),
    ("input-echoed-in-error", 12, 12, "held out, A"),
    ("stack-trace-to-agent", 7, 8, "E"),
    ("shell-command-from-text", 4, 10, "G"),
    ("panic-in-handler", 0, 1, "E"),
    ("exit-in-handler", 5, 5, "G"),
    ("assert-as-validation", 8, 8, "E"),
    ("arguments-not-validated", 12, 12, "D, E"),
    ("request-without-timeout", 11, 12, "held out, A"),
    ("timer-not-covering-body", 11, 12, "held out, D, E"),
    ("sleep-blocks-runtime", 6, 6, "E"),
    ("request-blocks-runtime", 10, 10, "A, B, D, E"),
    ("timeout-abandons-work", 9, 10, "E"),
    ("retry-without-delay", 6, 6, "B, D, E"),
    ("retry-without-jitter", 6, 6, "A"),
    ("retry-on-every-error", 4, 4, "G"),
    ("retry-non-idempotent", 2, 8, "F"),
    ("retry-after-ignored", 7, 8, "C, D"),
    ("all-or-nothing-batch", 4, 5, "D, F"),
    ("partial-failure-dropped", 5, 8, "G"),
    ("unbounded-body-read", 9, 9, "held out, A, B"),
    ("secret-in-url", 15, 20, "F, G"),
    ("secret-in-log", 2, 4, "G"),
    ("secret-in-error", 3, 12, "E, F, G"),
    ("secret-in-source", 10, 10, "F"),
    ("tls-verification-off", 9, 10, "G"),
    ("url-fetched-unguarded", 11, 12, "D, E"),
    ("address-checked-then-resolved-again", 1, 1, "E"),
    ("invented-default", 11, 12, "E"),
    ("predictable-session-id", 4, 4, "E, F"),
    ("cause-missing-in-log", 16, 20, "F, G"),
    ("logged-and-rethrown", 12, 12, "held out, A"),
];

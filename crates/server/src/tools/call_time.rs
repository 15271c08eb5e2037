//! What a caller is told who gave a call too little time.

use std::time::Duration;

use fault::{Fault, Kind, Phase, Retry, Say};
use tokio::time::Instant;

use super::Call;

const MORE_TIME: &str = " allowed here: make the same call with a larger timeout, or without one.";

/// `1 second is`, `20 seconds are`.
pub(crate) fn seconds_are(seconds: usize) -> Say {
    let are = if seconds == 1 { " is" } else { " are" };
    Say::counted(seconds, "second").with(are)
}

/// Whether more time would have helped. Other faults have advice of their own.
pub(crate) fn may_help(fault: &Fault) -> bool {
    fault.kind() == Kind::Network && fault.advice().is_possible()
}

/// The fault of a call or a page whose time was up, with the advice to give it more.
pub(crate) fn advise_more(fault: Fault, allowed: Duration) -> Fault {
    let seconds = usize::try_from(allowed.as_secs()).unwrap_or(usize::MAX);
    fault
        .advising(seconds_are(seconds).with(MORE_TIME))
        .retry(Retry::Now)
}

impl Call<'_> {
    /// Advises more time for a page or a step that was not done in the time that the caller chose. Of several
    /// pages, each has advice of its own.
    pub(super) fn advise_on_time(&self, fault: Fault) -> Fault {
        // A document is read only while there is time to answer.
        let was_read = fault.seen_phase() == Some(Phase::Extract);
        let is_late = was_read || Instant::now() >= self.deadline;
        if self.is_shortened && is_late && may_help(&fault) {
            advise_more(fault, self.allowed)
        } else {
            fault
        }
    }
}

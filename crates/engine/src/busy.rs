//! Work that never began because this server was busy with other work: the same call may succeed
//! in a moment, and nothing is wrong with the page or the document.

use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, Retry, Say};

/// Long enough for a document that takes all its time.
const READERS_FREE: Duration = Duration::from_secs(15);

/// Every reader of pages and documents was taken until the deadline.
pub(crate) fn readers_are_busy() -> Fault {
    Fault::new(Case::LocalLimit, Origin::Local)
        .phase(Phase::Extract)
        .saying(Say::new(
            "This server was busy reading other documents until the time of the call was over.",
        ))
        .advising(Say::new("Wait 15 seconds and retry."))
        .retry(Retry::After(READERS_FREE))
}

//! Work that never began because this server was busy with other work: the same call may succeed
//! in a moment, and nothing is wrong with the page or the document.

use std::time::Duration;

use fault::{Case, Fault, Origin, Phase, Retry, Say};

/// Long enough for a document that takes all its time.
const READERS_FREE: Duration = Duration::from_secs(15);

/// Other calls were reading from the host until a call had too little time left, or none. As many
/// wait behind it as waited before it, so a retry waits as long as this call did.
pub(crate) fn host_is_busy(waited: Duration) -> Fault {
    let wait = waited.as_secs().clamp(1, LONGEST_TURN.as_secs());
    Fault::new(Case::LocalLimit, Origin::Local)
        .detail(Say::new(
            "it reads only a few pages of a site at once, and other calls had their turns first",
        ))
        .retry(Retry::After(Duration::from_secs(wait)))
}

/// The longest wait for a turn at a host that is advised.
const LONGEST_TURN: Duration = Duration::from_secs(60);

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

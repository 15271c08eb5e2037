//! Why a Redis server did not do what it was asked, and what helps.

use std::time::Duration;

use fault::{Case, Fault, Origin, Retry, Say, Tainted};
use redis::{ErrorKind, RedisError};

use super::damaged_record;

/// The error code of a server that is a replica, or was made one.
const READ_ONLY: &str = "READONLY";

/// Whether reconnecting may help. The name of a server that became a replica may lead to the new
/// one.
pub(super) fn is_lost(error: &RedisError) -> bool {
    error.is_io_error()
        || error.is_connection_dropped()
        || error.is_timeout()
        || error.is_unrecoverable_error()
        || error.code() == Some(READ_ONLY)
}

/// The server's text is for the operator only; the address has no password.
pub(super) fn fault(address: &str, error: &RedisError) -> Fault {
    let evidence = Tainted::new(format!("{address}: {error}"));
    if is_damaged(error) {
        return damaged_record(evidence);
    }
    let fault = Fault::new(Case::Store, Origin::Store).tainted(evidence);
    match error.code() {
        Some("OOM") => full(fault),
        Some(READ_ONLY | "MISCONF" | "NOREPLICAS") => read_only(fault),
        _ => fault,
    }
}

/// Whether a key holds something that this program did not write there.
fn is_damaged(error: &RedisError) -> bool {
    error.kind() == ErrorKind::UnexpectedReturnType || error.code() == Some("WRONGTYPE")
}

/// Records expire, so there may be room again; or somebody must give it more.
fn full(fault: Fault) -> Fault {
    fault
        .saying(Say::new("The server's own store has no room left."))
        .advising(Say::new(
            "Wait 60 seconds and retry once; if that fails too, tell the user that the operator must give it more memory. Searching and reading still work.",
        ))
        .retry(Retry::After(Duration::from_secs(60)))
}

/// It follows another server, cannot write to its disk, or lacks replicas.
fn read_only(fault: Fault) -> Fault {
    fault
        .saying(Say::new(
            "The server's own store takes no changes at the moment.",
        ))
        .advising(Say::new(
            "Wait 15 seconds and retry once; if that fails too, tell the user that the operator must look at the store. Searching and reading still work.",
        ))
        .retry(Retry::After(Duration::from_secs(15)))
}

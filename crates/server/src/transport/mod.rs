//! The transports: [`stdio`] for a client that starts this program, [`http`] for many clients. Both
//! use `json_rpc` to parse and refuse messages, and neither uses the other.

pub mod http;
mod json_rpc;
pub mod stdio;
mod stop_signal;

use std::time::Duration;

pub use stop_signal::stop_signal;

/// The time for running calls to finish after a signal.
const DRAIN_TIME: Duration = Duration::from_secs(10);

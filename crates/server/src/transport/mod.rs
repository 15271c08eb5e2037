//! The ways in: [`stdio`] for a client that started this program, [`http`] for a team. Both hand
//! what they receive to `wire` and neither knows the other.

pub mod http;
pub(crate) mod lines;
pub(crate) mod outgoing;
pub mod stdio;

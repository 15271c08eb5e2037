//! A fake web, a fake DNS and a test authority, all on loopback.
//!
//! Raw sockets throughout, because the point is to send what no well-behaved library would send,
//! and to count what arrived: a test that says "no packet leaves" reads the counters here. This
//! crate knows nothing of the crates it helps to test. It panics on its own trouble, as tests want.

mod act;
mod authority;
pub mod bodies;
mod dns;
pub mod documents;
mod web;

pub use act::{Act, Reply};
pub use authority::{Authority, Identity};
pub use dns::{Answer, Dns};
pub use web::{Seen, Web};

//! The lab over the wire, as a stranger sees it.
#![allow(clippy::unwrap_used)]

mod client;
mod control;
mod wire;

//! The lab over HTTP, as a client sees it.
#![allow(clippy::unwrap_used)]

mod client;
mod control;
mod wire;

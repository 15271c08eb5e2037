//! The crate's behaviour over real sockets on loopback.
#![allow(clippy::unwrap_used)]

mod addresses;
mod bodies;
mod guard;
mod limits;
mod names;
mod pooling;
mod redirects;
mod statuses;
mod support;
mod tls;
mod wire;
mod with_chromium;

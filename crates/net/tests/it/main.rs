//! The crate's behaviour, provoked over real sockets on loopback.
#![allow(clippy::unwrap_used)]

mod addresses;

//! A fake web, a fake DNS and a test authority, all on loopback.
//!
//! The fake web is the lab's HTTP server with a script per path, so it can send what no
//! well-behaved library would send. It also counts what arrived: a test that says "no packet
//! leaves" reads these counters. This crate knows nothing of the crates it helps to test. It panics
//! when something of its own fails, as a test should.

mod authority;
pub mod authorization_server;
pub mod bodies;
mod dns;
pub mod documents;
pub mod model;
pub mod pictures;
mod public_network;
mod tls_client;
mod web;

pub use authority::{Authority, Identity};
pub use authorization_server::{AuthorizationServer, SigningKey};
pub use dns::{Answer, Dns};
pub use lab::http::{Behavior, HttpRequest, Reply};
pub use public_network::{PUBLIC_ADDRESS, in_public_network};
pub use tls_client::TlsClient;
pub use web::Web;

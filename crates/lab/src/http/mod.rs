//! The HTTP/1.1 server behind everything that plays the other side: the lab's APIs, the demo's
//! site, the fake web of the tests and the sites of the benchmarks.
//!
//! A [`Service`] looks at a request and chooses a [`Behavior`]. Most behaviors are an ordinary
//! [`Reply`]; the others are what no HTTP library would send (a reset in the middle of a body, a
//! head of a megabyte), which is why the server works on raw sockets. Everything it reads is
//! bounded.

mod behavior;
mod message;
mod server;

pub(crate) use behavior::LONGEST_HOLD;
pub use behavior::{Behavior, ConnectionEnd};
pub(crate) use message::reason;
pub use message::{HttpRequest, Reply};
pub use server::{HttpServer, Service, end_connection, serve_stream};

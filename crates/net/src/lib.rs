//! The only crate that contacts outside addresses.
//!
//! Everything between a URL and its bytes lives here: the [`guard`] that decides what may be
//! contacted, the resolver and connector that dial exactly what was judged, the [`Client`] that
//! holds one deadline over all of it, and [`classify`], the one place where wire trouble becomes a
//! fault.

mod body;
pub mod browser;
pub mod classify;
mod client;
mod connect;
mod cookies;
mod decode;
mod dial;
pub mod guard;
mod hop;
mod inflate;
mod problem;
mod progress;
mod proxy;
mod request;
mod resolve;
mod response;
mod retry_after;
mod tls;
mod trouble;

pub use client::{Client, Judged};
pub use problem::{Cloudflare, Problem};
pub use progress::Timings;
pub use request::{Request, Settings};
pub use response::{Redirected, Response};
pub use retry_after::told_wait;

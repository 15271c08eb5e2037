//! The only crate that contacts outside addresses.
//!
//! Everything between a URL and its bytes lives here: the guard that decides what may be contacted, the
//! resolver and connector that dial exactly what was judged, the client that holds one deadline over all
//! of it, and `classify`, the one place where wire trouble becomes a fault.

mod connect;
mod decode;
mod dial;
pub mod guard;
mod inflate;
mod progress;
mod resolve;
mod tls;
mod trouble;

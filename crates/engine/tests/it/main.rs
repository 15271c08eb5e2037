//! The engine through its public interface. One binary, so that it links once.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[cfg(unix)]
mod captured_workers;
mod document_hostile;
mod providers;
mod routing;
mod scholars;
mod search;
mod store;

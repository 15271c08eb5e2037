//! The engine through its public interface. One binary, so that it links once.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod document;
mod document_hostile;
mod labelled;
mod properties;
mod providers;
mod reference;
mod routing;
mod scholars;
mod search;
mod store;

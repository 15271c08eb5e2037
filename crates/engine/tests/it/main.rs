//! The engine through its public interface. One binary, so that it links once.
#![allow(clippy::unwrap_used)]

mod document;
mod document_hostile;
mod document_make;
mod providers;
mod scholars;
mod search;

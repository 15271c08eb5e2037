//! Tests through the crate's public functions.

mod fixtures;
mod hostile;
mod library;
mod measured;
mod work;

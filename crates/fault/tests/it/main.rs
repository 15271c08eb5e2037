//! The fault crate as its users see it.
#![allow(clippy::unwrap_used)]

mod golden;
mod matrix;
mod properties;
mod sample;
mod tables;

//! The fault crate as its users see it.
#![allow(clippy::unwrap_used)]

mod golden;
mod mask;
mod matrix;
mod properties;
mod sample;
mod tables;

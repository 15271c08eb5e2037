//! (being written)
pub mod mask;

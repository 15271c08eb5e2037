//! Tests that start a real Chromium, which `cargo xtask test` installs and `cargo xtask check` does
//! without.

mod guard;
mod lifecycle;
mod reading;

//! The engine from outside: the detector against labelled and real pages.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod labelled;
mod properties;
mod reference;

//! How to write tools whose errors agents can act on, as data and as checks.
//!
//! [`library`] holds the patterns: Markdown files with front matter. [`search`] finds them.
//! [`analysis`] reads source code and finds violations; each of its rules names the pattern that
//! explains it.
//!
//! The crate does no I/O and has no runtime: files, the user's own patterns among them, are passed
//! to it as text.

pub mod analysis;
pub mod library;
pub mod search;

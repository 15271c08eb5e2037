//! Bytes in, text or a verdict out.
//!
//! [`extract`] turns an HTML page into Markdown, [`detect`] decides whether a page is the content
//! or stands in its place, [`document`] reads PDF, Office and other files. Everything here meets
//! hostile input, so the crate has no runtime, no network and no store among its dependencies: a
//! parser that is taken over cannot do I/O through them. Whoever calls it decides on which thread
//! or in which process it runs.

pub mod detect;
pub mod document;
mod elements;
pub mod extract;
mod script;
mod tex;
mod wide_table;

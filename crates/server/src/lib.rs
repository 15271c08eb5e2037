//! The Fingerpost server: MCP, HTTP, command line, settings and logs.
//!
//! A request walks through `wire` (protocol) to `dispatch` (id, permit, deadline, guard, reply),
//! which runs a row of `tools::TOOLS` on arguments decoded by `params` and tells any fault through
//! the `fault` crate's dialects. `stdio` and `http` are the two doors; `run` opens one of them with
//! the `settings` that `config` gathered for `cli`.

pub mod cli;
mod clock;
pub mod config;
mod decode;
mod demo;
pub mod dispatch;
mod doctor_command;
mod errors_command;
mod explain_command;
mod extract_command;
mod fetch_command;
pub mod http;
mod index_command;
mod lab_command;
mod lines;
mod mask_command;
mod outgoing;
pub mod params;
mod progress;
mod repeats;
pub mod reply;
pub mod run;
mod scan;
mod search_command;
mod session_command;
pub mod settings;
pub mod stdio;
pub mod telemetry;
mod terminal;
pub mod tools;
mod trail;
pub mod vitals;
pub mod wire;

pub use progress::Progress;

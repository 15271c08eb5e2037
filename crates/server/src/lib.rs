//! The Fingerpost server: MCP, HTTP, command line, settings and logs.
//!
//! A request walks through `wire` (protocol) to `dispatch` (id, permit, deadline, guard, reply),
//! which runs a row of `tools::TOOLS` on arguments decoded by `params` and tells any fault through
//! the `fault` crate's dialects. `stdio` and `http` are the two doors; `run` opens one of them with
//! the `settings` that `config` gathered for `cli`.

mod clock;
pub mod commands;
mod decode;
pub mod dispatch;
pub mod params;
mod progress;
mod repeats;
pub mod reply;
mod scan;
pub mod settings;
pub mod telemetry;
pub mod tools;
mod trail;
pub mod transport;
pub mod vitals;
pub mod wire;

pub use progress::Progress;

//! The Fingerpost server: MCP, HTTP, the command line, settings and logs.
//!
//! A call enters through a transport (`transport::stdio` or `transport::http`), reaches `wire`
//! (MCP), which passes it to `dispatch` (request id, deadline, panics, logs, rendering); that runs
//! a row of `tools::TOOLS` on arguments decoded by `params`.
//!
//! # Layers
//!
//! A module uses only modules of the lines below its own, so there are no cycles between modules.
//! `cargo xtask modules` fails when one appears.
//!
//! ```text
//! commands     subcommands: arguments, runtime, exit codes
//! transport    stdio and HTTP
//! wire         MCP methods
//! dispatch     one call, from raw arguments to a reply
//! auth         who makes a request over HTTP, and what they may do
//! prometheus   the counters as Prometheus reads them
//! reply        an answer or a rendered fault, masked
//! tools        one file per tool
//! services     what all calls share
//! reporting    sends records of faults to Sentry
//! observe      told of every call and what it does; feeds counters and traces
//! allowance    how many calls each user may make
//! session_advice    what to change in a session that keeps failing
//! health       what works on this server now
//! telemetry    logs
//! settings     the table of settings, and where values come from
//! metrics      counters, and what happened lately
//! waiting_line when refused callers were told to come back
//! clock  pages  params  pattern_library  peer  process_limits  progress  repeats  sampling  sentry_dsn  session_recorder
//! shown_name  subject  token_file
//! scope
//! toolset
//! ```

mod allowance;
mod auth;
mod clock;
pub mod commands;
pub mod dispatch;
pub mod health;
pub mod metrics;
pub mod observe;
mod pages;
pub mod params;
mod pattern_library;
mod peer;
mod process_limits;
mod progress;
mod prometheus;
mod repeats;
pub mod reply;
pub mod reporting;
mod sampling;
pub mod scope;
mod sentry_dsn;
mod services;
mod session_advice;
mod session_recorder;
pub mod settings;
mod shown_name;
mod subject;
pub mod telemetry;
mod token_file;
pub mod tools;
mod toolset;
pub mod transport;
mod waiting_line;
pub mod wire;

pub use progress::Progress;

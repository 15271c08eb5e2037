//! The server as a client sees it: the real program over pipes and HTTP, and the library with tools
//! that misbehave on purpose.

#![allow(clippy::unwrap_used, clippy::type_complexity, unreachable_pub)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests speak to the server as a client on loopback would"
)]

mod arguments;
mod attacks;
mod auth;
mod cases;
mod client;
mod commands;
mod config;
mod deep_research;
mod diagnostics;
mod doctor;
mod document_parts;
mod documents;
mod eras;
mod health;
mod http;
mod lint;
mod live;
mod metrics;
mod ocr;
mod offered;
mod outbound_proxy;
mod pacing;
mod packaging;
mod page_advice;
mod pages;
mod patterns;
mod reading;
mod recovery;
mod reporting;
mod robustness;
mod schemas;
mod search_advice;
mod search_refusals;
mod searching;
mod session_walk;
mod sessions;
mod sessions_cli;
mod setup;
mod several_servers;
mod start_up;
mod timeout;
mod tools;
mod traces;
mod trouble;
mod two_mistakes;
mod web_page;
mod wrong_settings;

//! MCP over HTTP: one endpoint, `/mcp`, a web page at `/` for people, a health page, and counters if
//! the operator wants them.
//!
//! `guard` finds out who makes a request, before anything but the health page, the metadata
//! documents and the sign-in form (`sign_in`) sees it. The SDK's service checks Origin and
//! protocol headers and serves every protocol revision.
//! `connections` limits connections (`places` says who has how many), and `middleware` checks Host, wraps the SDK and turns its plain-text
//! refusals into JSON, so that a client's error handling gets a code and a message; `bare_refusals`
//! does the same for those of the HTTP library.

mod bare_refusals;
mod body_room;
mod connection;
mod connection_requests;
mod connections;
mod endpoint;
mod guard;
mod known_hosts;
mod listen_address;
mod metadata;
mod metrics_page;
mod middleware;
mod page;
mod places;
mod responses;
mod router;
mod session_owners;
mod shared_sessions;
mod sign_in;
mod socket;
mod stopping;
mod tls;

pub(crate) use self::tls::{SHOWN_TLS_KEY, load_tls};
pub use self::{
    endpoint::{Endpoint, StartError},
    listen_address::parse_address,
};

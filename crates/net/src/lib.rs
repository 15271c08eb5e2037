//! The only crate that contacts outside addresses.
//!
//! Everything between a URL and its bytes lives here: the [`guard`] that decides what may be
//! contacted, the resolver and connector that connect only to addresses the guard has checked, the
//! [`Client`] that holds one deadline over all of it, and `classify`, the one place where a network
//! error becomes a fault.

mod body;
pub mod browser;
mod classify;
mod client;
mod connector;
mod cookies;
mod decode;
mod duration;
mod encodings;
mod file_stamp;
pub mod guard;
mod memory;
mod network_error;
mod open_socket;
mod outbound;
mod outgoing;
mod pools;
mod problem;
mod progress;
mod proxy;
mod redirect_chain;
mod request;
mod resolve;
mod response;
mod retry_after;
mod server_tls;
mod tls;

pub use classify::memory_taken;
pub use client::{CheckedTarget, Client};
pub use file_stamp::FileStamp;
pub use memory::{MemoryBudget, ReadingRoom, Reservation};
pub use outbound::{Outbound, OutboundProxy, OutboundProxyError};
pub use problem::{Cloudflare, ProblemDetails};
pub use progress::Timings;
pub use redirect_chain::{FollowedRedirect, RedirectChain};
pub use request::{ClientSettings, RedirectCheck, Request, SettingNames};
pub use response::Response;
pub use retry_after::requested_wait;
pub use server_tls::{CertificateError, ServerHandshake, ServerStream, ServerTls};

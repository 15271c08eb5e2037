//! Every search API we speak to, served on this machine in its real wire format.
//!
//! One listener, one small fixed corpus, one path prefix per API: an API whose id is `brave` lives
//! under `/brave`, so `brave-url = http://127.0.0.1:PORT/brave` is all it takes to use it. Keys are
//! checked as the real API checks them, results are really searched for (a query can find nothing),
//! and every fault can be ordered: the API's documented error bodies, broken and misshapen JSON,
//! stalls, resets, challenge pages, and `Retry-After` in each of its forms.
//!
//! Raw sockets throughout, because half of the faults are things no HTTP library would send. The
//! lab knows nothing of the other crates: what it serves comes from the APIs' own documentation,
//! never from what our adapters expect.
//!
//! To add an API, write `api/<id>.rs` with one `pub(super) static API: Api`, and add its line to
//! the list in `api/mod.rs`.

mod act;
pub mod api;
mod control;
mod corpus;
mod order;
mod pages;
mod reply;
mod request;
mod search;
mod serve;
mod switchboard;
mod trouble;

pub use api::{Api, ENGINE, KEY, Key, SECRET, apis};
pub use corpus::{Corpus, Document, Kind, TODAY, days_before_today};
pub use order::{Mode, Order, Wait};
pub use reply::Reply;
pub use request::Request;
pub use search::Search;
pub use serve::{Handle, Lab, Links};
pub use trouble::{Complaint, Trouble};

//! Every search API that we use, served on this machine in its real wire format.
//!
//! One listener, one small fixed corpus, one path prefix per API: the API with the id `brave` is
//! served under `/brave`, so `brave-url = http://127.0.0.1:PORT/brave` is enough to use it. Keys
//! are checked as the real API checks them, results are really searched for (a query can find
//! nothing), and every fault can be ordered: the API's documented errors, broken JSON, stalls,
//! resets, challenge pages, and `Retry-After` in each of its forms.
//!
//! The lab knows nothing of the other crates: what it serves comes from the APIs' own
//! documentation, never from what our adapters expect.
//!
//! To add an API, write `api/<id>.rs` with one `pub(super) static API: Api`, and add its line to
//! the list in `api/mod.rs`.

pub mod api;
mod api_error;
mod api_request;
mod control;
mod corpus;
mod fault_behavior;
pub mod http;
mod ordered_fault;
mod pages;
mod running;
mod search;
mod state;

pub use api::{Api, ENGINE, KEY, KeyLocation, SECRET, apis};
pub use api_error::{ApiError, ApiErrorKind};
pub use api_request::ApiRequest;
pub use corpus::{Corpus, Document, DocumentKind, TODAY, days_before_today};
pub use http::Reply;
pub use ordered_fault::{FaultMode, OrderedFault, WaitForm};
pub use running::{Lab, Links, RunningLab};
pub use search::Search;

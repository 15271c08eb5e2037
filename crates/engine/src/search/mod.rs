//! Searching: many providers behind one router, and answers that survive their failures.
//!
//! - A [`SearchRequest`] is what a caller wrote; `request` judges it and makes [`Ask`]s of it.
//! - `router` decides who is asked; `desk` finds the provider's stack of layers; `api` is how a
//!   provider talks.
//! - A [`Provider`] is one file below `registry`: a [`ProviderSpec`] and one verb.
//! - `fuse` makes one ranking of several, `canonical` tells when two results are one page, `hints`
//!   what to try when there are none.
//! - `lens` holds named lists of sites.

mod answer;
pub(crate) mod api;
mod canonical;
mod date;
mod desk;
mod fuse;
mod hints;
mod hit;
mod lens;
mod local;
pub(crate) mod markup;
pub(crate) mod patents;
pub(crate) mod provider;
mod query;
mod registry;
mod request;
mod router;
mod schema;
mod station;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod token;

pub use answer::{Attempted, Degraded, Group, Outcome, SearchAnswer};
pub use api::{Api, ApiRequest, ProviderSettings};
pub use canonical::{canonical, without_tracking};
pub use date::Date;
pub use fuse::{Found, fuse};
pub use hints::{Hints, Reason, Suggestion};
pub use hit::{Details, Hit, Hits, Paper, Patent};
pub use lens::{Lens, Lenses};
pub use local::Local;
pub use provider::{Extra, Key, Meaning, Offer, Pace, Provider, ProviderSpec, SettingNames, Tier};
pub use query::{Ask, Capability, Filter, Filters, Safe, Structured, TimeRange};
pub use registry::all as providers;
pub use request::{Choice, MAX_QUERIES, MAX_QUERY_CHARS, MAX_RESULTS, MAX_SITES, SearchRequest};
pub use router::{Search, SearchSettings};
pub use station::Standing;

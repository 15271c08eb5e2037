//! Searching: many providers behind one router, and answers in spite of single failures.
//!
//! - A [`SearchRequest`] is what a caller wrote; `plan` checks it and makes a [`SearchPlan`] of it.
//! - `router` decides which providers are asked, `state` knows whether each can be, `stacks` holds
//!   the layers in front of each, and `progress` makes an answer of what comes in.
//! - A [`Provider`] is one file below `registry`: a [`ProviderSpec`] and a function that asks. It
//!   sends its requests through `api`.
//! - `fuse` makes one ranking of several, `same` and `canonical` decide whether two results are the
//!   same, and `hints` suggests what to try when there are no results.
//! - `lens` holds named lists of sites.

mod answer;
pub(crate) mod api;
mod canonical;
mod date;
mod fuse;
mod hints;
mod hit;
mod lens;
mod local_index;
pub(crate) mod markup;
mod own_address;
pub(crate) mod patents;
mod plan;
mod progress;
pub(crate) mod provider;
mod query;
mod registry;
mod request;
mod router;
mod same;
mod schema;
mod stacks;
mod state;
pub(crate) mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod token;

pub use answer::{AttemptOutcome, Degraded, ProviderAttempt, QueryResults, SearchAnswer};
pub use api::{Api, ApiRequest, Identity, ProviderSettings};
pub use canonical::{canonical, without_tracking};
pub use date::Date;
pub use fuse::{FusedHit, fuse};
pub use hints::{EmptyReason, Hints, Suggestion};
pub use hit::{Details, Hit, Hits, Paper, Patent};
pub use lens::{CURATED_LENSES, Lens, LensError, Lenses};
pub use local_index::{LOCAL_INDEX, LocalIndex};
pub use provider::{
    ErrorMeaning, ExtraSetting, KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier,
    SettingNames,
};
pub use query::{
    CATEGORIES, Capability, Filter, Filters, SafeSearch, SearchQuery, StructuredQuery, TimeRange,
};
pub use registry::all as providers;
pub use request::{
    MAX_QUERIES, MAX_QUERY_CHARS, MAX_RESULTS, MAX_SITES, ProviderChoice, SearchField,
    SearchFieldError, SearchFieldIssue, SearchPlan, SearchRequest, SearchRequestError,
};
pub use router::{ProviderStatus, Search, SearchSettings};
pub use state::Availability;

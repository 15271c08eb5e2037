//! Searching: many providers behind one router.

pub(crate) mod api;
mod date;
mod hit;
pub(crate) mod markup;
pub(crate) mod patents;
pub(crate) mod provider;
mod query;
mod registry;
pub(crate) mod terms;
pub(crate) mod token;

pub use api::{Api, ProviderSettings};
pub use date::Date;
pub use hit::{Details, Hit, Hits, Paper, Patent};
pub use provider::{Extra, Key, Meaning, Offer, Pace, Provider, ProviderSpec, SettingNames, Tier};
pub use query::{Ask, Capability, Filter, Filters, Safe, Structured, TimeRange};
pub use registry::all as providers;

//! What a search comes to: results per query, who was asked and how that went, and what the answer
//! lacks.

use std::time::Duration;

use fault::{Fault, ProviderId, Say};

use super::fuse::Found;
use super::hints::Hints;
use super::query::Filter;

/// The answer to a search. At least one query was answered; zero results are an answer.
#[derive(Debug, Clone)]
pub struct SearchAnswer {
    /// One per query, in the order they were asked.
    pub groups: Vec<Group>,
    /// Everybody who was asked or passed over, in order.
    pub attempts: Vec<Attempted>,
    /// What the answer lacks. An answer with entries here is not to be kept as a good one.
    pub degraded: Vec<Degraded>,
}

/// The results of one query.
#[derive(Debug, Clone)]
pub struct Group {
    /// The query as it was asked.
    pub query: String,
    /// Who answered; nobody when it failed.
    pub providers: Vec<ProviderId>,
    /// The results, best first, each page once.
    pub results: Vec<Found>,
    /// How many there are altogether, where the provider says.
    pub total: Option<u64>,
    /// What to try, when there are none.
    pub hints: Option<Hints>,
    /// How old the oldest part of it is, when it was remembered from an earlier call.
    pub age: Option<Duration>,
    /// Why it failed while another query did not.
    pub fault: Option<Fault>,
}

/// One provider's part in a search.
#[derive(Debug, Clone)]
pub struct Attempted {
    /// Who.
    pub provider: ProviderId,
    /// Which query, by its place.
    pub query: usize,
    /// How it went.
    pub outcome: Outcome,
}

/// How an attempt went.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It answered with so many results.
    Answered(usize),
    /// It failed.
    Failed(Fault),
    /// It was not asked, because it failed just before.
    Skipped(Fault),
}

/// Something that the answer lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The provider does not know this filter: its results are unfiltered.
    FilterIgnored(ProviderId, Filter),
    /// The provider does not know this filter: its results were filtered here, so there are fewer.
    FilteredHere(ProviderId, Filter),
    /// The provider gives at most so many results.
    FewerResults(ProviderId, usize),
    /// The provider did not answer; the others did.
    Missing(ProviderId),
    /// What a fallback does not cover.
    Scope(ProviderId, Say),
    /// What the provider says of its own answer.
    Note(ProviderId, Say),
}

impl Degraded {
    /// Whose part it is.
    pub fn provider(&self) -> ProviderId {
        match self {
            Degraded::FilterIgnored(provider, _)
            | Degraded::FilteredHere(provider, _)
            | Degraded::FewerResults(provider, _)
            | Degraded::Missing(provider)
            | Degraded::Scope(provider, _)
            | Degraded::Note(provider, _) => *provider,
        }
    }

    /// The filter it is about.
    pub fn filter(&self) -> Option<Filter> {
        match self {
            Degraded::FilterIgnored(_, filter) | Degraded::FilteredHere(_, filter) => Some(*filter),
            _ => None,
        }
    }

    /// The sentence: names of ours, words of ours and numbers.
    pub fn sentence(&self) -> String {
        match self {
            Degraded::FilterIgnored(provider, filter) => {
                format!(
                    "{} cannot filter by {}; its results are unfiltered.",
                    provider.title(),
                    filter.as_str()
                )
            }
            Degraded::FilteredHere(provider, filter) => {
                format!(
                    "{} cannot filter by {}; its results were filtered here, so there may be few.",
                    provider.title(),
                    filter.as_str()
                )
            }
            Degraded::FewerResults(provider, most) => {
                format!("{} gives at most {most} results.", provider.title())
            }
            Degraded::Missing(provider) => {
                format!("{} did not answer; see attempts.", provider.title())
            }
            Degraded::Scope(_, say) | Degraded::Note(_, say) => say.to_string(),
        }
    }
}

//! The answer to a search: results for each query, what each provider did, and what the answer
//! lacks.

use std::time::Duration;

use fault::{Fault, ProviderId, Say};

use super::fuse::FusedHit;
use super::hints::Hints;
use super::query::Filter;

/// The answer to a search in which at least one query was answered. No results are an answer.
#[derive(Debug, Clone)]
pub struct SearchAnswer {
    /// One for each query, in the order of the request.
    pub groups: Vec<QueryResults>,
    /// Every provider that was asked or skipped, in order.
    pub attempts: Vec<ProviderAttempt>,
    /// What the answer lacks.
    pub degraded: Vec<Degraded>,
}

/// The results of one query.
#[derive(Debug, Clone)]
pub struct QueryResults {
    /// The query's text.
    pub query: String,
    /// The providers that answered; none when it failed.
    pub providers: Vec<ProviderId>,
    /// The results, best first. No page is there twice.
    pub results: Vec<FusedHit>,
    /// How many results the provider has in all, where it says.
    pub total: Option<u64>,
    /// What to try, when there are no results.
    pub hints: Option<Hints>,
    /// The age of the oldest part that came from the cache; `None` when nothing did.
    pub age: Option<Duration>,
    /// Why the query failed, when another one did not.
    pub fault: Option<Fault>,
    /// Why the results are not all that was asked for, when providers failed whose place nobody
    /// could take.
    pub missing: Option<Fault>,
}

/// One provider's attempt at one query.
#[derive(Debug, Clone)]
pub struct ProviderAttempt {
    pub provider: ProviderId,
    /// The index of the query.
    pub query: usize,
    /// How it ended.
    pub outcome: AttemptOutcome,
}

/// How an attempt ended.
#[derive(Debug, Clone)]
pub enum AttemptOutcome {
    /// With this many results.
    Answered(usize),
    /// With a fault.
    Failed(Fault),
    /// The provider was not asked, because its breaker is open.
    Skipped(Fault),
}

/// Something that the answer lacks. The server has the sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The provider does not know this filter; its results are unfiltered.
    FilterIgnored(ProviderId, Filter),
    /// The provider does not know this filter; its results were filtered here, so there are fewer.
    FilteredHere(ProviderId, Filter),
    /// The provider gives at most this many results.
    FewerResults(ProviderId, usize),
    /// `auto` fell back to a provider of limited scope; this says what it covers.
    Scope(ProviderId, Say),
    /// What this answer of the provider lacks.
    Note(ProviderId, Say),
}

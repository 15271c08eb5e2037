//! A search in progress: which provider answered which query with what, and the answer made of it.

use std::sync::Arc;

use fault::{Alternatives, Attempt, Case, Fault, Origin, ProviderId, Result, Say, composite};

use super::answer::{AttemptOutcome, Degraded, ProviderAttempt, QueryResults, SearchAnswer};
use super::canonical::is_on;
use super::fuse::fuse;
use super::hints::{self, Elsewhere};
use super::hit::{Hit, Hits};
use super::provider::{ProviderSpec, ProviderTier};
use super::query::{Capability, Filter, SearchQuery};
use super::state::ProviderState;
use crate::layer::Aged;

/// One provider's answer to one query.
pub(super) type ProviderOutcome = Result<Aged<Arc<Hits>>>;

/// What has come in for the queries of a search so far.
pub(super) struct SearchProgress<'a> {
    is_auto: bool,
    queries: &'a [SearchQuery],
    by_query: Vec<QueryProgress>,
    attempts: Vec<ProviderAttempt>,
    degraded: Vec<Degraded>,
}

/// What has come in for one query so far.
#[derive(Default)]
struct QueryProgress {
    answers: Vec<(&'static ProviderSpec, Aged<Arc<Hits>>)>,
    /// Empty answers of providers that cover too little for that to mean anything.
    blanks: Vec<(&'static ProviderSpec, Aged<Arc<Hits>>)>,
    faults: Vec<(&'static str, Fault)>,
}

impl<'a> SearchProgress<'a> {
    pub(super) fn new(queries: &'a [SearchQuery], is_auto: bool) -> SearchProgress<'a> {
        SearchProgress {
            is_auto,
            queries,
            by_query: queries.iter().map(|_| QueryProgress::default()).collect(),
            attempts: Vec::new(),
            degraded: Vec::new(),
        }
    }

    pub(super) fn capability(&self) -> Capability {
        self.queries
            .first()
            .map_or(Capability::Web, |query| query.capability)
    }

    /// The indexes of the queries without an answer.
    pub(super) fn unanswered(&self) -> Vec<usize> {
        (0..self.by_query.len())
            .filter(|index| self.by_query[*index].answers.is_empty())
            .collect()
    }

    /// Records how a provider answered a query.
    ///
    /// # Errors
    /// The fault of a cancelled call, which ends the whole search.
    pub(super) fn record(
        &mut self,
        state: &ProviderState,
        index: usize,
        outcome: ProviderOutcome,
    ) -> Result<()> {
        let query = &mut self.by_query[index];
        let outcome = match outcome {
            Err(fault) if fault.is_withdrawn() => return Err(fault),
            Err(fault) => {
                query.faults.push((state.spec.id(), fault.clone()));
                AttemptOutcome::Failed(fault)
            }
            Ok(hits) => {
                let count = hits.answer.hits.len();
                let is_blank = self.is_auto && count == 0 && state.spec.scope.is_some();
                if is_blank {
                    query.blanks.push((state.spec, hits));
                } else {
                    query.answers.push((state.spec, hits));
                }
                AttemptOutcome::Answered(count)
            }
        };
        self.attempts.push(ProviderAttempt {
            provider: state.id(),
            query: index,
            outcome,
        });
        Ok(())
    }

    /// Records that a provider was not asked because its breaker refuses.
    pub(super) fn skip(&mut self, state: &ProviderState, open: &[usize], refusal: &Fault) {
        for index in open {
            self.by_query[*index]
                .faults
                .push((state.spec.id(), refusal.clone()));
            self.attempts.push(ProviderAttempt {
                provider: state.id(),
                query: *index,
                outcome: AttemptOutcome::Skipped(refusal.clone()),
            });
        }
    }

    /// Records that a provider was not asked and would refuse for a reason that somebody has to
    /// correct. The answers of the others are as good as if it had been asked.
    pub(super) fn recall(&mut self, state: &ProviderState, fault: &Fault) {
        let recalled = (0..self.by_query.len()).map(|query| ProviderAttempt {
            provider: state.id(),
            query,
            outcome: AttemptOutcome::Skipped(fault.clone()),
        });
        self.attempts.extend(recalled);
    }

    pub(super) fn queries(&self) -> &'a [SearchQuery] {
        self.queries
    }

    /// Whether a query has failed or has no results.
    pub(super) fn lacks_results(&self) -> bool {
        let mut queries = self.queries.iter().zip(&self.by_query);
        queries.any(|(query, progress)| !progress.has_results(query))
    }

    /// The answer.
    ///
    /// # Errors
    /// One fault for the whole search when no query was answered.
    pub(super) fn into_answer(self, elsewhere: &Elsewhere) -> Result<SearchAnswer> {
        let SearchProgress {
            queries,
            by_query,
            attempts,
            mut degraded,
            is_auto,
        } = self;
        let known =
            |fault: Fault| fault.alternatives(Alternatives::Known(elsewhere.providers.clone()));
        if by_query.iter().all(QueryProgress::has_failed) {
            let blanks = attempts_without_results(by_query.iter());
            let faults = by_query.into_iter().flat_map(|query| query.faults);
            let fault = combined(faults.collect())
                .unwrap_or_else(|| Fault::new(Case::Internal, Origin::Local));
            return Err(known(with_attempts(fault, blanks)));
        }
        let mut groups = Vec::new();
        for (query, progress) in queries.iter().zip(by_query) {
            let missing = progress.missing(is_auto).map(known);
            if is_auto {
                progress.note_limited_scope(&mut degraded);
            }
            let mut results = progress.into_results(query, elsewhere, &mut degraded);
            results.fault = results.fault.map(known);
            groups.push(QueryResults { missing, ..results });
        }
        Ok(SearchAnswer {
            groups,
            attempts,
            degraded,
        })
    }
}

impl QueryProgress {
    /// Whether there is only a failure to report. An empty answer of a provider with limited scope
    /// counts only if no other provider failed: an outage must not look as if the web had nothing.
    fn has_failed(&self) -> bool {
        self.answers.is_empty() && !self.faults.is_empty()
    }

    fn has_results(&self, query: &SearchQuery) -> bool {
        let mut hits = self.answers.iter().flat_map(|(_, hits)| &hits.answer.hits);
        hits.any(|hit| is_on_wanted_site(query, hit))
    }

    /// Notes what the answers of `auto` cover that come from providers of limited scope.
    fn note_limited_scope(&self, degraded: &mut Vec<Degraded>) {
        let used = match self.answers.as_slice() {
            [] if self.faults.is_empty() => &self.blanks,
            _ => &self.answers,
        };
        for (spec, _) in used {
            let note = spec
                .scope
                .map(|scope| Degraded::Scope(spec.id, Say::new(scope)));
            degraded.extend(note.filter(|note| !degraded.contains(note)));
        }
    }

    /// Why the results are not all that was asked for: a provider that the caller named failed, or
    /// `auto` has only results of limited scope because the others failed.
    fn missing(&self, is_auto: bool) -> Option<Fault> {
        let is_replaced = is_auto && self.answers.iter().any(|(spec, _)| spec.scope.is_none());
        if self.answers.is_empty() || is_replaced {
            return None;
        }
        combined(self.faults.clone())
    }

    /// The results of one query, from all providers that answered.
    fn into_results(
        mut self,
        query: &SearchQuery,
        elsewhere: &Elsewhere,
        degraded: &mut Vec<Degraded>,
    ) -> QueryResults {
        let mut results = QueryResults {
            query: query.text.clone(),
            providers: Vec::new(),
            results: Vec::new(),
            total: None,
            hints: None,
            age: None,
            fault: None,
            missing: None,
        };
        if self.has_failed() {
            let blanks = attempts_without_results([&self]);
            results.fault = combined(self.faults).map(|fault| with_attempts(fault, blanks));
            return results;
        }
        if self.answers.is_empty() {
            self.answers = std::mem::take(&mut self.blanks);
        }
        for (spec, hits) in &self.answers {
            note_unmet_wishes(spec, query, &hits.answer, degraded);
            results.providers.push(spec.id);
            results.age = results.age.max(hits.age);
        }
        if let [(_, hits)] = self.answers.as_slice() {
            results.total = hits.answer.total;
        }
        results.results = fuse(self.rankings(query));
        results.results.truncate(query.count);
        results.hints = results.results.is_empty().then(|| {
            if self.has_empty_index() {
                hints::for_empty_index(elsewhere)
            } else {
                hints::for_empty_results(query, self.spelling(), elsewhere)
            }
        });
        results
    }

    /// Whether nothing can be found because what was searched holds nothing.
    fn has_empty_index(&self) -> bool {
        let mut answers = self.answers.iter().map(|(_, hits)| &hits.answer);
        !self.answers.is_empty() && answers.all(|hits| hits.is_empty_index)
    }

    /// Each provider's results on the wanted sites, in its order.
    fn rankings(&self, query: &SearchQuery) -> Vec<(ProviderId, Vec<Hit>)> {
        let kept = |hits: &Hits| {
            hits.hits
                .iter()
                .filter(|hit| is_on_wanted_site(query, hit))
                .cloned()
                .collect()
        };
        self.answers
            .iter()
            .map(|(spec, hits)| (spec.id, kept(&hits.answer)))
            .collect()
    }

    /// The first better spelling that a provider suggests.
    fn spelling(&self) -> Option<&str> {
        self.answers
            .iter()
            .find_map(|(_, hits)| hits.answer.suggestion.as_deref())
    }
}

/// Sites are filtered here too, because no provider is exact about them.
fn is_on_wanted_site(query: &SearchQuery, hit: &Hit) -> bool {
    let on = |sites: &[String]| sites.iter().any(|site| is_on(&hit.url, site));
    (query.filters.sites.is_empty() || on(&query.filters.sites)) && !on(&query.filters.excluded)
}

/// Notes the filters that a provider does not know, and results that it could not give.
fn note_unmet_wishes(
    spec: &'static ProviderSpec,
    query: &SearchQuery,
    hits: &Hits,
    degraded: &mut Vec<Degraded>,
) {
    let Some(offer) = spec.offer(query.capability) else {
        return;
    };
    let mut add = |entry: Degraded| {
        if !degraded.contains(&entry) {
            degraded.push(entry);
        }
    };
    let unknown = query
        .filters
        .set()
        .into_iter()
        .filter(|filter| !offer.filters.contains(filter));
    for filter in unknown {
        add(match filter {
            Filter::Sites | Filter::Excluded => Degraded::FilteredHere(spec.id, filter),
            _ => Degraded::FilterIgnored(spec.id, filter),
        });
    }
    if query.count > offer.max_results && hits.hits.len() >= offer.max_results {
        add(Degraded::FewerResults(spec.id, offer.max_results));
    }
    for note in &hits.degraded {
        add(Degraded::Note(spec.id, note.clone()));
    }
}

/// The providers that answered queries without results. An index that has only what was read here
/// before is not worth telling.
fn attempts_without_results<'q>(
    queries: impl IntoIterator<Item = &'q QueryProgress>,
) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for (spec, _) in queries.into_iter().flat_map(|query| &query.blanks) {
        let attempt = Attempt::without_results(spec.id);
        if spec.tier != ProviderTier::Embedded && !attempts.contains(&attempt) {
            attempts.push(attempt);
        }
    }
    attempts
}

/// Adds attempts to those of a fault.
fn with_attempts(fault: Fault, more: Vec<Attempt>) -> Fault {
    if more.is_empty() {
        return fault;
    }
    let mut attempts = fault.seen_attempts().to_vec();
    if let (true, Some(provider)) = (attempts.is_empty(), fault.seen_provider()) {
        attempts.push(Attempt::new(provider.as_str(), &fault));
    }
    attempts.extend(more);
    fault.attempts(attempts)
}

/// One fault for those of several providers and queries. What one provider did to several queries
/// is told once, with the earliest wait.
fn combined(faults: Vec<(&'static str, Fault)>) -> Option<Fault> {
    let mut distinct: Vec<(&'static str, Fault)> = Vec::new();
    for (name, fault) in faults {
        let is_same =
            |known: &&mut (&'static str, Fault)| known.0 == name && known.1.case() == fault.case();
        match distinct.iter_mut().find(is_same) {
            None => distinct.push((name, fault)),
            Some((_, known)) => {
                let earliest = known.advice().earlier(fault.advice());
                if earliest != known.advice() {
                    *known = fault;
                }
            }
        }
    }
    if distinct.len() == 1 {
        return distinct.pop().map(|(_, fault)| fault);
    }
    composite(distinct)
}

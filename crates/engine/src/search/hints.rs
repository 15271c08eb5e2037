//! What to try when there are no results, derived from the query and from what is set up.

use fault::ProviderId;

use super::query::{Capability, Filter, SearchQuery};

/// Why there are probably no results, and what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hints {
    /// The likeliest reason.
    pub reason: EmptyReason,
    /// At most three, the most promising first.
    pub actions: Vec<Suggestion>,
}

/// Why there are probably no results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyReason {
    /// The filters leave out too much.
    FiltersTooNarrow,
    /// A phrase in quotes must match word for word.
    ExactPhrase,
    /// The query has many words, and all must match.
    QueryTooLong,
    /// The provider suggests another spelling.
    Spelling,
    /// The provider does not cover it.
    CoverageMiss,
    /// The index of what was read here has nothing yet.
    EmptyIndex,
}

impl EmptyReason {
    /// Whether a broader query would help.
    pub const fn is_too_narrow(self) -> bool {
        matches!(
            self,
            EmptyReason::FiltersTooNarrow | EmptyReason::ExactPhrase | EmptyReason::QueryTooLong
        )
    }

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            EmptyReason::FiltersTooNarrow => "filters_too_narrow",
            EmptyReason::ExactPhrase => "exact_phrase",
            EmptyReason::QueryTooLong => "query_too_long",
            EmptyReason::Spelling => "spelling",
            EmptyReason::CoverageMiss => "coverage_miss",
            EmptyReason::EmptyIndex => "empty_index",
        }
    }
}

/// One thing to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// Leave a filter out.
    RemoveFilter(Filter),
    /// Leave the quotes out.
    RemoveQuotes,
    /// Use fewer words.
    ShortenQuery,
    /// Search for what the provider suggests. These are its words, not ours.
    UseSpelling(String),
    /// Ask another provider.
    SwitchProvider(ProviderId),
    /// Use another kind of search.
    SwitchCapability(Capability),
    /// Read pages, which are then in the index.
    ReadPages,
}

impl Suggestion {
    /// The word on the wire.
    pub const fn action(&self) -> &'static str {
        match self {
            Suggestion::RemoveFilter(_) => "remove_filter",
            Suggestion::RemoveQuotes => "remove_quotes",
            Suggestion::ShortenQuery => "shorten_query",
            Suggestion::UseSpelling(_) => "use_spelling",
            Suggestion::SwitchProvider(_) => "switch_provider",
            Suggestion::SwitchCapability(_) => "switch_search",
            Suggestion::ReadPages => "read_pages",
        }
    }
}

/// Where else a caller could search: what was not asked and can answer now.
#[derive(Debug, Default)]
pub(super) struct Elsewhere {
    /// Other providers of the same kind of search, best first.
    pub(super) providers: Vec<ProviderId>,
    /// Whether the web can be searched instead, for another kind of search.
    pub(super) has_web: bool,
}

const MAX_ACTIONS: usize = 3;

/// More words than this seldom all occur on one page.
const MANY_WORDS: usize = 8;

/// What to try when a query has no results.
pub(super) fn for_empty_results(
    query: &SearchQuery,
    spelling: Option<&str>,
    elsewhere: &Elsewhere,
) -> Hints {
    let mut actions = Vec::new();
    let mut reasons = Vec::new();
    if let Some(words) = spelling.filter(|words| !words.is_empty() && *words != query.text) {
        reasons.push(EmptyReason::Spelling);
        actions.push(Suggestion::UseSpelling(super::markup::tidy(words, 200)));
    }
    if let Some(filter) = narrowest(query) {
        reasons.push(EmptyReason::FiltersTooNarrow);
        actions.push(Suggestion::RemoveFilter(filter));
    }
    if query.text.matches('"').count() > 1 {
        reasons.push(EmptyReason::ExactPhrase);
        actions.push(Suggestion::RemoveQuotes);
    }
    if query.text.split(' ').count() > MANY_WORDS {
        reasons.push(EmptyReason::QueryTooLong);
        actions.push(Suggestion::ShortenQuery);
    }
    let other = elsewhere.providers.first().copied();
    actions.extend(other.map(Suggestion::SwitchProvider));
    if query.capability != Capability::Web && elsewhere.has_web {
        actions.push(Suggestion::SwitchCapability(Capability::Web));
    }
    if actions.is_empty() {
        actions.push(Suggestion::ShortenQuery);
    }
    actions.truncate(MAX_ACTIONS);
    Hints {
        reason: reasons
            .first()
            .copied()
            .unwrap_or(EmptyReason::CoverageMiss),
        actions,
    }
}

/// What to try when nothing is in the index yet: no other words help.
pub(super) fn for_empty_index(elsewhere: &Elsewhere) -> Hints {
    let other = elsewhere.providers.first().copied();
    let other = other.map(Suggestion::SwitchProvider);
    Hints {
        reason: EmptyReason::EmptyIndex,
        actions: other.into_iter().chain([Suggestion::ReadPages]).collect(),
    }
}

/// The filter that probably leaves out most: sites, then dates, then the others.
fn narrowest(query: &SearchQuery) -> Option<Filter> {
    const ORDER: [Filter; 10] = [
        Filter::Sites,
        Filter::TimeRange,
        Filter::Dates,
        Filter::Assignee,
        Filter::Inventor,
        Filter::Author,
        Filter::OpenAccess,
        Filter::Language,
        Filter::Country,
        Filter::Safe,
    ];
    let set = query.filters.set();
    ORDER.into_iter().find(|filter| set.contains(filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_follow_from_the_query_and_the_other_providers() {
        let other = ProviderId::new("lens");
        let elsewhere = Elsewhere {
            providers: vec![other],
            has_web: true,
        };
        let plain = SearchQuery::new("rust", Capability::Patents);
        let hints = for_empty_results(&plain, None, &elsewhere);
        assert_eq!(hints.reason, EmptyReason::CoverageMiss);
        assert_eq!(hints.actions[0], Suggestion::SwitchProvider(other));
        let mut narrow = SearchQuery::new(
            "\"a very long phrase\" and many more words to match here",
            Capability::Web,
        );
        narrow.filters.sites = vec!["a.example".to_owned()];
        let hints = for_empty_results(&narrow, Some("a shorter one"), &elsewhere);
        assert_eq!(
            (hints.reason, hints.actions.len()),
            (EmptyReason::Spelling, 3)
        );
        assert_eq!(hints.actions[1], Suggestion::RemoveFilter(Filter::Sites));
        assert!(
            !for_empty_results(&plain, None, &Elsewhere::default())
                .actions
                .is_empty()
        );
    }
}

//! What to try when nothing was found: computed from what was asked and from what is configured,
//! never guessed.

use fault::ProviderId;

use super::query::{Ask, Capability, Filter};

/// Why nothing was found, as far as the question tells, and what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hints {
    /// The likeliest reason.
    pub reason: Reason,
    /// At most three, the most promising first.
    pub actions: Vec<Suggestion>,
}

/// Why nothing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The filters leave little to find.
    FiltersTooNarrow,
    /// A phrase in quotes is matched word for word.
    ExactPhrase,
    /// Many words must all match.
    QueryTooLong,
    /// The provider has a better spelling.
    Spelling,
    /// The provider does not hold it.
    CoverageMiss,
}

impl Reason {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::FiltersTooNarrow => "filters_too_narrow",
            Reason::ExactPhrase => "exact_phrase",
            Reason::QueryTooLong => "query_too_long",
            Reason::Spelling => "spelling",
            Reason::CoverageMiss => "coverage_miss",
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
    /// Search for the provider's own suggestion: its words, not ours.
    UseSpelling(String),
    /// Ask somebody else.
    SwitchProvider(ProviderId),
    /// Search for another kind of thing.
    SwitchCapability(Capability),
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
        }
    }

    /// What it applies to.
    pub fn value(&self) -> Option<&str> {
        match self {
            Suggestion::RemoveFilter(filter) => Some(filter.as_str()),
            Suggestion::UseSpelling(words) => Some(words),
            Suggestion::SwitchProvider(provider) => Some(provider.as_str()),
            Suggestion::SwitchCapability(capability) => Some(capability.as_str()),
            Suggestion::RemoveQuotes | Suggestion::ShortenQuery => None,
        }
    }
}

const MOST: usize = 3;

/// More words than this seldom all stand on one page.
const MANY_WORDS: usize = 8;

/// What to try after `ask` found nothing. `others` are usable now and were not asked.
pub(super) fn of(
    ask: &Ask,
    spelling: Option<&str>,
    others: &[ProviderId],
    web_is_usable: bool,
) -> Hints {
    let mut actions = Vec::new();
    let mut reasons = Vec::new();
    if let Some(words) = spelling.filter(|words| !words.is_empty() && *words != ask.text) {
        reasons.push(Reason::Spelling);
        actions.push(Suggestion::UseSpelling(super::markup::tidy(words, 200)));
    }
    if let Some(filter) = narrowest(ask) {
        reasons.push(Reason::FiltersTooNarrow);
        actions.push(Suggestion::RemoveFilter(filter));
    }
    if ask.text.matches('"').count() > 1 {
        reasons.push(Reason::ExactPhrase);
        actions.push(Suggestion::RemoveQuotes);
    }
    if ask.text.split(' ').count() > MANY_WORDS {
        reasons.push(Reason::QueryTooLong);
        actions.push(Suggestion::ShortenQuery);
    }
    actions.extend(others.first().copied().map(Suggestion::SwitchProvider));
    if ask.capability != Capability::Web && web_is_usable {
        actions.push(Suggestion::SwitchCapability(Capability::Web));
    }
    if actions.is_empty() {
        actions.push(Suggestion::ShortenQuery);
    }
    actions.truncate(MOST);
    Hints {
        reason: reasons.first().copied().unwrap_or(Reason::CoverageMiss),
        actions,
    }
}

/// The filter that takes most away, by experience: sites, then days, then the others.
fn narrowest(ask: &Ask) -> Option<Filter> {
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
    let set = ask.filters.set();
    ORDER.into_iter().find(|filter| set.contains(filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_follow_from_the_question() {
        let other = ProviderId::new("lens");
        let plain = Ask::new("rust", Capability::Patents);
        let hints = of(&plain, None, &[other], true);
        assert_eq!(
            (
                hints.reason.as_str(),
                hints.actions[0].action(),
                hints.actions[0].value()
            ),
            ("coverage_miss", "switch_provider", Some("lens"))
        );
        let mut narrow = Ask::new(
            "\"a very long phrase\" and many more words to match here",
            Capability::Web,
        );
        narrow.filters.sites = vec!["a.example".to_owned()];
        let hints = of(&narrow, Some("a shorter one"), &[other], true);
        assert_eq!((hints.reason, hints.actions.len()), (Reason::Spelling, 3));
        assert_eq!(hints.actions[1], Suggestion::RemoveFilter(Filter::Sites));
        assert!(!of(&plain, None, &[], false).actions.is_empty());
    }
}

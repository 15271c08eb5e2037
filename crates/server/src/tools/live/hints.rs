//! What to change when a live search finds nothing, in the words of the other search tools.

use engine::live::{LiveKind, LiveQuery};
use engine::search::EmptyReason;
use serde_json::{Value, json};

use super::params::{DOMAINS, EXCLUDED_DOMAINS, EXCLUDED_HANDLES, FROM_DATE, HANDLES, TO_DATE};

const MAX_ACTIONS: usize = 3;

/// More words than this seldom all occur in one place.
const MANY_WORDS: usize = 8;

pub(super) fn for_empty_results(query: &LiveQuery) -> Value {
    let filters = filters(query);
    let is_long = query.text.split_whitespace().count() > MANY_WORDS;
    let reason = match (filters.is_empty(), is_long) {
        (false, _) => EmptyReason::FiltersTooNarrow,
        (true, true) => EmptyReason::QueryTooLong,
        (true, false) => EmptyReason::CoverageMiss,
    };
    let removals = filters
        .into_iter()
        .map(|name| json!({"action": "remove_filter", "value": name}));
    let shorter = is_long.then(|| json!({"action": "shorten_query"}));
    let wider = (query.kind != LiveKind::General)
        .then(|| json!({"action": "switch_search", "value": LiveKind::General.as_str()}));
    let actions: Vec<Value> = removals
        .chain(shorter)
        .chain(wider)
        .take(MAX_ACTIONS)
        .collect();
    json!({"reason": reason.as_str(), "suggestedActions": actions})
}

/// The parameters of the filters that were set, the narrowest first.
fn filters(query: &LiveQuery) -> Vec<&'static str> {
    let rows = [
        (!query.handles.is_empty(), &HANDLES),
        (!query.domains.is_empty(), &DOMAINS),
        (query.from.is_some(), &FROM_DATE),
        (query.to.is_some(), &TO_DATE),
        (!query.excluded_handles.is_empty(), &EXCLUDED_HANDLES),
        (!query.excluded_domains.is_empty(), &EXCLUDED_DOMAINS),
    ];
    let set = rows.into_iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, param)| param.name).collect()
}

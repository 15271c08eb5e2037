//! What to change when a live search finds nothing, in the words of the other search tools, and the
//! call that searches everything instead.

use engine::live::{LiveKind, LiveQuery};
use engine::search::EmptyReason;
use serde_json::{Value, json};

use super::params::{DOMAINS, EXCLUDED_DOMAINS, EXCLUDED_HANDLES, FROM_DATE, HANDLES, TO_DATE};
use super::same_search;
use crate::tools::Call;

const MAX_ACTIONS: usize = 3;

/// More words than this seldom all occur in one place.
const MANY_WORDS: usize = 8;

pub(super) fn for_empty_results(query: &LiveQuery, call: &Call<'_>) -> Value {
    let filters = filters(query);
    let is_long = query.text.split_whitespace().count() > MANY_WORDS;
    let reason = match (filters.is_empty(), is_long) {
        (false, _) => EmptyReason::FiltersTooNarrow,
        (true, true) => EmptyReason::QueryTooLong,
        (true, false) => EmptyReason::CoverageMiss,
    };
    let mut actions: Vec<Value> = filters
        .into_iter()
        .map(|name| json!({"action": "remove_filter", "value": name}))
        .chain(is_long.then(|| json!({"action": "shorten_query"})))
        .take(MAX_ACTIONS)
        .collect();
    let wider = (query.kind != LiveKind::General && actions.len() < MAX_ACTIONS)
        .then(|| same_search::with_kind(query, LiveKind::General))
        .filter(|wider| call.can_name(wider.tool.as_str()));
    if let Some(wider) = &wider {
        // Most tools of this toolset have no parameter for the kind, so the tool is named too.
        let (action, value) = ("switch_search", LiveKind::General.as_str());
        actions.push(json!({"action": action, "value": value, "tool": wider.tool.as_str()}));
    }
    let mut hints = json!({"reason": reason.as_str(), "suggestedActions": actions});
    if let Some(wider) = wider {
        let shown = json!(wider);
        let mut masked = shown.clone();
        call.services.settings.masker().mask_json(&mut masked);
        // A call with something masked in it could not be made as it is shown.
        if masked == shown {
            hints["nextCalls"] = json!([shown]);
        }
    }
    hints
}

/// The parameters of the filters that took effect, the narrowest first.
fn filters(query: &LiveQuery) -> Vec<&'static str> {
    let only_excludes =
        |listed: &[String], excluded: &[String]| listed.is_empty() && !excluded.is_empty();
    let rows = [
        (!query.handles.is_empty(), &HANDLES),
        (!query.domains.is_empty(), &DOMAINS),
        (query.from.is_some(), &FROM_DATE),
        (query.to.is_some(), &TO_DATE),
        (
            only_excludes(&query.handles, &query.excluded_handles),
            &EXCLUDED_HANDLES,
        ),
        (
            only_excludes(&query.domains, &query.excluded_domains),
            &EXCLUDED_DOMAINS,
        ),
    ];
    let set = rows.into_iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, param)| param.name).collect()
}

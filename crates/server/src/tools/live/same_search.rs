//! A live search as a call of `grok_search`, which has every parameter of these tools.

use engine::live::{AnalysisMode, LiveKind, LiveQuery};
use fault::{NextCall, ToolName};
use serde_json::{Map, Value, json};

use super::params::{
    ANALYSIS_MODE, DEFAULT_RESULTS, DOMAINS, EXCLUDED_DOMAINS, EXCLUDED_HANDLES, FROM_DATE,
    HANDLES, MAX_RESULTS, QUERY, SEARCH_TYPE, TO_DATE,
};
use crate::tools::grok_search;

/// The same search of something else.
pub(super) fn with_kind(query: &LiveQuery, kind: LiveKind) -> NextCall {
    let day = |day: Option<engine::search::Date>| day.map(|day| json!(day.to_string()));
    let list = |list: &[String]| (!list.is_empty()).then(|| json!(list));
    let has_analysis = query.mode != AnalysisMode::Basic;
    let rows: [(_, Option<Value>); 10] = [
        (&QUERY, Some(json!(query.text))),
        (&SEARCH_TYPE, Some(json!(kind.as_str()))),
        (
            &ANALYSIS_MODE,
            has_analysis.then(|| json!(query.mode.as_str())),
        ),
        (
            &MAX_RESULTS,
            (query.count != DEFAULT_RESULTS).then(|| json!(query.count)),
        ),
        (&FROM_DATE, day(query.from)),
        (&TO_DATE, day(query.to)),
        (&HANDLES, list(&query.handles)),
        (&EXCLUDED_HANDLES, list(&query.excluded_handles)),
        (&DOMAINS, list(&query.domains)),
        (&EXCLUDED_DOMAINS, list(&query.excluded_domains)),
    ];
    let given = rows.into_iter();
    let given = given.filter_map(|(param, value)| Some((param.name.to_owned(), value?)));
    let arguments: Map<String, Value> = given.collect();
    NextCall::new(ToolName::new(grok_search::TOOL.name), arguments)
}

//! Searches the web, the news or posts on X with xAI's models; the arguments say which.

use engine::live::LiveKind;

use super::Tool;
use super::live::{
    self, ANALYSIS_MODE, DOMAINS, EXCLUDED_DOMAINS, EXCLUDED_HANDLES, FROM_DATE, HANDLES,
    MAX_RESULTS, QUERY, SEARCH_TYPE, TO_DATE,
};
use crate::params::{Param, names};

const PARAMS: &[Param; 10] = &[
    QUERY,
    SEARCH_TYPE,
    ANALYSIS_MODE,
    MAX_RESULTS,
    FROM_DATE,
    TO_DATE,
    HANDLES,
    EXCLUDED_HANDLES,
    DOMAINS,
    EXCLUDED_DOMAINS,
];

/// What is searched.
const KIND: Option<LiveKind> = None;

pub(super) const TOOL: Tool = Tool {
    name: "grok_search",
    title: "Live search",
    about: "Search live with xAI's models and get cited results, or an analysis with timeline, quotes and views. Needs XAI_API_KEY.",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    check: Some(|_, args| Box::pin(async move { live::check(args, KIND) })),
    ..live::tool("web", |call, args| {
        Box::pin(async move { live::run(call, &args, TOOL.name, KIND).await })
    })
};

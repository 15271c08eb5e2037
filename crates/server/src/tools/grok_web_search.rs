//! Searches the web with xAI's models.

use engine::live::LiveKind;

use super::Tool;
use super::live::{
    self, ANALYSIS_MODE, DOMAINS, EXCLUDED_DOMAINS, FROM_DATE, MAX_RESULTS, QUERY, TO_DATE,
};
use crate::params::{Param, names};

const PARAMS: &[Param; 7] = &[
    QUERY,
    ANALYSIS_MODE,
    MAX_RESULTS,
    FROM_DATE,
    TO_DATE,
    DOMAINS,
    EXCLUDED_DOMAINS,
];

/// What is searched.
const KIND: Option<LiveKind> = Some(LiveKind::Web);

pub(super) const TOOL: Tool = Tool {
    name: "grok_web_search",
    title: "Live web search",
    about: "Search the web with xAI's models. Needs XAI_API_KEY.",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    check: Some(|_, args| Box::pin(async move { live::check(args, KIND) })),
    ..live::tool("web", |call, args| {
        Box::pin(async move { live::run(call, &args, TOOL.name, KIND).await })
    })
};

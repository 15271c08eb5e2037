//! Searches the news with xAI's models.

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
const KIND: Option<LiveKind> = Some(LiveKind::News);

pub(super) const TOOL: Tool = Tool {
    name: "grok_news_search",
    title: "Live news search",
    about: "Search recent news with xAI's models. Needs XAI_API_KEY.",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    check: Some(|_, args| Box::pin(async move { live::check(args, KIND) })),
    ..live::tool("news", |call, args| {
        Box::pin(async move { live::run(call, &args, TOOL.name, KIND).await })
    })
};

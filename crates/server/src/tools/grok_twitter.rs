//! Searches posts on X with xAI's models.

use engine::live::LiveKind;

use super::Tool;
use super::live::{
    self, ANALYSIS_MODE, EXCLUDED_HANDLES, FROM_DATE, HANDLES, MAX_RESULTS, QUERY, TO_DATE,
};
use crate::params::{Param, names};

const PARAMS: &[Param; 7] = &[
    QUERY,
    ANALYSIS_MODE,
    MAX_RESULTS,
    FROM_DATE,
    TO_DATE,
    HANDLES,
    EXCLUDED_HANDLES,
];

/// What is searched.
const KIND: Option<LiveKind> = Some(LiveKind::Posts);

pub(super) const TOOL: Tool = Tool {
    name: "grok_twitter",
    title: "Search posts on X",
    about: "Search posts on X with xAI's models, of all accounts or some; takes about 45 seconds. Needs XAI_API_KEY.",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    check: Some(|_, args| Box::pin(async move { live::check(args, KIND) })),
    ..live::tool("twitter", |call, args| {
        Box::pin(async move { live::run(call, &args, TOOL.name, KIND).await })
    })
};

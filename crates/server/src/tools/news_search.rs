//! Searches the news.

use engine::search::Capability;
use fault::Surface;

use super::search::{
    self, COUNTRY, EXCLUDE, FROM_DATE, LANGUAGE, MAX_RESULTS, PROVIDER, QUERY, SITES, TIME_RANGE,
    TO_DATE,
};
use super::session::SESSION;
use super::{Annotations, Output, Tool, Toolset};
use crate::params::{Param, names};

const PARAMS: &[Param; 11] = &[
    Param {
        required: true,
        ..QUERY
    },
    PROVIDER,
    MAX_RESULTS,
    TIME_RANGE,
    FROM_DATE,
    TO_DATE,
    SITES,
    EXCLUDE,
    LANGUAGE,
    COUNTRY,
    SESSION,
];

pub(super) const TOOL: Tool = Tool {
    name: "news_search",
    title: "Search the news",
    about: "Search recent news, with dates where known.",
    toolsets: &[Toolset::Research],
    surface: Surface::Search,
    search_type: "news",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| {
        Box::pin(search::check(checking, args, TOOL.name, Capability::News))
    }),
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| {
        Box::pin(async move { search::run(call, &args, TOOL.name, Capability::News).await })
    },
};

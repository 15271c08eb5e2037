//! Searches the web.

use engine::search::Capability;
use fault::Surface;

use super::search::{
    self, COUNTRY, EXCLUDE, FROM_DATE, LANGUAGE, LENS, MAX_RESULTS, PROVIDER, QUERIES, QUERY, SAFE,
    SITES, TIME_RANGE, TO_DATE,
};
use super::session::SESSION;
use super::{Annotations, Output, Tool, Toolset};
use crate::params::{Alternatives, Param, names};

const PARAMS: &[Param; 14] = &[
    QUERY,
    QUERIES,
    PROVIDER,
    MAX_RESULTS,
    TIME_RANGE,
    FROM_DATE,
    TO_DATE,
    SITES,
    EXCLUDE,
    LANGUAGE,
    COUNTRY,
    SAFE,
    LENS,
    SESSION,
];

pub(super) const TOOL: Tool = Tool {
    name: "web_search",
    title: "Search the web",
    about: "Search the web. A failure says how to go on.",
    toolsets: &[Toolset::Research, Toolset::Web],
    surface: Surface::Search,
    search_type: "web",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: Some(&Alternatives {
        names: &["query", "queries"],
        words: "query",
    }),
    check: Some(|checking, args| {
        Box::pin(search::check(checking, args, TOOL.name, Capability::Web))
    }),
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| {
        Box::pin(async move { search::run(call, &args, TOOL.name, Capability::Web).await })
    },
};

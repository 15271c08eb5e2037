//! Searches patents.

use engine::search::Capability;
use fault::Surface;

use super::search::{self, FROM_DATE, MAX_RESULTS, PROVIDER, QUERY, TO_DATE};
use super::session::SESSION;
use super::{Annotations, Output, Tool, Toolset};
use crate::params::{Alternatives, Param, names};

const PARAMS: &[Param; 8] = &[
    Param {
        about: "Words, or * for all of an assignee or inventor",
        ..QUERY
    },
    PROVIDER,
    MAX_RESULTS,
    FROM_DATE,
    TO_DATE,
    search::text_param("assignee", "Patent holder", "\"Siemens\""),
    search::text_param("inventor", "An inventor", "\"Tesla\""),
    SESSION,
];

pub(super) const TOOL: Tool = Tool {
    name: "patent_search",
    title: "Search patents",
    about: "Search patents and applications by words, assignee or inventor.",
    toolsets: &[Toolset::Research],
    surface: Surface::Search,
    search_type: "patents",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: Some(&Alternatives {
        names: &["query", "assignee", "inventor"],
        words: "query, assignee, or inventor",
    }),
    check: Some(|checking, args| {
        Box::pin(search::check(
            checking,
            args,
            TOOL.name,
            Capability::Patents,
        ))
    }),
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| {
        Box::pin(async move { search::run(call, &args, TOOL.name, Capability::Patents).await })
    },
};

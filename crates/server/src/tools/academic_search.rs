//! Searches scholarly papers.

use engine::search::Capability;
use fault::Surface;

use super::search::{self, FROM_DATE, MAX_RESULTS, PROVIDER, QUERY, TO_DATE};
use super::session::SESSION;
use super::{Annotations, Output, Tool, Toolset};
use crate::params::{Param, names};

const PARAMS: &[Param; 8] = &[
    Param {
        required: true,
        ..QUERY
    },
    PROVIDER,
    MAX_RESULTS,
    FROM_DATE,
    TO_DATE,
    search::text_param("author", "Name of an author", "\"Curie\""),
    Param {
        name: "open_access",
        about: "Only free papers",
        shape: crate::params::Shape::Flag {
            default: Some(false),
        },
        required: false,
        example: "true",
    },
    SESSION,
];

pub(super) const TOOL: Tool = Tool {
    name: "academic_search",
    title: "Search papers",
    about: "Search papers: authors, venue, DOI, citations, open PDF where known.",
    toolsets: &[Toolset::Research],
    surface: Surface::Search,
    search_type: "academic",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| {
        Box::pin(search::check(
            checking,
            args,
            TOOL.name,
            Capability::Academic,
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
        Box::pin(async move { search::run(call, &args, TOOL.name, Capability::Academic).await })
    },
};

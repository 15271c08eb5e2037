//! Searches for pages of a category, with fields by a schema.

use engine::search::{CATEGORIES, Capability};
use fault::Surface;

use super::search::{self, EXCLUDE, FROM_DATE, MAX_RESULTS, PROVIDER, QUERY, SITES, TO_DATE};
use super::session::SESSION;
use super::{Annotations, Output, Tool, Toolset};
use crate::params::{Param, Shape, names};

const PARAMS: &[Param; 10] = &[
    Param {
        required: true,
        ..QUERY
    },
    PROVIDER,
    MAX_RESULTS,
    Param {
        name: "category",
        about: "Kind of page",
        shape: Shape::Choice {
            allowed: CATEGORIES,
            default: None,
        },
        required: false,
        example: "\"company\"",
    },
    Param {
        name: "schema",
        about: "JSON Schema of the fields wanted",
        shape: Shape::JsonSchema,
        required: false,
        example: r#"{"type": "object", "properties": {"founded": {"type": "integer"}}}"#,
    },
    SITES,
    EXCLUDE,
    FROM_DATE,
    TO_DATE,
    SESSION,
];

pub(super) const TOOL: Tool = Tool {
    name: "structured_search",
    title: "Search for facts",
    about: "Find pages of a category and extract fields from each by a JSON schema.",
    toolsets: &[Toolset::Research],
    surface: Surface::Search,
    search_type: "structured",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| {
        Box::pin(search::check(
            checking,
            args,
            TOOL.name,
            Capability::Structured,
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
        Box::pin(async move { search::run(call, &args, TOOL.name, Capability::Structured).await })
    },
};

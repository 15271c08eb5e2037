//! Reads a web page as clean Markdown.

use fault::{Fault, Surface};

use super::page::{self, ALLOW_TRUNCATE, CURSOR, Keep, MAX_CHARS, MODE, PAGES, PASSWORD, SHEET};
use super::session::SESSION;
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};

const PARAMS: &[Param; 9] = &[
    Param {
        name: "url",
        about: "Its address",
        shape: Shape::Url,
        required: true,
        example: "\"https://example.com/article\"",
    },
    PAGES,
    SHEET,
    PASSWORD,
    MODE,
    MAX_CHARS,
    CURSOR,
    ALLOW_TRUNCATE,
    SESSION,
];

pub(super) const TOOL: Tool = Tool {
    name: "scrape_page",
    title: "Read a web page",
    about: "Read a page or document as Markdown, or a part of it.",
    toolsets: &[Toolset::Research],
    surface: Surface::Fetch,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| {
        Box::pin(async move {
            let url = args.text("url");
            url.map_or(Ok(()), |url| {
                page::check_address(checking.services, url, "url")
            })
        })
    }),
    output: Output::Unstructured,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let url = args.text("url").unwrap_or_default();
    page::read_page(call, url, TOOL.name, &args, Keep::WhenCut).await
}

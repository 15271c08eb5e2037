//! Converts a document to Markdown: one on the web, or a file in a directory that the operator
//! allowed.

use std::path::Path;

use fault::{Fault, Surface};

use super::page::{
    self, ALLOW_TRUNCATE, CURSOR, FORMULAS, Keep, MAX_CHARS, MODE, PAGES, PASSWORD, SHEET,
};
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::pages;
use crate::params::{Alternatives, Args, Param, Shape, names};

const PARAMS: &[Param; 10] = &[
    Param {
        name: "path",
        about: "A local file in an allowed directory, or an address",
        shape: Shape::Text { max_chars: 4_096 },
        required: false,
        example: "\"reports/2026.pdf\"",
    },
    Param {
        name: "url",
        about: "Its address, if there is no path",
        shape: Shape::Url,
        required: false,
        example: "\"https://example.com/paper.pdf\"",
    },
    PAGES,
    SHEET,
    PASSWORD,
    FORMULAS,
    MODE,
    MAX_CHARS,
    CURSOR,
    ALLOW_TRUNCATE,
];

pub(super) const TOOL: Tool = Tool {
    name: "convert_content",
    title: "Convert a document",
    about: "Convert a document to Markdown, by path or url: PDF, Office, EPUB, RTF, CSV, mail, notebooks, archives and more.",
    toolsets: &[Toolset::Web],
    surface: Surface::Fetch,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: Some(&Alternatives {
        names: &["path", "url"],
        words: "path or url",
    }),
    check: None,
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
    match (args.text("path"), args.text("url")) {
        (Some(path), _) if !is_address(path) => file(call, path, &args).await,
        (address, url) => {
            let url = address.or(url).unwrap_or_default();
            page::read_page(call, url, TOOL.name, &args, Keep::WhenCut).await
        }
    }
}

/// Whether a path is an address in truth: no file has such a name.
fn is_address(path: &str) -> bool {
    let path = path.trim_start().to_ascii_lowercase();
    path.starts_with("http://") || path.starts_with("https://")
}

async fn file(call: &Call<'_>, path: &str, args: &Args) -> Result<Answer, Fault> {
    let options = page::read_options(args);
    let engine = &call.services.engine;
    let read = pages::read_file(engine, &call.limits(), Path::new(path), &options).await;
    page::answer(
        read.map_err(|fault| page::add_next_calls(fault, path, TOOL.name, args)),
        &options,
        TOOL.name,
        args,
    )
}

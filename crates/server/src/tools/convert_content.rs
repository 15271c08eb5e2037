//! Converts a document to Markdown: one on the web, or a file in a directory that the operator
//! allowed.

use std::{borrow::Cow, path::Path};

use fault::{Fault, Surface};
use url::Url;

use super::page::{
    self, ALLOW_TRUNCATE, CURSOR, FORMULAS, Keep, MAX_CHARS, MODE, PAGES, PASSWORD, SHEET,
};
use super::{Annotations, Answer, Call, Checking, Output, Tool, Toolset};
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
    check: Some(|checking, args| Box::pin(check(checking, args))),
    output: Output::Unstructured,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// Where the document is.
enum Place<'a> {
    File(Cow<'a, Path>),
    /// Its address, and the parameter that has it.
    Address(&'a str, &'static str),
}

/// The place that the arguments name. A path that is an address in truth is read as one, because no
/// file has such a name.
fn place(args: &Args) -> Option<Place<'_>> {
    let Some(path) = args.text("path") else {
        return Some(Place::Address(args.text("url")?, "url"));
    };
    let url = Url::parse(path.trim()).ok();
    Some(match url.as_ref().map(Url::scheme) {
        Some("http" | "https") => Place::Address(path, "path"),
        Some("file") => {
            let file = url.and_then(|url| url.to_file_path().ok());
            Place::File(file.map_or(Path::new(path).into(), Cow::Owned))
        }
        _ => Place::File(Path::new(path).into()),
    })
}

async fn check(checking: Checking<'_>, args: &Args) -> Result<(), Fault> {
    match place(args) {
        None => Ok(()),
        Some(Place::File(path)) => pages::check_file(&checking.services.engine, &path).await,
        Some(Place::Address(url, parameter)) => {
            page::check_address(checking.services, url, parameter)
        }
    }
}

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    match place(&args) {
        Some(Place::File(path)) => file(call, &path, &args).await,
        place => {
            let url = match place {
                Some(Place::Address(url, _)) => url,
                _ => "",
            };
            page::read_page(call, url, TOOL.name, &args, Keep::WhenCut).await
        }
    }
}

async fn file(call: &Call<'_>, path: &Path, args: &Args) -> Result<Answer, Fault> {
    let options = page::read_options(args);
    let engine = &call.services.engine;
    let read = pages::read_file(engine, &call.limits(), path, &options).await;
    page::answer(
        read.map_err(|fault| {
            let fault = call.advise_on_time(fault);
            page::add_next_calls(fault, "", TOOL.name, args)
        }),
        &options,
        TOOL.name,
        args,
    )
}

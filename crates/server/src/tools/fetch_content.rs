//! Reads one page or several. Several are one answer: each page or its failure, and a status that
//! says how many there are.

use std::fmt::Write;

use engine::Page;
use fault::{Context, Dialect, Fault, FieldName, Issue, Problem, Say, Surface, composite, render};
use futures_util::future::join_all;

use super::page::{self, ALLOW_TRUNCATE, CURSOR, MAX_CHARS, MODE};
use super::session;
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};

/// As many as one answer can hold without each becoming a stub.
const MOST_URLS: u64 = 10;

const PARAMS: &[Param; 6] = &[
    Param {
        name: "url",
        about: "Address of one page",
        shape: Shape::Url,
        required: false,
        example: "\"https://example.com/article\"",
    },
    Param {
        name: "urls",
        about: "Addresses of several pages",
        shape: Shape::List {
            of: &Shape::Url,
            max: MOST_URLS,
        },
        required: false,
        example: "[\"https://example.com/a\", \"https://example.com/b\"]",
    },
    MODE,
    MAX_CHARS,
    CURSOR,
    ALLOW_TRUNCATE,
];

const NAME: &str = "fetch_content";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    title: "Read pages",
    about: "Read one page (url) or several (urls) as Markdown. Several give one entry each, with a status: complete, partial or failed.",
    toolsets: &[Toolset::Web],
    surface: Surface::Fetch,
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    output: Output::Unstructured,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// One address and how reading it ended.
type Read = (String, Result<Page, Fault>);

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let urls = addresses(&args)?;
    if let [url] = urls.as_slice() {
        return page::read(call, url, NAME, &args).await;
    }
    let reads = read_all(call, &args, &urls).await;
    match reads.as_slice() {
        several if several.iter().all(|(_, read)| read.is_err()) => Err(all_failed(reads)),
        several => {
            let id = session::keep_pages(call, NAME, read_pages(several)).await;
            Ok(Answer::Page(
                told(several, dialect(call), share(&args, several.len())) + &id,
            ))
        }
    }
}

/// `url` and `urls` together, in order, each once.
fn addresses(args: &Args) -> Result<Vec<String>, Fault> {
    let mut urls: Vec<String> = Vec::new();
    for url in args.text("url").into_iter().chain(args.texts("urls")) {
        if !urls.iter().any(|known| known == url) {
            urls.push(url.to_owned());
        }
    }
    if urls.is_empty() {
        let missing = Problem::new(FieldName::new("url or urls"), Issue::Required);
        return Err(Fault::arguments(vec![missing]));
    }
    Ok(urls)
}

async fn read_all(call: &Call<'_>, args: &Args, urls: &[String]) -> Vec<Read> {
    let limits = call.limits();
    let limits = &limits;
    let reads = urls.iter().map(|url| async move {
        let mut request = page::request(url, args);
        // Whole where cutting is allowed: all of it is kept to be read on, and each gets its share
        // of the answer.
        request.part.max_chars = if request.part.allow_truncate {
            usize::MAX
        } else {
            request.part.max_chars / urls.len().max(1)
        };
        (
            url.clone(),
            call.services.engine.read_page(limits, &request).await,
        )
    });
    join_all(reads).await
}

/// Nothing was read: the weightiest failure speaks, and says what each address gave.
fn all_failed(reads: Vec<Read>) -> Fault {
    let faults = reads
        .into_iter()
        .filter_map(|(_, read)| Some(("page", read.err()?)))
        .collect();
    let fault = composite(faults)
        .unwrap_or_else(|| Fault::new(fault::Case::Internal, fault::Origin::Local));
    fault.detail(Say::new("every address failed"))
}

fn read_pages(reads: &[Read]) -> Vec<(&str, &Page)> {
    reads
        .iter()
        .filter_map(|(url, read)| Some((url.as_str(), read.as_ref().ok()?)))
        .collect()
}

/// What the client that called understands.
fn dialect(call: &Call<'_>) -> Dialect {
    let settings = &call.services.settings;
    settings
        .dialect
        .or_else(|| TOOL.dialect(&settings.toolsets))
        .unwrap_or(Dialect::Dual)
}

/// What each page may take of the answer.
fn share(args: &Args, pages: usize) -> usize {
    usize::try_from(args.integer("max_chars").unwrap_or_default()).unwrap_or_default()
        / pages.max(1)
}

fn told(reads: &[Read], dialect: Dialect, share: usize) -> String {
    let read = reads.iter().filter(|(_, read)| read.is_ok()).count();
    let status = if read == reads.len() {
        "complete"
    } else {
        "partial"
    };
    let mut text = format!("Status: {status} ({read} of {} pages read)\n", reads.len());
    for (number, (url, read)) in reads.iter().enumerate() {
        let _ = write!(
            text,
            "\n--- page {} of {}: {url}\n",
            number + 1,
            reads.len()
        );
        match read {
            Ok(page) => text.push_str(&page::told(
                &page::cut(page, share),
                "fetch_content, this url and ",
            )),
            Err(fault) => text.push_str(&failure(fault, dialect)),
        }
        text.push('\n');
    }
    text
}

/// A failure inside an answer, in the words it would have had as a whole one.
fn failure(fault: &Fault, dialect: Dialect) -> String {
    let reply = render(fault, dialect, &Context::new(Surface::Fetch));
    reply
        .blocks
        .into_iter()
        .map(|block| block.text.replace("\n\n", "\n"))
        .collect()
}

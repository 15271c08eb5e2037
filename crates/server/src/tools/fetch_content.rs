//! Reads one or several pages. Several pages make one answer: each page or its failure, and a
//! status with the number of pages that were read.

use std::collections::VecDeque;

use engine::Page;
use fault::{Context, Dialect, Fault, FollowUp, NextCall, Say, Surface, ToolName, render};
use futures_util::future::join_all;
use serde_json::{Map, json};

use super::page::{
    self, ALLOW_TRUNCATE, CURSOR, FORMULAS, Keep, MAX_CHARS, MODE, PAGES, PASSWORD, SHEET,
};
use super::session;
use super::{Annotations, Answer, Call, Checking, Output, PageEntry, PageList, Tool, Toolset};
use crate::pages;
use crate::params::{Alternatives, Args, Param, Shape, names};

/// More pages than this would leave too few characters for each.
const MOST_URLS: u64 = 10;

const PARAMS: &[Param; 10] = &[
    Param {
        name: "url",
        about: "Address of a page",
        shape: Shape::Url,
        required: false,
        example: "\"https://example.com/article\"",
    },
    Param {
        name: "urls",
        about: "Addresses of more pages",
        shape: Shape::List {
            of: &Shape::Url,
            max: MOST_URLS,
        },
        required: false,
        example: "[\"https://example.com/a\", \"https://example.com/b\"]",
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

const NAME: &str = "fetch_content";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    title: "Read pages",
    about: "Read one page or document (url) or several (urls) as Markdown. Several give one entry each, with a status: complete, partial or failed.",
    toolsets: &[Toolset::Web],
    surface: Surface::Fetch,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: Some(&Alternatives {
        names: &["url", "urls"],
        words: "url or urls",
    }),
    check: Some(|checking, args| Box::pin(async move { check(checking, args) })),
    output: Output::Unstructured,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// Refuses a call of which no page may be read; one refused page is told in its own place.
fn check(checking: Checking<'_>, args: &Args) -> Result<(), Fault> {
    let parameter = if args.text("url").is_some() {
        "url"
    } else {
        "urls"
    };
    let refused = |url: &String| page::check_address(checking.services, url, parameter).err();
    let urls = addresses(args);
    let refusals: Vec<Fault> = urls.iter().filter_map(refused).collect();
    let is_all = refusals.len() == urls.len();
    refusals
        .into_iter()
        .next()
        .filter(|_| is_all)
        .map_or(Ok(()), Err)
}

/// An address, and its page or fault.
type PageRead = (String, Result<Page, Fault>);

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let urls = addresses(&args);
    if let [url] = urls.as_slice() {
        return page::read_page(call, url, NAME, &args, Keep::Always).await;
    }
    let reads = read_all(call, &args, &urls).await;
    if reads.iter().all(|(_, read)| read.is_err()) {
        return Err(all_failed(reads, &args));
    }
    // What a password opens is not stored.
    let response_id = match args.text(PASSWORD.name) {
        None => session::keep_pages(call, NAME, pages_read(&reads)).await,
        Some(_) => None,
    };
    let share = share(&args, reads.len());
    Ok(Answer::Pages(PageList {
        status: status(&reads),
        notes: Vec::new(),
        facts: Map::new(),
        entries: entries(with_searches(call, reads, &args), dialect(call), share),
        response_id,
        closing: String::new(),
    }))
}

/// `url` and `urls` together, in order, without duplicates.
fn addresses(args: &Args) -> Vec<String> {
    let mut urls: Vec<String> = Vec::new();
    for url in args.text("url").into_iter().chain(args.texts("urls")) {
        if !urls.iter().any(|known| known == url) {
            urls.push(url.to_owned());
        }
    }
    urls
}

async fn read_all(call: &Call<'_>, args: &Args, urls: &[String]) -> Vec<PageRead> {
    let limits = call.limits();
    let limits = &limits;
    let reads = urls.iter().map(|url| async move {
        let mut request = page::request(call, url, args);
        // If truncation is allowed, the whole page is read and stored, and its share is shown.
        request.options.max_chars = if request.options.may_cut {
            page::MOST_TEXT
        } else {
            request.options.max_chars / urls.len().max(1)
        };
        let read = pages::read_page(&call.services.engine, limits, &request).await;
        let advised = |fault: Fault| explain_share(call.advise_on_time(fault), args, urls.len());
        (url.clone(), read.map_err(advised))
    });
    join_all(reads).await
}

/// Says of a page that is longer than its share what the share is and what to do.
fn explain_share(fault: Fault, args: &Args, pages: usize) -> Fault {
    if pages < 2 || fault.row().follow_up != FollowUp::ReadInParts {
        return fault;
    }
    let all = usize::try_from(args.integer(MAX_CHARS.name).unwrap_or_default());
    let all = Say::count(all.unwrap_or_default(), " characters are shared by ");
    fault.advising(all.and_count(
        pages,
        " pages. Set allow_truncate=true, or read one page per call.",
    ))
}

/// One fault for all addresses, with an entry for each. Its next calls repeat only the addresses
/// that may be read later.
fn all_failed(reads: Vec<PageRead>, args: &Args) -> Fault {
    let mut calls = searches(&reads, args);
    calls.extend(cut_instead(&reads, args));
    calls.extend(repetitions(&reads, args));
    let outcome = |(url, read): PageRead| page::outcome(json!({"url": url}), read.err());
    let fault = page::none_read(reads.into_iter().map(outcome).collect());
    calls.into_iter().fold(fault, Fault::next_call)
}

/// The most searches that are suggested for pages that are gone.
const MOST_SEARCHES: usize = 3;

/// Searches for the titles of pages that are gone or refuse access.
fn searches(reads: &[PageRead], args: &Args) -> Vec<NextCall> {
    let search = |(url, read): &PageRead| {
        let fault = read.as_ref().err()?;
        page::title_search(fault, url, args)
    };
    reads
        .iter()
        .filter_map(search)
        .take(MOST_SEARCHES)
        .collect()
}

/// The call again with the pages that were too long, which may be cut.
fn cut_instead(reads: &[PageRead], args: &Args) -> Option<NextCall> {
    let is_too_long = |read: &Result<Page, Fault>| {
        let fault = read.as_ref().err();
        fault.is_some_and(|fault| fault.row().follow_up == FollowUp::ReadInParts)
    };
    let long = reads.iter().filter(|(_, read)| is_too_long(read));
    let urls: Vec<String> = long.map(|(url, _)| url.clone()).collect();
    let mut call = with_urls(urls, args)?;
    call.arguments.remove(ALLOW_TRUNCATE.name);
    Some(call)
}

/// An agent seldom waits longer for the addresses that come after the first ones.
const LONGEST_WAIT: u64 = 600;

/// The call again with the addresses that may be read first, and with those that may be read a
/// little later.
fn repetitions(reads: &[PageRead], args: &Args) -> Vec<NextCall> {
    let wait = |(url, read): &PageRead| {
        let seconds = read.as_ref().err()?.advice().seconds()?;
        Some((url.clone(), seconds.max(1)))
    };
    let waits: Vec<(String, u64)> = reads.iter().filter_map(wait).collect();
    let Some(earliest) = waits.iter().map(|(_, seconds)| *seconds).min() else {
        return Vec::new();
    };
    let (first, later): (Vec<_>, Vec<_>) = waits
        .into_iter()
        .filter(|(_, seconds)| *seconds <= LONGEST_WAIT.max(earliest))
        .partition(|(_, seconds)| *seconds == earliest);
    [first, later]
        .into_iter()
        .filter_map(|waits| repetition(waits, args))
        .collect()
}

/// The call again with these addresses, after the longest of their waits.
fn repetition(waits: Vec<(String, u64)>, args: &Args) -> Option<NextCall> {
    let seconds = waits.iter().map(|(_, seconds)| *seconds).max()?;
    let urls = waits.into_iter().map(|(url, _)| url).collect();
    Some(NextCall {
        after_seconds: Some(seconds),
        ..with_urls(urls, args)?
    })
}

/// The call again with these addresses; `None` if there are none. The first is `url` if the caller
/// used that.
fn with_urls(urls: Vec<String>, args: &Args) -> Option<NextCall> {
    if urls.is_empty() {
        return None;
    }
    let mut urls = VecDeque::from(urls);
    let mut arguments = args.without_defaults(PARAMS);
    arguments.remove("urls");
    arguments.remove(PASSWORD.name);
    if arguments.contains_key("url") {
        arguments.insert("url".to_owned(), json!(urls.pop_front()?));
    }
    if !urls.is_empty() {
        arguments.insert("urls".to_owned(), json!(urls));
    }
    Some(NextCall::new(ToolName::new(NAME), arguments))
}

fn pages_read(reads: &[PageRead]) -> Vec<(&str, &Page)> {
    reads
        .iter()
        .filter_map(|(url, read)| Some((url.as_str(), read.as_ref().ok()?)))
        .collect()
}

/// The dialect in which failures are rendered.
fn dialect(call: &Call<'_>) -> Dialect {
    let settings = &call.services.settings;
    settings
        .dialect
        .or_else(|| TOOL.dialect(settings))
        .unwrap_or(Dialect::Dual)
}

/// The number of characters for each page.
fn share(args: &Args, pages: usize) -> usize {
    usize::try_from(args.integer("max_chars").unwrap_or_default()).unwrap_or_default()
        / pages.max(1)
}

fn status(reads: &[PageRead]) -> String {
    let read = reads.iter().filter(|(_, read)| read.is_ok()).count();
    let status = if read == reads.len() {
        "complete"
    } else {
        "partial"
    };
    format!("Status: {status} ({})", page::count_read(read, reads.len()))
}

/// Adds to a page that is gone the search for its title, where the caller can make it.
fn with_searches(call: &Call<'_>, reads: Vec<PageRead>, args: &Args) -> Vec<PageRead> {
    let with_search = |(url, read): PageRead| {
        let read = read.map_err(|fault| {
            let search = page::title_search(&fault, &url, args);
            let search = search.filter(|it| call.can_name(it.tool.as_str()));
            search.into_iter().fold(fault, Fault::next_call)
        });
        (url, read)
    };
    reads.into_iter().map(with_search).collect()
}

fn entries(reads: Vec<PageRead>, dialect: Dialect, share: usize) -> Vec<PageEntry> {
    let count = reads.len();
    let entry = |(index, (url, read)): (usize, PageRead)| PageEntry {
        number: format!("page {} of {count}", index + 1),
        url,
        page: match read {
            Ok(page) => Ok(page::page_text(
                page::shortened(page, share),
                Some("fetch_content, this url and "),
            )),
            Err(fault) => Err(failure(&fault, dialect)),
        },
    };
    reads.into_iter().enumerate().map(entry).collect()
}

/// A failure, rendered as if it were the whole answer.
fn failure(fault: &Fault, dialect: Dialect) -> String {
    let reply = render(fault, dialect, &Context::new(Surface::Fetch));
    reply
        .blocks
        .into_iter()
        .map(|block| block.text.replace("\n\n", "\n"))
        .collect()
}

//! How the tools for pages read one, and how it becomes an answer.
//!
//! The answer is text: a short header that names the source and says that the text is not ours,
//! then the page. A long page is truncated, with a notice that says how to continue; that is an
//! answer, not a failure.
//!
//! - `params`: the parameters that these tools share.
//! - `advice`: the next calls after a failure.
//! - `render`: the text of an answer.

mod advice;
mod params;
mod render;

use engine::research::{Publication, Source, SourceState};
use engine::{Page, PageRequest, ReadMode, ReadOptions};
use fault::{Case, Fault, FieldName, Origin, PageOutcome, composite_of_several};
use serde_json::{Map, Value};

pub(super) use self::{
    advice::{add_next_calls, title_search},
    params::{
        ALLOW_TRUNCATE, CURSOR, FORMULAS, MAX_CHARS, MODE, PAGES, PASSWORD, SHEET, read_options,
    },
    render::{page_text, shortened},
};
use self::{
    advice::{name_host, past_the_end},
    render::page_with_way,
};
use super::{Answer, Call, PageText, session};
use crate::{clock::unix_millis, pages, params::Args, services::Services};

/// As much of a page as an answer shows or a stored response keeps, and a character more, by which
/// the store knows that there is more.
pub(super) const MOST_TEXT: usize = 200_001;

/// Refuses an address that may not be read, before any traffic.
pub(super) fn check_address(
    services: &Services,
    url: &str,
    parameter: &'static str,
) -> Result<(), Fault> {
    let checked = services.engine.check_address(url);
    checked.map_err(|fault| name_host(fault, url).parameter(FieldName::new(parameter)))
}

/// The request for this address with the options in the arguments.
pub(super) fn request(call: &Call<'_>, url: &str, args: &Args) -> PageRequest {
    PageRequest {
        chosen_by: call.chosen_by,
        ..PageRequest::named(url, read_options(args))
    }
}

/// Which pages are stored as a whole, to be read again as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Always,
    /// Only where there is something to read on.
    WhenCut,
}

/// Reads one page for a tool. A fault suggests next calls.
pub(super) async fn read_page(
    call: &Call<'_>,
    url: &str,
    tool: &'static str,
    args: &Args,
    keep: Keep,
) -> Result<Answer, Fault> {
    let mut request = request(call, url, args);
    let most = request.options.max_chars;
    let reads_whole = is_first_part(&request.options);
    if reads_whole {
        request.options.max_chars = MOST_TEXT;
    }
    let read = pages::read_page(&call.services.engine, &call.limits(), &request).await;
    let page = read.map_err(|fault| {
        let fault = call.advise_on_time(fault);
        add_next_calls(fault, url, tool, args)
    })?;
    call.recorder.source(source(&page, tool));
    if !reads_whole {
        return answer(Ok(page), &request.options, tool, args);
    }
    let response_id = if keep == Keep::Always || page.total_chars > most {
        session::keep_pages(call, tool, vec![(url, &page)]).await
    } else {
        None
    };
    Ok(Answer::Page(PageText {
        response_id,
        ..page_with_way(shortened(page, most), args)
    }))
}

/// Whether the call reads a page from its beginning and lets it be cut.
fn is_first_part(options: &ReadOptions) -> bool {
    let reads_text = matches!(options.mode, ReadMode::Full | ReadMode::Raw);
    options.start == 0 && options.may_cut && reads_text && options.selection.is_whole()
}

/// The page as a source for a session's records.
pub(super) fn source(page: &Page, tool: &str) -> Source {
    Source {
        url: page.url.clone(),
        state: SourceState::Read,
        title: page.metadata.title.clone(),
        published: page.metadata.published.clone(),
        author: page.metadata.author.clone(),
        publication: Publication::from_metadata(&page.metadata),
        via: page.tier.to_owned(),
        tool: tool.to_owned(),
        at: unix_millis(),
        ..Source::default()
    }
}

/// The answer for a page that was read, or a fault when the cursor is past its end.
pub(super) fn answer(
    read: Result<Page, Fault>,
    options: &ReadOptions,
    tool: &'static str,
    args: &Args,
) -> Result<Answer, Fault> {
    let page = read?;
    if options.start > 0 && options.start >= page.end {
        return Err(past_the_end(&page, tool, args));
    }
    Ok(Answer::Page(page_with_way(page, args)))
}

/// `1 of 3 pages read`.
pub(super) fn count_read(read: usize, all: usize) -> String {
    let plural = if all == 1 { "" } else { "s" };
    format!("{read} of {all} page{plural} read")
}

/// A page of a call that reads several, with what is known about it.
pub(super) fn outcome(facts: Value, fault: Option<Fault>) -> PageOutcome {
    let facts = match facts {
        Value::Object(facts) => facts,
        _ => Map::new(),
    };
    PageOutcome { facts, fault }
}

/// One fault for several pages, none of which could be read. The catalogue's precedence picks it.
pub(super) fn none_read(pages: Vec<PageOutcome>) -> Fault {
    let faults = pages
        .iter()
        .filter_map(|page| Some(("page", page.fault.clone()?)))
        .collect();
    let fault =
        composite_of_several(faults).unwrap_or_else(|| Fault::new(Case::Internal, Origin::Local));
    fault.pages(pages)
}

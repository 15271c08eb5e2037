//! The parameters that tools for pages share, and how a page becomes an answer.
//!
//! The answer is text: a short header that names the source and says that the text is not ours,
//! then the page. A long page is truncated, with a notice that says how to continue; that is an
//! answer, not a failure.

use engine::research::{Publication, Source, SourceState};
use engine::{
    Page, PagePart, PageRange, PageRequest, Password, ReadMode, ReadOptions, Selection, Unit,
};
use fault::{
    Case, Fault, FieldName, FollowUp, Host, Issue, Kind, NextCall, Origin, PageOutcome, Problem,
    Say, Size, ToolName, composite_of_several,
};
use serde_json::{Map, Value};
use url::Url;

use super::session::SESSION;
use super::{Answer, Call, PageText, session};
use crate::{
    clock::unix_millis,
    pages,
    params::{Args, Param, Shape},
    services::Services,
};

/// The default length of an answer in characters: about a third of what clients accept from a tool.
const DEFAULT_CHARS: i64 = 30_000;

const MOST_CHARS: i64 = 200_000;

/// As much of a page as an answer shows or a stored response keeps, and a character more, by which
/// the store knows that there is more.
pub(super) const MOST_TEXT: usize = 200_001;

pub(super) const MODE: Param = Param {
    name: "mode",
    about: "preview: beginning; outline: parts and cursors; raw: source",
    shape: Shape::Choice {
        allowed: &["full", "preview", "outline", "raw"],
        default: Some("full"),
    },
    required: false,
    example: "\"full\"",
};

pub(super) const PAGES: Param = Param {
    name: "pages",
    about: "Pages or slides: 3-7",
    shape: Shape::Pages,
    required: false,
    example: "\"3-7\"",
};

pub(super) const SHEET: Param = Param {
    name: "sheet",
    about: "Only this sheet or file",
    shape: Shape::Text {
        max_chars: u64::MAX,
    },
    required: false,
    example: "\"Q2\"",
};

pub(super) const PASSWORD: Param = Param {
    name: "password",
    about: "Of an encrypted document",
    shape: Shape::Text {
        max_chars: u64::MAX,
    },
    required: false,
    example: "\"secret\"",
};

pub(super) const FORMULAS: Param = Param {
    name: "formulas",
    about: "Show the formulas of a workbook, too",
    shape: Shape::Flag {
        default: Some(false),
    },
    required: false,
    example: "true",
};

pub(super) const MAX_CHARS: Param = Param {
    name: "max_chars",
    about: "Maximum characters",
    shape: Shape::Integer {
        min: 200,
        max: MOST_CHARS,
        default: Some(DEFAULT_CHARS),
    },
    required: false,
    example: "30000",
};

pub(super) const CURSOR: Param = Param {
    name: "cursor",
    about: "Of the previous answer",
    shape: Shape::Integer {
        min: 0,
        max: i64::MAX,
        default: Some(0),
    },
    required: false,
    example: "0",
};

pub(super) const ALLOW_TRUNCATE: Param = Param {
    name: "allow_truncate",
    about: "false: fail rather than cut",
    shape: Shape::Flag {
        default: Some(true),
    },
    required: false,
    example: "true",
};

/// Which part of a document the arguments select.
fn selection(args: &Args) -> Selection {
    Selection {
        pages: args.text(PAGES.name).map(PageRange::named),
        name: args.text(SHEET.name).map(str::to_owned),
        password: args.text(PASSWORD.name).map(Password::new),
        formulas: args.flag(FORMULAS.name),
    }
}

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

pub(super) fn read_options(args: &Args) -> ReadOptions {
    let count =
        |name: &str| usize::try_from(args.integer(name).unwrap_or_default()).unwrap_or_default();
    ReadOptions {
        start: count("cursor"),
        max_chars: count("max_chars"),
        may_cut: args.flag("allow_truncate"),
        mode: match args.text("mode") {
            Some("preview") => ReadMode::Preview,
            Some("outline") => ReadMode::Outline,
            Some("raw") => ReadMode::Raw,
            _ => ReadMode::Full,
        },
        selection: selection(args),
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

/// Adds next calls to the fault for a page that could not be read.
pub(super) fn add_next_calls(fault: Fault, url: &str, tool: &'static str, args: &Args) -> Fault {
    let fault = name_host(fault, url);
    if fault.kind() == Kind::NotFound && fault.origin() == Origin::Local {
        return suggest_outline(fault, tool, args);
    }
    match fault.row().follow_up {
        FollowUp::None => fault,
        FollowUp::SearchTitle => match title_search(&fault, url, args) {
            Some(search) if fault.calls().is_empty() => fault.next_call(search),
            _ => fault,
        },
        FollowUp::ReadInParts => suggest_reading_in_parts(fault, tool, args),
    }
}

/// Suggests the outline of a document that has no such page, sheet or file.
fn suggest_outline(fault: Fault, tool: &'static str, args: &Args) -> Fault {
    let mut call = with(tool, args, "mode", Some(Value::from("outline")));
    for name in [PAGES.name, SHEET.name, CURSOR.name] {
        call.arguments.remove(name);
    }
    fault.next_call(call)
}

/// Names the host of a refused address, with its port, since that may be the reason.
fn name_host(fault: Fault, url: &str) -> Fault {
    if fault.kind() == Kind::Validation && fault.seen_host().is_none() {
        fault.host(Url::parse(url).ok().as_ref().and_then(Host::from_url))
    } else {
        fault
    }
}

/// Suggests reading a page that is too long in parts, or as a whole with a higher limit.
fn suggest_reading_in_parts(fault: Fault, tool: &'static str, args: &Args) -> Fault {
    let whole = match fault.seen_size() {
        Some(Size::Characters(characters)) => i64::try_from(characters)
            .ok()
            .filter(|characters| (1..=MOST_CHARS).contains(characters)),
        _ => None,
    };
    let fault = fault
        .parameter(FieldName::new("allow_truncate"))
        .next_call(with(tool, args, "allow_truncate", Some(Value::Bool(true))));
    match whole {
        Some(size) if Some(size) > args.integer("max_chars") => {
            fault.next_call(with(tool, args, "max_chars", Some(Value::from(size))))
        }
        _ => fault,
    }
}

/// The search for a page that is gone or refuses access, because its content may be elsewhere; `None`
/// where a search does not help. The words in the page's address are the query.
pub(super) fn title_search(fault: &Fault, url: &str, args: &Args) -> Option<NextCall> {
    if fault.row().follow_up != FollowUp::SearchTitle {
        return None;
    }
    let query = ("query".to_owned(), Value::from(super::slug::title(url)?));
    let mut arguments = Map::from_iter([query]);
    if let Some(id) = args.text(SESSION.name) {
        arguments.insert(SESSION.name.to_owned(), Value::from(id));
    }
    Some(NextCall::new(ToolName::new("web_search"), arguments))
}

/// The fault for a cursor past the end of the page; an empty answer would hide the mistake.
fn past_the_end(page: &Page, tool: &'static str, args: &Args) -> Fault {
    let field = FieldName::new(CURSOR.name);
    let last = i64::try_from(page.end.saturating_sub(1)).unwrap_or(i64::MAX);
    let problems = vec![
        Problem::new(field, Issue::Says(Say::new("is past the end of the page"))),
        Problem::new(field, Issue::OutOfRange { min: 0, max: last }),
    ];
    Fault::arguments(problems).next_call(with(tool, args, "cursor", None))
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

/// The same call with one argument changed or removed. It never has the password: the caller knows
/// it and adds it.
fn with(tool: &'static str, args: &Args, name: &str, value: Option<Value>) -> NextCall {
    let mut arguments = args.as_map().clone();
    arguments.remove(PASSWORD.name);
    match value {
        Some(value) => arguments.insert(name.to_owned(), value),
        None => arguments.remove(name),
    };
    NextCall::new(ToolName::new(tool), arguments)
}

/// The page with at most `most` characters of its text, and the cursor for the rest.
pub(super) fn shortened(mut page: Page, most: usize) -> Page {
    if let Some((end, _)) = page.text.char_indices().nth(most) {
        page.text.truncate(end);
    }
    let end = page.start + page.text.chars().count();
    page.cursor = (end < page.end).then_some(end);
    page
}

/// Converts a page for an answer. `read_on_with` names the tool and arguments to continue with,
/// besides the cursor; it is empty when the same call continues, and `None` when none does.
pub(super) fn page_text(page: Page, read_on_with: Option<&str>) -> PageText {
    let cursor = page.cursor.filter(|_| read_on_with.is_some());
    let notice = match (page.cursor, read_on_with) {
        (Some(cursor), Some(read_on_with)) => Some(format!(
            "[truncated: characters {} to {cursor} of {}; read on with {read_on_with}cursor={cursor}]",
            page.start, page.total_chars
        )),
        (Some(end), None) => Some(format!(
            "[truncated: characters {} to {end} of {}]",
            page.start, page.total_chars
        )),
        (None, _) if page.unread.is_some() => unread_notice(&page, false),
        (None, _) => page
            .source_truncated
            .then(|| "[truncated: the source is longer than this server can read]".to_owned()),
    };
    PageText {
        metadata: metadata(&page),
        has_ocr: page.has_ocr,
        source: page.url,
        body: page.text,
        truncated: notice.is_some(),
        notice,
        cursor,
        response_id: None,
    }
}

/// Says which pages were not recognised in the time of the call, and what reads them: the same call
/// with other pages, or, for one of several addresses, a call with the page in the address.
fn unread_notice(page: &Page, same_call: bool) -> Option<String> {
    let (first, last) = page.unread?;
    let way = if same_call {
        format!("pages=\"{first}-{last}\"")
    } else {
        let (url, _) = page.url.split_once('#').unwrap_or((&page.url, ""));
        format!("url=\"{url}#page={first}\"")
    };
    Some(format!(
        "[truncated: pages {first} to {last} are images, and there was no time to recognise them; read on with {way}]"
    ))
}

/// The most names of parts that are shown, and the longest of them in characters.
const MOST_NAMES: usize = 12;
const MOST_NAME: usize = 80;

/// What a document consists of: `12 pages`, `2 sheets: Q1, Q2`.
fn parts(page: &Page) -> Option<String> {
    let first = page.parts.first()?;
    let count = page.parts.len();
    let unit = first.unit.word();
    let plural = if count == 1 { "" } else { "s" };
    let is_named = matches!(first.unit, Unit::Sheet | Unit::File | Unit::Attachment);
    if !is_named {
        return (count > 1).then(|| format!("{count} {unit}{plural}"));
    }
    let names = page.parts.iter().filter_map(PagePart::shown_name);
    let mut names: Vec<String> = names
        .take(MOST_NAMES)
        .map(|name| name.chars().take(MOST_NAME).collect())
        .collect();
    if count > MOST_NAMES {
        names.push("…".to_owned());
    }
    let names = names.join(", ");
    Some(format!("{count} {unit}{plural}: {names}"))
}

/// The page for an answer, which says how to read one of its parts.
fn page_with_way(page: Page, args: &Args) -> PageText {
    let way = way(&page, args);
    let unread = unread_notice(&page, true).filter(|_| page.cursor.is_none());
    let mut text = page_text(page, Some(""));
    text.notice = unread.or(text.notice);
    let parts = text.metadata.iter_mut().find(|(name, _)| *name == "Parts");
    if let (Some((_, parts)), Some(way)) = (parts, way) {
        parts.push_str(way);
    }
    text
}

/// The arguments that read one of the parts. A file of an archive has no number to ask for, and a
/// file inside such a file is asked for by both names.
fn way(page: &Page, args: &Args) -> Option<&'static str> {
    let in_text = page.parts.iter().any(|part| part.start.is_some());
    let sheet = args.text("sheet");
    let is_file = sheet.is_some_and(|name| !page.parts.iter().any(|part| part.is_named(name)));
    match (in_text, is_file) {
        (true, false) => Some(" (pages=\"2-3\" or sheet=\"NAME\" reads some)"),
        (true, true) => Some(" (pages=\"2-3\" reads some)"),
        (false, false) => Some(" (sheet=\"NAME\" reads one)"),
        (false, true) => Some(" (sheet=\"THIS!/NAME\" reads one, THIS being this file's name)"),
    }
}

/// The longest description shown, in characters; on some sites it is as long as the page.
const MOST_DESCRIPTION: usize = 300;

fn metadata(page: &Page) -> Vec<(&'static str, String)> {
    let about = &page.metadata;
    let canonical = about
        .canonical
        .clone()
        .filter(|canonical| *canonical != page.url);
    // A description that repeats the text, often its first paragraph, is left out.
    let description = about
        .description
        .as_ref()
        .filter(|description| !page.text.contains(description.as_str()))
        .map(|description| description.chars().take(MOST_DESCRIPTION).collect());
    let age = page
        .age
        .filter(|age| age.as_secs() > 0)
        .map(|age| format!("{} s ago (cached)", age.as_secs()));
    let facts = [
        ("Title", about.title.clone()),
        ("Author", about.author.clone()),
        ("Published", about.published.clone()),
        ("Site", about.site.clone()),
        ("Language", about.language.clone()),
        ("Canonical", canonical),
        ("Description", description),
        ("Parts", parts(page)),
        ("Read", age),
        ("Warning", page.parse_warning.clone()),
    ];
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

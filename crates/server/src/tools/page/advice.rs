//! The next calls after a page that could not be read, or a part of it that does not exist.

use engine::Page;
use fault::{
    Fault, FieldName, FollowUp, Host, Issue, Kind, NextCall, Origin, Problem, Say, Size, ToolName,
};
use serde_json::{Map, Value};
use url::Url;

use super::params::{CURSOR, MOST_CHARS, PAGES, PASSWORD, SHEET};
use crate::{
    params::Args,
    tools::{session::SESSION, slug},
};

/// Adds next calls to the fault for a page that could not be read.
pub(in crate::tools) fn add_next_calls(
    fault: Fault,
    url: &str,
    tool: &'static str,
    args: &Args,
) -> Fault {
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
    for name in [PAGES.name, CURSOR.name] {
        call.arguments.remove(name);
    }
    // Where it is known how many parts there are, the file that has them was found by its name.
    if fault.seen_limit().is_none() {
        call.arguments.remove(SHEET.name);
    }
    fault.next_call(call)
}

/// Names the host of a refused address, with its port, since that may be the reason.
pub(super) fn name_host(fault: Fault, url: &str) -> Fault {
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
pub(in crate::tools) fn title_search(fault: &Fault, url: &str, args: &Args) -> Option<NextCall> {
    if fault.row().follow_up != FollowUp::SearchTitle {
        return None;
    }
    let query = ("query".to_owned(), Value::from(slug::title(url)?));
    let mut arguments = Map::from_iter([query]);
    if let Some(id) = args.text(SESSION.name) {
        arguments.insert(SESSION.name.to_owned(), Value::from(id));
    }
    Some(NextCall::new(ToolName::new("web_search"), arguments))
}

/// The fault for a cursor past the end of the page; an empty answer would hide the mistake.
pub(super) fn past_the_end(page: &Page, tool: &'static str, args: &Args) -> Fault {
    let field = FieldName::new(CURSOR.name);
    let last = i64::try_from(page.end.saturating_sub(1)).unwrap_or(i64::MAX);
    let problems = vec![
        Problem::new(field, Issue::Says(Say::new("is past the end of the page"))),
        Problem::new(field, Issue::OutOfRange { min: 0, max: last }),
    ];
    Fault::arguments(problems).next_call(with(tool, args, "cursor", None))
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

//! What to do when a live search fails: use the tool of another toolset that does the nearest thing,
//! or ask for less.

use engine::live::{LiveKind, LiveQuery, needs_the_operator};
use engine::search::{Capability, MAX_QUERY_CHARS};
use fault::{Fault, NextCall, Say, ToolName};
use serde_json::{Map, json};
use tokio::time::Instant;

use super::params::{ANALYSIS_MODE, DEFAULT_RESULTS};
use crate::params::Args;
use crate::tools::search::as_query;
use crate::tools::{Call, TOOLS, ToolAccess, news_search, web_search};

/// Adds the nearest call of another toolset. What only the operator can mend is told with that
/// tool, or with the toolset that has it, because some dialects have no field for calls.
pub(super) fn add_to(fault: Fault, call: &Call<'_>, query: &LiveQuery) -> Fault {
    let nearest = Nearest::to(query.kind, call);
    let fault = match (&nearest, needs_the_operator(&fault)) {
        (_, false) => fault,
        (Some(nearest), true) => fault.note(nearest.note(query)),
        (None, true) => match call.access(&web_search::TOOL) {
            // No provider can serve it now.
            ToolAccess::Granted => fault,
            ToolAccess::NeedsScope => fault.note(GET_SCOPE),
            ToolAccess::OtherToolset => fault.note(TURN_ON),
            ToolAccess::LeftOut => fault.note(ADD_TOOL),
        },
    };
    match nearest {
        Some(nearest) => fault.next_call(nearest.call(query)),
        None => fault,
    }
}

const TURN_ON: Say = Say::new(
    "The tool web_search of the toolset research needs no key: start the server with --toolset live,research to use it meanwhile.",
);

const ADD_TOOL: Say = Say::new(
    "The tool web_search needs no key: the operator can add it to --tools to use it meanwhile.",
);

const GET_SCOPE: Say = Say::new(
    "This server can search without xAI for tokens with the scope research: ask the operator for one to use it meanwhile.",
);

const SHORTER_QUERY: &str = " Its query may have at most 500 characters.";
const _: () = assert!(MAX_QUERY_CHARS == 500, "the sentence above");

/// A tool that searches without xAI.
struct Nearest {
    tool: &'static str,
}

impl Nearest {
    /// The first tool for this kind of search that the caller may use, and that some provider can serve.
    fn to(kind: LiveKind, call: &Call<'_>) -> Option<Nearest> {
        let news = (news_search::TOOL, Capability::News);
        let web = (web_search::TOOL, Capability::Web);
        let wanted = match kind {
            LiveKind::News => vec![news, web],
            LiveKind::Web | LiveKind::Posts | LiveKind::General => vec![web],
        };
        let is_usable = |capability| {
            let usable = call.services.engine.searching().usable(capability);
            !usable.is_empty()
        };
        wanted
            .into_iter()
            .find(|(tool, capability)| call.can_name(tool.name) && is_usable(*capability))
            .map(|(tool, _)| Nearest { tool: tool.name })
    }

    fn note(&self, query: &LiveQuery) -> Say {
        let what = match query.kind {
            LiveKind::News => " finds news without xAI.",
            LiveKind::Posts => " searches the web, but not X, without xAI.",
            LiveKind::Web | LiveKind::General => " searches the web without xAI.",
        };
        let note = Say::new("Meanwhile ").with(self.tool).with(what);
        match query.text.chars().count() > MAX_QUERY_CHARS {
            true => note.with(SHORTER_QUERY),
            false => note,
        }
    }

    /// The same search with that tool, which takes shorter queries.
    fn call(&self, query: &LiveQuery) -> NextCall {
        let mut arguments = Map::new();
        arguments.insert("query".to_owned(), json!(as_query(&query.text)));
        if query.count != DEFAULT_RESULTS {
            arguments.insert("max_results".to_owned(), json!(query.count));
        }
        for (name, day) in [("from_date", query.from), ("to_date", query.to)] {
            arguments.extend(day.map(|day| (name.to_owned(), json!(day.to_string()))));
        }
        let lists = [
            ("sites", &query.domains),
            ("exclude", &query.excluded_domains),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                arguments.insert(name.to_owned(), json!(list));
            }
        }
        NextCall::new(ToolName::new(self.tool), arguments)
    }
}

/// Says which limit ended a call whose time was up. An analysis takes longest, so the same search
/// without one is suggested.
pub(super) fn with_time_limit(
    fault: Fault,
    call: &Call<'_>,
    tool: &'static str,
    args: &Args,
) -> Fault {
    // A caller that chose a shorter time is told so where that is obeyed.
    if Instant::now() < call.deadline || call.is_shortened {
        return fault;
    }
    let limit = call.services.settings.grok_timeout;
    let fault = fault
        .elapsed(limit)
        .detail(Say::new("GROK_TIMEOUT is the limit"));
    let is_mode = |name: &str| name == ANALYSIS_MODE.name;
    let params = TOOLS.iter().find(|it| it.name == tool);
    let mut arguments = args.without_defaults(params.map_or(&[], |it| it.params));
    let had_analysis = arguments.keys().any(|name| is_mode(name));
    arguments.retain(|name, _| !is_mode(name));
    match had_analysis {
        true => fault.next_call(NextCall::new(ToolName::new(tool), arguments)),
        false => fault,
    }
}

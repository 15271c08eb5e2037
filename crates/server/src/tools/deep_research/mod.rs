//! Answers a question by letting a language model use the other tools.
//!
//! - `depth`: how much a call may do, from its arguments and the operator's settings.
//! - `offered`: the tools that the model may call, and what it may say in their arguments.
//! - `steps`: the loop: ask the model, make its calls, until it answers or its budget ends.
//! - `memory`: what was called before, to notice a model that repeats itself.
//! - `transcript`: the conversation, kept within the model's context.
//! - `sources`: the pages found and read, by the numbers that the model cites.
//! - `citations` and `links`: check the answer: only numbers and addresses of sources stay in it.
//! - `plain` and `extracts`: an answer without a model, of what the pages themselves say.
//! - `outages`: what the searches could not find because providers failed.
//! - `finding` and `report`: the result, and the reply.
//!
//! The model is a stranger who reads what strangers wrote. It chooses only among reading tools, its
//! arguments are decoded like any caller's, and its words are quoted as external text.

mod citations;
mod depth;
mod extracts;
mod finding;
mod links;
mod memory;
mod offered;
mod outages;
mod plain;
mod report;
mod sources;
mod steps;
mod transcript;

use engine::live::needs_the_operator;
use engine::model::Model;
use fault::{Case, Fault, NextCall, Origin, Say, SettingName, Surface, ToolName};
use serde_json::{Map, Value, json};

use self::depth::Budget;
use self::steps::{DEADLINE, Research};
use super::session::SESSION;
use super::{
    Annotations, Answer, Call, Output, Tool, ToolAccess, Toolset, search, search_and_scrape,
};
use crate::params::{Args, Param, Shape, TIMEOUT, names};

const MAX_QUESTION_CHARS: u64 = 4_000;

const PARAMS: &[Param; 5] = &[
    Param {
        name: "question",
        about: "What to find out, in whole sentences",
        shape: Shape::Text {
            max_chars: MAX_QUESTION_CHARS,
        },
        required: true,
        example: "\"Which sodium-ion batteries are sold for homes, and at what price?\"",
    },
    Param {
        name: "depth",
        about: "standard: 16 tool calls, 120 s; quick: 6, 50 s; deep: 40, 300 s",
        shape: Shape::Choice {
            allowed: depth::NAMES,
            default: Some(depth::NAMES[0]),
        },
        required: false,
        example: "\"quick\"",
    },
    Param {
        name: "max_calls",
        about: "Most tool calls, instead of the depth's",
        shape: Shape::Integer {
            min: 1,
            max: depth::MOST_CALLS,
            default: None,
        },
        required: false,
        example: "10",
    },
    Param {
        name: "deadline",
        about: "Most seconds, instead of the depth's; the operator's limit holds too",
        shape: Shape::Integer {
            min: depth::SHORTEST_SECONDS,
            max: depth::LONGEST_SECONDS,
            default: None,
        },
        required: false,
        example: "60",
    },
    SESSION,
];

const NAME: &str = "deep_research";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    title: "Research a question",
    about: "Let an embedded agent search and read, and answer a question with numbered citations of pages it fetched, and what it could not verify. Takes minutes.",
    toolsets: &[Toolset::Agent],
    surface: Surface::Search,
    search_type: "research",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: None,
    output: Output::Schema(report::schema),
    deadline: Some(depth::time_limit),
    annotations: Annotations {
        read_only: true,
        idempotent: false,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let question = args.text("question").unwrap_or_default();
    let settings = &call.services.settings;
    let own = call
        .services
        .engine
        .model()
        .map(|model| model as &dyn Model);
    let Some(model) = own.or(call.model.as_deref()) else {
        return Err(no_model(call, question, &args));
    };
    let budget = Budget::new(settings, &args, call.deadline);
    let session = call.recorder.session();
    let more_seconds = budget.more_seconds;
    let research = Research::new(call, model, question, session.as_deref(), budget);
    let finding = research.run().await.map_err(|failed| {
        let next = failed.next_after.map(|wait| NextCall {
            after_seconds: Some(wait).filter(|seconds| *seconds > 0),
            ..plain_call(question, &args)
        });
        let is_late = failed.fault.seen_parameter() == Some(DEADLINE);
        let longer = more_seconds.filter(|_| is_late).map(|seconds| {
            let mut arguments = args.without_defaults(PARAMS);
            arguments.remove(TIMEOUT.name);
            arguments.insert("deadline".to_owned(), json!(seconds));
            NextCall::new(ToolName::new(NAME), arguments)
        });
        let fault = match without_model(call, next.is_some()) {
            Some(note) if needs_the_operator(&failed.fault) => failed.fault.note(note),
            _ => failed.fault,
        };
        let calls = longer.into_iter().chain(next);
        calls.fold(fault, Fault::next_call)
    })?;
    Ok(report::answer(finding))
}

/// The fault for a server without a model: what to set, and what does the nearest thing now.
fn no_model(call: &Call<'_>, question: &str, args: &Args) -> Fault {
    let settings = &call.services.settings;
    let (setting, says) = match (&settings.agent_url, &settings.agent_model) {
        (Some(_), None) => (
            "FINGERPOST_AGENT_MODEL",
            "deep_research has the address of a model but not its name: set FINGERPOST_AGENT_MODEL (--agent-model).",
        ),
        (None, Some(_)) => (
            "FINGERPOST_AGENT_URL",
            "deep_research has the name of a model but not its address: set FINGERPOST_AGENT_URL (--agent-url) to an OpenAI-compatible API.",
        ),
        _ => (
            "FINGERPOST_AGENT_URL",
            "deep_research has no language model: set FINGERPOST_AGENT_URL to an OpenAI-compatible API and FINGERPOST_AGENT_MODEL to a model of it (and FINGERPOST_AGENT_API_KEY if it wants a key), or call it from a client that offers MCP sampling (protocol revisions up to 2025-11-25).",
        ),
    };
    let advice = match call.access(&search_and_scrape::TOOL) {
        ToolAccess::Granted => {
            "Ask the operator to set it; meanwhile search_and_scrape with the question as its query searches and reads."
        }
        ToolAccess::NeedsScope => {
            "Ask the operator to set it, or for a token with the scope research, with which this server searches and reads without a model."
        }
        ToolAccess::OtherToolset => {
            "Ask the operator to set it, or to turn on the toolset research (--toolset agent,research), whose search_and_scrape searches and reads without a model."
        }
        ToolAccess::LeftOut => {
            "Ask the operator to set it, or to add search_and_scrape to --tools, which searches and reads without a model."
        }
    };
    Fault::new(Case::BadSetting, Origin::Local)
        .setting(SettingName::new(setting))
        .saying(Say::new(says))
        .advising(Say::new(advice))
        .next_call(plain_call(question, args))
}

/// What searches and reads until the operator has mended the model, unless the same search is among
/// the next calls.
fn without_model(call: &Call<'_>, is_listed: bool) -> Option<Say> {
    match call.access(&search_and_scrape::TOOL) {
        ToolAccess::Granted if is_listed => None,
        ToolAccess::Granted => Some(Say::new(
            "search_and_scrape searches and reads without a model; this question found nothing, so ask it with fewer or other words.",
        )),
        ToolAccess::NeedsScope => Some(Say::new(
            "With a token that has the scope research, this server searches and reads without a model: ask the operator for one to use it meanwhile.",
        )),
        ToolAccess::OtherToolset => Some(Say::new(
            "The tool search_and_scrape of the toolset research needs no model: start the server with --toolset agent,research to use it meanwhile.",
        )),
        ToolAccess::LeftOut => Some(Say::new(
            "The tool search_and_scrape needs no model: the operator can add it to --tools to use it meanwhile.",
        )),
    }
}

/// The call that does the nearest thing without a model. It is listed only where its toolset is on.
fn plain_call(question: &str, args: &Args) -> NextCall {
    let mut arguments =
        Map::from_iter([("query".to_owned(), Value::from(search::as_query(question)))]);
    if let Some(session) = args.text(SESSION.name) {
        arguments.insert(SESSION.name.to_owned(), json!(session));
    }
    NextCall::new(ToolName::new(offered::PLAIN_TOOL), arguments)
}

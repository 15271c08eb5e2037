//! The code that the search tools share.
//!
//! - `params`: their parameters, and the request that the arguments make.
//! - `fields`: the parameter name of each field of a request.
//! - `render`: the answer as JSON, and what it lacks; `text`: the answer as text.

mod fields;
mod params;
mod render;
mod text;

use std::fmt::Write;

use engine::Engine;
use engine::research::{ItemKind, NewItem, NewResponse, Publication, Source, SourceState};
use engine::search::{
    Capability, Details, FusedHit, QueryResults, SearchAnswer, SearchPlan, SearchRequest,
    Suggestion,
};
use fault::{Fault, FieldName, NextCall, ToolName};
use serde_json::{Map, Value, json};

use super::session::READS_STORED;
use super::{Answer, Call, Checking};
use crate::clock::unix_millis;
use crate::params::{Args, default_of, joined};
use crate::session_recorder::PartialSearch;

pub(crate) use params::choice;
pub(super) use params::{
    COUNTRY, EXCLUDE, FROM_DATE, LANGUAGE, LENS, MAX_RESULTS, PROVIDER, QUERIES, QUERY, SAFE,
    SITES, TIME_RANGE, TO_DATE, as_query, request, text_param,
};
pub(super) use render::failure;
pub(crate) use render::{degraded, fault_value, is_partial, results, structured};
pub(crate) use text::text;

/// Searches for a call, which notes whether the answer is only a part of what could be found.
pub(super) async fn search_for(
    call: &Call<'_>,
    request: &SearchRequest,
) -> Result<SearchAnswer, Fault> {
    let mut answer = search(&call.services.engine, &call.limits(), request).await?;
    for hints in answer.groups.iter_mut().filter_map(|it| it.hints.as_mut()) {
        hints.actions.retain(|action| can_follow(call, action));
        if hints.actions.is_empty() {
            hints.actions.push(Suggestion::ShortenQuery);
        }
    }
    if is_partial(&answer) {
        call.recorder.partial_search(PartialSearch {
            failures: render::failures_of(&answer).cloned().collect(),
            wait: render::wait(&answer),
        });
    }
    Ok(answer)
}

/// Whether the caller has the tool that a suggestion is about.
fn can_follow(call: &Call<'_>, suggestion: &Suggestion) -> bool {
    match suggestion {
        Suggestion::SwitchCapability(capability) => call.can_name(&tool_for(*capability)),
        _ => true,
    }
}

/// The name of the tool for a kind of search.
fn tool_for(capability: Capability) -> String {
    format!("{}_search", capability.as_str())
}

/// Checks a request and searches. All mistakes in the request become one fault, which names the
/// parameters.
pub(crate) async fn search(
    engine: &Engine,
    limits: &engine::Call,
    request: &SearchRequest,
) -> Result<SearchAnswer, Fault> {
    let plan = planned(engine, request).await?;
    engine.search(limits, &plan).await
}

/// The plan of a request, or all its mistakes: those of its fields, and a provider that cannot be
/// asked.
async fn planned(engine: &Engine, request: &SearchRequest) -> Result<SearchPlan, Fault> {
    match engine.searching().plan(request) {
        Ok(plan) => Ok(plan),
        Err(mistakes) => {
            let refusal = check_provider(engine, request).await.err();
            let fault = fields::fault(mistakes);
            Err(match refusal {
                Some(refusal) => joined(fault, &refusal),
                None => fault,
            })
        }
    }
}

/// Refuses the providers that a request names, whatever else is wrong with it.
async fn check_provider(engine: &Engine, request: &SearchRequest) -> Result<(), Fault> {
    let query = request.queries.first();
    let only_provider = |query: &str| SearchRequest {
        provider: request.provider.clone(),
        ..SearchRequest::new(query, request.capability)
    };
    let plan = |query| engine.searching().plan(&only_provider(query));
    let plan = query
        .and_then(|query| plan(query).ok())
        .or_else(|| plan("anything").ok());
    match plan {
        Some(plan) => check_plan(engine, &plan).await,
        None => Ok(()),
    }
}

async fn check_plan(engine: &Engine, plan: &SearchPlan) -> Result<(), Fault> {
    let checked = engine.searching().check_choice(plan).await;
    checked.map_err(|refusal| refusal.parameter(FieldName::new(PROVIDER.name)))
}

/// Refuses a request as [`search`] would, for its mistakes or for the providers that it names.
/// Nothing is sent.
pub(super) async fn check_request(engine: &Engine, request: &SearchRequest) -> Result<(), Fault> {
    let plan = planned(engine, request).await?;
    check_plan(engine, &plan).await
}

/// Finds the mistakes in the arguments of a search, as [`search`] would.
pub(super) async fn check(
    checking: Checking<'_>,
    args: &Args,
    tool: &'static str,
    capability: Capability,
) -> Result<(), Fault> {
    let request = params::request(args, capability);
    let checked = check_request(&checking.services.engine, &request).await;
    checked.map_err(|fault| with_other_providers(fault, tool, args))
}

/// Searches and renders the answer.
pub(super) async fn run(
    call: &Call<'_>,
    args: &Args,
    tool: &'static str,
    capability: Capability,
) -> Result<Answer, Fault> {
    let stored = search_and_store(call, &params::request(args, capability), tool)
        .await
        .map_err(|fault| with_other_providers(fault, tool, args))?;
    let (mut structured, mut text) = (stored.structured(), stored.text());
    if let Some(next) = completing_call(&stored.answer, tool, args) {
        structured["nextCalls"] = json!([next]);
        let _ = write!(text, "\nTo get the rest: {next}");
    }
    Ok(Answer::List { structured, text })
}

/// The call that may find what a partial answer lacks: the same one, without the queries that were
/// answered. `None` when the answer is complete or waiting does not help.
pub(super) fn completing_call(
    answer: &SearchAnswer,
    tool: &'static str,
    args: &Args,
) -> Option<NextCall> {
    let after_seconds = render::wait(answer).seconds()?;
    let lacking: Vec<&str> = render::lacking(answer)
        .map(|(group, _)| group.query.as_str())
        .collect();
    let mut arguments = given(tool, args);
    if lacking.len() < answer.groups.len() {
        arguments.remove(QUERY.name);
        arguments.insert(QUERIES.name.to_owned(), json!(lacking));
    }
    Some(NextCall {
        after_seconds: Some(after_seconds).filter(|seconds| *seconds > 0),
        ..NextCall::new(ToolName::new(tool), arguments)
    })
}

/// An answer, and the id under which all of it can be read again. The id is `None` when the answer
/// was empty or could not be stored.
pub(super) struct StoredSearch {
    pub(super) answer: SearchAnswer,
    pub(super) response_id: Option<String>,
}

/// Searches for a tool: the best results become sources of the call's session, and the whole answer
/// is stored.
pub(super) async fn search_and_store(
    call: &Call<'_>,
    request: &SearchRequest,
    tool: &'static str,
) -> Result<StoredSearch, Fault> {
    let answer = search_for(call, request).await?;
    for group in &answer.groups {
        for found in group.results.iter().take(MAX_SOURCES) {
            record_result(call, found, tool);
        }
    }
    let response_id = keep(call, &answer, tool).await;
    Ok(StoredSearch {
        answer,
        response_id,
    })
}

impl StoredSearch {
    pub(super) fn structured(&self) -> Value {
        self.with_response_id(render::structured(&self.answer))
    }

    /// Adds the id to a rendering of the answer.
    pub(super) fn with_response_id(&self, mut structured: Value) -> Value {
        if let Some(id) = &self.response_id {
            structured["responseId"] = json!(id);
        }
        structured
    }

    pub(super) fn text(&self) -> String {
        let mut text = text::text(&self.answer);
        let id = self.response_id.as_ref();
        if let Some(id) = id.filter(|_| text::is_shortened(&self.answer)) {
            let _ = write!(
                text,
                "\nResponse id: {id} (whole snippets with get_search_content)"
            );
        }
        text
    }
}

/// The most results of one search that a session keeps as sources.
const MAX_SOURCES: usize = 10;

/// Records a result for the session of the call, and whether it is a page of its own provider.
pub(super) fn record_result(call: &Call<'_>, found: &FusedHit, tool: &str) {
    if call.services.engine.searching().is_at_own_address(found) {
        call.recorder.provider_page(&found.hit.url);
    }
    call.recorder.source(source(found, tool));
}

/// A result as a source of a session.
fn source(found: &FusedHit, tool: &str) -> Source {
    let author = match &found.hit.details {
        Details::Paper(paper) => text::names(&paper.authors),
        Details::Patent(patent) => text::names(&patent.inventors),
        Details::Page | Details::Fields(_) => None,
    };
    let via = found
        .providers
        .first()
        .map_or("search", |provider| provider.as_str());
    Source {
        url: found.hit.url.clone(),
        state: SourceState::Listed,
        publication: Publication::from_details(&found.hit.details),
        title: Some(found.hit.title.clone()),
        published: found.hit.published.map(|date| date.to_string()),
        author,
        via: via.to_owned(),
        tool: tool.to_owned(),
        at: unix_millis(),
        ..Source::default()
    }
}

/// Stores the whole answer, so that it can be read again, and returns its id. An error of the store
/// does not make the search fail.
async fn keep(call: &Call<'_>, answer: &SearchAnswer, tool: &str) -> Option<String> {
    let item = |group: &QueryResults| NewItem {
        name: group.query.clone(),
        title: None,
        text: group
            .results
            .iter()
            .enumerate()
            .map(|(number, found)| format!("{}\n", text::whole_entry(number + 1, found)))
            .collect(),
    };
    let items: Vec<NewItem> = answer
        .groups
        .iter()
        .filter(|group| !group.results.is_empty())
        .map(item)
        .collect();
    if items.is_empty() || !call.can_name(READS_STORED) {
        return None;
    }
    call.services
        .responses
        .keep(
            call.tenant,
            &NewResponse {
                tool: tool.to_owned(),
                family: ItemKind::Queries,
                items,
            },
        )
        .await
        .ok()
}

/// Adds a call of the same tool with another provider, which can answer now. With `auto`, one call
/// asks several of them in turn; named one by one, each may cost a call.
pub(super) fn with_other_providers(fault: Fault, tool: &'static str, args: &Args) -> Fault {
    let others: Vec<&'static str> = fault
        .usable_alternatives()
        .iter()
        .map(|provider| provider.as_str())
        .collect();
    let is_named = args
        .text(PROVIDER.name)
        .map(str::trim)
        .is_some_and(|id| !id.is_empty() && !id.eq_ignore_ascii_case(AUTO));
    let chosen = match others.as_slice() {
        [] => return fault,
        [_, _, ..] if is_named => AUTO,
        [first, ..] => first,
    };
    let mut arguments = given(tool, args);
    arguments.insert(PROVIDER.name.to_owned(), json!(chosen));
    fault.next_call(NextCall::new(ToolName::new(tool), arguments))
}

/// The arguments of a call without those that have their default value, which only cost tokens.
fn given(tool: &str, args: &Args) -> Map<String, Value> {
    let tool = super::TOOLS.iter().find(|known| known.name == tool);
    let params = tool.map_or(&[][..], |tool| tool.params);
    let is_default = |name: &str, value: &Value| {
        let param = params.iter().find(|param| param.name == name);
        param.is_some_and(|param| default_of(&param.shape).as_ref() == Some(value))
    };
    let mut arguments = args.as_map().clone();
    arguments.retain(|name, value| !is_default(name, value));
    arguments
}

/// The provider argument that leaves the choice to the engine.
pub(super) const AUTO: &str = "auto";

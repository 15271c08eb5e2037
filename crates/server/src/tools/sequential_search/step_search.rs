//! The search of a step.

use engine::research::{Session, StepSearch, TakenStep};
use engine::search::{Capability, ProviderChoice, SearchRequest};
use fault::{Fault, NextCall, ToolName};
use serde_json::Value;
use tokio::time::Instant;

use super::{
    NAME,
    params::{given, is_chosen},
};
use crate::params::{Args, TIMEOUT};
use crate::services::Services;
use crate::tools::{Call, search, session::SESSION, step_reply::SearchOutcome};

/// How many open gaps a thorough step searches for.
const MOST_GAPS: usize = 3;

/// Refuses a step whose search names a provider that does not exist: the caller made a mistake, and
/// the session should not keep it.
pub(super) async fn check_provider(services: &Services, args: &Args) -> Result<(), Fault> {
    let engine = &services.engine;
    let is_known = |id: &str| {
        let mut known = engine.searching().statuses();
        known.any(|known| known.spec.id().eq_ignore_ascii_case(id))
    };
    let Some(query) = args.text("query") else {
        return Ok(());
    };
    let named = match search::choice(args.text("provider")) {
        ProviderChoice::Auto => Vec::new(),
        ProviderChoice::One(id) if id.eq_ignore_ascii_case(search::AUTO) => Vec::new(),
        ProviderChoice::One(id) => vec![id],
        ProviderChoice::Several(ids) => ids,
    };
    if named.iter().all(|id| is_known(id)) {
        return Ok(());
    }
    let checked = search::check_request(engine, &request(args, query, &[])).await;
    checked.map_err(|fault| search::with_other_providers(fault, NAME, args))
}

/// Searches for the query, and for open gaps if the step is thorough, in the same way as
/// `web_search`. The results become sources of the session, and the outcome one of the step.
pub(super) async fn search_step(
    call: &Call<'_>,
    args: &Args,
    taken: &mut TakenStep,
    query: &str,
) -> SearchOutcome {
    let gaps = gaps_to_search(args, &taken.session);
    let request = request(args, query, &gaps);
    call.recorder.record_attempts_in(&taken.session.id);
    let outcome = search::search_and_store(call, &request, NAME).await;
    let is_late = Instant::now() >= call.deadline;
    let outcome = outcome.map_err(|fault| {
        let fault = call.advise_on_time(fault);
        with_next_calls(fault, args, taken, is_late)
    });
    if let Err(fault) = &outcome {
        call.recorder.failed_work(fault);
    }
    let search = StepSearch {
        step: taken.step.number,
        response_id: outcome.as_ref().ok().and_then(|it| it.response_id.clone()),
        error: outcome
            .as_ref()
            .err()
            .map(|fault| stored_fault(call, fault)),
    };
    let research = &call.services.research;
    let recorded = research.record_search(call.tenant, &taken.session.id, &search);
    if recorded.await.is_err() {
        tracing::warn!("the outcome of a step's search could not be stored");
    }
    taken.step = taken.step.clone().with_search(&search);
    SearchOutcome { outcome, gaps }
}

/// The fault as the session keeps it, without secrets.
fn stored_fault(call: &Call<'_>, fault: &Fault) -> Value {
    let mut value = search::fault_value(fault);
    call.services.settings.masker().mask_json(&mut value);
    value
}

fn gaps_to_search(args: &Args, session: &Session) -> Vec<String> {
    let is_thorough = args.text("depth") == Some("thorough");
    let gaps = session.digest.open_gaps();
    gaps.take(if is_thorough { MOST_GAPS } else { 0 })
        .map(|gap| gap.text.clone())
        .collect()
}

fn request(args: &Args, query: &str, gaps: &[String]) -> SearchRequest {
    let mut request = SearchRequest::new(query, Capability::Web);
    request.queries.extend(gaps.iter().map(|gap| {
        format!("{query} {gap}")
            .chars()
            .take(engine::search::MAX_QUERY_CHARS)
            .collect()
    }));
    request.provider = search::choice(args.text("provider"));
    request
}

/// Adds the calls that search for the same step again: with other providers, or the same ones
/// later. They name the step, so that none is added, and do not limit their time to what was too
/// little for this one.
fn with_next_calls(fault: Fault, args: &Args, taken: &TakenStep, is_late: bool) -> Fault {
    let fault = fault.repeats(taken.failures + 1);
    let fault = search::with_other_providers(fault, NAME, args);
    let mut calls = fault.calls().to_vec();
    if let Some(seconds) = fault.advice().seconds() {
        calls.push(NextCall {
            after_seconds: Some(seconds).filter(|seconds| *seconds > 0),
            ..NextCall::new(ToolName::new(NAME), given(args))
        });
    }
    for call in calls.iter_mut().filter(|call| call.tool.as_str() == NAME) {
        call.arguments.retain(|name, value| is_chosen(name, value));
        if is_late {
            call.arguments.remove(TIMEOUT.name);
        }
        let session = Value::from(taken.session.id.as_str());
        call.arguments.insert(SESSION.name.to_owned(), session);
        let number = Value::from(taken.step.number);
        call.arguments.insert("stepNumber".to_owned(), number);
    }
    fault.next_calls(calls)
}

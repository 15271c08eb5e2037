//! Takes a step of a research session, then searches for its query.
//!
//! A call without a session id starts a session. A search that fails does not undo the step; the
//! reply says so, and how to continue.

use engine::research::{NewStep, Session, StepError, StepField, StepSearch, TakenStep};
use engine::search::{Capability, ProviderChoice, SearchRequest};
use fault::{
    Fault, FieldName, Issue, Kind, NextCall, Problem, RecoveryHint, Say, Surface, ToolName,
};
use serde_json::{Map, Value};

use super::search;
use super::session::SESSION;
use super::step_reply::{SearchOutcome, StepReply};
use super::{Annotations, Answer, Call, Checking, Output, Tool, Toolset};
use crate::params::{Alternatives, Args, Param, Shape, joined, names};
use crate::services::Services;
use crate::tools::session_list;

const NOTE: Shape = Shape::Text { max_chars: 500 };

const PARAMS: &[Param; 18] = &[
    SESSION,
    text(
        "goal",
        "What the research is for",
        2_000,
        "\"Which runtime fits a small server?\"",
    ),
    text(
        "searchStep",
        "What this step does",
        20_000,
        "\"Compare schedulers\"",
    ),
    number("stepNumber", "The next number"),
    text("query", "Search for this", 500, "\"tokio scheduler\""),
    search::PROVIDER,
    text("reasoning", "Why", 20_000, "\"The docs disagree\""),
    Param {
        name: "confidence",
        about: "0 to 1",
        shape: Shape::Number { min: 0, max: 1 },
        required: false,
        example: "0.6",
    },
    list("knowledgeGaps", "What is still unknown", "[\"memory use\"]"),
    list("closedGaps", "Closed gaps, by id or text", "[\"gap-1\"]"),
    list("rejectedApproaches", "Given up", "[\"own executor\"]"),
    text(
        "summary",
        "What is known so far",
        20_000,
        "\"Two candidates left\"",
    ),
    number("revisesStep", "Step it corrects"),
    number("branchFromStep", "Step it branches from"),
    text("branch", "The branch it is on", 200, "\"embedded\""),
    Param {
        name: "complete",
        about: "Ends the session",
        shape: Shape::Flag {
            default: Some(false),
        },
        required: false,
        example: "true",
    },
    Param {
        name: "depth",
        about: "thorough: also search gaps",
        shape: Shape::Choice {
            allowed: &["standard", "thorough"],
            default: Some("standard"),
        },
        required: false,
        example: "\"standard\"",
    },
    Param {
        name: "responseMode",
        about: "summary: counts and first titles",
        shape: Shape::Choice {
            allowed: &["full", "summary"],
            default: Some("full"),
        },
        required: false,
        example: "\"full\"",
    },
];

const fn text(
    name: &'static str,
    about: &'static str,
    max_chars: u64,
    example: &'static str,
) -> Param {
    Param {
        name,
        about,
        shape: Shape::Text { max_chars },
        required: false,
        example,
    }
}

const fn list(name: &'static str, about: &'static str, example: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::List { of: &NOTE, max: 20 },
        required: false,
        example,
    }
}

/// The session checks the number, because it knows the valid one.
const fn number(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::Ordinal,
        required: false,
        example: "1",
    }
}

/// How many open gaps a thorough step searches for.
const MOST_GAPS: usize = 3;

const NAME: &str = "sequential_search";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    title: "Research step by step",
    about: "Keep a research session: start with a goal, continue with sessionId; each step may search, revise, branch, note gaps or complete.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: Some(&Alternatives {
        names: &["goal", "sessionId"],
        words: "goal (to begin) or sessionId (to go on)",
    }),
    check: Some(|checking, args| Box::pin(check(checking, args))),
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: false,
        idempotent: false,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// Refuses a step whose search names a provider that does not exist: the caller made a mistake, and
/// the session should not keep it.
async fn check_provider(services: &Services, args: &Args) -> Result<(), Fault> {
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

/// Refuses what the session would: a step that does not fit it, or a session that does not exist.
async fn check(checking: Checking<'_>, args: &Args) -> Result<(), Fault> {
    let checked = check_step(checking, args).await;
    match (checked, check_provider(checking.services, args).await) {
        (Err(fault), Err(refusal)) => Err(joined(fault, &refusal)),
        (checked, provider) => checked.and(provider),
    }
}

async fn check_step(checking: Checking<'_>, args: &Args) -> Result<(), Fault> {
    let Some(id) = args.text(SESSION.name) else {
        return Ok(());
    };
    let new = new_step(args);
    let Checking { services, tenant } = checking;
    if is_only_end(&new) {
        let found = services.research.session(tenant, id).await;
        return found
            .map(drop)
            .map_err(|fault| suggest_sessions(fault, args));
    }
    let checked = services
        .research
        .check_step(tenant, id, &described(new))
        .await;
    checked.map_err(|error| step_fault(error, args))
}

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    check_provider(call.services, &args).await?;
    let new = new_step(&args);
    let is_brief = args.text("responseMode") == Some("summary");
    let reply = match take_step(call, &args, &new).await? {
        Taken::Session(session) => StepReply {
            session: *session,
            step: None,
            search: None,
            is_repeat: false,
            reopened: false,
            is_brief,
        },
        Taken::Step(mut taken) => {
            let search = match &new.query {
                Some(query) => Some(search_step(call, &args, &mut taken, query).await),
                None => None,
            };
            StepReply {
                session: taken.session,
                step: Some(taken.step),
                search,
                is_repeat: taken.is_repeat,
                reopened: taken.reopened,
                is_brief,
            }
        }
    };
    Ok(Answer::List {
        structured: reply.structured(),
        text: reply.text(),
    })
}

/// What a call did before its search.
enum Taken {
    /// It started or ended a session without a step.
    Session(Box<Session>),
    Step(Box<TakenStep>),
}

/// Continues the session that the arguments name, or starts one.
async fn take_step(call: &Call<'_>, args: &Args, new: &NewStep) -> Result<Taken, Fault> {
    let research = &call.services.research;
    if let Some(id) = args.text(SESSION.name).filter(|_| is_only_end(new)) {
        let ended = research.end(call.tenant, id, new).await;
        let session = ended.map_err(|error| step_fault(error, args))?;
        return Ok(Taken::Session(Box::new(session)));
    }
    if is_only_end(new) {
        return Err(nothing_to_end());
    }
    if let Some(id) = args.text(SESSION.name) {
        let step = described(new.clone());
        let taken = research.step(call.tenant, id, &step).await;
        let taken = taken.map_err(|error| step_fault(error, args))?;
        return Ok(Taken::Step(Box::new(taken)));
    }
    let goal = args.text("goal").ok_or_else(goal_is_missing)?;
    if *new == NewStep::default() {
        let session = research.start(call.tenant, goal).await?;
        return Ok(Taken::Session(Box::new(session)));
    }
    // The first step may say what it does with the goal alone.
    let mut first = new.clone();
    if first.text.trim().is_empty() {
        first.text = goal.to_owned();
    }
    let started = research.start_with_step(call.tenant, goal, &first).await;
    let taken = started.map_err(|error| step_fault(error, args))?;
    Ok(Taken::Step(Box::new(taken)))
}

/// Whether a call only ends its session, perhaps with a summary: there is no step to keep.
fn is_only_end(new: &NewStep) -> bool {
    *new == NewStep {
        confidence: new.confidence,
        summary: new.summary.clone(),
        completes: true,
        ..NewStep::default()
    }
}

/// The longest description that is taken from another text of the step, in characters.
const MOST_DESCRIPTION: usize = 100;

/// The step with words about what it does: its own, or the beginning of what else it says.
fn described(mut new: NewStep) -> NewStep {
    if new.text.trim().is_empty() {
        let notes = [&new.opens, &new.closes, &new.rejects];
        let texts = new.summary.iter().chain(&new.reasoning);
        let mut texts = texts.chain(notes.into_iter().flatten());
        let text = texts.find(|text| !text.trim().is_empty());
        let text = text.map(|text| beginning(text)).unwrap_or_default();
        new.text = text;
    }
    new
}

/// The first words of a text.
fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_DESCRIPTION {
        return line;
    }
    let cut: String = line.chars().take(MOST_DESCRIPTION).collect();
    let whole_words = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(words, _)| words);
    format!("{whole_words} …")
}

fn nothing_to_end() -> Fault {
    let issue = Issue::Says(Say::new(
        "ends a session: give its sessionId, or say in searchStep what this session's only step does",
    ));
    Fault::arguments(vec![Problem::new(FieldName::new("complete"), issue)])
}

fn goal_is_missing() -> Fault {
    let issue = Issue::Says(Say::new(
        "is required to start a session; to continue one, give its sessionId",
    ));
    let missing = Problem::new(FieldName::new("goal"), issue);
    Fault::arguments(vec![
        missing.example("\"Which runtime fits a small server?\""),
    ])
}

/// The fault for a refused step, with the names of the parameters.
fn step_fault(error: StepError, args: &Args) -> Fault {
    let (problems, last_step) = match error {
        StepError::Fault(fault) => return suggest_sessions(fault, args),
        StepError::Invalid {
            problems,
            last_step,
        } => (problems, last_step),
    };
    let expected = problems.iter().find_map(|problem| match problem.issue {
        Issue::NotNext { expected } => Some(expected),
        _ => None,
    });
    let is_only_problem = problems.len() == 1;
    let problems = problems
        .into_iter()
        .map(|problem| Problem::new(FieldName::new(parameter(problem.field)), problem.issue))
        .collect();
    let fault = Fault::arguments(problems);
    let Some(id) = args.text(SESSION.name) else {
        return fault; // There is no session to return to.
    };
    let fault = fault.recovery_hint(RecoveryHint {
        last_known_step: last_step,
        can_resume: true,
    });
    match expected.filter(|_| is_only_problem) {
        Some(expected) => {
            let mut arguments = given(args);
            arguments.insert("stepNumber".to_owned(), Value::from(expected));
            fault.next_call(NextCall::new(ToolName::new(NAME), arguments))
        }
        // The session shows its steps, its branches and its open gaps.
        None => {
            let session = (SESSION.name.to_owned(), Value::from(id));
            fault.next_call(NextCall::new(
                ToolName::new("get_research_session"),
                Map::from_iter([session]),
            ))
        }
    }
}

/// Adds the ways on from a session that does not exist: the same step in a new session, and the
/// list.
fn suggest_sessions(fault: Fault, args: &Args) -> Fault {
    if fault.kind() != Kind::SessionNotFound {
        return fault;
    }
    let fault = fault.parameter(FieldName::new(SESSION.name));
    match restarted(args) {
        Some(call) => fault.next_call(call).next_call(session_list()),
        None => fault.next_call(session_list()),
    }
}

/// The arguments without those that have their default value, which only cost tokens.
fn given(args: &Args) -> Map<String, Value> {
    let mut arguments = args.as_map().clone();
    arguments.retain(|name, value| is_chosen(name, value));
    arguments
}

fn is_chosen(name: &str, value: &Value) -> bool {
    let default = match name {
        "complete" => Value::from(false),
        "depth" => Value::from("standard"),
        "responseMode" => Value::from("full"),
        _ => return true,
    };
    *value != default
}

/// The same step as the first of a new session, without what refers to the old one. The goal is
/// the caller's, or what the step is about.
fn restarted(args: &Args) -> Option<NextCall> {
    const OF_THE_OLD_SESSION: [&str; 6] = [
        SESSION.name,
        "stepNumber",
        "closedGaps",
        "revisesStep",
        "branchFromStep",
        "branch",
    ];
    let goal = ["goal", "searchStep", "query", "summary"]
        .into_iter()
        .find_map(|name| args.text(name).filter(|text| !text.trim().is_empty()))?;
    let goal: String = goal.chars().take(2_000).collect();
    let mut arguments = given(args);
    arguments.retain(|name, _| !OF_THE_OLD_SESSION.contains(&name.as_str()));
    arguments.insert("goal".to_owned(), Value::from(goal));
    Some(NextCall::new(ToolName::new(NAME), arguments))
}

const fn parameter(field: StepField) -> &'static str {
    match field {
        StepField::Number => "stepNumber",
        StepField::Text => "searchStep",
        StepField::Query => "query",
        StepField::Reasoning => "reasoning",
        StepField::Revises => "revisesStep",
        StepField::BranchFrom => "branchFromStep",
        StepField::Branch => "branch",
        StepField::Opens => "knowledgeGaps",
        StepField::Closes => "closedGaps",
        StepField::Rejects => "rejectedApproaches",
        StepField::Summary => "summary",
    }
}

fn new_step(args: &Args) -> NewStep {
    let text = |field: StepField| args.text(parameter(field)).map(str::to_owned);
    let texts = |field: StepField| {
        let texts = args.texts(parameter(field));
        texts.into_iter().map(str::to_owned).collect()
    };
    let number = |field: StepField| args.integer(parameter(field));
    let query = text(StepField::Query);
    NewStep {
        number: number(StepField::Number),
        text: text(StepField::Text)
            .or_else(|| query.clone())
            .unwrap_or_default(),
        query,
        reasoning: text(StepField::Reasoning),
        confidence: args.number("confidence"),
        revises: number(StepField::Revises),
        branch_from: number(StepField::BranchFrom),
        branch: args.text("branch").map(str::to_owned),
        opens: texts(StepField::Opens),
        closes: texts(StepField::Closes),
        rejects: texts(StepField::Rejects),
        summary: text(StepField::Summary),
        completes: args.flag("complete"),
    }
}

/// Searches for the query, and for open gaps if the step is thorough, in the same way as
/// `web_search`. The results become sources of the session, and the outcome one of the step.
async fn search_step(
    call: &Call<'_>,
    args: &Args,
    taken: &mut TakenStep,
    query: &str,
) -> SearchOutcome {
    let gaps = gaps_to_search(args, &taken.session);
    let request = request(args, query, &gaps);
    call.recorder.record_attempts_in(&taken.session.id);
    let outcome = search::search_and_store(call, &request, NAME).await;
    let outcome = outcome.map_err(|fault| with_next_calls(fault, args, taken));
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
/// later. They name the step, so that none is added.
fn with_next_calls(fault: Fault, args: &Args, taken: &TakenStep) -> Fault {
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
        let session = Value::from(taken.session.id.as_str());
        call.arguments.insert(SESSION.name.to_owned(), session);
        let number = Value::from(taken.step.number);
        call.arguments.insert("stepNumber".to_owned(), number);
    }
    fault.next_calls(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_step_is_a_parameter() {
        let fields = [
            StepField::Number,
            StepField::Text,
            StepField::Query,
            StepField::Reasoning,
            StepField::Revises,
            StepField::BranchFrom,
            StepField::Branch,
            StepField::Opens,
            StepField::Closes,
            StepField::Rejects,
            StepField::Summary,
        ];
        for field in fields {
            assert!(TOOL.param_names.contains(&parameter(field)), "{field:?}");
        }
    }
}

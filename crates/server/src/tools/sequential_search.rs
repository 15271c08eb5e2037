//! Takes a step of a research session, then searches for its query.
//!
//! A call without a session id starts a session. A search that fails does not undo the step; the
//! reply says so, and how to continue.

use engine::research::{NewStep, Session, Step, StepError, StepField};
use engine::search::{Capability, SearchRequest};
use fault::{Fault, FieldName, Issue, Problem, RecoveryHint, Say, Surface};

use super::search;
use super::session::SESSION;
use super::step_reply::{StepReply, StepSearch};
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Alternatives, Args, Param, Shape, names};
use crate::tools::suggest_session_list;

const NOTE: Shape = Shape::Text { max_chars: 500 };

const PARAMS: &[Param; 18] = &[
    SESSION,
    text(
        "goal",
        "What the research is for, the same in each step",
        2_000,
        "\"Which runtime fits a small server?\"",
    ),
    text(
        "searchStep",
        "What this step does",
        20_000,
        "\"Compare schedulers\"",
    ),
    number("stepNumber", "Its number, if you count: the next one"),
    text(
        "query",
        "Search for this in the step",
        500,
        "\"tokio scheduler\"",
    ),
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
    list(
        "closedGaps",
        "Gaps that are closed: their ids or words",
        "[\"gap-1\"]",
    ),
    list("rejectedApproaches", "Ways given up", "[\"own executor\"]"),
    text(
        "summary",
        "What is known so far",
        20_000,
        "\"Two candidates left\"",
    ),
    number("revisesStep", "The step this one corrects"),
    number("branchFromStep", "The step this one branches from"),
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
        about: "thorough: search for open gaps too",
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

/// Accepts any number, because the session checks it and knows the valid one.
const fn number(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        shape: Shape::Integer {
            min: i64::MIN,
            max: i64::MAX,
            default: None,
        },
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
    about: "Keep a research session: start with a goal, continue with sessionId; each step may search, revise, branch, note gaps and complete.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: Some(&Alternatives {
        names: &["goal", "sessionId"],
        words: "goal (to begin) or sessionId (to go on)",
    }),
    check: None,
    output: Output::Unstructured,
    annotations: Annotations {
        read_only: false,
        idempotent: false,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let new = new_step(&args);
    let (step, session) = take_step(call, &args, &new).await?;
    let search = match &new.query {
        Some(query) => Some(search_step(call, &args, &session, query).await),
        None => None,
    };
    let reply = StepReply {
        session,
        step,
        search,
        is_brief: args.text("responseMode") == Some("summary"),
    };
    Ok(Answer::List {
        structured: reply.structured(),
        text: reply.text(),
    })
}

/// Continues the session that the arguments name, or starts one.
async fn take_step(
    call: &Call<'_>,
    args: &Args,
    new: &NewStep,
) -> Result<(Option<Step>, Session), Fault> {
    let research = &call.services.research;
    if let Some(id) = args.text(SESSION.name) {
        let taken = research.step(call.tenant, id, new).await;
        let (step, session) = taken.map_err(step_fault)?;
        return Ok((Some(step), session));
    }
    let goal = args.text("goal").ok_or_else(goal_is_missing)?;
    let has_step = !new.text.is_empty() || new.query.is_some() || new.number.is_some();
    if !has_step {
        return Ok((None, research.start(call.tenant, goal).await?));
    }
    let started = research.start_with_step(call.tenant, goal, new).await;
    let (step, session) = started.map_err(step_fault)?;
    Ok((Some(step), session))
}

fn goal_is_missing() -> Fault {
    let issue = Issue::Says(Say::new(
        "is required to begin a session; give sessionId to go on with one",
    ));
    let missing = Problem::new(FieldName::new("goal"), issue);
    Fault::arguments(vec![
        missing.example("\"Which runtime fits a small server?\""),
    ])
}

/// The fault for a refused step, with the names of the parameters.
fn step_fault(error: StepError) -> Fault {
    let (problems, last_step) = match error {
        StepError::Fault(fault) => return suggest_session_list(fault),
        StepError::Invalid {
            problems,
            last_step,
        } => (problems, last_step),
    };
    let problems = problems
        .into_iter()
        .map(|problem| Problem::new(FieldName::new(parameter(problem.field)), problem.issue))
        .collect();
    Fault::arguments(problems).recovery_hint(RecoveryHint {
        last_known_step: last_step,
        can_resume: true,
    })
}

const fn parameter(field: StepField) -> &'static str {
    match field {
        StepField::Number => "stepNumber",
        StepField::Text => "searchStep",
        StepField::Query => "query",
        StepField::Reasoning => "reasoning",
        StepField::Revises => "revisesStep",
        StepField::BranchFrom => "branchFromStep",
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
/// `web_search`. The results become sources of the session.
async fn search_step(call: &Call<'_>, args: &Args, session: &Session, query: &str) -> StepSearch {
    let is_thorough = args.text("depth") == Some("thorough");
    let gaps: Vec<String> = session
        .digest
        .open_gaps()
        .take(if is_thorough { MOST_GAPS } else { 0 })
        .map(|gap| gap.text.clone())
        .collect();
    let mut request = SearchRequest::new(query, Capability::Web);
    request.queries.extend(gaps.iter().map(|gap| {
        format!("{query} {gap}")
            .chars()
            .take(engine::search::MAX_QUERY_CHARS)
            .collect()
    }));
    request.provider = search::choice(args.text("provider"));
    call.recorder.record_attempts_in(&session.id);
    let outcome = search::search_and_store(call, &request, NAME).await;
    if let Err(fault) = &outcome {
        call.recorder.fault(fault);
    }
    StepSearch { outcome, gaps }
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

//! What is said of a step that cannot be taken, and the ways on.

use engine::research::StepError;
use fault::{Fault, FieldName, Issue, Kind, NextCall, Problem, RecoveryHint, Say, ToolName};
use serde_json::{Map, Value};

use super::{NAME, params::given, step::parameter};
use crate::params::Args;
use crate::tools::{session::SESSION, session_list};

pub(super) fn nothing_to_end() -> Fault {
    let issue = Issue::Says(Say::new(
        "ends a session: give its sessionId, or say in searchStep what this session's only step does",
    ));
    Fault::arguments(vec![Problem::new(FieldName::new("complete"), issue)])
}

pub(super) fn goal_is_missing() -> Fault {
    let issue = Issue::Says(Say::new(
        "is required to start a session; to continue one, give its sessionId",
    ));
    let missing = Problem::new(FieldName::new("goal"), issue);
    Fault::arguments(vec![
        missing.example("\"Which runtime fits a small server?\""),
    ])
}

/// The fault for a refused step, with the names of the parameters.
pub(super) fn step_fault(error: StepError, args: &Args) -> Fault {
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
pub(super) fn suggest_sessions(fault: Fault, args: &Args) -> Fault {
    if fault.kind() != Kind::SessionNotFound {
        return fault;
    }
    let fault = fault.parameter(FieldName::new(SESSION.name));
    match restarted(args) {
        Some(call) => fault.next_call(call).next_call(session_list()),
        None => fault.next_call(session_list()),
    }
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

//! Shows a research session or one of its steps; without an id, lists all sessions.

mod view;

use engine::research::{Session, iso_time, tally};
use engine::store::ListCursor;
use fault::{Fault, FieldName, Issue, NextCall, Problem, RecoveryHint, Say, Surface, ToolName};
use serde_json::{Map, Value, json};

use self::view::{Shown, counted, cut, fitting_steps, one_step};
use super::rendering::rendered;
use super::session::SESSION;
use super::{Annotations, Answer, Call, Checking, Output, Tool, Toolset, check_session};
use crate::params::{Args, Param, Shape, names};
use crate::session_advice::SessionAdvisor;
use crate::tools::suggest_session_list;

const PARAMS: &[Param; 4] = &[
    SESSION,
    Param {
        name: "stepNumber",
        about: "Only this step",
        shape: Shape::Integer {
            min: 1,
            max: i64::MAX,
            default: None,
        },
        required: false,
        example: "1",
    },
    Param {
        name: "cursor",
        about: "Read on from here",
        shape: Shape::Text {
            max_chars: u64::MAX,
        },
        required: false,
        example: "\"51\"",
    },
    Param {
        name: "limit",
        about: "Sessions or steps",
        shape: Shape::Integer {
            min: 1,
            max: 200,
            default: Some(50),
        },
        required: false,
        example: "50",
    },
];

/// The longest goal in a list of sessions, in characters.
const LISTED_GOAL: usize = 200;
/// The longest text of a step beside its structured form, which has all of it.
const STEP_TEXT: usize = 2_000;

pub(super) const TOOL: Tool = Tool {
    name: "get_research_session",
    title: "Look at research",
    about: "Show a research session: steps, gaps, sources, failures. Without sessionId: sessions, newest first.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    search_type: "general",
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: Some(|checking, args| Box::pin(check(checking, args))),
    output: Output::LIST,
    deadline: None,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

/// Refuses a session or a step that does not exist, and a cursor that no list returned.
async fn check(checking: Checking<'_>, args: &Args) -> Result<(), Fault> {
    let Some(id) = args.text(SESSION.name) else {
        return list_cursor(args.text("cursor")).map(drop);
    };
    check_session(checking, Some(id)).await?;
    let Some(number) = args.integer("stepNumber") else {
        return Ok(());
    };
    let Checking { services, tenant } = checking;
    let session = services.research.session(tenant, id).await?;
    if number > i64::from(session.digest.steps) {
        return Err(no_such_step(&session));
    }
    Ok(())
}

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let limit = args
        .integer("limit")
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(50);
    match args.text("sessionId") {
        None => list(call, args.text("cursor"), limit).await,
        Some(id) => one(call, id, &args, limit)
            .await
            .map_err(suggest_session_list),
    }
}

async fn list(call: &Call<'_>, cursor: Option<&str>, limit: usize) -> Result<Answer, Fault> {
    let cursor = list_cursor(cursor)?;
    let found = call
        .services
        .research
        .list(call.tenant, cursor.as_ref(), limit)
        .await?;
    let row = |session: &Session| {
        json!({
            "sessionId": session.id, "goal": cut(&session.digest.goal, LISTED_GOAL), "steps": session.digest.steps, "lastUsed": iso_time(session.last_used),
            "completed": session.digest.completed.is_some(),
        })
    };
    let mut structured = json!({"sessions": found.sessions.iter().map(row).collect::<Vec<_>>()});
    let line = |session: &Session| {
        format!(
            "{} · {} · {}\n",
            session.id,
            counted(session.digest.steps as usize, "step", "steps"),
            cut(&session.digest.goal, LISTED_GOAL)
        )
    };
    let mut text: String = found.sessions.iter().map(line).collect();
    if found.sessions.is_empty() {
        text.push_str("There are no sessions yet.");
        if call.can_name("sequential_search") {
            text.push_str(" sequential_search with a goal starts one.");
        }
    }
    if let Some(cursor) = found.cursor {
        text.push_str(&format!("More with cursor={cursor}"));
        structured["cursor"] = json!(cursor.to_string());
        structured["truncated"] = json!(true);
    }
    Ok(Answer::List {
        structured,
        text: text.trim_end().to_owned(),
    })
}

fn list_cursor(cursor: Option<&str>) -> Result<Option<ListCursor>, Fault> {
    cursor
        .map(|cursor| ListCursor::parse(cursor).ok_or_else(bad_cursor))
        .transpose()
}

fn bad_cursor() -> Fault {
    let issue = Issue::Says(Say::new(
        "must be one that the list returned; leave it out to start from the first",
    ));
    Fault::arguments(vec![Problem::new(FieldName::new("cursor"), issue)])
}

async fn one(call: &Call<'_>, id: &str, args: &Args, limit: usize) -> Result<Answer, Fault> {
    let research = &call.services.research;
    let session = research.session(call.tenant, id).await?;
    if let Some(number) = args
        .integer("stepNumber")
        .and_then(|number| u32::try_from(number).ok())
    {
        return step(call, &session, number).await;
    }
    let from = match args.text("cursor").map(str::parse::<u32>) {
        None => 1,
        Some(Ok(from)) if from >= 1 => from,
        Some(_) => {
            return Err(Fault::arguments(vec![Problem::new(
                FieldName::new("cursor"),
                Issue::OutOfRange {
                    min: 1,
                    max: i64::from(session.digest.steps.max(1)),
                },
            )]));
        }
    };
    let services = call.services;
    let can_name = |tool: &str| call.can_name(tool);
    let advisor = SessionAdvisor::new(&services.settings, &services.engine, can_name).await;
    let outcomes = research.outcomes(call.tenant, id).await?;
    let steps = fitting_steps(research, (call.tenant, id), from, limit).await?;
    let sources = research.sources(call.tenant, id).await?;
    let tally = tally(&outcomes, &|fault| advisor.advise(fault));
    let can_export = call.can_name("research_export");
    let rendering = rendered(move || {
        let shown = Shown::new(session, steps, sources, tally);
        (shown.text(can_export), shown.structured())
    });
    let (text, structured) = rendering.await?;
    Ok(Answer::List { structured, text })
}

async fn step(call: &Call<'_>, session: &Session, number: u32) -> Result<Answer, Fault> {
    let found = call
        .services
        .research
        .steps(call.tenant, &session.id, number, 1)
        .await?
        .pop()
        .filter(|step| step.number == number);
    let Some(step) = found else {
        return Err(no_such_step(session));
    };
    let text = format!("Step {}", one_step(&step, STEP_TEXT));
    Ok(Answer::List {
        structured: json!({"sessionId": session.id, "step": step}),
        text,
    })
}

fn no_such_step(session: &Session) -> Fault {
    let last = session.digest.steps;
    let wrong = match last {
        0 => Issue::Says(Say::new("must be left out: the session has no steps yet")),
        last => Issue::OutOfRange {
            min: 1,
            max: i64::from(last),
        },
    };
    let id = (SESSION.name.to_owned(), Value::from(session.id.as_str()));
    let whole = NextCall::new(ToolName::new(TOOL.name), Map::from_iter([id]));
    Fault::arguments(vec![Problem::new(FieldName::new("stepNumber"), wrong)])
        .recovery_hint(RecoveryHint {
            last_known_step: last,
            can_resume: true,
        })
        .next_call(whole)
}

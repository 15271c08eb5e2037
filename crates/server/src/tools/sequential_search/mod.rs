//! Takes a step of a research session, then searches for its query.
//!
//! A call without a session id starts a session. A search that fails does not undo the step; the
//! reply says so, and how to continue.

mod params;
mod refusals;
mod step;
mod step_search;

use engine::research::{NewStep, Session, TakenStep};
use fault::{Fault, Surface};

use self::{
    params::PARAMS,
    refusals::{goal_is_missing, nothing_to_end, step_fault, suggest_sessions},
    step::{described, is_only_end, new_step},
    step_search::{check_provider, search_step},
};
use super::session::SESSION;
use super::step_reply::StepReply;
use super::{Annotations, Answer, Call, Checking, Output, Tool, Toolset};
use crate::params::{Alternatives, Args, joined, names};

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

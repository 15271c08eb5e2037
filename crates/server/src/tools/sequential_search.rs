//! A step of a research session: taken first, so that it is kept, then searched for.
//!
//! Without a session id a session begins. A search that fails does not undo the step; the answer
//! says so and how to go on.

use engine::research::{NewStep, Session, Step};
use engine::search::{Capability, SearchAnswer, SearchRequest};
use fault::{Fault, FieldName, Issue, Problem, Say, Surface};
use serde_json::{Value, json};

use super::search::{self, StoredSearch};
use super::session::SESSION;
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};
use crate::tools::suggest_session_list;

const NOTE: Shape = Shape::Text { max_chars: 500 };

const PARAMS: &[Param; 18] = &[
    SESSION,
    text(
        "goal",
        "What the research is for (first step)",
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
        shape: Shape::Number,
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
        about: "thorough: search for open gaps too and report coverage",
        shape: Shape::Choice {
            allowed: &["standard", "thorough"],
            default: Some("standard"),
        },
        required: false,
        example: "\"standard\"",
    },
    Param {
        name: "responseMode",
        about: "summary: only counts and the first titles",
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

/// Any number: whether it is the right one is for the session to say, with the number that is.
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

const NAME: &str = "sequential_search";

pub(super) const TOOL: Tool = Tool {
    name: NAME,
    title: "Research step by step",
    about: "Keep a research session: start with a goal, continue with sessionId; each step may search, revise, branch, note gaps and complete.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    output: Output::Unstructured,
    annotations: Annotations {
        read_only: false,
        idempotent: false,
        open_world: true,
    },
    run: |call, args| Box::pin(run(call, args)),
};

async fn run(call: &Call<'_>, args: Args) -> Result<Answer, Fault> {
    let new = new_step(&args)?;
    let (step, session) = take(call, &args, &new).await?;
    let searched = match &new.query {
        Some(query) => Some(searched(call, &args, &session, query).await),
        None => None,
    };
    let value = told(
        &session,
        step.as_ref(),
        searched.as_ref(),
        args.text("responseMode") == Some("summary"),
    );
    let text = words(&session, step.as_ref(), searched.as_ref());
    Ok(Answer::List {
        structured: value,
        text,
    })
}

async fn take(
    call: &Call<'_>,
    args: &Args,
    new: &NewStep,
) -> Result<(Option<Step>, Session), Fault> {
    let research = &call.services.research;
    if let Some(id) = args.text("sessionId") {
        let (step, session) = research
            .step(call.tenant, id, new)
            .await
            .map_err(suggest_session_list)?;
        return Ok((Some(step), session));
    }
    let Some(goal) = args.text("goal") else {
        let missing = Problem::new(
            FieldName::new("goal"),
            Issue::Says(Say::new(
                "is required to begin a session; give sessionId to go on with one",
            )),
        );
        return Err(Fault::arguments(vec![
            missing.example("\"Which runtime fits a small server?\""),
        ]));
    };
    let is_step = !new.text.is_empty() || new.query.is_some() || new.number.is_some();
    if !is_step {
        return Ok((None, research.start(call.tenant, goal).await?));
    }
    let (step, session) = research.start_with_step(call.tenant, goal, new).await?;
    Ok((Some(step), session))
}

fn new_step(args: &Args) -> Result<NewStep, Fault> {
    let text = |name: &str| args.text(name).map(str::to_owned);
    let texts = |name: &str| args.texts(name).into_iter().map(str::to_owned).collect();
    let confidence = args.number("confidence");
    if confidence.is_some_and(|sure| !(0.0..=1.0).contains(&sure)) {
        return Err(Fault::arguments(vec![
            Problem::new(
                FieldName::new("confidence"),
                Issue::OutOfRange { min: 0, max: 1 },
            )
            .example("0.6"),
        ]));
    }
    Ok(NewStep {
        number: args.integer("stepNumber"),
        text: text("searchStep")
            .or_else(|| text("query"))
            .unwrap_or_default(),
        query: text("query"),
        reasoning: text("reasoning"),
        confidence,
        revises: args.integer("revisesStep"),
        branch_from: args.integer("branchFromStep"),
        branch: text("branch"),
        opens: texts("knowledgeGaps"),
        closes: texts("closedGaps"),
        rejects: texts("rejectedApproaches"),
        summary: text("summary"),
        completes: args.flag("complete"),
    })
}

/// Gaps that a thorough step searches for.
const MOST_GAPS: usize = 3;

/// What a step's search came to.
struct Searched {
    outcome: Result<StoredSearch, Fault>,
    /// Queries beyond the first: one for each open gap.
    gaps: Vec<String>,
}

async fn searched(call: &Call<'_>, args: &Args, session: &Session, query: &str) -> Searched {
    let gaps: Vec<String> = match args.text("depth") {
        Some("thorough") => session
            .digest
            .open_gaps()
            .take(MOST_GAPS)
            .map(|gap| gap.text.clone())
            .collect(),
        _ => Vec::new(),
    };
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
    Searched { outcome, gaps }
}

fn told(session: &Session, step: Option<&Step>, searched: Option<&Searched>, brief: bool) -> Value {
    let digest = &session.digest;
    let mut value = json!({
        "sessionId": session.id,
        "goal": digest.goal,
        "steps": digest.steps,
        "nextStepNumber": digest.steps + 1,
        "completed": digest.completed.is_some(),
        "openGaps": digest.open_gaps().collect::<Vec<_>>(),
    });
    if let Some(step) = step {
        value["step"] = if brief {
            json!({"number": step.number})
        } else {
            json!(step)
        };
    }
    if let Some(summary) = &digest.summary {
        value["summary"] = json!(summary);
    }
    match searched {
        None => {}
        Some(Searched {
            outcome: Err(fault),
            ..
        }) => {
            value["status"] = json!("partial");
            value["searchError"] = search::fault_value(fault);
        }
        Some(Searched {
            outcome: Ok(stored),
            gaps,
        }) => {
            value["search"] = if brief {
                stored.with_response_id(brief_results(&stored.answer))
            } else {
                stored.structured()
            };
            if !gaps.is_empty() {
                value["coverage"] = coverage(&stored.answer, gaps);
            }
        }
    }
    value
}

fn brief_results(answer: &SearchAnswer) -> Value {
    let found: Vec<_> = answer
        .groups
        .iter()
        .flat_map(|group| &group.results)
        .collect();
    let first = found
        .iter()
        .take(3)
        .map(|found| json!({"title": found.hit.title, "url": found.hit.url}))
        .collect::<Vec<_>>();
    json!({"resultCount": found.len(), "first": first})
}

/// How much of what is unknown was found something for.
fn coverage(answer: &SearchAnswer, gaps: &[String]) -> Value {
    let hosts: std::collections::BTreeSet<String> = answer
        .groups
        .iter()
        .flat_map(|group| &group.results)
        .filter_map(|found| {
            url::Url::parse(&found.hit.url)
                .ok()?
                .host_str()
                .map(str::to_owned)
        })
        .collect();
    let of_gap = |(gap, group): (&String, &engine::search::QueryResults)| json!({"gap": gap, "results": group.results.len()});
    json!({
        "queries": answer.groups.len(),
        "answered": answer.groups.iter().filter(|group| !group.results.is_empty()).count(),
        "sites": hosts.len(),
        "gaps": gaps.iter().zip(answer.groups.iter().skip(1)).map(of_gap).collect::<Vec<_>>(),
    })
}

fn words(session: &Session, step: Option<&Step>, searched: Option<&Searched>) -> String {
    let digest = &session.digest;
    let taken = step.map_or_else(
        || "Session begun.".to_owned(),
        |step| format!("Step {} taken.", step.number),
    );
    let end = if digest.completed.is_some() {
        " The session is complete."
    } else {
        ""
    };
    let mut text = format!(
        "{taken} sessionId {}, next step {}.{end}\n",
        session.id,
        digest.steps + 1
    );
    for gap in digest.open_gaps() {
        text.push_str(&format!("Open gap {}: {}\n", gap.id, gap.text));
    }
    match searched.map(|searched| &searched.outcome) {
        None => {}
        Some(Ok(stored)) => text.push_str(&stored.text()),
        Some(Err(fault)) => text.push_str(&format!(
            "The step is kept; its search failed: {}",
            fault.sentence()
        )),
    }
    text.truncate(text.trim_end().len());
    text
}

//! Shows a research session, one of its steps, or without an id the list of all.

use engine::research::{Session, tally};
use fault::{Fault, FieldName, Issue, Problem, Surface};
use serde_json::{Value, json};

use super::session::SESSION;
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};
use crate::tools::suggest_session_list;

const PARAMS: &[Param; 4] = &[
    SESSION,
    Param {
        name: "stepNumber",
        about: "Only this step",
        shape: Shape::Integer {
            min: 1,
            max: 1_000_000,
            default: None,
        },
        required: false,
        example: "1",
    },
    Param {
        name: "cursor",
        about: "Read on from here",
        shape: Shape::Text { max_chars: 200 },
        required: false,
        example: "\"51\"",
    },
    Param {
        name: "limit",
        about: "Most sessions or steps",
        shape: Shape::Integer {
            min: 1,
            max: 200,
            default: Some(50),
        },
        required: false,
        example: "50",
    },
];

pub(super) const TOOL: Tool = Tool {
    name: "get_research_session",
    title: "Look at research",
    about: "Show a research session: steps, gaps, sources, error patterns, how providers did. Without sessionId: list sessions, newest first.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    output: Output::Unstructured,
    annotations: Annotations {
        read_only: true,
        idempotent: true,
        open_world: false,
    },
    run: |call, args| Box::pin(run(call, args)),
};

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
    let found = call
        .services
        .research
        .list(call.tenant, cursor, limit)
        .await?;
    let row = |session: &Session| {
        json!({
            "sessionId": session.id, "goal": session.digest.goal, "steps": session.digest.steps, "lastUsed": session.last_used,
            "completed": session.digest.completed.is_some(),
        })
    };
    let mut structured = json!({"sessions": found.sessions.iter().map(row).collect::<Vec<_>>()});
    let line = |session: &Session| {
        format!(
            "{} · {} steps · {}\n",
            session.id, session.digest.steps, session.digest.goal
        )
    };
    let mut text: String = found.sessions.iter().map(line).collect();
    if found.sessions.is_empty() {
        text.push_str("There are no sessions yet. sequential_search with a goal begins one.");
    }
    if let Some(cursor) = found.cursor {
        text.push_str(&format!("More with cursor={cursor}"));
        structured["cursor"] = json!(cursor);
    }
    Ok(Answer::List {
        structured,
        text: text.trim_end().to_owned(),
    })
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
    let steps = research.steps(call.tenant, id, from, limit).await?;
    let sources = research.sources(call.tenant, id).await?;
    let counted = tally(&research.outcomes(call.tenant, id).await?);
    let mut structured = json!(session);
    structured["sessionId"] = json!(session.id);
    structured["stepList"] = json!(steps);
    structured["sources"] = json!(sources);
    structured["errorPatterns"] = json!(counted.error_patterns);
    structured["providerStats"] = json!(counted.provider_stats);
    let next = steps
        .last()
        .map(|step| step.number + 1)
        .filter(|next| *next <= session.digest.steps);
    if let Some(next) = next {
        structured["cursor"] = json!(next.to_string());
    }
    Ok(Answer::List {
        text: words(&session, &structured),
        structured,
    })
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
        let wrong = Issue::OutOfRange {
            min: 1,
            max: i64::from(session.digest.steps),
        };
        return Err(Fault::arguments(vec![Problem::new(
            FieldName::new("stepNumber"),
            wrong,
        )]));
    };
    let text = format!(
        "Step {} of {}: {}",
        step.number, session.digest.steps, step.text
    );
    Ok(Answer::List {
        structured: json!({"sessionId": session.id, "step": step}),
        text,
    })
}

fn words(session: &Session, structured: &Value) -> String {
    let digest = &session.digest;
    let mut text = format!(
        "{}: {} ({} steps{})\n",
        session.id,
        digest.goal,
        digest.steps,
        if digest.completed.is_some() {
            ", complete"
        } else {
            ""
        }
    );
    let rows = |name: &str| structured[name].as_array().cloned().unwrap_or_default();
    for step in rows("stepList") {
        text.push_str(&format!(
            "{}. {}\n",
            step["number"],
            step["text"].as_str().unwrap_or_default()
        ));
    }
    for gap in digest.open_gaps() {
        text.push_str(&format!("Open gap {}: {}\n", gap.id, gap.text));
    }
    for source in rows("sources").iter().take(20) {
        let word = |name: &str| source[name].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!(
            "Source ({}): {} {}\n",
            word("via"),
            word("title"),
            word("url")
        ));
    }
    for pattern in rows("errorPatterns") {
        text.push_str(&format!(
            "{} failed {} times: {}\n",
            pattern["kind"].as_str().unwrap_or_default(),
            pattern["count"],
            pattern["suggestion"].as_str().unwrap_or_default()
        ));
    }
    if let Some(summary) = &digest.summary {
        text.push_str(&format!("Summary: {summary}\n"));
    }
    text.truncate(text.trim_end().len());
    text
}

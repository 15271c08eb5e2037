//! Shows a research session or one of its steps; without an id, lists all sessions.

use std::fmt::Write;

use engine::research::{Session, Source, Step, Tally, tally};
use engine::store::ListCursor;
use fault::{Fault, FieldName, Issue, Problem, Say, Surface};
use serde_json::{Value, json};

use super::session::SESSION;
use super::{Annotations, Answer, Call, Output, Tool, Toolset};
use crate::params::{Args, Param, Shape, names};
use crate::session_advice::session_advice;
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

/// How many sources the text shows; the structured content has all of them.
const SHOWN_SOURCES: usize = 20;

pub(super) const TOOL: Tool = Tool {
    name: "get_research_session",
    title: "Look at research",
    about: "Show a research session: steps, gaps, sources, error patterns, how providers did. Without sessionId: list sessions, newest first.",
    toolsets: &[Toolset::Research],
    surface: Surface::Stored,
    params: PARAMS,
    param_names: &const { names(PARAMS) },
    any_of: None,
    check: None,
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
    let cursor = cursor
        .map(|cursor| ListCursor::parse(cursor).ok_or_else(bad_cursor))
        .transpose()?;
    let found = call
        .services
        .research
        .list(call.tenant, cursor.as_ref(), limit)
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
        structured["cursor"] = json!(cursor.to_string());
    }
    Ok(Answer::List {
        structured,
        text: text.trim_end().to_owned(),
    })
}

fn bad_cursor() -> Fault {
    let issue = Issue::Says(Say::new(
        "must be one that the list returned; leave it out to begin anew",
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
    let shown = Shown {
        steps: research.steps(call.tenant, id, from, limit).await?,
        sources: research.sources(call.tenant, id).await?,
        tally: tally(&research.outcomes(call.tenant, id).await?, session_advice),
        session,
    };
    Ok(Answer::List {
        text: shown.text(),
        structured: shown.structured(),
    })
}

/// A session with the requested steps.
struct Shown {
    session: Session,
    steps: Vec<Step>,
    sources: Vec<Source>,
    tally: Tally,
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

impl Shown {
    fn structured(&self) -> Value {
        let mut structured = json!(self.session);
        structured["sessionId"] = json!(self.session.id);
        structured["stepList"] = json!(self.steps);
        structured["sources"] = json!(self.sources);
        structured["errorPatterns"] = json!(self.tally.error_patterns);
        structured["providerStats"] = json!(self.tally.provider_stats);
        let next = self.steps.last().map(|step| step.number + 1);
        if let Some(next) = next.filter(|next| *next <= self.session.digest.steps) {
            structured["cursor"] = json!(next.to_string());
        }
        structured
    }

    fn text(&self) -> String {
        let digest = &self.session.digest;
        let complete = if digest.completed.is_some() {
            ", complete"
        } else {
            ""
        };
        let mut text = format!(
            "{}: {} ({} steps{complete})\n",
            self.session.id, digest.goal, digest.steps
        );
        for step in &self.steps {
            let _ = writeln!(text, "{}. {}", step.number, step.text);
        }
        for gap in digest.open_gaps() {
            let _ = writeln!(text, "Open gap {}: {}", gap.id, gap.text);
        }
        for source in self.sources.iter().take(SHOWN_SOURCES) {
            let title = source.title.as_deref().unwrap_or_default();
            let _ = writeln!(text, "Source ({}): {title} {}", source.via, source.url);
        }
        for pattern in &self.tally.error_patterns {
            let _ = writeln!(
                text,
                "{} failed {} times: {}",
                pattern.kind, pattern.count, pattern.suggestion
            );
        }
        if let Some(summary) = &digest.summary {
            let _ = writeln!(text, "Summary: {summary}");
        }
        text.truncate(text.trim_end().len());
        text
    }
}

//! Shows a research session or one of its steps; without an id, lists all sessions.

use std::fmt::Write;

use engine::research::{Session, Source, SourceState, Step, StepStatus, Tally, iso_time, tally};
use engine::store::ListCursor;
use fault::{Fault, FieldName, Issue, NextCall, Problem, RecoveryHint, Say, Surface, ToolName};
use serde_json::{Map, Value, json};

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
        about: "Maximum sessions or steps",
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
            "sessionId": session.id, "goal": session.digest.goal, "steps": session.digest.steps, "lastUsed": iso_time(session.last_used),
            "completed": session.digest.completed.is_some(),
        })
    };
    let mut structured = json!({"sessions": found.sessions.iter().map(row).collect::<Vec<_>>()});
    let line = |session: &Session| {
        format!(
            "{} · {} · {}\n",
            session.id,
            counted(session.digest.steps as usize, "step", "steps"),
            session.digest.goal
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
    let shown = Shown {
        steps: research.steps(call.tenant, id, from, limit).await?,
        sources: research.sources(call.tenant, id).await?,
        tally: tally(&outcomes, &|fault| advisor.advise(fault)),
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
        return Err(no_such_step(session));
    };
    let text = format!("Step {}", one_step(&step));
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
        structured["untrusted"] = json!(fault::UNTRUSTED_TEXTS);
        structured["errorPatterns"] = json!(self.tally.error_patterns);
        structured["providerStats"] = json!(self.tally.provider_stats);
        let next = self.steps.last().map(|step| step.number + 1);
        if let Some(next) = next.filter(|next| *next <= self.session.digest.steps) {
            structured["cursor"] = json!(next.to_string());
            structured["truncated"] = json!(true);
        }
        structured
    }

    fn text(&self) -> String {
        let mut text = self.heading();
        for step in &self.steps {
            let _ = writeln!(text, "{}", one_step(step));
        }
        self.write_notes(&mut text);
        self.write_sources(&mut text);
        for pattern in &self.tally.error_patterns {
            let _ = writeln!(
                text,
                "{} failures of kind {}: {}",
                pattern.count, pattern.kind, pattern.suggestion
            );
        }
        if let Some(summary) = &self.session.digest.summary {
            let _ = writeln!(text, "Summary: {summary}");
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn heading(&self) -> String {
        let digest = &self.session.digest;
        let mut facts = vec![counted(digest.steps as usize, "step", "steps")];
        facts.extend(digest.completed.map(|_| "complete".to_owned()));
        let confidence = digest.confidence.map(percent);
        facts.extend(confidence.map(|confidence| format!("confidence {confidence}")));
        format!(
            "{}: {} ({})\n",
            self.session.id,
            digest.goal,
            facts.join(", ")
        )
    }

    /// Branches, gaps and rejected approaches.
    fn write_notes(&self, text: &mut String) {
        let digest = &self.session.digest;
        for branch in &digest.branches {
            let (name, from, first) = (&branch.name, branch.from, branch.first);
            let _ = writeln!(
                text,
                "Branch {name}: from step {from}, starts with step {first}"
            );
        }
        for gap in digest.open_gaps() {
            let _ = writeln!(text, "Open gap {}: {}", gap.id, gap.text);
        }
        for gap in &digest.gaps {
            if let Some(at) = gap.closed_at {
                let _ = writeln!(text, "Closed gap {} (step {at}): {}", gap.id, gap.text);
            }
        }
        for way in &digest.rejected {
            let _ = writeln!(text, "Rejected (step {}): {}", way.step, way.text);
        }
    }

    /// The sources that were read come first.
    fn write_sources(&self, text: &mut String) {
        if self.sources.is_empty() {
            return;
        }
        let mut sources: Vec<&Source> = self.sources.iter().collect();
        sources.sort_by_key(|source| std::cmp::Reverse(source.state));
        let count = |state| {
            sources
                .iter()
                .filter(|source| source.state == state)
                .count()
        };
        let _ = writeln!(
            text,
            "Sources (untrusted titles): {} read, {} failed, {} only listed",
            count(SourceState::Read),
            count(SourceState::Failed),
            count(SourceState::Listed)
        );
        for source in sources.iter().take(SHOWN_SOURCES) {
            let title = source.title.as_deref().unwrap_or_default();
            let (state, via) = (source.state.as_str(), &source.via);
            let _ = writeln!(text, "- {state} ({via}): {title} {}", source.url);
        }
    }
}

/// A step on one line: its number, its text, and what it did.
fn one_step(step: &Step) -> String {
    let mut facts = Vec::new();
    facts.extend(step.revises.map(|number| format!("revises step {number}")));
    facts.extend(step.branch.as_ref().map(|name| match step.branch_from {
        Some(from) => format!("branch {name} from step {from}"),
        None => format!("branch {name}"),
    }));
    facts.extend(
        step.query
            .as_ref()
            .map(|query| format!("query \"{query}\"")),
    );
    facts.extend(search_facts(step));
    facts.extend(
        step.confidence
            .map(|it| format!("confidence {}", percent(it))),
    );
    for (name, gaps) in [("opened", &step.opened), ("closed", &step.closed)] {
        facts.extend((!gaps.is_empty()).then(|| format!("{name} {}", gaps.join(", "))));
    }
    let facts = if facts.is_empty() {
        String::new()
    } else {
        format!(" [{}]", facts.join("; "))
    };
    format!("{}. {}{facts}", step.number, step.text)
}

/// How the search of a step ended.
fn search_facts(step: &Step) -> Vec<String> {
    let mut facts = Vec::new();
    match step.status {
        StepStatus::Done => {}
        StepStatus::Failed => {
            let error = step.error.as_ref();
            let word = |name| error.and_then(|error| error.get(name)?.as_str());
            let kind = word("kind").unwrap_or("unknown");
            let reason = word("reason").map_or(String::new(), |reason| format!("/{reason}"));
            facts.push(format!("search failed: {kind}{reason}"));
        }
        StepStatus::Unanswered => facts.push("search not answered".to_owned()),
    }
    facts.extend(
        step.response_id
            .as_ref()
            .map(|id| format!("responseId {id}")),
    );
    facts
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

fn percent(confidence: f64) -> String {
    format!("{:.0} %", confidence * 100.0)
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

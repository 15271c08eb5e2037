//! The reply of `sequential_search`: the session, the step, and the results of its search.

use std::collections::BTreeSet;
use std::fmt::Write;

use engine::research::{Session, Step, StepStatus};
use engine::search::SearchAnswer;
use fault::Fault;
use serde_json::{Value, json};

use super::search::{self, StoredSearch};

/// A step that was taken.
pub(super) struct StepReply {
    pub(super) session: Session,
    /// `None` when the session was started or ended without a step.
    pub(super) step: Option<Step>,
    /// `None` when the step has no query.
    pub(super) search: Option<SearchOutcome>,
    /// Whether the step existed already and only its search was repeated.
    pub(super) is_repeat: bool,
    /// Whether the step opened a session again that was complete.
    pub(super) reopened: bool,
    /// Whether only counts and the first titles are shown.
    pub(super) is_brief: bool,
}

/// The search of a step.
pub(super) struct SearchOutcome {
    pub(super) outcome: Result<StoredSearch, Fault>,
    /// The gaps that were searched for, one query each after the first.
    pub(super) gaps: Vec<String>,
}

impl StepReply {
    pub(super) fn structured(&self) -> Value {
        let digest = &self.session.digest;
        let mut value = json!({
            "sessionId": self.session.id,
            "goal": digest.goal,
            "steps": digest.steps,
            "nextStepNumber": digest.steps + 1,
            "completed": digest.completed.is_some(),
            "openGaps": digest.open_gaps().collect::<Vec<_>>(),
        });
        if let Some(step) = &self.step {
            value["step"] = if self.is_brief {
                json!({"number": step.number, "status": step.status, "responseId": step.response_id})
            } else {
                json!(step)
            };
            // The reply has the fault as `searchError`.
            if let Some(step) = value["step"].as_object_mut() {
                step.retain(|name, value| name != "error" && !value.is_null());
            }
        }
        if self.reopened {
            value["reopened"] = json!(true);
        }
        if self.is_repeat {
            value["repeated"] = json!(true);
        }
        if let Some(summary) = &digest.summary {
            value["summary"] = json!(summary);
        }
        if let Some(search) = &self.search {
            self.add_search(&mut value, search);
        }
        value
    }

    fn add_search(&self, value: &mut Value, search: &SearchOutcome) {
        let stored = match &search.outcome {
            Ok(stored) => stored,
            Err(fault) => {
                value["status"] = json!("partial");
                value["searchError"] = search::fault_value(fault);
                return;
            }
        };
        value["search"] = if self.is_brief {
            stored.with_response_id(brief_results(&stored.answer))
        } else {
            stored.structured()
        };
        if !search.gaps.is_empty() {
            value["coverage"] = coverage(&stored.answer, &search.gaps);
        }
    }

    pub(super) fn text(&self) -> String {
        let digest = &self.session.digest;
        let taken = match &self.step {
            Some(step) => self.taken(step),
            None if digest.completed.is_some() => "No step was added.".to_owned(),
            None => "Session started without a step.".to_owned(),
        };
        let end = match (digest.completed.is_some(), self.reopened) {
            (true, _) => " The session is complete.",
            (false, true) => " The session was complete; this step reopens it.",
            (false, false) => "",
        };
        let mut text = format!(
            "{taken} sessionId {}, next step {}.{end}\n",
            self.session.id,
            digest.steps + 1
        );
        for gap in digest.open_gaps() {
            let _ = writeln!(text, "Open gap {}: {}", gap.id, gap.text);
        }
        match self.search.as_ref().map(|search| &search.outcome) {
            None => {}
            Some(Ok(stored)) if self.is_brief => text.push_str(&brief_text(stored)),
            Some(Ok(stored)) => text.push_str(&stored.text()),
            Some(Err(fault)) => text.push_str(&failure(fault)),
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn taken(&self, step: &Step) -> String {
        match (step.status, self.is_repeat) {
            (StepStatus::Failed, _) => format!("Step {} is kept and marked failed.", step.number),
            (_, true) => format!("Step {} searched again; no step was added.", step.number),
            (_, false) => format!("Step {} recorded.", step.number),
        }
    }
}

/// The failure of a search, and how to repeat the step if a listed call does that.
fn failure(fault: &Fault) -> String {
    let mut text = format!("Its search failed: {}", fault.sentence());
    let repeats = fault.calls().iter().filter_map(|call| {
        let provider = call.arguments.get("provider").and_then(Value::as_str);
        let wait = call
            .after_seconds
            .map(|seconds| format!("after {seconds} s"));
        let ways: Vec<String> = provider
            .map(|provider| format!("provider={provider}"))
            .into_iter()
            .chain(wait)
            .collect();
        let number = call.arguments.get("stepNumber")?;
        Some(
            format!("stepNumber={number} {}", ways.join(" "))
                .trim_end()
                .to_owned(),
        )
    });
    let repeats: Vec<String> = repeats.collect();
    if !repeats.is_empty() {
        let _ = write!(
            text,
            "\nTo search again without a new step, repeat the call with this sessionId and {}.",
            repeats.join(", or ")
        );
    }
    text
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
    json!({"untrusted": fault::UNTRUSTED_TEXTS, "resultCount": found.len(), "first": first})
}

fn brief_text(stored: &StoredSearch) -> String {
    let brief = stored.with_response_id(brief_results(&stored.answer));
    let titles = brief["first"].as_array().into_iter().flatten();
    let titles: Vec<&str> = titles.filter_map(|it| it["title"].as_str()).collect();
    let mut text = format!(
        "Results: {} (untrusted titles: {})",
        brief["resultCount"],
        titles.join(" · ")
    );
    if let Some(id) = brief["responseId"].as_str() {
        let _ = write!(
            text,
            "\nResponse id: {id} (read again with get_search_content)"
        );
    }
    text
}

/// For how many of the gaps the search found something.
fn coverage(answer: &SearchAnswer, gaps: &[String]) -> Value {
    let hosts: BTreeSet<String> = answer
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

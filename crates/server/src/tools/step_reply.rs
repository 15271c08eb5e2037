//! The reply of `sequential_search`: the session, the step, and the results of its search.

use std::collections::BTreeSet;
use std::fmt::Write;

use engine::research::{Session, Step};
use engine::search::SearchAnswer;
use fault::Fault;
use serde_json::{Value, json};

use super::search::{self, StoredSearch};

/// A step that was taken.
pub(super) struct StepReply {
    pub(super) session: Session,
    /// `None` when the session was started without a step.
    pub(super) step: Option<Step>,
    /// `None` when the step has no query.
    pub(super) search: Option<StepSearch>,
    /// Whether only counts and the first titles are shown.
    pub(super) is_brief: bool,
}

/// The search of a step.
pub(super) struct StepSearch {
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
                json!({"number": step.number})
            } else {
                json!(step)
            };
        }
        if let Some(summary) = &digest.summary {
            value["summary"] = json!(summary);
        }
        if let Some(search) = &self.search {
            self.add_search(&mut value, search);
        }
        value
    }

    fn add_search(&self, value: &mut Value, search: &StepSearch) {
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
        let taken = self.step.as_ref().map_or_else(
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
            self.session.id,
            digest.steps + 1
        );
        for gap in digest.open_gaps() {
            let _ = writeln!(text, "Open gap {}: {}", gap.id, gap.text);
        }
        match self.search.as_ref().map(|search| &search.outcome) {
            None => {}
            Some(Ok(stored)) => text.push_str(&stored.text()),
            Some(Err(fault)) => {
                let _ = write!(
                    text,
                    "The step is kept; its search failed: {}",
                    fault.sentence()
                );
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
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

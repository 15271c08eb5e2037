//! Doing without the model when it fails: with what was gathered, or with a search of our own.

use engine::ChosenBy;
use fault::{Action, Fault, Kind, Severity};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

use super::extracts::extracts;
use super::finding::{Draft, Finding, Stopped};
use super::offered;
use super::steps::{DEADLINE, Failed, Research};
use crate::tools::{InnerCall, search};

/// With less time than this left, a search is not begun.
const USEFUL: Duration = Duration::from_millis(500);

impl Research<'_> {
    /// An answer of extracts, or the model's fault when there is nothing to take them from.
    pub(super) async fn without_model(mut self, fault: Fault) -> Result<Finding, Failed> {
        if fault.is_withdrawn() {
            return Err(Failed {
                fault,
                next_after: None,
            });
        }
        let mut next_after = Some(0);
        let has_read = self.sources.iter().any(|(_, source)| source.is_read);
        let is_used_up = self.counts.made >= self.budget.max_calls;
        if is_used_up {
            self.degraded.extend(Stopped::Calls.sentence(self.counts));
        }
        if !has_read && !is_used_up && Instant::now() + USEFUL < self.budget.end() {
            next_after = self.search_and_read().await;
        }
        let text = extracts(self.question, &self.sources);
        if text.is_empty() {
            return Err(Failed { fault, next_after });
        }
        self.log(&fault);
        self.call.recorder.fault(&fault);
        self.degraded.push(format!(
            "{} The answer consists of extracts of the pages found, chosen without a model.",
            what_failed(&fault)
        ));
        Ok(self.finish(Draft {
            text,
            could_not_verify: Vec::new(),
            stopped: Stopped::Model,
            is_cut: false,
            is_filtered: false,
        }))
    }

    /// Searches for the question and reads the best pages. Returns when the same search can help,
    /// in seconds; `None` when it cannot.
    async fn search_and_read(&mut self) -> Option<u64> {
        self.step("searching without the model");
        self.counts.made += 1;
        let arguments = json!({
            "query": search::as_query(self.question),
            "max_pages": self.budget.pages,
        });
        let call = offered::checked(offered::PLAIN_TOOL, &arguments, self.given).ok()?;
        let inner = InnerCall {
            tool: call.tool,
            arguments: call.arguments,
            deadline: self.budget.end(),
            chosen_by: ChosenBy::Search,
        };
        let reply = self.call.tools.call_tool(self.call, inner).await;
        self.sources.add_reply(&reply);
        self.outages.add(call.tool, &reply);
        match &reply.fault {
            Some(fault) => {
                self.counts.failed += 1;
                fault.advice().seconds()
            }
            // It was answered without results, and would be again.
            None => None,
        }
    }

    /// The call succeeds, so the dispatcher does not log what the model did.
    fn log(&self, fault: &Fault) {
        let (kind, reason) = (fault.kind().as_str(), fault.reason().unwrap_or_default());
        let request_id = self.call.request_id;
        if fault.row().severity == Severity::Expected {
            tracing::warn!(target: "fingerpost::call", %request_id, kind, reason, "the model failed");
        } else {
            let record = fault::record(fault, &self.call.services.settings.masker());
            tracing::error!(target: "fingerpost::call", %request_id, kind, reason, %record, "the model failed");
        }
    }
}

/// What the model did. What the operator has to correct is said in full.
fn what_failed(fault: &Fault) -> String {
    let is_late = fault.seen_parameter() == Some(DEADLINE);
    if is_late || fault.action() == Action::CheckApiKey || fault.kind() == Kind::Config {
        return fault.sentence().to_string();
    }
    match fault.advice().wait_in_words() {
        Some(wait) => format!("{} It may answer again in {wait}.", fault.what_happened()),
        None => fault.what_happened().to_string(),
    }
}

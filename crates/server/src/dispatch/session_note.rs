//! What a reply says about a session that its call named and that cannot be used.
//!
//! The call itself needs no session, so it has run; only its outcome is recorded nowhere.

use fault::{Fault, Kind, NextCall, Say, ToolName};
use serde_json::{Map, Value, json};

use crate::tools::{Answer, session_list};

const STARTS_A_SESSION: ToolName = ToolName::new("sequential_search");

/// A session that the outcome of a call could not be recorded in.
pub(super) struct SessionNote {
    id: String,
    /// `unknown`, `expired`, or `unavailable` when the store failed.
    status: &'static str,
    /// What happened, as the catalogue says it.
    happened: &'static str,
    /// Whether the store works and has no such session.
    is_gone: bool,
    /// Calls that start a session or list those there are.
    pub(super) next_calls: Vec<NextCall>,
}

impl SessionNote {
    /// `query` is what the call searches for; a new session can have it as its goal.
    pub(super) fn new(fault: &Fault, id: &str, query: Option<&str>) -> SessionNote {
        if fault.kind() != Kind::SessionNotFound {
            return SessionNote {
                id: id.to_owned(),
                status: "unavailable",
                happened: "The store of research sessions failed.",
                is_gone: false,
                next_calls: Vec::new(),
            };
        }
        let start = query.map(|query| {
            let goal = ("goal".to_owned(), Value::from(query));
            NextCall::new(STARTS_A_SESSION, Map::from_iter([goal]))
        });
        SessionNote {
            id: id.to_owned(),
            status: fault.reason().unwrap_or("unknown"),
            happened: fault.row().sentence.happened(),
            is_gone: true,
            next_calls: start.into_iter().chain([session_list()]).collect(),
        }
    }

    pub(super) fn add_to(self, answer: Answer) -> Answer {
        let line = self.sentence();
        match answer {
            Answer::List {
                mut structured,
                text,
            } => {
                structured["session"] = self.structured();
                Answer::List {
                    structured,
                    text: format!("{text}\n{line}"),
                }
            }
            Answer::Json(mut fields) => {
                fields.push(("session", self.structured()));
                Answer::Json(fields)
            }
            Answer::Text(text) => Answer::Text(format!("{text}\n\n{line}")),
            Answer::Page(mut page) => {
                let notice = page.notice.take();
                page.notice =
                    Some(notice.map_or(line.clone(), |notice| format!("{notice}\n{line}")));
                Answer::Page(page)
            }
            Answer::Pages(mut pages) => {
                pages.facts.insert("session".to_owned(), self.structured());
                pages.closing = format!("{}\n{line}", pages.closing);
                Answer::Pages(pages)
            }
            // No tool that answers so records its calls in a session.
            other @ (Answer::TextAndNote { .. }
            | Answer::Gated { .. }
            | Answer::Question { .. }) => other,
        }
    }

    /// Says it beside the failure, and removes the session from the calls that lead on.
    pub(super) fn add_to_fault(&self, fault: Fault) -> Fault {
        let mut calls = fault.calls().to_vec();
        calls.iter_mut().for_each(|call| self.remove_from(call));
        let told = Say::new("Session:").then(Say::new(self.happened));
        let told = told.then(Say::new("This call ran without it."));
        fault.next_calls(calls).note(told)
    }

    /// Removes the session from a call, if there is no such session.
    pub(super) fn remove_from(&self, call: &mut NextCall) {
        if self.is_gone && call.arguments.get("sessionId") == Some(&Value::from(self.id.as_str())) {
            call.arguments.remove("sessionId");
        }
    }

    fn structured(&self) -> Value {
        let mut value = json!({"sessionId": self.id, "status": self.status, "recorded": false});
        if !self.next_calls.is_empty() {
            value["nextCalls"] = json!(self.next_calls);
        }
        value
    }

    fn sentence(&self) -> String {
        let mut calls = self.next_calls.iter();
        let ways = match (calls.next(), calls.next()) {
            (None, _) => "",
            (Some(call), None) if call.tool == STARTS_A_SESSION => {
                " sequential_search with a goal starts a session."
            }
            (Some(_), None) => " get_research_session lists those there are.",
            _ => {
                " sequential_search with a goal starts a session; get_research_session lists those there are."
            }
        };
        format!(
            "Session: {} This call ran without it and was not recorded.{ways}",
            self.happened
        )
    }
}

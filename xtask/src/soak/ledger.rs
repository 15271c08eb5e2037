//! The research steps that the server has acknowledged, and whether it still has them.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde_json::{Value, json};

use crate::mcp_client::HttpClient;

/// The texts of a session's steps, by number.
type Steps = BTreeMap<u64, String>;

#[derive(Debug, Default)]
pub(super) struct Ledger {
    sessions: Mutex<BTreeMap<String, Steps>>,
}

/// The most sessions or steps that one reply lists.
const PER_REPLY: usize = 200;

impl Ledger {
    /// Notes an acknowledged step. Returns its session and its number in it.
    pub(super) fn note(&self, reply: &Value, text: String) -> Option<(String, u64)> {
        let content = &reply["result"]["structuredContent"];
        let session = content["sessionId"].as_str()?.to_owned();
        let number = content["step"]["number"].as_u64()?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = sessions.entry(session.clone()).or_default();
        steps.insert(number, text);
        Some((session, number))
    }

    pub(super) fn steps(&self) -> usize {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.values().map(BTreeMap::len).sum()
    }

    /// The acknowledged steps that the server does not show any more.
    pub(super) fn lost(&self, client: &mut HttpClient) -> Result<Vec<String>, String> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lost = Vec::new();
        for (session, steps) in &*sessions {
            let shown = shown(client, session)?;
            let missing = steps
                .iter()
                .filter(|(number, text)| shown.get(number) != Some(text));
            lost.extend(missing.map(|(number, text)| format!("{session} step {number}: {text}")));
        }
        Ok(lost)
    }
}

/// The steps of a session as the server shows them.
fn shown(client: &mut HttpClient, session: &str) -> Result<Steps, String> {
    let mut steps = Steps::new();
    let mut arguments = json!({"sessionId": session, "limit": PER_REPLY});
    loop {
        let call = json!({"name": "get_research_session", "arguments": arguments});
        let message = client.prepare(call);
        let content = client.exchange(&message)?["result"]["structuredContent"].take();
        // A session that is gone shows no steps: all of them are lost.
        let list = content["stepList"].as_array().into_iter().flatten();
        steps.extend(list.filter_map(|step| {
            Some((step["number"].as_u64()?, step["text"].as_str()?.to_owned()))
        }));
        match content["cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => return Ok(steps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_step_with_a_number_was_acknowledged() {
        let ledger = Ledger::default();
        let content = json!({"sessionId": "ses_1", "step": {"number": 3}});
        let reply = json!({"result": {"structuredContent": content}});
        assert_eq!(
            ledger.note(&reply, "look".to_owned()),
            Some(("ses_1".to_owned(), 3))
        );
        assert_eq!(ledger.note(&json!({"result": {}}), String::new()), None);
        assert_eq!(ledger.steps(), 1);
    }
}

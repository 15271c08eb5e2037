//! Whether a reply is one that an agent can go on from.

/// The rules of the server's own tests for failed replies.
#[path = "../../../crates/server/tests/it/recovery/rules.rs"]
#[allow(
    unreachable_pub,
    reason = "written for a test crate, where it is public"
)]
mod rules;

use serde_json::Value;

use super::plan::Planned;
use crate::failed_reply;

/// The most characters of a call and of its reply in an example of what is wrong.
const MOST_SHOWN: usize = 800;

/// What a good reply says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Succeeded,
    /// It failed for this kind and reason, with valid advice.
    Failed(String),
}

/// Judges the reply to a call. The error says what is wrong with it.
pub(super) fn judge(planned: &Planned, reply: &Value) -> Result<Verdict, String> {
    let result = &reply["result"];
    match result["isError"].as_bool() {
        Some(false) => Ok(Verdict::Succeeded),
        Some(true) => judge_failure(planned, result),
        None => Err(format!("{} got no result: {reply}", planned.tool)),
    }
}

fn judge_failure(planned: &Planned, result: &Value) -> Result<Verdict, String> {
    let Planned {
        tool, arguments, ..
    } = planned;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let error = failed_reply::parse(text)?.error;
    let broken = rules::broken(text, &error, tool, &kept_arguments(arguments, &error));
    if broken.is_empty() {
        let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        Ok(Verdict::Failed(format!(
            "{}/{}",
            word("kind"),
            word("reason")
        )))
    } else {
        let broken = broken.join("; ");
        let asked: String = arguments.to_string().chars().take(MOST_SHOWN).collect();
        let told: String = text.chars().take(MOST_SHOWN).collect();
        Err(format!("{broken}: {tool} {asked} got: {told}"))
    }
}

/// The arguments that next calls must keep: a session that does not exist is left.
fn kept_arguments(arguments: &Value, error: &Value) -> Value {
    let mut kept = arguments.clone();
    if let Some(fields) = kept.as_object_mut()
        && error["kind"] == "session_not_found"
    {
        fields.remove("sessionId");
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(error: &Value) -> Result<Verdict, String> {
        let planned = Planned {
            tool: "scrape_page",
            arguments: json!({"url": "http://127.0.0.1/"}),
            vanishes: false,
        };
        let text = format!("The page failed.\n\n{}", json!({ "error": error }));
        let result = json!({"isError": true, "content": [{"type": "text", "text": text}]});
        judge(&planned, &json!({ "result": result }))
    }

    #[test]
    fn a_failure_counts_only_with_advice_that_agrees_with_itself() {
        let good = json!({"kind": "network", "reason": "timeout", "retryable": true, "retryAfterSeconds": 1,
            "suggestedAction": "retry_after_delay", "requestId": "req_1"});
        assert_eq!(
            judged(&good),
            Ok(Verdict::Failed("network/timeout".to_owned()))
        );
        let mut torn = good.clone();
        torn["retryable"] = json!(false);
        assert!(judged(&torn).is_err());
        let mut short = good;
        short["requestId"] = Value::Null;
        assert!(judged(&short).is_err());
    }
}

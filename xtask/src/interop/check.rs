//! What must hold for every client: it connects, lists the tools, and gets results it understands.
//!
//! A failure is a result, never an exception: a client that throws has lost the content of the
//! failure. Some hosts show the model only the first text, so that text must be complete.

use serde_json::Value;

use super::{
    case_of,
    plan::{Expected, Job},
    threw,
};
use crate::{
    Outcome,
    failed_reply::{self, FailedReply},
    process::Written,
};

type Checks = Vec<(String, Outcome)>;

pub(super) fn all(job: &Job<'_>, events: &[Value], written: &Written) -> Checks {
    let step = |name: &str| events.iter().find(|event| event["step"] == name);
    let mut checks: Checks = vec![
        ("connects".to_owned(), connected(job, step("connected"))),
        ("lists the tools".to_owned(), listed(step("list"))),
        (
            "goes on to the end".to_owned(),
            closed(step("closed"), written),
        ),
    ];
    checks.extend(
        step("strict").map(|event| ("finds the schemas portable".to_owned(), strict(event))),
    );
    for (index, case) in job.cases.iter().enumerate() {
        let called = events
            .iter()
            .find(|event| event["step"] == "call" && event["index"] == index);
        let outcome = called
            .ok_or_else(|| "was not called".to_owned())
            .and_then(|event| call(event, job));
        checks.push((case.name.to_owned(), outcome));
    }
    checks
        .into_iter()
        .map(|(name, outcome)| (format!("{}: {name}", job.name()), outcome))
        .collect()
}

fn connected(job: &Job<'_>, event: Option<&Value>) -> Outcome {
    let event = event.ok_or("it does not")?;
    match event["version"].as_str() {
        Some(version) if version != job.client.version => {
            Err(format!("with {version} instead of {}", job.client.version))
        }
        _ => Ok(()),
    }
}

fn listed(event: Option<&Value>) -> Outcome {
    let event = event.ok_or("no list")?;
    let tools = event["tools"]
        .as_array()
        .ok_or_else(|| threw(event).unwrap_or("no list").to_owned())?;
    let well_formed =
        |tool: &Value| tool["description"].is_string() && tool["inputSchema"]["type"] == "object";
    match tools.iter().find(|tool| !well_formed(tool)) {
        Some(tool) => Err(format!(
            "{} lacks a description or a schema of an object",
            tool["name"]
        )),
        None if tools.iter().any(|tool| tool["name"] == "health_check") => Ok(()),
        None => Err("health_check is not among them".to_owned()),
    }
}

fn closed(event: Option<&Value>, written: &Written) -> Outcome {
    match (event, written.ended) {
        (Some(_), true) => Ok(()),
        (_, false) => Err("still running at the time limit".to_owned()),
        (None, true) => Err(format!(
            "its driver ended early: {}",
            last_lines(&written.stderr)
        )),
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join(" / ")
}

/// Counts warnings too, because each is a client somewhere that refuses the schema.
fn strict(event: &Value) -> Outcome {
    let report = event["report"].as_str().unwrap_or_default();
    let clean = event["code"] == 0 && !report.contains("Warning:") && !report.contains("Error:");
    if clean {
        Ok(())
    } else {
        Err(report.to_owned())
    }
}

fn call(event: &Value, job: &Job<'_>) -> Outcome {
    let case = case_of(event, job.cases).ok_or("an event without its case")?;
    if let Some(words) = event.get("withheld").and_then(Value::as_str) {
        return withheld(words, &case.expected);
    }
    match (&case.expected, threw(event)) {
        (Expected::Refused, Some(_)) => Ok(()),
        (Expected::Refused, None) => Err("the client took it for a result".to_owned()),
        (_, Some(words)) => Err(format!("the client threw: {words}")),
        (expected, None) => result(&event["result"], expected),
    }
}

/// A client that checks arguments against the schema itself must name the same mistake.
fn withheld(words: &str, expected: &Expected) -> Outcome {
    match expected {
        Expected::Fault {
            kind: "validation",
            says,
            ..
        } if words.contains(says) => Ok(()),
        _ => Err(format!("the client did not make the call: {words}")),
    }
}

fn result(result: &Value, expected: &Expected) -> Outcome {
    let text = result["content"][0]["text"]
        .as_str()
        .ok_or("the first block is no text")?;
    match expected {
        Expected::Fault { kind, reason, says } => fault(result, text, (kind, reason), says),
        Expected::Rendered if result["isError"] == true && !text.trim().is_empty() => Ok(()),
        Expected::Rendered => Err(format!("not told as an error: {text}")),
        _ if result["isError"] == true => Err(format!("an error: {text}")),
        Expected::Flag(flag) if result["structuredContent"][flag] != true => {
            Err(format!("{flag} is not set"))
        }
        Expected::Page(sentence) if !text.contains(sentence) => {
            Err(format!("the page's words are not in: {text}"))
        }
        Expected::Page(_)
            if result
                .get("structuredContent")
                .is_some_and(|twin| !twin.is_null()) =>
        {
            Err("the page is sent twice".to_owned())
        }
        Expected::Flag(_) | Expected::Page(_) | Expected::Refused => Ok(()),
    }
}

/// Checks the form of the default toolset: a sentence, a blank line, the machine form.
fn fault(result: &Value, text: &str, (kind, reason): (&str, &str), says: &str) -> Outcome {
    if result["isError"] != true {
        return Err(format!("not marked as an error: {text}"));
    }
    let FailedReply { sentence, error } = failed_reply::parse(text)?;
    if sentence.trim().is_empty() || !sentence.contains(says) {
        return Err(format!("the sentence does not name \"{says}\": {text}"));
    }
    match error["kind"] == kind && error["reason"] == reason {
        true => Ok(()),
        false => Err(format!("expected {kind}/{reason}; got: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome_of_text(text: &str, is_error: bool) -> Outcome {
        let wanted = Expected::Fault {
            kind: "validation",
            reason: "invalid_argument",
            says: "url",
        };
        result(
            &json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }),
            &wanted,
        )
    }

    #[test]
    fn a_fault_must_be_complete_in_its_first_text() {
        let machine = r#"{"error":{"kind":"validation","reason":"invalid_argument","retryable":false,"suggestedAction":"inform_user","requestId":"req_1"}}"#;
        assert_eq!(
            outcome_of_text(&format!("url is required\n\n{machine}"), true),
            Ok(())
        );
        assert!(outcome_of_text(&format!("url is required\n\n{machine}"), false).is_err());
        assert!(outcome_of_text(&format!("something is required\n\n{machine}"), true).is_err());
        assert!(outcome_of_text("url is required", true).is_err());
        assert!(
            outcome_of_text(
                "url is required\n\n{\"error\":{\"kind\":\"network\"}}",
                true
            )
            .is_err()
        );
    }

    #[test]
    fn a_warning_about_a_schema_is_a_failure() {
        assert_eq!(
            strict(&json!({ "code": 0, "report": "0 errors, 0 warnings across 1 tool." })),
            Ok(())
        );
        assert!(strict(&json!({ "code": 0, "report": "Warning: tool \"x\"" })).is_err());
        assert!(strict(&json!({ "code": 6, "report": "" })).is_err());
    }
}

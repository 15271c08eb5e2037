//! Reads the form of the default toolset's failures: a sentence, a blank line, the machine form.

use serde_json::Value;

/// A failed reply taken apart.
#[derive(Debug)]
pub(crate) struct FailedReply<'t> {
    pub(crate) sentence: &'t str,
    pub(crate) error: Value,
}

/// Takes the first text of a failed reply apart. The error says what its machine form lacks.
pub(crate) fn parse(text: &str) -> Result<FailedReply<'_>, String> {
    let (sentence, machine) = text
        .split_once("\n\n")
        .ok_or_else(|| format!("no machine form in: {text}"))?;
    let mut machine: Value = serde_json::from_str(machine)
        .map_err(|_| format!("the machine form is not JSON: {text}"))?;
    let error = machine["error"].take();
    let complete = error["retryable"].is_boolean()
        && ["kind", "reason", "suggestedAction", "requestId"]
            .iter()
            .all(|field| error[field].is_string());
    if complete {
        Ok(FailedReply { sentence, error })
    } else {
        Err(format!("the machine form is not complete: {text}"))
    }
}

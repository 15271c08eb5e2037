//! The operator's record of a fault: every fact, with secrets masked.

use serde_json::{Value, json};

use crate::fault::Fault;
use mask::Masker;

/// The full record: facts and upstream text. It is never shown to an agent.
pub fn record(fault: &Fault, masker: &Masker) -> Value {
    let mut value = json!({
        "kind": fault.kind(),
        "reason": fault.reason(),
        "origin": fault.origin(),
        "retryable": fault.advice().is_possible(),
        "retryAfterSeconds": fault.advice().seconds(),
        "suggestedAction": fault.action(),
        "message": fault.sentence(),
        "provider": fault.seen_provider(),
        "tier": fault.seen_tier(),
        "host": fault.seen_host().map(ToString::to_string),
        "status": fault.seen_status(),
        "phase": fault.seen_phase(),
        "detail": fault.facts_line(),
        "requestId": fault.seen_request(),
        "eventId": fault.event(),
    });
    masker.mask_json(&mut value);
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
        let words: Vec<String> = fault
            .upstream_words()
            .iter()
            .map(|it| it.masked_for_operator(masker))
            .collect();
        if !words.is_empty() {
            fields.insert("upstream".to_owned(), json!(words));
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Origin, Tainted};

    #[test]
    fn upstream_words_are_there_and_masked() {
        let fault = Fault::new(Case::BadKey, Origin::Provider)
            .status(401u16)
            .tainted(Tainted::new("bad key hunter22"));
        let shown = record(&fault, &Masker::new(["hunter22"]));
        assert_eq!(shown["upstream"][0], "bad key ***");
        assert_eq!(shown["status"], 401);
        assert!(shown.get("tier").is_none());
    }
}

//! A fault's record as Sentry takes it: an event in an envelope.

use mask::Masker;
use serde_json::{Map, Value, json};

use crate::{clock::timestamp, sentry_dsn::SentryDsn};

/// The longest value of a tag that Sentry keeps.
const MAX_TAG: usize = 200;
/// The most characters of one text of an upstream. Sentry refuses events above 1 MB.
const MAX_WORDS: usize = 8_000;
/// The most texts of upstreams.
const MAX_TEXTS: usize = 16;

/// Fields of a record that Sentry can search by.
const TAGS: &[(&str, &str)] = &[
    ("kind", "kind"),
    ("reason", "reason"),
    ("origin", "origin"),
    ("tool", "tool"),
    ("provider", "provider"),
    ("tier", "tier"),
    ("host", "host"),
    ("status", "status"),
    ("phase", "phase"),
    ("retryable", "retryable"),
    ("requestId", "request_id"),
];

/// Fields of a record that are only shown.
const EXTRAS: &[&str] = &["detail", "suggestedAction", "retryAfterSeconds"];

/// The event of a record. Its id is the record's, so that what a reply shows is found in Sentry.
pub(super) fn event(id: &str, record: &Value, environment: Option<&str>, masker: &Masker) -> Value {
    let field = |name: &str| record[name].as_str().unwrap_or_default();
    let name = format!("{}/{}", field("kind"), field("reason"));
    let mut event = json!({
        "event_id": id,
        "timestamp": record["timestamp"],
        "platform": "other",
        "level": "error",
        "logger": "fingerpost",
        "transaction": record["tool"],
        "release": concat!("fingerpost@", env!("CARGO_PKG_VERSION")),
        "sdk": sdk(),
        "exception": { "values": [{
            "type": name,
            "value": record["message"],
            "mechanism": { "type": "generic", "handled": true },
        }]},
        // Otherwise every host and wait in the sentence would begin a new issue.
        "fingerprint": [name, grouped_by(record)],
        "tags": tags(record),
        "extra": extra(record),
    });
    if let Some(environment) = environment {
        event["environment"] = json!(environment);
    }
    // The record was masked when it was made; what is sent to others is searched once more.
    masker.mask_json(&mut event);
    event
}

/// What faults of one kind and reason have in common when they have one cause. Hosts do not count:
/// callers choose them, and each would begin an issue.
fn grouped_by(record: &Value) -> Value {
    let first = |names: &[&str]| {
        names
            .iter()
            .map(|name| &record[name])
            .find(|it| it.is_string())
    };
    first(&["provider", "tool"]).cloned().unwrap_or_default()
}

fn tags(record: &Value) -> Map<String, Value> {
    let tag = |(field, tag): &(&str, &str)| {
        let text = match record.get(field)? {
            Value::String(text) => text.chars().take(MAX_TAG).collect(),
            Value::Null => return None,
            other => other.to_string(),
        };
        Some(((*tag).to_owned(), Value::from(text)))
    };
    TAGS.iter().filter_map(tag).collect()
}

fn extra(record: &Value) -> Map<String, Value> {
    let shown = |name: &&str| Some(((*name).to_owned(), record.get(name)?.clone()));
    let mut extra: Map<String, Value> = EXTRAS.iter().filter_map(shown).collect();
    let words = record["upstream"].as_array().into_iter().flatten();
    let words: Vec<String> = words
        .filter_map(Value::as_str)
        .map(|text| text.chars().take(MAX_WORDS).collect())
        .take(MAX_TEXTS)
        .collect();
    if !words.is_empty() {
        extra.insert("upstream".to_owned(), json!(words));
    }
    extra
}

fn sdk() -> Value {
    json!({ "name": "fingerpost", "version": env!("CARGO_PKG_VERSION") })
}

/// The envelope around an event: a line of headers, a line about the item, and the item.
pub(super) fn envelope(id: &str, event: &Value, dsn: &SentryDsn) -> String {
    let headers = json!({
        "event_id": id,
        "dsn": dsn.text(),
        "sent_at": timestamp(),
        "sdk": sdk(),
    });
    let payload = event.to_string();
    let item = json!({
        "type": "event",
        "length": payload.len(),
        "content_type": "application/json",
    });
    format!("{headers}\n{item}\n{payload}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_has_three_lines_and_the_true_length() {
        let record = json!({
            "kind": "upstream_unavailable", "reason": "http_status", "message": "It failed: ü.",
            "tool": "web_search", "status": 502, "host": "a.example", "requestId": "req_1",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "upstream": ["two\nlines with key-0123456789", "x".repeat(20_000)],
        });
        let id = "0123456789abcdef0123456789abcdef";
        let masker = Masker::new(["key-0123456789"]);
        let event = event(id, &record, Some("staging"), &masker);
        assert_eq!(event["event_id"], id);
        assert_eq!(event["environment"], "staging");
        assert_eq!(event["tags"]["status"], "502");
        assert_eq!(event["fingerprint"][1], "web_search");
        let dsn = SentryDsn::parse("https://k@sentry.example/1").expect("a DSN");
        let envelope = envelope(id, &event, &dsn);
        let lines: Vec<&str> = envelope.lines().collect();
        assert_eq!(lines.len(), 3, "{envelope}");
        let item: Value = serde_json::from_str(lines[1]).expect("JSON");
        assert_eq!(item["length"], lines[2].len());
        assert!(!envelope.contains("key-0123456789"), "{envelope}");
        assert!(envelope.len() < 12_000, "{}", envelope.len());
    }
}

//! Spans as OTLP over HTTP in JSON, the format of OpenTelemetry's collectors.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::trace::{Attribute, Span, SpanKind};

/// The body of a request to `/v1/traces`.
pub(super) fn request_body(service: &str, spans: &[Span]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [
        ("service.name", Attribute::from(service)),
        ("service.version", version.into()),
        ("telemetry.sdk.name", "fingerpost".into()),
        ("telemetry.sdk.language", "rust".into()),
        ("telemetry.sdk.version", version.into()),
    ];
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": attributes(&resource) },
        "scopeSpans": [{
            "scope": { "name": "fingerpost", "version": version },
            "spans": spans,
        }],
    }]})
}

/// How many spans of a batch the collector did not take, as its reply says: 64-bit numbers are
/// texts in the JSON form of OTLP, and plain numbers are to be understood too.
pub(super) fn rejected_spans(reply: &[u8]) -> usize {
    let reply: Value = serde_json::from_slice(reply).unwrap_or_default();
    let rejected = &reply["partialSuccess"]["rejectedSpans"];
    let number = match rejected {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    };
    number
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or(0)
}

/// Ids are hexadecimal and times are texts, as the JSON form of OTLP has them.
fn span(span: &Span) -> Value {
    let kind = match span.kind {
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
    };
    let mut value = json!({
        "traceId": format!("{:032x}", span.trace),
        "spanId": format!("{:016x}", span.id),
        "name": span.name,
        "kind": kind,
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.end),
        "attributes": attributes(&span.attributes),
    });
    if let Some(parent) = span.parent {
        value["parentSpanId"] = json!(format!("{parent:016x}"));
    }
    if span.has_failed {
        value["status"] = json!({ "code": 2 });
    }
    value
}

fn attributes(attributes: &[(&'static str, Attribute)]) -> Vec<Value> {
    let value = |attribute: &Attribute| match attribute {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Number(number) => json!({ "intValue": number.to_string() }),
    };
    let attribute = |(key, it): &(&str, Attribute)| json!({ "key": key, "value": value(it) });
    attributes.iter().map(attribute).collect()
}

fn nanos(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string()
}

//! What a Content-Type header says.

use http::{HeaderMap, header};

pub(super) fn has_json(headers: &HeaderMap) -> bool {
    has_type(headers, "application/json")
}

pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    has_type(headers, "text/event-stream")
}

fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    let given = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    given.is_some_and(|given| {
        given
            .split(';')
            .next()
            .is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
    })
}

//! What the Content-Type and Accept headers say.

use http::{HeaderMap, HeaderValue, header};

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

/// Writes what a client accepts in the one spelling that the SDK understands, which knows neither
/// ranges (`*/*`) nor capital letters nor weights.
pub(super) fn normalize_accept(headers: &mut HeaderMap) {
    let given = headers.get_all(header::ACCEPT).iter();
    let given: Vec<&str> = given.filter_map(|value| value.to_str().ok()).collect();
    let given = given.join(",");
    let accepts = |wanted: &str| given.split(',').any(|range| admits(range, wanted));
    let spelling = match (accepts("application/json"), accepts("text/event-stream")) {
        (true, true) => "application/json, text/event-stream",
        (true, false) => "application/json",
        (false, true) => "text/event-stream",
        (false, false) => return,
    };
    headers.insert(header::ACCEPT, HeaderValue::from_static(spelling));
}

/// Whether one entry of an Accept header admits a type.
fn admits(entry: &str, wanted: &str) -> bool {
    let mut parts = entry.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default();
    let is_weightless = |weight: &str| weight.parse() == Ok(0.0_f32);
    let is_refused = parts.any(|part| part.strip_prefix("q=").is_some_and(is_weightless));
    let is_within = match range.strip_suffix("/*") {
        Some("*") => true,
        Some(kind) => wanted
            .split('/')
            .next()
            .is_some_and(|of| of.eq_ignore_ascii_case(kind)),
        None => range.eq_ignore_ascii_case(wanted),
    };
    is_within && !is_refused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(accept: &'static str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        normalize_accept(&mut headers);
        headers[header::ACCEPT].to_str().expect("text").to_owned()
    }

    #[test]
    fn ranges_capital_letters_and_weights_count() {
        let both = "application/json, text/event-stream";
        for accept in [
            "*/*",
            "application/*, text/*",
            "APPLICATION/JSON, Text/Event-Stream;q=0.5",
        ] {
            assert_eq!(normalized(accept), both, "{accept}");
        }
        let one = "application/json, text/event-stream; q=0";
        assert_eq!(normalized(one), "application/json");
        assert_eq!(normalized("text/html"), "text/html");
    }
}

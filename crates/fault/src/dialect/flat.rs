//! `flat`: one flat object whose clients sort failures by words in `error`, as in grok-search-mcp.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::{Context, Reply, own_words, with_notes, with_unknown_arguments};
use crate::fault::Fault;
use crate::id::RequestId;
use crate::kind::Kind;
use crate::remedy::Retry;
use crate::sentence::Sentence;
use crate::text::{Quoted, Say};

pub(super) const COMPATIBLE_WITH: &str = "The format of grok-search-mcp: one flat object that repeats the query. Its clients sort failures by words in `error`.";

/// The original format defines the order of the fields and the nulls.
#[derive(Serialize)]
struct Flat<'c> {
    error: Say,
    status: &'static str,
    query: &'c str,
    search_type: &'c str,
    analysis_mode: &'c str,
    timestamp: String,
    request_id: RequestId,
    from_date: Option<&'c Quoted>,
    to_date: Option<&'c Quoted>,
}

pub(super) fn render(fault: &Fault, context: &Context<'_>) -> Reply {
    let echo = &context.echo;
    let flat = Flat {
        error: with_unknown_arguments(with_notes(words(fault), fault, context), fault),
        status: "failed",
        query: echo.query.as_ref().map_or("", Quoted::as_data),
        search_type: echo.search_type.as_ref().map_or("web", Quoted::as_data),
        analysis_mode: echo.analysis_mode.as_ref().map_or("basic", Quoted::as_data),
        timestamp: iso8601(context.unix_millis),
        request_id: fault
            .seen_request()
            .cloned()
            .unwrap_or_else(RequestId::fresh),
        from_date: echo.from_date.as_ref(),
        to_date: echo.to_date.as_ref(),
    };
    let text = serde_json::to_string(&flat).expect("strings and nulls always serialise");
    Reply::of_text(text, json!(flat))
}

/// The format's words. Where they leave open what to do about a failure that does not pass, the
/// common advice follows; a missing setting is named by the words themselves.
fn words(fault: &Fault) -> Sentence {
    let words = own_words(fault, fault.row().flat);
    let is_open =
        !words.has_advice() && fault.first_advice() == Retry::Never && fault.kind() != Kind::Config;
    let advice = || fault.in_parts(fault.common_wording()).only_advice();
    match is_open.then(advice).flatten() {
        Some(advice) => words.advised(advice),
        None => words,
    }
}

/// `2025-06-24T12:00:00.000Z`.
pub(super) fn iso8601(unix_millis: u64) -> String {
    let moment = i64::try_from(unix_millis)
        .ok()
        .and_then(|millis| Timestamp::from_millisecond(millis).ok())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{moment:.3}")
}

#[cfg(test)]
mod tests {
    use super::iso8601;

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso8601(951_782_400_123), "2000-02-29T00:00:00.123Z");
        assert_eq!(iso8601(1_750_766_400_000), "2025-06-24T12:00:00.000Z");
        assert_eq!(iso8601(4_107_542_399_999), "2100-02-28T23:59:59.999Z");
    }
}

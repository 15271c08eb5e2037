//! What a message will need before it is answered, judged by the tool that it calls.

use std::time::Duration;

use serde_json::Value;

use crate::{settings::Settings, tools::TOOLS};

/// The default of the parameters that limit the length of a reply, in characters.
const USUAL_LENGTH: u64 = 30_000;
/// The highest value of those parameters.
const MAX_LENGTH: u64 = 200_000;
/// A character takes up to four bytes.
const BYTES_PER_CHARACTER: u64 = 4;

/// A message, if it calls a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExpectedCall {
    /// How long it may take.
    pub(super) time: Duration,
    /// How large its reply may be. 0 for one that is always short.
    pub(super) reply_bytes: usize,
}

impl ExpectedCall {
    pub(super) fn new(settings: &Settings, body: &[u8]) -> ExpectedCall {
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        let params = &message["params"];
        let name = params["name"].as_str().unwrap_or_default();
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        let has_own_time = tool.is_some_and(|tool| tool.deadline.is_some());
        let is_long = tool.is_some_and(|tool| !tool.param_names.is_empty());
        ExpectedCall {
            time: match has_own_time {
                true => settings.longest_call(),
                false => settings.deadline,
            },
            reply_bytes: match is_long && message["method"] == "tools/call" {
                true => reply_bytes(&params["arguments"]),
                false => 0,
            },
        }
    }
}

fn reply_bytes(arguments: &Value) -> usize {
    let lengths = ["max_chars", "max_total_chars"].map(|name| arguments[name].as_u64());
    let length = lengths.into_iter().flatten().next();
    let pages = arguments["urls"].as_array().map_or(1, Vec::len).max(1);
    let length = length.unwrap_or(USUAL_LENGTH).min(MAX_LENGTH);
    let bytes = usize::try_from(length * BYTES_PER_CHARACTER).unwrap_or(usize::MAX);
    bytes.saturating_mul(pages)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_may_need_as_much_as_its_arguments_allow() {
        let settings = Settings::default();
        let expected = |name: &str, arguments: Value| {
            let params = json!({"name": name, "arguments": arguments});
            let message = json!({"method": "tools/call", "params": params});
            ExpectedCall::new(&settings, message.to_string().as_bytes())
        };
        let bytes = |name, arguments| expected(name, arguments).reply_bytes;
        assert_eq!(bytes("health_check", json!({})), 0);
        assert_eq!(bytes("scrape_page", json!({"url": "x"})), 120_000);
        assert_eq!(bytes("scrape_page", json!({"max_chars": 1_000})), 4_000);
        let largest = json!({"urls": ["a", "b"], "max_chars": u64::MAX});
        assert_eq!(bytes("fetch_content", largest), 1_600_000);
        assert_eq!(expected("scrape_page", json!({})).time, settings.deadline);
        let of_agent = expected("deep_research", json!({})).time;
        assert_eq!(of_agent, settings.longest_call());
        let other = ExpectedCall::new(&settings, b"no message");
        assert_eq!((other.reply_bytes, other.time), (0, settings.deadline));
    }
}

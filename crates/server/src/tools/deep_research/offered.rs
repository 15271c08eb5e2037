//! The tools that the model may call, and what it may say in their arguments.
//!
//! All of them only read. The model does not choose what belongs to the caller or to the budget:
//! the session, the provider, and how much text one call returns.

use std::sync::Arc;

use engine::model::{ToolCall, ToolDescription};
use fault::{Case, Fault, Origin, Say};
use serde_json::{Map, Value, json};

use crate::params::input_schema;
use crate::tools::session::SESSION;
use crate::tools::{TOOLS, Tool};

/// Searches and reads in one call: what is done where there is no model.
pub(super) const PLAIN_TOOL: &str = "search_and_scrape";

/// Reads the page at an address that the model names.
pub(super) const PAGE_TOOL: &str = "scrape_page";

const OFFERED: &[&str] = &[
    "web_search",
    PLAIN_TOOL,
    "news_search",
    "academic_search",
    PAGE_TOOL,
    "get_search_content",
];

/// Says which tools there are, to a model that calls another.
const UNKNOWN_TOOL: &str = "There is no tool of that name. The tools are: web_search, search_and_scrape, news_search, academic_search, scrape_page and get_search_content";

/// Parameters that the model does not see.
const HIDDEN: &[&str] = &["provider", "allow_truncate"];

/// Parameters for the length of an answer, which the budget sets.
const LENGTHS: &[&str] = &["max_chars", "max_total_chars"];

/// The longest arguments of a call, in bytes.
const MAX_ARGUMENTS: usize = 20_000;

/// What every call of the model is given beside its own arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenArguments<'r> {
    pub(super) session: Option<&'r str>,
    /// How long an answer may be, in characters.
    pub(super) result_chars: usize,
}

/// A call that can be passed on.
#[derive(Debug)]
pub(super) struct CheckedCall {
    pub(super) tool: &'static Tool,
    pub(super) arguments: Value,
}

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    let is_offered = OFFERED.contains(&name);
    TOOLS.iter().find(|tool| is_offered && tool.name == name)
}

/// The tools as the model sees them.
pub(super) fn descriptions() -> Arc<[ToolDescription]> {
    let tools = OFFERED.iter().filter_map(|name| find(name));
    tools
        .map(|tool| ToolDescription {
            name: tool.name,
            about: tool.about,
            schema: schema(tool),
        })
        .collect()
}

fn schema(tool: &Tool) -> Map<String, Value> {
    let mut schema = input_schema(tool.params, tool.any_of);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !is_kept_from_the_model(name));
    }
    schema
}

fn is_kept_from_the_model(name: &str) -> bool {
    name == SESSION.name || HIDDEN.contains(&name) || LENGTHS.contains(&name)
}

/// The arguments of a call as JSON; what is no JSON is kept as a string, to be told apart from
/// others of its kind.
pub(super) fn written_arguments(call: &ToolCall) -> Value {
    if call.arguments.len() > MAX_ARGUMENTS {
        return Value::Null;
    }
    let text = match call.arguments.trim() {
        "" => "{}",
        text => text,
    };
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// Checks what the dispatcher cannot: that the tool is offered and that the arguments are an object.
pub(super) fn checked(
    name: &str,
    written: &Value,
    given: GivenArguments<'_>,
) -> Result<CheckedCall, Fault> {
    let Some(tool) = find(name) else {
        return Err(refused(Say::new(UNKNOWN_TOOL)));
    };
    let Value::Object(arguments) = written else {
        let says = match written {
            Value::Null => "The arguments are longer than 20000 bytes",
            _ => "The arguments are not a JSON object",
        };
        return Err(refused(Say::new(says)));
    };
    let mut arguments = arguments.clone();
    arguments.retain(|name, _| !is_kept_from_the_model(name));
    for length in LENGTHS
        .iter()
        .filter(|name| tool.param_names.contains(name))
    {
        arguments.insert((*length).to_owned(), json!(given.result_chars));
    }
    if let Some(session) = given
        .session
        .filter(|_| tool.param_names.contains(&SESSION.name))
    {
        arguments.insert(SESSION.name.to_owned(), json!(session));
    }
    Ok(CheckedCall {
        tool,
        arguments: Value::Object(arguments),
    })
}

fn refused(says: Say) -> Fault {
    Fault::new(Case::InvalidArgument, Origin::Local).saying(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: GivenArguments<'_> = GivenArguments {
        session: Some("ses_1"),
        result_chars: 5_000,
    };

    fn call(name: &str, arguments: &str) -> Result<Value, Fault> {
        let call = ToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        checked(name, &written_arguments(&call), GIVEN).map(|call| call.arguments)
    }

    #[test]
    fn every_offered_tool_exists_reads_only_and_is_named_to_the_model() {
        assert_eq!(descriptions().len(), OFFERED.len());
        for name in OFFERED {
            let tool = find(name).expect(name);
            assert!(
                tool.annotations.read_only && UNKNOWN_TOOL.contains(name),
                "{name}"
            );
            let text = Value::Object(schema(tool)).to_string();
            assert!(
                !text.contains("sessionId") && !text.contains("max_chars"),
                "{text}"
            );
        }
        assert!(find("deep_research").is_none() && find("convert_content").is_none());
    }

    #[test]
    fn what_belongs_to_the_caller_is_not_the_models_to_choose() {
        let arguments = call(
            PAGE_TOOL,
            "{\"url\": \"https://a.example/\", \"sessionId\": \"ses_of_others\", \"max_chars\": 200000}",
        );
        assert_eq!(
            arguments.expect("a call"),
            json!({"url": "https://a.example/", "sessionId": "ses_1", "max_chars": 5_000})
        );
        let stored = call("get_search_content", "{\"responseId\": \"res_1\"}");
        assert_eq!(
            stored.expect("a call"),
            json!({"responseId": "res_1", "max_chars": 5_000})
        );
        assert_eq!(
            call(PLAIN_TOOL, "{\"query\": \"a\", \"provider\": \"brave\"}").expect("a call"),
            json!({"query": "a", "sessionId": "ses_1", "max_total_chars": 5_000})
        );
    }

    #[test]
    fn calls_that_make_no_sense_are_faults() {
        let deep = "[".repeat(5_000);
        let long = format!("{{\"query\": \"{}\"}}", "a".repeat(MAX_ARGUMENTS));
        for (name, arguments) in [
            ("rm -rf", "{}"),
            ("deep_research", "{\"question\": \"again\"}"),
            ("web_search", "not json"),
            ("web_search", "[1]"),
            ("web_search", "\"text\""),
            ("web_search", deep.as_str()),
            ("web_search", long.as_str()),
        ] {
            let fault = call(name, arguments).expect_err(name);
            assert_eq!(fault.kind(), fault::Kind::Validation, "{name}");
        }
        assert!(
            call("web_search", "").is_ok(),
            "the decoder says what is missing"
        );
    }
}

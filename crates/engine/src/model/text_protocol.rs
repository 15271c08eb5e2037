//! Tools for models that cannot call them: described in the prompt, called with a JSON object.
//!
//! [`in_text`] rewrites a conversation with tools as one of plain texts, and [`read_text`] reads
//! what a model wrote: an object with a call, an object with an answer, or an answer in prose.
//! Models that can call tools are read the same way, because some write a call as text all the same.

use serde_json::{Map, Value, json};

use super::completion::{call_id, without_reasoning};
use super::{ChatRequest, MAX_CALLS_IN_A_MESSAGE, Message, ToolCall};

/// What the text of a message means.
#[derive(Debug, Clone, PartialEq)]
pub enum TextAnswer {
    Calls(Vec<ToolCall>),
    Answer {
        text: String,
        /// What the model says it could not verify.
        could_not_verify: Vec<String>,
    },
}

impl TextAnswer {
    /// Whether the model wrote nothing: no call, no text, and nothing that it could not verify. To
    /// have verified nothing is an answer.
    pub fn is_silent(&self) -> bool {
        match self {
            TextAnswer::Calls(calls) => calls.is_empty(),
            TextAnswer::Answer {
                text,
                could_not_verify,
            } => {
                let mut texts = could_not_verify.iter().chain([text]);
                texts.all(|text| text.trim().is_empty())
            }
        }
    }
}

const PROTOCOL: &str = "To call a tool, reply with one JSON object and nothing else: \
{\"tool\": \"NAME\", \"arguments\": {…}}. You then get its result in the next message. \
When you are done, reply with one JSON object: \
{\"answer\": \"…\", \"couldNotVerify\": [\"…\"]}. The tools, with the JSON Schema of their arguments:";

const NO_MORE_CALLS: &str =
    "Tools can no longer be called. Reply with {\"answer\": \"…\", \"couldNotVerify\": [\"…\"]}.";

/// The same conversation without tools: calls and results are texts, and no two messages in a row
/// have the same author, which some endpoints refuse.
pub fn in_text(request: &ChatRequest) -> ChatRequest {
    let mut messages: Vec<Message> = Vec::new();
    for message in &request.messages {
        match as_text(message) {
            Message::System(text) => messages.push(Message::System(with_tools(text, request))),
            Message::User(text) => match messages.last_mut() {
                Some(Message::User(before)) => *before = format!("{before}\n\n{text}"),
                _ => messages.push(Message::User(text)),
            },
            other => messages.push(other),
        }
    }
    ChatRequest {
        messages,
        ..ChatRequest::default()
    }
}

fn as_text(message: &Message) -> Message {
    match message {
        Message::Assistant { text, calls } if !calls.is_empty() => {
            let object = |call: &ToolCall| {
                let arguments: Value = serde_json::from_str(&call.arguments)
                    .unwrap_or_else(|_| Value::from(call.arguments.as_str()));
                json!({"tool": call.name, "arguments": arguments}).to_string()
            };
            let calls: Vec<String> = calls.iter().map(object).collect();
            let calls = calls.join("\n");
            let text = match text.trim() {
                "" => calls,
                words => format!("{words}\n{calls}"),
            };
            Message::Assistant {
                text,
                calls: Vec::new(),
            }
        }
        Message::ToolResult { content, .. } => Message::User(format!("Tool result: {content}")),
        other => other.clone(),
    }
}

fn with_tools(system: String, request: &ChatRequest) -> String {
    if !request.may_call {
        return format!("{system}\n\n{NO_MORE_CALLS}");
    }
    let tool = |tool: &super::ToolDescription| {
        json!({"name": tool.name, "description": tool.about, "arguments": tool.schema}).to_string()
    };
    let tools: Vec<String> = request.tools.iter().map(tool).collect();
    format!("{system}\n\n{PROTOCOL}\n{}", tools.join("\n"))
}

/// Reads the text of a message.
pub fn read_text(text: &str) -> TextAnswer {
    let text = without_reasoning(text);
    let objects = objects(text);
    let calls: Vec<ToolCall> = objects
        .iter()
        .filter_map(call)
        .take(MAX_CALLS_IN_A_MESSAGE)
        .enumerate()
        .map(|(index, (name, arguments))| ToolCall {
            id: call_id(index + 1),
            name,
            arguments,
        })
        .collect();
    if !calls.is_empty() {
        return TextAnswer::Calls(calls);
    }
    let written = objects.iter().rev().find_map(answer);
    let (text, could_not_verify) = written.unwrap_or_else(|| in_prose(text));
    TextAnswer::Answer {
        text,
        could_not_verify,
    }
}

/// The JSON objects that the text consists of: with a fence around them, or one on each line. Empty
/// when there is other text too, so that an object in prose is not taken for a call.
fn objects(text: &str) -> Vec<Map<String, Value>> {
    let inside = fenced(text).unwrap_or(text);
    let stream = serde_json::Deserializer::from_str(inside).into_iter::<Map<String, Value>>();
    stream.collect::<Result<Vec<_>, _>>().unwrap_or_default()
}

/// What is in a fence that begins and ends the text.
fn fenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (info, rest) = inside.split_once('\n')?;
    (info.trim().len() <= 12).then_some(rest)
}

fn call(object: &Map<String, Value>) -> Option<(String, String)> {
    let name = ["tool", "name"]
        .iter()
        .find_map(|key| object.get(*key)?.as_str())?;
    let arguments = ["arguments", "parameters"]
        .iter()
        .find_map(|key| object.get(*key));
    // An answer may have a name; only an object with arguments, or of `tool`, is a call.
    if arguments.is_none() && !object.contains_key("tool") {
        return None;
    }
    let arguments = match arguments {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(json)) => json.clone(),
        Some(other) => other.to_string(),
    };
    Some((name.to_owned(), arguments))
}

fn answer(object: &Map<String, Value>) -> Option<(String, Vec<String>)> {
    let text = object.get("answer")?.as_str()?.to_owned();
    let open = match object.get("couldNotVerify") {
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(one)) if !one.trim().is_empty() => vec![one.clone()],
        _ => Vec::new(),
    };
    Some((text, open))
}

/// The heading under which the prompt asks for what could not be verified.
const OPEN_HEADING: &str = "could not verify";

/// An answer in prose, whose last section may list what could not be verified.
fn in_prose(text: &str) -> (String, Vec<String>) {
    let mut start = 0;
    let mut heading = None;
    for line in text.split_inclusive('\n') {
        let words = line.trim_matches(|c: char| !c.is_alphanumeric());
        if words.eq_ignore_ascii_case(OPEN_HEADING) {
            heading = Some((start, start + line.len()));
        }
        start += line.len();
    }
    let Some((before, after)) = heading else {
        return (text.trim().to_owned(), Vec::new());
    };
    let item = |line: &str| {
        line.trim()
            .trim_start_matches(['-', '*', '•'])
            .trim()
            .to_owned()
    };
    let items = text[after..]
        .lines()
        .map(item)
        .filter(|item| !item.is_empty());
    (text[..before].trim().to_owned(), items.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(text: &str) -> Vec<(String, String)> {
        match read_text(text) {
            TextAnswer::Calls(calls) => calls
                .into_iter()
                .map(|it| (it.name, it.arguments))
                .collect(),
            TextAnswer::Answer { .. } => Vec::new(),
        }
    }

    fn answered(text: &str) -> (String, Vec<String>) {
        match read_text(text) {
            TextAnswer::Answer {
                text,
                could_not_verify,
            } => (text, could_not_verify),
            TextAnswer::Calls(calls) => panic!("{calls:?}"),
        }
    }

    #[test]
    fn calls_are_read_alone_fenced_and_in_lines() {
        let one = vec![("web_search".to_owned(), "{\"query\":\"a\"}".to_owned())];
        let object = "{\"tool\": \"web_search\", \"arguments\": {\"query\": \"a\"}}";
        assert_eq!(calls(object), one);
        assert_eq!(calls(&format!("```json\n{object}\n```")), one);
        assert_eq!(calls(&format!("<think>I search.</think>{object}")), one);
        assert_eq!(
            calls("{\"name\": \"web_search\", \"parameters\": {\"query\": \"a\"}}"),
            one
        );
        assert_eq!(calls(&format!("{object}\n{object}")).len(), 2);
        assert_eq!(
            calls("{\"tool\": \"health_check\"}"),
            [("health_check".to_owned(), "{}".to_owned())]
        );
    }

    #[test]
    fn an_object_in_prose_is_not_a_call() {
        let prose = "The page says {\"tool\": \"scrape_page\", \"arguments\": {}} to its readers.";
        assert_eq!(answered(prose), (prose.to_owned(), Vec::new()));
        assert_eq!(answered("{\"name\": \"Ada\"}").0, "{\"name\": \"Ada\"}");
    }

    #[test]
    fn answers_are_read_as_objects_and_as_prose() {
        let open = vec!["The price.".to_owned(), "The date.".to_owned()];
        assert_eq!(
            answered(
                "{\"answer\": \"Yes [1].\", \"couldNotVerify\": [\"The price.\", \"The date.\"]}"
            ),
            ("Yes [1].".to_owned(), open.clone())
        );
        for heading in [
            "Could not verify:",
            "## Could not verify",
            "**COULD NOT VERIFY**",
        ] {
            let text = format!("Yes [1].\n\n{heading}\n- The price.\n* The date.\n");
            assert_eq!(answered(&text), ("Yes [1].".to_owned(), open.clone()));
        }
        assert_eq!(answered("Plain."), ("Plain.".to_owned(), Vec::new()));
    }

    #[test]
    fn an_answer_is_silent_only_if_it_says_nothing_at_all() {
        for said in [
            "Could not verify\n- X",
            "{\"answer\": \"\", \"couldNotVerify\": [\"X\"]}",
            "Yes.",
            "{\"tool\": \"web_search\"}",
        ] {
            assert!(!read_text(said).is_silent(), "{said}");
        }
        for silent in [
            "",
            " \n",
            "Could not verify:\n- \n",
            "{\"answer\": \" \", \"couldNotVerify\": [\"\"]}",
            "<think>Hm.</think>",
        ] {
            assert!(read_text(silent).is_silent(), "{silent}");
        }
    }

    #[test]
    fn a_conversation_in_text_alternates_its_authors() {
        let tools = vec![super::super::ToolDescription {
            name: "web_search",
            about: "Searches.",
            schema: Map::new(),
        }];
        let call = ToolCall {
            id: "call00001".to_owned(),
            name: "web_search".to_owned(),
            arguments: "{\"query\":\"a\"}".to_owned(),
        };
        let result = |content: &str| Message::ToolResult {
            call: "call00001".to_owned(),
            content: content.to_owned(),
        };
        let request = ChatRequest {
            messages: vec![
                Message::System("Rules.".to_owned()),
                Message::User("Question?".to_owned()),
                Message::Assistant {
                    text: String::new(),
                    calls: vec![call.clone(), call],
                },
                result("{\"result\":1}"),
                result("{\"result\":2}"),
            ],
            tools: tools.into(),
            may_call: true,
        };
        let text = in_text(&request);
        assert!(text.tools.is_empty());
        let [
            Message::System(system),
            Message::User(_),
            Message::Assistant { text: said, calls },
            Message::User(results),
        ] = text.messages.as_slice()
        else {
            panic!("{:?}", text.messages);
        };
        assert!(
            system.contains("\"web_search\"") && system.starts_with("Rules."),
            "{system}"
        );
        assert_eq!((said.lines().count(), calls.len()), (2, 0));
        assert!(results.contains("{\"result\":1}") && results.contains("{\"result\":2}"));
    }
}

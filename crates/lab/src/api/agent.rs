//! A language model behind OpenAI's `POST /chat/completions`: `{"model","messages","tools",
//! "tool_choice"}`, with the key as a bearer token.
//!
//! Answers `{"id","object","created","model","choices":[{"index","message","finish_reason"}],
//! "usage"}`. Errors are `{"error":{"message","type","param","code"}}`.
//!
//! There is no language in it, only a plan: it searches for the question, reads the first two pages
//! that it was shown, and answers with a sentence of each and its citation. Without `tools` it
//! follows the plan in JSON objects, as small local models do.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::Corpus;
use crate::http::Reply;

pub(super) static API: Api = Api {
    id: "agent",
    name: "A language model (chat completions)",
    docs: "https://platform.openai.com/docs/api-reference/chat/create",
    key: KeyLocation::Bearer,
    answer,
    errors,
};

/// The model that this endpoint has.
pub(super) const MODEL: &str = "lab-model";

/// How many pages it reads.
const PAGES: usize = 2;

fn answer(request: &ApiRequest, _: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/chat/completions") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let body = request.json().unwrap_or_default();
    let Some(messages) = body["messages"].as_array().filter(|it| !it.is_empty()) else {
        return API.error_reply(ApiErrorKind::BadRequest);
    };
    if body["model"] != MODEL {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let has_tools = body["tools"].is_array();
    let may_call = body["tool_choice"] != "none";
    let message = match next_step(messages).filter(|_| may_call) {
        Some((name, arguments)) if has_tools => json!({"role": "assistant", "content": null,
            "tool_calls": [{"id": "call_lab", "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}}]}),
        Some((name, arguments)) => {
            json!({"role": "assistant", "content": json!({"tool": name, "arguments": arguments}).to_string()})
        }
        None => json!({"role": "assistant", "content": written(messages)}),
    };
    let ending = if message["tool_calls"].is_array() {
        "tool_calls"
    } else {
        "stop"
    };
    Reply::json(
        200,
        &json!({"id": "chatcmpl-lab", "object": "chat.completion", "created": 1_794_700_800, "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": ending}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}),
    )
}

/// The results of earlier calls, whether they came as such or in text.
fn results(messages: &[Value]) -> Vec<Value> {
    let content = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let result = |message: &Value| match message["role"].as_str()? {
        "tool" => serde_json::from_str(&content(message)).ok(),
        "user" => serde_json::from_str(content(message).strip_prefix("Tool result: ")?).ok(),
        _ => None,
    };
    messages.iter().filter_map(result).collect()
}

fn sources(results: &[Value]) -> impl Iterator<Item = &Value> {
    let lists = results
        .iter()
        .filter_map(|result| result.pointer("/result/sources")?.as_array());
    lists.flatten()
}

/// The next call of the plan; `None` when it is time to answer.
fn next_step(messages: &[Value]) -> Option<(&'static str, Value)> {
    let results = results(messages);
    if results.is_empty() {
        let question = messages.iter().find(|message| message["role"] == "user")?;
        let words = question["content"].as_str().unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().take(12).collect();
        return Some((
            "web_search",
            json!({"query": words.join(" "), "max_results": 4}),
        ));
    }
    let read: Vec<&Value> = sources(&results)
        .filter(|source| source["state"] == "read")
        .map(|source| &source["id"])
        .collect();
    let mut listed = sources(&results).filter(|source| !read.contains(&&source["id"]));
    let tried = results.len() - 1;
    let next = listed
        .nth(tried.saturating_sub(read.len()))
        .filter(|_| tried < PAGES)?;
    Some(("scrape_page", json!({"url": next["url"]})))
}

/// A sentence of each page that was read, with its citation.
fn written(messages: &[Value]) -> String {
    let results = results(messages);
    let sentence = |result: &Value| {
        let source = sources(std::slice::from_ref(result)).find(|it| it["state"] == "read")?;
        let text = result.pointer("/result/text")?.as_str()?;
        // The page begins after a header that names it.
        let (_, page) = text.split_once("\n\n")?;
        let is_prose = |line: &&str| line.len() > 60 && !line.starts_with('#');
        let line = page.lines().find(is_prose)?;
        let end = line.find(". ").map_or(line.len(), |end| end + 1);
        Some(format!(
            "{} [{}]",
            line[..end].trim_end_matches('.'),
            source["id"]
        ))
    };
    let sentences: Vec<String> = results.iter().filter_map(sentence).collect();
    if sentences.is_empty() {
        return "The pages do not say.\n\nCould not verify:\n- Anything about the question."
            .to_owned();
    }
    format!("{}.", sentences.join(". "))
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, kind, code, words) = match error.kind {
        ApiErrorKind::NoKey => (
            401,
            "invalid_request_error",
            "missing_api_key",
            "You didn't provide an API key.",
        ),
        ApiErrorKind::BadKey => (
            401,
            "invalid_request_error",
            "invalid_api_key",
            "Incorrect API key provided.",
        ),
        ApiErrorKind::Forbidden => (
            403,
            "invalid_request_error",
            "unsupported_country",
            "Country, region, or territory not supported.",
        ),
        ApiErrorKind::RateLimited => (
            429,
            "requests",
            "rate_limit_exceeded",
            "Rate limit reached for requests.",
        ),
        ApiErrorKind::Quota => (
            429,
            "insufficient_quota",
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        ApiErrorKind::BadRequest => (
            400,
            "invalid_request_error",
            "invalid_value",
            "Invalid value.",
        ),
        ApiErrorKind::Status(404) => (
            404,
            "invalid_request_error",
            "model_not_found",
            "The model does not exist or you do not have access to it.",
        ),
        _ => (
            error.usual_status(),
            "server_error",
            "server_error",
            "The server had an error while processing your request.",
        ),
    };
    Reply::json(
        status,
        &json!({"error": {"message": error.words(words), "type": kind, "param": null, "code": code}}),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(messages: Value, with_tools: bool) -> Value {
        let mut body = json!({"model": MODEL, "messages": messages});
        if with_tools {
            body["tools"] = json!([]);
        }
        let mut request = ApiRequest::new("POST", "/chat/completions");
        request.body = body.to_string().into_bytes();
        let reply = answer(&request, &Corpus::new(None));
        let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        body["choices"][0]["message"].clone()
    }

    #[test]
    fn it_searches_reads_and_answers() {
        let listed = json!({"result": {"text": "", "sources": [
            {"id": 1, "url": "https://a.example/", "state": "listed"},
            {"id": 2, "url": "https://b.example/", "state": "listed"}]}});
        let read = |id: u32| {
            let text = format!(
                "Source: x\n\nThe first page of the two says that it is number {id}. And more."
            );
            json!({"result": {"text": text, "sources": [{"id": id, "url": "https://a.example/", "state": "read"}]}})
        };
        let mut messages = vec![json!({"role": "user", "content": "Why?"})];
        let first = asked(json!(messages), true);
        assert_eq!(first["tool_calls"][0]["function"]["name"], "web_search");
        messages.push(json!({"role": "tool", "content": listed.to_string()}));
        for id in [1, 2] {
            let next = asked(json!(messages), true);
            assert_eq!(
                next["tool_calls"][0]["function"]["name"], "scrape_page",
                "{next}"
            );
            messages.push(json!({"role": "tool", "content": read(id).to_string()}));
        }
        let last = asked(json!(messages), true);
        let text = "The first page of the two says that it is number 1 [1]. The first page of the two says that it is number 2 [2].";
        assert_eq!(last["content"], text);
    }

    #[test]
    fn without_tools_it_writes_its_calls() {
        let messages = json!([{"role": "user", "content": "Why?"}]);
        let first = asked(messages, false);
        assert!(
            first["content"]
                .as_str()
                .is_some_and(|it| it.contains("\"tool\":\"web_search\"")),
            "{first}"
        );
    }
}

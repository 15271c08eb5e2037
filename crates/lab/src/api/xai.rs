//! xAI: `POST /v1/responses` with its own search tools, and `GET /v1/api-key`; the key as a bearer
//! token.
//!
//! A request has `model`, `input` (messages with `role` and `content`) and `tools`: `web_search`
//! with `filters.allowed_domains` or `filters.excluded_domains`, and `x_search` with
//! `allowed_x_handles` or `excluded_x_handles`, `from_date` and `to_date`. The last message of the
//! user is the query. The reply has an item for each search and a `message`; its text is the JSON
//! that the system's message asks for, with marks such as `[[1]](https://…)` where a source is
//! cited, and an annotation for each mark. Errors are `{"code","error"}`: 400 `invalid-argument`
//! also for a wrong key, 401 `unauthenticated:no-credentials`, 403 `permission-denied` and
//! `personal-team-blocked:spending-limit`, 404 `not-found`, 429 `resource-exhausted`; the 410 of the
//! old Live Search has no code.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "xai",
    name: "xAI",
    docs: "https://docs.x.ai/docs/guides/tools/search-tools",
    key: KeyLocation::Bearer,
    answer,
    errors,
};

/// The most results of one answer.
const MOST: usize = 8;

/// The most names in one list of a filter.
const MOST_DOMAINS: usize = 5;
const MOST_HANDLES: usize = 20;

/// The beginning of the names of models that exist here.
const MODELS: &str = "grok-";

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v1/responses") => match request.json() {
            Some(body) => respond(&body, corpus),
            None => API.error_reply(ApiErrorKind::Status(422)),
        },
        ("GET", "/v1/api-key") => Reply::json(200, &key()),
        ("POST", "/v1/chat/completions") => API.error_reply(ApiErrorKind::Status(410)),
        _ => API.error_reply(ApiErrorKind::Status(404)),
    }
}

fn key() -> Value {
    json!({"redacted_api_key": "xai-...b14o", "name": "lab", "team_id": "team", "acls": ["api-key:model:*", "api-key:endpoint:*"],
        "api_key_blocked": false, "api_key_disabled": false, "team_blocked": false})
}

fn respond(body: &Value, corpus: &Corpus) -> Reply {
    let model = body["model"].as_str().unwrap_or_default();
    if !model.starts_with(MODELS) {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    if body.get("search_parameters").is_some() {
        return API.error_reply(ApiErrorKind::Status(410));
    }
    let tools = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let query = said_by(body, "user").unwrap_or_default();
    if query.trim().is_empty() || tools.iter().any(|tool| !is_valid(tool)) {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let mut sources: Vec<Source> = Vec::new();
    for tool in tools {
        sources.extend(found(tool, query, corpus));
    }
    sources.truncate(MOST);
    let asked = said_by(body, "system").unwrap_or_default();
    let text = Text::new(&sources, asked.contains("comprehensive_analysis"));
    Reply::json(200, &envelope(model, tools, &text))
}

/// The last message of a role.
fn said_by<'b>(body: &'b Value, role: &str) -> Option<&'b str> {
    let messages = body["input"].as_array()?.iter().rev();
    let mut own = messages.filter(|message| message["role"] == role);
    own.next()?["content"].as_str()
}

fn is_valid(tool: &Value) -> bool {
    let count = |list: &Value| list.as_array().map_or(0, Vec::len);
    let fits = |one: &Value, other: &Value, most: usize| {
        count(one).max(count(other)) <= most && (count(one) == 0 || count(other) == 0)
    };
    let filters = &tool["filters"];
    match tool["type"].as_str() {
        Some("web_search") => fits(
            &filters["allowed_domains"],
            &filters["excluded_domains"],
            MOST_DOMAINS,
        ),
        Some("x_search") => fits(
            &tool["allowed_x_handles"],
            &tool["excluded_x_handles"],
            MOST_HANDLES,
        ),
        _ => false,
    }
}

/// Something that a search found.
struct Source {
    /// As the model writes it.
    url: String,
    /// As it is cited.
    cited: String,
    account: String,
    document: &'static Document,
}

fn found(tool: &Value, query: &str, corpus: &Corpus) -> Vec<Source> {
    if tool["type"] == "x_search" {
        return posts(tool, query, corpus);
    }
    let kinds = [DocumentKind::Web, DocumentKind::Article, DocumentKind::News];
    let mut search = Search::new(query, &kinds);
    search
        .sites
        .extend(names(&tool["filters"]["allowed_domains"]));
    let excluded = names(&tool["filters"]["excluded_domains"]);
    search.not_sites.extend(excluded);
    let pages = corpus.find(&search).into_iter();
    pages
        .map(|document| Source {
            url: corpus.link(document),
            cited: corpus.link(document),
            account: document.source.clone(),
            document,
        })
        .collect()
}

/// News as posts of the newspaper's account.
fn posts(tool: &Value, query: &str, corpus: &Corpus) -> Vec<Source> {
    let search = Search::new(query, &[DocumentKind::News])
        .between(tool["from_date"].as_str(), tool["to_date"].as_str());
    let (wanted, excluded) = (
        names(&tool["allowed_x_handles"]),
        names(&tool["excluded_x_handles"]),
    );
    let pages = corpus.find(&search).into_iter();
    pages
        .map(|document| {
            let account = account(document);
            let number = 1_900_000_000_000_000_000 + document.epoch().unwrap_or_default();
            Source {
                url: format!("https://x.com/{account}/status/{number}"),
                cited: format!("https://x.com/i/status/{number}"),
                account,
                document,
            }
        })
        .filter(|post| wanted.is_empty() || wanted.contains(&post.account))
        .filter(|post| !excluded.contains(&post.account))
        .collect()
}

/// The letters of the newspaper's name.
fn account(document: &Document) -> String {
    let letters = document.source.chars().filter(char::is_ascii_alphanumeric);
    letters.take(15).collect()
}

fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The text of the model and its annotations.
struct Text {
    text: String,
    annotations: Vec<Value>,
}

impl Text {
    fn new(sources: &[Source], is_comprehensive: bool) -> Text {
        let results: Vec<Value> = sources.iter().enumerate().map(result).collect();
        let summary = format!("{} sources were found.", sources.len());
        let object = if is_comprehensive {
            analysis(sources, &results, &summary)
        } else {
            json!({"results": results, "summary": summary})
        };
        let text = format!("```json\n{object}\n```");
        let annotations = sources.iter().enumerate();
        let annotations = annotations.filter_map(|it| annotation(it, &text)).collect();
        Text { text, annotations }
    }
}

fn mark((index, source): (usize, &Source)) -> String {
    format!("[[{}]]({})", index + 1, source.cited)
}

fn result((index, source): (usize, &Source)) -> Value {
    let page = source.document;
    let snippet = format!("{}{}", page.snippet(200), mark((index, source)));
    json!({"title": page.title, "snippet": snippet, "url": source.url, "source": source.account,
        "published_date": page.day(), "author": page.authors.first(), "relevance_score": 9})
}

fn analysis(sources: &[Source], results: &[Value], summary: &str) -> Value {
    let urls: Vec<&str> = sources.iter().map(|it| it.url.as_str()).collect();
    let event = |source: &Source| json!({"date": source.document.day(), "event": source.document.title, "source": source.account, "significance": "It happened."});
    let quote = |source: &Source| json!({"quote": source.document.snippet(80), "speaker": source.document.authors.first(), "context": "In the text.", "source_url": source.url, "significance": null});
    let dated = sources.iter().filter(|it| it.document.day().is_some());
    json!({
        "query": "", "analysis_mode": "comprehensive",
        "comprehensive_analysis": "The sources agree.\n\nThere is more to read in them.",
        "key_findings": [{"category": "main_story", "title": "What was found", "content": summary, "sources": urls, "confidence": "high"}],
        "timeline": dated.map(event).collect::<Vec<_>>(),
        "direct_quotes": sources.iter().take(2).map(quote).collect::<Vec<_>>(),
        "related_context": "There is a history to this.",
        "multiple_perspectives": [{"viewpoint": "Experts", "content": "They agree.", "sources": urls, "reasoning": "They have read the sources."}],
        "implications": {"short_term": "Little.", "long_term": "More.", "stakeholders_affected": ["Readers"]},
        "verification_status": {"confirmed_facts": [summary], "unconfirmed_claims": [], "contradictory_information": []},
        "raw_results": results, "summary": summary,
    })
}

/// The annotation of a mark; its place counts characters.
fn annotation((index, source): (usize, &Source), text: &str) -> Option<Value> {
    let mark = mark((index, source));
    let start = text[..text.find(&mark)?].chars().count();
    Some(
        json!({"type": "url_citation", "url": source.cited, "start_index": start, "end_index": start + mark.chars().count(), "title": (index + 1).to_string()}),
    )
}

fn envelope(model: &str, tools: &[Value], text: &Text) -> Value {
    let call = |tool: &Value| match tool["type"].as_str() {
        Some("x_search") => {
            json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "xs_call-1", "name": "x_semantic_search", "input": "{}", "status": "completed"})
        }
        _ => {
            json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "", "sources": []}})
        }
    };
    let mut output: Vec<Value> = tools.iter().map(call).collect();
    output.push(json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text.text, "logprobs": [], "annotations": text.annotations}]}));
    json!({"id": "resp_1", "object": "response", "created_at": 1_763_000_000, "model": model, "status": "completed", "store": false,
        "output": output, "incomplete_details": null, "tools": tools,
        "usage": {"input_tokens": 100, "output_tokens": 100, "total_tokens": 200, "num_sources_used": 0, "num_server_side_tools_used": tools.len()}})
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, code, words) = match error.kind {
        ApiErrorKind::NoKey => (
            401,
            "unauthenticated:no-credentials",
            "No credentials presented.",
        ),
        ApiErrorKind::BadKey => (
            400,
            "invalid-argument",
            "Incorrect API key provided: la***91. You can obtain an API key from https://console.x.ai.",
        ),
        ApiErrorKind::Forbidden => (
            403,
            "permission-denied",
            "The API key does not have permission to use this endpoint.",
        ),
        ApiErrorKind::RateLimited => (
            429,
            "resource-exhausted",
            "Too many requests: rate limit reached",
        ),
        ApiErrorKind::Quota => (
            403,
            "personal-team-blocked:spending-limit",
            "You have run out of credits.",
        ),
        ApiErrorKind::BadRequest => (400, "invalid-argument", "Invalid request content"),
        ApiErrorKind::Overloaded => (503, "unavailable", "The service is currently unavailable"),
        ApiErrorKind::Status(404) => (
            404,
            "not-found",
            "The model does not exist or your team does not have access to it.",
        ),
        ApiErrorKind::Status(410) => {
            let words = "Live search is deprecated. Please switch to the Agent Tools API";
            return Reply::json(410, &json!({"error": error.words(words)}));
        }
        _ => (error.usual_status(), "internal", "Internal error"),
    };
    Reply::json(status, &json!({"code": code, "error": error.words(words)}))
}

//! Exa: `POST /search` and `/contents` with JSON; the key in `x-api-key` (or as a bearer token).
//!
//! A search takes
//! `{"query","numResults","category","includeDomains","excludeDomains","startPublishedDate",
//! "endPublishedDate","contents":{"highlights","text","summary":{"schema"}}}` and answers
//! `{"requestId","results":[{"id","url","title",
//! "publishedDate","author","highlights","text","summary"}],"costDollars"}`; a summary with a
//! schema is JSON in a string. Errors are `{"requestId","error","tag"}`: 400
//! `INVALID_REQUEST_BODY`, 401 `INVALID_API_KEY`, 402 `NO_MORE_CREDITS` and
//! `API_KEY_BUDGET_EXCEEDED`, 403 `FEATURE_DISABLED`, 500 `DEFAULT_ERROR`, and 429 with `error` alone.

use serde_json::{Map, Value, json};

use super::{Api, KEY, KeyLocation, bearer};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "exa",
    name: "Exa",
    docs: "https://exa.ai/docs/reference/search",
    key: KeyLocation::Own,
    answer,
    errors,
};

/// The categories that Exa documents or has documented.
const CATEGORIES: &[&str] = &[
    "company",
    "people",
    "publication",
    "research paper",
    "news",
    "github",
    "personal site",
    "financial report",
];

/// Categories that reject filters by date and by excluded hosts; `people` also rejects every wanted
/// host but LinkedIn's.
const UNDATED: &[&str] = &["company", "people"];

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    match request.header("x-api-key").or_else(|| bearer(request)) {
        None => return API.error_reply(ApiErrorKind::NoKey),
        Some(key) if key != KEY => return API.error_reply(ApiErrorKind::BadKey),
        Some(_) => {}
    }
    let Some(body) = request.json() else {
        return API.error_reply(ApiErrorKind::BadRequest);
    };
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/search") => search(&body, corpus),
        ("POST", "/contents") => contents(&body, corpus),
        _ => API.error_reply(ApiErrorKind::Status(404)),
    }
}

fn search(body: &Value, corpus: &Corpus) -> Reply {
    let query = body["query"].as_str().unwrap_or_default();
    let count = usize::try_from(body["numResults"].as_u64().unwrap_or(10)).unwrap_or(usize::MAX);
    let category = body["category"].as_str();
    if query.is_empty()
        || count == 0
        || count > 100
        || category.is_some_and(|word| !CATEGORIES.contains(&word))
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let has = |name: &str| !body[name].is_null();
    let is_bounded = has("startPublishedDate") || has("endPublishedDate") || has("excludeDomains");
    let is_elsewhere =
        || domains(&body["includeDomains"]).any(|site| !site.ends_with("linkedin.com"));
    if category.is_some_and(|word| UNDATED.contains(&word)) && is_bounded
        || category == Some("people") && is_elsewhere()
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let mut search = Search::new(query, kinds(category)).between(
        day(&body["startPublishedDate"]),
        day(&body["endPublishedDate"]),
    );
    search.sites.extend(domains(&body["includeDomains"]));
    search.not_sites.extend(domains(&body["excludeDomains"]));
    let results: Vec<Value> = corpus
        .find(&search)
        .into_iter()
        .take(count)
        .map(|page| result(page, corpus, &body["contents"]))
        .collect();
    Reply::json(
        200,
        &json!({"requestId": ID, "resolvedSearchType": "neural", "searchType": "auto", "results": results, "costDollars": {"total": 0.005}}),
    )
}

const ID: &str = "b5947044c4b78efa9552a7c89b306d95";

fn kinds(category: Option<&str>) -> &'static [DocumentKind] {
    match category {
        Some("news") => &[DocumentKind::News],
        Some("research paper" | "publication") => &[DocumentKind::Paper],
        Some("github") => &[DocumentKind::Repository],
        _ => &[
            DocumentKind::Web,
            DocumentKind::Article,
            DocumentKind::News,
            DocumentKind::Paper,
            DocumentKind::Repository,
        ],
    }
}

/// The day of an ISO 8601 time.
fn day(moment: &Value) -> Option<&str> {
    moment.as_str().and_then(|moment| moment.get(..10))
}

fn domains(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
}

fn result(page: &Document, corpus: &Corpus, contents: &Value) -> Value {
    let link = corpus.link(page);
    let mut result = json!({"id": link, "url": link, "title": page.title, "author": page.authors.first(), "favicon": null});
    if let Some(moment) = page.moment() {
        result["publishedDate"] = json!(moment.replace('Z', ".000Z"));
    }
    if contents["highlights"].is_object() || contents["highlights"] == true {
        result["highlights"] = json!([page.snippet(300)]);
        result["highlightScores"] = json!([0.87]);
    }
    if contents["text"].is_object() || contents["text"] == true {
        result["text"] = json!(page.text);
    }
    match &contents["summary"]["schema"] {
        Value::Object(schema) => result["summary"] = json!(fields(schema, page).to_string()),
        _ if contents["summary"].is_object() || contents["summary"] == true => {
            result["summary"] = json!(page.snippet(200))
        }
        _ => {}
    }
    result
}

/// The fields of a schema, filled from the document: by name where the name is known, otherwise by
/// type.
fn fields(schema: &Map<String, Value>, page: &Document) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let filled = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| (name.clone(), field(name, property, page)));
    Value::Object(filled.collect())
}

fn field(name: &str, property: &Value, page: &Document) -> Value {
    match (name, property["type"].as_str()) {
        ("title" | "name", _) => json!(page.title),
        ("author", _) => json!(page.authors.first()),
        ("date" | "published" | "published_date", _) => json!(page.day()),
        (_, Some("number" | "integer")) => json!(page.weight),
        (_, Some("boolean")) => json!(page.published.is_some()),
        (_, Some("array")) => json!(page.tags),
        (_, Some("object")) => property
            .as_object()
            .map_or(Value::Null, |schema| fields(schema, page)),
        _ => json!(page.snippet(120)),
    }
}

fn contents(body: &Value, corpus: &Corpus) -> Reply {
    let asked: Vec<String> = domains(if body["urls"].is_array() {
        &body["urls"]
    } else {
        &body["ids"]
    })
    .collect();
    if asked.is_empty() {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let find = |url: &String| {
        corpus
            .documents()
            .iter()
            .find(|page| corpus.link(page) == *url || page.url() == *url)
    };
    let results: Vec<Value> = asked
        .iter()
        .filter_map(find)
        .map(|page| result(page, corpus, body))
        .collect();
    let status = |url: &String| match find(url) {
        Some(_) => json!({"id": url, "status": "success", "source": "cached"}),
        None => {
            json!({"id": url, "status": "error", "error": {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}})
        }
    };
    let statuses: Vec<Value> = asked.iter().map(status).collect();
    Reply::json(
        200,
        &json!({"requestId": ID, "results": results, "statuses": statuses, "costDollars": {"total": 0.001}}),
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, tag, words) = match error.kind {
        ApiErrorKind::NoKey => (401, "INVALID_API_KEY", "x-api-key header is missing"),
        ApiErrorKind::BadKey => (401, "INVALID_API_KEY", "Invalid API key"),
        ApiErrorKind::Forbidden => (
            403,
            "FEATURE_DISABLED",
            "This feature is not enabled for your plan",
        ),
        ApiErrorKind::RateLimited => (429, "", "You've exceeded your Exa rate limit"),
        ApiErrorKind::Quota => (
            402,
            "NO_MORE_CREDITS",
            "You have exceeded your credits limit",
        ),
        ApiErrorKind::BadRequest => (400, "INVALID_REQUEST_BODY", "Invalid request body"),
        _ => (
            error.usual_status(),
            "DEFAULT_ERROR",
            "Something went wrong",
        ),
    };
    let mut body = json!({"error": error.words(words)});
    // For too many requests only the message is documented; the status says it.
    if error.kind != ApiErrorKind::RateLimited {
        (body["requestId"], body["tag"]) = (json!(ID), json!(tag));
    }
    Reply::json(status, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_filled_from_the_document() {
        let schema = json!({"type": "object", "properties": {"title": {"type": "string"}, "score": {"type": "integer"}, "more": {"type": "object", "properties": {"tags": {"type": "array"}}}}});
        let page = &Corpus::new(None).documents()[0];
        let filled = fields(schema.as_object().expect("an object"), page);
        assert_eq!(
            (&filled["title"], &filled["score"]),
            (&json!(page.title), &json!(page.weight))
        );
        assert!(filled["more"]["tags"].is_array());
    }
}

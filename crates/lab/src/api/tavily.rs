//! Tavily: `POST /search` with JSON
//! `{"query","topic","max_results","time_range","start_date","end_date","include_domains",
//! "exclude_domains","country"}`; the key as a bearer token, or `X-Tavily-Access-Mode: keyless`.
//!
//! Answers
//! `{"query","results":[{"url","title","content","score","published_date"}],"response_time",
//! "request_id"}`; only news have a date, in the format of e-mail. Errors are
//! `{"detail":{"error":"…"}}` with 400, 401, 429, 432 (the plan's limit) and 433 (the pay-as-you-go
//! limit).

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "tavily",
    name: "Tavily",
    docs: "https://docs.tavily.com/documentation/api-reference/endpoint/search",
    key: KeyLocation::OptionalBearer,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/search") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let is_keyless = request.header("x-tavily-access-mode") == Some("keyless");
    if super::bearer(request).is_none() && !is_keyless {
        return API.error_reply(ApiErrorKind::NoKey);
    }
    let body = request.json().unwrap_or_default();
    let query = body["query"].as_str().unwrap_or_default();
    let count = usize::try_from(body["max_results"].as_u64().unwrap_or(5)).unwrap_or(usize::MAX);
    let is_news = body["topic"] == "news";
    if query.is_empty()
        || query.chars().count() > 400
        || count > 20
        || !(body["topic"].is_null() || is_news || body["topic"] == "general")
        || is_news && !body["country"].is_null()
        || body["country"].as_str().is_some_and(|name| name.len() < 3)
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let kinds: &[DocumentKind] = if is_news {
        &[DocumentKind::News]
    } else {
        &[DocumentKind::Web, DocumentKind::Article, DocumentKind::News]
    };
    let mut search = Search::new(query, kinds)
        .between(body["start_date"].as_str(), body["end_date"].as_str())
        .within_days(body["time_range"].as_str().and_then(days));
    search.sites.extend(domains(&body["include_domains"]));
    search.not_sites.extend(domains(&body["exclude_domains"]));
    let found = corpus.find(&search);
    let results: Vec<Value> = found
        .iter()
        .take(count)
        .enumerate()
        .map(|(index, page)| result(page, corpus, index, is_news))
        .collect();
    let id = "7c9c1f0e-2f5e-4d0c-9b1a-3c0d6a1b2e4f";
    Reply::json(
        200,
        &json!({"query": query, "follow_up_questions": null, "answer": null, "images": [], "results": results, "response_time": 0.31, "request_id": id}),
    )
}

fn days(range: &str) -> Option<i64> {
    match range {
        "day" | "d" => Some(1),
        "week" | "w" => Some(7),
        "month" | "m" => Some(31),
        "year" | "y" => Some(365),
        _ => None,
    }
}

fn domains(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
}

fn result(page: &Document, corpus: &Corpus, index: usize, is_news: bool) -> Value {
    let score = 0.99 / (1.0 + index as f64 / 10.0);
    let mut result = json!({"url": corpus.link(page), "title": page.title, "content": page.snippet(400), "score": score, "raw_content": null});
    let moment = page
        .epoch()
        .and_then(|epoch| u64::try_from(epoch).ok())
        .map(|epoch| UNIX_EPOCH + Duration::from_secs(epoch));
    if let Some(moment) = moment.filter(|_| is_news) {
        result["published_date"] = json!(httpdate::fmt_http_date(moment));
    }
    result
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, words) = match error.kind {
        ApiErrorKind::NoKey | ApiErrorKind::BadKey => {
            (401, "Unauthorized: missing or invalid API key.")
        }
        ApiErrorKind::Forbidden => (403, "URL is not supported"),
        ApiErrorKind::RateLimited => (
            429,
            "Your request has been blocked due to excessive requests. Please reduce rate of requests.",
        ),
        ApiErrorKind::Quota => (
            432,
            "This request exceeds your plan's set usage limit. Please upgrade your plan or contact support@tavily.com",
        ),
        ApiErrorKind::BadRequest => (400, "Query is missing or a parameter is invalid."),
        ApiErrorKind::Status(433) => (
            433,
            "This request exceeds the pay-as-you-go limit. You can increase your limit on the Tavily dashboard.",
        ),
        _ => (error.usual_status(), "Internal Server Error"),
    };
    Reply::json(status, &json!({"detail": {"error": error.words(words)}}))
}

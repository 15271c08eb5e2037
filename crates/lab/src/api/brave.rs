//! Brave Search: `GET /web/search` and `/news/search` with `q`, `count`, `offset`, `freshness`,
//! `country`, `search_lang`, `safesearch`; the key in `X-Subscription-Token`. A query has at most 400
//! characters and 50 words; countries and languages are from fixed lists.
//!
//! Errors are `{"type":"ErrorResponse","error":{"id","status","code","detail","meta"},"time"}`: 422
//! `SUBSCRIPTION_TOKEN_INVALID` for a wrong key, 422 `VALIDATION` for a missing key or a bad
//! parameter, 400 `OPTION_NOT_IN_PLAN`, 429 `RATE_LIMITED` and `QUOTA_LIMITED`. Every reply has the
//! limits of two windows, a second and a month: `X-RateLimit-Remaining: 0, 1999`,
//! `X-RateLimit-Reset: 1, 1419704`.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "brave",
    name: "Brave Search",
    docs: "https://api-dashboard.search.brave.com/app/documentation/web-search/get-started",
    key: KeyLocation::Header("x-subscription-token"),
    answer,
    errors,
};

const COUNTRIES: &[&str] = &[
    "ALL", "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "HK", "IN", "ID",
    "IT", "JP", "KR", "MY", "MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES",
    "SE", "CH", "TW", "TR", "GB", "US",
];

const LANGUAGES: &[&str] = &[
    "ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en", "en-gb",
    "et", "fi", "fr", "gl", "de", "gu", "he", "hi", "hu", "is", "it", "jp", "kn", "ko", "lv", "lt",
    "ms", "ml", "mr", "nb", "pl", "pt-br", "pt-pt", "pa", "ro", "ru", "sr", "sk", "sl", "es", "sv",
    "ta", "te", "th", "tr", "uk", "vi",
];

const MONTH: u64 = 1_419_704;

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let (kinds, most): (&[DocumentKind], usize) =
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/web/search") => (
                &[
                    DocumentKind::Web,
                    DocumentKind::Article,
                    DocumentKind::News,
                    DocumentKind::Repository,
                ],
                20,
            ),
            ("GET", "/news/search") => (&[DocumentKind::News], 50),
            _ => return API.error_reply(ApiErrorKind::Status(404)),
        };
    let query = request.param("q").unwrap_or_default();
    let count = request.number("count").unwrap_or(20);
    let freshness = request.param("freshness").unwrap_or_default();
    let days = days(freshness);
    let is_known = freshness.is_empty() || days.is_some() || freshness.contains("to");
    let is_listed =
        |name: &str, list: &[&str]| request.param(name).is_none_or(|code| list.contains(&code));
    let is_long = query.chars().count() > 400 || query.split_whitespace().count() > 50;
    if query.is_empty()
        || is_long
        || count == 0
        || count > most
        || !is_known
        || !is_listed("country", COUNTRIES)
        || !is_listed("search_lang", LANGUAGES)
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let (from, to) = freshness
        .split_once("to")
        .map_or((None, None), |(from, to)| (Some(from), Some(to)));
    let search = Search::new(query, kinds)
        .between(from, to)
        .within_days(days)
        .in_language(request.param("search_lang"));
    let found = corpus.find(&search);
    let skipped = request.number("offset").unwrap_or(0).min(9) * count;
    let results: Vec<Value> = found
        .iter()
        .skip(skipped)
        .take(count)
        .map(|page| result(page, corpus, most == 50))
        .collect();
    let asked = json!({"original": query, "show_strict_warning": false, "is_navigational": false, "spellcheck_off": false,
        "country": "us", "bad_results": false, "more_results_available": found.len() > skipped + count});
    let body = match (most, results.is_empty()) {
        (50, _) => json!({"type": "news", "query": asked, "results": results}),
        // A web search without results has no "web" object.
        (_, true) => {
            json!({"type": "search", "query": asked, "mixed": {"type": "mixed", "main": [], "top": [], "side": []}})
        }
        _ => {
            json!({"type": "search", "query": asked, "web": {"type": "search", "results": results, "family_friendly": true}})
        }
    };
    limits(Reply::json(200, &body), 1, 0)
}

fn days(freshness: &str) -> Option<i64> {
    match freshness {
        "pd" => Some(1),
        "pw" => Some(7),
        "pm" => Some(31),
        "py" => Some(365),
        _ => None,
    }
}

fn result(page: &Document, corpus: &Corpus, is_news: bool) -> Value {
    let mut result = json!({
        "type": if is_news { "news_result" } else { "search_result" },
        "title": page.title, "url": corpus.link(page), "description": page.snippet(200),
        "is_source_local": false, "is_source_both": false, "language": page.language, "family_friendly": true,
        "meta_url": {"scheme": "https", "netloc": page.host, "hostname": page.host, "favicon": "", "path": page.path},
        "profile": {"name": page.source, "url": page.url(), "long_name": page.host, "img": ""},
    });
    if let Some(moment) = page.moment() {
        result["page_age"] = json!(moment.trim_end_matches('Z'));
        result["age"] = json!(page.day());
    }
    result
}

/// The two windows in every reply: how many requests are left and when the window ends.
fn limits(reply: Reply, left: u64, reset: u64) -> Reply {
    reply
        .header("X-RateLimit-Limit", "1, 2000")
        .header("X-RateLimit-Policy", "1;w=1, 2000;w=2592000")
        .header("X-RateLimit-Remaining", format!("{left}, 1999"))
        .header("X-RateLimit-Reset", format!("{reset}, {MONTH}"))
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, code, words, component) = documented(error);
    let mut meta = json!({"component": component});
    if error.kind == ApiErrorKind::NoKey {
        meta["errors"] = json!([{"type": "missing", "loc": ["header", "x-subscription-token"], "msg": "Field required", "input": null}]);
    }
    let body = json!({"id": "5d832250-9396-4f6e-b84a-2a1fe524cd7d", "status": status, "code": code, "detail": error.words(words), "meta": meta});
    let reply = Reply::json(
        status,
        &json!({"type": "ErrorResponse", "error": body, "time": 1_794_700_000}),
    );
    match error.kind {
        ApiErrorKind::RateLimited => limits(reply, 0, error.seconds),
        ApiErrorKind::Quota => reply
            .header("X-RateLimit-Limit", "1, 2000")
            .header("X-RateLimit-Remaining", "1, 0")
            .header("X-RateLimit-Reset", format!("1, {MONTH}")),
        _ => reply,
    }
}

/// Status, code, message and component of an error.
fn documented(error: &ApiError<'_>) -> (u16, &'static str, &'static str, &'static str) {
    let invalid = "Unable to validate request parameter(s)";
    let token = "The provided subscription token is invalid.";
    let plan = "The option is not subscribed in the plan.";
    let rate = "Request rate limit exceeded for plan.";
    let quota = "Request quota limit exceeded for plan.";
    match error.kind {
        ApiErrorKind::NoKey => (422, "VALIDATION", invalid, "server"),
        ApiErrorKind::BadKey => (422, "SUBSCRIPTION_TOKEN_INVALID", token, "authentication"),
        ApiErrorKind::Forbidden => (400, "OPTION_NOT_IN_PLAN", plan, "authentication"),
        ApiErrorKind::RateLimited => (429, "RATE_LIMITED", rate, "rate_limiter"),
        ApiErrorKind::Quota => (429, "QUOTA_LIMITED", quota, "rate_limiter"),
        ApiErrorKind::BadRequest => (422, "VALIDATION", invalid, "server"),
        _ => {
            let internal = "The server could not answer.";
            (error.usual_status(), "INTERNAL", internal, "server")
        }
    }
}

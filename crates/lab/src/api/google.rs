//! Google's Custom Search JSON API: `GET /customsearch/v1` with `key`, `cx`, `q`, `num` (1 to 10),
//! `start`, `dateRestrict`, `sort`, `lr`, `cr`, `gl`, `safe`.
//!
//! Errors are
//! `{"error":{"code","message","errors":[{"domain","reason","message"}],"status","details":[…]}}`.
//! A wrong key is a 400 with `API_KEY_INVALID` in its details; no key is a 403 `PERMISSION_DENIED`.
//! The limits per minute and per day are both 429 `rateLimitExceeded` and differ in
//! `details[0].metadata.quota_limit` (`DefaultPerMinutePerUser`, `DefaultPerDayPerProject`). Older
//! replies to the daily limit are 403 `dailyLimitExceeded`.

use serde_json::{Value, json};

use super::{Api, ENGINE, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "google",
    name: "Google Custom Search",
    docs: "https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list",
    key: KeyLocation::Param("key"),
    answer,
    errors,
};

const KINDS: &[DocumentKind] = &[DocumentKind::Web, DocumentKind::News, DocumentKind::Article];

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if request.method != "GET" || request.path != "/customsearch/v1" {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let (query, count, start) = (
        request.param("q").unwrap_or_default(),
        request.number("num").unwrap_or(10),
        request.number("start").unwrap_or(1),
    );
    if query.is_empty()
        || request.param("cx") != Some(ENGINE)
        || !(1..=10).contains(&count)
        || start == 0
        || start > 91
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let mut found = corpus.find(&search(request, query));
    if request.param("sort").is_some_and(|sort| sort == "date") {
        found.sort_by_key(|page| std::cmp::Reverse(page.epoch()));
    }
    let items: Vec<Value> = found
        .iter()
        .skip(start - 1)
        .take(count)
        .map(|page| item(page, corpus))
        .collect();
    let mut body = json!({
        "kind": "customsearch#search",
        "url": {"type": "application/json", "template": "https://www.googleapis.com/customsearch/v1?q={searchTerms}"},
        "queries": {"request": [{"title": "Google Custom Search", "totalResults": found.len().to_string(), "searchTerms": query, "count": items.len(), "startIndex": start, "cx": ENGINE}]},
        "searchInformation": {"searchTime": 0.21, "formattedSearchTime": "0.21", "totalResults": found.len().to_string(), "formattedTotalResults": found.len().to_string()},
    });
    if !items.is_empty() {
        body["context"] = json!({"title": "Lab"});
        body["items"] = json!(items);
    }
    Reply::json(200, &body)
}

fn search(request: &ApiRequest, query: &str) -> Search {
    let mut search = Search::new(query, KINDS)
        .within_days(request.param("dateRestrict").and_then(days))
        .in_language(
            request
                .param("lr")
                .and_then(|code| code.strip_prefix("lang_")),
        );
    if let Some((from, to)) = request
        .param("sort")
        .and_then(|sort| sort.strip_prefix("date:r:")?.split_once(':'))
    {
        search = search.between(dashed(from).as_deref(), dashed(to).as_deref());
    }
    if let Some(site) = request.param("siteSearch") {
        let list = if request.param("siteSearchFilter") == Some("e") {
            &mut search.not_sites
        } else {
            &mut search.sites
        };
        list.push(site.to_owned());
    }
    search
}

/// `d3`, `w1`, `m6`, `y1`.
fn days(text: &str) -> Option<i64> {
    let (unit, number) = text.split_at_checked(1)?;
    let number: i64 = number.parse().ok()?;
    let length = match unit {
        "d" => 1,
        "w" => 7,
        "m" => 31,
        "y" => 365,
        _ => return None,
    };
    number.checked_mul(length)
}

fn dashed(day: &str) -> Option<String> {
    Some(format!(
        "{}-{}-{}",
        day.get(..4)?,
        day.get(4..6)?,
        day.get(6..8)?
    ))
}

fn item(page: &Document, corpus: &Corpus) -> Value {
    let mut item = json!({
        "kind": "customsearch#result", "title": page.title, "htmlTitle": page.title, "link": corpus.link(page), "displayLink": page.host,
        "snippet": page.snippet(160), "htmlSnippet": page.snippet(160), "formattedUrl": page.url(),
    });
    if let Some(moment) = page.moment() {
        item["pagemap"] =
            json!({"metatags": [{"article:published_time": moment, "og:site_name": page.source}]});
    }
    item
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, reason, name) = match error.kind {
        ApiErrorKind::NoKey => (403, "forbidden", "PERMISSION_DENIED"),
        ApiErrorKind::BadKey => (400, "badRequest", "INVALID_ARGUMENT"),
        ApiErrorKind::Forbidden => (403, "accessNotConfigured", "PERMISSION_DENIED"),
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => {
            (429, "rateLimitExceeded", "RESOURCE_EXHAUSTED")
        }
        ApiErrorKind::BadRequest => (400, "badRequest", "INVALID_ARGUMENT"),
        ApiErrorKind::Overloaded => (503, "backendError", "UNAVAILABLE"),
        _ => (error.usual_status(), "backendError", "INTERNAL"),
    };
    let message = error.words(words(error.kind));
    let mut body = json!({"code": status, "message": message, "errors": [{"message": message, "domain": "global", "reason": reason}], "status": name});
    if let Some(details) = details(error.kind) {
        body["details"] = json!([details]);
    }
    Reply::json(status, &json!({"error": body}))
}

fn words(kind: ApiErrorKind) -> &'static str {
    match kind {
        ApiErrorKind::NoKey => {
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
        }
        ApiErrorKind::BadKey => "API key not valid. Please pass a valid API key.",
        ApiErrorKind::Forbidden => {
            "Custom Search API has not been used in project 1 before or it is disabled."
        }
        ApiErrorKind::RateLimited => {
            "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user' of service 'customsearch.googleapis.com' for consumer 'project_number:1'."
        }
        ApiErrorKind::Quota => {
            "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'customsearch.googleapis.com' for consumer 'project_number:1'."
        }
        ApiErrorKind::BadRequest => "Request contains an invalid argument.",
        _ => "Internal error encountered.",
    }
}

fn details(kind: ApiErrorKind) -> Option<Value> {
    let info = |reason: &str, metadata: Value| json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com", "metadata": metadata});
    let quota = |limit: &str, value: &str| {
        json!({"service": "customsearch.googleapis.com", "consumer": "projects/1", "quota_metric": "customsearch.googleapis.com/requests",
            "quota_limit": limit, "quota_limit_value": value, "quota_location": "global"})
    };
    Some(match kind {
        ApiErrorKind::BadKey => info(
            "API_KEY_INVALID",
            json!({"service": "customsearch.googleapis.com"}),
        ),
        ApiErrorKind::Forbidden => info(
            "SERVICE_DISABLED",
            json!({"service": "customsearch.googleapis.com", "consumer": "projects/1"}),
        ),
        ApiErrorKind::RateLimited => info(
            "RATE_LIMIT_EXCEEDED",
            quota("DefaultPerMinutePerUser", "100"),
        ),
        ApiErrorKind::Quota => info(
            "RATE_LIMIT_EXCEEDED",
            quota("DefaultPerDayPerProject", "100"),
        ),
        _ => return None,
    })
}

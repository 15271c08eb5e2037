//! GitHub's search of repositories: `GET /search/repositories` with `q` (and its qualifiers),
//! `sort`, `order`, `per_page`, `page`; a token is optional.
//!
//! Answers `{"total_count","incomplete_results","items":[…]}`. Errors are
//! `{"message","documentation_url","status"}`: 401 for a bad token, 422 with `errors` for a bad
//! query, and for a used-up limit 403 (or 429) with `x-ratelimit-remaining: 0` and
//! `x-ratelimit-reset` in seconds since 1970; the secondary limit is a 403 that names the page about
//! it and need not say how long it lasts.
//! Requests without a `User-Agent` are refused with a 403.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "github",
    name: "GitHub",
    docs: "https://docs.github.com/en/rest/search/search#search-repositories",
    key: KeyLocation::OptionalBearer,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if request.header("user-agent").is_none_or(str::is_empty) {
        return Reply::typed(
            403,
            "text/plain",
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.\n",
        );
    }
    if (request.method.as_str(), request.path.as_str()) != ("GET", "/search/repositories") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let query = request.param("q").unwrap_or_default();
    if query.trim().is_empty() || query.chars().count() > 256 {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let size = request.number("per_page").unwrap_or(30).clamp(1, 100);
    let skipped = request
        .number("page")
        .unwrap_or(1)
        .saturating_sub(1)
        .saturating_mul(size);
    let found = corpus.find(&search(query));
    let items: Vec<Value> = found
        .iter()
        .skip(skipped)
        .take(size)
        .map(|repository| item(repository, corpus))
        .collect();
    let reply = Reply::json(
        200,
        &json!({"total_count": found.len(), "incomplete_results": false, "items": items}),
    );
    limits(reply, 9, 60)
}

/// The words and the qualifiers that the corpus supports; other qualifiers always match.
fn search(query: &str) -> Search {
    let (qualifiers, words): (Vec<&str>, Vec<&str>) = query
        .split_whitespace()
        .partition(|word| word.contains(':'));
    let mut search = Search::new(&words.join(" "), &[DocumentKind::Repository]);
    for range in qualifiers.iter().filter_map(|word| {
        word.strip_prefix("created:")
            .or(word.strip_prefix("pushed:"))
    }) {
        search = match range.split_once("..") {
            Some((from, to)) => search.between(
                Some(from).filter(|from| *from != "*"),
                Some(to).filter(|to| *to != "*"),
            ),
            None => match range.strip_prefix(">=") {
                Some(from) => search.between(Some(from), None),
                None => search.between(None, range.strip_prefix("<=")),
            },
        };
    }
    search
}

fn item(repository: &Document, corpus: &Corpus) -> Value {
    let owner = repository.authors.first().map_or("", String::as_str);
    let name = repository
        .title
        .split_once('/')
        .map_or(repository.title.as_str(), |(_, name)| name);
    let moment = repository.moment();
    json!({
        "id": repository.number, "name": name, "full_name": repository.title, "private": false,
        "owner": {"login": owner, "type": "Organization"}, "html_url": corpus.link(repository), "description": repository.text,
        "fork": false, "created_at": moment, "updated_at": moment, "pushed_at": moment, "stargazers_count": repository.weight,
        "language": repository.tags.first(), "topics": repository.tags, "archived": false, "license": null, "score": 1.0,
    })
}

/// The limit of searches, which every reply has.
fn limits(reply: Reply, left: u64, seconds: u64) -> Reply {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    reply
        .header("x-ratelimit-limit", 10)
        .header("x-ratelimit-remaining", left)
        .header("x-ratelimit-reset", now + seconds)
        .header("x-ratelimit-used", 10 - left)
        .header("x-ratelimit-resource", "search")
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, words) = match error.kind {
        ApiErrorKind::NoKey | ApiErrorKind::BadKey => (401, "Bad credentials"),
        ApiErrorKind::Forbidden => (403, "Resource not accessible by personal access token"),
        ApiErrorKind::RateLimited => (
            403,
            "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit.)",
        ),
        ApiErrorKind::Quota => (
            403,
            "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        ),
        ApiErrorKind::BadRequest => (422, "Validation Failed"),
        _ => (error.usual_status(), "Server Error"),
    };
    let page = match error.kind {
        ApiErrorKind::Quota => {
            "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
        }
        _ => "https://docs.github.com/rest",
    };
    let mut body = json!({"message": error.words(words), "documentation_url": page, "status": status.to_string()});
    if error.kind == ApiErrorKind::BadRequest {
        body["errors"] = json!([{"resource": "Search", "field": "q", "code": "missing"}]);
    }
    let reply = Reply::json(status, &body);
    match error.kind {
        ApiErrorKind::RateLimited => limits(reply, 0, error.seconds),
        // A secondary limit, which need not say how long it lasts.
        ApiErrorKind::Quota => limits(reply, 5, 60),
        ApiErrorKind::Forbidden => limits(reply, 5, 60),
        _ => reply,
    }
}

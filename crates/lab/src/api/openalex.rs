//! OpenAlex: `GET /works` with `search`, `filter`
//! (`from_publication_date:…,to_publication_date:…,is_oa:true,language:en`), `per_page`, `page`,
//! `select`; an optional key as a bearer token (the real API also accepts `api_key`).
//!
//! Abstracts come as an index from words to positions, identifiers as URLs. Errors are
//! `{"error","message"}`: 400 for an unknown filter and for wildcards or `!` in `search`, 401 for an
//! unknown key, 403 for too many requests, 429 for the daily limit with `Retry-After` and
//! `X-RateLimit-Reset` in seconds, 503 with `Retry-After` under load. The headers of the daily
//! allowance are those of a reply recorded on 2026-09-01; the refusals are those of the service's
//! source (ourresearch/openalex-elastic-api, 2026-08-07).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "openalex",
    name: "OpenAlex",
    docs: "https://developers.openalex.org/api-reference/errors",
    key: KeyLocation::OptionalBearer,
    answer,
    errors,
};

const FILTERS: &[&str] = &[
    "from_publication_date",
    "to_publication_date",
    "is_oa",
    "language",
    "raw_author_name.search",
];

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("GET", "/works") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let filters: Vec<(&str, &str)> = request
        .param("filter")
        .unwrap_or_default()
        .split(',')
        .filter_map(|part| part.split_once(':'))
        .collect();
    let count = request.number("per_page").unwrap_or(25);
    if count == 0 || count > 200 || filters.iter().any(|(name, _)| !FILTERS.contains(name)) {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let value = |name: &str| {
        filters
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    };
    let words = request.param("search").unwrap_or_default();
    if has_operators(words) {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let search = Search::new(words, &[DocumentKind::Paper]).in_language(value("language"));
    let mut found =
        corpus.find(&search.between(value("from_publication_date"), value("to_publication_date")));
    found.retain(|paper| value("is_oa").is_none() || paper.pdf.is_some());
    found.retain(|paper| {
        value("raw_author_name.search").is_none_or(|name| super::is_by(paper, name))
    });
    let results: Vec<Value> = found
        .iter()
        .take(count)
        .map(|paper| work(paper, corpus))
        .collect();
    let meta = json!({"count": found.len(), "db_response_time_ms": 12, "page": 1, "per_page": count, "groups_count": null});
    let body = json!({"meta": meta, "results": results, "group_by": []});
    allowance(Reply::json(200, &body), 990)
}

/// What `search` refuses: wildcards outside quotation marks, `|`, and words that begin with `!`.
fn has_operators(words: &str) -> bool {
    let unquoted: String = words.split('"').step_by(2).collect();
    let is_operator = |word: &str| word.contains(['*', '?', '|']) || word.starts_with('!');
    unquoted.split_whitespace().any(is_operator)
}

/// The headers about the day's allowance, in tenths of a cent and in dollars.
fn allowance(reply: Reply, left: u32) -> Reply {
    reply
        .header("x-ratelimit-limit", 1000)
        .header("x-ratelimit-remaining", left)
        .header("x-ratelimit-reset", 11_987)
        .header("x-ratelimit-limit-usd", 0.1)
        .header("x-ratelimit-remaining-usd", f64::from(left) / 10_000.0)
        .header("x-ratelimit-credits-used", 10)
        .header("x-ratelimit-cost-usd", 0.001)
        .header("x-ratelimit-onetime-remaining", 0)
}

fn work(paper: &Document, corpus: &Corpus) -> Value {
    let id = format!(
        "https://openalex.org/W{}",
        paper.number.unwrap_or(paper.weight + 4_000_000)
    );
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, word) in paper.text.split_whitespace().enumerate() {
        places.entry(word).or_default().push(place);
    }
    let by = |name: &String| json!({"author_position": "middle", "author": {"id": null, "display_name": name}, "raw_author_name": name});
    let source = json!({"id": null, "display_name": paper.source, "type": "journal"});
    let place = json!({"is_oa": paper.pdf.is_some(), "landing_page_url": corpus.link(paper), "pdf_url": paper.pdf, "source": source});
    json!({
        "id": id, "doi": paper.doi.as_ref().map(|doi| format!("https://doi.org/{doi}")), "display_name": paper.title, "title": paper.title,
        "publication_year": paper.year(), "publication_date": paper.day(), "language": paper.language, "type": "article",
        "authorships": paper.authors.iter().map(by).collect::<Vec<_>>(), "primary_location": place,
        "best_oa_location": paper.pdf.as_ref().map(|_| place.clone()),
        "open_access": {"is_oa": paper.pdf.is_some(), "oa_status": "gold", "oa_url": paper.pdf},
        "cited_by_count": paper.weight, "abstract_inverted_index": places,
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (title, words) = match error.kind {
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => (
            "Rate limit exceeded",
            "Insufficient budget. This request costs $0.001.",
        ),
        ApiErrorKind::BadRequest => (
            "Invalid query parameters error.",
            "nonsense is not a valid field.",
        ),
        ApiErrorKind::NoKey | ApiErrorKind::BadKey => {
            ("Invalid API key", "The API key that was sent is not known.")
        }
        ApiErrorKind::Forbidden => ("Forbidden", "Rate limit exceeded; slow down."),
        _ => ("Error", "Something went wrong."),
    };
    let status = error.usual_status();
    let reply = Reply::json(
        status,
        &json!({"error": title, "message": error.words(words)}),
    );
    match error.kind {
        ApiErrorKind::RateLimited => allowance(reply, 990).header("Retry-After", error.seconds),
        ApiErrorKind::Quota => allowance(reply, 0).header("Retry-After", error.seconds),
        ApiErrorKind::Overloaded => reply.header("Retry-After", 30),
        _ => reply,
    }
}

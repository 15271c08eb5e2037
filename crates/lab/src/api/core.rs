//! CORE: `GET /v3/search/works/` with `q` (words, `authors.name:"…"`, `yearPublished>=2020`,
//! joined by `AND`), `limit`, `offset`; an optional key as a bearer token. Without the final slash it
//! redirects.
//!
//! Every reply has `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Retry-After`, the
//! last as an ISO 8601 time. Too many requests get 429 with an empty body.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "core",
    name: "CORE",
    docs: "https://api.core.ac.uk/docs/v3",
    key: KeyLocation::OptionalBearer,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/v3/search/works/") => {}
        ("GET", "/v3/search/works") => {
            return Reply::html(301, "Moved Permanently").header("Location", "/v3/search/works/");
        }
        _ => return API.error_reply(ApiErrorKind::Status(404)),
    }
    let limit = request.number("limit").unwrap_or(10);
    if limit > 100 {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let (mut words, mut author, mut from, mut to) = (Vec::new(), None, None, None);
    for part in request.param("q").unwrap_or_default().split(" AND ") {
        let part = part.trim_matches(['(', ')']);
        if let Some(name) = part.strip_prefix("authors.name:") {
            author = Some(name.trim_matches('"'));
        } else if let Some(year) = part.strip_prefix("yearPublished>=") {
            from = Some(format!("{year}-01-01"));
        } else if let Some(year) = part.strip_prefix("yearPublished<=") {
            to = Some(format!("{year}-12-31"));
        } else {
            words.push(part);
        }
    }
    let mut found = corpus.find(
        &Search::new(&words.join(" "), &[DocumentKind::Paper])
            .between(from.as_deref(), to.as_deref()),
    );
    found
        .retain(|paper| paper.pdf.is_some() && author.is_none_or(|name| super::is_by(paper, name)));
    let results: Vec<Value> = found
        .iter()
        .take(limit)
        .map(|paper| work(paper, corpus))
        .collect();
    paced(
        Reply::json(
            200,
            &json!({"totalHits": found.len(), "limit": limit, "offset": 0, "scrollId": null, "results": results}),
        ),
        9,
        0,
    )
}

fn work(paper: &Document, corpus: &Corpus) -> Value {
    let id = paper.weight + 300_000;
    json!({
        "id": id, "title": paper.title, "abstract": paper.text, "doi": paper.doi, "arxivId": paper.arxiv,
        "authors": paper.authors.iter().map(|name| json!({"name": name})).collect::<Vec<_>>(),
        "yearPublished": paper.year(), "publishedDate": paper.day().map(|day| format!("{day}T00:00:00")), "citationCount": paper.weight,
        "downloadUrl": paper.pdf, "publisher": format!("'{}'", paper.source), "journals": [{"title": paper.source, "identifiers": []}],
        "links": [{"type": "download", "url": paper.pdf}, {"type": "display", "url": corpus.link(paper)}], "fullText": null,
    })
}

fn paced(reply: Reply, remaining: u64, seconds: u64) -> Reply {
    let then = SystemTime::now() + Duration::from_secs(seconds);
    let moment = moment(
        then.duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs(),
    );
    reply
        .header("X-RateLimit-Limit", 10)
        .header("X-RateLimit-Remaining", remaining)
        .header("X-RateLimit-Retry-After", moment)
}

/// `2026-09-30T12:16:23+0000`.
fn moment(epoch: u64) -> String {
    let seconds = i64::try_from(epoch).unwrap_or(i64::MAX);
    let moment = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX);
    moment.strftime("%Y-%m-%dT%H:%M:%S+0000").to_string()
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    let words = match error.kind {
        ApiErrorKind::NoKey | ApiErrorKind::BadKey => "The API Key you provided is not valid",
        _ => crate::http::reason(status),
    };
    match error.kind {
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => {
            let empty = Reply::typed(status, "application/json", error.words("").to_owned());
            paced(empty, 0, error.seconds)
        }
        _ => {
            let reply = Reply::json(status, &json!({"message": error.words(words)}));
            paced(reply, 9, 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_it_writes_them() {
        assert_eq!(moment(1_790_770_583), "2026-09-30T12:16:23+0000");
        assert_eq!(moment(0), "1970-01-01T00:00:00+0000");
    }
}

//! SearchApi: `GET /api/v1/search` with `engine=google_patents`, `q`, `num`, `page`, `after` and
//! `before` (`publication:20240101`), `assignee`, `inventor`; the key as a bearer token or in
//! `api_key`.
//!
//! Errors are `{"error":"…"}` with a status. A search without results is a success with an `error`
//! and without a list.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "searchapi",
    name: "SearchApi",
    docs: "https://www.searchapi.io/docs/google-patents",
    key: KeyLocation::Bearer,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("GET", "/api/v1/search") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let (query, count) = (
        request.param("q").unwrap_or_default(),
        request.number("num").unwrap_or(10),
    );
    if request.param("engine") != Some("google_patents")
        || query.is_empty()
        || !(10..=100).contains(&count)
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let day = |name: &str| {
        let day = request.param(name)?.split_once(':')?.1;
        Some(format!(
            "{}-{}-{}",
            day.get(..4)?,
            day.get(4..6)?,
            day.get(6..8)?
        ))
    };
    let (from, to) = (day("after"), day("before"));
    let mut found = corpus
        .find(&Search::new(query, &[DocumentKind::Patent]).between(from.as_deref(), to.as_deref()));
    found.retain(|patent| {
        request
            .param("assignee")
            .is_none_or(|company| super::is_held_by(patent, company))
    });
    found.retain(|patent| {
        request
            .param("inventor")
            .is_none_or(|name| super::is_by(patent, name))
    });
    let results: Vec<Value> = found
        .iter()
        .take(count)
        .enumerate()
        .map(|(index, patent)| result(index + 1, patent, corpus))
        .collect();
    let mut body = json!({
        "search_metadata": {"id": "search_lab", "status": "Success", "created_at": "2026-11-15T00:00:00Z", "total_time_taken": 0.4},
        "search_parameters": {"engine": "google_patents", "q": query},
        "search_information": {"query_displayed": query, "total_results": found.len()},
    });
    if results.is_empty() {
        body["error"] = json!("Google Patents didn't return any results.");
    } else {
        body["organic_results"] = json!(results);
    }
    Reply::json(200, &body)
}

fn result(position: usize, patent: &Document, corpus: &Corpus) -> Value {
    let number = patent.patent.as_deref().unwrap_or_default();
    json!({
        "position": position, "rank": position - 1, "patent_id": format!("patent/{number}/en"), "publication_number": number,
        "title": patent.title, "snippet": patent.snippet(160), "link": corpus.link(patent), "assignee": patent.assignee,
        "inventor": patent.authors.first(), "priority_date": patent.filed, "filing_date": patent.filed, "grant_date": patent.granted,
        "publication_date": patent.day(), "language": "en", "pdf": format!("https://patentimages.example/{number}.pdf"),
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    let words = match error.kind {
        ApiErrorKind::NoKey | ApiErrorKind::BadKey => {
            "Invalid API key. Your API key should be here: https://www.searchapi.io/"
        }
        ApiErrorKind::RateLimited => "You have exceeded your hourly searches limit.",
        ApiErrorKind::Quota => "You have used all of the searches for the month on this account.",
        ApiErrorKind::BadRequest => "Missing required parameter: q",
        _ => crate::http::reason(status),
    };
    Reply::json(status, &json!({"error": error.words(words)}))
}

//! Semantic Scholar's Academic Graph: `GET /graph/v1/paper/search` with `query`, `offset`, `limit`,
//! `fields`, `publicationDateOrYear` (`2024-01-01:2024-12-31`), `openAccessPdf`; an optional key in
//! `x-api-key`.
//!
//! Too many requests get 429 with `{"message":"Too Many Requests. …","code":"429"}` and no wait; an
//! unknown key gets 403 with `{"message":"Forbidden"}`; bad parameters get 400 with
//! `{"error":"…"}`. A reply without results has no `data`. Hyphenated words match nothing, as its
//! documentation says.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "semanticscholar",
    name: "Semantic Scholar",
    docs: "https://api.semanticscholar.org/api-docs/graph",
    key: KeyLocation::OptionalHeader("x-api-key"),
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("GET", "/graph/v1/paper/search") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let (query, limit) = (
        request.param("query").unwrap_or_default(),
        request.number("limit").unwrap_or(100),
    );
    if query.is_empty() || limit > 100 {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let (from, to) = request
        .param("publicationDateOrYear")
        .and_then(|period| period.split_once(':'))
        .unwrap_or_default();
    let (from, to) = (
        Some(from).filter(|day| !day.is_empty()),
        Some(to).filter(|day| !day.is_empty()),
    );
    let mut found = corpus.find(&Search::new(query, &[DocumentKind::Paper]).between(from, to));
    let is_hyphenated = |word: &str| word.trim_matches('-').contains('-');
    found.retain(|_| !query.split_whitespace().any(is_hyphenated));
    found.retain(|paper| request.param("openAccessPdf").is_none() || paper.pdf.is_some());
    let data: Vec<Value> = found
        .iter()
        .take(limit)
        .map(|paper| result(paper))
        .collect();
    let body = if data.is_empty() {
        json!({"total": 0, "offset": 0})
    } else {
        json!({"total": found.len(), "offset": 0, "data": data})
    };
    Reply::json(200, &body)
}

fn result(paper: &Document) -> Value {
    let id = format!("{:040x}", paper.weight + 7_001);
    json!({
        "paperId": id, "title": paper.title, "url": format!("https://www.semanticscholar.org/paper/{id}"), "abstract": paper.text,
        "venue": paper.source, "year": paper.year(), "publicationDate": paper.day(), "citationCount": paper.weight,
        "isOpenAccess": paper.pdf.is_some(), "openAccessPdf": paper.pdf.as_ref().map(|url| json!({"url": url, "status": "GOLD"})),
        "externalIds": {"DOI": paper.doi, "ArXiv": paper.arxiv, "CorpusId": paper.weight + 9_000_000},
        "authors": paper.authors.iter().map(|name| json!({"authorId": null, "name": name})).collect::<Vec<_>>(),
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    match error.kind {
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => {
            let words = error.words("Too Many Requests. Please wait and try again or apply for a key for higher rate limits.");
            Reply::json(429, &json!({"message": words, "code": "429"}))
        }
        ApiErrorKind::NoKey | ApiErrorKind::BadKey | ApiErrorKind::Forbidden => {
            Reply::json(403, &json!({"message": error.words("Forbidden")}))
        }
        ApiErrorKind::BadRequest => Reply::json(
            400,
            &json!({"error": error.words("Unacceptable query params: [limit=101]")}),
        ),
        _ => Reply::json(
            status,
            &json!({"message": error.words(crate::http::reason(status))}),
        ),
    }
}

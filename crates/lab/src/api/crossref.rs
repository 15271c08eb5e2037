//! Crossref: `GET /works` with `query`, `query.author`, `filter`
//! (`from-pub-date:…,until-pub-date:…`), `rows`, `offset`, `select`, `mailto`; a Metadata Plus key
//! in `Crossref-Plus-API-Token: Bearer …`.
//!
//! Bad parameters get 400 with
//! `{"status":"failed","message-type":"validation-failure","message":[…]}`; most other errors are
//! plain text: 404 `Resource not found.`, 429. Every reply has `X-Rate-Limit-Limit` and
//! `X-Rate-Limit-Interval`.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "crossref",
    name: "Crossref",
    docs: "https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    key: KeyLocation::OptionalHeader("crossref-plus-api-token"),
    answer,
    errors,
};

const PARAMETERS: &[&str] = &[
    "query",
    "query.author",
    "filter",
    "rows",
    "offset",
    "select",
    "mailto",
    "sort",
    "order",
];

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("GET", "/works") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let rows = request.number("rows").unwrap_or(20);
    if rows > 1000
        || request
            .query
            .iter()
            .any(|(name, _)| !PARAMETERS.contains(&name.as_str()))
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let filter = request.param("filter").unwrap_or_default();
    let day = |name: &str| {
        filter
            .split(',')
            .find_map(|part| part.strip_prefix(name)?.strip_prefix(':'))
    };
    let search = Search::new(
        request.param("query").unwrap_or_default(),
        &[DocumentKind::Paper],
    );
    let mut found = corpus.find(&search.between(day("from-pub-date"), day("until-pub-date")));
    found.retain(|paper| {
        paper.doi.is_some()
            && request
                .param("query.author")
                .is_none_or(|name| super::is_by(paper, name))
    });
    let items: Vec<Value> = found
        .iter()
        .skip(request.number("offset").unwrap_or(0))
        .take(rows)
        .map(|paper| item(paper))
        .collect();
    let message = json!({"facets": {}, "total-results": found.len(), "items": items, "items-per-page": rows, "query": {"start-index": 0}});
    paced(Reply::json(
        200,
        &json!({"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}),
    ))
}

fn paced(reply: Reply) -> Reply {
    reply
        .header("X-Rate-Limit-Limit", 5)
        .header("X-Rate-Limit-Interval", "1s")
        .header("X-API-Pool", "public")
}

fn item(paper: &Document) -> Value {
    let day = paper.day().unwrap_or_default();
    let parts: Vec<i32> = day
        .split('-')
        .filter_map(|part| part.parse().ok())
        .collect();
    let author = |name: &String| {
        let (given, family) = name.rsplit_once(' ').unwrap_or(("", name));
        json!({"given": given, "family": family, "sequence": "additional", "affiliation": []})
    };
    let link = |pdf: &String| json!({"URL": pdf, "content-type": "application/pdf", "content-version": "vor", "intended-application": "text-mining"});
    json!({
        "DOI": paper.doi, "URL": paper.doi.as_ref().map(|doi| format!("https://doi.org/{doi}")), "type": "journal-article",
        "title": [paper.title], "container-title": [paper.source], "publisher": paper.source,
        "author": paper.authors.iter().map(author).collect::<Vec<_>>(), "published": {"date-parts": [parts]},
        "abstract": format!("<jats:p>{}</jats:p>", crate::pages::escape(&paper.text)), "is-referenced-by-count": paper.weight,
        "link": paper.pdf.iter().map(link).collect::<Vec<_>>(), "score": 12.5,
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    let reply = match error.kind {
        ApiErrorKind::BadRequest => {
            let words = error.words("Integer specified as notanumber but must be a positive integer less than or equal to 1000.");
            let problem =
                json!({"type": "integer-not-valid", "value": "notanumber", "message": words});
            Reply::json(
                status,
                &json!({"status": "failed", "message-type": "validation-failure", "message": [problem]}),
            )
        }
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => Reply::typed(
            status,
            "text/plain",
            error
                .words("Social activity too high... try again later")
                .to_owned(),
        ),
        ApiErrorKind::Status(404) => Reply::typed(
            404,
            "text/plain",
            error.words("Resource not found.").to_owned(),
        ),
        _ => Reply::typed(
            status,
            "text/plain",
            error.words(crate::http::reason(status)).to_owned(),
        ),
    };
    paced(reply)
}

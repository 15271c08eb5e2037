//! The Lens: `POST /patent/search` with `{"query":{"bool":{"must":[…]}},"size":n,"include":[…]}`;
//! the key as a bearer token.
//!
//! 400 for an invalid query, 401 for a missing or unknown token, 404 for no results, 429 for any
//! limit, with `x-rate-limit-retry-after-seconds`. Every reply has what is left of the minute and
//! the month.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "lens",
    name: "The Lens",
    docs: "https://docs.api.lens.org/getting-started.html",
    key: KeyLocation::Bearer,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/patent/search") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    if !request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/json"))
    {
        return API.error_reply(ApiErrorKind::Status(415));
    }
    let Some(body) = request.json() else {
        return API.error_reply(ApiErrorKind::BadRequest);
    };
    let Some(must) = body.pointer("/query/bool/must").and_then(Value::as_array) else {
        return API.error_reply(ApiErrorKind::BadRequest);
    };
    let found = find_patents(must, corpus);
    if found.is_empty() {
        let nothing = json!({"message": "No results found", "total": 0, "data": []});
        return limits(Reply::json(404, &nothing), 9, 4_000);
    }
    let size = body.get("size").and_then(Value::as_u64).unwrap_or(20) as usize;
    let data: Vec<Value> = found
        .iter()
        .take(size)
        .map(|patent| record(patent))
        .collect();
    limits(
        Reply::json(
            200,
            &json!({"total": found.len(), "max_score": null, "data": data, "results": data.len()}),
        ),
        9,
        4_000,
    )
}

/// The patents that match every clause of the query.
fn find_patents<'a>(must: &[Value], corpus: &'a Corpus) -> Vec<&'a Document> {
    let text = |at: &str| must.iter().find_map(|clause| clause.pointer(at)?.as_str());
    let words = text("/query_string/query")
        .unwrap_or_default()
        .replace(" AND ", " ");
    let search = Search::new(&words, &[DocumentKind::Patent]).between(
        text("/range/date_published/gte"),
        text("/range/date_published/lte"),
    );
    let mut found = corpus.find(&search);
    let company = text("/match_phrase/applicant.name");
    found.retain(|patent| company.is_none_or(|company| super::is_held_by(patent, company)));
    let inventor = text("/match_phrase/inventor.name");
    found.retain(|patent| inventor.is_none_or(|name| super::is_by(patent, name)));
    let office = text("/term/jurisdiction");
    found.retain(|patent| {
        let number = patent.patent.as_deref().unwrap_or_default();
        office.is_none_or(|office| number.starts_with(office))
    });
    found
}

fn limits(reply: Reply, minute: u64, month: u64) -> Reply {
    reply
        .header("x-rate-limit-remaining-request-per-minute", minute)
        .header("x-rate-limit-remaining-request-per-month", month)
        .header("x-rate-limit-remaining-record-per-month", month * 100)
        .header("x-rate-limit-reset-date", "2026-12-01T00:00:00Z")
}

fn record(patent: &Document) -> Value {
    let number = patent.patent.as_deref().unwrap_or_default();
    let (office, rest) = number.split_at_checked(2).unwrap_or_default();
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (number, kind) = rest.split_at(digits);
    let party = |name: &String| json!({"residence": "US", "extracted_name": {"value": name}});
    json!({
        "lens_id": format!("{:03}-{:03}-000-000-00X", patent.title.len(), patent.text.len() % 1000), "jurisdiction": office,
        "doc_number": number, "kind": kind, "date_published": patent.day(), "lang": "en", "publication_type": "GRANTED_PATENT",
        "abstract": [{"text": patent.text, "lang": "en"}],
        "biblio": {
            "invention_title": [{"text": patent.title, "lang": "en"}], "application_reference": {"jurisdiction": office, "date": patent.filed},
            "priority_claims": {"claims": [], "earliest_claim": {"date": patent.filed}},
            "parties": {
                "applicants": patent.assignee.iter().map(party).collect::<Vec<_>>(),
                "inventors": patent.authors.iter().map(party).collect::<Vec<_>>(),
            },
        },
        "legal_status": {"granted": patent.granted.is_some(), "grant_date": patent.granted, "patent_status": "ACTIVE"},
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    let reply = Reply::json(
        status,
        &json!({"message": error.words(crate::http::reason(status))}),
    );
    match error.kind {
        ApiErrorKind::RateLimited => {
            limits(reply, 0, 4_000).header("x-rate-limit-retry-after-seconds", error.seconds)
        }
        ApiErrorKind::Quota => limits(reply, 9, 0),
        // The gateway in front of the API does not answer in JSON.
        ApiErrorKind::Status(_) => {
            Reply::html(status, error.words(crate::http::reason(status)).to_owned())
        }
        _ => limits(reply, 9, 4_000),
    }
}

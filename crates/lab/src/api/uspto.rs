//! The USPTO's Open Data Portal: `GET /api/v1/patent/applications/search` with `q` (fields below
//! `applicationMetaData`, joined by `AND`), `offset`, `limit`; the key in `X-API-KEY`.
//!
//! Errors are `{"code","message","detailedMessage","requestIdentifier"}`. A search without results
//! is such an error with 404. A missing or unknown key gets 403 from the gateway in front of the
//! API.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "uspto",
    name: "USPTO Open Data Portal",
    docs: "https://data.uspto.gov/apis/patent-file-wrapper/search",
    key: KeyLocation::Header("x-api-key"),
    answer,
    errors,
};

const FIELD: &str = "applicationMetaData.";

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str())
        != ("GET", "/api/v1/patent/applications/search")
    {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let query = request.param("q").unwrap_or_default();
    let Some(title) = between(query, "inventionTitle:(", ")") else {
        return API.error_reply(ApiErrorKind::BadRequest);
    };
    let words = title.replace(" AND ", " ");
    let range = between(query, "grantDate:[", "]").and_then(|range| range.split_once(" TO "));
    let (from, to) = range.map_or((None, None), |(from, to)| (bound(from), bound(to)));
    let mut found = corpus.find(&Search::new(&words, &[DocumentKind::Patent]).between(from, to));
    found.retain(|patent| {
        patent
            .patent
            .as_deref()
            .is_some_and(|number| number.starts_with("US"))
            && is_titled(patent, &words)
    });
    let company = between(query, "applicantNameText:\"", "\"");
    let inventor = between(query, "inventorNameText:\"", "\"");
    found.retain(|patent| company.is_none_or(|company| super::is_held_by(patent, company)));
    found.retain(|patent| inventor.is_none_or(|name| super::is_by(patent, name)));
    if found.is_empty() {
        return error_body(
            404,
            "No matching records found, refine your search criteria and try again",
        );
    }
    let limit = request.number("limit").unwrap_or(25);
    let bag: Vec<Value> = found
        .iter()
        .take(limit)
        .map(|patent| wrapper(patent))
        .collect();
    Reply::json(
        200,
        &json!({"count": found.len(), "patentFileWrapperDataBag": bag, "requestIdentifier": REQUEST}),
    )
}

const REQUEST: &str = "7e28cd2c-0872-4fdb-92d3-ab2689658902";

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(&format!("{FIELD}{before}"))
        .or_else(|| text.split_once(before))?
        .1
        .split(after)
        .next()
}

fn bound(day: &str) -> Option<&str> {
    Some(day).filter(|day| *day != "*")
}

/// Searches titles only, and requires every word.
fn is_titled(patent: &Document, words: &str) -> bool {
    let title = patent.title.to_lowercase();
    words
        .to_lowercase()
        .split_whitespace()
        .all(|word| title.contains(word.trim_matches('"')))
}

fn wrapper(patent: &Document) -> Value {
    let number = patent.patent.clone().unwrap_or_default();
    let is_granted = patent.granted.is_some();
    let digits: String = number
        .trim_start_matches("US")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    json!({
        "applicationNumberText": format!("18{:06}", patent.title.len() * 37),
        "applicationMetaData": {
            "inventionTitle": patent.title, "applicationTypeLabelName": "Utility", "filingDate": patent.filed, "grantDate": patent.granted,
            "patentNumber": is_granted.then_some(digits), "earliestPublicationNumber": (!is_granted).then_some(&number),
            "earliestPublicationDate": if is_granted { None } else { patent.day() }, "firstApplicantName": patent.assignee,
            "applicantBag": patent.assignee.iter().map(|name| json!({"applicantNameText": name})).collect::<Vec<_>>(),
            "firstInventorName": patent.authors.first(), "cpcClassificationBag": patent.tags,
            "inventorBag": patent.authors.iter().map(|name| json!({"inventorNameText": name, "countryCode": "US"})).collect::<Vec<_>>(),
        },
    })
}

fn error_body(status: u16, words: &str) -> Reply {
    let message = crate::http::reason(status);
    Reply::json(
        status,
        &json!({"code": status.to_string(), "message": message, "detailedMessage": words, "requestIdentifier": REQUEST}),
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    match error.kind {
        ApiErrorKind::NoKey | ApiErrorKind::BadKey | ApiErrorKind::Forbidden => {
            Reply::json(403, &json!({"message": error.words("Forbidden")}))
        }
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => {
            Reply::json(429, &json!({"message": error.words("Too Many Requests")}))
        }
        ApiErrorKind::BadRequest => error_body(
            400,
            error.words("Invalid request, review patent data request filter section and try again"),
        ),
        ApiErrorKind::Internal => error_body(
            500,
            error.words("Internal Server Error. Please contact Help Desk."),
        ),
        // The gateway's errors have no such fields.
        _ => Reply::json(
            status,
            &json!({"message": error.words(crate::http::reason(status))}),
        ),
    }
}

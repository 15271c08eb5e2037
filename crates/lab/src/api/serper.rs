//! Serper: `POST /search` and `/news` with JSON `{"q","gl","hl","num","page","tbs"}`; the key in
//! `X-API-KEY`.
//!
//! Answers `{"searchParameters":{…},"organic":[…],"credits":1}` or `"news":[…]`. Errors are
//! `{"message","statusCode"}`: 403 `Unauthorized.` for a wrong or missing key, 400 `Not enough
//! credits` when the account is empty, 400 with another message for a bad request, 429 for too many
//! requests in a second.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "serper",
    name: "Serper",
    docs: "https://serper.dev/playground",
    key: KeyLocation::Header("x-api-key"),
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let (list, kinds): (&str, &[DocumentKind]) =
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/search") => (
                "organic",
                &[DocumentKind::Web, DocumentKind::Article, DocumentKind::News],
            ),
            ("POST", "/news") => ("news", &[DocumentKind::News]),
            _ => return API.error_reply(ApiErrorKind::Status(404)),
        };
    let Some(body) = request.json() else {
        return API.error_reply(ApiErrorKind::BadRequest);
    };
    let query = body["q"].as_str().unwrap_or_default();
    if query.is_empty() {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let tbs = body["tbs"].as_str().unwrap_or_default();
    let (from, to) = (day(tbs, "cd_min:"), day(tbs, "cd_max:"));
    let search = Search::new(query, kinds)
        .between(from.as_deref(), to.as_deref())
        .within_days(days(tbs))
        .in_language(body["hl"].as_str());
    let count = usize::try_from(body["num"].as_u64().unwrap_or(10))
        .unwrap_or(10)
        .clamp(1, 100);
    let found = corpus.find(&search);
    let results: Vec<Value> = found
        .iter()
        .take(count)
        .enumerate()
        .map(|(index, page)| result(page, corpus, index + 1, list))
        .collect();
    let kind = if list == "news" { "news" } else { "search" };
    let mut answer = json!({"searchParameters": {"q": query, "type": kind, "num": count, "engine": "google"}, "credits": 1});
    answer[list] = json!(results);
    Reply::json(200, &answer)
}

fn days(tbs: &str) -> Option<i64> {
    match tbs {
        "qdr:d" => Some(1),
        "qdr:w" => Some(7),
        "qdr:m" => Some(31),
        "qdr:y" => Some(365),
        _ => None,
    }
}

/// A day of `cdr:1,cd_min:3/14/2026,cd_max:3/20/2026`.
fn day(tbs: &str, name: &str) -> Option<String> {
    let mut parts = tbs
        .split(',')
        .find_map(|part| part.strip_prefix(name))?
        .split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    Some(format!("{year}-{month:0>2}-{day:0>2}"))
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// `Mar 14, 2026`.
fn written(day: &str) -> Option<String> {
    let month: usize = day.get(5..7)?.parse().ok()?;
    let number: u8 = day.get(8..10)?.parse().ok()?;
    Some(format!(
        "{} {number}, {}",
        MONTHS.get(month.checked_sub(1)?)?,
        day.get(..4)?
    ))
}

fn result(page: &Document, corpus: &Corpus, position: usize, list: &str) -> Value {
    let mut result = json!({"title": page.title, "link": corpus.link(page), "snippet": page.snippet(160), "position": position});
    if let Some(date) = page.day().and_then(written) {
        result["date"] = json!(date);
    }
    if list == "news" {
        result["source"] = json!(page.source);
        result["imageUrl"] = json!("");
    }
    result
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, words) = match error.kind {
        ApiErrorKind::NoKey | ApiErrorKind::BadKey | ApiErrorKind::Forbidden => {
            (403, "Unauthorized.")
        }
        ApiErrorKind::Quota => (400, "Not enough credits"),
        ApiErrorKind::BadRequest => (400, "Missing query parameter"),
        ApiErrorKind::RateLimited => (429, "Too many requests"),
        _ => (error.usual_status(), "Internal server error"),
    };
    // Only this message distinguishes an empty account from a bad request, so it is never replaced.
    let words = if error.kind == ApiErrorKind::Quota {
        words
    } else {
        error.words(words)
    };
    Reply::json(status, &json!({"message": words, "statusCode": status}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_written_as_google_does() {
        assert_eq!(
            day("cdr:1,cd_min:3/4/2026,cd_max:12/31/2026", "cd_min:").as_deref(),
            Some("2026-03-04")
        );
        assert_eq!(written("2026-03-04").as_deref(), Some("Mar 4, 2026"));
        assert_eq!(written("2026-13-04"), None);
    }
}

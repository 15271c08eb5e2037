//! Hacker News Search (Algolia): `GET /search` and `/search_by_date` with `query`, `tags`,
//! `numericFilters`, `hitsPerPage`, `page`.
//!
//! Answers `{"hits": [...], "nbHits", "page", "nbPages", "hitsPerPage", ...}`; errors are
//! `{"message"}`, without Algolia's `status`.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "hackernews",
    name: "Hacker News Search",
    docs: "https://hn.algolia.com/api",
    key: KeyLocation::None,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let by_date = match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/search") => false,
        ("GET", "/search_by_date") => true,
        _ => return API.error_reply(ApiErrorKind::Status(404)),
    };
    let (size, page) = (
        request.number("hitsPerPage").unwrap_or(20),
        request.number("page").unwrap_or(0),
    );
    if size > 1000 {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let (after, before) = moments(request.param("numericFilters").unwrap_or_default());
    let query = request.param("query").unwrap_or_default();
    let mut found = corpus.find(&Search::new(
        query,
        &[DocumentKind::Web, DocumentKind::News],
    ));
    found.retain(|story| {
        story
            .epoch()
            .is_some_and(|moment| moment >= after && moment <= before)
    });
    if by_date {
        found.sort_by_key(|story| std::cmp::Reverse(story.epoch()));
    }
    let hits: Vec<Value> = found
        .iter()
        .skip(size.saturating_mul(page))
        .take(size)
        .map(|story| hit(story, corpus))
        .collect();
    let pages = if size == 0 {
        0
    } else {
        found.len().div_ceil(size)
    };
    Reply::json(
        200,
        &json!({
            "exhaustive": {"nbHits": true, "typo": true}, "exhaustiveNbHits": true, "hits": hits, "hitsPerPage": size, "nbHits": found.len(),
            "nbPages": pages, "page": page, "params": "", "processingTimeMS": 3, "query": query,
        }),
    )
}

/// The bounds of `created_at_i>N,created_at_i<N`; other filters always match.
fn moments(filters: &str) -> (i64, i64) {
    let mut bounds = (i64::MIN, i64::MAX);
    for filter in filters.split(',') {
        let Some(rest) = filter.trim().strip_prefix("created_at_i") else {
            continue;
        };
        let (operator, number) = rest.split_at(
            rest.find(|c: char| c.is_ascii_digit())
                .unwrap_or(rest.len()),
        );
        let Ok(number) = number.parse::<i64>() else {
            continue;
        };
        match operator {
            ">" => bounds.0 = number.saturating_add(1),
            ">=" => bounds.0 = number,
            "<" => bounds.1 = number.saturating_sub(1),
            "<=" => bounds.1 = number,
            _ => {}
        }
    }
    bounds
}

fn hit(story: &Document, corpus: &Corpus) -> Value {
    let moment = story.epoch().unwrap_or_default();
    json!({
        "_highlightResult": {"title": {"matchLevel": "full", "matchedWords": [], "value": story.title}},
        "_tags": ["story", "author_lab", format!("story_{moment}")], "author": "lab", "children": [],
        "created_at": story.moment(), "created_at_i": moment, "num_comments": story.weight / 4, "objectID": moment.to_string(),
        "points": story.weight, "story_id": moment, "title": story.title, "updated_at": story.moment(), "url": corpus.link(story),
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    let words = match error.kind {
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => "Too Many Requests",
        ApiErrorKind::BadRequest => "hitsPerPage should be between 0 and 1000",
        ApiErrorKind::NoKey | ApiErrorKind::BadKey | ApiErrorKind::Forbidden => {
            "Invalid Application-ID or API key"
        }
        _ => crate::http::reason(status),
    };
    Reply::json(status, &json!({"message": error.words(words)}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_bounded_by_filters() {
        assert_eq!(
            moments("created_at_i>10,created_at_i<=20,points>5"),
            (11, 20)
        );
        assert_eq!(moments(""), (i64::MIN, i64::MAX));
    }
}

//! OpenSERP, which is self-hosted: `GET /<engine>/search` and `/mega/search` with `text`, `lang`,
//! `date` (`20250101..20251231`), `site`, `limit` (1 to 100), `start`.
//!
//! Answers an envelope
//! `{"query","meta":{"engines_failed",…},"results":[{"rank","type","title","url","snippet","is_ad",
//! "engine"}],"pagination"}`. Errors are `{"error","code","message","reason"?}`: 400 with a
//! reason, 503 when the engines require a captcha or do not answer; the 503 has no reason that
//! would distinguish these. `/mega/search` answers 200 even when every engine failed, and lists
//! them in `engines_failed`.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "openserp",
    name: "OpenSERP",
    docs: "https://github.com/karust/openserp",
    key: KeyLocation::None,
    answer,
    errors,
};

const ENGINES: &[&str] = &[
    "google",
    "yandex",
    "baidu",
    "bing",
    "duck",
    "duckduckgo",
    "ecosia",
    "mega",
];

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let engine = request
        .path
        .strip_suffix("/search")
        .and_then(|path| path.strip_prefix('/'));
    let Some(engine) = engine.filter(|engine| request.method == "GET" && ENGINES.contains(engine))
    else {
        return API.error_reply(ApiErrorKind::Status(404));
    };
    let (text, site) = (
        request.param("text").unwrap_or_default(),
        request.param("site").unwrap_or_default(),
    );
    let limit = request.number("limit").unwrap_or(25);
    if (text.is_empty() && site.is_empty()) || !(1..=100).contains(&limit) {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let (from, to) = request
        .param("date")
        .and_then(|range| range.split_once(".."))
        .map_or((None, None), |(from, to)| (dashed(from), dashed(to)));
    let mut search = Search::new(
        text,
        &[DocumentKind::Web, DocumentKind::Article, DocumentKind::News],
    )
    .between(from.as_deref(), to.as_deref());
    search = search.in_language(request.param("lang"));
    search
        .sites
        .extend(Some(site.to_owned()).filter(|site| !site.is_empty()));
    let start = request.number("start").unwrap_or(0);
    let found = corpus.find(&search);
    let named = if engine == "mega" { "google" } else { engine };
    let results: Vec<Value> = found
        .iter()
        .skip(start)
        .take(limit)
        .enumerate()
        .map(|(index, page)| result(page, corpus, start + index + 1, named))
        .collect();
    let more = found.len() > start + limit;
    Reply::json(
        200,
        &envelope(
            text,
            named,
            &[],
            &results,
            json!({"page": 1, "has_more": more, "next_start": start + limit}),
        ),
    )
}

fn dashed(day: &str) -> Option<String> {
    Some(format!(
        "{}-{}-{}",
        day.get(..4)?,
        day.get(4..6)?,
        day.get(6..8)?
    ))
}

fn envelope(
    text: &str,
    engine: &str,
    failed: &[&str],
    results: &[Value],
    pagination: Value,
) -> Value {
    json!({
        "query": {"text": text, "engines_requested": [engine]},
        "meta": {"request_id": "019dc6c1-da45-706e-a57c-d671fa2862ee", "requested_at": "2026-11-15T07:00:00Z", "took_ms": 640, "engines_failed": failed, "version": "1.0"},
        "results": results, "clusters": [], "pagination": pagination,
    })
}

fn result(page: &Document, corpus: &Corpus, rank: usize, engine: &str) -> Value {
    json!({
        "id": format!("s_{rank:016x}"), "rank": rank, "type": "organic", "title": page.title, "url": corpus.link(page),
        "display_url": page.host, "snippet": page.snippet(160), "domain": page.host, "favicon": "", "is_ad": false,
        "position": {"absolute": rank, "page": 1, "on_page": rank}, "engine": engine,
        "classification": {"content_type": "webpage"},
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, name, words) = match error.kind {
        // When every engine refuses, the reply is a success without results.
        ApiErrorKind::Overloaded => {
            let failed = ["google", "bing", "duckduckgo"];
            return Reply::json(
                200,
                &envelope(
                    "",
                    "google",
                    &failed,
                    &[],
                    json!({"page": 1, "has_more": false, "next_start": 0}),
                ),
            );
        }
        ApiErrorKind::BadRequest => (
            400,
            "bad_request",
            "EMPTY_QUERY: query cannot be empty: provide text, site, or file parameter",
        ),
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => (
            503,
            "service_unavailable",
            "captcha found, please stop sending requests for a while: captcha detected",
        ),
        _ => (
            error.usual_status(),
            "internal_error",
            "all search engines failed",
        ),
    };
    let mut body = json!({"error": name, "code": status, "message": error.words(words)});
    if error.kind == ApiErrorKind::BadRequest {
        body["reason"] = json!("EMPTY_QUERY");
    }
    Reply::json(status, &body)
}

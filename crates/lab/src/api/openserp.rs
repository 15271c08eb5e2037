//! OpenSERP, which is self-hosted: `GET /<engine>/search` and `/mega/search` with `text`, `lang`,
//! `date` (`20250101..20251231`), `site`, `limit` (1 to 100), `start`.
//!
//! Answers an envelope
//! `{"query","meta":{"engines_failed",…},"results":[{"rank","type","title","url","snippet",
//! "engine"}],"pagination"}`, in which advertisements have the type `ad`. Errors are
//! `{"error","code","message","reason"?}` with stable codes in `error`: 400 `bad_request` with a
//! reason, 429 `captcha_detected`, 403 `blocked`, 502 `all_engines_failed`. As in version 2.1 of
//! karust/openserp (9f68086, 2026-07-02).

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
    // What the engines sell is in the same list.
    let results: Vec<Value> = std::iter::once(advertisement(named))
        .chain(results)
        .collect();
    let more = found.len() > start + limit;
    Reply::json(
        200,
        &envelope(
            text,
            named,
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

fn envelope(text: &str, engine: &str, results: &[Value], pagination: Value) -> Value {
    json!({
        "query": {"text": text, "engines_requested": [engine]},
        "meta": {"request_id": "019dc6c1-da45-706e-a57c-d671fa2862ee", "requested_at": "2026-11-15T07:00:00Z", "took_ms": 640, "engines_failed": [], "version": "2.1"},
        "results": results, "clusters": [], "pagination": pagination,
    })
}

fn advertisement(engine: &str) -> Value {
    json!({
        "id": "s_ad", "rank": 0, "type": "ad", "title": "Batteries on sale", "url": "https://shop.example/offer",
        "display_url": "shop.example", "snippet": "Buy now.", "domain": "shop.example", "position": {"absolute": 0}, "engine": engine,
    })
}

fn result(page: &Document, corpus: &Corpus, rank: usize, engine: &str) -> Value {
    json!({
        "id": format!("s_{rank:016x}"), "rank": rank, "type": "organic", "title": page.title, "url": corpus.link(page),
        "display_url": page.host, "snippet": page.snippet(160), "domain": page.host, "favicon": "",
        "position": {"absolute": rank, "page": 1, "on_page": rank}, "engine": engine,
        "classification": {"content_type": "webpage"},
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (status, name, words) = match error.kind {
        ApiErrorKind::Overloaded => (502, "all_engines_failed", "all search engines failed"),
        ApiErrorKind::BadRequest => (
            400,
            "bad_request",
            "EMPTY_QUERY: query cannot be empty: provide text, site, or file parameter",
        ),
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => {
            (429, "captcha_detected", "captcha detected")
        }
        ApiErrorKind::NoKey | ApiErrorKind::BadKey | ApiErrorKind::Forbidden => {
            (403, "blocked", "search engine blocked the request")
        }
        ApiErrorKind::Internal => (502, "engine_internal", "engine internal error"),
        ApiErrorKind::Status(_) => (error.usual_status(), "error", "something else"),
    };
    let mut body = json!({"error": name, "code": status, "message": error.words(words)});
    if error.kind == ApiErrorKind::BadRequest {
        body["reason"] = json!("EMPTY_QUERY");
    }
    Reply::json(status, &body)
}

//! SearXNG, which is self-hosted: `GET /search` (or `POST` of a form) with `q`, `format`,
//! `categories`, `language`, `pageno`, `time_range`, `safesearch`.
//!
//! With `format=json` it answers
//! `{"query","results":[{"url","title","content","publishedDate","engine"}],"suggestions",
//! "unresponsive_engines":[["google","timeout"]]}`, otherwise a page. A format that is not enabled
//! gets a 403 page; a fresh instance has JSON disabled. The limiter, which is on here, answers 429
//! `Too Many Requests` as a page to clients that do not accept HTML, name no language or no
//! compression; a missing query is 400 `{"error":"No query"}`. When all its engines fail, the reply is still a
//! 200, without results and with the engines in `unresponsive_engines`.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::pages::escape;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "searxng",
    name: "SearXNG",
    docs: "https://docs.searxng.org/dev/search_api.html",
    key: KeyLocation::None,
    answer,
    errors,
};

/// Results per page, which a client cannot choose.
const PAGE: usize = 20;

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if request.path != "/search" && request.path != "/" {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    if is_suspect(request) {
        return API.error_reply(ApiErrorKind::RateLimited);
    }
    let field = |name: &str| request.field(name).filter(|value| !value.is_empty());
    let Some(query) = field("q") else {
        return Reply::json(400, &json!({"error": "No query"}));
    };
    let kinds: &[DocumentKind] = if field("categories").as_deref() == Some("news") {
        &[DocumentKind::News]
    } else {
        &[DocumentKind::Web, DocumentKind::Article, DocumentKind::News]
    };
    let language = field("language").filter(|code| code != "all" && code != "auto");
    let days = field("time_range").and_then(|range| days(&range));
    let search = Search::new(&query, kinds)
        .in_language(language.as_deref())
        .within_days(days);
    let found = corpus.find(&search);
    let skipped = field("pageno")
        .and_then(|page| page.parse::<usize>().ok())
        .unwrap_or(1)
        .saturating_sub(1)
        .saturating_mul(PAGE);
    let page: Vec<&Document> = found.into_iter().skip(skipped).take(PAGE).collect();
    if field("format").as_deref() != Some("json") {
        return html(&query, &page, corpus);
    }
    let results: Vec<Value> = page
        .iter()
        .enumerate()
        .map(|(index, page)| result(page, corpus, index + 1))
        .collect();
    Reply::json(200, &body(&query, &results, &[]))
}

/// What `botdetection` checks for `/search`: http_accept, http_accept_encoding,
/// http_accept_language, http_user_agent.
fn is_suspect(request: &ApiRequest) -> bool {
    let header = |name: &str| request.header(name).unwrap_or_default();
    let compressions = header("accept-encoding");
    !(header("accept").contains("text/html") || header("accept").contains("*/*"))
        || !(compressions.contains("gzip") || compressions.contains("deflate"))
        || header("accept-language").trim().is_empty()
        || header("user-agent").is_empty()
}

fn days(range: &str) -> Option<i64> {
    match range {
        "day" => Some(1),
        "week" => Some(7),
        "month" => Some(31),
        "year" => Some(365),
        _ => None,
    }
}

fn body(query: &str, results: &[Value], silent: &[[&str; 2]]) -> Value {
    json!({
        "query": query, "number_of_results": 0, "results": results, "answers": [], "corrections": [], "infoboxes": [], "suggestions": [],
        "unresponsive_engines": silent,
    })
}

fn result(page: &Document, corpus: &Corpus, position: usize) -> Value {
    let category = if page.kind == DocumentKind::News {
        "news"
    } else {
        "general"
    };
    json!({
        "url": corpus.link(page), "title": page.title, "content": page.snippet(250), "publishedDate": page.moment().map(|moment| moment.trim_end_matches('Z').to_owned()),
        "engine": "brave", "engines": ["brave"], "template": "default.html", "parsed_url": ["https", page.host, page.path, "", "", ""],
        "positions": [position], "score": 1.0 / position as f64, "category": category, "thumbnail": null,
    })
}

fn html(query: &str, found: &[&Document], corpus: &Corpus) -> Reply {
    let results: String = found
        .iter()
        .map(|page| {
            format!(
                "<article class=\"result result-default\"><h3><a href=\"{}\">{}</a></h3></article>",
                corpus.link(page),
                escape(&page.title)
            )
        })
        .collect();
    Reply::html(
        200,
        format!(
            "<!DOCTYPE html><html class=\"no-js\"><head><title>{} - SearXNG</title></head><body><main id=\"main_results\">{results}</main></body></html>",
            escape(query)
        ),
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    match error.kind {
        ApiErrorKind::Overloaded => {
            let silent = [
                ["brave", "Suspended: too many requests"],
                ["duckduckgo", "CAPTCHA"],
                ["google", "Suspended: access denied"],
            ];
            Reply::json(200, &body("", &[], &silent))
        }
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => {
            Reply::html(429, error.words("Too Many Requests"))
        }
        ApiErrorKind::BadRequest => Reply::json(400, &json!({"error": error.words("No query")})),
        // There are no keys: what is refused is the format.
        ApiErrorKind::NoKey | ApiErrorKind::BadKey | ApiErrorKind::Forbidden => page(403, error),
        _ => page(error.usual_status(), error),
    }
}

fn page(status: u16, error: &ApiError<'_>) -> Reply {
    let name = crate::http::reason(status);
    let words = error.words(
        "You don't have the permission to access the requested resource. It is either read-protected or not readable by the server.",
    );
    Reply::html(
        status,
        format!(
            "<!doctype html>\n<html lang=en>\n<title>{status} {name}</title>\n<h1>{name}</h1>\n<p>{words}</p>\n"
        ),
    )
}

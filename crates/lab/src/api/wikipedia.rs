//! Wikipedia's action API: `GET /w/api.php?action=query&list=search` with `srsearch`, `srlimit`,
//! `format=json`; and the articles themselves under `/wiki/`.
//!
//! Its errors have status 200 and the code in `error.code` (and in the header
//! `MediaWiki-API-Error`): `ratelimited`, `maxlag` with `Retry-After`, `missingparam`,
//! `cirrussearch-query-too-long` for more than 300 characters. The caches in front of it answer 429
//! and 403 with a page, and 403 in plain text to an agent that is not `name/version (comment)`.

use serde_json::{Value, json};

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::pages;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "wikipedia",
    name: "Wikipedia",
    docs: "https://www.mediawiki.org/wiki/API:Search",
    key: KeyLocation::None,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if let Some(title) = request.path.strip_prefix("/wiki/") {
        return pages::answer(
            corpus,
            &format!("en.encyclopaedia.example/wiki/{}", decoded(title)),
        );
    }
    if request.path != "/w/api.php" {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    if !request.header("user-agent").is_some_and(is_descriptive) {
        let words = "Please set a user-agent and respect our robot policy https://w.wiki/4wJS. See also https://phabricator.wikimedia.org/T400119.\n";
        return Reply::typed(403, "text/plain", words);
    }
    let query = request.param("srsearch").unwrap_or_default();
    if query.chars().count() > 300 {
        let words =
            "Search request is longer than the maximum allowed length. (Actual: 301; allowed: 300)";
        return coded("cirrussearch-query-too-long", words);
    }
    if request.param("action") != Some("query")
        || request.param("list") != Some("search")
        || query.trim().is_empty()
    {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let most = request.number("srlimit").unwrap_or(10).clamp(1, 500);
    let found = corpus.find(&Search::new(query, &[DocumentKind::Article]));
    let results: Vec<Value> = found
        .iter()
        .take(most)
        .map(|article| result(article))
        .collect();
    let info = json!({"totalhits": found.len()});
    Reply::json(
        200,
        &json!({"batchcomplete": true, "query": {"searchinfo": info, "search": results}}),
    )
}

/// Whether an agent says what it is, as the User-Agent policy asks.
fn is_descriptive(agent: &str) -> bool {
    agent.contains('/') && agent.contains('(') && agent.contains(')')
}

/// Some clients encode the brackets and spaces of a title, others do not.
fn decoded(title: &str) -> String {
    let kept = title.replace('+', "%2B");
    let plain = url::form_urlencoded::parse(kept.as_bytes()).next();
    plain.map_or_else(String::new, |(name, _)| name.replace(' ', "_"))
}

fn result(article: &Document) -> Value {
    let title = article.title.clone();
    json!({
        "ns": 0, "title": title, "pageid": article.number, "size": article.text.len(), "wordcount": article.text.split(' ').count(),
        "snippet": format!("<span class=\"searchmatch\">{}</span>: {}", pages::escape(&title), pages::escape(&article.snippet(120))),
        "timestamp": article.moment(),
    })
}

fn errors(error: &ApiError<'_>) -> Reply {
    let (code, words) = match error.kind {
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => (
            "ratelimited",
            "You've exceeded your rate limit. Please wait some time and try again.",
        ),
        ApiErrorKind::Overloaded => ("maxlag", "Waiting for 10.64.0.1: 6.2 seconds lagged."),
        ApiErrorKind::BadRequest => ("missingparam", "The \"srsearch\" parameter must be set."),
        ApiErrorKind::Internal => (
            "internal_api_error_DBQueryError",
            "Caught exception of type Wikimedia\\Rdbms\\DBQueryError",
        ),
        _ => {
            let status = error.usual_status();
            let words = error.words(crate::http::reason(status));
            return Reply::html(
                status,
                format!(
                    "<!DOCTYPE html><html lang=\"en\"><title>Wikimedia Error</title><h1>Error</h1><p>{words}</p></html>"
                ),
            );
        }
    };
    let reply = coded(code, error.words(words));
    if error.kind == ApiErrorKind::Overloaded {
        reply.header("Retry-After", 5)
    } else {
        reply
    }
}

/// An error with status 200.
fn coded(code: &str, words: &str) -> Reply {
    let body = json!({"error": {"code": code, "info": words, "docref": "See https://en.wikipedia.org/w/api.php for API usage."}, "servedby": "mw1"});
    Reply::json(200, &body).header("MediaWiki-API-Error", code)
}

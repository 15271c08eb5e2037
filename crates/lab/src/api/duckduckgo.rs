//! DuckDuckGo's pages for browsers without scripts: `/html/` and `/lite/`, by `GET` or `POST` of a
//! form, with `q`, `kl`, `df`, `kp`.
//!
//! Results link through `//duckduckgo.com/l/?uddg=…`. A suspected bot gets status 202 and a page
//! with an `anomaly-modal` instead of an error. When nothing is found, the page says so.

use url::form_urlencoded::byte_serialize;

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::pages::escape;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "duckduckgo",
    name: "DuckDuckGo",
    docs: "https://duckduckgo.com/duckduckgo-help-pages/settings/params",
    key: KeyLocation::None,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let page: fn(&str, &[&Document], &Corpus) -> String = match request.path.trim_end_matches('/') {
        "/html" => html,
        "/lite" => lite,
        _ => return API.error_reply(ApiErrorKind::Status(404)),
    };
    let query = request.field("q").unwrap_or_default();
    let period = request.field("df").unwrap_or_default();
    let language = request.field("kl").and_then(|region| language(&region));
    let (from, to) = period
        .split_once("..")
        .map_or((None, None), |(from, to)| (Some(from), Some(to)));
    let search = Search::new(
        &query,
        &[DocumentKind::Web, DocumentKind::Article, DocumentKind::News],
    )
    .between(from, to)
    .within_days(days(&period));
    let found = corpus.find(&search.in_language(language.as_deref()));
    Reply::html(200, page(&query, &found[..found.len().min(30)], corpus))
}

/// The language of a region, whose codes are DuckDuckGo's own. A region that does not exist is
/// ignored.
fn language(region: &str) -> Option<String> {
    let (country, language) = region.split_once('-')?;
    let code = match (country, language) {
        ("wt", _) | (_, "wt") => return None,
        (_, "jp") => "ja",
        (_, "kr") => "ko",
        (_, "tzh") => "zh",
        ("gb" | "si" | "sa", _) => return None,
        (_, language) => language,
    };
    Some(code.to_owned())
}

fn days(period: &str) -> Option<i64> {
    match period {
        "d" => Some(1),
        "w" => Some(7),
        "m" => Some(31),
        "y" => Some(365),
        _ => None,
    }
}

/// The URL inside DuckDuckGo's own redirect.
fn link(page: &Document, corpus: &Corpus) -> String {
    let target: String = byte_serialize(corpus.link(page).as_bytes()).collect();
    format!("//duckduckgo.com/l/?uddg={target}&amp;rut=1a2b3c4d")
}

fn html(query: &str, found: &[&Document], corpus: &Corpus) -> String {
    let mut results: String = found
        .iter()
        .map(|page| {
            format!(
                "<div class=\"result results_links results_links_deep web-result \"><div class=\"links_main links_deep result__body\">\
                 <h2 class=\"result__title\"><a rel=\"nofollow\" class=\"result__a\" href=\"{link}\">{title}</a></h2>\
                 <div class=\"result__extras\"><div class=\"result__extras__url\"><a class=\"result__url\" href=\"{link}\">{host}</a></div></div>\
                 <a class=\"result__snippet\" href=\"{link}\">{snippet}</a><div class=\"clear\"></div></div></div>\n",
                link = link(page, corpus),
                title = escape(&page.title),
                host = page.host,
                snippet = escape(&page.snippet(160)),
            )
        })
        .collect();
    if found.is_empty() {
        results = format!(
            "<div class=\"no-results\">No results found for <b>{}</b>.</div>",
            escape(query)
        );
    }
    format!(
        "<!DOCTYPE html><html><head><title>{query} at DuckDuckGo</title></head><body class=\"body--html\">\
         <form id=\"search_form\" action=\"/html/\" method=\"post\"><input name=\"q\" value=\"{query}\"></form>\
         <div class=\"serp__results\"><div id=\"links\" class=\"results\">\
         <div class=\"result results_links result--ad\"><h2><a class=\"result__a\" href=\"https://duckduckgo.com/y.js?ad_domain=shop.example\">An advertisement</a></h2></div>\n\
         {results}</div></div></body></html>",
        query = escape(query),
    )
}

fn lite(query: &str, found: &[&Document], corpus: &Corpus) -> String {
    let mut rows: String = found
        .iter()
        .enumerate()
        .map(|(index, page)| {
            format!(
                "<tr><td valign=\"top\">{number}.&nbsp;</td><td><a rel=\"nofollow\" href=\"{link}\" class='result-link'>{title}</a></td></tr>\
                 <tr><td>&nbsp;&nbsp;&nbsp;</td><td class='result-snippet'>{snippet}</td></tr>\
                 <tr><td>&nbsp;</td><td><span class='link-text'>{host}</span></td></tr>\n",
                number = index + 1,
                link = link(page, corpus),
                title = escape(&page.title),
                snippet = escape(&page.snippet(160)),
                host = page.host,
            )
        })
        .collect();
    if found.is_empty() {
        rows = "<tr><td><span class=\"no-results\">No more results.</span></td></tr>".to_owned();
    }
    format!(
        "<!DOCTYPE html><html><head><title>{query} at DuckDuckGo</title></head><body><form action=\"/lite/\" method=\"post\">\
         <div class=\"filters\"></div></form><table border=\"0\">\
         <tr class=\"result-sponsored\"><td>1.</td><td><a rel=\"nofollow\" href=\"https://shop.example/offer\" class='result-link'>An advertisement</a></td></tr>\
         <tr class=\"result-sponsored\"><td></td><td class='result-snippet'>Buy now.</td></tr>{rows}</table></body></html>",
        query = escape(query)
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = match error.kind {
        ApiErrorKind::Status(status) => status,
        ApiErrorKind::Internal => 500,
        ApiErrorKind::Overloaded => 503,
        ApiErrorKind::Forbidden => 403,
        // It has neither keys nor quotas: every refusal is a bot check.
        _ => 202,
    };
    let words = error.words(
        "Unfortunately, bots use DuckDuckGo too. Please complete the following challenge to confirm this search was made by a human.",
    );
    if status != 202 {
        return Reply::html(
            status,
            format!(
                "<!DOCTYPE html><html><head><title>{status}</title></head><body><p>{words}</p></body></html>"
            ),
        );
    }
    Reply::html(
        202,
        format!(
            "<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body><form id=\"img-form\" action=\"//duckduckgo.com/anomaly.js\" method=\"POST\"></form>\
             <form id=\"challenge-form\" action=\"//duckduckgo.com/anomaly.js\" method=\"POST\"><div class=\"anomaly-modal__mask\">\
             <div class=\"anomaly-modal__modal\"><div class=\"anomaly-modal__title\">{words}</div></div></div></form></body></html>"
        ),
    )
}

//! arXiv: `GET /api/query` with `search_query` (`all:… AND au:"…" AND submittedDate:[… TO …]`),
//! `start`, `max_results`.
//!
//! Answers Atom, also for refused queries: one entry whose id starts with
//! `http://arxiv.org/api/errors`. Too many requests get 429 with `Rate exceeded.` in plain text; a
//! temporary outage gets 503 with `Retry-After`.

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::pages::escape;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "arxiv",
    name: "arXiv",
    docs: "https://info.arxiv.org/help/api/user-manual.html",
    key: KeyLocation::None,
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    if (request.method.as_str(), request.path.as_str()) != ("GET", "/api/query") {
        return API.error_reply(ApiErrorKind::Status(404));
    }
    let most = request.number("max_results").unwrap_or(10);
    let query = request.param("search_query").unwrap_or_default();
    if most > 30_000 || query.is_empty() {
        return API.error_reply(ApiErrorKind::BadRequest);
    }
    let (mut words, mut author, mut period) = (Vec::new(), None, None);
    for part in query.split(" AND ") {
        match part.split_once(':') {
            Some(("all", term)) => words.push(term),
            Some(("au", name)) => author = Some(name.trim_matches('"')),
            Some(("submittedDate", range)) => {
                period = range.trim_matches(['[', ']']).split_once(" TO ")
            }
            _ => return API.error_reply(ApiErrorKind::BadRequest),
        }
    }
    let day = |moment: &str| {
        Some(format!(
            "{}-{}-{}",
            moment.get(..4)?,
            moment.get(4..6)?,
            moment.get(6..8)?
        ))
    };
    let (from, to) = period.map_or((None, None), |(from, to)| (day(from), day(to)));
    let search = Search::new(&words.join(" "), &[DocumentKind::Paper])
        .between(from.as_deref(), to.as_deref());
    let mut found = corpus.find(&search);
    found.retain(|paper| {
        paper.arxiv.is_some() && author.is_none_or(|name| super::is_by(paper, name))
    });
    let skipped = request.number("start").unwrap_or(0);
    let entries: String = found
        .iter()
        .skip(skipped)
        .take(most)
        .map(|paper| entry(paper))
        .collect();
    feed(200, found.len(), &entries)
}

fn feed(status: u16, total: usize, entries: &str) -> Reply {
    let head = "<?xml version='1.0' encoding='UTF-8'?>\n<feed xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\" \
                xmlns:arxiv=\"http://arxiv.org/schemas/atom\" xmlns=\"http://www.w3.org/2005/Atom\">\
                <id>https://arxiv.org/api/lab</id><title>arXiv Query</title><updated>2026-11-15T00:00:00Z</updated>\
                <link href=\"https://arxiv.org/api/query\" type=\"application/atom+xml\"/>";
    let body = format!(
        "{head}<opensearch:totalResults>{total}</opensearch:totalResults><opensearch:startIndex>0</opensearch:startIndex>{entries}</feed>"
    );
    Reply::typed(status, "application/atom+xml; charset=UTF-8", body)
}

fn entry(paper: &Document) -> String {
    let id = paper.arxiv.as_deref().unwrap_or_default();
    let authors: String = paper
        .authors
        .iter()
        .map(|name| format!("<author><name>{}</name></author>", escape(name)))
        .collect();
    let doi: String = paper
        .doi
        .iter()
        .map(|doi| format!("<arxiv:doi>{}</arxiv:doi>", escape(doi)))
        .collect();
    format!(
        "<entry><id>http://arxiv.org/abs/{id}v1</id><title>{}</title><updated>{moment}</updated><published>{moment}</published>\
         <link href=\"https://arxiv.org/abs/{id}v1\" rel=\"alternate\" type=\"text/html\"/>\
         <link href=\"https://arxiv.org/pdf/{id}v1\" rel=\"related\" type=\"application/pdf\" title=\"pdf\"/>\
         <summary>{}</summary><category term=\"cs.LG\" scheme=\"http://arxiv.org/schemas/atom\"/>{doi}\
         <arxiv:journal_ref>{}</arxiv:journal_ref>{authors}</entry>",
        escape(&paper.title),
        escape(&paper.text),
        escape(&paper.source),
        moment = paper.moment().unwrap_or_default(),
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    match error.kind {
        ApiErrorKind::BadRequest => {
            let words = escape(error.words("max_results must be non-negative"));
            let entry = format!(
                "<entry><id>https://arxiv.org/api/errors#lab</id><title>Error</title><summary>{words}</summary>\
                 <updated>2026-11-15T00:00:00Z</updated><author><name>arXiv api core</name></author></entry>"
            );
            feed(status, 1, &entry)
        }
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => Reply::typed(
            status,
            "text/plain",
            error.words("Rate exceeded.").to_owned(),
        ),
        ApiErrorKind::Overloaded => {
            let words = error.words("Service Unavailable").to_owned();
            Reply::typed(status, "text/html; charset=utf-8", words)
                .header("Retry-After", error.seconds)
        }
        _ => Reply::html(status, error.words(crate::http::reason(status)).to_owned()),
    }
}

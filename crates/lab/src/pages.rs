//! The documents as web pages, so that search results can be read.

use crate::corpus::{Corpus, Document};
use crate::http::Reply;

/// Serves `/pages/<host>/<path>`.
pub(crate) fn answer(corpus: &Corpus, rest: &str) -> Reply {
    // A request's path has no query.
    let is_at = |document: &&Document| {
        rest.strip_prefix(document.host.as_str()) == document.path.split('?').next()
    };
    let found = corpus.documents().iter().find(is_at);
    match found {
        Some(document) => Reply::html(200, page(document)),
        None => Reply::html(
            404,
            "<!DOCTYPE html><title>Not found</title><h1>Not found</h1><p>The corpus has no such page.</p>",
        ),
    }
}

fn page(document: &Document) -> String {
    let date = document
        .published
        .as_deref()
        .map(|date| format!("<meta property=\"article:published_time\" content=\"{date}\">"));
    let authors = document
        .authors
        .iter()
        .map(|author| format!("<meta name=\"author\" content=\"{}\">", escape(author)));
    format!(
        "<!DOCTYPE html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title>{}{}</head>\
         <body><header><nav><a href=\"/\">{source}</a></nav></header><main><article><h1>{title}</h1>{}</article></main>\
         <footer>{source}</footer></body></html>",
        document.language,
        date.unwrap_or_default(),
        authors.collect::<String>(),
        paragraphs(&document.text),
        title = escape(&document.title),
        source = escape(&document.source),
    )
}

/// Paragraphs of two sentences each.
fn paragraphs(text: &str) -> String {
    let sentences: Vec<&str> = text.split_inclusive(". ").collect();
    sentences
        .chunks(2)
        .map(|pair| format!("<p>{}</p>", escape(pair.concat().trim())))
        .collect()
}

/// Escapes text for HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

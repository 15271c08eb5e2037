//! PubMed by the E-utilities: `GET /esearch.fcgi` for ids (`term`, `retmax`, `retmode=json`,
//! `datetype=pdat`, `mindate`, `maxdate`) and `GET /efetch.fcgi` for records as XML; a key in
//! `api_key`, if there is one.
//!
//! Too many requests get 429 with `{"error":"API rate limit exceeded","count":"11"}`; an unknown
//! key gets 400 with the key in the body; an internal failure gets 200 with
//! `{"esearchresult":{"ERROR":"…"}}`, in which line breaks are not escaped; one behind the gateway
//! gets 500 with `{"error":"error forwarding request",…}`. A chapter of a book is a `PubmedBookArticle`. The date of
//! an issue is a month, and the day of an article is in `ArticleDate`.

use serde_json::json;

use super::{Api, KeyLocation};
use crate::api_error::{ApiError, ApiErrorKind};
use crate::api_request::ApiRequest;
use crate::corpus::{Corpus, Document, DocumentKind};
use crate::http::Reply;
use crate::pages::escape;
use crate::search::Search;

pub(super) static API: Api = Api {
    id: "pubmed",
    name: "PubMed E-utilities",
    docs: "https://www.ncbi.nlm.nih.gov/books/NBK25497/",
    key: KeyLocation::OptionalParam("api_key"),
    answer,
    errors,
};

fn answer(request: &ApiRequest, corpus: &Corpus) -> Reply {
    match (
        request.method.as_str(),
        request.path.as_str(),
        request.param("db"),
    ) {
        ("GET", "/esearch.fcgi", Some("pubmed")) => esearch(request, corpus),
        ("GET", "/efetch.fcgi", Some("pubmed")) => efetch(request, corpus),
        ("GET", "/esearch.fcgi" | "/efetch.fcgi", _) => API.error_reply(ApiErrorKind::BadRequest),
        _ => API.error_reply(ApiErrorKind::Status(404)),
    }
}

fn esearch(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let header = json!({"type": "esearch", "version": "0.3"});
    let mut term = request.param("term").unwrap_or_default().to_owned();
    if term.trim().is_empty() {
        let result = json!({"ERROR": "Empty term and query_key - nothing todo"});
        return Reply::json(200, &json!({"header": header, "esearchresult": result}));
    }
    let only_free = strip(&mut term, "free full text[Filter]").is_some();
    let author = strip(&mut term, "[Author]");
    let day = |name: &str| request.param(name).map(|day| day.replace('/', "-"));
    let (from, to) = (day("mindate"), day("maxdate"));
    let mut found = corpus
        .find(&Search::new(&term, &[DocumentKind::Paper]).between(from.as_deref(), to.as_deref()));
    found.retain(|paper| paper.number.is_some() && (!only_free || paper.pdf.is_some()));
    found.retain(|paper| {
        author
            .as_deref()
            .is_none_or(|name| super::is_by(paper, name))
    });
    let most = request.number("retmax").unwrap_or(20);
    let ids: Vec<String> = found
        .iter()
        .take(most)
        .filter_map(|paper| paper.number)
        .map(|number| number.to_string())
        .collect();
    let result = json!({"count": found.len().to_string(), "retmax": ids.len().to_string(), "retstart": "0", "idlist": ids,
        "translationset": [], "querytranslation": term});
    limits(Reply::json(
        200,
        &json!({"header": header, "esearchresult": result}),
    ))
}

/// Splits `(…) AND what[Field]` into the rest and the field's value, if the term ends with that
/// field.
fn strip(term: &mut String, ending: &str) -> Option<String> {
    let (inner, value) = term.strip_suffix(ending)?.rsplit_once(") AND ")?;
    let (inner, value) = (
        inner.strip_prefix('(').unwrap_or(inner).to_owned(),
        value.to_owned(),
    );
    *term = inner;
    Some(value)
}

fn efetch(request: &ApiRequest, corpus: &Corpus) -> Reply {
    let wanted: Vec<u64> = request
        .param("id")
        .unwrap_or_default()
        .split(',')
        .filter_map(|id| id.parse().ok())
        .collect();
    let known = |id: &u64| {
        corpus
            .documents()
            .iter()
            .find(|paper| paper.kind == DocumentKind::Paper && paper.number == Some(*id))
    };
    let record = |paper: &Document| match paper.source.starts_with("Reviews in") {
        true => chapter(paper),
        false => article(paper),
    };
    let articles: String = wanted.iter().filter_map(known).map(record).collect();
    let head = "<?xml version=\"1.0\" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC \"-//NLM//DTD PubMedArticle, 1st January 2025//EN\" \
                \"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd\">\n";
    limits(Reply::typed(
        200,
        "text/xml; charset=UTF-8",
        format!("{head}<PubmedArticleSet>{articles}</PubmedArticleSet>"),
    ))
}

fn limits(reply: Reply) -> Reply {
    reply
        .header("X-RateLimit-Limit", 3)
        .header("X-RateLimit-Remaining", 2)
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn article(paper: &Document) -> String {
    let (number, day) = (
        paper.number.unwrap_or_default(),
        paper.day().unwrap_or_default(),
    );
    let mut parts = day.split('-');
    let (year, month, day) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let month = month
        .parse::<usize>()
        .ok()
        .and_then(|month| MONTHS.get(month.checked_sub(1)?))
        .unwrap_or(&"Jan");
    let number_of_month = MONTHS.iter().position(|name| name == month).unwrap_or(0) + 1;
    let doi = doi(paper);
    let free: String = paper
        .pdf
        .iter()
        .map(|_| format!("<ArticleId IdType=\"pmc\">PMC{}</ArticleId>", number / 3))
        .collect();
    format!(
        "<PubmedArticle><MedlineCitation Status=\"MEDLINE\" Owner=\"NLM\"><PMID Version=\"1\">{number}</PMID><Article PubModel=\"Print\">\
         <Journal><JournalIssue CitedMedium=\"Internet\"><PubDate><Year>{year}</Year><Month>{month}</Month></PubDate></JournalIssue>\
         <Title>{}</Title></Journal><ArticleTitle>{}.</ArticleTitle><Abstract><AbstractText>{}</AbstractText></Abstract>\
         <AuthorList CompleteYN=\"Y\">{}</AuthorList><Language>eng</Language><ArticleDate DateType=\"Electronic\"><Year>{year}</Year><Month>{number_of_month:02}</Month><Day>{day}</Day></ArticleDate></Article></MedlineCitation><PubmedData><ArticleIdList>\
         <ArticleId IdType=\"pubmed\">{number}</ArticleId>{doi}{free}</ArticleIdList></PubmedData></PubmedArticle>",
        escape(&paper.source),
        escape(&paper.title),
        escape(&paper.text),
        authors(paper),
    )
}

fn authors(paper: &Document) -> String {
    let author = |name: &String| {
        let (fore, last) = name.rsplit_once(' ').unwrap_or(("", name));
        format!(
            "<Author ValidYN=\"Y\"><LastName>{}</LastName><ForeName>{}</ForeName></Author>",
            escape(last),
            escape(fore)
        )
    };
    paper.authors.iter().map(author).collect()
}

fn doi(paper: &Document) -> String {
    let id = |doi: &String| format!("<ArticleId IdType=\"doi\">{}</ArticleId>", escape(doi));
    paper.doi.iter().map(id).collect()
}

fn chapter(paper: &Document) -> String {
    let number = paper.number.unwrap_or_default();
    format!(
        "<PubmedBookArticle><BookDocument><PMID Version=\"1\">{number}</PMID><ArticleIdList><ArticleId IdType=\"bookaccession\">NBK{number}</ArticleId></ArticleIdList>\
         <Book><Publisher><PublisherName>Lab Press</PublisherName></Publisher><BookTitle book=\"lab\">{}</BookTitle><PubDate><Year>{}</Year></PubDate></Book>\
         <ArticleTitle book=\"lab\" part=\"one\">{}</ArticleTitle><AuthorList Type=\"authors\">{}</AuthorList><Abstract><AbstractText>{}</AbstractText></Abstract>\
         </BookDocument><PubmedBookData><ArticleIdList><ArticleId IdType=\"pubmed\">{number}</ArticleId>{}</ArticleIdList></PubmedBookData></PubmedBookArticle>",
        escape(&paper.source),
        paper.year().unwrap_or_default(),
        escape(&paper.title),
        authors(paper),
        escape(&paper.text),
        doi(paper),
    )
}

fn errors(error: &ApiError<'_>) -> Reply {
    let status = error.usual_status();
    match error.kind {
        ApiErrorKind::RateLimited | ApiErrorKind::Quota => Reply::json(
            429,
            &json!({"error": "API rate limit exceeded", "count": "11"}),
        )
        .header("Retry-After", error.seconds),
        ApiErrorKind::NoKey | ApiErrorKind::BadKey => {
            let echoed = error.words("the-key-that-was-sent");
            Reply::json(
                400,
                &json!({"error": "API key invalid", "api-key": echoed, "type": "invalid", "status": "unknown"}),
            )
        }
        ApiErrorKind::BadRequest => Reply::json(
            400,
            &json!({"error": error.words("Invalid db name specified: pubme")}),
        ),
        ApiErrorKind::Internal => {
            let words = error.words("Search Backend failed: read timed out");
            let body = format!(
                "{{\"header\":{{\"type\":\"esearch\"}},\"esearchresult\":{{\"ERROR\":\"{words}\n  at backend\"}}}}"
            );
            Reply::typed(200, "application/json", body)
        }
        ApiErrorKind::Overloaded => Reply::json(
            500,
            &json!({"error": "error forwarding request", "api-key": "127.0.0.1", "type": "ip", "status": "ok"}),
        ),
        _ => Reply::html(status, error.words(crate::http::reason(status)).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_taken_apart() {
        let mut term = "((sodium) AND Holt[Author]) AND free full text[Filter]".to_owned();
        assert_eq!(
            strip(&mut term, "free full text[Filter]").as_deref(),
            Some("")
        );
        assert_eq!(strip(&mut term, "[Author]").as_deref(), Some("Holt"));
        assert_eq!(term, "sodium");
    }
}

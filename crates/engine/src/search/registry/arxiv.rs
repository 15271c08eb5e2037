//! arXiv: preprints, as an Atom feed.
//!
//! `GET
//! /api/query?search_query=all:…+AND+all:…+AND+submittedDate:[202401010000+TO+202412312359]&max_results=…`
//! returns a feed with `opensearch:totalResults` and entries: `id`
//! (`http://arxiv.org/abs/2607.01234v1`), `title`, `summary`, `published`, `author/name`,
//! `link[@title='pdf']`, `arxiv:doi`, `arxiv:journal_ref`. A refused query is a feed too, with
//! status 200 or 400, whose one entry has an id below `http://arxiv.org/api/errors`: that is not a
//! paper. Too many requests get 429 in plain text without a wait, or 503 with `Retry-After`. The
//! terms of use ask for one request in three seconds, one at a time.
//!
//! Seen 2026-11-16: parameters, results, the feed of an error and the terms in arXiv's own
//! documentation (arXiv/arxiv-docs at 8332d7e6, 2026-07-24: `help/api/user-manual.md`, `tou.md`); a
//! recorded feed of 2026-03-26 (zhangyee/fastpaper-cli, `tests/fixtures/arxiv_search.xml`); the 429
//! with `Rate exceeded.` in ultimatile/arxiv-skills#25 (2026-09-15). Not seen: a 503 with a wait, and
//! with which status a refused query comes (public clients report 200; the manual has 400 for more
//! than 30,000 results). Tested against the lab.

use fault::Case;

use crate::call::Call;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{Offer, Pace, Provider, ProviderSpec, ProviderTier, provider};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::search::terms::{joined, phrase, quoted};
use crate::upstream::Answering;
use reading::document::xml::XmlElement;

#[derive(Debug)]
pub(super) struct Arxiv;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Academic,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::OpenAccess,
            Filter::Author,
        ],
        max_results: 100,
    }],
    base: Some("https://export.arxiv.org"),
    pace: Some(Pace::one_in(3)),
    at_once: 1,
    timeout: std::time::Duration::from_secs(20),
    scope: Some("Only preprints on arXiv were searched."),
    about: "arXiv's preprints, all of them open.",
    docs: "https://info.arxiv.org/help/api/user-manual.html",
    ..provider!("arxiv", "arXiv")
};

impl Provider for Arxiv {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(
        &'a self,
        api: &'a Api,
        call: &'a Call,
        query: &'a SearchQuery,
    ) -> Answering<'a, Hits> {
        Box::pin(async move {
            let Some(expression) = expression(query) else {
                return Ok(Hits::default());
            };
            let request = api
                .get("/api/query")
                .query("search_query", expression)
                .query("start", 0)
                .query("max_results", query.count);
            let answer = request.send(call).await?;
            let feed = api.read_xml(&answer, "feed")?;
            let entries: Vec<XmlElement<'_>> = feed.root().all("entry").collect();
            if entries
                .iter()
                .any(|entry| child(*entry, "id").contains("/api/errors"))
            {
                return Err(api.fault(Case::BadRequest));
            }
            let total = feed
                .root()
                .child("totalResults")
                .and_then(|total| total.text().trim().parse().ok());
            Ok(Hits {
                hits: entries.into_iter().filter_map(hit).collect(),
                total,
                ..Hits::default()
            })
        })
    }
}

/// The query in arXiv's language; `None` when it has no word.
fn expression(query: &SearchQuery) -> Option<String> {
    let mut expression = joined(&query.text, " AND ", |term| format!("all:{}", quoted(term)))?;
    if let Some(author) = &query.filters.author {
        expression.push_str(&format!(" AND au:\"{}\"", phrase(author)));
    }
    let (from, to) = (query.filters.since(), query.filters.to);
    if from.is_some() || to.is_some() {
        let from = from.map_or_else(|| "19910101".to_owned(), |day| day.compact());
        let to = to.unwrap_or_else(crate::search::Date::today).compact();
        expression.push_str(&format!(" AND submittedDate:[{from}0000 TO {to}2359]"));
    }
    Some(expression)
}

fn child(entry: XmlElement<'_>, name: &str) -> String {
    entry.child(name).map(XmlElement::text).unwrap_or_default()
}

fn hit(entry: XmlElement<'_>) -> Option<Hit> {
    let page = child(entry, "id").trim().replacen("http://", "https://", 1);
    let id = page.split_once("/abs/").map(|(_, id)| id.to_owned());
    let given = |name: &str| Some(child(entry, name)).filter(|text| !text.trim().is_empty());
    let is_pdf = |link: &XmlElement<'_>| link.attribute("title") == Some("pdf");
    let hit = Hit::new(&child(entry, "title"), &page)?
        .snippet(&child(entry, "summary"))
        .published(Some(child(entry, "published").as_str()))
        .source(Some("arXiv"));
    Some(
        hit.paper(Paper {
            authors: entry
                .all("author")
                .map(|author| child(author, "name"))
                .collect(),
            doi: given("doi"),
            venue: given("journal_ref").or_else(|| Some("arXiv".to_owned())),
            pdf: entry
                .all("link")
                .find(is_pdf)
                .and_then(|link| link.attribute("href"))
                .map(|href| href.replacen("http://", "https://", 1)),
            open_access: Some(true),
            id,
            ..Paper::default()
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Date, Details};
    use reading::document::xml::XmlTree;

    #[test]
    fn a_query_becomes_an_expression_without_foreign_syntax() {
        let mut query = SearchQuery::new("\"heat pump\" cat:cs.LG (old", Capability::Academic);
        query.filters.from = Date::from_ymd(2024, 1, 2);
        query.filters.to = Date::from_ymd(2024, 3, 4);
        query.filters.author = Some("Lind \"O\"".to_owned());
        let expected = "all:\"heat pump\" AND all:cat AND all:cs.LG AND all:old AND au:\"Lind O\" AND submittedDate:[202401020000 TO 202403042359]";
        assert_eq!(expression(&query).as_deref(), Some(expected));
        assert_eq!(
            expression(&SearchQuery::new("(:)", Capability::Academic)),
            None
        );
    }

    #[test]
    fn an_entry_becomes_a_paper() {
        let xml = r#"<feed><entry><id>http://arxiv.org/abs/hep-th/9901001v1</id><published>1999-01-05T00:00:00Z</published>
            <title>Two
              lines</title><summary>A &lt; B</summary><author><name>Ada</name></author><author><name>Bo</name></author>
            <link href="http://arxiv.org/abs/hep-th/9901001v1" rel="alternate"/><link title="pdf" href="http://arxiv.org/pdf/hep-th/9901001v1"/>
            <arxiv:doi>10.5555/X</arxiv:doi></entry></feed>"#;
        let tree = XmlTree::parse_str(xml, 1_000).unwrap_or_else(|_| panic!("a tree"));
        let hit = tree
            .root()
            .child("entry")
            .and_then(hit)
            .unwrap_or_else(|| panic!("a paper"));
        assert_eq!(
            (hit.title.as_str(), hit.url.as_str(), hit.snippet.as_str()),
            (
                "Two lines",
                "https://arxiv.org/abs/hep-th/9901001v1",
                "A < B"
            )
        );
        assert_eq!(hit.published, Date::from_ymd(1999, 1, 5));
        let Details::Paper(paper) = hit.details else {
            panic!("a paper")
        };
        assert_eq!(
            (
                paper.authors.len(),
                paper.doi.as_deref(),
                paper.id.as_deref()
            ),
            (2, Some("10.5555/x"), Some("hep-th/9901001v1"))
        );
        assert_eq!(
            paper.pdf.as_deref(),
            Some("https://arxiv.org/pdf/hep-th/9901001v1")
        );
    }
}

//! Semantic Scholar's Academic Graph, with or without a key.
//!
//! `GET
//! /graph/v1/paper/search?query=…&limit=…&fields=…&publicationDateOrYear=2024-01-01:2024-12-31&openAccessPdf`
//! with `x-api-key` returns `{"total":n,"data":[{"paperId","title","url","abstract","venue","year",
//! "publicationDate","citationCount","isOpenAccess",
//! "openAccessPdf":{"url"},"externalIds":{"DOI"},"authors":[{"name"}]}]}`; without results `data`
//! is absent. A word with a hyphen finds nothing, so a space is sent instead. Too many requests get
//! 429 with `{"message":"…","code":"429"}` and no wait; without a key all callers share one limit,
//! and even a first request is often refused, so `auto` prefers others then. An unknown key gets 403
//! with `{"message":"Forbidden"}`, which without a key means that the client's region is not served;
//! bad parameters get 400 with `{"error":"…"}`.
//!
//! Confirmed: parameters, hyphens and fields in the API's documentation
//! (api.semanticscholar.org/api-docs/graph, read 2026-11-16). Tested against the lab.

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{
    KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct SemanticScholar;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Academic,
        filters: &[Filter::TimeRange, Filter::Dates, Filter::OpenAccess],
        max_results: 100,
    }],
    base: Some("https://api.semanticscholar.org"),
    key: KeyRequirement::Optional,
    pace: Some(Pace::per_second(1)),
    at_once: 2,
    about: "Semantic Scholar's papers with citation counts; a key gives you a rate limit of your own.",
    docs: "https://api.semanticscholar.org/api-docs/graph",
    other_variables: &[
        ("SEMANTIC_SCHOLAR_API_KEY", "semanticscholar-api-key"),
        ("S2_API_KEY", "semanticscholar-api-key"),
    ],
    ..provider!("semanticscholar", "Semantic Scholar")
};

const FIELDS: &str = "title,url,abstract,venue,year,publicationDate,citationCount,isOpenAccess,openAccessPdf,externalIds,authors";

impl Provider for SemanticScholar {
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
            let request = api
                .get("/graph/v1/paper/search")
                .query("query", without_hyphens(&query.text))
                .query("limit", query.count)
                .query("fields", FIELDS);
            let request = request.maybe("publicationDateOrYear", period(&query.filters));
            let request = request.maybe("openAccessPdf", query.filters.open_access.then_some(""));
            let answer = request
                .secret_header("x-api-key", api.key())
                .json::<SemanticScholarReply>(call)
                .await;
            let answer = answer.map_err(|fault| match fault.case() {
                Case::Forbidden if api.key().is_some() => api.fault(Case::BadKey).status(403),
                Case::Forbidden => api.fault(Case::Http403).status(403),
                _ => fault,
            })?;
            // A reply without results has only their number.
            if answer.data.is_none() && answer.total.is_none() {
                return Err(api.bad_shape(b"neither data nor total"));
            }
            let hits = answer
                .data
                .unwrap_or_default()
                .into_iter()
                .filter_map(SemanticScholarPaper::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer.total,
                ..Hits::default()
            })
        })
    }
}

/// The query with spaces for hyphens: its documentation says that hyphenated words find nothing.
fn without_hyphens(text: &str) -> String {
    text.replace(['-', '\u{2010}', '\u{2011}'], " ")
}

fn period(filters: &Filters) -> Option<String> {
    let (from, to) = (filters.since(), filters.to);
    let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    (from.is_some() || to.is_some()).then(|| format!("{}:{}", day(from), day(to)))
}

#[derive(Deserialize)]
struct SemanticScholarReply {
    total: Option<u64>,
    data: Option<Results<SemanticScholarPaper>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SemanticScholarPaper {
    paper_id: String,
    title: Option<String>,
    url: Option<String>,
    r#abstract: Option<String>,
    venue: Option<String>,
    year: Option<i32>,
    publication_date: Option<String>,
    citation_count: Option<u64>,
    is_open_access: Option<bool>,
    open_access_pdf: Option<SemanticScholarPdf>,
    external_ids: Option<SemanticScholarIds>,
    authors: Option<Vec<SemanticScholarAuthor>>,
}

#[derive(Deserialize)]
struct SemanticScholarPdf {
    url: Option<String>,
}

#[derive(Deserialize)]
struct SemanticScholarIds {
    #[serde(rename = "DOI")]
    doi: Option<String>,
    #[serde(rename = "ArXiv")]
    arxiv: Option<String>,
}

#[derive(Deserialize)]
struct SemanticScholarAuthor {
    name: Option<String>,
}

impl SemanticScholarPaper {
    fn into_hit(self) -> Option<Hit> {
        let (doi, arxiv) = self
            .external_ids
            .map_or((None, None), |ids| (ids.doi, ids.arxiv));
        let own = || {
            self.url.unwrap_or_else(|| {
                format!("https://www.semanticscholar.org/paper/{}", self.paper_id)
            })
        };
        let page = doi
            .as_ref()
            .map_or_else(own, |doi| format!("https://doi.org/{doi}"));
        let date = self.publication_date.as_deref().and_then(Date::parse);
        let hit = Hit::new(&self.title.unwrap_or_default(), &page)?
            .snippet(&self.r#abstract.unwrap_or_default())
            .dated(date.or_else(|| self.year.and_then(Date::from_year)))
            .source(self.venue.as_deref());
        Some(
            hit.paper(Paper {
                authors: self
                    .authors
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(|author| author.name)
                    .collect(),
                doi,
                venue: self.venue,
                citations: self.citation_count,
                pdf: self.open_access_pdf.and_then(|pdf| pdf.url),
                open_access: self.is_open_access,
                id: Some(self.paper_id),
                arxiv,
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_dates_can_be_open() {
        let (from, to) = (Date::from_ymd(2024, 1, 2), Date::from_ymd(2024, 3, 4));
        assert_eq!(
            period(&Filters {
                from,
                to,
                ..Filters::default()
            })
            .as_deref(),
            Some("2024-01-02:2024-03-04")
        );
        assert_eq!(
            period(&Filters {
                to,
                ..Filters::default()
            })
            .as_deref(),
            Some(":2024-03-04")
        );
        assert_eq!(period(&Filters::default()), None);
    }
}

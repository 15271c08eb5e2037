//! SearchApi's Google Patents engine.
//!
//! `GET
//! /api/v1/search?engine=google_patents&q=…&num=…&after=publication:20240101&before=publication:20241231&assignee=…&inventor=…`
//! with `Authorization: Bearer …` returns
//! `{"search_metadata":{"status":"Success"},"search_information":{"total_results":n},
//! "organic_results":[{"patent_id":"patent/US1234567B2/en","title","snippet","assignee","inventor",
//! "filing_date","grant_date",
//! "priority_date","publication_date","publication_number","pdf","link"}]}`. A reply without
//! results has no list and says so in `error`, with `search_metadata.status` "Success"; a failed
//! search has another status there. Errors are `{"error":"…"}` without codes, so the HTTP status
//! decides: 401 the key, 429 the plan or the rate.
//!
//! Seen 2026-11-16: the beginning of searchapi.io/docs/google-patents (`q`, and that a comma
//! separates values), and 401 for a dead key in a public note. Not seen: the rest of that page
//! (`num`, `after`, `before`, `assignee`, `inventor`), replies without results, 429, and recorded
//! results, of which issue 12 reports that some were replayed. Tested against the lab.

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits, Patent};
use crate::search::patents::page;
use crate::search::provider::{
    KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::search::terms::phrase;
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct SearchApi;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: &[Offer {
        capability: Capability::Patents,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::Assignee,
            Filter::Inventor,
        ],
        max_results: 100,
    }],
    base: Some("https://www.searchapi.io"),
    key: KeyRequirement::Needed,
    timeout: std::time::Duration::from_secs(30),
    about: "Google Patents through SearchApi.",
    docs: "https://www.searchapi.io/docs/google-patents",
    ..provider!("searchapi", "SearchApi")
};

/// The fewest results that can be requested.
const LEAST: usize = 10;

impl Provider for SearchApi {
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
            let day = |day: Option<Date>| day.map(|day| format!("publication:{}", day.compact()));
            let request = api
                .get("/api/v1/search")
                .query("engine", "google_patents")
                .query("q", &query.text);
            let request = request
                .query("num", query.count.max(LEAST))
                .maybe("after", day(query.filters.since()));
            // A comma would separate two names.
            let request = request
                .maybe("before", day(query.filters.to))
                .maybe("assignee", query.filters.assignee.as_deref().map(phrase));
            let answer: SearchApiReply = request
                .maybe("inventor", query.filters.inventor.as_deref().map(phrase))
                .bearer()
                .json(call)
                .await?;
            let status = answer.search_metadata.and_then(|metadata| metadata.status);
            match (status.as_deref(), &answer.organic_results) {
                (Some("Success"), _) | (None, Some(_)) => {}
                (Some(_), _) => return Err(api.fault(Case::HttpStatus).status(200)),
                (None, None) => return Err(api.bad_shape(b"neither status nor results")),
            }
            let hits = answer
                .organic_results
                .unwrap_or_default()
                .into_iter()
                .filter_map(SearchApiPatent::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer
                    .search_information
                    .and_then(|information| information.total_results),
                ..Hits::default()
            })
        })
    }
}

#[derive(Deserialize)]
struct SearchApiReply {
    search_metadata: Option<SearchApiMetadata>,
    search_information: Option<SearchApiInformation>,
    organic_results: Option<Results<SearchApiPatent>>,
}

#[derive(Deserialize)]
struct SearchApiMetadata {
    status: Option<String>,
}

#[derive(Deserialize)]
struct SearchApiInformation {
    total_results: Option<u64>,
}

#[derive(Deserialize)]
struct SearchApiPatent {
    patent_id: Option<String>,
    publication_number: Option<String>,
    title: Option<String>,
    snippet: Option<String>,
    assignee: Option<String>,
    inventor: Option<String>,
    priority_date: Option<String>,
    filing_date: Option<String>,
    grant_date: Option<String>,
    publication_date: Option<String>,
    pdf: Option<String>,
    link: Option<String>,
}

impl SearchApiPatent {
    fn into_hit(self) -> Option<Hit> {
        let number = self
            .publication_number
            .or_else(|| number_in(&self.patent_id?))?;
        let date = |text: Option<String>| text.as_deref().and_then(Date::parse);
        let own = || page(&number);
        let hit = Hit::new(
            &self.title.unwrap_or_default(),
            &self.link.unwrap_or_else(own),
        )?
        .snippet(&self.snippet.unwrap_or_default())
        .published(self.publication_date.as_deref())
        .source(Some("Google Patents"));
        Some(hit.patent(Patent {
            number,
            assignees: self.assignee.into_iter().collect(),
            inventors: self.inventor.into_iter().collect(),
            filed: date(self.filing_date),
            granted: date(self.grant_date),
            priority: date(self.priority_date),
            pdf: self.pdf,
        }))
    }
}

/// The number in an id such as `patent/US9270715B2/en`.
fn number_in(id: &str) -> Option<String> {
    let mut parts = id.split('/').skip_while(|part| *part == "patent");
    parts
        .next()
        .filter(|part| part.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_ids() {
        assert_eq!(
            number_in("patent/US9270715B2/en").as_deref(),
            Some("US9270715B2")
        );
        assert_eq!(number_in("US9270715B2").as_deref(), Some("US9270715B2"));
        assert_eq!(number_in("scholar/xyz"), None);
    }

    #[test]
    fn a_result_becomes_a_patent() {
        let json = r#"{"patent_id":"patent/US1234567B2/en","title":"A <b>pump</b>","assignee":"Acme","filing_date":"2020-01-02","grant_date":"2022-03-04"}"#;
        let hit = serde_json::from_str::<SearchApiPatent>(json)
            .ok()
            .and_then(SearchApiPatent::into_hit)
            .unwrap_or_else(|| panic!("a patent"));
        assert_eq!(
            (hit.title.as_str(), hit.url.as_str()),
            ("A pump", "https://patents.google.com/patent/US1234567B2/en")
        );
        let crate::search::Details::Patent(patent) = hit.details else {
            panic!("a patent")
        };
        assert_eq!(
            (patent.filed, patent.granted, patent.priority),
            (Date::from_ymd(2020, 1, 2), Date::from_ymd(2022, 3, 4), None)
        );
    }
}

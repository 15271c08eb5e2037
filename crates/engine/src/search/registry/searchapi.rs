//! SearchApi's Google Patents engine.
//!
//! `GET
//! /api/v1/search?engine=google_patents&q=…&num=…&after=publication:20240101&before=publication:20241231&assignee=…&inventor=…`
//! with `Authorization: Bearer …` answers
//! `{"search_metadata":{"status":"Success"},"search_information":{"total_results":n},
//! "organic_results":[{"patent_id":"patent/US1234567B2/en","title","snippet","assignee","inventor","filing_date","grant_date",
//! "priority_date","publication_date","publication_number","pdf","link"}]}`. An answer without
//! results has no list, says so in `error`, and is a success all the same; what failed has another
//! status there. Errors are `{"error":"…"}` in words, so the status decides: 401 the key, 429 the
//! plan or the pace. Tested against the lab.

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits, Patent};
use crate::search::patents::page;
use crate::search::provider::{Key, Offer, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter};
use crate::search::terms::phrase;
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct SearchApi;

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Commercial,
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
    key: Key::Needed,
    timeout: std::time::Duration::from_secs(30),
    about: "Google Patents through SearchApi.",
    docs: "https://www.searchapi.io/docs/google-patents",
    ..provider!("searchapi", "SearchApi")
};

/// A page of results has at least this many.
const LEAST: usize = 10;

impl Provider for SearchApi {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let day = |day: Option<Date>| day.map(|day| format!("publication:{}", day.compact()));
            let request = api
                .get("/api/v1/search")
                .query("engine", "google_patents")
                .query("q", &ask.text);
            let request = request
                .query("num", ask.count.max(LEAST))
                .maybe("after", day(ask.filters.since()));
            // Several names would be parted by commas.
            let request = request
                .maybe("before", day(ask.filters.to))
                .maybe("assignee", ask.filters.assignee.as_deref().map(phrase));
            let answer: Answer = request
                .maybe("inventor", ask.filters.inventor.as_deref().map(phrase))
                .bearer()
                .json(call)
                .await?;
            if answer.search_metadata.status != "Success" {
                return Err(api.fault(Case::HttpStatus).status(200));
            }
            let hits = answer
                .organic_results
                .unwrap_or_default()
                .into_iter()
                .filter_map(Found::into_hit)
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
struct Answer {
    search_metadata: MetaData,
    search_information: Option<Information>,
    organic_results: Option<Vec<Found>>,
}

#[derive(Deserialize)]
struct MetaData {
    status: String,
}

#[derive(Deserialize)]
struct Information {
    total_results: Option<u64>,
}

#[derive(Deserialize)]
struct Found {
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

impl Found {
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

/// `patent/US9270715B2/en`
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
        let hit = serde_json::from_str::<Found>(json)
            .ok()
            .and_then(Found::into_hit)
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
            (Date::of(2020, 1, 2), Date::of(2022, 3, 4), None)
        );
    }
}

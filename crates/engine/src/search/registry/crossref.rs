//! Crossref: what publishers say of the works they registered DOIs for.
//!
//! `GET
//! /works?query=…&filter=from-pub-date:…,until-pub-date:…&query.author=…&rows=…&select=…&mailto=…`
//! returns
//! `{"status":"ok","message-type":"work-list","message":{"total-results":n,"items":[{"DOI",
//! "title":["…"],"author":[{"given","family"}],"container-title":["…"],
//! "published":{"date-parts":[[2024,6,3]]},"is-referenced-by-count","abstract","link":[…]}]}}`;
//! abstracts have JATS markup, dates are as precise as their parts. A Metadata Plus key goes in
//! `Crossref-Plus-API-Token`; a mail address (the operator's contact) gives access to the polite
//! pool. Bad parameters get
//! 400 with `{"status":"failed","message-type":"validation-failure",
//! "message":[{"type","value","message"}]}`, a bad key 401, too many requests 429 in plain text;
//! `X-Rate-Limit-Limit` and `X-Rate-Limit-Interval` give the rate of the pool, not a wait.
//!
//! Confirmed: access, pools and headers in Crossref's documentation of its REST API (read
//! 2026-11-16). Tested against the lab.

use fault::Secret;
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
pub(super) struct Crossref;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Academic,
        filters: &[Filter::TimeRange, Filter::Dates, Filter::Author],
        max_results: 100,
    }],
    base: Some("https://api.crossref.org"),
    key: KeyRequirement::Optional,
    pace: Some(Pace::per_second(1)),
    at_once: 1,
    timeout: std::time::Duration::from_secs(20),
    about: "Crossref's register of DOIs.",
    docs: "https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    contact_helps: true,
    ..provider!("crossref", "Crossref")
};

const FIELDS: &str =
    "DOI,title,author,container-title,publisher,published,is-referenced-by-count,abstract,link";

impl Provider for Crossref {
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
                .get("/works")
                .query("query", &query.text)
                .query("rows", query.count)
                .query("select", FIELDS);
            let request = request
                .maybe("filter", filter(&query.filters))
                .maybe("query.author", query.filters.author.as_ref());
            let plus = api
                .key()
                .map(|key| Secret::new(format!("Bearer {}", key.expose())));
            let request = request.secret_header("crossref-plus-api-token", plus.as_ref());
            let answer: CrossrefReply =
                request.identified().mail_query("mailto").json(call).await?;
            let hits = answer
                .message
                .items
                .into_iter()
                .filter_map(CrossrefWork::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer.message.total,
                ..Hits::default()
            })
        })
    }
}

fn filter(filters: &Filters) -> Option<String> {
    let from = filters.since().map(|day| format!("from-pub-date:{day}"));
    let parts: Vec<String> = from
        .into_iter()
        .chain(filters.to.map(|day| format!("until-pub-date:{day}")))
        .collect();
    (!parts.is_empty()).then(|| parts.join(","))
}

#[derive(Deserialize)]
struct CrossrefReply {
    message: CrossrefMessage,
}

#[derive(Deserialize)]
struct CrossrefMessage {
    #[serde(rename = "total-results")]
    total: Option<u64>,
    items: Results<CrossrefWork>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CrossrefWork {
    #[serde(rename = "DOI")]
    doi: String,
    title: Option<Vec<String>>,
    author: Option<Vec<CrossrefAuthor>>,
    container_title: Option<Vec<String>>,
    publisher: Option<String>,
    published: Option<CrossrefDate>,
    is_referenced_by_count: Option<u64>,
    r#abstract: Option<String>,
    link: Option<Vec<CrossrefLink>>,
}

#[derive(Deserialize)]
struct CrossrefAuthor {
    given: Option<String>,
    family: Option<String>,
    /// The name of an organisation.
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CrossrefDate {
    date_parts: Option<Vec<Vec<Option<i32>>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct CrossrefLink {
    #[serde(rename = "URL")]
    url: Option<String>,
    content_type: Option<String>,
}

impl CrossrefWork {
    fn into_hit(self) -> Option<Hit> {
        let first = |texts: Option<Vec<String>>| texts.and_then(|texts| texts.into_iter().next());
        let venue = first(self.container_title);
        let is_pdf = |link: &CrossrefLink| link.content_type.as_deref() == Some("application/pdf");
        let pdf = self
            .link
            .unwrap_or_default()
            .into_iter()
            .find(is_pdf)
            .and_then(|link| link.url);
        let hit = Hit::new(
            &first(self.title).unwrap_or_default(),
            &format!("https://doi.org/{}", self.doi),
        )?
        .snippet(&self.r#abstract.unwrap_or_default())
        .dated(self.published.and_then(CrossrefDate::date))
        .source(venue.as_deref().or(self.publisher.as_deref()));
        Some(
            hit.paper(Paper {
                authors: self
                    .author
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(CrossrefAuthor::whole)
                    .collect(),
                doi: Some(self.doi),
                venue,
                citations: self.is_referenced_by_count,
                pdf,
                ..Paper::default()
            }),
        )
    }
}

impl CrossrefAuthor {
    fn whole(self) -> Option<String> {
        let parts: Vec<String> = [self.given, self.family].into_iter().flatten().collect();
        Some(parts.join(" "))
            .filter(|name| !name.is_empty())
            .or(self.name)
    }
}

impl CrossrefDate {
    /// The date, as precise as its parts.
    fn date(self) -> Option<Date> {
        let parts = self.date_parts?.into_iter().next()?;
        let part = |index: usize| parts.get(index).copied().flatten();
        let small = |index: usize| part(index).and_then(|number| u8::try_from(number).ok());
        let year = part(0)?;
        match (small(1), small(2)) {
            (Some(month), Some(day)) => Date::from_ymd(year, month, day),
            (Some(month), None) => Date::from_year_month(year, month),
            _ => Date::from_year(year),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_as_precise_as_their_parts() {
        let read = |json: &str| {
            serde_json::from_str::<CrossrefDate>(json)
                .ok()
                .and_then(CrossrefDate::date)
                .map(|date| date.to_string())
        };
        assert_eq!(
            read(r#"{"date-parts":[[2024,6,3]]}"#).as_deref(),
            Some("2024-06-03")
        );
        assert_eq!(
            read(r#"{"date-parts":[[2024,6]]}"#).as_deref(),
            Some("2024-06")
        );
        assert_eq!(read(r#"{"date-parts":[[2024]]}"#).as_deref(), Some("2024"));
        assert_eq!(read(r#"{"date-parts":[[null]]}"#), None);
        assert_eq!(read(r#"{"date-parts":[]}"#), None);
    }

    #[test]
    fn a_work_becomes_a_paper() {
        let json = r#"{"DOI":"10.5555/A","title":["On <i>x</i>"],"author":[{"given":"Ada","family":"Brandt"},{"name":"A Group"},{}],
            "abstract":"<jats:p>We <jats:italic>try</jats:italic>.</jats:p>","link":[{"URL":"https://a.example/x.pdf","content-type":"application/pdf"}]}"#;
        let hit = serde_json::from_str::<CrossrefWork>(json)
            .ok()
            .and_then(CrossrefWork::into_hit)
            .unwrap_or_else(|| panic!("a paper"));
        assert_eq!(
            (hit.title.as_str(), hit.url.as_str(), hit.snippet.as_str()),
            ("On x", "https://doi.org/10.5555/A", "We try.")
        );
        let crate::search::Details::Paper(paper) = hit.details else {
            panic!("a paper")
        };
        assert_eq!(
            (paper.authors, paper.doi.as_deref()),
            (
                vec!["Ada Brandt".to_owned(), "A Group".to_owned()],
                Some("10.5555/a")
            )
        );
        assert_eq!(paper.pdf.as_deref(), Some("https://a.example/x.pdf"));
    }
}

//! CORE: open-access papers gathered from repositories, with or without a key.
//!
//! `GET /v3/search/works/?q=…&limit=…` (without the last slash it redirects) with `Authorization:
//! Bearer …` returns
//! `{"totalHits":n,"results":[{"id","title","abstract","authors":[{"name"}],"doi","downloadUrl",
//! "yearPublished","publishedDate","citationCount","journals":[{"title"}],"publisher",
//! "links":[{"type":"display","url"}]}]}`. An author is `authors.name:"…"`; `authors:"…"` finds more
//! instead of less. Its query language narrows by year only, so results outside the wanted dates are
//! dropped here. An unknown key gets 401, too many requests get 429 with an empty body and
//! `X-RateLimit-Retry-After` as an ISO 8601 moment. `publisher` is often in quotation marks
//! (`'Elsevier BV'`) or empty, and `downloadUrl` is often the page about a paper.
//!
//! Seen 2026-11-16: results in two recorded replies (zhangyee/fastpaper-cli at e32e6cd,
//! `tests/fixtures/core_search.json`, and another client's sample of 2022), the redirect and the
//! author's field in that client's tests against the service (1a7bbc1, 2026-07-28, which got 429 for
//! every request without a key), the empty 429 in SakanaAI/AI-Scientist#118 (2024-09-10), the names
//! of the headers and ten requests a minute in public notes on CORE's documentation. Not seen: that
//! documentation itself, the form of the moment, a reply to an unknown key. Tested against the lab.

use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{
    KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SearchQuery};
use crate::search::terms::{joined, phrase, quoted};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Core;

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
    base: Some("https://api.core.ac.uk"),
    key: KeyRequirement::Optional,
    // Ten requests a minute without a key or with an academic one.
    pace: Some(Pace {
        requests: 10,
        per: std::time::Duration::from_secs(60),
    }),
    at_once: 2,
    timeout: std::time::Duration::from_secs(20),
    about: "CORE's open-access papers from repositories.",
    docs: "https://api.core.ac.uk/docs/v3",
    ..provider!("core", "CORE")
};

impl Provider for Core {
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
                .get("/v3/search/works/")
                .query("q", expression)
                .query("limit", query.count)
                .bearer();
            let answer: CoreReply = request.json(call).await?;
            let hits = answer
                .results
                .into_iter()
                .filter_map(CoreWork::into_hit)
                .filter(|hit| may_lie_in(hit.published, &query.filters));
            Ok(Hits {
                hits: hits.collect(),
                total: answer.total,
                ..Hits::default()
            })
        })
    }
}

fn expression(query: &SearchQuery) -> Option<String> {
    let mut expression = joined(&query.text, " AND ", quoted)?;
    if let Some(author) = &query.filters.author {
        expression = format!("({expression}) AND authors.name:\"{}\"", phrase(author));
    }
    if let Some(day) = query.filters.since() {
        expression = format!("({expression}) AND yearPublished>={}", day.year());
    }
    if let Some(day) = query.filters.to {
        expression = format!("({expression}) AND yearPublished<={}", day.year());
    }
    Some(expression)
}

/// Whether a date can be within the wanted dates. One that is not exact to the day counts as
/// within.
fn may_lie_in(date: Option<Date>, filters: &Filters) -> bool {
    let Some(date) = date.filter(|date| date.is_day()) else {
        return true;
    };
    filters.since().is_none_or(|from| date >= from) && filters.to.is_none_or(|to| date <= to)
}

/// A name without the quotation marks around it.
fn unquoted(name: &str) -> &str {
    name.trim().trim_matches(['\'', '"'])
}

/// The address of a PDF, where it is one and not the page about it.
fn pdf(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let host = url.host_str()?;
    let id = url.path().strip_prefix("/abs/");
    if let ("arxiv.org", Some(id)) = (host.trim_start_matches("www."), id) {
        return Some(format!("https://arxiv.org/pdf/{id}"));
    }
    let path = url.path().to_ascii_lowercase();
    let is_pdf = path.ends_with(".pdf")
        || path.contains("/pdf/")
        || host == "core.ac.uk" && path.starts_with("/download/");
    is_pdf.then(|| address.to_owned())
}

#[derive(Deserialize)]
struct CoreReply {
    #[serde(rename = "totalHits")]
    total: Option<u64>,
    results: Results<CoreWork>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CoreWork {
    id: Option<u64>,
    title: Option<String>,
    r#abstract: Option<String>,
    authors: Option<Vec<CoreAuthor>>,
    doi: Option<String>,
    arxiv_id: Option<String>,
    download_url: Option<String>,
    year_published: Option<i32>,
    published_date: Option<String>,
    citation_count: Option<u64>,
    journals: Option<Vec<CoreJournal>>,
    publisher: Option<String>,
    links: Option<Vec<CoreLink>>,
}

#[derive(Deserialize)]
struct CoreAuthor {
    name: Option<String>,
}

#[derive(Deserialize)]
struct CoreJournal {
    title: Option<String>,
}

#[derive(Deserialize)]
struct CoreLink {
    r#type: Option<String>,
    url: Option<String>,
}

impl CoreWork {
    fn into_hit(self) -> Option<Hit> {
        let display = self
            .links
            .unwrap_or_default()
            .into_iter()
            .find(|link| link.r#type.as_deref() == Some("display"));
        let own = || {
            display
                .and_then(|link| link.url)
                .or_else(|| Some(format!("https://core.ac.uk/works/{}", self.id?)))
        };
        let page = self
            .doi
            .as_deref()
            .map(|doi| format!("https://doi.org/{doi}"))
            .or_else(own)
            .or(self.download_url.clone())?;
        let venue = self
            .journals
            .unwrap_or_default()
            .into_iter()
            .find_map(|journal| journal.title);
        // `publishedDate` is in the first hours of a day; it is missing where only the year is known.
        let date = self
            .published_date
            .as_deref()
            .and_then(Date::parse)
            .or_else(|| self.year_published.and_then(Date::from_year));
        let publisher = self.publisher.as_deref().map(unquoted);
        let hit = Hit::new(&self.title.unwrap_or_default(), &page)?
            .snippet(&self.r#abstract.unwrap_or_default())
            .dated(date)
            .source(venue.as_deref().or(publisher));
        Some(
            hit.paper(Paper {
                authors: self
                    .authors
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(|author| author.name)
                    .collect(),
                doi: self.doi,
                venue,
                citations: self.citation_count,
                pdf: self.download_url.as_deref().and_then(pdf),
                open_access: Some(true),
                id: self.id.map(|id| id.to_string()),
                arxiv: self.arxiv_id,
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_pdf_is_linked_as_one_and_names_lose_their_quotation_marks() {
        for (address, link) in [
            (
                "https://core.ac.uk/download/12.pdf",
                Some("https://core.ac.uk/download/12.pdf"),
            ),
            (
                "http://arxiv.org/abs/2101.00001",
                Some("https://arxiv.org/pdf/2101.00001"),
            ),
            ("https://repository.example/handle/1/2", None),
            ("not an address", None),
        ] {
            assert_eq!(pdf(address).as_deref(), link, "{address}");
        }
        assert_eq!(unquoted("'Elsevier BV'"), "Elsevier BV");
    }

    #[test]
    fn words_years_and_names_become_an_expression() {
        let mut query = SearchQuery::new("heat:pump \"old houses\"", Capability::Academic);
        assert_eq!(
            expression(&query).as_deref(),
            Some("heat AND pump AND \"old houses\"")
        );
        query.filters = Filters {
            from: Date::from_ymd(2024, 5, 1),
            to: Date::from_ymd(2025, 1, 1),
            author: Some("Lind".to_owned()),
            ..Filters::default()
        };
        let expected = "(((heat AND pump AND \"old houses\") AND authors.name:\"Lind\") AND yearPublished>=2024) AND yearPublished<=2025";
        assert_eq!(expression(&query).as_deref(), Some(expected));
        assert!(
            !may_lie_in(Date::from_ymd(2024, 4, 30), &query.filters)
                && may_lie_in(Date::from_ymd(2024, 5, 1), &query.filters)
        );
        assert!(
            may_lie_in(Date::from_year(2024), &query.filters) && may_lie_in(None, &query.filters)
        );
    }
}

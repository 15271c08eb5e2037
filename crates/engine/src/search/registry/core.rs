//! CORE: open-access papers gathered from repositories, with or without a key.
//!
//! `GET /v3/search/works/?q=…&limit=…` (with the slash: without it one is redirected) with
//! `Authorization: Bearer …` answers
//! `{"totalHits":n,"results":[{"id","title","abstract","authors":[{"name"}],"doi","downloadUrl","yearPublished","publishedDate",
//! "citationCount","journals":[{"title"}],"publisher","links":[{"type":"display","url"}]}]}`. Its
//! query language narrows by year only, so results that are surely outside a wanted period are left
//! out here. An unknown key gets 401, too many requests get 429 with an empty body and
//! `X-RateLimit-Retry-After` as an ISO 8601 moment. Tested against the lab.

use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{Key, Offer, Pace, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter, Filters};
use crate::search::terms::{joined, phrase, quoted};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct Core;

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Keyless,
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
    key: Key::Optional,
    // Ten a minute are documented, with a key of the free kind too.
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

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let Some(query) = query(ask) else {
                return Ok(Hits::default());
            };
            let request = api
                .get("/v3/search/works/")
                .query("q", query)
                .query("limit", ask.count)
                .bearer();
            let answer: Answer = request.json(call).await?;
            let hits = answer
                .results
                .into_iter()
                .filter_map(Work::into_hit)
                .filter(|hit| may_lie_in(hit.published, &ask.filters));
            Ok(Hits {
                hits: hits.collect(),
                total: Some(answer.total),
                ..Hits::default()
            })
        })
    }
}

fn query(ask: &Ask) -> Option<String> {
    let mut query = joined(&ask.text, " AND ", quoted)?;
    if let Some(author) = &ask.filters.author {
        query = format!("({query}) AND authors:\"{}\"", phrase(author));
    }
    if let Some(day) = ask.filters.since() {
        query = format!("({query}) AND yearPublished>={}", day.year());
    }
    if let Some(day) = ask.filters.to {
        query = format!("({query}) AND yearPublished<={}", day.year());
    }
    Some(query)
}

/// Whether a date, as precise as it is, can lie within the wanted period.
fn may_lie_in(date: Option<Date>, filters: &Filters) -> bool {
    let Some(date) = date.filter(|date| date.is_day()) else {
        return true;
    };
    filters.since().is_none_or(|from| date >= from) && filters.to.is_none_or(|to| date <= to)
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "totalHits")]
    total: u64,
    results: Vec<Work>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Work {
    id: Option<u64>,
    title: Option<String>,
    r#abstract: Option<String>,
    authors: Option<Vec<Author>>,
    doi: Option<String>,
    download_url: Option<String>,
    year_published: Option<i32>,
    published_date: Option<String>,
    citation_count: Option<u64>,
    journals: Option<Vec<Journal>>,
    publisher: Option<String>,
    links: Option<Vec<Link>>,
}

#[derive(Deserialize)]
struct Author {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Journal {
    title: Option<String>,
}

#[derive(Deserialize)]
struct Link {
    r#type: Option<String>,
    url: Option<String>,
}

impl Work {
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
        // The date of a work is midnight of a day; where only the year is known it is absent.
        let date = self
            .published_date
            .as_deref()
            .and_then(Date::parse)
            .or_else(|| self.year_published.and_then(Date::year_of));
        let hit = Hit::new(&self.title.unwrap_or_default(), &page)?
            .snippet(&self.r#abstract.unwrap_or_default())
            .dated(date)
            .source(venue.as_deref().or(self.publisher.as_deref()));
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
                pdf: self.download_url,
                open_access: Some(true),
                id: self.id.map(|id| id.to_string()),
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_years_and_names_become_a_query() {
        let mut ask = Ask::new("heat:pump \"old houses\"", Capability::Academic);
        assert_eq!(
            query(&ask).as_deref(),
            Some("heat AND pump AND \"old houses\"")
        );
        ask.filters = Filters {
            from: Date::of(2024, 5, 1),
            to: Date::of(2025, 1, 1),
            author: Some("Lind".to_owned()),
            ..Filters::default()
        };
        let expected = "(((heat AND pump AND \"old houses\") AND authors:\"Lind\") AND yearPublished>=2024) AND yearPublished<=2025";
        assert_eq!(query(&ask).as_deref(), Some(expected));
        assert!(
            !may_lie_in(Date::of(2024, 4, 30), &ask.filters)
                && may_lie_in(Date::of(2024, 5, 1), &ask.filters)
        );
        assert!(may_lie_in(Date::year_of(2024), &ask.filters) && may_lie_in(None, &ask.filters));
    }
}

//! OpenAlex: an open catalogue of papers, with or without a key.
//!
//! `GET /works?search=…&filter=from_publication_date:…,is_oa:true&per_page=…&select=…`, with a
//! bearer token or without, answers
//! `{"meta":{"count":n},"results":[{"id","doi","display_name","publication_date","authorships":[…],"primary_location":{…},
//! "best_oa_location":{…},"open_access":{…},"cited_by_count","abstract_inverted_index":{"word":[places]}}]}`.
//! The abstract is rebuilt from its index. A work of which only the year is known is dated the
//! first of January, so such a date is told as the year. Errors are `{"error","message"}` in words;
//! the statuses decide: 400 a bad filter, 401 the key, 403 too fast, 429 the allowance of the day,
//! with `Retry-After` and `X-RateLimit-Reset` in seconds. Tested against the lab.

use std::collections::HashMap;

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{Key, Meaning, Offer, Pace, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter, Filters};
use crate::search::terms::phrase;
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct OpenAlex;

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Keyless,
    offers: &[Offer {
        capability: Capability::Academic,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::Language,
            Filter::OpenAccess,
            Filter::Author,
        ],
        max_results: 100,
    }],
    base: Some("https://api.openalex.org"),
    key: Key::Optional,
    pace: Some(Pace::per_second(10)),
    about: "OpenAlex's catalogue of papers; a free key raises the daily allowance.",
    docs: "https://developers.openalex.org/api-reference/errors",
    errors: &[
        Meaning::status(402, Case::QuotaExhausted),
        Meaning::status(403, Case::Http429),
    ],
    ..provider!("openalex", "OpenAlex")
};

const FIELDS: &str = "id,doi,display_name,publication_date,publication_year,authorships,primary_location,best_oa_location,open_access,\
                      cited_by_count,abstract_inverted_index";

impl Provider for OpenAlex {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let request = api
                .get("/works")
                .query("search", &ask.text)
                .query("per_page", ask.count)
                .query("select", FIELDS);
            let request = request.maybe("filter", filter(&ask.filters));
            let answer: Answer = request.bearer().json(call).await?;
            let hits = answer
                .results
                .into_iter()
                .filter_map(Work::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer.meta.count,
                ..Hits::default()
            })
        })
    }
}

fn filter(filters: &Filters) -> Option<String> {
    let parts = [
        filters
            .since()
            .map(|day| format!("from_publication_date:{day}")),
        filters.to.map(|day| format!("to_publication_date:{day}")),
        filters
            .language
            .as_ref()
            .map(|language| format!("language:{language}")),
        filters.open_access.then(|| "is_oa:true".to_owned()),
        // A comma or a colon in a name would begin another filter.
        filters
            .author
            .as_ref()
            .map(|name| format!("raw_author_name.search:{}", phrase(name))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(","))
}

#[derive(Deserialize)]
struct Answer {
    meta: Meta,
    results: Vec<Work>,
}

#[derive(Deserialize)]
struct Meta {
    count: Option<u64>,
}

#[derive(Deserialize)]
struct Work {
    id: String,
    doi: Option<String>,
    display_name: Option<String>,
    publication_date: Option<String>,
    publication_year: Option<i32>,
    authorships: Option<Vec<Authorship>>,
    primary_location: Option<Location>,
    best_oa_location: Option<Location>,
    open_access: Option<OpenAccess>,
    cited_by_count: Option<u64>,
    abstract_inverted_index: Option<HashMap<String, Vec<usize>>>,
}

#[derive(Deserialize)]
struct Authorship {
    author: Option<Named>,
    raw_author_name: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    display_name: Option<String>,
}

#[derive(Deserialize)]
struct Location {
    landing_page_url: Option<String>,
    pdf_url: Option<String>,
    source: Option<Named>,
}

#[derive(Deserialize)]
struct OpenAccess {
    is_oa: Option<bool>,
}

impl Work {
    fn into_hit(self) -> Option<Hit> {
        let (primary, best) = (
            self.primary_location.as_ref(),
            self.best_oa_location.as_ref(),
        );
        let page = self
            .doi
            .as_ref()
            .or(primary.and_then(|place| place.landing_page_url.as_ref()))
            .unwrap_or(&self.id);
        let venue = primary.and_then(|place| place.source.as_ref()?.display_name.clone());
        let pdf = [best, primary]
            .into_iter()
            .flatten()
            .find_map(|place| place.pdf_url.clone());
        let name = |by: Authorship| {
            by.author
                .and_then(|author| author.display_name)
                .or(by.raw_author_name)
        };
        let hit = Hit::new(self.display_name.as_deref().unwrap_or_default(), page)?
            .snippet(
                &self
                    .abstract_inverted_index
                    .as_ref()
                    .map(rebuilt)
                    .unwrap_or_default(),
            )
            .dated(date(
                self.publication_date.as_deref(),
                self.publication_year,
            ))
            .source(venue.as_deref());
        Some(
            hit.paper(Paper {
                authors: self
                    .authorships
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(name)
                    .collect(),
                doi: self.doi,
                venue,
                citations: self.cited_by_count,
                pdf,
                open_access: self.open_access.and_then(|access| access.is_oa),
                id: self.id.rsplit('/').next().map(str::to_owned),
            }),
        )
    }
}

fn date(written: Option<&str>, year: Option<i32>) -> Option<Date> {
    let date = written.and_then(Date::parse);
    match date {
        Some(day) if day.to_string().ends_with("-01-01") => Date::year_of(day.year()),
        Some(day) => Some(day),
        None => year.and_then(Date::year_of),
    }
}

/// No abstract is longer; an index that claims more is not rebuilt beyond it.
const MOST_WORDS: usize = 5_000;

/// The abstract from the places of its words.
fn rebuilt(index: &HashMap<String, Vec<usize>>) -> String {
    let mut words: Vec<(usize, &str)> = index
        .iter()
        .flat_map(|(word, places)| places.iter().map(move |place| (*place, word.as_str())))
        .take(MOST_WORDS)
        .collect();
    words.sort_unstable();
    words
        .iter()
        .map(|(_, word)| *word)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abstract_is_rebuilt_from_its_index() {
        let index = HashMap::from([
            ("again".to_owned(), vec![3]),
            ("and".to_owned(), vec![2]),
            ("we".to_owned(), vec![0]),
            ("try".to_owned(), vec![1]),
        ]);
        assert_eq!(rebuilt(&index), "we try and again");
    }

    #[test]
    fn a_first_of_january_is_only_a_year() {
        let read = |written, year| date(written, year).map(|date| date.to_string());
        assert_eq!(
            read(Some("2024-01-01"), Some(2024)).as_deref(),
            Some("2024")
        );
        assert_eq!(
            read(Some("2024-06-03"), None).as_deref(),
            Some("2024-06-03")
        );
        assert_eq!(read(None, Some(2023)).as_deref(), Some("2023"));
        assert_eq!(read(Some("soon"), None), None);
    }

    #[test]
    fn filters_become_one_parameter_and_names_no_further_filter() {
        let filters = Filters {
            from: Date::of(2024, 1, 2),
            open_access: true,
            author: Some("Curie, M.:is_oa".to_owned()),
            ..Filters::default()
        };
        assert_eq!(
            filter(&filters).as_deref(),
            Some(
                "from_publication_date:2024-01-02,is_oa:true,raw_author_name.search:Curie M is_oa"
            )
        );
        assert_eq!(filter(&Filters::default()), None);
    }
}

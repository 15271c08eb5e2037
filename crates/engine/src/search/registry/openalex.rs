//! OpenAlex: an open catalogue of papers, with or without a key.
//!
//! `GET /works?search=…&filter=from_publication_date:…,is_oa:true&per_page=…&select=…`, with a
//! bearer token or without, returns
//! `{"meta":{"count":n},"results":[{"id","doi","display_name","publication_date","authorships":[…],
//! "primary_location":{…},"best_oa_location":{…},"open_access":{…},"cited_by_count",
//! "abstract_inverted_index":{"word":[places]}}]}`. The abstract is rebuilt from its index. A work
//! of which only the year is known is dated the first of January, so such a date is reported as the
//! year. `search` takes no wildcards: a `?`, `*` or `|`, and a word that begins with `!`, is refused
//! with 400, so a question is sent without its marks. Errors are `{"error","message"}` without
//! codes, so the status decides: 400 a bad filter, 401 the key, 403 too many requests, 429 the daily
//! allowance, 503 load (callers without a key are shed first). Every reply has the allowance in
//! headers: `x-ratelimit-remaining-usd: 0.0997`, `x-ratelimit-reset: 11987` (seconds); without a key
//! it is $0.10 a day, and one search costs $0.001.
//!
//! Confirmed: what `search` refuses and the form of errors in the service's source
//! (ourresearch/openalex-elastic-api at 5a6505c, 2026-08-07); headers in a reply recorded on
//! 2026-09-01; prices at developers.openalex.org, 2026-11-16. Tested against the lab.

use std::collections::HashMap;

use fault::{Case, Say};
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits, Paper};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SearchQuery};
use crate::search::terms::phrase;
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct OpenAlex;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
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
    key: KeyRequirement::Optional,
    pace: Some(Pace::per_second(10)),
    about: "OpenAlex's catalogue of papers; 100 searches a day, with a free key 1000.",
    docs: "https://developers.openalex.org/api-reference/errors",
    errors: &[
        ErrorMeaning::status(402, Case::QuotaExhausted),
        ErrorMeaning::status(403, Case::Http429),
    ],
    remark,
    ..provider!("openalex", "OpenAlex")
};

const FIELDS: &str = "id,doi,display_name,publication_date,publication_year,authorships,primary_location,best_oa_location,open_access,\
                      cited_by_count,abstract_inverted_index";

impl Provider for OpenAlex {
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
            let Some(text) = without_operators(&query.text) else {
                return Ok(Hits::default());
            };
            let request = api
                .get("/works")
                .identified()
                .mail_query("mailto")
                .query("search", text)
                .query("per_page", query.count)
                .query("select", FIELDS);
            let request = request.maybe("filter", filter(&query.filters));
            let answer: OpenAlexReply = request.bearer().json(call).await?;
            let hits = answer
                .results
                .into_iter()
                .filter_map(OpenAlexWork::into_hit)
                .collect();
            Ok(Hits {
                hits,
                total: answer.meta.count,
                ..Hits::default()
            })
        })
    }
}

/// The price of one search in dollars.
const PRICE: f64 = 0.001;

/// Whether the day's allowance does not cover another search.
fn remark(answer: &net::Response) -> Option<Say> {
    let left: f64 = answer.header("x-ratelimit-remaining-usd")?.parse().ok()?;
    (answer.status == 429 && left < PRICE).then(|| Say::new("the allowance of the day is used up"))
}

/// The query without what OpenAlex takes for operators and refuses; `None` when it has no word.
fn without_operators(text: &str) -> Option<String> {
    let is_operator = |c: char| matches!(c, '?' | '*' | '|' | '!' | '~' | '\\');
    let mut words = text.replace(is_operator, " ");
    // A single quotation mark would make a phrase of the rest.
    if words.matches('"').count() % 2 == 1 {
        words = words.replace('"', " ");
    }
    let words: Vec<&str> = words.split_whitespace().collect();
    let has_word = words
        .iter()
        .any(|word| word.contains(char::is_alphanumeric));
    has_word.then(|| words.join(" "))
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
        // A comma or a colon in a name would start another filter.
        filters
            .author
            .as_ref()
            .map(|name| format!("raw_author_name.search:{}", phrase(name))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(","))
}

#[derive(Deserialize)]
struct OpenAlexReply {
    #[serde(default)]
    meta: OpenAlexMeta,
    results: Results<OpenAlexWork>,
}

#[derive(Deserialize, Default)]
struct OpenAlexMeta {
    count: Option<u64>,
}

#[derive(Deserialize)]
struct OpenAlexWork {
    id: String,
    doi: Option<String>,
    display_name: Option<String>,
    publication_date: Option<String>,
    publication_year: Option<i32>,
    authorships: Option<Vec<OpenAlexAuthorship>>,
    primary_location: Option<OpenAlexLocation>,
    best_oa_location: Option<OpenAlexLocation>,
    open_access: Option<OpenAlexAccess>,
    cited_by_count: Option<u64>,
    abstract_inverted_index: Option<HashMap<String, Vec<usize>>>,
}

#[derive(Deserialize)]
struct OpenAlexAuthorship {
    author: Option<OpenAlexName>,
    raw_author_name: Option<String>,
}

#[derive(Deserialize)]
struct OpenAlexName {
    display_name: Option<String>,
}

#[derive(Deserialize)]
struct OpenAlexLocation {
    landing_page_url: Option<String>,
    pdf_url: Option<String>,
    source: Option<OpenAlexName>,
}

#[derive(Deserialize)]
struct OpenAlexAccess {
    is_oa: Option<bool>,
}

impl OpenAlexWork {
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
        let name = |by: OpenAlexAuthorship| {
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
                arxiv: None,
            }),
        )
    }
}

fn date(written: Option<&str>, year: Option<i32>) -> Option<Date> {
    let date = written.and_then(Date::parse);
    match date {
        Some(day) if (day.month(), day.day()) == (Some(1), Some(1)) => Date::from_year(day.year()),
        Some(day) => Some(day),
        None => year.and_then(Date::from_year),
    }
}

/// The most words of an abstract that are rebuilt.
const MOST_WORDS: usize = 5_000;

/// The abstract, from an index of the positions of each word.
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
    fn a_question_is_sent_without_its_marks() {
        let sent = |text| without_operators(text);
        assert_eq!(
            sent("What is a heat pump? (!really) c* a|b").as_deref(),
            Some("What is a heat pump ( really) c a b")
        );
        assert_eq!(
            sent("\"heat pump\" \"old").as_deref(),
            Some("heat pump old")
        );
        assert_eq!(
            sent("\"heat pump\" old").as_deref(),
            Some("\"heat pump\" old")
        );
        assert_eq!(sent("?! *"), None);
    }

    #[test]
    fn the_first_of_january_counts_as_the_year() {
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
    fn filters_become_one_parameter_and_a_name_adds_no_filter() {
        let filters = Filters {
            from: Date::from_ymd(2024, 1, 2),
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

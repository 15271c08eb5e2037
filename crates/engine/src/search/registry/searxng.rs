//! SearXNG, a metasearch that the operator runs.
//!
//! `GET /search?q=…&format=json&categories=general` answers
//! `{"results":[{"title","url","content","publishedDate","engines"}],
//! "suggestions":[…],"unresponsive_engines":[["google","timeout"]]}`; how many come is the
//! instance's choice. `time_range` takes day, week, month, year; `safesearch` 0 to 2. A fresh
//! instance has JSON turned off and answers 403, some answer the page for people: both are told
//! with the line of settings that helps. An empty answer from which every engine is missing is
//! trouble and not "nothing found". Operators for sites reach only engines that know them, so
//! results are also held against the filter here. Tested against the lab.

use fault::{Case, Fault, Say};
use http::header;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::call::Call;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Meaning, Offer, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter, Filters, Safe};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct Searxng;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Sites,
    Filter::Excluded,
    Filter::Language,
    Filter::Safe,
];

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::SelfHosted,
    offers: &[
        Offer {
            capability: Capability::Web,
            filters: FILTERS,
            max_results: 20,
        },
        Offer {
            capability: Capability::News,
            filters: FILTERS,
            max_results: 20,
        },
    ],
    about: "A SearXNG of your own.",
    docs: "https://docs.searxng.org/dev/search_api.html",
    errors: &[Meaning::status(403, Case::BadSetting)],
    ..provider!("searxng", "SearXNG")
};

/// The most common trouble with SearXNG, and its cure.
const JSON_IS_OFF: Say = Say::new(
    "SearXNG answers, but its JSON output is turned off. Ask the user to add `json` to `search.formats` in the instance's settings.yml and to restart it. Do not retry before.",
);

impl Provider for Searxng {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let category = if ask.capability == Capability::News {
                "news"
            } else {
                "general"
            };
            let request = api
                .get("/search")
                .query("q", ask.text_with_sites())
                .query("format", "json")
                .query("categories", category);
            let request = request
                .maybe("language", ask.filters.language.as_deref())
                .maybe("time_range", ask.filters.range.map(|range| range.as_str()))
                .maybe("safesearch", ask.filters.safe.map(level));
            let answer = request
                .header(header::ACCEPT, "application/json")
                .send(call)
                .await
                .map_err(explained)?;
            if answer.content_type().as_deref() == Some("text/html") {
                return Err(explained(api.fault(Case::BadSetting).status(answer.status)));
            }
            let answer: Answer =
                serde_json::from_slice(&answer.body).map_err(|_| api.bad_shape(&answer.body))?;
            answer.into_hits(api, &ask.filters)
        })
    }
}

fn explained(fault: Fault) -> Fault {
    if fault.case() == Case::BadSetting {
        fault.saying(JSON_IS_OFF)
    } else {
        fault
    }
}

fn level(safe: Safe) -> u8 {
    match safe {
        Safe::Off => 0,
        Safe::Moderate => 1,
        Safe::Strict => 2,
    }
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Found>,
    #[serde(default)]
    suggestions: Vec<String>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    content: Option<String>,
    published_date: Option<String>,
}

impl Answer {
    fn into_hits(self, api: &Api, filters: &Filters) -> fault::Result<Hits> {
        let some_failed = !self.unresponsive_engines.is_empty();
        if self.results.is_empty() && some_failed {
            return Err(api
                .fault(Case::Overloaded)
                .detail(Say::new("none of its search engines answered")));
        }
        let hit = |found: Found| {
            let hit = Hit::new(&found.title, &found.url)?
                .snippet(found.content.as_deref().unwrap_or_default());
            Some(hit.published(found.published_date.as_deref()))
                .filter(|hit| admits(filters, &hit.url))
        };
        let degraded = if some_failed {
            vec![Say::new(
                "Some search engines behind SearXNG did not answer.",
            )]
        } else {
            Vec::new()
        };
        let hits = self.results.into_iter().filter_map(hit).collect();
        Ok(Hits {
            hits,
            degraded,
            suggestion: self.suggestions.into_iter().next(),
            ..Hits::default()
        })
    }
}

/// Whether a result is on a wanted host and on no unwanted one.
fn admits(filters: &Filters, url: &str) -> bool {
    let Some(host) = Url::parse(url)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
    else {
        return false;
    };
    let on = |site: &String| {
        host == *site
            || host
                .strip_suffix(site.as_str())
                .is_some_and(|rest| rest.ends_with('.'))
    };
    (filters.sites.is_empty() || filters.sites.iter().any(on)) && !filters.excluded.iter().any(on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_held_against_the_filter() {
        let filters = Filters {
            sites: vec!["a.example".to_owned()],
            excluded: vec!["b.a.example".to_owned()],
            ..Filters::default()
        };
        for (url, wanted) in [
            ("https://a.example/x", true),
            ("https://c.a.example/x", true),
            ("https://b.a.example/x", false),
            ("https://nota.example/", false),
            ("https://other.example/a.example", false),
        ] {
            assert_eq!(admits(&filters, url), wanted, "{url}");
        }
        assert!(admits(&Filters::default(), "https://any.example/"));
    }
}

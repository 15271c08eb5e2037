//! Tavily: search made for agents, with news.
//!
//! `POST /search` of
//! `{"query","max_results","topic","time_range","start_date","end_date","include_domains","exclude_domains"}`
//! with the key as a bearer token answers
//! `{"results":[{"title","url","content","published_date"}]}`; only news are dated. Errors are
//! `{"detail":{"error":"…"}}` and differ by status alone: 401 a wrong key, 429 too many, 432 the
//! plan's limit, 433 the pay-as-you-go limit. Tested against the lab.

use fault::Case;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Key, Meaning, Offer, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct Tavily;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Dates,
    Filter::Sites,
    Filter::Excluded,
];

const SPEC: ProviderSpec = ProviderSpec {
    tier: Tier::Commercial,
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
    base: Some("https://api.tavily.com"),
    key: Key::Needed,
    about: "Tavily's search for agents, with news.",
    docs: "https://docs.tavily.com/documentation/api-reference/endpoint/search",
    errors: &[
        Meaning::status(432, Case::QuotaExhausted),
        Meaning::status(433, Case::QuotaExhausted),
    ],
    ..provider!("tavily", "Tavily")
};

impl Provider for Tavily {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let answer: Answer = api
                .post_json("/search", &body(ask))
                .bearer()
                .json(call)
                .await?;
            Ok(answer.into_hits())
        })
    }
}

fn body(ask: &Ask) -> Value {
    let topic = if ask.capability == Capability::News {
        "news"
    } else {
        "general"
    };
    let mut body = json!({"query": ask.text, "topic": topic, "max_results": ask.count.min(20)});
    let filters = &ask.filters;
    let fields = [
        (
            "time_range",
            filters.range.map(|range| json!(range.as_str())),
        ),
        ("start_date", filters.from.map(|day| json!(day.to_string()))),
        ("end_date", filters.to.map(|day| json!(day.to_string()))),
        (
            "include_domains",
            Some(json!(filters.sites)).filter(|_| !filters.sites.is_empty()),
        ),
        (
            "exclude_domains",
            Some(json!(filters.excluded)).filter(|_| !filters.excluded.is_empty()),
        ),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    body
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    title: String,
    url: String,
    #[serde(default)]
    content: String,
    published_date: Option<String>,
}

impl Answer {
    fn into_hits(self) -> Hits {
        let hit = |found: Found| {
            Some(
                Hit::new(&found.title, &found.url)?
                    .snippet(&found.content)
                    .published(found.published_date.as_deref()),
            )
        };
        Hits::of(self.results.into_iter().filter_map(hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Date;

    #[test]
    fn filters_become_fields() {
        let mut ask = Ask::new("x", Capability::News);
        ask.count = 50;
        ask.filters.to = Date::of(2026, 3, 4);
        ask.filters.sites = vec!["a.example".to_owned()];
        let wanted = json!({"query": "x", "topic": "news", "max_results": 20, "end_date": "2026-03-04", "include_domains": ["a.example"]});
        assert_eq!(body(&ask), wanted);
    }
}

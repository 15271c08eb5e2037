//! Tavily: web and news search for agents.
//!
//! `POST /search` of
//! `{"query","max_results","topic","time_range","start_date","end_date","include_domains",
//! "exclude_domains"}` with the key as a bearer token returns
//! `{"results":[{"title","url","content","published_date"}]}`; only news have dates. Errors are
//! `{"detail":{"error":"…"}}` and differ only in their status: 401 a wrong key, 429 too many, 432
//! the plan's limit, 433 the pay-as-you-go limit. Tested against the lab.

use fault::Case;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, SearchQuery};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Tavily;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Dates,
    Filter::Sites,
    Filter::Excluded,
];

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
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
    key: KeyRequirement::Needed,
    about: "Tavily's search for agents, with news.",
    docs: "https://docs.tavily.com/documentation/api-reference/endpoint/search",
    errors: &[
        ErrorMeaning::status(432, Case::QuotaExhausted),
        ErrorMeaning::status(433, Case::QuotaExhausted),
    ],
    ..provider!("tavily", "Tavily")
};

impl Provider for Tavily {
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
            let answer: TavilyReply = api
                .post_json("/search", &body(query))
                .bearer()
                .json(call)
                .await?;
            Ok(answer.into_hits())
        })
    }
}

fn body(query: &SearchQuery) -> Value {
    let topic = if query.capability == Capability::News {
        "news"
    } else {
        "general"
    };
    let mut body = json!({"query": query.text, "topic": topic, "max_results": query.count.min(20)});
    let filters = &query.filters;
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
struct TavilyReply {
    results: Results<TavilyResult>,
}

#[derive(Deserialize)]
struct TavilyResult {
    #[serde(default)]
    title: String,
    url: String,
    #[serde(default)]
    content: String,
    published_date: Option<String>,
}

impl TavilyReply {
    fn into_hits(self) -> Hits {
        let hit = |found: TavilyResult| {
            Some(
                Hit::new(&found.title, &found.url)?
                    .snippet(&found.content)
                    .published(found.published_date.as_deref()),
            )
        };
        Hits::from_hits(self.results.into_iter().filter_map(hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Date;

    #[test]
    fn filters_become_fields() {
        let mut query = SearchQuery::new("x", Capability::News);
        query.count = 50;
        query.filters.to = Date::from_ymd(2026, 3, 4);
        query.filters.sites = vec!["a.example".to_owned()];
        let wanted = json!({"query": "x", "topic": "news", "max_results": 20, "end_date": "2026-03-04", "include_domains": ["a.example"]});
        assert_eq!(body(&query), wanted);
    }
}

//! Google's results and news through Serper.
//!
//! `POST /search` and `/news` of `{"q","num","gl","hl","tbs"}` with the key in `X-API-KEY` return
//! `{"searchParameters":{…}, "organic":[{"title","link","snippet","date"}]}` and `"news":[…
//! "source"]`. `tbs` takes `qdr:w` and the like or a range of days in American order. Errors are
//! `{"message","statusCode"}`, and there are no other codes: 403 is a wrong key, 400 with exactly
//! `Not enough credits` an empty account, any other 400 a bad request. That message is compared as
//! a whole, like a code; it is constant and never contains the query.
//!
//! Serper publishes no reference. Seen 2026-11-16: web results in recorded replies that public
//! clients keep, 403 `Unauthorized.` in crewAIInc/crewAI#633 (2024-05-17) and MiroMindAI/MiroFlow#7
//! (2025-08-12), 400 `Not enough credits` in several public notes (2026-08-12, 2026-09-03). Not
//! seen: news (issue 12 reports that recorded ones were replayed), `tbs`, a reply to too many
//! requests. Tested against the lab.

use fault::Case;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SearchQuery, TimeRange};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Serper;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Dates,
    Filter::Sites,
    Filter::Excluded,
    Filter::Language,
    Filter::Country,
];

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Commercial,
    offers: &[
        Offer {
            capability: Capability::Web,
            filters: FILTERS,
            max_results: 100,
        },
        Offer {
            capability: Capability::News,
            filters: FILTERS,
            max_results: 100,
        },
    ],
    base: Some("https://google.serper.dev"),
    key: KeyRequirement::Needed,
    about: "Google's results and news through Serper.",
    docs: "https://serper.dev/playground",
    codes_at: &["/message"],
    errors: &[
        ErrorMeaning::code(400, "Not enough credits", Case::QuotaExhausted),
        ErrorMeaning::status(403, Case::BadKey),
    ],
    ..provider!("serper", "Serper")
};

impl Provider for Serper {
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
            let path = if query.capability == Capability::News {
                "/news"
            } else {
                "/search"
            };
            let request = api
                .post_json(path, &body(query))
                .secret_header("x-api-key", api.key());
            let answer: SerperReply = request.json(call).await?;
            answer.into_hits(api)
        })
    }
}

fn body(query: &SearchQuery) -> Value {
    let mut body = json!({"q": query.text_with_sites(), "num": query.count.min(100)});
    let Filters {
        language, country, ..
    } = &query.filters;
    for (name, value) in [
        ("hl", language.clone()),
        ("gl", country.clone()),
        ("tbs", period(&query.filters)),
    ] {
        if let Some(value) = value {
            body[name] = json!(value);
        }
    }
    body
}

fn period(filters: &Filters) -> Option<String> {
    let range = filters.range.map(|range| match range {
        TimeRange::Day => "qdr:d",
        TimeRange::Week => "qdr:w",
        TimeRange::Month => "qdr:m",
        TimeRange::Year => "qdr:y",
    });
    let bound = |name: &str, day: Option<Date>| {
        day.map(|day| format!(",{name}:{}", day.american('/')))
            .unwrap_or_default()
    };
    let days = (filters.from.is_some() || filters.to.is_some()).then(|| {
        format!(
            "cdr:1{}{}",
            bound("cd_min", filters.from),
            bound("cd_max", filters.to)
        )
    });
    range.map(str::to_owned).or(days)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SerperReply {
    search_parameters: Option<Value>,
    organic: Option<Results<SerperResult>>,
    news: Option<Results<SerperResult>>,
}

#[derive(Deserialize)]
struct SerperResult {
    #[serde(default)]
    title: String,
    link: String,
    #[serde(default)]
    snippet: String,
    date: Option<String>,
    source: Option<String>,
}

impl SerperReply {
    fn into_hits(self, api: &Api) -> fault::Result<Hits> {
        // A reply without results has at least what was asked.
        if self.search_parameters.is_none() && self.organic.is_none() && self.news.is_none() {
            return Err(api.bad_shape(b"neither parameters nor results"));
        }
        let found = self.organic.into_iter().chain(self.news).flatten();
        let hit = |found: SerperResult| {
            let hit = Hit::new(&found.title, &found.link)?.snippet(&found.snippet);
            Some(
                hit.published(found.date.as_deref())
                    .source(found.source.as_deref()),
            )
        };
        Ok(Hits::from_hits(found.filter_map(hit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_become_fields() {
        let mut query = SearchQuery::new("x", Capability::Web);
        query.filters.from = Date::from_ymd(2026, 1, 2);
        query.filters.country = Some("de".to_owned());
        assert_eq!(
            body(&query),
            json!({"q": "x", "num": 10, "gl": "de", "tbs": "cdr:1,cd_min:01/02/2026"})
        );
        query.filters = Filters {
            range: Some(TimeRange::Week),
            ..Filters::default()
        };
        assert_eq!(body(&query)["tbs"], "qdr:w");
    }
}

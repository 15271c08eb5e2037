//! Google's results and news through Serper.
//!
//! `POST /search` and `/news` of `{"q","num","gl","hl","tbs"}` with the key in `X-API-KEY` answer
//! `{"searchParameters":{…}, "organic":[{"title","link","snippet","date"}]}` and `"news":[…
//! "source"]`. `tbs` takes `qdr:w` and the like or a range of days in American order. Errors are
//! `{"message","statusCode"}`, and there is no other code: 403 is a wrong key, 400 with exactly
//! `Not enough credits` an empty account, any other 400 a bad request. That message is compared
//! whole, like a code; it is Serper's own constant and holds nothing of the query. Tested against
//! the lab.

use fault::Case;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Key, Meaning, Offer, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter, Filters, TimeRange};
use crate::upstream::Answering;

/// The provider.
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
    tier: Tier::Commercial,
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
    key: Key::Needed,
    about: "Google's results and news through Serper.",
    docs: "https://serper.dev/playground",
    codes_at: &["/message"],
    errors: &[
        Meaning::code(400, "Not enough credits", Case::QuotaExhausted),
        Meaning::status(403, Case::BadKey),
    ],
    ..provider!("serper", "Serper")
};

impl Provider for Serper {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let path = if ask.capability == Capability::News {
                "/news"
            } else {
                "/search"
            };
            let request = api
                .post_json(path, &body(ask))
                .secret_header("x-api-key", api.key());
            let answer: Answer = request.json(call).await?;
            Ok(answer.into_hits())
        })
    }
}

fn body(ask: &Ask) -> Value {
    let mut body = json!({"q": ask.text_with_sites(), "num": ask.count.min(100)});
    let Filters {
        language, country, ..
    } = &ask.filters;
    for (name, value) in [
        ("hl", language.clone()),
        ("gl", country.clone()),
        ("tbs", period(&ask.filters)),
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
struct Answer {
    /// Always there: an answer without it is not one of Serper's.
    #[serde(rename = "searchParameters")]
    _parameters: Value,
    #[serde(default)]
    organic: Vec<Found>,
    #[serde(default)]
    news: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    title: String,
    link: String,
    #[serde(default)]
    snippet: String,
    date: Option<String>,
    source: Option<String>,
}

impl Answer {
    fn into_hits(self) -> Hits {
        let hit = |found: Found| {
            let hit = Hit::new(&found.title, &found.link)?.snippet(&found.snippet);
            Some(
                hit.published(found.date.as_deref())
                    .source(found.source.as_deref()),
            )
        };
        Hits::of(self.organic.into_iter().chain(self.news).filter_map(hit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_become_fields() {
        let mut ask = Ask::new("x", Capability::Web);
        ask.filters.from = Date::of(2026, 1, 2);
        ask.filters.country = Some("de".to_owned());
        assert_eq!(
            body(&ask),
            json!({"q": "x", "num": 10, "gl": "de", "tbs": "cdr:1,cd_min:01/02/2026"})
        );
        ask.filters = Filters {
            range: Some(TimeRange::Week),
            ..Filters::default()
        };
        assert_eq!(body(&ask)["tbs"], "qdr:w");
    }
}

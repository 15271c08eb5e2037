//! Brave's own index of the web and of news.
//!
//! `GET /web/search?q=…&count=…` (at most 20) answers
//! `{"query":{…},"web":{"results":[{"title","url","description","page_age"}]}}`, without `web` when
//! nothing is found; `GET /news/search` (at most 50) has `results` at the top. The key goes in
//! `X-Subscription-Token`. `freshness` takes pd, pw, pm, py or `2026-01-01to2026-02-01`; `site:`
//! and `-site:` are operators. Errors are `{"error":{"code","status",…}}`: 422
//! `SUBSCRIPTION_TOKEN_INVALID` is a wrong key, 429 `QUOTA_LIMITED` a used-up plan, 429
//! `RATE_LIMITED` one that is in a hurry; when to come back is in `X-RateLimit-Reset`, one number
//! per window. Tested against the lab.

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Key, Meaning, Offer, Provider, ProviderSpec, Tier, provider};
use crate::search::query::{Ask, Capability, Filter, Filters, TimeRange};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct Brave;

const FILTERS: &[Filter] = &[
    Filter::TimeRange,
    Filter::Dates,
    Filter::Sites,
    Filter::Excluded,
    Filter::Language,
    Filter::Country,
    Filter::Safe,
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
            max_results: 50,
        },
    ],
    base: Some("https://api.search.brave.com/res/v1"),
    key: Key::Needed,
    about: "Brave's index of the web and of news.",
    docs: "https://api-dashboard.search.brave.com/app/documentation/web-search/get-started",
    // Its documentation shows both forms; what it sends is the first.
    codes_at: &["/error/code", "/errors/0/code"],
    errors: &[
        Meaning::code(422, "SUBSCRIPTION_TOKEN_INVALID", Case::BadKey),
        Meaning::code(404, "SUBSCRIPTION_NOT_FOUND", Case::Forbidden),
        Meaning::code(400, "OPTION_NOT_IN_PLAN", Case::Forbidden),
        Meaning::code(429, "QUOTA_LIMITED", Case::QuotaExhausted),
        Meaning::status(402, Case::QuotaExhausted),
    ],
    ..provider!("brave", "Brave Search")
};

impl Provider for Brave {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let is_news = ask.capability == Capability::News;
            let (path, most) = if is_news {
                ("/news/search", 50)
            } else {
                ("/web/search", 20)
            };
            let request = api
                .get(path)
                .secret_header("x-subscription-token", api.key())
                .query("q", ask.text_with_sites());
            let answer: Answer = request
                .query("count", ask.count.min(most))
                .maybe("freshness", freshness(&ask.filters))
                .maybe(
                    "country",
                    ask.filters.country.as_deref().map(str::to_ascii_uppercase),
                )
                .maybe("search_lang", ask.filters.language.as_deref().map(language))
                .maybe("safesearch", ask.filters.safe.map(|safe| safe.as_str()))
                .json(call)
                .await?;
            Ok(answer.into_hits())
        })
    }
}

fn freshness(filters: &Filters) -> Option<String> {
    let range = filters.range.map(|range| match range {
        TimeRange::Day => "pd",
        TimeRange::Week => "pw",
        TimeRange::Month => "pm",
        TimeRange::Year => "py",
    });
    let whole = |day: Option<Date>, or: Date| day.unwrap_or(or).to_string();
    let dates = || {
        let first = Date::of(1970, 1, 1)?;
        (filters.from.is_some() || filters.to.is_some()).then(|| {
            format!(
                "{}to{}",
                whole(filters.from, first),
                whole(filters.to, Date::today())
            )
        })
    };
    range.map(str::to_owned).or_else(dates)
}

/// Its codes are those of ISO 639-1 but for a few.
fn language(code: &str) -> &str {
    match code {
        "ja" => "jp",
        "zh" => "zh-hans",
        "pt" => "pt-pt",
        "no" => "nb",
        other => other,
    }
}

#[derive(Deserialize)]
struct Answer {
    query: Query,
    web: Option<Web>,
    #[serde(default)]
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Query {
    /// Always there: an answer without it is not one of Brave's.
    #[serde(rename = "original")]
    _original: String,
    altered: Option<String>,
}

#[derive(Deserialize)]
struct Web {
    results: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    title: String,
    url: String,
    #[serde(default)]
    description: String,
    page_age: Option<String>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    name: Option<String>,
}

impl Answer {
    fn into_hits(self) -> Hits {
        let hit = |found: Found| {
            let source = found.profile.and_then(|profile| profile.name);
            let hit = Hit::new(&found.title, &found.url)?.snippet(&found.description);
            Some(
                hit.published(found.page_age.as_deref())
                    .source(source.as_deref()),
            )
        };
        let found = self.web.map_or(self.results, |web| web.results);
        Hits {
            hits: found.into_iter().filter_map(hit).collect(),
            suggestion: self.query.altered,
            ..Hits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_days_become_freshness() {
        let mut filters = Filters {
            range: Some(TimeRange::Month),
            ..Filters::default()
        };
        assert_eq!(freshness(&filters).as_deref(), Some("pm"));
        filters = Filters {
            from: Date::of(2026, 1, 2),
            to: Date::of(2026, 3, 4),
            ..Filters::default()
        };
        assert_eq!(
            freshness(&filters).as_deref(),
            Some("2026-01-02to2026-03-04")
        );
        assert_eq!(freshness(&Filters::default()), None);
    }
}

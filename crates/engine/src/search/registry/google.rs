//! Google through its Custom Search JSON API.
//!
//! `GET /customsearch/v1?key=…&cx=…&q=…&num=…` (at most 10) answers
//! `{"searchInformation":{"totalResults":"12"},"items":[{"title",
//! "link","snippet","displayLink","pagemap":{"metatags":[{…}]}}]}`, without `items` when nothing is
//! found. `dateRestrict` takes d1, w1, m1, y1, `sort=date:r:20260101:20260201` a range of days.
//! There is no search of news of its own: news are results by date. Errors are
//! `{"error":{"code","errors":[{"reason"}],"details":[{"reason","metadata":{"quota_limit"}}]}}`: a
//! wrong key is a 400 with the detail `API_KEY_INVALID`; the limits of a minute and of a day are
//! both 429 and differ in `quota_limit`. Tested against the lab.

use fault::Case;
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::Api;
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{Key, Meaning, Offer, Provider, ProviderSpec, Tier, extra, provider};
use crate::search::query::{Ask, Capability, Filter, Filters, Safe, TimeRange};
use crate::upstream::Answering;

/// The provider.
#[derive(Debug)]
pub(super) struct Google;

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
            max_results: 10,
        },
        Offer {
            capability: Capability::News,
            filters: FILTERS,
            max_results: 10,
        },
    ],
    base: Some("https://customsearch.googleapis.com"),
    key: Key::Needed,
    extras: &[extra!(
        "google",
        "cx",
        "The id of the Programmable Search Engine to ask.",
        "017576662512468239146:omuauf_lfve"
    )],
    about: "Google's index through the Custom Search JSON API.",
    docs: "https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list",
    codes_at: &[
        "/error/details/0/metadata/quota_limit",
        "/error/details/0/reason",
        "/error/errors/0/reason",
    ],
    errors: &[
        Meaning::code(400, "API_KEY_INVALID", Case::BadKey),
        Meaning::code(400, "keyInvalid", Case::BadKey),
        Meaning::code(400, "keyExpired", Case::BadKey),
        Meaning::code(429, "DefaultPerDayPerProject", Case::QuotaExhausted),
        Meaning::code(429, "dailyLimitExceeded", Case::QuotaExhausted),
        Meaning::code(403, "dailyLimitExceeded", Case::QuotaExhausted),
        Meaning::code(403, "quotaExceeded", Case::QuotaExhausted),
        Meaning::code(403, "rateLimitExceeded", Case::Http429),
        Meaning::code(403, "userRateLimitExceeded", Case::Http429),
    ],
    ..provider!("google", "Google")
};

impl Provider for Google {
    fn spec(&self) -> &'static ProviderSpec {
        &SPEC
    }

    fn ask<'a>(&'a self, api: &'a Api, call: &'a Call, ask: &'a Ask) -> Answering<'a, Hits> {
        Box::pin(async move {
            let request = api
                .get("/customsearch/v1")
                .secret_query("key", api.key())
                .secret_query("cx", api.extra("google-cx"));
            let answer: Answer = request
                .query("q", ask.text_with_sites())
                .query("num", ask.count.min(10))
                .maybe("dateRestrict", ask.filters.range.map(range))
                .maybe("sort", order(ask))
                .maybe("lr", ask.filters.language.as_deref().map(language))
                .maybe(
                    "cr",
                    ask.filters
                        .country
                        .as_deref()
                        .map(|code| format!("country{}", code.to_ascii_uppercase())),
                )
                .maybe(
                    "safe",
                    ask.filters
                        .safe
                        .map(|safe| if safe == Safe::Off { "off" } else { "active" }),
                )
                .json(call)
                .await?;
            Ok(answer.into_hits())
        })
    }
}

fn range(range: TimeRange) -> &'static str {
    match range {
        TimeRange::Day => "d1",
        TimeRange::Week => "w1",
        TimeRange::Month => "m1",
        TimeRange::Year => "y1",
    }
}

/// A range of days is an order too; news come newest first.
fn order(ask: &Ask) -> Option<String> {
    let Filters { from, to, .. } = &ask.filters;
    let day = |day: Option<Date>, or: &str| day.map_or_else(|| or.to_owned(), Date::compact);
    match (from, to) {
        (None, None) => (ask.capability == Capability::News).then(|| "date".to_owned()),
        (from, to) => Some(format!(
            "date:r:{}:{}",
            day(*from, "19900101"),
            day(*to, &Date::today().compact())
        )),
    }
}

/// Its codes are those of ISO 639-1 but for Chinese, where the script must be named.
fn language(code: &str) -> String {
    format!("lang_{}", if code == "zh" { "zh-CN" } else { code })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    search_information: Information,
    spelling: Option<Spelling>,
    #[serde(default)]
    items: Vec<Found>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Information {
    total_results: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spelling {
    corrected_query: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    title: String,
    link: String,
    #[serde(default)]
    snippet: String,
    display_link: Option<String>,
    #[serde(default)]
    pagemap: PageMap,
}

#[derive(Deserialize, Default)]
struct PageMap {
    #[serde(default)]
    metatags: Vec<Tags>,
}

/// What the page says of itself.
#[derive(Deserialize)]
struct Tags {
    #[serde(rename = "article:published_time")]
    published: Option<String>,
    #[serde(rename = "og:site_name")]
    site: Option<String>,
}

impl Answer {
    fn into_hits(self) -> Hits {
        let hit = |found: Found| {
            let tags = found.pagemap.metatags.first();
            let source = tags
                .and_then(|tags| tags.site.as_deref())
                .or(found.display_link.as_deref());
            let hit = Hit::new(&found.title, &found.link)?
                .snippet(&found.snippet)
                .source(source);
            Some(hit.published(tags.and_then(|tags| tags.published.as_deref())))
        };
        let total = self
            .search_information
            .total_results
            .and_then(|total| total.parse().ok());
        let suggestion = self.spelling.and_then(|spelling| spelling.corrected_query);
        Hits {
            hits: self.items.into_iter().filter_map(hit).collect(),
            total,
            suggestion,
            ..Hits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_news_become_an_order() {
        let mut ask = Ask::new("x", Capability::Web);
        assert_eq!(order(&ask), None);
        ask.capability = Capability::News;
        assert_eq!(order(&ask).as_deref(), Some("date"));
        ask.filters.from = Date::of(2026, 1, 2);
        ask.filters.to = Date::of(2026, 3, 4);
        assert_eq!(order(&ask).as_deref(), Some("date:r:20260102:20260304"));
    }
}

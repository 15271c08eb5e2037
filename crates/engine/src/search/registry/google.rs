//! Google through its Custom Search JSON API.
//!
//! `GET /customsearch/v1?key=…&cx=…&q=…&num=…` (at most 10) returns
//! `{"searchInformation":{"totalResults":"12"},"items":[{"title",
//! "link","snippet","displayLink","pagemap":{"metatags":[{…}]}}]}`, without `items` when there are
//! no results. `dateRestrict` takes d1, w1, m1, y1, `sort=date:r:20260101:20260201` a range of
//! days. There is no news search: news are results sorted by date. Errors are
//! `{"error":{"code","errors":[{"reason"}],"details":[{"reason","metadata":{"quota_limit"}}]}}`: a
//! wrong key is a 400 with the detail `API_KEY_INVALID`; the limits per minute and per day are both
//! 429 and differ in `quota_limit`. Google has closed this API to new customers, whose projects get
//! 403, and ends it on 2027-01-01.
//!
//! Confirmed in Google's reference and its notice on developers.google.com/custom-search/v1/overview
//! (read 2026-11-16). Tested against the lab.

use fault::{Case, Say};
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, extra, provider,
};
use crate::search::query::{Capability, Filter, Filters, SafeSearch, SearchQuery, TimeRange};
use crate::upstream::Answering;

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
    tier: ProviderTier::Commercial,
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
    key: KeyRequirement::Needed,
    extras: &[extra!(
        "google",
        "cx",
        "The id of the Programmable Search Engine to ask.",
        "017576662512468239146:omuauf_lfve"
    )],
    about: "Google's index through the Custom Search JSON API, which takes no new customers and ends on 2027-01-01.",
    retires: Some(CLOSING),
    remark: |answer| (answer.status == 403).then(|| Say::new(CLOSING)),
    docs: "https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list",
    codes_at: &[
        "/error/details/0/metadata/quota_limit",
        "/error/details/0/reason",
        "/error/errors/0/reason",
    ],
    errors: &[
        ErrorMeaning::code(400, "API_KEY_INVALID", Case::BadKey),
        ErrorMeaning::code(400, "keyInvalid", Case::BadKey),
        ErrorMeaning::code(400, "keyExpired", Case::BadKey),
        ErrorMeaning::code(429, "DefaultPerDayPerProject", Case::QuotaExhausted),
        ErrorMeaning::code(429, "dailyLimitExceeded", Case::QuotaExhausted),
        ErrorMeaning::code(403, "dailyLimitExceeded", Case::QuotaExhausted),
        ErrorMeaning::code(403, "quotaExceeded", Case::QuotaExhausted),
        ErrorMeaning::code(403, "rateLimitExceeded", Case::Http429),
        ErrorMeaning::code(403, "userRateLimitExceeded", Case::Http429),
    ],
    other_variables: &[
        ("GOOGLE_CSE_ID", "google-cx"),
        ("GOOGLE_SEARCH_ENGINE_ID", "google-cx"),
    ],
    ..provider!("google", "Google")
};

const CLOSING: &str = "Google has closed this API to new customers and ends it on 2027-01-01";

impl Provider for Google {
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
            let request = api
                .get("/customsearch/v1")
                .secret_query("key", api.key())
                .secret_query("cx", api.extra("google-cx"));
            let answer: GoogleReply = request
                .query("q", query.text_with_sites())
                .query("num", query.count.min(10))
                .maybe("dateRestrict", query.filters.range.map(range))
                .maybe("sort", order(query))
                .maybe("lr", query.filters.language.as_deref().map(language))
                .maybe(
                    "cr",
                    query
                        .filters
                        .country
                        .as_deref()
                        .map(|code| format!("country{}", code.to_ascii_uppercase())),
                )
                .maybe(
                    "safe",
                    query.filters.safe.map(|safe| {
                        if safe == SafeSearch::Off {
                            "off"
                        } else {
                            "active"
                        }
                    }),
                )
                .json(call)
                .await?;
            answer.into_hits(api)
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

/// The `sort` parameter: a range of dates, and news by date.
fn order(query: &SearchQuery) -> Option<String> {
    let Filters { from, to, .. } = &query.filters;
    let day = |day: Option<Date>, or: &str| day.map_or_else(|| or.to_owned(), Date::compact);
    match (from, to) {
        (None, None) => (query.capability == Capability::News).then(|| "date".to_owned()),
        (from, to) => Some(format!(
            "date:r:{}:{}",
            day(*from, "19900101"),
            day(*to, &Date::today().compact())
        )),
    }
}

/// Google's language code: that of ISO 639-1, except for Chinese, which needs the script.
fn language(code: &str) -> String {
    format!("lang_{}", if code == "zh" { "zh-CN" } else { code })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleReply {
    search_information: Option<GoogleSearchInformation>,
    spelling: Option<GoogleSpelling>,
    items: Option<Results<GoogleResult>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleSearchInformation {
    total_results: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleSpelling {
    corrected_query: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GoogleResult {
    #[serde(default)]
    title: String,
    link: String,
    #[serde(default)]
    snippet: String,
    display_link: Option<String>,
    #[serde(default)]
    pagemap: GooglePageMap,
}

#[derive(Deserialize, Default)]
struct GooglePageMap {
    #[serde(default)]
    metatags: Vec<GoogleMetaTags>,
}

/// The meta tags of the page.
#[derive(Deserialize)]
struct GoogleMetaTags {
    #[serde(rename = "article:published_time")]
    published: Option<String>,
    #[serde(rename = "og:site_name")]
    site: Option<String>,
}

impl GoogleReply {
    fn into_hits(self, api: &Api) -> fault::Result<Hits> {
        // A reply without results has at least their number.
        if self.search_information.is_none() && self.items.is_none() {
            return Err(api.bad_shape(b"neither searchInformation nor items"));
        }
        let hit = |found: GoogleResult| {
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
            .and_then(|information| information.total_results)
            .and_then(|total| total.parse().ok());
        let suggestion = self.spelling.and_then(|spelling| spelling.corrected_query);
        Ok(Hits {
            hits: self.items.into_iter().flatten().filter_map(hit).collect(),
            total,
            suggestion,
            ..Hits::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_news_become_a_sort_order() {
        let mut query = SearchQuery::new("x", Capability::Web);
        assert_eq!(order(&query), None);
        query.capability = Capability::News;
        assert_eq!(order(&query).as_deref(), Some("date"));
        query.filters.from = Date::from_ymd(2026, 1, 2);
        query.filters.to = Date::from_ymd(2026, 3, 4);
        assert_eq!(order(&query).as_deref(), Some("date:r:20260102:20260304"));
    }
}

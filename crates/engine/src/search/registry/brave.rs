//! Brave's own index of the web and of news.
//!
//! `GET /web/search?q=…&count=…` (at most 20) returns
//! `{"query":{…},"web":{"results":[{"title","url","description","page_age"}]}}`, without `web` when
//! there are no results; `GET /news/search` (at most 50) has `results` at the top. The key goes in
//! `X-Subscription-Token`. `freshness` takes pd, pw, pm, py or `2026-01-01to2026-02-01`; `site:`
//! and `-site:` are operators. `q` has at most 400 characters and 50 words, so sites that do not fit
//! are left out; `country` and `search_lang` are from fixed lists, and others are refused with 422,
//! so those are not sent. Errors are `{"error":{"code","status","meta":{"errors":[{"loc":[…]}]}}}`:
//! 422 `SUBSCRIPTION_TOKEN_INVALID` is a wrong key, 422 with the header of the key among `loc` a
//! missing one, 429 `QUOTA_LIMITED` a used-up plan, 429
//! `RATE_LIMITED` too many requests; the wait is in `X-RateLimit-Reset`, one number per window.
//!
//! Confirmed: limits, countries and languages in Brave's documentation of its parameters and codes,
//! as published in its own n8n node (read 2026-11-16). Tested against the lab.

use fault::{Case, Say};
use serde::Deserialize;

use crate::call::Call;
use crate::search::Date;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, KeyRequirement, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SearchQuery, TextLimit, TimeRange};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct Brave;

const KEY_HEADER: &str = "x-subscription-token";

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
            max_results: 20,
        },
        Offer {
            capability: Capability::News,
            filters: FILTERS,
            max_results: 50,
        },
    ],
    base: Some("https://api.search.brave.com/res/v1"),
    key: KeyRequirement::Needed,
    about: "Brave's index of the web and of news.",
    docs: "https://api-dashboard.search.brave.com/app/documentation/web-search/get-started",
    // Its documentation shows both forms; it sends the first.
    codes_at: &[
        "/error/code",
        "/errors/0/code",
        "/error/meta/errors/*/loc/1",
    ],
    errors: &[
        ErrorMeaning::code(422, "SUBSCRIPTION_TOKEN_INVALID", Case::BadKey),
        ErrorMeaning::code(422, KEY_HEADER, Case::MissingCredentials),
        ErrorMeaning::code(404, "SUBSCRIPTION_NOT_FOUND", Case::Forbidden),
        ErrorMeaning::code(400, "OPTION_NOT_IN_PLAN", Case::Forbidden),
        ErrorMeaning::code(429, "QUOTA_LIMITED", Case::QuotaExhausted),
        ErrorMeaning::status(402, Case::QuotaExhausted),
    ],
    other_variables: &[("BRAVE_SEARCH_API_KEY", "brave-api-key")],
    ..provider!("brave", "Brave Search")
};

impl Provider for Brave {
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
            let is_news = query.capability == Capability::News;
            let (path, most) = if is_news {
                ("/news/search", 50)
            } else {
                ("/web/search", 20)
            };
            let limited = query.text_with_sites_within(LIMIT);
            let (country, language) = (country(&query.filters), language(&query.filters));
            let notes = [
                (limited.is_cut, CUT),
                (limited.lacks_sites, LACKS_SITES),
                (
                    query.filters.country.is_some() && country.is_none(),
                    NO_COUNTRY,
                ),
                (
                    query.filters.language.is_some() && language.is_none(),
                    NO_LANGUAGE,
                ),
            ];
            let request = api
                .get(path)
                .secret_header(KEY_HEADER, api.key())
                .query("q", limited.text);
            let answer: BraveReply = request
                .query("count", query.count.min(most))
                .maybe("freshness", freshness(&query.filters))
                .maybe("country", country)
                .maybe("search_lang", language)
                .maybe("safesearch", query.filters.safe.map(|safe| safe.as_str()))
                .json(call)
                .await?;
            let mut hits = answer.into_hits(api)?;
            let told = notes.into_iter().filter(|(applies, _)| *applies);
            hits.degraded.extend(told.map(|(_, note)| note));
            Ok(hits)
        })
    }
}

/// The longest query.
const LIMIT: TextLimit = TextLimit {
    chars: 400,
    words: 50,
};

const CUT: Say = Say::new(
    "Brave takes queries of at most 400 characters and 50 words, so the end of the query was left out.",
);
const LACKS_SITES: Say = Say::new(
    "Brave takes at most 400 characters and 50 words, so not every site could be named to it and there may be fewer results; ask for fewer sites at once.",
);
const NO_COUNTRY: Say =
    Say::new("Brave does not know this country, so results of all countries are shown.");
const NO_LANGUAGE: Say =
    Say::new("Brave does not know this language, so results in all languages are shown.");

/// The countries that `country` takes.
const COUNTRIES: &[&str] = &[
    "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "HK", "IN", "ID", "IT", "JP",
    "KR", "MY", "MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH",
    "TW", "TR", "GB", "US",
];

/// The languages that `search_lang` takes by their code in ISO 639-1.
const LANGUAGES: &[&str] = &[
    "ar", "eu", "bn", "bg", "ca", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "gl", "de", "gu",
    "he", "hi", "hu", "is", "it", "kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pa", "ro",
    "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi",
];

fn country(filters: &Filters) -> Option<&'static str> {
    let wanted = filters.country.as_deref()?;
    COUNTRIES
        .iter()
        .copied()
        .find(|code| code.eq_ignore_ascii_case(wanted))
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
        let first = Date::from_ymd(1970, 1, 1)?;
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

/// Brave's language code, which differs from ISO 639-1 for a few languages.
fn language(filters: &Filters) -> Option<&'static str> {
    let wanted = filters.language.as_deref()?;
    let country = filters.country.as_deref();
    match (wanted, country) {
        ("ja", _) => Some("jp"),
        ("zh", Some("tw" | "hk")) => Some("zh-hant"),
        ("zh", _) => Some("zh-hans"),
        ("pt", Some("br")) => Some("pt-br"),
        ("pt", _) => Some("pt-pt"),
        ("no", _) => Some("nb"),
        _ => LANGUAGES.iter().copied().find(|code| *code == wanted),
    }
}

#[derive(Deserialize)]
struct BraveReply {
    query: Option<BraveQuery>,
    web: Option<BraveWeb>,
    results: Option<Results<BraveResult>>,
}

#[derive(Deserialize)]
struct BraveQuery {
    altered: Option<String>,
}

#[derive(Deserialize)]
struct BraveWeb {
    #[serde(default)]
    results: Results<BraveResult>,
}

#[derive(Deserialize)]
struct BraveResult {
    #[serde(default)]
    title: String,
    url: String,
    #[serde(default)]
    description: String,
    page_age: Option<String>,
    profile: Option<BraveProfile>,
}

#[derive(Deserialize)]
struct BraveProfile {
    name: Option<String>,
}

impl BraveReply {
    fn into_hits(self, api: &Api) -> fault::Result<Hits> {
        // A reply without results has at least the query.
        if self.query.is_none() && self.web.is_none() && self.results.is_none() {
            return Err(api.bad_shape(b"neither query nor results"));
        }
        let hit = |found: BraveResult| {
            let source = found.profile.and_then(|profile| profile.name);
            let hit = Hit::new(&found.title, &found.url)?.snippet(&found.description);
            Some(
                hit.published(found.page_age.as_deref())
                    .source(source.as_deref()),
            )
        };
        let found = self.web.map(|web| web.results).or(self.results);
        Ok(Hits {
            hits: found.into_iter().flatten().filter_map(hit).collect(),
            suggestion: self.query.and_then(|query| query.altered),
            ..Hits::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_dates_become_freshness() {
        let mut filters = Filters {
            range: Some(TimeRange::Month),
            ..Filters::default()
        };
        assert_eq!(freshness(&filters).as_deref(), Some("pm"));
        filters = Filters {
            from: Date::from_ymd(2026, 1, 2),
            to: Date::from_ymd(2026, 3, 4),
            ..Filters::default()
        };
        assert_eq!(
            freshness(&filters).as_deref(),
            Some("2026-01-02to2026-03-04")
        );
        assert_eq!(freshness(&Filters::default()), None);
    }
}

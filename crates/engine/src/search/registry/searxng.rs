//! SearXNG, a metasearch engine that the operator runs.
//!
//! `GET /search?q=…&format=json&categories=general` returns
//! `{"results":[{"title","url","content","publishedDate","engines"}],
//! "suggestions":[…],"unresponsive_engines":[["google","timeout"]]}`; the instance decides how
//! many. `time_range` takes day, week, month, year; `safesearch` 0 to 2. A new instance has JSON
//! turned off and answers 403 or an HTML page; the fault for both names the setting that helps. An
//! instance with `limiter: true` refuses `/search` with 429 in plain text unless `Accept` has
//! text/html and `Accept-Language` and `Accept-Encoding` are sent, and then still allows four
//! requests for JSON an hour, unless its `limiter.toml` lets this machine pass (`pass_ip`). With
//! `public_instance` it redirects suspects to its front page. An empty reply in which every engine
//! is unresponsive is a failure, not "no results". Not all engines know the operators for sites, so
//! results are filtered here too.
//!
//! Confirmed in the service's source (searxng/searxng at 9fea41204, 2026-08-22: `limiter.py`,
//! `botdetection/`, `webutils.py`). Tested against the lab.

use std::time::Duration;

use fault::{Case, Fault, Retry, Say};
use http::header;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::call::Call;
use crate::search::api::{Api, Results};
use crate::search::hit::{Hit, Hits};
use crate::search::provider::{
    ErrorMeaning, Offer, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SafeSearch, SearchQuery};
use crate::upstream::Answering;

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
    tier: ProviderTier::SelfHosted,
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
    errors: &[ErrorMeaning::status(403, Case::BadSetting)],
    other_variables: &[
        ("SEARXNG_URL", "searxng-url"),
        ("SEARXNG_BASE_URL", "searxng-url"),
    ],
    ..provider!("searxng", "SearXNG")
};

/// The most common problem with SearXNG.
const JSON_IS_OFF: Say = Say::new("SearXNG answers, but its JSON output is turned off.");

/// What refuses a client that the operator runs for themselves.
const LIMITED: Say = Say::new("SearXNG's limiter refuses this server.");

const LET_PASS: Say = Say::new(
    "Ask the user to add this server's address to `pass_ip` in the instance's limiter.toml, or to set `limiter: false` in its settings.yml. The limiter allows four searches an hour.",
);

/// What four searches an hour leave between two of them.
const LIMITER_WAIT: Duration = Duration::from_secs(900);

const TURN_JSON_ON: Say = Say::new(
    "Ask the user to add `json` to `search.formats` in the instance's settings.yml and to restart it. Do not retry before that is done.",
);

impl Provider for Searxng {
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
            let category = if query.capability == Capability::News {
                "news"
            } else {
                "general"
            };
            let request = api
                .get("/search")
                .query("q", query.text_with_sites())
                .query("format", "json")
                .query("categories", category);
            let request = request
                .maybe("language", query.filters.language.as_deref())
                .maybe(
                    "time_range",
                    query.filters.range.map(|range| range.as_str()),
                )
                .maybe("safesearch", query.filters.safe.map(level));
            let answer = request
                // The limiter takes a client that does not accept pages for a robot.
                .header(header::ACCEPT, "application/json, text/html;q=0.5")
                .header(header::ACCEPT_LANGUAGE, &languages(&query.filters))
                .send_unless(call, |answer| refused(api, answer))
                .await
                .map_err(explained)?;
            if answer.content_type().as_deref() == Some("text/html") {
                let fault = api.fault(Case::BadSetting).status(answer.status);
                return Err(explained(fault));
            }
            let answer: SearxngReply = api.read_json(&answer)?;
            answer.into_hits(api, &query.filters)
        })
    }
}

/// The fault with what the operator of the instance can do about it.
fn explained(fault: Fault) -> Fault {
    match (fault.case(), fault.seen_status()) {
        (Case::BadSetting, Some(200 | 403)) => fault.saying(JSON_IS_OFF).advising(TURN_JSON_ON),
        // The limiter names no wait. Whoever names one is in front of the instance.
        (Case::Http429, _) if !fault.source_requested_wait() => fault
            .saying(LIMITED)
            .advising(LET_PASS)
            .retry(Retry::After(LIMITER_WAIT)),
        _ => fault,
    }
}

/// What a redirect or a missing page means. SearXNG answers searches itself: only its limiter sends
/// a client elsewhere, and that is to the front page. All else is not at the configured address.
fn refused(api: &Api, answer: &net::Response) -> Option<Fault> {
    let says = match answer.status {
        302 if leads_to_front_page(api, answer) => {
            let fault = api.fault(Case::BadSetting).status(302);
            let advice = LET_PASS.then(Say::new("Do not retry before that is done."));
            return Some(fault.saying(LIMITED).advising(advice));
        }
        301..=303 | 307 | 308 => "There is no SearXNG at the configured address: it redirects.",
        404 | 405 | 410 => "There is no SearXNG at the configured address: it has no search page.",
        _ => return None,
    };
    let advice = Say::new("Ask the user to set ")
        .with(SPEC.settings.url_variable.as_str())
        .with(" to the address at which its front page opens, with the same scheme and path. Do not retry before that is done.");
    let fault = api.fault(Case::BadSetting).status(answer.status);
    Some(fault.saying(Say::new(says)).advising(advice))
}

fn leads_to_front_page(api: &Api, answer: &net::Response) -> bool {
    let target = answer
        .header("location")
        .and_then(|location| answer.final_url.join(location).ok());
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    target.is_some_and(|target| {
        target.origin() == api.base().origin() && path(&target) == path(api.base())
    })
}

/// The wanted language, and English for want of it.
fn languages(filters: &Filters) -> String {
    match filters.language.as_deref() {
        Some("en") | None => "en".to_owned(),
        Some(language) => format!("{language}, en;q=0.5"),
    }
}

fn level(safe: SafeSearch) -> u8 {
    match safe {
        SafeSearch::Off => 0,
        SafeSearch::Moderate => 1,
        SafeSearch::Strict => 2,
    }
}

#[derive(Deserialize)]
struct SearxngReply {
    results: Results<SearxngResult>,
    #[serde(default)]
    suggestions: Vec<String>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearxngResult {
    #[serde(default)]
    title: String,
    url: String,
    content: Option<String>,
    published_date: Option<String>,
}

impl SearxngReply {
    fn into_hits(self, api: &Api, filters: &Filters) -> fault::Result<Hits> {
        let some_failed = !self.unresponsive_engines.is_empty();
        if self.results.is_empty() && some_failed {
            return Err(api
                .fault(Case::Overloaded)
                .detail(Say::new("none of its search engines answered")));
        }
        let hit = |found: SearxngResult| {
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

/// Whether a result is on a wanted site and on no excluded one.
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
    fn results_on_other_sites_are_filtered_out() {
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

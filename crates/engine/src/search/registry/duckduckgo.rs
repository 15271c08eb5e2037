//! DuckDuckGo through its pages for browsers without scripts, since it has no API for results.
//!
//! `GET /html/?q=…&kl=us-en&df=w&kp=1` returns a page whose results are `.result` elements with
//! `a.result__a` (title, address behind `/l/?uddg=`), `.result__snippet`; advertisements have the
//! class `result--ad`; `.no-results` means that there are no results. The page `/lite/?q=…` on a
//! host of its own has the same as a table: `a.result-link`, `td.result-snippet`. Clients that it
//! takes for robots get status 202 or a page with an `anomaly-modal`: a challenge, never "no
//! results". After a challenge on one page the other is tried. `df` takes d, w, m, y or `from..to`.
//! Tested against the lab.

use fault::{Case, Fault};
use url::Url;

use crate::call::Call;
use crate::search::api::{Api, ApiRequest};
use crate::search::hit::{Hit, Hits};
use crate::search::markup::{Markup, WHOLE};
use crate::search::provider::{
    ErrorMeaning, Offer, Pace, Provider, ProviderSpec, ProviderTier, provider,
};
use crate::search::query::{Capability, Filter, Filters, SafeSearch, SearchQuery, TimeRange};
use crate::upstream::Answering;

#[derive(Debug)]
pub(super) struct DuckDuckGo;

const SPEC: ProviderSpec = ProviderSpec {
    tier: ProviderTier::Keyless,
    offers: &[Offer {
        capability: Capability::Web,
        filters: &[
            Filter::TimeRange,
            Filter::Dates,
            Filter::Sites,
            Filter::Excluded,
            Filter::Language,
            Filter::Country,
            Filter::Safe,
        ],
        max_results: 30,
    }],
    base: Some("https://html.duckduckgo.com"),
    pace: Some(Pace::per_second(1)),
    about: "DuckDuckGo's results, without a key.",
    docs: "https://duckduckgo.com/duckduckgo-help-pages/settings/params",
    errors: &[
        ErrorMeaning::status(202, Case::BotChallenge),
        ErrorMeaning::status(403, Case::BotChallenge),
        ErrorMeaning::status(418, Case::BotChallenge),
    ],
    ..provider!("duckduckgo", "DuckDuckGo")
};

impl Provider for DuckDuckGo {
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
            let page = fetch_page(
                api,
                call,
                with_filters(api.get("/html/"), query),
                parse_html,
            )
            .await;
            match page {
                Err(fault) if fault.case() == Case::BotChallenge => {
                    let lite =
                        with_filters(api.get_at("https://lite.duckduckgo.com", "/lite/"), query);
                    fetch_page(api, call, lite, parse_lite)
                        .await
                        .map_err(|_| fault)
                }
                outcome => outcome,
            }
        })
    }
}

fn with_filters<'a>(request: ApiRequest<'a>, query: &SearchQuery) -> ApiRequest<'a> {
    request
        .query("q", query.text_with_sites())
        .maybe("df", period(&query.filters))
        .maybe("kl", region(&query.filters))
        .maybe("kp", safety(&query.filters))
}

fn period(filters: &Filters) -> Option<String> {
    let range = filters.range.map(|range| match range {
        TimeRange::Day => "d",
        TimeRange::Week => "w",
        TimeRange::Month => "m",
        TimeRange::Year => "y",
    });
    let day = |day: Option<crate::search::Date>, or: &str| {
        day.map_or_else(|| or.to_owned(), |day| day.to_string())
    };
    let dates = (filters.from.is_some() || filters.to.is_some()).then(|| {
        format!(
            "{}..{}",
            day(filters.from, "1990-01-01"),
            day(filters.to, &crate::search::Date::today().to_string())
        )
    });
    range.map(str::to_owned).or(dates)
}

/// The region of a country and a language; `wt` stands for a missing one.
fn region(filters: &Filters) -> Option<String> {
    match (filters.country.as_deref(), filters.language.as_deref()) {
        (None, None) => None,
        (country, language) => Some(format!(
            "{}-{}",
            country.unwrap_or("wt"),
            language.unwrap_or("wt")
        )),
    }
}

fn safety(filters: &Filters) -> Option<&'static str> {
    filters.safe.map(|safe| match safe {
        SafeSearch::Strict => "1",
        SafeSearch::Moderate => "-1",
        SafeSearch::Off => "-2",
    })
}

async fn fetch_page(
    api: &Api,
    call: &Call,
    request: ApiRequest<'_>,
    parse: fn(&Markup) -> Vec<Hit>,
) -> fault::Result<Hits> {
    let html = request.text(call).await?;
    let page = Markup::parse(&html);
    let hits = parse(&page);
    if hits.is_empty() {
        check_no_results(api, &page, &html)?;
    }
    Ok(Hits::from_hits(hits))
}

/// Checks that a page without results says so. A challenge, or a page that is not the documented
/// one, is a fault.
fn check_no_results(api: &Api, page: &Markup, html: &str) -> Result<(), Fault> {
    if page
        .first("anomaly-modal__mask")
        .or(page.first("anomaly-modal__modal"))
        .or(page.by_id("challenge-form"))
        .is_some()
    {
        return Err(api.fault(Case::BotChallenge));
    }
    let says_none = page
        .first("no-results")
        .or(page.first("result--no-result"))
        .or(page.first("no-results-message"));
    let has_form = page
        .by_id("search_form_homepage")
        .or(page.by_id("links"))
        .or(page.first("filters"));
    if says_none.or(has_form).is_some() {
        Ok(())
    } else {
        Err(api.bad_shape(html.as_bytes()))
    }
}

fn parse_html(page: &Markup) -> Vec<Hit> {
    let results = page
        .of_class(WHOLE, "result")
        .filter(|id| !page.has_class(*id, "result--ad"));
    let hit = |id| {
        let link = page.of_class(id, "result__a").next()?;
        let snippet = page
            .of_class(id, "result__snippet")
            .next()
            .map(|id| page.text(id))
            .unwrap_or_default();
        Some(Hit::new(&page.text(link), &target(page.attribute(link, "href")?)?)?.snippet(&snippet))
    };
    results.filter_map(hit).collect()
}

fn parse_lite(page: &Markup) -> Vec<Hit> {
    let mut snippets = page
        .of_class(WHOLE, "result-snippet")
        .map(|id| page.text(id));
    let hit = |link| {
        let snippet = snippets.next().unwrap_or_default();
        Some(Hit::new(&page.text(link), &target(page.attribute(link, "href")?)?)?.snippet(&snippet))
    };
    page.of_class(WHOLE, "result-link")
        .filter_map(hit)
        .collect()
}

/// The address of a result, which is behind `/l/?uddg=…`; `None` for an advertisement, which is
/// behind `/y.js`.
fn target(href: &str) -> Option<String> {
    let url = Url::options()
        .base_url(Url::parse("https://duckduckgo.com").ok().as_ref())
        .parse(href)
        .ok()?;
    let is_own = url
        .host_str()
        .is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com"));
    match url.path() {
        "/l/" if is_own => url
            .query_pairs()
            .find(|(name, _)| name == "uddg")
            .map(|(_, value)| value.into_owned()),
        "/y.js" if is_own => None,
        _ => Some(url.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Date;

    #[test]
    fn results_are_parsed_and_advertisements_left_out() {
        let html = r#"<div id="links">
            <div class="result results_links result--ad"><a class="result__a" href="https://ad.example/">Ad</a></div>
            <div class="result results_links web-result"><h2><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fx%3Fq%3D1&amp;rut=1">A <b>title</b></a></h2>
            <a class="result__snippet" href="x">Some <b>words</b> &amp; more</a></div></div>"#;
        let hits = parse_html(&Markup::parse(html));
        assert_eq!(hits.len(), 1);
        assert_eq!(
            (hits[0].url.as_str(), hits[0].title.as_str()),
            ("https://a.example/x?q=1", "A title")
        );
        assert_eq!(hits[0].snippet, "Some words & more");
    }

    #[test]
    fn the_lite_table_is_parsed() {
        let html = "<table><tr><td><a class='result-link' href='https://a.example/'>A</a></td></tr><tr><td class='result-snippet'>Words</td></tr></table>";
        let hits = parse_lite(&Markup::parse(html));
        assert_eq!(
            (hits[0].url.as_str(), hits[0].snippet.as_str()),
            ("https://a.example/", "Words")
        );
    }

    #[test]
    fn filters_become_parameters() {
        let mut filters = Filters {
            range: Some(TimeRange::Week),
            country: Some("de".to_owned()),
            ..Filters::default()
        };
        assert_eq!(
            (period(&filters).as_deref(), region(&filters).as_deref()),
            (Some("w"), Some("de-wt"))
        );
        filters = Filters {
            from: Date::from_ymd(2024, 1, 1),
            to: Date::from_ymd(2024, 2, 1),
            ..Filters::default()
        };
        assert_eq!(period(&filters).as_deref(), Some("2024-01-01..2024-02-01"));
    }
}

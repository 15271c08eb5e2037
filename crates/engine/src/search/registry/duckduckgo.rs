//! DuckDuckGo through its pages for browsers without scripts, since it has no API for results.
//!
//! `GET /html/?q=…&kl=us-en&df=w&kp=1` returns a page whose results are `.result` elements with
//! `a.result__a` (title, address behind `/l/?uddg=`), `.result__snippet`; advertisements have the
//! class `result--ad`; `.no-results` means that there are no results. The page `/lite/?q=…` on a
//! host of its own has the same as a table: `a.result-link`, `td.result-snippet`, with advertisements
//! in `tr.result-sponsored`. Clients that it takes for robots get status 202 or a page with an
//! `anomaly-modal`: a challenge, never "no results". After a challenge on one page the other is
//! tried. `df` takes d, w, m, y or `from..to`, `kl` one of some seventy regions, whose codes are its
//! own (`uk-en`, `jp-jp`).
//!
//! Confirmed: regions as SearXNG reads them from DuckDuckGo's script (searxng/searxng at 9fea41204,
//! 2026-08-22, `engine_traits.json`), both pages by SearXNG's parser and by public fixtures of the
//! lite page (read 2026-11-16). Tested against the lab.

use fault::{Case, Fault, Say};
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
            let page = match page {
                Err(fault) if fault.case() == Case::BotChallenge => {
                    let lite =
                        with_filters(api.get_at("https://lite.duckduckgo.com", "/lite/"), query);
                    fetch_page(api, call, lite, parse_lite)
                        .await
                        .map_err(|_| fault)
                }
                outcome => outcome,
            };
            page.map(|mut hits| {
                hits.degraded.extend(unmet(&query.filters));
                hits
            })
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

/// Countries and languages in ISO codes with DuckDuckGo's region. The first row of a country or a
/// language stands for it where the other is not given.
#[rustfmt::skip]
const REGIONS: &[(&str, &str, &str)] = &[
    ("us", "en", "us-en"), ("gb", "en", "uk-en"), ("de", "de", "de-de"), ("fr", "fr", "fr-fr"), ("es", "es", "es-es"),
    ("it", "it", "it-it"), ("nl", "nl", "nl-nl"), ("pt", "pt", "pt-pt"), ("br", "pt", "br-pt"), ("jp", "ja", "jp-jp"),
    ("kr", "ko", "kr-kr"), ("cn", "zh", "cn-zh"), ("hk", "zh", "hk-tzh"), ("tw", "zh", "tw-tzh"), ("ru", "ru", "ru-ru"),
    ("pl", "pl", "pl-pl"), ("se", "sv", "se-sv"), ("no", "nb", "no-no"), ("no", "no", "no-no"), ("dk", "da", "dk-da"),
    ("fi", "fi", "fi-fi"), ("is", "is", "is-is"), ("ee", "et", "ee-et"), ("lv", "lv", "lv-lv"), ("lt", "lt", "lt-lt"),
    ("cz", "cs", "cz-cs"), ("sk", "sk", "sk-sk"), ("si", "sl", "sl-sl"), ("hr", "hr", "hr-hr"), ("hu", "hu", "hu-hu"),
    ("ro", "ro", "ro-ro"), ("bg", "bg", "bg-bg"), ("gr", "el", "gr-el"), ("tr", "tr", "tr-tr"), ("ua", "uk", "ua-uk"),
    ("at", "de", "at-de"), ("ch", "de", "ch-de"), ("ch", "fr", "ch-fr"), ("be", "fr", "be-fr"), ("be", "nl", "be-nl"),
    ("ie", "en", "ie-en"), ("au", "en", "au-en"), ("nz", "en", "nz-en"), ("ca", "en", "ca-en"), ("ca", "fr", "ca-fr"),
    ("in", "en", "in-en"), ("za", "en", "za-en"), ("il", "en", "il-en"), ("my", "en", "my-en"), ("ph", "en", "ph-en"),
    ("pk", "en", "pk-en"), ("sg", "en", "sg-en"), ("us", "es", "us-es"), ("mx", "es", "mx-es"), ("ar", "es", "ar-es"),
    ("cl", "es", "cl-es"), ("co", "es", "co-es"), ("pe", "es", "pe-es"), ("es", "ca", "es-ca"), ("sa", "ar", "xa-ar"),
    ("id", "en", "id-en"), ("th", "en", "th-en"), ("vn", "en", "vn-en"),
];

/// The region that is nearest to the wanted country and language.
fn region(filters: &Filters) -> Option<&'static str> {
    let (country, language) = (filters.country.as_deref(), filters.language.as_deref());
    let of = |row: &&(&str, &str, &str), country: Option<&str>, language: Option<&str>| {
        country.is_none_or(|code| row.0 == code) && language.is_none_or(|code| row.1 == code)
    };
    let find = |country, language| REGIONS.iter().find(|row| of(row, country, language));
    let row = match (country, language) {
        (None, None) => None,
        (Some(_), Some(_)) => find(country, language).or_else(|| find(country, None)),
        _ => find(country, language),
    };
    row.map(|(_, _, region)| *region)
}

/// What is told when there is no region for the wanted country and language.
fn unmet(filters: &Filters) -> Option<Say> {
    let (country, language) = (filters.country.as_deref(), filters.language.as_deref());
    let is_exact = |row: &(&str, &str, &str)| {
        country.is_none_or(|code| row.0 == code) && language.is_none_or(|code| row.1 == code)
    };
    let is_met = country.or(language).is_none() || REGIONS.iter().any(is_exact);
    (!is_met).then(|| {
        Say::new(match region(filters) {
            Some(_) => "DuckDuckGo has no region for this language in this country, so results are in the country's main language.",
            None => "DuckDuckGo has no region for this country or language, so results of all regions are shown.",
        })
    })
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
    let sold: Vec<_> = page
        .of_class(WHOLE, "result-sponsored")
        .flat_map(|row| {
            page.of_class(row, "result-link")
                .chain(page.of_class(row, "result-snippet"))
        })
        .collect();
    let mut snippets = page
        .of_class(WHOLE, "result-snippet")
        .filter(|id| !sold.contains(id))
        .map(|id| page.text(id));
    let hit = |link| {
        let snippet = snippets.next().unwrap_or_default();
        Some(Hit::new(&page.text(link), &target(page.attribute(link, "href")?)?)?.snippet(&snippet))
    };
    page.of_class(WHOLE, "result-link")
        .filter(|id| !sold.contains(id))
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
        let html = "<table><tr class='result-sponsored'><td><a class='result-link' href='https://shop.example/'>Ad</a></td></tr>\
            <tr class='result-sponsored'><td class='result-snippet'>Buy</td></tr>\
            <tr><td><a class='result-link' href='https://a.example/'>A</a></td></tr><tr><td class='result-snippet'>Words</td></tr></table>";
        let hits = parse_lite(&Markup::parse(html));
        assert_eq!(hits.len(), 1);
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
            (period(&filters).as_deref(), region(&filters)),
            (Some("w"), Some("de-de"))
        );
        for (country, language, code, is_told) in [
            (Some("gb"), None, Some("uk-en"), false),
            (None, Some("ja"), Some("jp-jp"), false),
            (Some("ch"), Some("fr"), Some("ch-fr"), false),
            (Some("de"), Some("en"), Some("de-de"), true),
            (Some("aq"), None, None, true),
            (None, None, None, false),
        ] {
            let filters = Filters {
                country: country.map(str::to_owned),
                language: language.map(str::to_owned),
                ..Filters::default()
            };
            assert_eq!(region(&filters), code, "{country:?} {language:?}");
            assert_eq!(
                unmet(&filters).is_some(),
                is_told,
                "{country:?} {language:?}"
            );
        }
        filters = Filters {
            from: Date::from_ymd(2024, 1, 1),
            to: Date::from_ymd(2024, 2, 1),
            ..Filters::default()
        };
        assert_eq!(period(&filters).as_deref(), Some("2024-01-01..2024-02-01"));
    }
}

//! What providers answer when nothing fails.

use engine::Call;
use engine::search::{
    Capability, Details, Filter, Hit, KeyRequirement, Offer, ProviderSettings, StructuredQuery,
    TimeRange,
};
use fault::{Case, Secret};
use std::time::Duration;

use super::{Bench, plain_query, remote, shown};

/// Runs a check for every provider and every capability that it declares.
async fn each(check: impl AsyncFn(&Bench, &Offer)) {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        for offer in bench.spec().offers {
            check(&bench, offer).await;
        }
    }
}

fn assert_tidy(name: &str, hit: &Hit) {
    assert!(hit.url.starts_with("http"), "{name}: {}", hit.url);
    assert!(!hit.title.is_empty(), "{name}: no title");
    for text in [&hit.title, &hit.snippet] {
        assert!(
            !text.contains(['\u{1b}', '\u{0}', '\n'])
                && !text.contains("<b>")
                && !text.contains("<span"),
            "{name}: {text}"
        );
    }
}

#[tokio::test]
async fn a_query_is_answered_in_every_declared_capability() {
    each(async |bench, offer| {
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let hits = bench
            .ask(&plain_query(offer))
            .await
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        assert!(!hits.hits.is_empty(), "{name}: nothing found");
        hits.hits.iter().for_each(|hit| assert_tidy(&name, hit));
        match offer.capability {
            Capability::News => assert!(
                hits.hits.iter().all(|hit| hit.published.is_some()),
                "{name}: news without a date"
            ),
            Capability::Academic => assert!(
                hits.hits
                    .iter()
                    .all(|hit| matches!(hit.details, Details::Paper(_))),
                "{name}"
            ),
            Capability::Patents => assert!(
                hits.hits
                    .iter()
                    .all(|hit| matches!(hit.details, Details::Patent(_))),
                "{name}"
            ),
            Capability::Structured => assert!(
                hits.hits
                    .iter()
                    .all(|hit| matches!(hit.details, Details::Fields(_))),
                "{name}"
            ),
            Capability::Web => {}
        }
        assert!(hits.degraded.is_empty(), "{name}: {:?}", hits.degraded);
    })
    .await;
}

#[tokio::test]
async fn no_results_are_an_answer() {
    each(async |bench, offer| {
        let mut query = plain_query(offer);
        query.text = "qwzxv unheardofword".to_owned();
        let hits = bench
            .ask(&query)
            .await
            .unwrap_or_else(|fault| panic!("{}: {fault:?}", bench.id()));
        assert!(hits.hits.is_empty(), "{}: {hits:?}", bench.id());
    })
    .await;
}

/// Words that programs which search replies for text take for an error.
const HOSTILE: &[&str] = &[
    "HTTP 429 too many requests battery",
    "401 unauthorized invalid api key sodium",
    "quota exceeded sodium",
    "timeout sodium battery",
    "no credits left Not enough credits sodium",
    "sodium\u{202e}\u{0}battery \u{1F980} 電池",
    "a&b=c#d?e=f/../%00%zz sodium",
    "{\"error\":{\"code\":\"RATE_LIMITED\"}} sodium",
];

#[tokio::test]
async fn words_of_errors_in_a_query_have_no_effect() {
    each(async |bench, offer| {
        for words in HOSTILE {
            let mut query = plain_query(offer);
            query.text = (*words).to_owned();
            if let Err(fault) = bench.ask(&query).await {
                panic!("{} took {words:?} for {:?}", bench.id(), fault.case());
            }
        }
    })
    .await;
}

/// The lab has a page whose title and text are markup and instructions to a model.
#[tokio::test]
async fn hostile_markup_becomes_plain_text() {
    each(async |bench, offer| {
        let mut query = plain_query(offer);
        query.text = "hostile maintenance mode prompt injection".to_owned();
        query.count = offer.max_results;
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let hits = bench
            .ask(&query)
            .await
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        for hit in &hits.hits {
            assert_tidy(&name, hit);
            assert!(
                !hit.snippet.contains("<script") && !hit.title.contains("&amp;"),
                "{name}: {hit:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn declared_date_filters_narrow_the_results() {
    each(async |bench, offer| {
        if !offer.filters.contains(&Filter::Dates) {
            return;
        }
        let mut query = plain_query(offer);
        query.filters.from = engine::search::Date::from_ymd(2026, 1, 1);
        query.filters.to = engine::search::Date::from_ymd(2026, 12, 31);
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let hits = bench
            .ask(&query)
            .await
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        let dated: Vec<i32> = hits
            .hits
            .iter()
            .filter_map(|hit| hit.published.map(|date| date.year()))
            .collect();
        assert!(dated.iter().all(|year| *year == 2026), "{name}: {dated:?}");
        query.filters.from = engine::search::Date::from_ymd(1990, 1, 1);
        query.filters.to = engine::search::Date::from_ymd(1990, 12, 31);
        let hits = bench
            .ask(&query)
            .await
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        assert!(hits.hits.is_empty(), "{name}: found something from 1990");
    })
    .await;
}

#[tokio::test]
async fn declared_site_filters_narrow_the_results() {
    each(async |bench, offer| {
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let host = if offer.capability == Capability::News {
            "daily-harbour.example"
        } else {
            "grid-notes.example"
        };
        let on = |hit: &Hit| {
            hit.url.starts_with(&format!("https://{host}/"))
                || hit.url.contains(&format!(".{host}/"))
        };
        let mut query = plain_query(offer);
        if offer.filters.contains(&Filter::Sites) {
            query.filters.sites = vec![host.to_owned()];
            let hits = bench
                .ask(&query)
                .await
                .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            assert!(
                !hits.hits.is_empty() && hits.hits.iter().all(on),
                "{name}: {hits:?}"
            );
        }
        if offer.filters.contains(&Filter::Excluded) {
            query.filters.sites.clear();
            query.filters.excluded = vec![host.to_owned()];
            let hits = bench
                .ask(&query)
                .await
                .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            assert!(
                !hits.hits.is_empty() && !hits.hits.iter().any(on),
                "{name}: {hits:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn every_declared_filter_is_sent_in_an_accepted_form() {
    each(async |bench, offer| {
        let mut query = plain_query(offer);
        let has = |filter| offer.filters.contains(&filter);
        query.filters.range = Some(TimeRange::Year).filter(|_| has(Filter::TimeRange));
        query.filters.language = Some("en".to_owned()).filter(|_| has(Filter::Language));
        query.filters.country = Some("us".to_owned()).filter(|_| has(Filter::Country));
        query.filters.safe = Some(engine::search::SafeSearch::Strict).filter(|_| has(Filter::Safe));
        query.filters.open_access = has(Filter::OpenAccess);
        query.count = offer.max_results;
        if let Err(fault) = bench.ask(&query).await {
            panic!("{} {}: {fault:?}", bench.id(), offer.capability.as_str());
        }
    })
    .await;
}

#[tokio::test]
async fn a_wrong_key_is_a_bad_key_and_is_never_shown() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        if bench.spec().key == KeyRequirement::None {
            continue;
        }
        let settings = ProviderSettings {
            key: Some(Secret::new("wrong-key-9d2e71".to_owned())),
            ..bench.settings()
        };
        let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
        let query = plain_query(&bench.spec().offers[0]);
        let fault = bench.provider.ask(&api, &call, &query).await.unwrap_err();
        assert_eq!(fault.case(), Case::BadKey, "{}", bench.id());
        assert!(
            !shown(&fault).contains("wrong-key-9d2e71"),
            "{}",
            bench.id()
        );
    }
}

#[tokio::test]
async fn a_category_narrows_a_structured_search() {
    each(async |bench, offer| {
        if offer.capability != Capability::Structured {
            return;
        }
        let mut query = plain_query(offer);
        query.structured = Some(StructuredQuery {
            category: Some("news".to_owned()),
            ..query.structured.unwrap()
        });
        let hits = bench.ask(&query).await.unwrap();
        assert!(
            !hits.hits.is_empty() && hits.hits.iter().all(|hit| hit.published.is_some()),
            "{}",
            bench.id()
        );
    })
    .await;
}

#[tokio::test]
async fn filters_that_a_category_does_not_know_are_left_out_and_reported() {
    each(async |bench, offer| {
        if offer.capability != Capability::Structured {
            return;
        }
        let mut query = plain_query(offer);
        query.structured = Some(StructuredQuery {
            category: Some("company".to_owned()),
            ..query.structured.unwrap()
        });
        query.filters.from = engine::search::Date::from_ymd(2026, 1, 1);
        let hits = bench
            .ask(&query)
            .await
            .unwrap_or_else(|fault| panic!("{}: {fault:?}", bench.id()));
        assert!(
            !hits.hits.is_empty() && hits.degraded.len() == 1,
            "{}: {:?}",
            bench.id(),
            hits.degraded
        );
    })
    .await;
}

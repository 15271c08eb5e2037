//! What providers answer when all is well.

use engine::Call;
use engine::search::{
    Capability, Details, Filter, Hit, Key, Offer, ProviderSettings, Structured, TimeRange,
};
use fault::{Case, Secret};
use std::time::Duration;

use super::{Bench, question, remote, shown};

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
async fn a_question_is_answered_in_the_declared_capability() {
    each(async |bench, offer| {
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let hits = bench
            .ask(&question(offer))
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
async fn nothing_found_is_an_answer() {
    each(async |bench, offer| {
        let mut ask = question(offer);
        ask.text = "qwzxv unheardofword".to_owned();
        let hits = bench
            .ask(&ask)
            .await
            .unwrap_or_else(|fault| panic!("{}: {fault:?}", bench.id()));
        assert!(hits.hits.is_empty(), "{}: {hits:?}", bench.id());
    })
    .await;
}

/// Words that other programs took for what they say.
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
async fn words_of_errors_in_a_question_mean_nothing() {
    each(async |bench, offer| {
        for words in HOSTILE {
            let mut ask = question(offer);
            ask.text = (*words).to_owned();
            if let Err(fault) = bench.ask(&ask).await {
                panic!("{} took {words:?} for {:?}", bench.id(), fault.case());
            }
        }
    })
    .await;
}

/// The corpus has a page whose title and text are markup and orders to the reader.
#[tokio::test]
async fn hostile_markup_arrives_as_plain_words() {
    each(async |bench, offer| {
        let mut ask = question(offer);
        ask.text = "hostile maintenance mode prompt injection".to_owned();
        ask.count = offer.max_results;
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let hits = bench
            .ask(&ask)
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
async fn declared_date_filters_bound_the_answers() {
    each(async |bench, offer| {
        if !offer.filters.contains(&Filter::Dates) {
            return;
        }
        let mut ask = question(offer);
        ask.filters.from = engine::search::Date::of(2026, 1, 1);
        ask.filters.to = engine::search::Date::of(2026, 12, 31);
        let name = format!("{} {}", bench.id(), offer.capability.as_str());
        let hits = bench
            .ask(&ask)
            .await
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        let dated: Vec<i32> = hits
            .hits
            .iter()
            .filter_map(|hit| hit.published.map(|date| date.year()))
            .collect();
        assert!(dated.iter().all(|year| *year == 2026), "{name}: {dated:?}");
        ask.filters.from = engine::search::Date::of(1990, 1, 1);
        ask.filters.to = engine::search::Date::of(1990, 12, 31);
        let hits = bench
            .ask(&ask)
            .await
            .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        assert!(hits.hits.is_empty(), "{name}: found something from 1990");
    })
    .await;
}

#[tokio::test]
async fn declared_site_filters_bound_the_answers() {
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
        let mut ask = question(offer);
        if offer.filters.contains(&Filter::Sites) {
            ask.filters.sites = vec![host.to_owned()];
            let hits = bench
                .ask(&ask)
                .await
                .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            assert!(
                !hits.hits.is_empty() && hits.hits.iter().all(on),
                "{name}: {hits:?}"
            );
        }
        if offer.filters.contains(&Filter::Excluded) {
            ask.filters.sites.clear();
            ask.filters.excluded = vec![host.to_owned()];
            let hits = bench
                .ask(&ask)
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
async fn every_declared_filter_is_sent_in_a_form_that_is_taken() {
    each(async |bench, offer| {
        let mut ask = question(offer);
        let has = |filter| offer.filters.contains(&filter);
        ask.filters.range = Some(TimeRange::Year).filter(|_| has(Filter::TimeRange));
        ask.filters.language = Some("en".to_owned()).filter(|_| has(Filter::Language));
        ask.filters.country = Some("us".to_owned()).filter(|_| has(Filter::Country));
        ask.filters.safe = Some(engine::search::Safe::Strict).filter(|_| has(Filter::Safe));
        ask.filters.open_access = has(Filter::OpenAccess);
        ask.count = offer.max_results;
        if let Err(fault) = bench.ask(&ask).await {
            panic!("{} {}: {fault:?}", bench.id(), offer.capability.as_str());
        }
    })
    .await;
}

#[tokio::test]
async fn a_wrong_key_is_a_bad_key_and_is_never_shown() {
    for provider in remote() {
        let bench = Bench::new(provider).await;
        if bench.spec().key == Key::None {
            continue;
        }
        let settings = ProviderSettings {
            key: Some(Secret::new("wrong-key-9d2e71".to_owned())),
            ..bench.settings()
        };
        let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
        let ask = question(&bench.spec().offers[0]);
        let fault = bench.provider.ask(&api, &call, &ask).await.unwrap_err();
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
        let mut ask = question(offer);
        ask.structured = Some(Structured {
            category: Some("news".to_owned()),
            ..ask.structured.unwrap()
        });
        let hits = bench.ask(&ask).await.unwrap();
        assert!(
            !hits.hits.is_empty() && hits.hits.iter().all(|hit| hit.published.is_some()),
            "{}",
            bench.id()
        );
    })
    .await;
}

#[tokio::test]
async fn filters_that_a_category_does_not_know_are_left_out_and_told() {
    each(async |bench, offer| {
        if offer.capability != Capability::Structured {
            return;
        }
        let mut ask = question(offer);
        ask.structured = Some(Structured {
            category: Some("company".to_owned()),
            ..ask.structured.unwrap()
        });
        ask.filters.from = engine::search::Date::of(2026, 1, 1);
        let hits = bench
            .ask(&ask)
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

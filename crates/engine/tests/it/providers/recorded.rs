//! Replies in the form in which services really send them, where that is more than the lab's
//! corpus shows.

use std::time::Duration;

use engine::Call;
use engine::search::{Hits, ProviderSettings};
use fault::{Action, Case, Fault};
use lab::{FaultMode, OrderedFault};
use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};

use super::{Bench, plain_query, remote};

async fn bench(id: &str) -> Bench {
    let provider = remote()
        .into_iter()
        .find(|provider| provider.spec().id() == id)
        .unwrap();
    Bench::new(provider).await
}

/// Asks a provider that answers at this path with this reply.
async fn ask(id: &str, path: &str, reply: impl Into<Behavior>) -> fault::Result<Hits> {
    let (bench, web) = (bench(id).await, Web::start().await);
    web.on(path, reply);
    let settings = ProviderSettings {
        url: Some(web.url("").parse().unwrap()),
        ..bench.settings()
    };
    let (api, call) = (bench.api(&settings), Call::within(Duration::from_secs(10)));
    let query = plain_query(&bench.spec().offers[0]);
    bench.provider.ask(&api, &call, &query).await
}

#[tokio::test]
async fn chapters_of_books_are_among_the_papers_of_pubmed() {
    let bench = bench("pubmed").await;
    let mut query = plain_query(&bench.spec().offers[0]);
    query.text = "layered oxide cathodes phase transitions".to_owned();
    let hits = bench.ask(&query).await.unwrap();
    assert_eq!(hits.total, Some(hits.hits.len() as u64));
    assert_eq!(
        hits.hits[0].source.as_deref(),
        Some("Reviews in Electrochemistry")
    );
}

fn openserp_envelope(failed: &[&str], results: Value) -> Behavior {
    let engines = ["google", "bing", "duckduckgo"];
    Behavior::json(
        200,
        &json!({"query": {"text": "x", "engines_requested": engines},
            "meta": {"engines_failed": failed, "version": "2.1"}, "results": results}),
    )
}

#[tokio::test]
async fn an_engine_behind_openserp_that_found_nothing_is_an_answer() {
    let asked = async |failed: &[&str], results: Value| {
        ask(
            "openserp",
            "/mega/search",
            openserp_envelope(failed, results),
        )
        .await
    };
    let hits = asked(&["google"], json!([])).await.unwrap();
    assert!(hits.hits.is_empty() && hits.degraded.len() == 1);
    let fault = asked(&["google", "bing", "duckduckgo"], json!([]))
        .await
        .unwrap_err();
    assert_eq!(fault.case(), Case::Overloaded);
    let sold = json!([{"type": "ad", "title": "Buy", "url": "https://shop.example/"},
        {"type": "organic", "title": "Read", "url": "https://a.example/"}]);
    let hits = asked(&[], sold).await.unwrap();
    assert_eq!(hits.hits.len(), 1);
    assert_eq!(hits.hits[0].url, "https://a.example/");
}

#[tokio::test]
async fn the_codes_of_openserp_say_what_happened() {
    for (status, code, case) in [
        (429, "captcha_detected", Case::Captcha),
        (429, "blocked", Case::Http429),
        (403, "blocked", Case::AccessDenied),
        (502, "all_engines_failed", Case::Overloaded),
        (502, "engine_internal", Case::HttpStatus),
        (503, "circuit_open", Case::Overloaded),
        (503, "proxy_auth", Case::BadSetting),
        (504, "search_timeout", Case::HttpStatus),
        (400, "bad_request", Case::BadRequest),
    ] {
        let body = json!({"error": code, "code": status, "message": "x"});
        let fault = ask("openserp", "/mega/search", Behavior::json(status, &body))
            .await
            .unwrap_err();
        assert_eq!(fault.case(), case, "{status} {code}");
    }
}

fn assert_names_the_limiter(fault: &Fault) {
    let sentence = fault.sentence();
    assert!(
        sentence.as_str().contains("limiter") && sentence.as_str().contains("pass_ip"),
        "{sentence}"
    );
    assert_ne!(fault.action(), Action::ReportBug);
}

#[tokio::test]
async fn a_refusal_by_the_limiter_of_searxng_says_how_to_pass_it() {
    let bench = bench("searxng").await;
    bench
        .lab
        .fault(OrderedFault::new("searxng", FaultMode::RateLimited));
    let fault = bench.fault().await;
    assert_eq!(fault.case(), Case::Http429);
    assert_names_the_limiter(&fault);
    // A public instance sends those it suspects to its front page.
    let away = Reply::new(302, "").header("Location", "/");
    let fault = ask("searxng", "/search", away).await.unwrap_err();
    assert_names_the_limiter(&fault);
}

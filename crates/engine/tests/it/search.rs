//! The keyless providers through the public interface, against recorded forms of their replies.

use std::time::Duration;

use engine::search::{Capability, ProviderChoice, ProviderSettings, TimeRange};
use engine::{Call, Search, SearchAnswer, SearchRequest, SearchSettings};
use fault::{Case, Result};
use serde_json::json;
use testkit::{Behavior, Reply, Web};
use url::Url;

async fn ask(web: &Web, provider: &str) -> Result<SearchAnswer> {
    let own = ProviderSettings {
        url: Some(Url::parse(&web.url("")).unwrap()),
        ..ProviderSettings::default()
    };
    let settings = SearchSettings {
        providers: vec![(provider.to_owned(), own)],
        ..SearchSettings::default()
    };
    let search = Search::new(net::ClientSettings::default(), settings);
    let mut request = SearchRequest::new("rust language", Capability::Web);
    request.provider = ProviderChoice::One(provider.to_owned());
    request.time_range = Some(TimeRange::Week);
    let plan = search.plan(&request).expect("a valid request");
    search
        .search(&Call::within(Duration::from_secs(5)), &plan)
        .await
}

const RESULTS: &str = r#"<html><div id="links"><div class="result web-result"><h2 class="result__title">
    <a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.rust%2Dlang.org%2F&rut=0">Rust</a></h2>
    <a class="result__snippet" href="x">A <b>language</b></a></div></div></html>"#;
const LITE: &str = r#"<table><tr><td><a class="result-link" href="https://lite.example/">Lite</a></td></tr>
    <tr><td class="result-snippet">Words</td></tr></table>"#;
const CHALLENGE: &str =
    r#"<form id="challenge-form"><div class="anomaly-modal__mask"></div></form>"#;

#[tokio::test]
async fn duckduckgo_results_are_parsed_from_its_page() {
    let web = Web::start().await;
    web.on("/html/", Behavior::ok(RESULTS));
    let answer = ask(&web, "duckduckgo").await.unwrap();
    let hit = &answer.groups[0].results[0].hit;
    assert_eq!(
        (hit.url.as_str(), hit.title.as_str(), hit.snippet.as_str()),
        ("https://www.rust-lang.org/", "Rust", "A language")
    );
    let seen = &web.seen_on("/html/")[0];
    assert!(
        seen.target.contains("q=rust+language") && seen.target.contains("df=w"),
        "{}",
        seen.target
    );
    assert_eq!(seen.header("referer"), None);
}

#[tokio::test]
async fn a_challenge_is_never_taken_for_no_results() {
    for challenge in [Behavior::html(202, CHALLENGE), Behavior::ok(CHALLENGE)] {
        let web = Web::start().await;
        web.on("/html/", challenge.clone())
            .on("/lite/", Behavior::ok(LITE));
        assert_eq!(
            ask(&web, "duckduckgo").await.unwrap().groups[0].results[0]
                .hit
                .title,
            "Lite"
        );
        web.on("/lite/", challenge);
        assert_eq!(
            ask(&web, "duckduckgo").await.unwrap_err().case(),
            Case::BotChallenge
        );
    }
}

#[tokio::test]
async fn a_page_without_results_must_say_so() {
    let web = Web::start().await;
    web.on(
        "/html/",
        Behavior::ok(r#"<div id="links"><div class="no-results">No results.</div></div>"#),
    );
    let answer = ask(&web, "duckduckgo").await.unwrap();
    assert!(answer.groups[0].results.is_empty() && answer.groups[0].hints.is_some());
    web.on("/html/", Behavior::ok("<h1>Something else</h1>"));
    assert_eq!(
        ask(&web, "duckduckgo").await.unwrap_err().case(),
        Case::BadShape
    );
}

#[tokio::test]
async fn errors_of_wikipedia_with_status_200_are_faults() {
    let web = Web::start().await;
    let found = json!({"query": {"searchinfo": {"totalhits": 1}, "search": [{"title": "Rust", "snippet": "<b>iron</b>"}]}});
    let cases = [
        (
            Behavior::json(200, &json!({"error": {"code": "ratelimited", "info": "x"}})),
            Some(Case::Http429),
        ),
        (
            Behavior::json(200, &json!({"error": {"code": "badvalue", "info": "x"}})),
            Some(Case::BadRequest),
        ),
        (
            Reply::new(429, "").header("Retry-After", "40").into(),
            Some(Case::Http429),
        ),
        (Behavior::ok("<html>"), Some(Case::BadShape)),
        (Behavior::json(200, &found), None),
    ];
    for (act, case) in cases {
        web.on("/w/api.php", act);
        assert_eq!(
            ask(&web, "wikipedia").await.err().map(|fault| fault.case()),
            case
        );
    }
    let hit = ask(&web, "wikipedia").await.unwrap().groups[0].results[0]
        .hit
        .clone();
    assert!(
        hit.url.ends_with("/wiki/Rust") && hit.snippet == "iron",
        "{hit:?}"
    );
}

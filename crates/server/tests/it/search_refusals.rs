//! What a search says when a provider cannot be asked: a wrong name, a missing key, a refusal of a
//! moment ago.

use std::time::Duration;

use lab::{FaultMode, OrderedFault, WaitForm};
use serde_json::json;

use crate::cases::machine;
use crate::client::Client;
use crate::searching::{lab, server};

async fn spawn(flags: &[&str]) -> Client {
    let mut client = Client::spawn(flags);
    client.initialize("2025-11-25").await;
    client
}

#[tokio::test]
async fn nobody_to_ask_is_a_matter_of_settings_and_not_an_empty_web() {
    let keyless = [
        "--ephemeral",
        "--disable-provider",
        "duckduckgo,wikipedia,hackernews",
    ];
    let mut client = spawn(&keyless).await;
    for (tool, setting) in [
        ("web_search", "FINGERPOST_BRAVE_API_KEY"),
        ("search_and_scrape", "FINGERPOST_BRAVE_API_KEY"),
        ("patent_search", "FINGERPOST_LENS_API_KEY"),
    ] {
        let failed = client.call(tool, json!({"query": "zebra"})).await;
        let error = machine(&failed);
        assert_eq!(
            (&error["kind"], &error["reason"], &error["suggestedAction"]),
            (
                &json!("config"),
                &json!("missing_key"),
                &json!("check_api_key")
            ),
            "{tool}: {failed}"
        );
        let text = failed["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("No provider for this kind of search is set up here. Ask the user to set one of these: ")
                && text.contains(setting),
            "{tool}: {text}"
        );
    }
}

#[tokio::test]
async fn a_wrong_name_is_told_with_its_place_and_the_one_that_was_meant() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "wikipedia"], &["--index=false"]).await;
    for (provider, reason, said) in [
        (
            "brve",
            "unknown_provider",
            "There is no provider of that name (did you mean brave?)",
        ),
        (
            "brave,nosuch",
            "unknown_provider",
            "There is no provider of that name (the second one given)",
        ),
        (
            "wikipedia,brve",
            "unknown_provider",
            "(the second one given; did you mean brave?)",
        ),
        (
            "local",
            "disabled_provider",
            "The local index is not enabled here",
        ),
    ] {
        let failed = client
            .call(
                "web_search",
                json!({"query": "sodium", "provider": provider}),
            )
            .await;
        assert_eq!(machine(&failed)["reason"], reason, "{failed}");
        let text = failed["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(said), "{provider}: {text}");
    }
}

#[tokio::test]
async fn a_provider_is_an_alternative_again_when_its_wait_is_over() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "tavily"], &["--deadline", "1"]).await;
    let limited = |id| OrderedFault::new(id, FaultMode::RateLimited).wait(WaitForm::Seconds, 2);
    lab.fault(limited("brave").until_waited())
        .fault(limited("tavily").until_waited());
    let failed = client.call("web_search", json!({"query": "sodium"})).await;
    assert_eq!(failed["isError"], true, "{failed}");
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let named = json!({"query": "sodium", "provider": "bing"});
    let unknown = machine(&client.call("web_search", named).await);
    assert_eq!(
        unknown["alternatives"],
        json!(["brave", "tavily"]),
        "{unknown}"
    );
}

#[tokio::test]
async fn a_provider_that_refused_once_is_asked_again() {
    let lab = lab().await;
    let mut client = server(&lab, &["hackernews"], &[]).await;
    let mut refusal = OrderedFault::new("hackernews", FaultMode::Status).times(1);
    refusal.status = Some(401);
    lab.fault(refusal);
    let named = json!({"query": "rust", "provider": "hackernews"});
    let refused = machine(&client.call("web_search", named.clone()).await);
    assert_eq!(refused["reason"], "access_denied", "{refused}");
    let found = client.call("web_search", named).await;
    assert_eq!(
        (&found["isError"], lab.count("hackernews")),
        (&json!(false), 2),
        "{found}"
    );
}

#[tokio::test]
async fn a_refusal_of_a_moment_ago_is_as_final_as_it_was() {
    let lab = lab().await;
    let mut client = server(&lab, &["duckduckgo"], &[]).await;
    lab.fault(OrderedFault::new("duckduckgo", FaultMode::Challenge));
    let search = |query: &str| json!({"query": query, "provider": "duckduckgo"});
    let first = machine(&client.call("web_search", search("rust")).await);
    let asked = lab.count("duckduckgo");
    let again = machine(&client.call("web_search", search("sodium")).await);
    assert_eq!(lab.count("duckduckgo"), asked, "not asked again yet");
    for name in [
        "reason",
        "retryable",
        "retryAfterSeconds",
        "suggestedAction",
    ] {
        assert_eq!(again[name], first[name], "{name}: {again}");
    }
    assert_eq!(again["retryable"], false, "{again}");
}

#[tokio::test]
async fn a_provider_that_found_nothing_is_named_beside_those_that_failed() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "duckduckgo", "wikipedia"], &[]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey))
        .fault(OrderedFault::new("duckduckgo", FaultMode::Challenge));
    let failed = client
        .call(
            "web_search",
            json!({"query": "qqzzxx", "sites": ["nowhere.example"]}),
        )
        .await;
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("no provider found anything (brave: ")
            && text.contains("wikipedia: 0 results"),
        "{text}"
    );
}

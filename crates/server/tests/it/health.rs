//! `health_check` tells the truth.

use lab::{FaultMode, OrderedFault, WaitForm};
use serde_json::{Value, json};

use crate::cases::machine;
use crate::client::Client;
use crate::searching::{lab, server};

async fn health(client: &mut Client) -> (Value, String) {
    let result = client.call("health_check", json!({})).await;
    assert_eq!(result["isError"], false, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    (result["structuredContent"].clone(), text)
}

#[tokio::test]
async fn a_corrupted_store_is_not_healthy() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let mut client = Client::spawn(&["--data-dir", place]);
    client.initialize("2025-11-25").await;
    let begun = client.call("sequential_search", json!({"goal": "a"})).await;
    assert_eq!(begun["isError"], false, "{begun}");
    let (facts, text) = health(&mut client).await;
    assert_eq!(facts["server_healthy"], true, "{facts}");
    assert_eq!(facts["store"], json!({"healthy": true, "kind": "file"}));
    assert!(text.starts_with("Server: healthy"), "{text}");
    drop(client);

    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::write(path, "not a database ".repeat(2_000)).unwrap();
        }
    }
    let mut client = Client::spawn(&["--data-dir", place]);
    client.initialize("2025-11-25").await;
    let (facts, text) = health(&mut client).await;
    assert_eq!(facts["server_healthy"], false, "{facts}");
    assert_eq!(facts["store"]["healthy"], false, "{facts}");
    assert!(facts["store"]["lastError"].is_string(), "{facts}");
    assert!(text.starts_with("Server: not healthy"), "{text}");
    assert!(
        text.contains(", 1 call: ") && !text.contains(".."),
        "{text}"
    );
    let begun = client.call("sequential_search", json!({"goal": "a"})).await;
    let fault = machine(&begun);
    assert_eq!(fault["retryable"], false, "a file does not heal: {begun}");
    assert_eq!(fault["suggestedAction"], "inform_user", "{begun}");
    assert!(fault["nextCalls"].is_null(), "{begun}");
    let words = begun["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("operator must repair"), "{begun}");
}

#[tokio::test]
async fn providers_are_told_with_their_breaker_and_their_last_fault() {
    let lab = lab().await;
    let mut client = server(
        &lab,
        &["tavily", "brave", "exa"],
        &["--browser", "never", "--ocr", "never"],
    )
    .await;
    let limited = OrderedFault::new("tavily", FaultMode::RateLimited);
    lab.fault(limited.wait(WaitForm::Seconds, 90));
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    for provider in ["tavily", "brave", "exa"] {
        let query = json!({"query": "rust", "provider": provider});
        client.call("web_search", query).await;
    }
    let (facts, text) = health(&mut client).await;
    let providers = &facts["providers"];
    let ready = providers["ready"].as_array().unwrap();
    assert!(
        ready.contains(&json!("exa")) && !ready.contains(&json!("brave")),
        "{facts}"
    );
    assert!(
        text.contains("Paused: tavily (rate limited, ")
            && text.contains(" s). Failing: brave (key or access refused, 0 s ago)"),
        "{text}"
    );
    assert!(!text.contains("Live search API"), "{text}");
    assert!(facts["api_healthy"].is_null(), "{facts}");
    assert_eq!(providers["paused"][0]["provider"], "tavily", "{facts}");
    assert_eq!(providers["paused"][0]["kind"], "rate_limited", "{facts}");
    assert!(
        providers["paused"][0]["retryAfterSeconds"].is_u64(),
        "{facts}"
    );
    let failing: Vec<&Value> = providers["failing"].as_array().unwrap().iter().collect();
    assert_eq!(failing[0]["provider"], "brave", "{facts}");
    assert_eq!(failing[0]["kind"], "auth_required", "{facts}");
    assert!(
        !text.contains("wikipedia"),
        "what is turned off is not told: {text}"
    );
    assert_eq!(facts["calls"]["total"], 4, "{facts}");
    assert_eq!(facts["calls"]["faults"], 2, "{facts}");
    assert_eq!(facts["calls"]["running"], 1, "the totals add up: {facts}");
    assert_eq!(facts["degraded"], true, "{facts}");
    assert!(text.starts_with("Server: degraded"), "{text}");
    assert_eq!(facts["calls"]["success_rate"], 0.333, "{facts}");
    assert_eq!(facts["browser"], "off", "{facts}");
    assert_eq!(facts["document_worker"], "found", "{facts}");
    assert_eq!(facts["ocr"], "off", "{facts}");
    assert!(facts["cache"]["entries"].as_u64() > Some(0), "{facts}");

    lab.clear();
    let query = json!({"query": "rust again", "provider": "brave"});
    client.call("web_search", query).await;
    let (facts, _) = health(&mut client).await;
    let failing = facts["providers"]["failing"].to_string();
    assert!(!failing.contains("brave"), "it answered again: {facts}");
}

#[tokio::test]
async fn the_words_of_the_live_format_stay() {
    let mut client = Client::spawn(&["--ephemeral", "--toolset", "live"]);
    client.initialize("2025-11-25").await;
    let (facts, _) = health(&mut client).await;
    assert_eq!(facts["api_healthy"], false);
    assert_eq!(facts["api_details"]["hasApiKey"], false);
    let error = &facts["api_details"]["lastError"];
    assert_eq!(error, "XAI_API_KEY environment variable not set");
    assert_eq!(facts["store"]["kind"], "memory", "{facts}");
    assert!(
        facts["calls"]["success_rate"].is_null(),
        "no call has ended: {facts}"
    );
}

#[tokio::test]
async fn a_step_whose_search_failed_is_no_success() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave"], &["--index=false"]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let step = json!({"goal": "cells", "query": "sodium"});
    let begun = client.call("sequential_search", step).await;
    assert_eq!(begun["isError"], false, "{begun}");
    let (facts, _) = health(&mut client).await;
    assert_eq!(facts["calls"]["faults"], 1, "{facts}");
    assert_eq!(facts["calls"]["succeeded"], 0, "{facts}");
    assert_eq!(facts["faults"]["auth_required"], 1, "{facts}");
}

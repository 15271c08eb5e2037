//! The argument `timeout` that every tool takes: less time than the operator allows, and what to do
//! when it was too little.

use std::time::Duration;

use lab::{FaultMode, OrderedFault};
use serde_json::json;
use testkit::{Behavior, Reply, Web};

use crate::cases::{machine, name_of};
use crate::client::Client;
use crate::searching::{lab, server};

async fn reader(web: &Web, more: &[&str]) -> Client {
    let allow = format!("127.0.0.1:{}", web.port());
    let common = [
        "--ephemeral",
        "--browser",
        "never",
        "--allow-private",
        &allow,
    ];
    let mut client = Client::spawn(&[&common[..], more].concat());
    client.initialize("2025-11-25").await;
    client
}

/// A page that comes after this time.
fn slow(after: Duration) -> Behavior {
    let words = "Plain words that make a paragraph long enough to count as one. ".repeat(6);
    let page = format!("<html><body><article><p>{words}</p></article></body></html>");
    Behavior::Slow {
        reply: Reply::html(200, page),
        wait: after,
    }
}

#[tokio::test]
async fn a_timeout_that_was_too_short_leads_to_the_call_with_more_time() {
    let web = Web::start().await;
    web.on("/slow", slow(Duration::from_secs(3)));
    let mut client = reader(&web, &["--deadline", "20"]).await;
    let call = json!({"url": web.url("/slow"), "timeout": 1});
    let failed = client.call("scrape_page", call).await;
    let error = machine(&failed);
    assert_eq!(name_of(&error), "network/timeout", "{failed}");
    assert_eq!(error["retryable"], true, "{failed}");
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("20 seconds are allowed here: make the same call with a larger timeout"),
        "{text}"
    );
    assert_eq!(
        error["nextCalls"],
        json!([{"tool": "scrape_page", "arguments": {"url": web.url("/slow"), "timeout": 20}}]),
        "{text}"
    );
    let next = error["nextCalls"][0]["arguments"].clone();
    let read = client.call("scrape_page", next).await;
    assert_eq!(read["isError"], false, "the advice works: {read}");
}

#[tokio::test]
async fn the_operators_limit_holds_whatever_the_timeout_and_the_reply_says_so() {
    let web = Web::start().await;
    web.on("/never", Behavior::StallHead);
    let mut client = reader(&web, &["--deadline", "1"]).await;
    let call = json!({"url": web.url("/never"), "timeout": 600});
    let failed = client.call("scrape_page", call).await;
    let (error, text) = (machine(&failed), failed["content"][0]["text"].to_string());
    assert_eq!(name_of(&error), "network/timeout", "{failed}");
    assert!(
        text.contains("1 second is the most that one call may take here")
            && text.contains("ask for less"),
        "{text}"
    );
}

#[tokio::test]
async fn a_tool_whose_schema_has_no_timeout_takes_it_and_suggests_a_call_that_fits_its_schema() {
    let lab = lab().await;
    let mut client = server(&lab, &["tavily"], &["--deadline", "8"]).await;
    lab.fault(OrderedFault::new("tavily", FaultMode::StalledHead));
    let call = json!({"query": "rust", "provider": "tavily", "timeout": "1"});
    let error = machine(&client.call("web_search", call).await);
    assert_eq!(name_of(&error), "network/timeout", "{error}");
    assert_eq!(
        error["nextCalls"][0],
        json!({"tool": "web_search", "arguments": {"query": "rust", "provider": "tavily"}}),
        "{error}"
    );
}

#[tokio::test]
async fn a_step_whose_search_had_too_little_time_leads_to_the_same_step_with_more() {
    let lab = lab().await;
    let more = ["--deadline", "20", "--toolset", "research"];
    let mut client = server(&lab, &["tavily"], &more).await;
    let mut late = OrderedFault::new("tavily", FaultMode::Slow);
    late.delay_ms = 1_500;
    lab.fault(late);
    let call = json!({"goal": "g", "searchStep": "s", "query": "rust", "provider": "tavily", "timeout": 1});
    let taken = client.call("sequential_search", call).await;
    let text = taken["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("20 seconds are allowed here: make the same call with a larger timeout"),
        "{text}"
    );
    let error = &taken["structuredContent"]["searchError"];
    assert_eq!(error["retryable"], true, "{error}");
    let next = &error["nextCalls"][0];
    assert_eq!(next["tool"], "sequential_search", "{error}");
    assert!(next["arguments"].get("timeout").is_none(), "{error}");
    let again = client
        .call("sequential_search", next["arguments"].clone())
        .await;
    let content = &again["structuredContent"];
    assert!(
        content["search"].is_object() && content["repeated"] == true,
        "the advice works: {again}"
    );
}

#[tokio::test]
async fn impatient_callers_do_not_close_a_provider_for_the_others() {
    let lab = lab().await;
    let mut client = server(&lab, &["tavily"], &["--deadline", "20"]).await;
    let mut late = OrderedFault::new("tavily", FaultMode::Slow);
    late.delay_ms = 1_500;
    lab.fault(late);
    for number in 0..7 {
        let call = json!({"query": format!("rust {number}"), "provider": "tavily", "timeout": 1});
        let failed = client.call("web_search", call).await;
        assert_eq!(failed["isError"], true, "{failed}");
    }
    let patient = json!({"query": "sodium", "provider": "tavily"});
    let found = client.call("web_search", patient).await;
    assert_eq!(found["isError"], false, "{found}");
}

#[tokio::test]
async fn an_impatient_caller_does_not_fail_a_patient_one_that_shares_its_work() {
    let web = Web::start().await;
    web.on("/slow", slow(Duration::from_secs(2)));
    let mut client = reader(&web, &["--deadline", "20"]).await;
    let call = |arguments| json!({"name": "scrape_page", "arguments": arguments});
    let url = web.url("/slow");
    let first = client
        .begin("tools/call", call(json!({"url": url, "timeout": 1})))
        .await;
    let second = client.begin("tools/call", call(json!({"url": url}))).await;
    let impatient = client.reply(first).await["result"].clone();
    assert_eq!(impatient["isError"], true, "{impatient}");
    let patient = client.reply(second).await["result"].clone();
    assert_eq!(patient["isError"], false, "{patient}");
}

#[tokio::test]
async fn a_wrong_timeout_is_told_like_any_other_argument() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    for wrong in [json!(0), json!("soon"), json!(1.5), json!([1, 2])] {
        let call = json!({"url": "https://a.example/", "timeout": wrong});
        let failed = client.call("scrape_page", call).await;
        let text = failed["content"][0]["text"].as_str().unwrap();
        assert_eq!(machine(&failed)["reason"], "invalid_argument", "{text}");
        assert!(text.starts_with("timeout "), "{text}");
    }
}

#[tokio::test]
async fn every_tool_takes_a_timeout() {
    let mut client = Client::spawn(&["--ephemeral", "--toolset", "all", "--dialect", "dual"]);
    client.initialize("2025-11-25").await;
    let list = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    for tool in list.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let call = json!({"timeout": 1, "no_such": 1});
        let failed = client.call(name, call).await;
        assert_eq!(
            machine(&failed)["unknownArguments"],
            json!(["no_such"]),
            "{name}: {failed}"
        );
    }
}

#[tokio::test]
async fn of_several_pages_the_late_one_is_told_how_to_get_more_time() {
    let web = Web::start().await;
    web.on("/slow", slow(Duration::from_secs(30)));
    web.on("/slower", slow(Duration::from_secs(30)));
    web.on("/quick", slow(Duration::ZERO));
    let more = ["--deadline", "20", "--toolset", "web", "--dialect", "dual"];
    let mut client = reader(&web, &more).await;
    let told = "20 seconds are allowed here: make the same call with a larger timeout";
    let urls = json!([web.url("/quick"), web.url("/slow")]);
    let partial = client
        .call("fetch_content", json!({"urls": urls, "timeout": 1}))
        .await;
    let text = partial["content"][0]["text"].as_str().unwrap();
    assert_eq!(partial["isError"], false, "{text}");
    assert!(
        text.contains(told) && !text.contains("retry once"),
        "{text}"
    );

    let urls = json!([web.url("/slow"), web.url("/slower")]);
    let failed = client
        .call("fetch_content", json!({"urls": urls, "timeout": 1}))
        .await;
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(told), "{text}");
    let entry = &failed["structuredContent"]["scrapeFailures"][0]["error"];
    assert_eq!(entry["retryAfterSeconds"], 0, "{failed}");
    assert_eq!(
        machine(&failed)["nextCalls"],
        json!([{"tool": "fetch_content", "arguments": {"urls": urls, "timeout": 20}}]),
        "{text}"
    );
}

#[tokio::test]
async fn a_suggested_call_has_no_timeout_where_the_schema_shows_none() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "tavily"], &["--index=false"]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let call = json!({"query": "zebra", "provider": "brave", "timeout": 5});
    let failed = client.call("web_search", call).await;
    let calls = machine(&failed)["nextCalls"].clone();
    assert_eq!(
        calls,
        json!([{"tool": "web_search", "arguments": {"query": "zebra", "provider": "tavily"}}]),
        "{failed}"
    );
    let failed = client
        .call(
            "scrape_page",
            json!({"url": "https://a.example/", "zzzzzz": 1}),
        )
        .await;
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("sessionId, timeout"), "{text}");
    let failed = client
        .call(
            "scrape_page",
            json!({"url": "https://a.example/", "timeout": 0}),
        )
        .await;
    let text = failed["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("timeout must be 1 or more"), "{text}");
}

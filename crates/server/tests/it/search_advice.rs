//! What searches say when providers fail: whose wait it is, what is missing, and calls that help.

use std::time::Duration;

use lab::{FaultMode, OrderedFault, RunningLab, WaitForm};
use serde_json::{Value, json};
use testkit::{Behavior, Web};

use crate::cases::machine;
use crate::client::Client;
use crate::searching::{flags, lab};

/// A server with a deadline that is shorter than the waits in these tests, so that they are told
/// and not waited for.
async fn hurried(lab: &RunningLab, providers: &[&str], more: &[&str]) -> Client {
    let mut flags = flags(lab, providers);
    let deadline = flags.iter().position(|flag| flag == "--deadline").unwrap();
    flags[deadline + 1] = "2".to_owned();
    flags.extend(more.iter().map(|flag| (*flag).to_owned()));
    let mut client = Client::spawn(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    client.initialize("2025-11-25").await;
    client
}

fn limited(provider: &str, seconds: u64) -> OrderedFault {
    OrderedFault::new(provider, FaultMode::RateLimited).wait(WaitForm::Seconds, seconds)
}

fn sentence(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str().unwrap();
    text.lines().next().unwrap()
}

/// Makes the first suggested call, after its wait.
async fn obey(client: &mut Client, calls: &Value) -> Value {
    let call = &calls[0];
    let wait = call["afterSeconds"].as_u64().unwrap_or_default();
    tokio::time::sleep(Duration::from_secs(wait)).await;
    let tool = call["tool"].as_str().unwrap();
    client.call(tool, call["arguments"].clone()).await
}

/// A server whose index has one page, about sodium.
async fn with_an_indexed_page(lab: &RunningLab, providers: &[&str]) -> (Client, Web) {
    let web = Web::start().await;
    let words = "Sodium batteries store energy for longer than a day. ".repeat(8);
    let page = format!(
        "<html><head><title>Sodium at home</title></head><body><article><h1>Sodium at home</h1><p>{words}</p></article></body></html>"
    );
    web.on("/sodium", Behavior::html(200, page));
    let allow = format!("127.0.0.1:{}", web.port());
    // A private page of the index is read as the result of a search where a provider is set to be.
    let url = web.url("/");
    let more = [
        "--allow-private",
        &allow,
        "--searxng-url",
        &url,
        "--robots=false",
        "--browser",
        "never",
    ];
    let mut client = hurried(lab, providers, &more).await;
    let read = client
        .call("scrape_page", json!({"url": web.url("/sodium")}))
        .await;
    assert_eq!(read["isError"], false, "{read}");
    (client, web)
}

#[tokio::test]
async fn a_wrong_key_does_not_hide_that_another_provider_is_free_soon() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave", "tavily"], &[]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey))
        .fault(limited("tavily", 3).until_waited());
    let arguments = json!({"query": "sodium", "max_results": 3});
    let failed = client.call("web_search", arguments.clone()).await;
    let error = machine(&failed);
    assert_eq!(
        (
            &error["reason"],
            &error["retryable"],
            &error["retryAfterSeconds"]
        ),
        (&json!("bad_key"), &json!(true), &json!(3)),
        "{failed}"
    );
    assert!(
        sentence(&failed).contains("FINGERPOST_BRAVE_API_KEY")
            && sentence(&failed).contains("Tavily is free again in 3 seconds"),
        "{failed}"
    );
    assert_eq!(
        error["nextCalls"],
        json!([{"tool": "web_search", "arguments": arguments, "afterSeconds": 3}])
    );
    let found = obey(&mut client, &error["nextCalls"]).await;
    assert_eq!(
        (&found["isError"], &found["structuredContent"]["status"]),
        (&json!(false), &json!("complete")),
        "{found}"
    );
}

#[tokio::test]
async fn the_earliest_wait_is_told_with_its_provider_for_one_query_and_for_several() {
    for arguments in [
        json!({"query": "sodium"}),
        json!({"queries": ["sodium", "rust"]}),
    ] {
        let lab = lab().await;
        let mut client = hurried(&lab, &["brave", "tavily"], &[]).await;
        lab.fault(limited("brave", 90)).fault(limited("tavily", 20));
        let failed = client.call("web_search", arguments.clone()).await;
        let error = machine(&failed);
        assert_eq!(error["retryAfterSeconds"], 20, "{failed}");
        assert_eq!(error["nextCalls"][0]["arguments"], arguments);
        assert_eq!(error["nextCalls"][0]["afterSeconds"], 20);
        assert!(
            sentence(&failed)
                .contains("Tavily is free again in 20 seconds (Brave Search in 90 seconds)"),
            "{failed}"
        );
        let text = failed["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.matches("brave: HTTP 429").count(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_used_up_plan_stays_used_up_while_its_provider_is_paused() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave", "tavily"], &[]).await;
    for provider in ["brave", "tavily"] {
        lab.fault(OrderedFault::new(provider, FaultMode::Quota));
    }
    let named = |query| json!({"query": query, "provider": "brave"});
    for arguments in [named("sodium"), named("rust"), json!({"query": "bread"})] {
        let failed = client.call("web_search", arguments.clone()).await;
        let error = machine(&failed);
        assert_eq!(
            (
                &error["reason"],
                &error["retryable"],
                &error["retryAfterSeconds"]
            ),
            (&json!("quota_exhausted"), &json!(false), &Value::Null),
            "{arguments}: {failed}"
        );
        assert!(
            sentence(&failed).contains("Do not retry") && !sentence(&failed).contains("free again"),
            "{failed}"
        );
    }
    assert_eq!(lab.count("brave"), 1, "the pause holds all the same");
}

#[tokio::test]
async fn what_the_operator_has_to_set_does_not_hide_the_other_providers() {
    for (provider, code) in [
        ("wikipedia", "WEB_SEARCH_FAILED"),
        ("searxng", "WEB_SEARCH_FAILED"),
    ] {
        let lab = lab().await;
        let flags = ["--toolset", "web"];
        let mut client = hurried(&lab, &[provider, "brave"], &flags).await;
        lab.fault(OrderedFault::new(provider, FaultMode::Forbidden));
        let arguments = json!({"query": "sodium", "provider": provider});
        let failed = client.call("web_search", arguments).await;
        let error = &failed["structuredContent"]["error"];
        assert_eq!(error["code"], code, "{failed}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("Do not retry before that is done.")
                && message.ends_with("Meanwhile try a different provider: brave."),
            "{message}"
        );
    }
}

#[tokio::test]
async fn several_queries_are_told_to_wait_for_the_first_that_may_succeed() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave"], &[]).await;
    // One query is refused for good, the other for 20 seconds.
    lab.fault(OrderedFault::new("brave", FaultMode::BadRequest).times(1))
        .fault(limited("brave", 20));
    let failed = client
        .call(
            "web_search",
            json!({"queries": ["sodium", "rust"], "provider": "brave"}),
        )
        .await;
    let error = machine(&failed);
    assert_eq!(
        (&error["retryable"], &error["retryAfterSeconds"]),
        (&json!(true), &json!(20)),
        "{failed}"
    );
}

#[tokio::test]
async fn an_outage_is_partial_however_much_the_index_has() {
    let lab = lab().await;
    let (mut client, _web) = with_an_indexed_page(&lab, &["brave", "tavily"]).await;
    lab.fault(limited("brave", 4).until_waited())
        .fault(OrderedFault::new("tavily", FaultMode::BadKey));
    let partial = client.call("web_search", json!({"query": "sodium"})).await;
    let answer = &partial["structuredContent"];
    assert_eq!(
        (
            &partial["isError"],
            &answer["status"],
            &answer["resultCount"]
        ),
        (&json!(false), &json!("partial"), &json!(1)),
        "{partial}"
    );
    let degraded = answer["degraded"].to_string();
    for said in [
        "Only pages that were read here before were searched.",
        "Rate limited (Brave Search). It may answer again in 4 seconds.",
        "FINGERPOST_TAVILY_API_KEY",
    ] {
        assert!(degraded.contains(said), "{said}: {partial}");
    }
    assert_eq!(answer["retryAfterSeconds"], 4, "{partial}");
    let text = partial["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Status: partial\n1 result for ")
            && text.contains("To get the rest: after 4 seconds, web_search"),
        "{text}"
    );
    let read = client
        .call("search_and_scrape", json!({"query": "sodium"}))
        .await;
    let text = read["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Status: partial (1 of 1 page read")
            && text.contains("Rate limited (Brave Search)")
            && text.contains("To get the rest: after ")
            && read["_meta"]["nextCalls"][0]["afterSeconds"].is_u64(),
        "{text}"
    );
    let whole = obey(&mut client, &answer["nextCalls"]).await;
    let answer = &whole["structuredContent"];
    assert_eq!(
        (&answer["status"], &answer["providers"]),
        (&json!("complete"), &json!(["brave"])),
        "{whole}"
    );
}

#[tokio::test]
async fn only_the_queries_without_an_answer_are_suggested_again() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave"], &[]).await;
    let found = client
        .call("web_search", json!({"query": "rust", "sites": ["example"]}))
        .await;
    assert_eq!(found["isError"], false, "{found}");
    lab.fault(limited("brave", 3).until_waited());
    let arguments =
        json!({"queries": ["rust", "sodium"], "provider": "brave", "sites": ["example"]});
    let partial = client.call("web_search", arguments).await;
    let answer = &partial["structuredContent"];
    assert_eq!(answer["status"], "partial", "{partial}");
    let text = partial["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Failed: \"sodium\": Rate limited (Brave Search).")
            && !text.contains("0 results"),
        "a failed query is not one without results: {text}"
    );
    assert_eq!(
        answer["nextCalls"][0]["arguments"],
        json!({"queries": ["sodium"], "provider": "brave", "sites": ["example"]})
    );
    let rest = obey(&mut client, &answer["nextCalls"]).await;
    assert_eq!(rest["structuredContent"]["status"], "complete", "{rest}");
}

#[tokio::test]
async fn a_fallback_says_which_key_to_correct_and_what_each_provider_did() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave", "exa", "tavily"], &[]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey))
        .fault(limited("tavily", 30));
    let found = client
        .call("web_search", json!({"queries": ["sodium", "rust"]}))
        .await;
    let answer = &found["structuredContent"];
    assert_eq!(answer["status"], "complete", "{found}");
    assert_eq!(
        answer["degraded"],
        json!([
            "Brave Search rejected the API key (HTTP 422). Ask the user to check the key in FINGERPOST_BRAVE_API_KEY.",
            "Rate limited (Tavily). It may answer again in 30 seconds.",
        ]),
        "{found}"
    );
    assert_eq!(
        answer["attempts"][0],
        json!({"provider": "brave", "query": 1, "outcome": "failed", "kind": "auth_required", "reason": "bad_key"})
    );
    let named = client
        .call(
            "web_search",
            json!({"query": "sodium", "provider": "brave,exa"}),
        )
        .await;
    assert_eq!(named["structuredContent"]["status"], "partial", "{named}");
    assert!(!found.to_string().contains("did not answer"), "{found}");
}

#[tokio::test]
async fn a_wrong_key_is_told_as_long_as_it_is_remembered() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave", "tavily"], &[]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    for query in ["sodium", "rust", "bread"] {
        let found = client.call("web_search", json!({"query": query})).await;
        let answer = &found["structuredContent"];
        assert_eq!(answer["providers"], json!(["tavily"]), "{found}");
        assert_eq!(
            answer["degraded"],
            json!([
                "Brave Search rejected the API key (HTTP 422). Ask the user to check the key in FINGERPOST_BRAVE_API_KEY."
            ]),
            "{query}: {found}"
        );
    }
    assert_eq!(lab.count("brave"), 1, "it is not asked for that");
}

#[tokio::test]
async fn providers_that_are_all_late_are_counted_and_no_call_asks_for_more_than_is_allowed() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave", "tavily"], &[]).await;
    for provider in ["brave", "tavily"] {
        lab.fault(OrderedFault::new(provider, FaultMode::StalledHead));
    }
    let late = client
        .call("web_search", json!({"query": "sodium", "timeout": 1}))
        .await;
    assert!(
        sentence(&late).starts_with(
            "None of the 2 providers asked answered in time. 2 seconds are allowed here"
        ),
        "{late}"
    );
    let late = client
        .call("web_search", json!({"query": "rust", "timeout": 100_000}))
        .await;
    let error = machine(&late);
    assert_eq!(
        error["nextCalls"][0]["arguments"],
        json!({"query": "rust"}),
        "{late}"
    );
}

#[tokio::test]
async fn the_index_is_suggested_only_with_a_match() {
    let lab = lab().await;
    let mut empty = hurried(&lab, &["brave"], &[]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let named = json!({"query": "sodium", "provider": "brave"});
    let failed = machine(&empty.call("web_search", named.clone()).await);
    assert!(
        failed["alternatives"].is_null() && failed["nextCalls"].is_null(),
        "{failed}"
    );
    let nothing = empty
        .call(
            "web_search",
            json!({"query": "sodium", "provider": "local"}),
        )
        .await;
    assert!(
        !nothing["structuredContent"]["hints"]
            .to_string()
            .contains("brave"),
        "the hint leads back to the provider that just failed: {nothing}"
    );
    let text = nothing["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Nothing was found: the local index is empty. Try: read pages first"),
        "{text}"
    );
    let (mut client, _web) = with_an_indexed_page(&lab, &["brave"]).await;
    let failed = machine(&client.call("web_search", named).await);
    assert_eq!(failed["alternatives"], json!(["local"]), "{failed}");
    assert_eq!(
        failed["nextCalls"][0]["arguments"],
        json!({"query": "sodium", "provider": "local"}),
        "auto would ask the provider that just failed first: {failed}"
    );
    let found = obey(&mut client, &failed["nextCalls"]).await;
    assert_eq!(found["structuredContent"]["resultCount"], 1, "{found}");
    let elsewhere = machine(
        &client
            .call("web_search", json!({"query": "zebra", "provider": "brave"}))
            .await,
    );
    assert!(elsewhere["nextCalls"].is_null(), "{elsewhere}");
}

#[tokio::test]
async fn a_fault_that_passes_within_a_second_costs_no_failed_reply() {
    for (mode, status) in [
        (FaultMode::Reset, None),
        (FaultMode::Closed, None),
        (FaultMode::Status, Some(502)),
        (FaultMode::Overloaded, None),
        (FaultMode::RateLimited, None),
    ] {
        for arguments in [
            json!({"query": "sodium", "provider": "brave"}),
            json!({"query": "sodium"}),
        ] {
            let lab = lab().await;
            let mut client = crate::searching::server(&lab, &["brave"], &[]).await;
            let mut fault = OrderedFault::new("brave", mode)
                .wait(WaitForm::Seconds, 1)
                .until_waited();
            fault.status = status;
            lab.fault(fault);
            let found = client.call("web_search", arguments.clone()).await;
            assert_eq!(found["isError"], false, "{mode:?} {arguments}: {found}");
            assert_eq!(lab.count("brave"), 2, "{mode:?}: one retry");
        }
    }
}

#[tokio::test]
async fn an_unknown_category_is_refused_with_the_known_ones() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["exa"], &[]).await;
    let refused = client
        .call(
            "structured_search",
            json!({"query": "sodium", "category": "companies"}),
        )
        .await;
    let error = machine(&refused);
    assert_eq!(error["reason"], "invalid_argument", "{refused}");
    assert!(
        sentence(&refused).contains("category must be one of company, people, research paper"),
        "{refused}"
    );
    assert_eq!(lab.count("exa"), 0);
    let known = client
        .call(
            "structured_search",
            json!({"query": "sodium", "category": "research paper"}),
        )
        .await;
    assert_eq!(known["isError"], false, "{known}");
}

#[tokio::test]
async fn a_query_that_is_refused_or_finds_nothing_is_to_be_broadened() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave"], &[]).await;
    let nothing = client
        .call(
            "web_search",
            json!({"query": "sodium", "sites": ["nowhere.example"]}),
        )
        .await;
    let hints = &nothing["structuredContent"]["hints"];
    assert_eq!(
        (&hints["suggestedAction"], &hints["suggestedActions"][0]),
        (
            &json!("broaden_query"),
            &json!({"action": "remove_filter", "value": "sites"})
        ),
        "{nothing}"
    );
    let text = nothing["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("0 results for ") && text.contains("Try: leave out sites"),
        "{text}"
    );
    lab.fault(OrderedFault::new("brave", FaultMode::BadRequest));
    let refused = machine(&client.call("web_search", json!({"query": "sodium"})).await);
    assert_eq!(refused["suggestedAction"], "broaden_query", "{refused}");
}

#[tokio::test]
async fn the_text_of_an_answer_is_short_and_plain() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["brave", "openalex", "exa"], &[]).await;
    let one = json!({"query": "sodium", "max_results": 1});
    for _ in 0..2 {
        let found = client.call("web_search", one.clone()).await;
        let text = found["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("1 result for ")
                && !text.contains("Response id")
                && !text.contains(" s old"),
            "{text}"
        );
    }
    let papers = client.call("academic_search", one).await;
    let text = papers["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("published 20"), "{text}");
    let schema = json!({"type": "object", "properties": {"topic": {"type": "string"}}});
    let fields = client
        .call(
            "structured_search",
            json!({"query": "sodium", "schema": schema}),
        )
        .await;
    let text = fields["content"][0]["text"].as_str().unwrap();
    assert!(!text.contains('{'), "{text}");
}

#[tokio::test]
async fn our_own_pace_is_told_as_ours_and_leads_to_the_rest() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["duckduckgo"], &[]).await;
    let mut arguments =
        json!({"queries": ["rust", "sodium", "battery", "goat", "iron"], "provider": "duckduckgo"});
    let mut asked = 0;
    for _ in 0..5 {
        let found = client.call("web_search", arguments.clone()).await;
        let answer = &found["structuredContent"];
        assert_eq!(found["isError"], false, "{found}");
        let now = lab.count("duckduckgo");
        assert!(
            now > asked,
            "the suggested call was refused by our own limiter: {found}"
        );
        asked = now;
        if answer["status"] == "complete" {
            break;
        }
        assert!(
            found
                .to_string()
                .contains("This server has asked DuckDuckGo as often as it may for now (at most one request a second)"),
            "{found}"
        );
        let next = &answer["nextCalls"][0];
        tokio::time::sleep(Duration::from_secs(next["afterSeconds"].as_u64().unwrap())).await;
        arguments = next["arguments"].clone();
    }
    assert_eq!(asked, 5, "each query was sent once");
}

#[tokio::test]
async fn a_kind_of_search_that_nobody_offers_is_not_blamed_on_the_named_provider() {
    let lab = lab().await;
    let mut client = hurried(&lab, &["wikipedia"], &[]).await;
    let failed = client
        .call(
            "news_search",
            json!({"query": "sodium", "provider": "wikipedia"}),
        )
        .await;
    assert!(
        sentence(&failed).starts_with("No provider for this kind of search is set up here."),
        "{failed}"
    );
    assert!(machine(&failed)["nextCalls"].is_null(), "{failed}");
}

/// SearXNG at a wrong address: somebody else answers there, or the way to it.
#[tokio::test]
async fn a_wrong_address_of_searxng_is_told_as_that_and_not_as_its_limiter() {
    let web = Web::start().await;
    web.on("/path/search", Behavior::redirect(302, "/path/"))
        .on("/login/search", Behavior::redirect(302, "/sign-in"))
        .on(
            "/moved/search",
            Behavior::redirect(301, "https://search.example/search"),
        )
        .on("/gone/search", Behavior::status(404));
    for (path, says, setting) in [
        ("/path", "SearXNG's limiter refuses this server.", false),
        (
            "/login",
            "There is no SearXNG at the configured address",
            true,
        ),
        (
            "/moved",
            "There is no SearXNG at the configured address",
            true,
        ),
        (
            "/gone",
            "There is no SearXNG at the configured address",
            true,
        ),
    ] {
        let url = web.url(path);
        let mut client = Client::spawn(&["--ephemeral", "--searxng-url", &url]);
        client.initialize("2025-11-25").await;
        let query = json!({"query": "words", "provider": "searxng"});
        let failed = client.call("web_search", query).await;
        let error = machine(&failed);
        assert_eq!(
            (&error["reason"], &error["retryable"]),
            (&json!("bad_setting"), &json!(false)),
            "{failed}"
        );
        let text = failed["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(says), "{path}: {text}");
        assert_eq!(text.contains("FINGERPOST_SEARXNG_URL"), setting, "{text}");
    }
}

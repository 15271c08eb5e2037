//! `--tools`: only the named tools are offered, and nothing points to another one.

use serde_json::{Value, json};
use testkit::{Behavior, Web};

use crate::cases::machine;
use crate::client::{Client, Exit, program};
use crate::searching::{lab, server};

async fn listed(client: &mut Client) -> Vec<String> {
    let list = client.request("tools/list", json!({})).await["result"]["tools"].clone();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(name).collect()
}

async fn offered(arguments: &[&str]) -> Vec<String> {
    let mut client = Client::spawn(&[&["--ephemeral"], arguments].concat());
    client.initialize("2025-11-25").await;
    listed(&mut client).await
}

#[tokio::test]
async fn only_the_named_tools_are_listed_and_can_be_called() {
    let names = ["web_search", "scrape_page"];
    assert_eq!(
        offered(&["--tools", "scrape_page, web_search"]).await,
        names
    );
    assert_eq!(
        offered(&["--tools", "scrape_page", "--tools", "web_search"]).await,
        names
    );
    let mut client = Client::spawn(&["--ephemeral", "--tools", "web_search"]);
    client.initialize("2025-11-25").await;
    let params = json!({"name": "scrape_page", "arguments": {"url": "https://a.example/"}});
    let refused = client.request("tools/call", params).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(
        refused["error"]["data"]["tools"],
        json!(["web_search"]),
        "{refused}"
    );
}

#[tokio::test]
async fn without_a_toolset_each_tool_brings_its_own_and_its_dialect() {
    assert_eq!(
        offered(&["--tools", "grok_search,get_pattern,web_search"]).await,
        ["web_search", "grok_search", "get_pattern"]
    );
    let mut client = Client::spawn(&["--ephemeral", "--tools", "fetch_content"]);
    client.initialize("2025-11-25").await;
    let failed = client
        .call("fetch_content", json!({"url": "http://127.0.0.1:1/"}))
        .await;
    let text = failed["content"][0]["text"].as_str().unwrap();
    let error: Value = serde_json::from_str(text).unwrap();
    assert!(
        error["error"]["code"].is_string(),
        "the web dialect: {text}"
    );
}

#[tokio::test]
async fn wrong_names_are_refused_with_the_nearest_or_the_toolset() {
    for (arguments, variables, parts) in [
        (
            &["serve", "--tools", "websearch"][..],
            &[][..],
            &["--tools: there is no tool \"websearch\"; the nearest one is web_search"][..],
        ),
        (
            &["serve", "--tools", "zzz"],
            &[],
            &["there are: web_search, search_and_scrape"],
        ),
        (
            &["serve"],
            &[("FINGERPOST_TOOLS", "scrape_pag")],
            &["FINGERPOST_TOOLS: ", "the nearest one is scrape_page"],
        ),
        (
            &["serve", "--tools", "grok_search", "--toolset", "research"],
            &[],
            &[
                "grok_search is in none of the chosen toolsets; to offer it too: --toolset research,live",
            ],
        ),
    ] {
        let mut command = program();
        command.args(arguments).envs(variables.iter().copied());
        let ended = Exit::from_output(&command.output().await.unwrap());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        for part in parts {
            assert!(ended.stderr.contains(part), "{part} in {}", ended.stderr);
        }
    }
}

#[tokio::test]
async fn no_reply_names_a_tool_that_is_not_offered() {
    let web = Web::start().await;
    web.on("/a-title-in-words", Behavior::status(404));
    let long = "Plain words that make a paragraph long enough to count as one. ".repeat(80);
    web.on(
        "/long",
        Behavior::ok(format!(
            "<html><body><article><p>{long}</p></article></body></html>"
        )),
    );
    let allow = format!("127.0.0.1:{}", web.port());
    let read = [
        "--ephemeral",
        "--browser",
        "never",
        "--allow-private",
        &allow,
    ];
    let mut alone = Client::spawn(&[&read[..], &["--tools", "scrape_page"]].concat());
    alone.initialize("2025-11-25").await;
    let mut all = Client::spawn(&read);
    all.initialize("2025-11-25").await;

    let gone = json!({"url": web.url("/a-title-in-words")});
    let offered = machine(&all.call("scrape_page", gone.clone()).await);
    assert_eq!(offered["nextCalls"][0]["tool"], "web_search", "{offered}");
    let missing = machine(&alone.call("scrape_page", gone).await);
    assert!(missing.get("nextCalls").is_none(), "{missing}");

    let part = json!({"url": web.url("/long"), "max_chars": 300});
    let text = |result: Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    let offered = text(all.call("scrape_page", part.clone()).await);
    assert!(offered.contains("get_search_content"), "{offered}");
    let cut = text(alone.call("scrape_page", part).await);
    assert!(
        cut.contains("read on with cursor=") && !cut.contains("get_search_content"),
        "{cut}"
    );

    let unknown = json!({"url": web.url("/long"), "sessionId": "ses_1794730000000_abc"});
    let offered = text(all.call("scrape_page", unknown.clone()).await);
    assert!(offered.contains("get_research_session"), "{offered}");
    let plain = text(alone.call("scrape_page", unknown).await);
    assert!(
        plain.contains("was not recorded.") && !plain.contains("get_research_session"),
        "{plain}"
    );
}

#[tokio::test]
async fn sentences_about_patterns_and_sessions_name_only_what_is_offered() {
    let swallowed = "def a():\n    try:\n        x()\n    except:\n        pass\n".repeat(12);
    for (tool, arguments, other) in [
        (
            "search_patterns",
            json!({"q": "retry", "category": "retry-and-backoff"}),
            "get_pattern",
        ),
        (
            "get_pattern",
            json!({"id": "zzzzzzzzzzzz"}),
            "search_patterns",
        ),
        (
            "review_code",
            json!({"code": swallowed, "filePath": "a.py"}),
            "analyze_code",
        ),
        (
            "analyze_code",
            json!({"source": "fn a() {}", "filename": "a.rs", "config": {"rules": {"zzzzzzzzzzzz": "off"}}}),
            "list_analysis_rules",
        ),
        ("get_research_session", json!({}), "sequential_search"),
    ] {
        let both = format!("{tool},{other}");
        for (offered, is_named) in [(both.as_str(), true), (tool, false)] {
            let mut client = Client::spawn(&["--ephemeral", "--tools", offered]);
            client.initialize("2025-11-25").await;
            let told = client.call(tool, arguments.clone()).await.to_string();
            assert_eq!(told.contains(other), is_named, "{tool}: {told}");
        }
    }
}

#[tokio::test]
async fn a_search_without_the_tool_that_reads_stored_answers_stores_none() {
    let lab = lab().await;
    let mut client = server(&lab, &["tavily"], &["--tools", "web_search"]).await;
    let found = client.call("web_search", json!({"query": "rust"})).await;
    assert_eq!(found["isError"], false, "{found}");
    assert!(!found.to_string().contains("get_search_content"), "{found}");
    assert!(
        found["structuredContent"].get("responseId").is_none(),
        "{found}"
    );
}

#[tokio::test]
async fn what_to_try_when_nothing_is_found_names_only_what_is_offered() {
    let lab = lab().await;
    for (tools, is_named) in [
        ("academic_search,web_search", true),
        ("academic_search", false),
    ] {
        let mut client = server(&lab, &["tavily", "crossref"], &["--tools", tools]).await;
        let nothing = client
            .call("academic_search", json!({"query": "xyzzyplugh"}))
            .await;
        assert_eq!(nothing["isError"], false, "{nothing}");
        let told = nothing.to_string();
        assert!(told.contains("Nothing was found"), "{told}");
        assert_eq!(told.contains("web_search"), is_named, "{told}");
        assert_eq!(told.contains("switch_search"), is_named, "{told}");
    }
}

#[tokio::test]
async fn a_note_about_a_suppression_names_no_tool() {
    let mut client = Client::spawn(&["--ephemeral", "--tools", "analyze_code"]);
    client.initialize("2025-11-25").await;
    let source = "// fingerpost-ignore zzzzzzzzzzzz: there is no such rule\nfn a() {}\n";
    let found = client
        .call(
            "analyze_code",
            json!({"source": source, "filename": "a.rs"}),
        )
        .await
        .to_string();
    assert!(
        found.contains("suppression-of-unknown-rule") && !found.contains("list_analysis_rules"),
        "{found}"
    );
}

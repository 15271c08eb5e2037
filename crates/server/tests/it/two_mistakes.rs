//! Calls with several mistakes: all of them are told at once, and a call that is suggested corrects
//! every one of them.

use serde_json::{Value, json};

use crate::cases::machine;
use crate::client::Client;
use crate::searching::{lab, server};

/// The sentence of a refused call, and its next calls, each of which must work.
async fn refused(client: &mut Client, tool: &str, arguments: Value) -> (String, Vec<Value>) {
    let failed = client.call(tool, arguments).await;
    assert_eq!(failed["isError"], true, "{tool}: {failed}");
    let text = failed["content"][0]["text"].as_str().unwrap();
    let sentence = text.lines().next().unwrap().to_owned();
    let error = machine(&failed);
    let calls = error["nextCalls"].as_array().cloned().unwrap_or_default();
    for call in &calls {
        let name = call["tool"].as_str().unwrap();
        let next = client.call(name, call["arguments"].clone()).await;
        assert_eq!(next["isError"], false, "{sentence}\n{call}\n{next}");
    }
    (sentence, calls)
}

#[tokio::test]
async fn a_search_with_several_mistakes_is_corrected_by_one_call() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "openalex"], &["--index=false"]).await;
    let wrong = json!({"query": "sodium", "provider": "nope", "max_results": 0});
    let (sentence, calls) = refused(&mut client, "web_search", wrong).await;
    assert!(
        sentence.contains("max_results must be between 1 and 50")
            && sentence.contains("provider: There is no provider of that name"),
        "{sentence}"
    );
    assert_eq!(
        calls[0]["arguments"],
        json!({"query": "sodium", "provider": "brave"}),
        "the default of max_results is not repeated"
    );

    let wrong = json!({"query": "sodium", "max_results": 0});
    let (_, calls) = refused(&mut client, "web_search", wrong).await;
    assert_eq!(calls[0]["arguments"]["max_results"], 10, "the default");
    let wrong = json!({"query": "sodium", "max_results": 99});
    let (_, calls) = refused(&mut client, "web_search", wrong).await;
    assert_eq!(calls[0]["arguments"]["max_results"], 50, "the most");

    let wrong = json!({"query": "sodium", "provider": "brave", "max_results": 99});
    let (sentence, calls) = refused(&mut client, "academic_search", wrong).await;
    assert!(
        sentence.contains("max_results") && sentence.contains("provider: "),
        "{sentence}"
    );
    assert_eq!(calls[0]["arguments"]["provider"], "openalex", "{calls:?}");

    let wrong = json!({"query": "sodium", "max_results": 0, "sites": ["no host"], "provider": "nope",
        "from_date": "2024-05-02", "to_date": "2024-05-01"});
    let (sentence, calls) = refused(&mut client, "web_search", wrong).await;
    for part in [
        "max_results must be",
        "sites must be host names",
        "from_date must be before to_date",
        "provider: There is no provider",
    ] {
        assert!(sentence.contains(part), "{part} in {sentence}");
    }
    assert!(calls.is_empty(), "{calls:?}");
    let wrong = json!({"query": "sodium", "sites": ["no host"], "provider": "nope"});
    let (sentence, calls) = refused(&mut client, "web_search", wrong).await;
    assert!(
        sentence.contains("sites must be") && sentence.contains("provider: "),
        "also when the shape of the call is right: {sentence}"
    );
    assert!(calls.is_empty(), "{calls:?}");
}

#[tokio::test]
async fn what_may_not_be_read_is_told_beside_other_mistakes() {
    let flags = [
        "--ephemeral",
        "--toolset",
        "research,web",
        "--dialect",
        "dual",
    ];
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    for (tool, arguments, parts) in [
        (
            "scrape_page",
            json!({"url": "http://10.0.0.1/", "max_chars": 1}),
            ["max_chars must be", "url: "],
        ),
        (
            "fetch_content",
            json!({"urls": ["http://10.0.0.1/", "http://10.0.0.2/"], "max_chars": 1}),
            ["max_chars must be", "urls: "],
        ),
        (
            "convert_content",
            json!({"path": "/etc/passwd", "max_chars": 1}),
            ["max_chars must be", "path cannot be read"],
        ),
        (
            "get_search_content",
            json!({"responseId": "res_x", "max_chars": 1}),
            ["max_chars must be", "responseId: "],
        ),
    ] {
        let (sentence, calls) = refused(&mut client, tool, arguments).await;
        for part in parts {
            assert!(sentence.contains(part), "{tool}: {part} in {sentence}");
        }
        assert!(calls.is_empty(), "{tool}: {calls:?}");
    }
    let wrong = json!({"sessionId": "x", "limit": 0});
    let (sentence, calls) = refused(&mut client, "get_research_session", wrong).await;
    assert!(
        sentence.contains("limit must be") && sentence.contains("sessionId: "),
        "{sentence}"
    );
    assert_eq!(calls[0]["arguments"], json!({"limit": 10}), "the list");
}

#[tokio::test]
async fn a_step_number_is_corrected_to_the_one_that_fits() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    let begun = client
        .call(
            "sequential_search",
            json!({"goal": "cells", "searchStep": "one"}),
        )
        .await;
    let id = &begun["structuredContent"]["sessionId"];
    let wrong = json!({"sessionId": id, "searchStep": "two", "stepNumber": [1]});
    let (_, calls) = refused(&mut client, "sequential_search", wrong).await;
    assert_eq!(calls[0]["arguments"]["stepNumber"], 2, "{calls:?}");
}

#[tokio::test]
async fn the_end_of_a_session_is_no_step() {
    let mut client = Client::spawn(&["--ephemeral"]);
    client.initialize("2025-11-25").await;
    let begun = client
        .call(
            "sequential_search",
            json!({"goal": "cells", "searchStep": "one"}),
        )
        .await;
    let id = &begun["structuredContent"]["sessionId"];
    let end = json!({"sessionId": id, "complete": true, "summary": "Sodium is cheap."});
    let ended = client.call("sequential_search", end).await;
    assert_eq!(ended["isError"], false, "{ended}");
    let look = json!({"sessionId": id});
    let shown = client.call("get_research_session", look.clone()).await;
    let facts = &shown["structuredContent"];
    assert_eq!(facts["steps"], 1, "{shown}");
    assert_eq!(facts["summary"], "Sodium is cheap.", "{shown}");
    assert!(facts["completed"].is_string(), "{shown}");

    let notes = json!({"sessionId": id, "knowledgeGaps": ["What does it cost in winter?"]});
    client.call("sequential_search", notes).await;
    let shown = client.call("get_research_session", look).await;
    let text = shown["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("2. What does it cost in winter?"), "{text}");
}

#[tokio::test]
async fn calls_at_the_same_time_do_not_repeat_one_another() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave"], &["--index=false"]).await;
    lab.fault(lab::OrderedFault::new("brave", lab::FaultMode::StalledHead));
    let call = json!({"query": "zebra", "provider": "brave", "timeout": 1});
    let arguments = json!({"name": "web_search", "arguments": call});
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(client.begin("tools/call", arguments.clone()).await);
    }
    for id in ids {
        let reply = client.reply(id).await;
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains("failed 3 times"), "{text}");
    }
    let mut last = Value::Null;
    for _ in 0..2 {
        let call = arguments["arguments"].clone();
        last = client.call("web_search", call).await;
    }
    let text = last["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("failed 3 times"), "one after another: {text}");
}

#[tokio::test]
async fn pages_that_are_gone_lead_to_a_search_for_each_in_the_session() {
    let web = testkit::Web::start().await;
    let allow = format!("127.0.0.1:{}", web.port());
    let flags = [
        "--ephemeral",
        "--allow-private",
        &allow,
        "--robots=false",
        "--browser",
        "never",
        "--toolset",
        "research,web",
        "--dialect",
        "dual",
    ];
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    let begun = client.call("sequential_search", json!({"goal": "g"})).await;
    let id = &begun["structuredContent"]["sessionId"];
    let url = web.url("/articles/sodium-ion-batteries-explained");
    let gone = client
        .call("scrape_page", json!({"url": url, "sessionId": id}))
        .await;
    let search = &machine(&gone)["nextCalls"][0];
    assert_eq!(search["tool"], "web_search", "{gone}");
    assert_eq!(search["arguments"]["sessionId"], *id, "{gone}");

    let other = web.url("/articles/tidal-power-in-norway");
    let gone = client
        .call("fetch_content", json!({"urls": [url, other]}))
        .await;
    let calls = machine(&gone)["nextCalls"].clone();
    let queries: Vec<&Value> = calls
        .as_array()
        .unwrap()
        .iter()
        .map(|call| &call["arguments"]["query"])
        .collect();
    assert_eq!(
        queries,
        ["sodium ion batteries explained", "tidal power in norway"],
        "{gone}"
    );
}

#[tokio::test]
async fn pages_that_are_too_long_for_their_share_can_be_cut() {
    let web = testkit::Web::start().await;
    let words = "Plain words that make a paragraph long enough to count as one. ".repeat(90);
    let page = format!("<html><body><article><p>{words}</p></article></body></html>");
    for path in ["/a", "/b"] {
        web.on(path, testkit::Behavior::html(200, page.clone()));
    }
    let allow = format!("127.0.0.1:{}", web.port());
    let flags = [
        "--ephemeral",
        "--allow-private",
        &allow,
        "--robots=false",
        "--browser",
        "never",
        "--toolset",
        "web,patterns",
        "--dialect",
        "dual",
    ];
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    let urls = json!([web.url("/a"), web.url("/b")]);
    let call = json!({"urls": urls, "allow_truncate": false, "max_chars": 2000});
    let (sentence, calls) = refused(&mut client, "fetch_content", call).await;
    assert!(
        sentence.contains("2000 characters are shared by 2 pages. Set allow_truncate=true"),
        "{sentence}"
    );
    assert_eq!(
        calls[0]["arguments"],
        json!({"urls": urls, "max_chars": 2000})
    );

    let code = "fetch(url);\n".repeat(20_000);
    let call = json!({"code": code, "filePath": "a.ts"});
    let (sentence, _) = refused(&mut client, "review_code", call).await;
    assert!(
        sentence.contains("longer than the limit of 102400 bytes. Send a smaller part"),
        "{sentence}"
    );
    let tools = client.request("tools/list", json!({})).await;
    let tools = tools["result"]["tools"].as_array().unwrap();
    let mut review = tools.iter().filter(|tool| tool["name"] == "review_code");
    let schema = &review.next().unwrap()["inputSchema"]["properties"]["code"];
    assert_eq!(schema["maxLength"], 102_400, "{schema}");
}

#[tokio::test]
async fn a_corrected_number_is_told_in_the_whole_call() {
    let flags = ["--ephemeral", "--toolset", "agent,research"];
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    let question = "Which cells last longest?";
    for (given, corrected) in [(json!(1000), 100), (json!(2.6), 3)] {
        let call = json!({"question": question, "max_calls": given});
        let failed = client.call("deep_research", call).await;
        let text = failed["content"][0]["text"].as_str().unwrap();
        let call = json!({"max_calls": corrected, "question": question});
        let next = format!("**Next call**: deep_research {call}");
        assert!(text.contains(&next), "{text}");
        assert!(!text.contains("Example"), "{text}");
    }
    let step = json!({"goal": "cells", "searchStep": "one", "confidence": 1.5});
    let (sentence, calls) = refused(&mut client, "sequential_search", step).await;
    assert!(sentence.starts_with("confidence must be between 0 and 1"));
    assert_eq!(calls[0]["arguments"]["confidence"], 1.0, "{calls:?}");
}

#[tokio::test]
async fn a_file_may_be_named_by_its_address() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("odd name.csv"), "a,b\n1,2\n").unwrap();
    let open = folder.path().to_str().unwrap();
    let flags = ["--ephemeral", "--toolset", "web", "--allow-path", open];
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    let path = format!("file://{open}/odd%20name.csv");
    let read = client.call("convert_content", json!({"path": path})).await;
    let text = read["content"][0]["text"].as_str().unwrap();
    assert_eq!(read["isError"], false, "{text}");
    assert!(text.contains("| 1 | 2 |"), "{text}");
}

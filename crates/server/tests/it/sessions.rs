//! Research sessions and stored answers as an agent sees them, also when the program is killed,
//! shared and misused.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cases::{machine, name_of};
use crate::client::{Client, HttpServer, page_body};
use crate::searching::{lab, server};

async fn client_with_data(folder: &std::path::Path, more: &[&str]) -> Client {
    let folder = folder.to_str().unwrap();
    let mut client =
        Client::spawn(&[&["--data-dir", folder, "--lab", "--browser", "never"], more].concat());
    client.initialize("2025-11-25").await;
    client
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The cases that only calls about sessions and stored answers can end in.
pub async fn emitted() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let folder = tempfile::tempdir().unwrap();
    let mut client = client_with_data(folder.path(), &[]).await;
    let unknown = client
        .call(
            "sequential_search",
            json!({"sessionId": "ses_nowhere", "searchStep": "x"}),
        )
        .await;
    assert_eq!(
        name_of(&machine(&unknown)),
        "session_not_found/unknown",
        "{unknown}"
    );
    names.insert("session_not_found/unknown".to_owned());
    let missing = client
        .call("get_search_content", json!({"responseId": "res_nowhere"}))
        .await;
    assert_eq!(
        name_of(&machine(&missing)),
        "not_found/unknown_id",
        "{missing}"
    );
    names.insert("not_found/unknown_id".to_owned());
    let answer = client.call("web_search", json!({"query": "rust"})).await;
    let id = answer["structuredContent"]["responseId"]
        .as_str()
        .unwrap()
        .to_owned();
    let miss = client
        .call(
            "get_search_content",
            json!({"responseId": id, "query": "goats"}),
        )
        .await;
    assert_eq!(name_of(&machine(&miss)), "not_found/stored_item", "{miss}");
    names.insert("not_found/stored_item".to_owned());
    let next = machine(&miss)["nextCalls"][0].clone();
    let found = client
        .call(next["tool"].as_str().unwrap(), next["arguments"].clone())
        .await;
    assert_eq!(found["isError"], false, "the way on works: {found}");
    names.insert(expired(folder.path()).await);
    names
}

/// Writes a session that has already expired, and returns its id.
async fn expired_session(folder: &std::path::Path) -> String {
    let store = engine::store::open(None, Some(folder)).unwrap();
    let limits = engine::research::Limits {
        session_lives: std::time::Duration::from_millis(1),
        ..engine::research::Limits::default()
    };
    let research = engine::research::ResearchSessions::new(store, limits);
    let first = engine::research::NewStep {
        text: "look".to_owned(),
        ..engine::research::NewStep::default()
    };
    let session = research
        .start_with_step(&engine::store::Tenant::local(), "goal", &first)
        .await
        .unwrap()
        .session;
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    session.id
}

/// The case of a step on an expired session.
async fn expired(folder: &std::path::Path) -> String {
    let id = expired_session(folder).await;
    let mut client = client_with_data(folder, &[]).await;
    let result = client
        .call(
            "sequential_search",
            json!({"sessionId": id, "searchStep": "more"}),
        )
        .await;
    let error = machine(&result);
    assert_eq!(error["recoveryHint"]["lastKnownStep"], 1, "{result}");
    name_of(&error)
}

#[tokio::test]
async fn a_session_continues_after_the_server_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client_with_data(folder.path(), &[]).await;
    let begun = client
        .call(
            "sequential_search",
            json!({"goal": "Which error style?", "searchStep": "Look around", "query": "rust", "knowledgeGaps": ["memory use"]}),
        )
        .await;
    let content = &begun["structuredContent"];
    assert_eq!(
        (&content["step"]["number"], &content["nextStepNumber"]),
        (&json!(1), &json!(2)),
        "{begun}"
    );
    assert!(
        content["search"]["resultCount"]
            .as_u64()
            .is_some_and(|count| count > 0),
        "{begun}"
    );
    let id = content["sessionId"].as_str().unwrap().to_owned();
    client
        .call(
            "scrape_page",
            json!({"url": "http://10.0.0.1/", "sessionId": id}),
        )
        .await;
    drop(client); // kills the process
    let mut client = client_with_data(folder.path(), &[]).await;
    for (number, expected) in [(5, 2), (1, 2), (-3, 2)] {
        let wrong = client
            .call(
                "sequential_search",
                json!({"sessionId": id, "searchStep": "x", "stepNumber": number}),
            )
            .await;
        assert!(
            text_of(&wrong).contains(&format!("stepNumber must be {expected}")),
            "{wrong}"
        );
        assert_eq!(machine(&wrong)["recoveryHint"]["lastKnownStep"], 1);
    }
    let more = json!({"sessionId": id, "searchStep": "Deeper", "stepNumber": 2, "query": "error handling", "depth": "thorough", "responseMode": "summary",
        "closedGaps": [], "confidence": 0.5, "branchFromStep": 1, "rejectedApproaches": ["panics"]});
    let more = client.call("sequential_search", more).await;
    assert_eq!(
        more["structuredContent"]["coverage"]["queries"], 2,
        "one for the query, one for the open gap: {more}"
    );
    let done = client
        .call(
            "sequential_search",
            json!({"sessionId": id, "searchStep": "Done", "summary": "One type.", "closedGaps": ["gap-1"], "complete": true}),
        )
        .await;
    assert_eq!(
        (
            &done["structuredContent"]["completed"],
            &done["structuredContent"]["openGaps"]
        ),
        (&json!(true), &json!([])),
        "{done}"
    );

    let shown = client
        .call("get_research_session", json!({"sessionId": id}))
        .await["structuredContent"]
        .clone();
    assert_eq!(
        (
            shown["stepList"].as_array().unwrap().len(),
            &shown["summary"]
        ),
        (3, &json!("One type.")),
        "{shown}"
    );
    assert!(
        shown["sources"]
            .as_array()
            .is_some_and(|sources| !sources.is_empty() && sources[0]["via"].is_string()),
        "{shown}"
    );
    assert!(
        shown["providerStats"]
            .as_array()
            .is_some_and(|stats| !stats.is_empty()),
        "{shown}"
    );
    let step = client
        .call(
            "get_research_session",
            json!({"sessionId": id, "stepNumber": 2}),
        )
        .await;
    assert_eq!(
        step["structuredContent"]["step"]["text"], "Deeper",
        "{step}"
    );
    let list = client.call("get_research_session", json!({})).await;
    assert_eq!(
        list["structuredContent"]["sessions"][0]["sessionId"],
        json!(id),
        "{list}"
    );
}

#[tokio::test]
async fn repeated_failures_become_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client_with_data(folder.path(), &[]).await;
    let id = client.call("sequential_search", json!({"goal": "g"})).await["structuredContent"]["sessionId"].as_str().unwrap().to_owned();
    for host in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] {
        client
            .call(
                "scrape_page",
                json!({"url": format!("http://{host}/"), "sessionId": id}),
            )
            .await;
    }
    let shown = client
        .call("get_research_session", json!({"sessionId": id}))
        .await;
    let pattern = &shown["structuredContent"]["errorPatterns"][0];
    assert_eq!(
        (&pattern["kind"], &pattern["count"]),
        (&json!("validation"), &json!(3)),
        "{shown}"
    );
}

#[tokio::test]
async fn a_call_that_needs_no_session_runs_although_its_session_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let expired = expired_session(folder.path()).await;
    let web = testkit::Web::start().await;
    web.on("/page", testkit::Behavior::html(200, ARTICLE));
    let allow = format!("127.0.0.1:{}", web.port());
    let mut client = client_with_data(folder.path(), &["--allow-private", &allow]).await;
    for (id, status, words) in [
        ("ses_nowhere", "unknown", "No such research session here."),
        (
            expired.as_str(),
            "expired",
            "The research session has expired.",
        ),
    ] {
        let found = client
            .call("web_search", json!({"query": "rust", "sessionId": id}))
            .await;
        assert_eq!(found["isError"], false, "{found}");
        let (content, text) = (&found["structuredContent"], text_of(&found));
        assert!(content["resultCount"].as_u64().unwrap() > 0, "{found}");
        assert_eq!(
            (
                &content["session"]["sessionId"],
                &content["session"]["status"]
            ),
            (&json!(id), &json!(status)),
            "{found}"
        );
        assert!(
            text.contains(words) && text.contains("was not recorded"),
            "{text}"
        );
        for next in content["session"]["nextCalls"].as_array().unwrap() {
            assert_ne!(next["arguments"], json!({}));
            let made = client
                .call(next["tool"].as_str().unwrap(), next["arguments"].clone())
                .await;
            assert_eq!(made["isError"], false, "{next}: {made}");
        }
        let read = client
            .call(
                "scrape_page",
                json!({"url": web.url("/page"), "sessionId": id}),
            )
            .await;
        assert_eq!(read["isError"], false, "{read}");
        let text = text_of(&read);
        assert!(
            text.contains("Goats climb trees") && text.contains(words),
            "{text}"
        );
    }
}

const ARTICLE: &str = "<html><head><title>Why goats climb</title><meta name=author content='Jane Doe'>\
    <meta property='article:published_time' content='2024-05-03'></head><body><article><h1>Why goats climb</h1>\
    <p>Goats climb trees because the fruit of the argan tree is out of reach from the ground, and because they can.</p>\
    <p>Shepherds have watched them for centuries, and travellers have drawn them since the first maps of the coast.</p></article></body></html>";

#[tokio::test]
async fn a_stored_answer_is_read_to_its_end_and_wrong_selectors_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = client_with_data(folder.path(), &[]).await;
    let answer = client
        .call("web_search", json!({"queries": ["rust", "battery"]}))
        .await;
    let id = answer["structuredContent"]["responseId"]
        .as_str()
        .unwrap()
        .to_owned();
    let (mut whole, mut cursor) = (String::new(), Some(0));
    while let Some(from) = cursor {
        let part = client
            .call(
                "get_search_content",
                json!({"responseId": id, "queryIndex": 1, "max_chars": 300, "cursor": from}),
            )
            .await;
        let text = text_of(&part);
        cursor = text
            .rsplit_once("read on with cursor=")
            .map(|(_, rest)| rest.trim_end_matches(']').parse::<u64>().unwrap());
        whole.push_str(
            text.split_once("\n\n")
                .unwrap()
                .1
                .split("\n\n[truncated")
                .next()
                .unwrap(),
        );
    }
    assert!(whole.contains("1. ") && whole.contains("2. "), "{whole}");
    let wrong = client
        .call(
            "get_search_content",
            json!({"responseId": id, "urlIndex": 0}),
        )
        .await;
    assert_eq!(machine(&wrong)["kind"], "validation", "{wrong}");
    let both = client
        .call(
            "get_search_content",
            json!({"responseId": id, "urlIndex": 0, "query": "rust"}),
        )
        .await;
    assert_eq!(machine(&both)["kind"], "validation", "{both}");
}

#[tokio::test]
async fn a_step_whose_search_failed_is_marked_and_repeated_without_a_second_one() {
    let lab = lab().await;
    lab.fault(lab::OrderedFault::new("brave", lab::FaultMode::BadKey));
    let mut client = server(&lab, &["brave"], &["--index=false"]).await;
    let step = json!({"goal": "g", "searchStep": "look", "query": "rust", "provider": "brave", "knowledgeGaps": ["why"]});
    let result = client.call("sequential_search", step.clone()).await;
    assert_eq!(result["isError"], false, "{result}");
    let content = &result["structuredContent"];
    assert_eq!(
        (
            &content["status"],
            &content["searchError"]["reason"],
            &content["steps"],
            &content["step"]["status"],
        ),
        (
            &json!("partial"),
            &json!("bad_key"),
            &json!(1),
            &json!("failed")
        ),
        "{result}"
    );
    let id = content["sessionId"].clone();
    let mut again = step.clone();
    again["sessionId"] = id.clone();
    for expected in [1, 1] {
        let result = client.call("sequential_search", again.clone()).await;
        let content = &result["structuredContent"];
        assert_eq!(
            (&content["steps"], &content["step"]["number"]),
            (&json!(expected), &json!(expected)),
            "{result}"
        );
    }
    lab.reset();
    let shown = shown(&mut client, id.as_str().unwrap()).await;
    assert_eq!(
        (
            shown["stepList"].as_array().unwrap().len(),
            &shown["stepList"][0]["error"]["reason"]
        ),
        (1, &json!("bad_key")),
        "{shown}"
    );
    again["stepNumber"] = json!(1);
    let result = client.call("sequential_search", again.clone()).await;
    let content = &result["structuredContent"];
    assert_eq!(
        (
            &content["steps"],
            &content["step"]["status"],
            &content["openGaps"][0]["id"]
        ),
        (&json!(1), &json!("done"), &json!("gap-1")),
        "{result}"
    );
    assert_eq!(
        content["step"]["responseId"], content["search"]["responseId"],
        "{result}"
    );
    let third = client.call("sequential_search", again).await;
    assert!(
        text_of(&third).contains("stepNumber must be 2"),
        "a step that has its answer is not taken twice: {third}"
    );
}

#[tokio::test]
async fn the_calls_that_a_failed_step_lists_answer_it() {
    let lab = lab().await;
    lab.fault(lab::OrderedFault::new("brave", lab::FaultMode::BadKey));
    let mut client = server(&lab, &["brave", "tavily"], &["--index=false"]).await;
    let failed = client
        .call(
            "sequential_search",
            json!({"goal": "g", "query": "rust", "provider": "brave", "depth": "thorough"}),
        )
        .await;
    let error = &failed["structuredContent"]["searchError"];
    let next = &error["nextCalls"][0];
    assert_eq!(
        (&next["arguments"]["goal"], &next["arguments"]["depth"]),
        (&json!("g"), &json!("thorough")),
        "{failed}"
    );
    assert!(
        text_of(&failed).contains("repeat the call with this sessionId and stepNumber=1"),
        "{failed}"
    );
    let answered = client
        .call("sequential_search", next["arguments"].clone())
        .await;
    let content = &answered["structuredContent"];
    assert_eq!(
        (
            &content["steps"],
            &content["step"]["status"],
            &content["repeated"]
        ),
        (&json!(1), &json!("done"), &json!(true)),
        "{answered}"
    );
}

#[tokio::test]
async fn over_http_another_subjects_session_is_an_unknown_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = HttpServer::spawn(&[
        "--data-dir",
        folder.path().to_str().unwrap(),
        "--subject-header",
        "x-user",
    ])
    .await;
    let call = async |user: &str, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        server
            .modern_as(&[("X-User", user)], "tools/call", params)
            .await
            .json()["result"]
            .clone()
    };
    let begun = call("ada", "sequential_search", json!({"goal": "Ada's own"})).await;
    let id = begun["structuredContent"]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        call("ada", "get_research_session", json!({"sessionId": id})).await["isError"],
        false
    );
    let mut theirs = call("bob", "get_research_session", json!({"sessionId": id})).await;
    let mut unknown = call(
        "bob",
        "get_research_session",
        json!({"sessionId": "ses_0000000000000_nobody"}),
    )
    .await;
    for result in [&mut theirs, &mut unknown] {
        assert_eq!(machine(result)["kind"], "session_not_found", "{result}");
        let request = result["_meta"]["requestId"].as_str().unwrap().to_owned();
        *result = serde_json::from_str(&result.to_string().replace(&request, "")).unwrap();
    }
    assert_eq!(
        theirs, unknown,
        "guessing somebody's id looks like guessing any id"
    );
    assert_eq!(
        call("bob", "get_research_session", json!({})).await["structuredContent"]["sessions"],
        json!([])
    );
    let index = call(
        "bob",
        "web_search",
        json!({"query": "own", "provider": "local"}),
    )
    .await;
    assert_eq!(
        machine(&index)["reason"],
        "disabled_provider",
        "what one reads is not found by another: {index}"
    );
}

/// Starts a session and returns its id.
async fn session(client: &mut Client) -> String {
    let started = client.call("sequential_search", json!({"goal": "g"})).await;
    started["structuredContent"]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn shown(client: &mut Client, id: &str) -> Value {
    let result = client
        .call("get_research_session", json!({"sessionId": id}))
        .await;
    result["structuredContent"].clone()
}

#[tokio::test]
async fn a_provider_that_failed_before_a_fallback_is_recorded_in_the_session() {
    let lab = lab().await;
    lab.fault(lab::OrderedFault::new("brave", lab::FaultMode::BadKey));
    let mut client = server(&lab, &["brave", "tavily"], &["--index=false"]).await;
    let id = session(&mut client).await;
    client
        .call("web_search", json!({"query": "rust", "sessionId": id}))
        .await;
    client
        .call("sequential_search", json!({"sessionId": id, "query": "go"}))
        .await;
    assert_eq!(
        shown(&mut client, &id).await["providerStats"],
        json!([
            {"provider": "brave", "attempts": 1, "successes": 0},
            {"provider": "tavily", "attempts": 2, "successes": 2},
        ]),
        "the second search asks the one that works first"
    );
}

#[tokio::test]
async fn every_provider_of_a_search_that_failed_is_recorded_for_each_query() {
    let lab = lab().await;
    for provider in ["brave", "tavily"] {
        lab.fault(lab::OrderedFault::new(provider, lab::FaultMode::BadKey));
    }
    let mut client = server(&lab, &["brave", "tavily"], &["--index=false"]).await;
    let id = session(&mut client).await;
    let failed = client
        .call(
            "web_search",
            json!({"queries": ["rust", "go"], "sessionId": id}),
        )
        .await;
    assert_eq!(failed["isError"], true, "{failed}");
    let session = shown(&mut client, &id).await;
    assert_eq!(
        session["providerStats"],
        json!([
            {"provider": "brave", "attempts": 2, "successes": 0},
            {"provider": "tavily", "attempts": 2, "successes": 0},
        ])
    );
    assert_eq!(session["errorPatterns"][0]["count"], 4, "{session}");
}

#[tokio::test]
async fn a_step_searches_as_web_search_does() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave"], &["--index=false"]).await;
    let (one, other) = (session(&mut client).await, session(&mut client).await);
    let searched = client
        .call("web_search", json!({"query": "rust", "sessionId": one}))
        .await;
    let step = client
        .call(
            "sequential_search",
            json!({"query": "rust", "sessionId": other}),
        )
        .await;
    let (searched, step) = (
        &searched["structuredContent"],
        &step["structuredContent"]["search"],
    );
    assert_eq!(searched["results"], step["results"]);
    let mut urls = Vec::new();
    for id in [&one, &other] {
        let session = shown(&mut client, id).await;
        let sources = session["sources"].as_array().unwrap();
        urls.push(
            sources
                .iter()
                .map(|source| source["url"].clone())
                .collect::<Vec<_>>(),
        );
    }
    assert!(urls[0].len() > 5 && urls[0] == urls[1], "{urls:?}");
    let mut texts = Vec::new();
    for answer in [searched, step] {
        let arguments = json!({"responseId": answer["responseId"], "query": "rust"});
        let read = client.call("get_search_content", arguments).await;
        assert_eq!(read["isError"], false, "{read}");
        texts.push(page_body(text_of(&read)).to_owned());
    }
    assert_eq!(texts[0], texts[1], "both answers are stored whole");
}

#[tokio::test]
async fn every_tier_that_could_not_read_a_page_is_recorded_in_the_session() {
    let web = testkit::Web::start().await;
    web.on(
        "/shell",
        testkit::Behavior::html(200, "<html><body><div id=root></div></body></html>"),
    );
    let allow = format!("127.0.0.1:{}", web.port());
    let mut client = Client::spawn(&[
        "--ephemeral",
        "--browser",
        "auto",
        "--chrome-path",
        "/no/such/browser",
        "--allow-private",
        &allow,
    ]);
    client.initialize("2025-11-25").await;
    let id = session(&mut client).await;
    let failed = client
        .call(
            "scrape_page",
            json!({"url": web.url("/shell"), "sessionId": id}),
        )
        .await;
    assert_eq!(failed["isError"], true, "{failed}");
    assert_eq!(
        shown(&mut client, &id).await["providerStats"],
        json!([
            {"provider": "browser", "attempts": 1, "successes": 0},
            {"provider": "html", "attempts": 1, "successes": 0},
        ])
    );
}

#[tokio::test]
async fn one_page_that_is_fetched_can_be_read_again_and_a_wrong_selector_lists_the_valid_ones() {
    let web = testkit::Web::start().await;
    let page = ARTICLE.replace("</article>", &"<p>And so they climb on.</p>".repeat(60));
    web.on("/page", testkit::Behavior::html(200, page.as_str()));
    let allow = format!("127.0.0.1:{}", web.port());
    let folder = tempfile::tempdir().unwrap();
    let more = ["--toolset", "web", "--allow-private", &allow];
    let mut client = client_with_data(folder.path(), &more).await;
    let fetched = client
        .call(
            "fetch_content",
            json!({"url": web.url("/page"), "max_chars": 200}),
        )
        .await;
    let text = text_of(&fetched);
    assert!(text.contains("read on with cursor=200"), "{text}");
    let id = text.split("Response id: ").nth(1).unwrap();
    let id = id.split(' ').next().unwrap();
    let whole = client
        .call("get_search_content", json!({"responseId": id}))
        .await;
    assert!(
        text_of(&whole).matches("climb on").count() == 60,
        "all of it is stored: {whole}"
    );
    for wrong in [
        json!({"responseId": id, "urlIndex": 7}),
        json!({"responseId": id, "url": "https://b.example/"}),
        json!({"responseId": id, "queryIndex": 0}),
    ] {
        let miss = client.call("get_search_content", wrong.clone()).await;
        assert_eq!(miss["isError"], true, "{miss}");
        let text = text_of(&miss);
        assert!(text.contains("Use urlIndex 0."), "{wrong}: {text}");
    }
    let read_on = client
        .call(
            "fetch_content",
            json!({"url": web.url("/page"), "cursor": 200}),
        )
        .await;
    assert!(!text_of(&read_on).contains("Response id"), "{read_on}");
}

#[tokio::test]
async fn a_step_whose_search_was_cut_off_is_not_taken_twice() {
    let lab = lab().await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap().to_owned();
    let flags: Vec<String> = crate::searching::flags(&lab, &["brave"])
        .into_iter()
        .filter(|flag| flag != "--ephemeral")
        .chain(["--data-dir".to_owned(), place, "--index=false".to_owned()])
        .collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    let id = session(&mut client).await;
    lab.fault(lab::OrderedFault::new("brave", lab::FaultMode::StalledHead));
    let step = json!({"sessionId": id, "searchStep": "look", "query": "rust"});
    let params = json!({"name": "sequential_search", "arguments": step});
    client.begin("tools/call", params).await;
    while lab.count("brave") == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    drop(client); // kills the process during the search
    lab.reset();
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    let before = shown(&mut client, &id).await;
    assert_eq!(before["stepList"][0]["status"], "unanswered", "{before}");
    let again = client.call("sequential_search", step).await;
    let content = &again["structuredContent"];
    assert_eq!(
        (&content["steps"], &content["step"]["status"]),
        (&json!(1), &json!("done")),
        "{again}"
    );
}

#[tokio::test]
async fn a_paper_that_was_read_is_cited_as_its_page_says() {
    let web = testkit::Web::start().await;
    let tags = "<meta name=citation_author content='Lovelace, Ada'><meta name=citation_author content='Roe, Max'>\
        <meta name=citation_author content='Poe, Di'><meta name=citation_journal_title content='Journal of Goats'>\
        <meta name=citation_doi content='doi:10.5555/goats.7'></head>";
    let page = ARTICLE
        .replace("<meta name=author content='Jane Doe'>", "")
        .replace("</head>", tags);
    web.on("/paper", testkit::Behavior::html(200, page.as_str()));
    let allow = format!("127.0.0.1:{}", web.port());
    let folder = tempfile::tempdir().unwrap();
    let mut client = client_with_data(folder.path(), &["--allow-private", &allow]).await;
    let id = session(&mut client).await;
    let read = json!({"url": web.url("/paper"), "sessionId": id});
    client.call("scrape_page", read).await;
    let arguments = json!({"sessionId": id, "style": "bibtex"});
    let cited = client.call("format_bibliography", arguments).await;
    let entry = text_of(&cited);
    for part in [
        "@article{lovelace2024why,",
        "author = {Lovelace, Ada and Roe, Max and Poe, Di},",
        "journal = {{Journal of Goats}},",
        "doi = {10.5555/goats.7},",
    ] {
        assert!(entry.contains(part), "{part} in {entry}");
    }
}

#[tokio::test]
async fn an_address_that_leads_to_another_is_one_source() {
    let web = testkit::Web::start().await;
    web.on("/page", testkit::Behavior::html(200, ARTICLE));
    web.on("/old", testkit::Behavior::redirect(301, "/page"));
    let allow = format!("127.0.0.1:{}", web.port());
    let folder = tempfile::tempdir().unwrap();
    let more = ["--allow-private", &allow];
    let mut client = client_with_data(folder.path(), &more).await;
    let id = session(&mut client).await;
    for url in ["/page", "/old"] {
        let read = json!({"url": web.url(url), "sessionId": id});
        client.call("scrape_page", read).await;
    }
    let sources = shown(&mut client, &id).await["sources"].clone();
    assert_eq!(sources.as_array().unwrap().len(), 1, "{sources}");
    assert_eq!(
        (
            &sources[0]["url"],
            &sources[0]["requested"],
            &sources[0]["published"]
        ),
        (
            &json!(web.url("/page")),
            &json!(web.url("/old")),
            &json!("2024-05-03")
        ),
        "{sources}"
    );
}

#[tokio::test]
async fn a_session_is_ended_without_a_step_and_mistakes_add_none() {
    let mut client = Client::spawn(&["--ephemeral", "--lab", "--browser", "never"]);
    client.initialize("2025-11-25").await;
    let first = json!({"goal": "g", "searchStep": "look"});
    let begun = client.call("sequential_search", first).await;
    let id = begun["structuredContent"]["sessionId"].clone();
    let revision = json!({"sessionId": id, "searchStep": "again", "revisesStep": 4});
    let refused = client.call("sequential_search", revision).await;
    let words = "revisesStep must be 1, the only earlier step";
    assert!(text_of(&refused).contains(words), "{refused}");

    let mut fault = json!(null);
    for unknown in ["wikipedia,nosuch", "nosuch"] {
        let provider = json!({"sessionId": id, "query": "rust", "provider": unknown});
        let refused = client.call("sequential_search", provider).await;
        assert_eq!(refused["isError"], true, "{refused}");
        fault = machine(&refused);
        assert_eq!(name_of(&fault), "config/unknown_provider", "{refused}");
    }
    let next = fault["nextCalls"][0]["arguments"].clone();
    assert_eq!(next["sessionId"], id, "{fault}");
    let searched = client.call("sequential_search", next).await;
    let content = &searched["structuredContent"];
    assert_eq!(
        content["steps"], 2,
        "the refused step is not kept: {searched}"
    );

    let end = json!({"goal": "g", "sessionId": id, "complete": true});
    let ended = client.call("sequential_search", end).await;
    let content = &ended["structuredContent"];
    assert_eq!(
        (&content["steps"], &content["completed"]),
        (&json!(2), &json!(true)),
        "{ended}"
    );
    let text = text_of(&ended);
    assert!(
        text.starts_with("No step was added.") && text.contains("is complete"),
        "{text}"
    );

    let nothing = json!({"goal": "g", "complete": true});
    let refused = client.call("sequential_search", nothing).await;
    assert!(
        text_of(&refused).contains("give its sessionId"),
        "{refused}"
    );
    let unknown = json!({"sessionId": "ses_nowhere", "complete": true});
    let refused = client.call("sequential_search", unknown).await;
    let name = name_of(&machine(&refused));
    assert_eq!(name, "session_not_found/unknown", "{refused}");
}

#[tokio::test]
async fn stored_pages_are_found_by_the_index_that_is_shown() {
    let web = testkit::Web::start().await;
    web.on("/one", testkit::Behavior::html(200, ARTICLE));
    web.on("/gone", testkit::Behavior::html(404, "<p>gone</p>"));
    let allow = format!("127.0.0.1:{}", web.port());
    let args = "--ephemeral --browser never --toolset web --dialect dual --allow-private";
    let args: Vec<&str> = args.split(' ').collect();
    let mut client = Client::spawn(&[&args[..], &[&allow]].concat());
    client.initialize("2025-11-25").await;
    let urls = json!({"urls": [web.url("/gone"), web.url("/one")]});
    let read = client.call("fetch_content", urls).await;
    let text = text_of(&read);
    assert!(text.contains("; urlIndex 0 is page 2"), "{text}");
    let (_, rest) = text.rsplit_once("Response id: ").unwrap();
    let id = rest.split_whitespace().next().unwrap();
    let stored = json!({"responseId": id, "urlIndex": 0});
    let again = client.call("get_search_content", stored).await;
    assert!(text_of(&again).contains("Goats climb trees"), "{again}");

    let far = json!({"responseId": id, "urlIndex": 0, "cursor": 10_000_000});
    let refused = client.call("get_search_content", far).await;
    let fault = machine(&refused);
    assert_eq!(fault["kind"], "validation", "{refused}");
    let next = fault["nextCalls"][0]["arguments"].clone();
    let again = client.call("get_search_content", next).await;
    assert!(text_of(&again).contains("Goats climb trees"), "{again}");
}

#[tokio::test]
async fn a_page_that_could_not_be_read_is_cited_only_by_its_address() {
    let web = testkit::Web::start().await;
    web.on("/gone", testkit::Behavior::html(404, "<p>gone</p>"));
    let allow = format!("127.0.0.1:{}", web.port());
    let args = ["--ephemeral", "--browser", "never", "--allow-private"];
    let mut client = Client::spawn(&[&args[..], &[&allow]].concat());
    client.initialize("2025-11-25").await;
    let begun = client.call("sequential_search", json!({"goal": "g"})).await;
    let id = begun["structuredContent"]["sessionId"].clone();
    let page = json!({"url": web.url("/gone"), "sessionId": id});
    client.call("scrape_page", page).await;
    let all = json!({"sessionId": id, "include": "all"});
    let cited = client.call("format_bibliography", all).await;
    let text = text_of(&cited);
    assert!(
        text.starts_with("No source of this session could be read"),
        "{text}"
    );
}

#[tokio::test]
async fn a_failed_search_tells_that_its_session_does_not_exist_and_drops_it() {
    let lab = lab().await;
    lab.fault(lab::OrderedFault::new("brave", lab::FaultMode::RateLimited));
    let mut client = server(&lab, &["brave"], &["--index=false"]).await;
    let query = json!({"query": "rust", "provider": "brave", "sessionId": "ses_nowhere"});
    let failed = client.call("web_search", query).await;
    assert_eq!(failed["isError"], true, "{failed}");
    let words = "Session: No such research session here. This call ran without it.";
    assert!(text_of(&failed).contains(words), "{failed}");
    let fault = machine(&failed);
    let calls = fault["nextCalls"].as_array().unwrap();
    assert!(!calls.is_empty(), "{failed}");
    for call in calls {
        assert!(call["arguments"]["sessionId"].is_null(), "{failed}");
    }
}

#[tokio::test]
async fn an_expired_session_stays_expired_however_often_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let id = expired_session(folder.path()).await;
    let mut client = client_with_data(folder.path(), &[]).await;
    for _ in 0..2 {
        for (tool, arguments) in [
            ("get_research_session", json!({"sessionId": id})),
            (
                "sequential_search",
                json!({"sessionId": id, "query": "rust"}),
            ),
            (
                "sequential_search",
                json!({"sessionId": id, "complete": true}),
            ),
            ("research_export", json!({"sessionId": id})),
            ("format_bibliography", json!({"sessionId": id})),
        ] {
            let refused = client.call(tool, arguments).await;
            let name = name_of(&machine(&refused));
            assert_eq!(name, "session_not_found/expired", "{tool}: {refused}");
        }
        let anew = json!({"goal": "another session", "searchStep": "look"});
        client.call("sequential_search", anew).await;
    }
}

#[tokio::test]
async fn advice_of_a_session_names_no_provider_that_failed_in_it_and_no_empty_index() {
    let lab = crate::searching::lab().await;
    let providers = ["brave", "tavily", "exa"];
    let mut client = crate::searching::server(&lab, &providers, &[]).await;
    let begun = client.call("sequential_search", json!({"goal": "g"})).await;
    let id = &begun["structuredContent"]["sessionId"];
    for (provider, mode) in [
        ("brave", lab::FaultMode::BadKey),
        ("tavily", lab::FaultMode::Overloaded),
    ] {
        lab.fault(lab::OrderedFault::new(provider, mode).times(100));
        for query in ["a", "b", "c"] {
            let call = json!({"query": query, "provider": provider, "sessionId": id});
            let failed = client.call("web_search", call).await;
            assert_eq!(failed["isError"], true, "{failed}");
        }
    }
    let shown = client
        .call("get_research_session", json!({"sessionId": id}))
        .await;
    let patterns = &shown["structuredContent"]["errorPatterns"];
    let auth = patterns.as_array().unwrap().iter();
    let mut auth = auth.filter(|pattern| pattern["kind"] == "auth_required");
    let advice = auth.next().unwrap()["suggestion"].as_str().unwrap();
    assert_eq!(
        advice,
        "Tell the user that the key of brave is refused, and search with exa meanwhile."
    );
}

//! Static bearer tokens.

use serde_json::json;

use super::{ADA, BOB, assert_problem, bearer, token_file, write_tokens};
use crate::client::HttpServer;

async fn server(file: &tempfile::NamedTempFile, more: &[&str]) -> HttpServer {
    let path = file.path().to_str().unwrap();
    let mut arguments = vec!["--ephemeral", "--tokens", path];
    arguments.extend(more);
    HttpServer::spawn(&arguments).await
}

#[tokio::test]
async fn only_a_known_token_is_served_and_each_refusal_says_why() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file, &["--metrics"]).await;
    let list = |authorization: String| {
        let server = &server;
        async move {
            let headers = [("Authorization", authorization.as_str())];
            server.modern_as(&headers, "tools/list", json!({})).await
        }
    };
    assert_eq!(list(bearer(ADA)).await.status, 200);
    let missing = server.modern("tools/list", json!({})).await;
    let challenge = assert_problem(&missing, 401, "auth_required", "missing_credentials");
    assert_eq!(challenge, "Bearer realm=\"fingerpost\", scope=\"research\"");
    let unknown = list(bearer(BOB)).await;
    let challenge = assert_problem(&unknown, 401, "auth_required", "bad_key");
    assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
    assert!(!unknown.body.contains(BOB) && !challenge.contains(BOB));
    let basic = list("Basic YWRhOmFkYQ==".to_owned()).await;
    assert_problem(&basic, 401, "auth_required", "missing_credentials");
    let long = list(bearer(&"a".repeat(9_000))).await;
    assert_problem(&long, 401, "auth_required", "bad_key");
    let authorization = bearer(ADA);
    let twice = [
        ("Authorization", authorization.as_str()),
        ("Authorization", authorization.as_str()),
    ];
    let twice = server.modern_as(&twice, "tools/list", json!({})).await;
    let challenge = assert_problem(&twice, 400, "validation", "invalid_argument");
    assert!(
        challenge.contains("error=\"invalid_request\""),
        "{challenge}"
    );
    let path = format!("/mcp?access_token={ADA}");
    let in_query = server.send("POST", &path, &[], b"{}").await;
    assert_problem(&in_query, 400, "validation", "invalid_argument");
    assert!(!in_query.body.contains(ADA));
    // What needs no token, and what needs another scope.
    assert_eq!(server.send("GET", "/healthz", &[], b"").await.status, 200);
    let counters = server.send("GET", "/metrics", &[], b"").await;
    assert_problem(&counters, 401, "auth_required", "missing_credentials");
    let headers = [("Authorization", authorization.as_str())];
    let counters = server.send("GET", "/metrics", &headers, b"").await;
    let challenge = assert_problem(&counters, 403, "auth_required", "forbidden");
    assert!(
        challenge.contains("error=\"insufficient_scope\""),
        "{challenge}"
    );
}

#[tokio::test]
async fn scopes_decide_which_tools_are_listed_and_which_may_be_called() {
    let file = token_file(&[
        ("ada", ADA, "[\"research\"]"),
        ("bob", BOB, "[\"patterns\", \"metrics\"]"),
    ]);
    let server = server(&file, &["--toolset", "all", "--metrics"]).await;
    let (ada, bob) = (bearer(ADA), bearer(BOB));
    let (ada, bob) = (
        [("Authorization", ada.as_str())],
        [("Authorization", bob.as_str())],
    );
    let names = |answer: crate::client::Answer| {
        let result = answer.json()["result"].clone();
        assert_eq!(result["cacheScope"], "private");
        let tools = result["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let research = names(server.modern_as(&ada, "tools/list", json!({})).await);
    let patterns = names(server.modern_as(&bob, "tools/list", json!({})).await);
    assert!(
        research.contains(&"web_search".to_owned())
            && research.contains(&"health_check".to_owned())
    );
    assert!(
        !research.contains(&"search_patterns".to_owned())
            && !research.contains(&"grok_search".to_owned())
    );
    assert_eq!(patterns.len(), 5, "{patterns:?}");
    let health = json!({"name": "health_check", "arguments": {}});
    let refused = server.modern_as(&bob, "tools/call", health.clone()).await;
    let challenge = assert_problem(&refused, 403, "auth_required", "forbidden");
    assert!(
        challenge.contains("error=\"insufficient_scope\", scope=\"research patterns metrics\""),
        "{challenge}"
    );
    assert!(
        refused.json()["detail"]
            .as_str()
            .unwrap()
            .contains("scope research")
    );
    let served = server.modern_as(&ada, "tools/call", health).await;
    assert_eq!(
        (served.status, &served.json()["result"]["isError"]),
        (200, &json!(false))
    );
    assert_eq!(server.send("GET", "/metrics", &bob, b"").await.status, 200);
}

#[tokio::test]
async fn each_token_has_sessions_of_its_own() {
    let file = token_file(&[
        ("ada", ADA, "[\"research\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let server = server(&file, &[]).await;
    let (ada, bob) = (bearer(ADA), bearer(BOB));
    let begun = server
        .modern_as(
            &[("Authorization", ada.as_str())],
            "tools/call",
            json!({"name": "sequential_search", "arguments": {"goal": "my own"}}),
        )
        .await;
    assert_eq!(begun.json()["result"]["isError"], false, "{begun:?}");
    for (who, count) in [(&ada, 1), (&bob, 0)] {
        let headers = [("Authorization", who.as_str())];
        let call = json!({"name": "get_research_session", "arguments": {}});
        let list = server.modern_as(&headers, "tools/call", call).await.json();
        let sessions = &list["result"]["structuredContent"]["sessions"];
        assert_eq!(sessions.as_array().map(Vec::len), Some(count), "{list}");
    }
}

#[tokio::test]
async fn a_changed_file_changes_who_is_let_in_and_a_broken_one_changes_nothing() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file, &[]).await;
    let status = |token: &'static str| {
        let server = &server;
        async move {
            let authorization = bearer(token);
            let headers = [("Authorization", authorization.as_str())];
            server
                .modern_as(&headers, "tools/list", json!({}))
                .await
                .status
        }
    };
    assert_eq!((status(ADA).await, status(BOB).await), (200, 401));
    write_tokens(file.path(), &[("bob", BOB, "[\"web\", \"research\"]")]);
    while status(BOB).await != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(status(ADA).await, 401);
    std::fs::write(file.path(), "[[token]]\nname = ").unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    assert_eq!((status(ADA).await, status(BOB).await), (401, 200));
}

#[tokio::test]
async fn a_proxy_names_users_only_with_the_scope_for_it() {
    let file = token_file(&[
        ("proxy", ADA, "[\"research\", \"proxy\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let server = server(&file, &["--subject-header", "x-user"]).await;
    let (proxy, bob) = (bearer(ADA), bearer(BOB));
    let call = json!({"name": "health_check", "arguments": {}});
    let as_ada = [("Authorization", proxy.as_str()), ("X-User", "ada")];
    assert_eq!(
        server
            .modern_as(&as_ada, "tools/call", call.clone())
            .await
            .status,
        200
    );
    let unnamed = [("Authorization", proxy.as_str())];
    let unnamed = server.modern_as(&unnamed, "tools/call", call.clone()).await;
    assert_problem(&unnamed, 400, "validation", "invalid_argument");
    let himself = [("Authorization", bob.as_str())];
    assert_eq!(
        server
            .modern_as(&himself, "tools/call", call.clone())
            .await
            .status,
        200
    );
    let as_ada = [("Authorization", bob.as_str()), ("X-User", "ada")];
    let refused = server.modern_as(&as_ada, "tools/call", call).await;
    assert_problem(&refused, 403, "auth_required", "forbidden");
}

/// The number of sessions that a caller sees.
async fn count_sessions(server: &HttpServer, headers: &[(&str, &str)]) -> Option<usize> {
    let call = json!({"name": "get_research_session", "arguments": {}});
    let list = server.modern_as(headers, "tools/call", call).await.json();
    let sessions = &list["result"]["structuredContent"]["sessions"];
    sessions.as_array().map(Vec::len)
}

#[tokio::test]
async fn a_user_whom_the_proxy_names_is_not_the_holder_of_a_token_of_that_name() {
    let file = token_file(&[
        ("proxy", ADA, "[\"research\", \"proxy\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let server = server(&file, &["--subject-header", "x-user"]).await;
    let (proxy, bob) = (bearer(ADA), bearer(BOB));
    let bob = [("Authorization", bob.as_str())];
    let begin = json!({"name": "sequential_search", "arguments": {"goal": "my own"}});
    let begun = server.modern_as(&bob, "tools/call", begin.clone()).await;
    assert_eq!(begun.json()["result"]["isError"], false, "{begun:?}");
    let named = [("Authorization", proxy.as_str()), ("X-User", "bob")];
    assert_eq!(count_sessions(&server, &named).await, Some(0));
    let begun = server.modern_as(&named, "tools/call", begin).await;
    assert_eq!(begun.json()["result"]["isError"], false, "{begun:?}");
    assert_eq!(count_sessions(&server, &named).await, Some(1));
    assert_eq!(count_sessions(&server, &bob).await, Some(1));
}

#[tokio::test]
async fn a_file_that_was_broken_is_read_as_soon_as_it_is_right() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file, &[]).await;
    let status = async |token: &str| {
        let authorization = bearer(token);
        let headers = [("Authorization", authorization.as_str())];
        let listed = server.modern_as(&headers, "tools/list", json!({})).await;
        listed.status
    };
    // Both have the same length and time.
    let right = format!("[[token]]\nname = \"bob\"\ntoken = \"{BOB}\"\nscopes = [\"research\"]\n");
    let broken = right.replace("[[token]]", "[[tokem]]");
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let write = |text: &str| {
        std::fs::write(file.path(), text).unwrap();
        let file = std::fs::File::options().write(true).open(file.path());
        file.unwrap().set_modified(time).unwrap();
    };
    write(&broken);
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    assert_eq!((status(ADA).await, status(BOB).await), (200, 401));
    write(&right);
    while status(BOB).await != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(status(ADA).await, 401);
}

#[tokio::test]
async fn a_token_for_the_counters_sees_nothing_else_of_the_server() {
    let file = token_file(&[
        ("prometheus", ADA, "[\"metrics\"]"),
        ("bob", BOB, "[\"patterns\"]"),
    ]);
    let server = server(&file, &["--toolset", "all", "--metrics"]).await;
    let (counters, bob) = (bearer(ADA), bearer(BOB));
    let counters = [("Authorization", counters.as_str())];
    let bob = [("Authorization", bob.as_str())];
    assert_eq!(
        server.send("GET", "/metrics", &counters, b"").await.status,
        200
    );
    for path in ["/", "/api/overview"] {
        let refused = server.send("GET", path, &counters, b"").await;
        assert_problem(&refused, 403, "auth_required", "forbidden");
        assert_eq!(server.send("GET", path, &bob, b"").await.status, 200);
    }
    let uri = "fingerpost://diagnostics/health";
    let read = async |who: &(&'static str, &str)| {
        let headers = [*who, ("Mcp-Name", uri)];
        let read = server.modern_as(&headers, "resources/read", json!({"uri": uri}));
        read.await
    };
    let refused = read(&counters[0]).await;
    let challenge = assert_problem(&refused, 403, "auth_required", "forbidden");
    assert!(
        challenge.contains("error=\"insufficient_scope\""),
        "{challenge}"
    );
    let shown = read(&bob[0]).await.json();
    assert!(shown["result"]["contents"].is_array(), "{shown}");
    let complete = json!({"ref": {"type": "ref/prompt", "name": "get_pattern"}, "argument": {"name": "id", "value": "unguess"}});
    let completed = async |who: &[(&str, &str)]| {
        let completed = server.modern_as(who, "completion/complete", complete.clone());
        completed.await.json()["result"]["completion"]["values"].clone()
    };
    assert_eq!(completed(&counters).await, json!([]));
    assert_eq!(completed(&bob).await, json!(["unguessable-session-ids"]));
    // An unknown tool is answered with the tools of the caller alone.
    for name in ["get_patterns", "web_searches", "no such tool at all"] {
        let params = json!({"name": name, "arguments": {}});
        let none = server.modern_as(&counters, "tools/call", params.clone());
        let none = none.await.json();
        assert_eq!(none["error"]["data"]["tools"], json!([]), "{none}");
        assert!(none["error"]["data"].get("nearest").is_none(), "{none}");
        let some = server.modern_as(&bob, "tools/call", params).await.json();
        let tools = some["error"]["data"]["tools"].as_array();
        assert_eq!(tools.map(Vec::len), Some(5), "{some}");
        assert!(!some.to_string().contains("web_search"), "{some}");
    }
}

#[tokio::test]
async fn a_failure_suggests_only_tools_that_the_token_may_use() {
    let file = token_file(&[
        ("ada", ADA, "[\"live\", \"research\"]"),
        ("bob", BOB, "[\"live\"]"),
    ]);
    let server = server(&file, &["--toolset", "all", "--dialect", "dual"]).await;
    for (token, is_suggested) in [(ADA, true), (BOB, false)] {
        let authorization = bearer(token);
        let headers = [("Authorization", authorization.as_str())];
        let call = json!({"name": "grok_search", "arguments": {"query": "rust"}});
        let failed = server.modern_as(&headers, "tools/call", call).await.json();
        assert_eq!(failed["result"]["isError"], true, "{failed}");
        let names = failed.to_string().contains("web_search");
        assert_eq!(names, is_suggested, "{failed}");
    }
}

#[tokio::test]
async fn advice_names_a_tool_only_to_those_who_may_call_it() {
    let file = token_file(&[
        ("ada", ADA, "[\"live\", \"agent\", \"research\"]"),
        ("bob", BOB, "[\"live\", \"agent\"]"),
    ]);
    let calls = [
        ("grok_search", json!({"query": "rust"}), "web_search"),
        (
            "deep_research",
            json!({"question": "What is rust?"}),
            "search_and_scrape",
        ),
    ];
    let tools = ["--tools", "grok_search,deep_research"];
    for (more, names_tool, hint) in [
        (&[][..], true, "scope research"),
        // What the operator left out, nobody may call; the advice is then for the operator.
        (&tools[..], false, "--tools"),
    ] {
        let toolset = ["--toolset", "live,agent,research", "--dialect", "dual"];
        let server = server(&file, &[&toolset[..], more].concat()).await;
        for (tool, arguments, other) in &calls {
            let told = async |token: &str| {
                let authorization = bearer(token);
                let headers = [("Authorization", authorization.as_str())];
                let call = json!({"name": tool, "arguments": arguments});
                let failed = server.modern_as(&headers, "tools/call", call).await.json();
                assert_eq!(failed["result"]["isError"], true, "{failed}");
                failed["result"].clone()
            };
            let next = format!("\"tool\":\"{other}\"");
            let granted = told(ADA).await.to_string();
            assert_eq!(granted.contains(&next), names_tool, "{granted}");
            let narrow = told(BOB).await;
            let sentence = narrow["content"][0]["text"].as_str().unwrap();
            assert!(sentence.contains(hint), "{sentence}");
            assert!(!narrow.to_string().contains(&next), "{narrow}");
            if names_tool {
                assert!(!narrow.to_string().contains(other), "{narrow}");
            }
        }
    }
}

#[tokio::test]
async fn the_tools_of_a_user_are_not_for_a_cache_of_all() {
    let all = "[\"research\", \"web\", \"live\", \"patterns\", \"agent\", \"metrics\", \"operator\", \"proxy\"]";
    let file = token_file(&[("ada", ADA, all)]);
    let server = server(&file, &[]).await;
    let ada = bearer(ADA);
    let headers = [("Authorization", ada.as_str())];
    let listed = server.modern_as(&headers, "tools/list", json!({})).await;
    assert_eq!(listed.json()["result"]["cacheScope"], "private");
}

#[tokio::test]
async fn the_page_shows_sessions_only_to_tokens_that_may_read_them() {
    let file = token_file(&[
        ("ada", ADA, "[\"research\"]"),
        ("ada", BOB, "[\"patterns\"]"),
    ]);
    let server = server(&file, &["--toolset", "all"]).await;
    for (token, status) in [(ADA, 200), (BOB, 403)] {
        let authorization = bearer(token);
        let headers = [("Authorization", authorization.as_str())];
        for path in ["/api/sessions", "/api/sessions/ses_none"] {
            let answer = server.send("GET", path, &headers, b"").await;
            let is_served = answer.status != 403;
            assert_eq!(is_served, status == 200, "{path}: {answer:?}");
        }
        let viewer = server.send("GET", "/api/viewer", &headers, b"").await;
        assert_eq!(viewer.json()["sessions"], status == 200);
    }
}

#[tokio::test]
async fn clients_may_name_the_server_by_any_address_but_only_by_known_names() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file, &["--public-url", "https://mcp.example"]).await;
    for (host, status) in [
        ("10.1.2.3:8420", 200),
        ("[2001:db8::1]:8420", 200),
        ("mcp.example", 200),
        ("evil.example", 403),
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": crate::client::modern_meta()}});
        let body = body.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            bearer(ADA),
            body.len()
        );
        let answer = server.raw(request.as_bytes()).await;
        assert_eq!(answer.status, status, "{host}: {answer:?}");
    }
}

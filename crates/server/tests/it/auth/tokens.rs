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

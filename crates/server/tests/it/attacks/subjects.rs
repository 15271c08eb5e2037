//! Who a request belongs to, when a proxy names the user in a header.

use serde_json::{Value, json};

use crate::client::{HttpServer, modern_meta};

async fn server() -> HttpServer {
    HttpServer::spawn(&["--ephemeral", "--subject-header", "x-user"]).await
}

/// A call whose header lines are sent byte for byte.
async fn call(server: &HttpServer, lines: &[&[u8]], tool: &str, arguments: Value) -> (u16, Value) {
    let params = json!({"name": tool, "arguments": arguments, "_meta": modern_meta()});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let mut request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n\
         Content-Length: {}\r\n",
        server.address,
        body.len()
    )
    .into_bytes();
    for line in lines {
        request.extend_from_slice(line);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    request.extend_from_slice(body.as_bytes());
    let answer = server.raw(&request).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn a_request_whose_user_is_missing_empty_or_named_twice_is_refused() {
    let server = server().await;
    let refused: [&[&[u8]]; 5] = [
        &[],
        &[b"X-User:"],
        &[b"X-User:   "],
        &[b"X-User: ada", b"X-User: bob"],
        &[b"X-User: ada", b"x-user: ada"],
    ];
    for lines in refused {
        let (status, reply) = call(&server, lines, "health_check", json!({})).await;
        assert_eq!(
            (status, &reply["kind"]),
            (400, &json!("validation")),
            "{reply}"
        );
        let message = reply["detail"].as_str().unwrap();
        assert!(message.contains("--subject-header") || message.contains("several"));
        assert!(!message.contains("ada"), "{message}");
    }
    let (status, reply) = call(&server, &[b"X-User: ada"], "health_check", json!({})).await;
    assert_eq!((status, &reply["result"]["isError"]), (200, &json!(false)));
}

#[tokio::test]
async fn users_that_differ_in_one_byte_share_nothing() {
    let server = server().await;
    let users: [&[u8]; 7] = [
        b"X-User: \xc3\xa9",
        b"X-User: \xc3\xa8",
        b"X-User: \xe9",
        b"X-User: \xe8",
        b"X-User: \xff\xfe",
        b"X-User: e9",
        b"X-User: E9",
    ];
    for user in users {
        let goal = json!({"goal": "my own"});
        let (_, begun) = call(&server, &[user], "sequential_search", goal).await;
        assert!(begun["result"]["structuredContent"]["sessionId"].is_string());
        let (_, list) = call(&server, &[user], "get_research_session", json!({})).await;
        let sessions = &list["result"]["structuredContent"]["sessions"];
        assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{list}");
    }
}

/// A message of the older revisions, which have sessions.
async fn post(
    server: &HttpServer,
    headers: &[(&str, &str)],
    message: Value,
) -> crate::client::Answer {
    let version = ("MCP-Protocol-Version", "2025-06-18");
    let headers: Vec<_> = headers.iter().copied().chain([version]).collect();
    server
        .send("POST", "/mcp", &headers, message.to_string().as_bytes())
        .await
}

async fn initialize(server: &HttpServer, user: &str) -> crate::client::Answer {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    post(server, &[("X-User", user)], message).await
}

#[tokio::test]
async fn a_transport_session_is_used_and_ended_only_by_its_user() {
    let server = server().await;
    let begun = initialize(&server, "ada").await;
    let id = begun.header("mcp-session-id").unwrap().to_owned();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let (ada, bob) = (
        [("X-User", "ada"), ("Mcp-Session-Id", id.as_str())],
        [("X-User", "bob"), ("Mcp-Session-Id", id.as_str())],
    );
    assert_eq!(post(&server, &ada, noted).await.status, 202);
    assert_eq!(server.send("DELETE", "/mcp", &bob, b"").await.status, 404);
    assert_eq!(post(&server, &bob, list.clone()).await.status, 404);
    assert_eq!(post(&server, &ada, list.clone()).await.status, 200);
    let ended = server.send("DELETE", "/mcp", &ada, b"").await;
    assert!(matches!(ended.status, 200 | 202 | 204), "{ended:?}");
    assert_eq!(post(&server, &ada, list).await.status, 404);
}

#[tokio::test]
async fn the_sessions_of_one_user_leave_room_for_others() {
    let server = server().await;
    let mut begun = 0;
    let refused = loop {
        let answer = initialize(&server, "eve").await;
        if answer.status != 200 {
            break answer;
        }
        begun += 1;
        assert!(begun < 1_000, "one user took every session");
    };
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(initialize(&server, "bob").await.status, 200);
}

/// A thousand sessions may be open, of which a user has a quarter.
#[tokio::test]
async fn the_sessions_of_several_users_leave_room_for_others() {
    let server = server().await;
    for number in 0..1_000 {
        let user = format!("eve {}", number % 4);
        let begun = initialize(&server, &user).await;
        assert_eq!(begun.status, 200, "{number}: {begun:?}");
    }
    let begun = initialize(&server, "bob").await;
    let id = begun.header("mcp-session-id").unwrap().to_owned();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let noted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let bob = [("X-User", "bob"), ("Mcp-Session-Id", id.as_str())];
    assert_eq!(post(&server, &bob, noted).await.status, 202);
    assert_eq!(post(&server, &bob, list).await.status, 200);
}

#[tokio::test]
async fn a_private_page_is_not_served_to_another_user_by_a_cursor() {
    let web = testkit::Web::start().await;
    for (path, policy) in [("/private", "private, max-age=600"), ("/never", "no-store")] {
        let page = testkit::Reply::new(200, "Words of this page. ".repeat(300))
            .header("Content-Type", "text/plain")
            .header("Cache-Control", policy);
        web.on(path, page);
    }
    let opened = web.address().to_string();
    let server = HttpServer::spawn(&[
        "--ephemeral",
        "--browser",
        "never",
        "--subject-header",
        "x-user",
        "--allow-private",
        &opened,
    ])
    .await;
    for path in ["/private", "/never"] {
        let read = async |user: &'static str, cursor: u64| {
            let arguments = json!({"url": web.url(path), "max_chars": 1000, "cursor": cursor});
            let (_, reply) = call(&server, &[user.as_bytes()], "scrape_page", arguments).await;
            assert_eq!(reply["result"]["isError"], false, "{reply}");
            web.hits(path)
        };
        assert_eq!(read("X-User: ada", 0).await, 1);
        assert_eq!(read("X-User: ada", 1000).await, 1, "she reads on");
        assert_eq!(read("X-User: bob", 1000).await, 2, "he gets his own");
        assert_eq!(read("X-User: ada", 2000).await, 2, "and she keeps hers");
    }
}

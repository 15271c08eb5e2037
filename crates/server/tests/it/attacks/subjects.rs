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
            (status, &reply["error"]["code"]),
            (400, &json!(-32600)),
            "{reply}"
        );
        let message = reply["error"]["message"].as_str().unwrap();
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

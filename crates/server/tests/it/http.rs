//! The HTTP door: both eras, and every refusal in JSON with the right status.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use server::{dispatch::Dispatcher, settings::Settings, wire::Wire};
use tokio::io::AsyncWriteExt;

use crate::{
    client::{HttpServer, modern_meta},
    tools::{COUNTING, DROPPED},
};

const MODERN: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

#[tokio::test]
async fn the_stateless_revision_in_plain_json() {
    let server = HttpServer::spawn(&[]).await;
    let found = server.modern("server/discover", json!({})).await;
    assert_eq!(found.status, 200, "{found:?}");
    assert_eq!(found.header("content-type"), Some("application/json"));
    assert_eq!(found.json()["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "fingerpost");
    let list = server.modern("tools/list", json!({})).await.json();
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "public");
    let called = server.modern("tools/call", json!({"name": "health_check", "arguments": {}})).await.json();
    assert_eq!(called["result"]["structuredContent"]["server_healthy"], true);
    let as_text = server.modern("tools/call", json!({"name": "health_check", "arguments": "{}"})).await;
    assert_eq!((as_text.status, &as_text.json()["result"]["isError"]), (200, &json!(false)), "{as_text:?}");
    let wrong = server.modern("tools/call", json!({"name": "health_check", "arguments": {"a": 1}})).await;
    assert_eq!((wrong.status, &wrong.json()["result"]["isError"]), (200, &json!(true)));
    let unknown = server.modern("no/such", json!({})).await;
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (404, &json!(-32601)), "{unknown:?}");
    let tool = server.modern("tools/call", json!({"name": "nobody"})).await;
    assert_eq!(tool.json()["error"]["code"], -32602, "{tool:?}");
}

#[tokio::test]
async fn a_session_of_the_older_revisions() {
    let server = HttpServer::spawn(&[]).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let begun = server.send("POST", "/mcp", &[], body.as_bytes()).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    assert_eq!(begun.json()["result"]["protocolVersion"], "2025-06-18");
    let session = begun.header("mcp-session-id").unwrap().to_owned();
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
    let noted = server.send("POST", "/mcp", &headers, b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}").await;
    assert_eq!(noted.status, 202);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "health_check", "arguments": {}}});
    let called = server.send("POST", "/mcp", &headers, call.to_string().as_bytes()).await;
    assert_eq!(called.json()["result"]["structuredContent"]["server_healthy"], true, "{called:?}");
    let ended = server.send("DELETE", "/mcp", &headers, b"").await;
    assert!(matches!(ended.status, 200 | 202 | 204), "{ended:?}");
    let gone = server.send("POST", "/mcp", &headers, call.to_string().as_bytes()).await;
    assert_refused(&gone.json(), gone.status, 404, -32600);
}

fn assert_refused(body: &Value, status: u16, expected: u16, code: i64) {
    assert_eq!((status, body["error"]["code"].as_i64()), (expected, Some(code)), "{body}");
    assert_eq!(body["jsonrpc"], "2.0");
    assert!(body.get("id").is_none(), "{body}");
    assert!(body["error"]["message"].as_str().is_some_and(|words| words.ends_with('.')), "{body}");
}

#[tokio::test]
async fn every_refusal_is_json_with_its_status() {
    let server = HttpServer::spawn(&[]).await;
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    let large = vec![b' '; 4 * 1024 * 1024 + 1];
    let cases: Vec<(&str, &[(&str, &str)], &[u8], u16, i64)> = vec![
        ("POST", &[MODERN], b"not json", 400, -32700),
        ("POST", &[MODERN], b"{\"jsonrpc\":", 400, -32700),
        ("POST", &[MODERN], b"\xff\xfe", 400, -32700),
        ("POST", &[MODERN], b"{}", 400, -32600),
        ("POST", &[MODERN], b"[]", 400, -32600),
        ("POST", &[], ping, 400, -32600),
        ("POST", &[("Origin", "https://evil.example")], ping, 403, -32600),
        ("POST", &[("Origin", "null")], ping, 403, -32600),
        ("POST", &[("Host", "evil.example")], ping, 403, -32600),
        ("POST", &[("Mcp-Session-Id", "unknown")], ping, 404, -32600),
        ("PUT", &[], b"", 405, -32600),
        ("GET", &[MODERN], b"", 405, -32600),
        ("POST", &[("Accept", "text/html")], ping, 406, -32600),
        ("POST", &[MODERN], &large, 413, -32600),
        ("POST", &[("Content-Type", "text/plain")], ping, 415, -32600),
        ("POST", &[("Content-Type", "")], ping, 415, -32600),
    ];
    for (method, headers, body, status, code) in cases {
        let answer = server.send(method, "/mcp", headers, body).await;
        assert_eq!(answer.header("content-type"), Some("application/json"), "{method} {headers:?} {answer:?}");
        assert_refused(&answer.json(), answer.status, status, code);
    }
    let methods = server.send("PUT", "/mcp", &[], b"").await;
    assert!(methods.header("allow").is_some_and(|allow| allow.contains("POST")), "{methods:?}");
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_answered_under_its_id() {
    let server = HttpServer::spawn(&[]).await;
    let body = b"{\"jsonrpc\":\"2.0\",\"id\":\"a7\",\"method\":\"tools/call\",\"params\":[]}";
    let answer = server.send("POST", "/mcp", &[MODERN], body).await;
    assert_eq!((answer.status, &answer.json()["id"]), (400, &json!("a7")), "{answer:?}");
    assert_eq!(answer.json()["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_that_hangs_up_cancels_its_call() {
    let _turn = COUNTING.lock().await;
    let before = DROPPED.load(Ordering::SeqCst);
    let dispatcher = Arc::new(Dispatcher::new(Settings::default(), crate::tools::TOOLS));
    let endpoint = server::http::Endpoint::bind("127.0.0.1:0".parse().unwrap(), dispatcher.settings()).await.unwrap();
    let address = endpoint.address();
    tokio::spawn(endpoint.serve(Wire::new(dispatcher), std::future::pending()));
    let params = json!({"name": "slow", "arguments": {"milliseconds": 60_000}, "_meta": modern_meta()});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: slow\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(DROPPED.load(Ordering::SeqCst), before, "it is running");
    drop(socket);
    for _ in 0..200 {
        if DROPPED.load(Ordering::SeqCst) > before {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(DROPPED.load(Ordering::SeqCst), before + 1);
}

#[tokio::test]
async fn protocol_errors_of_the_stateless_revision_have_their_own_codes() {
    let server = HttpServer::spawn(&[]).await;
    let mut strange = modern_meta();
    strange["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": strange}}).to_string();
    let headers = [("MCP-Protocol-Version", "2099-01-01"), ("Mcp-Method", "tools/list")];
    let refused = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
    assert_eq!((refused.status, refused.json()["error"]["code"].as_i64()), (400, Some(-32022)), "{refused:?}");

    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}).to_string();
    let refused = server.send("POST", "/mcp", &[MODERN, ("Mcp-Method", "tools/call")], body.as_bytes()).await;
    assert_eq!((refused.status, refused.json()["error"]["code"].as_i64()), (400, Some(-32020)), "{refused:?}");
}

#[tokio::test]
async fn origins_and_hosts_that_are_allowed() {
    let server = HttpServer::spawn(&["--allowed-origin", "https://app.example.com"]).await;
    for origin in ["http://localhost:5173", "http://127.0.0.1", "http://[::1]:80", "https://app.example.com"] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}).to_string();
        let headers = [MODERN, ("Mcp-Method", "tools/list"), ("Origin", origin)];
        let answer = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 200, "{origin} {answer:?}");
    }
    let foreign_port = [MODERN, ("Origin", "https://app.example.com:8443")];
    assert_eq!(server.send("POST", "/mcp", &foreign_port, b"{}").await.status, 403);
    let through_proxy = [MODERN, ("Host", "app.example.com")];
    assert_eq!(server.send("POST", "/mcp", &through_proxy, b"{}").await.status, 400, "the host passes, the body does not");
}

#[tokio::test]
async fn other_paths_and_the_health_page() {
    let server = HttpServer::spawn(&[]).await;
    let health = server.send("GET", "/healthz", &[], b"").await;
    assert_eq!((health.status, &health.json()["status"]), (200, &json!("ok")));
    let nothing = server.send("GET", "/elsewhere", &[], b"").await;
    assert_eq!((nothing.status, nothing.header("content-type")), (404, Some("application/problem+json")));
    assert_eq!(nothing.json()["status"], 404);
}

#[cfg(unix)]
#[tokio::test]
async fn a_termination_signal_ends_the_server_in_order() {
    let mut server = HttpServer::spawn(&[]).await;
    let process = server.child.id().unwrap().to_string();
    let sent = std::process::Command::new("kill").args(["-TERM", &process]).status().unwrap();
    assert!(sent.success());
    let ended = tokio::time::timeout(Duration::from_secs(12), server.child.wait()).await.expect("it ends").unwrap();
    assert_eq!(ended.code(), Some(0));
}

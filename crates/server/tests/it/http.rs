//! The HTTP transport: every revision of the protocol, and every refusal in JSON with its status.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use server::{dispatch::Dispatcher, settings::Settings, wire::McpHandler};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    client::{HttpServer, modern_meta},
    tools::{COUNTING, DROPPED},
};

const MODERN: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

#[tokio::test]
async fn the_stateless_revision_is_answered_in_plain_json() {
    let server = HttpServer::spawn(&[]).await;
    let found = server.modern("server/discover", json!({})).await;
    assert_eq!(found.status, 200, "{found:?}");
    assert_eq!(found.header("content-type"), Some("application/json"));
    assert_eq!(
        found.json()["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "fingerpost"
    );
    let list = server.modern("tools/list", json!({})).await.json();
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "public");
    let called = server
        .modern(
            "tools/call",
            json!({"name": "health_check", "arguments": {}}),
        )
        .await
        .json();
    assert_eq!(
        called["result"]["structuredContent"]["server_healthy"],
        true
    );
    let as_text = server
        .modern(
            "tools/call",
            json!({"name": "health_check", "arguments": "{}"}),
        )
        .await;
    assert_eq!(
        (as_text.status, &as_text.json()["result"]["isError"]),
        (200, &json!(false)),
        "{as_text:?}"
    );
    let wrong = server
        .modern(
            "tools/call",
            json!({"name": "health_check", "arguments": {"a": 1}}),
        )
        .await;
    assert_eq!(
        (wrong.status, &wrong.json()["result"]["isError"]),
        (200, &json!(true))
    );
    let unknown = server.modern("no/such", json!({})).await;
    assert_eq!(
        (unknown.status, &unknown.json()["error"]["code"]),
        (404, &json!(-32601)),
        "{unknown:?}"
    );
    let tool = server.modern("tools/call", json!({"name": "nobody"})).await;
    assert_eq!(tool.json()["error"]["code"], -32602, "{tool:?}");
}

#[tokio::test]
async fn the_older_revisions_have_sessions() {
    let server = HttpServer::spawn(&[]).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let begun = server.send("POST", "/mcp", &[], body.as_bytes()).await;
    assert_eq!(begun.status, 200, "{begun:?}");
    assert_eq!(begun.json()["result"]["protocolVersion"], "2025-06-18");
    let session = begun.header("mcp-session-id").unwrap().to_owned();
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    let noted = server
        .send(
            "POST",
            "/mcp",
            &headers,
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        )
        .await;
    assert_eq!(noted.status, 202);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "health_check", "arguments": {}}});
    let called = server
        .send("POST", "/mcp", &headers, call.to_string().as_bytes())
        .await;
    assert_eq!(
        called.json()["result"]["structuredContent"]["server_healthy"],
        true,
        "{called:?}"
    );
    let ended = server.send("DELETE", "/mcp", &headers, b"").await;
    assert!(matches!(ended.status, 200 | 202 | 204), "{ended:?}");
    let gone = server
        .send("POST", "/mcp", &headers, call.to_string().as_bytes())
        .await;
    assert_refused(&gone.json(), gone.status, 404, -32600);
}

fn assert_refused(body: &Value, status: u16, expected: u16, code: i64) {
    assert_eq!(
        (status, body["error"]["code"].as_i64()),
        (expected, Some(code)),
        "{body}"
    );
    assert_eq!(body["jsonrpc"], "2.0");
    assert!(body.get("id").is_none(), "{body}");
    let problem = &body["error"]["data"];
    assert_eq!(problem["status"], status, "{body}");
    assert!(problem["kind"].is_string() && problem["retryable"].is_boolean());
    assert!(problem["suggestedAction"].is_string(), "{body}");
    assert!(
        body["error"]["message"]
            .as_str()
            .is_some_and(|words| words.ends_with('.')),
        "{body}"
    );
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
        (
            "POST",
            &[("Origin", "https://evil.example")],
            ping,
            403,
            -32600,
        ),
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
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{method} {headers:?} {answer:?}"
        );
        assert_refused(&answer.json(), answer.status, status, code);
    }
    let methods = server.send("PUT", "/mcp", &[], b"").await;
    assert!(
        methods
            .header("allow")
            .is_some_and(|allow| allow.contains("POST")),
        "{methods:?}"
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_parsed_is_answered_under_its_id() {
    let server = HttpServer::spawn(&[]).await;
    let body = b"{\"jsonrpc\":\"2.0\",\"id\":\"a7\",\"method\":\"tools/call\",\"params\":[]}";
    let answer = server.send("POST", "/mcp", &[MODERN], body).await;
    assert_eq!(
        (answer.status, &answer.json()["id"]),
        (400, &json!("a7")),
        "{answer:?}"
    );
    assert_eq!(answer.json()["error"]["code"], -32602);
}

#[tokio::test]
async fn closing_the_connection_cancels_the_call() {
    let _turn = COUNTING.lock().await;
    let before = DROPPED.load(Ordering::SeqCst);
    let dispatcher = Arc::new(Dispatcher::new(Settings::default(), crate::tools::TOOLS));
    let endpoint = server::transport::http::Endpoint::bind(
        "127.0.0.1:0".parse().unwrap(),
        dispatcher.settings(),
    )
    .await
    .unwrap();
    let address = endpoint.address();
    tokio::spawn(endpoint.serve(McpHandler::new(dispatcher), std::future::pending()));
    let params =
        json!({"name": "slow", "arguments": {"milliseconds": 60_000}, "_meta": modern_meta()});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
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

/// The SDK reports it with a code that has many causes, so our message is chosen by its words.
#[tokio::test]
async fn initialize_under_another_version_than_its_header_is_told_what_to_send() {
    let server = HttpServer::spawn(&[]).await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let headers = [("MCP-Protocol-Version", "2025-06-18")];
    let refused = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let error = &refused.json()["error"];
    let message =
        "The MCP-Protocol-Version header must be the protocolVersion that initialize asks for.";
    assert_eq!(
        (&error["code"], &error["message"], &error["data"]["detail"]),
        (&json!(-32600), &json!(message), &json!(message))
    );
}

#[tokio::test]
async fn protocol_errors_of_the_stateless_revision_have_their_own_codes() {
    let server = HttpServer::spawn(&[]).await;
    let mut strange = modern_meta();
    strange["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": strange}})
            .to_string();
    let headers = [
        ("MCP-Protocol-Version", "2099-01-01"),
        ("Mcp-Method", "tools/list"),
    ];
    let refused = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
    assert_eq!(
        (refused.status, refused.json()["error"]["code"].as_i64()),
        (400, Some(-32022)),
        "{refused:?}"
    );
    assert!(
        refused.json()["error"]["data"]["supported"].is_array(),
        "what the protocol defines stays: {refused:?}"
    );

    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}).to_string();
    let refused = server
        .send(
            "POST",
            "/mcp",
            &[MODERN, ("Mcp-Method", "tools/call")],
            body.as_bytes(),
        )
        .await;
    assert_eq!(
        (refused.status, refused.json()["error"]["code"].as_i64()),
        (400, Some(-32020)),
        "{refused:?}"
    );
}

#[tokio::test]
async fn only_allowed_origins_and_hosts_are_served() {
    let server = HttpServer::spawn(&["--allowed-origin", "https://app.example.com"]).await;
    for origin in [
        "http://localhost:5173",
        "http://127.0.0.1",
        "http://[::1]:80",
        "https://app.example.com",
    ] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}).to_string();
        let headers = [MODERN, ("Mcp-Method", "tools/list"), ("Origin", origin)];
        let answer = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 200, "{origin} {answer:?}");
    }
    let foreign_port = [MODERN, ("Origin", "https://app.example.com:8443")];
    assert_eq!(
        server
            .send("POST", "/mcp", &foreign_port, b"{}")
            .await
            .status,
        403
    );
    let through_proxy = [MODERN, ("Host", "app.example.com")];
    assert_eq!(
        server
            .send("POST", "/mcp", &through_proxy, b"{}")
            .await
            .status,
        400,
        "the host passes, the body does not"
    );
}

#[tokio::test]
async fn the_health_page_is_served_and_other_paths_are_not_found() {
    let server = HttpServer::spawn(&[]).await;
    let health = server.send("GET", "/healthz", &[], b"").await;
    assert_eq!(
        (health.status, &health.json()["status"]),
        (200, &json!("ok"))
    );
    let nothing = server.send("GET", "/elsewhere", &[], b"").await;
    assert_eq!(
        (nothing.status, nothing.header("content-type")),
        (404, Some("application/problem+json"))
    );
    assert_eq!(nothing.json()["status"], 404);
}

#[cfg(unix)]
#[tokio::test]
async fn a_termination_signal_stops_the_server_gracefully() {
    let mut server = HttpServer::spawn(&[]).await;
    let process = server.child.id().unwrap().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &process])
        .status()
        .unwrap();
    assert!(sent.success());
    let ended = tokio::time::timeout(Duration::from_secs(12), server.child.wait())
        .await
        .expect("it ends")
        .unwrap();
    assert_eq!(ended.code(), Some(0));
}

/// An endpoint in this process with the misbehaving tools, and what stops it.
async fn serve_misbehaving_tools() -> (
    String,
    tokio::sync::oneshot::Sender<()>,
    tokio::task::JoinHandle<std::io::Result<()>>,
) {
    let dispatcher = Arc::new(Dispatcher::new(Settings::default(), crate::tools::TOOLS));
    let endpoint = server::transport::http::Endpoint::bind(
        "127.0.0.1:0".parse().unwrap(),
        dispatcher.settings(),
    )
    .await
    .unwrap();
    let address = endpoint.address().to_string();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let serving = tokio::spawn(endpoint.serve(McpHandler::new(dispatcher), async {
        let _ = stopped.await;
    }));
    (address, stop, serving)
}

async fn connect_and_send(address: &str, bytes: &[u8]) -> tokio::net::TcpStream {
    let mut socket = tokio::net::TcpStream::connect(address).await.unwrap();
    socket.write_all(bytes).await.unwrap();
    socket
}

async fn read_to_end(mut socket: tokio::net::TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn post_request(address: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         {headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

#[tokio::test]
async fn a_stopping_server_lets_calls_finish_and_closes_idle_connections() {
    let (address, stop, serving) = serve_misbehaving_tools().await;
    let idle = connect_and_send(&address, b"").await;
    let half_open = connect_and_send(&address, b"POST /mcp HTTP/1.1\r\nHost: ").await;
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let begun = read_to_end(
        connect_and_send(
            &address,
            &post_request(&address, "Connection: close\r\n", &initialize.to_string()),
        )
        .await,
    )
    .await;
    let session = begun
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .unwrap()
        .trim()
        .to_owned();
    let listening = format!(
        "GET /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n"
    );
    let listening = connect_and_send(&address, listening.as_bytes()).await;
    let slow = json!({"name": "slow", "arguments": {"milliseconds": 1_500}});
    let older =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": slow}).to_string();
    let older = connect_and_send(
        &address,
        &post_request(&address, &format!("Mcp-Session-Id: {session}\r\n"), &older),
    )
    .await;
    let mut params = slow.clone();
    params["_meta"] = modern_meta();
    let modern =
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}).to_string();
    let headers =
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: slow\r\n";
    let modern = connect_and_send(&address, &post_request(&address, headers, &modern)).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let since = std::time::Instant::now();
    stop.send(()).unwrap();
    let (older, modern) = (read_to_end(older).await, read_to_end(modern).await);
    assert!(older.contains("slept"), "{older}");
    assert!(modern.contains("slept"), "{modern}");
    serving.await.unwrap().unwrap();
    assert!(
        since.elapsed() < Duration::from_secs(9),
        "silent visitors did not delay the end: {:?}",
        since.elapsed()
    );
    drop((idle, half_open, listening));
}

#[tokio::test]
async fn a_request_head_that_never_ends_is_disconnected() {
    let server = HttpServer::spawn(&[]).await;
    let silent = connect_and_send(&server.address, b"").await;
    let dripping = connect_and_send(&server.address, b"POST /mcp HTTP/1.1\r\nHost: a\r\nX: ").await;
    let rested = connect_and_send(
        &server.address,
        format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes(),
    )
    .await;
    let ended = async { (read_to_end(silent).await, read_to_end(dripping).await) };
    tokio::time::timeout(Duration::from_secs(15), ended)
        .await
        .expect("both are shown out");
    let mut rested = rested;
    rested
        .write_all(
            format!(
                "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                server.address
            )
            .as_bytes(),
        )
        .await
        .unwrap();
    let both = read_to_end(rested).await;
    assert_eq!(
        both.matches("\"status\":\"ok\"").count(),
        2,
        "a connection may rest between requests: {both}"
    );
}

#[tokio::test]
async fn browsers_of_allowed_origins_get_cors_headers() {
    let server = HttpServer::spawn(&["--allowed-origin", "https://app.example.com"]).await;
    let asking = |origin| {
        vec![
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            (
                "Access-Control-Request-Headers",
                "content-type,mcp-session-id",
            ),
        ]
    };
    for origin in ["https://app.example.com", "http://localhost:6274"] {
        let allowed = server.send("OPTIONS", "/mcp", &asking(origin), b"").await;
        assert_eq!(
            (
                allowed.status,
                allowed.header("access-control-allow-origin")
            ),
            (204, Some(origin)),
            "{allowed:?}"
        );
        let headers = allowed
            .header("access-control-allow-headers")
            .unwrap()
            .to_lowercase();
        for name in [
            "content-type",
            "mcp-session-id",
            "mcp-protocol-version",
            "mcp-method",
        ] {
            assert!(headers.contains(name), "{name} in {headers}");
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}).to_string();
        let answer = server
            .send(
                "POST",
                "/mcp",
                &[MODERN, ("Mcp-Method", "tools/list"), ("Origin", origin)],
                body.as_bytes(),
            )
            .await;
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (200, Some(origin))
        );
        assert_eq!(
            answer.header("access-control-expose-headers"),
            Some("Mcp-Session-Id, WWW-Authenticate")
        );
    }
    let foreign = server
        .send("OPTIONS", "/mcp", &asking("https://evil.example"), b"")
        .await;
    assert_eq!(
        (
            foreign.status,
            foreign.header("access-control-allow-origin")
        ),
        (403, None),
        "{foreign:?}"
    );
}

#[tokio::test]
async fn headers_that_do_not_match_are_refused_without_being_repeated() {
    let server = HttpServer::spawn(&[]).await;
    let key = "sk-ant-api03-Zk3q9Vt7Lm2Xc5Rb8Nw1Yp4";
    let long = key.repeat(40);
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "health_check", "_meta": modern_meta()}}).to_string();
    for headers in [
        vec![
            MODERN,
            ("Mcp-Method", long.as_str()),
            ("Mcp-Name", "health_check"),
        ],
        vec![
            MODERN,
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", long.as_str()),
        ],
        vec![
            ("MCP-Protocol-Version", long.as_str()),
            ("Mcp-Method", "tools/call"),
        ],
    ] {
        let refused = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(
            !refused.body.contains("sk-ant") && refused.body.len() < 500,
            "{refused:?}"
        );
        assert!(
            refused.json()["error"]["message"]
                .as_str()
                .is_some_and(|words| words.ends_with('.')),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_body_that_is_almost_json_is_repaired_or_refused_under_its_id() {
    let server = HttpServer::spawn(&[]).await;
    let body = |value: &str| {
        let params = format!(
            "{{\"name\":\"health_check\",\"arguments\":{{\"a\":{value}}},\"_meta\":{}}}",
            modern_meta()
        );
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"a7\",\"method\":\"tools/call\",\"params\":{params}}}"
        )
    };
    let headers = [
        MODERN,
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "health_check"),
        ("Content-Type", "Application/JSON; charset=utf-8"),
    ];
    let repaired = server
        .send(
            "POST",
            "/mcp",
            &headers,
            ("\u{feff}".to_owned() + &body("\"\\ud800\"")).as_bytes(),
        )
        .await;
    assert_eq!(
        (repaired.status, &repaired.json()["result"]["isError"]),
        (200, &json!(true)),
        "{repaired:?}"
    );
    for wrong in [
        "NaN".to_owned(),
        "1e999".to_owned(),
        "[".repeat(300) + &"]".repeat(300),
    ] {
        let refused = server
            .send("POST", "/mcp", &headers, body(&wrong).as_bytes())
            .await;
        assert_eq!(
            (refused.status, refused.json().get("id")),
            (400, None),
            "a parse error has no id: {refused:?}"
        );
        assert_eq!(refused.json()["error"]["code"], -32700);
    }
    let other = server
        .send(
            "POST",
            "/mcp",
            &[MODERN, ("Content-Type", "application/jsonl")],
            b"{}",
        )
        .await;
    assert_eq!(other.status, 415, "{other:?}");
}

#[tokio::test]
async fn malformed_http_requests_are_refused_at_once() {
    let server = HttpServer::spawn(&[]).await;
    let announced = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{{",
        server.address
    );
    let large = server.raw(announced.as_bytes()).await;
    assert_eq!(large.status, 413, "{large:?}");
    for head in [
        format!(
            "GET http://evil.example/healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            server.address
        ),
        "GET / HTTP/1.0\r\n\r\n".to_owned(),
        format!(
            "GET /healthz HTTP/1.1\r\nHost: {}\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            server.address
        ),
    ] {
        let refused = server.raw(head.as_bytes()).await;
        assert_eq!(
            (refused.status, refused.header("content-type")),
            (400, Some("application/problem+json")),
            "{refused:?}"
        );
    }
    let method = server.send("DELETE", "/healthz", &[], b"").await;
    assert_eq!(
        (method.status, method.header("content-type")),
        (405, Some("application/problem+json")),
        "{method:?}"
    );
}

#[tokio::test]
async fn a_method_that_a_path_does_not_have_is_refused_with_those_it_has() {
    let server = HttpServer::spawn(&["--ephemeral", "--metrics"]).await;
    let read = [
        "/",
        "/page/page.js",
        "/api/viewer",
        "/api/overview",
        "/api/faults",
        "/api/faults/x",
        "/api/sessions",
        "/api/sessions/x",
        "/api/tools",
        "/api/events",
        "/healthz",
        "/readyz",
        "/metrics",
    ];
    let paths = read.map(|path| (path, "GET,HEAD"));
    let paths = paths.into_iter().chain([("/api/call", "POST")]);
    for (path, allowed) in paths {
        for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
            let refused = server.send(method, path, &[], b"").await;
            assert_eq!(
                (refused.status, refused.header("content-type")),
                (405, Some("application/problem+json")),
                "{method} {path}: {refused:?}"
            );
            assert_eq!(
                refused.header("allow"),
                Some(allowed),
                "{method} {path}: {refused:?}"
            );
        }
    }
}

#[tokio::test]
async fn load_balancers_and_plain_clients_may_ask_as_they_do() {
    let server = HttpServer::spawn(&[]).await;
    for request in [
        "GET /readyz HTTP/1.0\r\n\r\n".to_owned(),
        format!(
            "GET http://{0}/healthz HTTP/1.1\r\nHost: {0}\r\nConnection: close\r\n\r\n",
            server.address
        ),
    ] {
        let answer = server.raw(request.as_bytes()).await;
        assert_eq!(answer.status, 200, "{request} {answer:?}");
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": modern_meta()}}).to_string();
    for accept in ["*/*", "APPLICATION/JSON, text/*;q=0.1"] {
        let headers = [MODERN, ("Mcp-Method", "tools/list"), ("Accept", accept)];
        let answer = server.send("POST", "/mcp", &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 200, "{accept} {answer:?}");
    }
    let gzip = [MODERN, ("Content-Encoding", "gzip")];
    let refused = server.send("POST", "/mcp", &gzip, b"\x1f\x8b").await;
    assert!(refused.body.contains("Content-Encoding"), "{refused:?}");
}

#[tokio::test]
async fn sessions_of_the_older_revisions_have_a_limit() {
    let server = HttpServer::spawn(&[]).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    // Half of all may come from one address.
    for _ in 0..500 {
        assert_eq!(
            server
                .send("POST", "/mcp", &[], body.as_bytes())
                .await
                .status,
            200
        );
    }
    let refused = server.send("POST", "/mcp", &[], body.as_bytes()).await;
    let wait = refused.header("retry-after").unwrap();
    assert!(
        (1..=60).contains(&wait.parse::<u64>().unwrap()),
        "until the first of them is idle for a minute: {refused:?}"
    );
    assert_refused(&refused.json(), refused.status, 503, -32603);
    assert_eq!(
        server.modern("tools/list", json!({})).await.status,
        200,
        "the stateless revision needs none"
    );
    let other = server.send_from([127, 0, 0, 2], &body).await;
    assert_eq!(other.status, 200, "another address has its own: {other:?}");
}

/// A client that takes problem details gets them at `/mcp` too, and every other path has nothing else.
#[tokio::test]
async fn every_refusal_is_a_problem_with_a_kind_for_those_who_take_it() {
    let server = HttpServer::spawn(&["--metrics"]).await;
    let takes = (
        "Accept",
        "application/json, text/event-stream, application/problem+json",
    );
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    let large = vec![b' '; 4 * 1024 * 1024 + 1];
    let many = "x".repeat(40 * 1024);
    let list = |meta: Value| {
        let params = json!({ "_meta": meta });
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}).to_string()
    };
    let (no_meta, modern) = (list(json!({})), list(modern_meta()));
    let mut strange = modern_meta();
    strange["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let strange = list(strange);
    let no_method = modern.replace("tools/list", "no/such");
    let number = modern.replace("\"_meta\"", "\"cursor\":5,\"_meta\"");
    let method = ("Mcp-Method", "tools/list");
    let cases: Vec<(&str, &str, Vec<(&str, &str)>, &[u8], u16, &str)> = vec![
        (
            "POST",
            "/mcp",
            vec![takes, ("Origin", "https://evil.example")],
            ping,
            403,
            "blocked",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, ("Host", "evil.example")],
            ping,
            403,
            "blocked",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, ("Mcp-Session-Id", "unknown")],
            ping,
            404,
            "session_not_found",
        ),
        ("PUT", "/mcp", vec![takes], b"", 405, "validation"),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN],
            b"not json",
            400,
            "validation",
        ),
        ("POST", "/mcp", vec![takes, MODERN], b"", 400, "validation"),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN],
            b"{}",
            400,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN, method],
            no_meta.as_bytes(),
            400,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN, method],
            number.as_bytes(),
            400,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN, ("Mcp-Method", "tools/call")],
            modern.as_bytes(),
            400,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN, ("Mcp-Method", "no/such")],
            no_method.as_bytes(),
            404,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, ("MCP-Protocol-Version", "2099-01-01"), method],
            strange.as_bytes(),
            400,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, MODERN],
            &large,
            413,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![takes, ("Content-Type", "text/plain")],
            ping,
            415,
            "validation",
        ),
        (
            "POST",
            "/mcp",
            vec![("X-Large", &many)],
            ping,
            431,
            "validation",
        ),
        ("GET", "/nothing", vec![], b"", 404, "not_found"),
        ("POST", "/healthz", vec![], b"", 405, "validation"),
        ("POST", "/metrics", vec![], b"", 405, "validation"),
        (
            "GET",
            "/metrics",
            vec![("Origin", "https://evil.example")],
            b"",
            403,
            "blocked",
        ),
        ("GET", "/sign-out", vec![], b"", 405, "validation"),
    ];
    for (method, path, headers, body, status, kind) in cases {
        let answer = server.send(method, path, &headers, body).await;
        let what = format!("{method} {path} {answer:?}");
        assert_eq!(answer.status, status, "{what}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json"),
            "{what}"
        );
        let problem = answer.json();
        assert_eq!(
            (&problem["status"], &problem["kind"]),
            (&json!(status), &json!(kind)),
            "{what}"
        );
        assert!(
            problem["type"]
                .as_str()
                .unwrap()
                .starts_with("urn:fingerpost:fault:")
        );
        assert!(problem["retryable"].is_boolean() && problem["suggestedAction"].is_string());
        assert!(problem["detail"].as_str().unwrap().ends_with('.'), "{what}");
    }
}

/// What the HTTP library refuses before any code of ours sees it.
#[tokio::test]
async fn what_is_no_request_is_refused_with_a_problem_too() {
    let server = HttpServer::spawn(&["--ephemeral"]).await;
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n", server.address);
    let many: String = (0..101)
        .map(|number| format!("X-{number}: y\r\n"))
        .collect();
    let cases = [
        ("hello\r\n\r\n".to_owned(), 400),
        (format!("{head}X-Name : value\r\n\r\n"), 400),
        (format!("{head}Content-Length: -1\r\n\r\n"), 400),
        (format!("{head}Transfer-Encoding: other\r\n\r\n"), 400),
        (format!("{head}{many}\r\n"), 431),
        (
            head.replace("/mcp", &format!("/{}", "a".repeat(70_000))) + "\r\n",
            414,
        ),
    ];
    for (request, status) in cases {
        let shown: String = request.chars().take(80).collect();
        let mut socket = tokio::net::TcpStream::connect(&server.address)
            .await
            .unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut socket, request.as_bytes())
            .await
            .unwrap();
        let mut answer = String::new();
        // The rest of a request that is not read may reset the connection behind the answer.
        let _ = tokio::io::AsyncReadExt::read_to_string(&mut socket, &mut answer).await;
        let (head, body) = answer.split_once("\r\n\r\n").expect(&shown);
        let expected = format!("HTTP/1.1 {status} ");
        assert!(head.starts_with(&expected), "{shown}: {head}");
        let problem: Value = serde_json::from_str(body).expect(&shown);
        assert_eq!(problem["status"], status, "{shown}");
        assert_eq!(problem["retryable"], false, "{shown}");
    }
}

//! Streams of the revisions with sessions: a client that lost its connection asks for the rest.

use std::time::Duration;

use serde_json::json;
use testkit::{Behavior, Reply, Web};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{ADA, BOB, bearer, token_file};
use crate::client::HttpServer;

/// Reads a stream until it has `words`, or ends.
async fn read_until(server: &HttpServer, request: &str, words: &str) -> String {
    let mut socket = tokio::net::TcpStream::connect(&server.address)
        .await
        .unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut read = Vec::new();
    let reading = async {
        let mut part = [0; 4_096];
        while !String::from_utf8_lossy(&read).contains(words) {
            match socket.read(&mut part).await.unwrap() {
                0 => break,
                count => read.extend_from_slice(&part[..count]),
            }
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(20), reading).await;
    String::from_utf8_lossy(&read).into_owned()
}

#[tokio::test]
async fn a_lost_stream_goes_on_for_its_user_and_for_nobody_else() {
    let file = token_file(&[
        ("ada", ADA, "[\"research\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let path = file.path().to_str().unwrap();
    let web = Web::start().await;
    let reply = Reply::html(
        200,
        "<article><h1>Slow</h1><p>The page came after all.</p></article>",
    );
    let wait = Duration::from_secs(2);
    web.on("/slow", Behavior::Slow { reply, wait });
    let opened = web.address().to_string();
    let mut arguments = vec!["--ephemeral", "--tokens", path, "--allow-private", &opened];
    arguments.extend(["--robots=false", "--browser", "never"]);
    let server = HttpServer::spawn(&arguments).await;
    let version = ("MCP-Protocol-Version", "2025-11-25");
    let (ada, bob) = (bearer(ADA), bearer(BOB));
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let headers = [("Authorization", ada.as_str()), version];
    let begun = server
        .send("POST", "/mcp", &headers, message.to_string().as_bytes())
        .await;
    let session = begun
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    let headers = [
        ("Authorization", ada.as_str()),
        version,
        ("Mcp-Session-Id", session.as_str()),
    ];
    let noted = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    assert_eq!(
        server.send("POST", "/mcp", &headers, noted).await.status,
        202
    );
    let params = json!({"name": "scrape_page", "arguments": {"url": web.url("/slow")}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let call = call.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: {ada}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n\
         Mcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{call}",
        server.address,
        call.len()
    );
    let begun = read_until(&server, &request, "retry:").await;
    let event = begun.lines().find_map(|line| line.strip_prefix("id:"));
    let event = event.expect("an event with an id").trim().to_owned();
    assert!(!begun.contains("came after all"), "{begun}");
    let resume = |authorization: &str| {
        format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: {authorization}\r\nAccept: text/event-stream\r\n\
             MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {event}\r\n\r\n",
            server.address
        )
    };
    let refused = read_until(&server, &resume(&bob), "jsonrpc").await;
    assert!(refused.starts_with("HTTP/1.1 404"), "{refused}");
    let rest = read_until(&server, &resume(&ada), "came after all").await;
    assert!(
        rest.starts_with("HTTP/1.1 200") && rest.contains("came after all"),
        "{rest}"
    );
}

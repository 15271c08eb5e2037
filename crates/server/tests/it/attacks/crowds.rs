//! Clients that take more than their share, by many slow calls or by reading nothing.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::client::HttpServer;

/// A page that takes longer than any call may.
fn endless() -> Behavior {
    Behavior::Slow {
        reply: Reply::new(200, "late"),
        wait: Duration::from_secs(60),
    }
}

async fn call(server: &HttpServer, user: &str, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = server
        .modern_as(&[("X-User", user)], "tools/call", params)
        .await;
    answer.json()["result"].clone()
}

#[tokio::test]
async fn slow_calls_of_one_user_leave_slots_for_others() {
    let (slow, quick) = (Web::start().await, Web::start().await);
    slow.on("*", endless());
    quick.on(
        "/",
        Behavior::ok(format!(
            "<!doctype html><title>Page</title><main><p>{}</p></main>",
            "quick words ".repeat(40)
        )),
    );
    let (slow_host, quick_host) = (slow.address().to_string(), quick.address().to_string());
    let arguments = [
        "--ephemeral",
        "--browser",
        "never",
        "--robots=false",
        "--subject-header",
        "x-user",
        "--max-concurrent",
        "8",
        "--deadline",
        "8",
        "--allow-private",
        &slow_host,
        "--allow-private",
        &quick_host,
    ];
    let server = std::sync::Arc::new(HttpServer::spawn(&arguments).await);
    let mut busy = tokio::task::JoinSet::new();
    for number in 0..40 {
        let (server, url) = (server.clone(), slow.url(&format!("/{number}")));
        busy.spawn(async move { call(&server, "eve", "scrape_page", json!({ "url": url })).await });
    }
    while slow.connections() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let read = call(
        &server,
        "ada",
        "scrape_page",
        json!({"url": quick.url("/")}),
    )
    .await;
    assert!(read.to_string().contains("quick words"), "{read}");
    for user in ["ada", "eve"] {
        let health = call(&server, user, "health_check", json!({})).await;
        assert_eq!(
            health["structuredContent"]["server_healthy"], true,
            "{health}"
        );
    }
    // Every call is answered, with a fault that says when to come back.
    while let Some(reply) = busy.join_next().await {
        let reply = reply.unwrap();
        assert_eq!(reply["isError"], true, "{reply}");
        assert!(reply.to_string().contains("retryable\\\":true"), "{reply}");
    }
}

/// A site has six turns at a time. The seventh call gets its turn when its time is nearly over.
#[tokio::test]
async fn a_call_that_waited_for_its_turn_does_not_blame_the_site() {
    let web = Web::start().await;
    let page = "<!doctype html><title>Page</title><main><p>words of it </p></main>".repeat(5);
    web.on(
        "*",
        Behavior::Slow {
            reply: Reply::html(200, page),
            wait: Duration::from_secs(3),
        },
    );
    let host = web.address().to_string();
    let server = HttpServer::spawn(&[
        "--ephemeral",
        "--browser",
        "never",
        "--robots=false",
        "--deadline",
        "5",
        "--allow-private",
        &host,
    ])
    .await;
    let server = std::sync::Arc::new(server);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..7 {
        let (server, url) = (server.clone(), web.url(&format!("/{number}")));
        calls
            .spawn(async move { call(&server, "ada", "scrape_page", json!({ "url": url })).await });
    }
    let mut late = Vec::new();
    while let Some(reply) = calls.join_next().await {
        late.extend(Some(reply.unwrap()).filter(|reply| reply["isError"] == true));
    }
    assert_eq!(late.len(), 1, "{late:?}");
    let fault = &late[0]["structuredContent"]["error"];
    assert_eq!(fault["reason"], "local_limit", "{late:?}");
    assert_eq!(fault["retryAfterSeconds"], 3, "{late:?}");
    let text = late[0]["content"][0]["text"].as_str().unwrap();
    let sentence = text.lines().next().unwrap();
    assert!(sentence.contains("Wait 3 seconds and retry"), "{text}");
    assert!(!sentence.contains(&host), "{text}");
}

/// How many sockets a process has open.
fn sockets(server: &HttpServer) -> usize {
    let folder = format!("/proc/{}/fd", server.child.id().unwrap());
    let targets = std::fs::read_dir(folder).unwrap().filter_map(Result::ok);
    targets
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}

/// A server to which a shell allows these numbers of open files, now and at most.
pub(super) async fn with_open_files(now: u32, at_most: u32) -> HttpServer {
    let limits = format!("ulimit -S -n {now}; ulimit -H -n {at_most}; exec \"$@\"");
    let mut command = tokio::process::Command::new("sh");
    command
        .args(["-c", &limits, "sh"])
        .arg(env!("CARGO_BIN_EXE_fingerpost"))
        .args(["serve", "--http", "127.0.0.1:0", "--ephemeral"])
        .env_clear()
        .kill_on_drop(true);
    HttpServer::from_command(command).await
}

/// Asks from this address of the machine, and returns what comes back first.
pub(super) async fn ask_from(address: &str, server: &HttpServer) -> (TcpStream, String) {
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let mut stream = send_from(address, server, request.as_bytes()).await;
    let mut answer = vec![0; 64];
    let reading = tokio::io::AsyncReadExt::read(&mut stream, &mut answer);
    let read = tokio::time::timeout(Duration::from_secs(20), reading).await;
    answer.truncate(read.expect("an answer in time").unwrap());
    (stream, String::from_utf8(answer).unwrap())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_address_cannot_take_all_open_files() {
    let server = with_open_files(64, 256).await;
    let mut held = Vec::new();
    loop {
        let (connection, answer) = ask_from("127.0.0.1", &server).await;
        if answer.contains(" 503 ") {
            break;
        }
        assert!(answer.contains(" 200 "), "{answer}");
        held.push(connection);
    }
    assert_eq!(held.len(), 96, "half of three quarters of 256");
    let (_connection, other) = ask_from("127.0.0.2", &server).await;
    assert!(other.contains(" 200 "), "{other}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_crash_leaves_no_file_with_the_memory_of_the_server() {
    let server = HttpServer::spawn(&["--ephemeral"]).await;
    let limits = format!("/proc/{}/limits", server.child.id().unwrap());
    let limits = std::fs::read_to_string(limits).unwrap();
    let core = limits
        .lines()
        .find(|line| line.contains("core file"))
        .unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
}

#[tokio::test]
async fn connections_of_clients_that_never_read_are_closed() {
    let server = HttpServer::spawn(&["--ephemeral"]).await;
    let before = sockets(&server);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": crate::client::modern_meta()}}).to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    let mut silent = Vec::new();
    for _ in 0..20 {
        let mut socket = TcpStream::connect(&server.address).await.unwrap();
        // Until the server reads no further, because nobody reads its responses.
        while let Ok(Ok(())) = tokio::time::timeout(
            Duration::from_millis(300),
            socket.write_all(request.as_bytes()),
        )
        .await
        {}
        silent.push(socket);
    }
    assert!(sockets(&server) >= before + silent.len() / 2, "the premise");
    let freed = async {
        while sockets(&server) > before {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let freed = tokio::time::timeout(Duration::from_secs(60), freed).await;
    assert!(freed.is_ok(), "{} sockets", sockets(&server));
    let answer = server.modern("tools/list", json!({})).await;
    assert_eq!(answer.status, 200);
}

/// The request of a call of this tool, as bytes.
fn call_request(server: &HttpServer, tool: &str, arguments: Value) -> Vec<u8> {
    let params =
        json!({"name": tool, "arguments": arguments, "_meta": crate::client::modern_meta()});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    )
    .into_bytes()
}

/// Connects from this address of the machine and sends these bytes.
pub(super) async fn send_from(address: &str, server: &HttpServer, bytes: &[u8]) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    socket
        .bind(format!("{address}:0").parse().unwrap())
        .unwrap();
    let mut stream = socket
        .connect(server.address.parse().unwrap())
        .await
        .unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// The beginning of what a connection answers.
async fn answer_of(stream: &mut TcpStream) -> String {
    let mut answer = vec![0; 2_048];
    let reading = tokio::io::AsyncReadExt::read(stream, &mut answer);
    let read = tokio::time::timeout(Duration::from_secs(20), reading).await;
    answer.truncate(read.expect("an answer in time").unwrap());
    String::from_utf8_lossy(&answer).into_owned()
}

/// A server whose page makes the largest reply that there is, and the arguments of that call.
async fn with_large_replies(web: &Web) -> (HttpServer, Value) {
    // Four bytes for each character.
    let page = format!("<!doctype html><p>{}</p>", "🜁🜂🜃🜄 ".repeat(60_000));
    web.on("*", Behavior::ok(page));
    let opened = web.address().to_string();
    let arguments = [
        "--ephemeral",
        "--browser",
        "never",
        "--robots=false",
        "--max-memory",
        "64",
        "--deadline",
        "8",
        "--allow-private",
        &opened,
    ];
    let server = HttpServer::spawn(&arguments).await;
    (server, json!({"url": web.url("/"), "max_chars": 200_000}))
}

/// How many connections that are not read are opened before the next call that is.
const UNREAD_AT_ONCE: usize = 8;

/// Sends such calls on ever more connections that are not read, until the server runs no more of
/// them. Other addresses, and calls with short replies, are served all the while.
async fn assert_unread_replies_are_bounded(
    server: &HttpServer,
    arguments: &Value,
    unread_call: impl Fn(usize) -> Vec<u8>,
) {
    let call = call_request(server, "scrape_page", arguments.clone());
    let refused = async {
        let mut silent = Vec::new();
        loop {
            // Several at once: the first ones are given up when they are not read for too long, and on
            // a busy machine that may be before the last one has its reply.
            for _ in 0..UNREAD_AT_ONCE {
                let unread = unread_call(silent.len());
                silent.push(send_from("127.0.0.1", server, &unread).await);
            }
            let mut asking = send_from("127.0.0.1", server, &call).await;
            let answer = answer_of(&mut asking).await;
            if answer.starts_with("HTTP/1.1 429 ") {
                return (silent, answer);
            }
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        }
    };
    let refused = tokio::time::timeout(Duration::from_secs(60), refused).await;
    let (silent, answer) = refused.expect("there is a limit");
    assert!(
        answer.contains("that you have not read") && answer.contains("\"retryable\":true"),
        "{answer}"
    );
    let health = call_request(server, "health_check", json!({}));
    for (address, request) in [("127.0.0.1", &health), ("127.0.0.2", &call)] {
        let mut other = send_from(address, server, request).await;
        let answer = answer_of(&mut other).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{address}: {answer}");
    }
    // Once the others are gone, a call that waits is run.
    let mut asking = send_from("127.0.0.1", server, &call).await;
    drop(silent);
    let answer = answer_of(&mut asking).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn calls_wait_for_replies_that_their_client_does_not_read_and_others_do_not() {
    let web = Web::start().await;
    let (server, arguments) = with_large_replies(&web).await;
    let call = call_request(&server, "scrape_page", arguments.clone());
    assert_unread_replies_are_bounded(&server, &arguments, |_| call.clone()).await;
}

#[tokio::test]
async fn unread_event_streams_of_the_older_revisions_are_bounded_too() {
    let web = Web::start().await;
    let (server, arguments) = with_large_replies(&web).await;
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let begun = server
        .send("POST", "/mcp", &[], begin.to_string().as_bytes())
        .await;
    let session = begun.header("mcp-session-id").unwrap();
    let call = |number| {
        let params = json!({"name": "scrape_page", "arguments": arguments});
        let body =
            json!({"jsonrpc": "2.0", "id": 2 + number, "method": "tools/call", "params": params})
                .to_string();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{body}",
            server.address,
            body.len()
        )
        .into_bytes()
    };
    assert_unread_replies_are_bounded(&server, &arguments, call).await;
}

#[tokio::test]
async fn a_client_that_closes_its_sending_side_gets_its_reply() {
    let web = Web::start().await;
    web.on(
        "/slow",
        Behavior::Slow {
            reply: Reply::new(200, "late words ".repeat(30)).header("Content-Type", "text/plain"),
            wait: Duration::from_secs(1),
        },
    );
    let opened = web.address().to_string();
    let server = HttpServer::spawn(&[
        "--ephemeral",
        "--browser",
        "never",
        "--allow-private",
        &opened,
    ])
    .await;
    let request = call_request(&server, "scrape_page", json!({"url": web.url("/slow")}));
    let mut socket = TcpStream::connect(&server.address).await.unwrap();
    socket.write_all(&request).await.unwrap();
    socket.shutdown().await.unwrap();
    let mut answer = String::new();
    let reading = tokio::io::AsyncReadExt::read_to_string(&mut socket, &mut answer);
    tokio::time::timeout(Duration::from_secs(20), reading)
        .await
        .expect("the connection ends")
        .unwrap();
    assert!(answer.contains("late words"), "{answer}");
}

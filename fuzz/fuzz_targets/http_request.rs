//! Any request to a real listener, head and body: what comes back is HTTP with a status, refusals at
//! `/mcp` are JSON with a code and a message, refusals elsewhere are problem details, and the server
//! still answers afterwards.
#![no_main]

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use server::{
    dispatch::Dispatcher, settings::Settings, transport::http::Endpoint, wire::McpHandler,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    runtime::{Builder, Runtime},
    time::timeout,
};

/// How long a request that is not complete is left open. The server waits longer.
const PATIENCE: Duration = Duration::from_millis(200);

struct Served {
    runtime: Runtime,
    address: SocketAddr,
}

fn served() -> &'static Served {
    static SERVED: OnceLock<Served> = OnceLock::new();
    SERVED.get_or_init(|| {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let dispatcher = Arc::new(Dispatcher::new(Settings::default(), &[]));
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let endpoint = runtime
            .block_on(Endpoint::bind(any_port, dispatcher.settings()))
            .expect("a port");
        let address = endpoint.address();
        runtime.spawn(endpoint.serve(McpHandler::new(dispatcher), std::future::pending()));
        Served { runtime, address }
    })
}

/// The first line of the input is the method and the path, the lines up to a blank one are headers,
/// the rest is the body. What every request needs is added, unless the input has it.
fn request(input: &[u8], address: SocketAddr) -> Vec<u8> {
    let end = input.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = match end {
        Some(end) => (&input[..end], &input[end + 2..]),
        None => (&b"POST /mcp"[..], input),
    };
    let mut lines = head.split(|byte| *byte == b'\n');
    let mut request = lines.next().unwrap_or_default().to_vec();
    request.extend_from_slice(b" HTTP/1.1\r\n");
    for line in lines {
        request.extend_from_slice(line);
        request.extend_from_slice(b"\r\n");
    }
    let given = head.to_ascii_lowercase();
    let has = |name: &str| {
        given
            .split(|byte| *byte == b'\n')
            .any(|line| line.starts_with(name.as_bytes()))
    };
    let usual = [
        ("host", address.to_string()),
        ("accept", "application/json, text/event-stream".to_owned()),
        ("content-type", "application/json".to_owned()),
        ("content-length", body.len().to_string()),
    ];
    for (name, value) in usual.iter().filter(|(name, _)| !has(name)) {
        request.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    request.extend_from_slice(b"connection: close\r\n\r\n");
    request.extend_from_slice(body);
    request
}

async fn exchange(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut socket = TcpStream::connect(address).await.expect("it listens");
    // The server may refuse a request before it has read all of it.
    let _ = socket.write_all(request).await;
    let mut response = Vec::new();
    let mut piece = [0; 4_096];
    while let Ok(Ok(read @ 1..)) = timeout(PATIENCE, socket.read(&mut piece)).await {
        response.extend_from_slice(&piece[..read]);
    }
    response
}

/// The status, the head in lower case and the body of the last response.
fn parsed(response: &[u8]) -> Option<(u16, String, &[u8])> {
    let end = response.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&response[..end]).to_lowercase();
    let status = head.strip_prefix("http/1.1 ")?.get(..3)?.parse().ok()?;
    match status {
        100 => parsed(&response[end + 4..]),
        _ => Some((status, head, &response[end + 4..])),
    }
}

fn check(response: &[u8]) {
    let Some((status, head, body)) = parsed(response) else {
        let shown = String::from_utf8_lossy(response);
        let is_begun = response.is_empty() || shown.starts_with("HTTP/1.1 100");
        return assert!(is_begun, "not HTTP: {shown}");
    };
    assert!((200..600).contains(&status), "{head}");
    let is_whole = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok())
        .is_some_and(|length| length == body.len() && length > 0);
    if status < 400 || !is_whole {
        return;
    }
    let told: Value = serde_json::from_slice(body).expect("a refusal in JSON");
    if head.contains("content-type: application/problem+json") {
        assert_eq!(told["status"], status, "{told}");
        assert!(told["detail"].is_string(), "{told}");
    } else {
        assert_eq!(told["jsonrpc"], "2.0", "{told}");
        assert!(told["error"]["code"].is_i64(), "{told}");
        assert!(told["error"]["message"].is_string(), "{told}");
    }
}

fuzz_target!(|input: &[u8]| {
    let Served { runtime, address } = served();
    runtime.block_on(async {
        check(&exchange(*address, &request(input, *address)).await);
        let health = request(b"GET /healthz\n\n", *address);
        let alive = exchange(*address, &health).await;
        assert!(alive.starts_with(b"HTTP/1.1 200"), "it no longer answers");
    });
});

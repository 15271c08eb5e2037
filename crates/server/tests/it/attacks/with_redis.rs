//! A store that removes records by itself, or takes no more of them, is told to the operator.

use std::{
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::client::{Exit, HttpServer, program};

pub(crate) struct Redis {
    child: Child,
    pub(crate) url: String,
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Redis {
    /// Sends a command and waits until it is done.
    pub(crate) async fn command(&self, line: &str) {
        let address = self.url.trim_start_matches("redis://");
        let address = address.trim_end_matches("/0");
        let mut stream = BufReader::new(tokio::net::TcpStream::connect(address).await.unwrap());
        stream
            .write_all(format!("{line}\r\n").as_bytes())
            .await
            .unwrap();
        let mut answer = String::new();
        stream.read_line(&mut answer).await.unwrap();
        assert!(answer.starts_with('+'), "{line}: {answer}");
    }
}

/// A Redis server of the test's own.
pub(crate) async fn redis(policy: &str) -> Redis {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let child = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args([
            "--save",
            "",
            "--maxmemory",
            "50mb",
            "--maxmemory-policy",
            policy,
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_err()
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Redis {
        child,
        url: format!("redis://127.0.0.1:{port}/0"),
    }
}

async fn doctor(redis: &Redis) -> Exit {
    let arguments = ["doctor", "--offline", "--store", &redis.url];
    let output = program().args(arguments).output().await.unwrap();
    Exit::from_output(&output)
}

#[tokio::test]
async fn an_evicting_store_is_told_by_doctor_and_at_start_up() {
    let (keeping, losing) = (redis("noeviction").await, redis("allkeys-lru").await);
    let exit = doctor(&keeping).await;
    assert!(!exit.stdout.contains("maxmemory-policy"), "{}", exit.stdout);
    let exit = doctor(&losing).await;
    assert!(
        exit.stdout.contains("allkeys-lru") && exit.stdout.contains("noeviction"),
        "{}",
        exit.stdout
    );
    assert_eq!(exit.code, Some(1));
    let mut server = program()
        .args(["serve", "--store", &losing.url])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await;
    let line = line.expect("a line in time").unwrap().expect("a line");
    assert!(line.contains("noeviction"), "{line}");
}

/// A store that can be read and not written: each line makes it so, and the next undoes that.
const UNWRITABLE: [(&str, &str, &str); 2] = [
    (
        "CONFIG SET maxmemory 1",
        "CONFIG SET maxmemory 0",
        "The server's own store has no room left.",
    ),
    (
        "REPLICAOF 127.0.0.1 1",
        "REPLICAOF NO ONE",
        "The server's own store takes no changes at the moment.",
    ),
];

#[tokio::test]
async fn a_store_that_can_only_be_read_is_told_everywhere_until_it_can_be_written() {
    let redis = redis("noeviction").await;
    for (breaks, mends, sentence) in UNWRITABLE {
        let arguments = ["--store", redis.url.as_str(), "--browser", "never"];
        let server = HttpServer::spawn(&arguments).await;
        redis.command(breaks).await;
        let ready = server.send("GET", "/readyz", &[], b"").await;
        assert_eq!(
            (ready.status, &ready.json()["store"]),
            (200, &json!("not writable")),
            "{ready:?}"
        );
        let call = json!({"name": "health_check", "arguments": {}});
        let health = server.modern("tools/call", call.clone()).await.json();
        let health = &health["result"]["structuredContent"];
        assert_eq!(health["server_healthy"], false, "{health}");
        let error = health["store"]["lastError"].as_str().unwrap_or_default();
        assert!(error.starts_with(sentence), "{health}");
        assert_eq!(health["store"]["readable"], true, "{health}");
        let exit = doctor(&redis).await;
        assert_eq!(exit.code, Some(1), "{}", exit.stdout);
        assert!(exit.stdout.contains("cannot be written"), "{}", exit.stdout);
        let step = json!({"name": "sequential_search", "arguments": {"goal": "roads", "searchStep": "first"}});
        let refused = server.modern("tools/call", step.clone()).await.json();
        let error = &refused["result"]["structuredContent"]["error"];
        assert_eq!(error["reason"], "store", "{refused}");
        assert_eq!(error["retryable"], true, "{refused}");
        redis.command(mends).await;
        let taken = server.modern("tools/call", step).await.json();
        assert_eq!(taken["result"]["isError"], false, "{taken}");
        loop {
            let health = server.modern("tools/call", call.clone()).await.json();
            if health["result"]["structuredContent"]["server_healthy"] == true {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let exit = doctor(&redis).await;
        assert_eq!(exit.code, Some(0), "{}", exit.stdout);
    }
}

//! A stderr that cannot be written costs log lines and nothing else.

use std::{
    fs::File,
    io::Write,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::client::{Client, HttpServer, program};

/// A device on which every write fails, as on a full disk.
fn full_disk() -> Stdio {
    Stdio::from(File::options().write(true).open("/dev/full").unwrap())
}

fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Stdio::from(writer)
}

/// Calls that each log at least one line.
async fn assert_calls_are_answered(client: &mut Client, calls: usize) {
    client.initialize("2025-11-25").await;
    for _ in 0..calls {
        let refused = client
            .call("scrape_page", json!({"url": "http://10.0.0.1/"}))
            .await;
        assert_eq!(refused["isError"], true, "{refused}");
    }
}

#[tokio::test]
async fn a_stderr_that_cannot_be_written_stops_no_call_on_stdio() {
    for stderr in [full_disk(), closed_pipe()] {
        let mut command = program();
        command.args(["serve", "--ephemeral", "--log", "trace"]);
        let mut client = Client::with_stderr(command, stderr);
        assert_calls_are_answered(&mut client, 20).await;
        let health = client.call("health_check", json!({})).await;
        let lost = health["structuredContent"]["lost_log_lines"].as_u64();
        assert!(lost.is_some_and(|lost| lost > 0), "{health}");
        client.close_input();
        assert_eq!(client.exit_code().await, Some(0));
    }
}

#[tokio::test]
async fn a_stderr_that_nobody_reads_stops_no_call() {
    let (unread, writer) = std::io::pipe().unwrap();
    let mut command = program();
    command.args(["serve", "--ephemeral", "--log", "trace"]);
    let mut client = Client::with_stderr(command, writer);
    assert_calls_are_answered(&mut client, 1_000).await;
    client.close_input();
    assert_eq!(client.exit_code().await, Some(0));
    drop(unread);
}

#[tokio::test]
async fn a_stderr_that_cannot_be_written_stops_no_call_over_http() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let mut command = program();
    command
        .args(["serve", "--ephemeral", "--http", &address])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(full_disk());
    let server = HttpServer::new(address, command.spawn().unwrap());
    while tokio::net::TcpStream::connect(&server.address)
        .await
        .is_err()
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    for _ in 0..5 {
        let call = json!({"name": "scrape_page", "arguments": {"url": "http://10.0.0.1/"}});
        let answer = server.modern("tools/call", call).await;
        assert_eq!(answer.json()["result"]["isError"], true, "{answer:?}");
    }
}

/// The program has no handler that panics, so this test starts itself again as one.
const CHILD: &str = "FINGERPOST_TEST_PANICS";

#[test]
fn a_panic_that_cannot_be_logged_does_not_abort() {
    if std::env::var_os(CHILD).is_some() {
        return panic_in_threads();
    }
    let name = "attacks::logs::a_panic_that_cannot_be_logged_does_not_abort";
    for stderr in [full_disk(), closed_pipe()] {
        let status = Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(CHILD, "1")
            .stdout(Stdio::null())
            .stderr(stderr)
            .status()
            .unwrap();
        assert!(status.success(), "{status}");
    }
}

fn panic_in_threads() {
    let logs = server::telemetry::start(&server::settings::Settings::default());
    for _ in 0..3 {
        let panicking = std::thread::spawn(|| panic!("on purpose"));
        assert!(panicking.join().is_err());
    }
    drop(logs);
    assert!(std::io::stderr().write_all(b"x").is_err(), "the premise");
    assert!(server::telemetry::lost_lines() > 0);
}

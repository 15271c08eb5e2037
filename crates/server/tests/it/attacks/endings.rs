//! How a server ends: calls are answered, and nothing is left behind.

use std::{path::Path, time::Duration};

use serde_json::json;
use testkit::{Behavior, Reply, Web};

use crate::client::{Client, program};

fn terminate(client: &Client) {
    signal(client, "-TERM");
}

fn signal(client: &Client, signal: &str) {
    let id = client.pid().to_string();
    let sent = std::process::Command::new("kill")
        .args([signal, &id])
        .status();
    assert!(sent.unwrap().success());
}

/// The program with SIGHUP as a terminal leaves it: tests that run under `nohup` would hand down that it
/// is ignored.
fn heeding_hang_up() -> tokio::process::Command {
    let program = program();
    let mut command = tokio::process::Command::new("env");
    command
        .arg("--default-signal=HUP")
        .arg(program.as_std().get_program())
        .env_clear()
        .current_dir(std::env::temp_dir())
        .kill_on_drop(true);
    command
}

fn server(web: &Web, more: &[&str], temporary: &Path) -> Client {
    let opened = web.address().to_string();
    let mut command = heeding_hang_up();
    command
        .args(["serve", "--ephemeral", "--allow-private", &opened])
        .args(more)
        .env("TMPDIR", temporary);
    let mut client = Client::from_command(command);
    client.patience = Duration::from_secs(60);
    client
}

#[tokio::test]
async fn a_signal_lets_the_call_in_flight_be_answered() {
    let (web, temporary) = (Web::start().await, tempfile::tempdir().unwrap());
    web.on(
        "/slow",
        Behavior::Slow {
            reply: Reply::new(200, "late words ".repeat(30)).header("Content-Type", "text/plain"),
            wait: Duration::from_secs(2),
        },
    );
    // SIGHUP comes when the terminal is closed that the host runs in.
    for (number, sent) in ["-TERM", "-INT", "-HUP"].into_iter().enumerate() {
        let mut client = server(&web, &["--browser", "never"], temporary.path());
        client.initialize("2025-11-25").await;
        let call = json!({"name": "scrape_page", "arguments": {"url": web.url("/slow")}});
        let id = client.begin("tools/call", call).await;
        while web.hits("/slow") == number {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        signal(&client, sent);
        let reply = client.reply(id).await;
        assert!(reply.to_string().contains("late words"), "{sent}: {reply}");
        assert_eq!(client.exit_code().await, Some(0), "{sent}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_may_outlive_its_terminal_does() {
    let mut command = tokio::process::Command::new("sh");
    command
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_fingerpost"))
        .args(["serve", "--ephemeral"])
        .env_clear()
        .current_dir(std::env::temp_dir());
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25").await;
    signal(&client, "-HUP");
    let health = client.call("health_check", json!({})).await;
    assert_eq!(health["structuredContent"]["server_healthy"], true);
    client.close_input();
    assert_eq!(client.exit_code().await, Some(0));
}

mod with_chromium {
    use super::*;

    /// The directories of browsers, and whether only their owner may look into them.
    fn profiles(temporary: &Path) -> Vec<bool> {
        use std::os::unix::fs::PermissionsExt;
        let entries = std::fs::read_dir(temporary).unwrap().flatten();
        entries
            .filter(|entry| entry.file_name().to_string_lossy().contains("browser"))
            .map(|entry| entry.metadata().unwrap().permissions().mode() & 0o777 == 0o700)
            .collect()
    }

    #[tokio::test]
    async fn the_browsers_files_are_private_and_removed_on_exit() {
        let (web, temporary) = (Web::start().await, tempfile::tempdir().unwrap());
        web.on(
            "/",
            Behavior::ok(format!("<h1>Page</h1><p>{}", "Words. ".repeat(60))),
        );
        for by_signal in [false, true] {
            let mut client = server(&web, &["--browser", "always"], temporary.path());
            client.initialize("2025-11-25").await;
            let read = client
                .call("scrape_page", json!({"url": web.url("/")}))
                .await;
            assert_eq!(read["isError"], false, "{read}");
            assert_eq!(profiles(temporary.path()), [true]);
            if by_signal {
                terminate(&client);
            } else {
                client.close_input();
            }
            assert_eq!(client.exit_code().await, Some(0));
            assert!(profiles(temporary.path()).is_empty());
        }
    }
}

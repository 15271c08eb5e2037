//! What a server says on stderr when it starts, and how it ends.

use std::{path::Path, process::Stdio, time::Duration};

use serde_json::json;
use testkit::Authority;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStderr},
};

use crate::{
    auth::{ADA, token_file},
    client::{HttpEntrance, program, terminate},
};

/// How long a line may take. Tests run beside each other.
const PATIENCE: Duration = Duration::from_secs(60);

/// `fingerpost serve` with its stderr.
struct Started {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    /// Every line so far.
    said: String,
}

impl Started {
    fn new(arguments: &[&str]) -> Started {
        let mut command = program();
        command
            .arg("serve")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let said = String::new();
        Started { child, lines, said }
    }

    /// The line with these words, which may have come before.
    async fn until(&mut self, words: &str) -> String {
        if let Some(line) = self.said.lines().find(|line| line.contains(words)) {
            return line.to_owned();
        }
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
            let line = line.unwrap_or_else(|_| panic!("{words}: not among {}", self.said));
            let line = line.unwrap().unwrap_or_else(|| {
                panic!("{words}: not among {}", self.said);
            });
            self.said += &format!("{line}\n");
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Where it can be asked.
    async fn entrance(&mut self) -> HttpEntrance {
        let line = self.until("serving MCP at").await;
        let address = line
            .split("://")
            .nth(1)
            .and_then(|rest| rest.split('/').next());
        HttpEntrance {
            address: address.unwrap().to_owned(),
        }
    }

    fn terminate(&self) {
        terminate(&self.child);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn on_stdio_the_settings_of_http_are_said_to_be_unused() {
    let tokens = token_file(&[("ada", ADA, "[\"research\"]")]);
    let mut stdio = Started::new(&["--ephemeral", "--tokens", text(tokens.path()), "--metrics"]);
    let told = stdio.until("only with --http").await;
    assert!(told.contains("--tokens, --metrics: "), "{told}");
    drop(stdio.child.stdin.take());
    assert_eq!(stdio.child.wait().await.unwrap().code(), Some(0));
}

#[tokio::test]
async fn a_server_that_others_reach_says_how_and_what_they_can_read() {
    let tokens = token_file(&[("ada", ADA, "[\"research\"]")]);
    let tokens = ["--ephemeral", "--tokens", text(tokens.path())];
    let mut open = Started::new(&[&["--http", "0.0.0.0:0"], &tokens[..]].concat());
    open.until("any address of this machine").await;
    open.until("plain HTTP").await;
    let local = ["--http", "127.0.0.1:0"];
    let mut local = Started::new(&[&local, &tokens[..]].concat());
    local.until("a page for people").await;
    assert!(!local.said.contains("plain HTTP"), "{}", local.said);
}

#[cfg(unix)]
#[tokio::test]
async fn a_private_key_that_everyone_can_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("a.pem"), folder.path().join("a.key"));
    let identity = Authority::new().valid(&["127.0.0.1"]);
    identity.write_pem(&certificate, &key);
    let tls = ["--tls-cert", text(&certificate), "--tls-key", text(&key)];
    for (mode, is_told) in [(0o644, true), (0o600, false)] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let arguments = [&["doctor", "--offline", "--ephemeral"], &tls[..]].concat();
        let doctor = program().args(arguments).output().await.unwrap();
        let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert_eq!(doctor.contains("chmod 600"), is_told, "{doctor}");
        let http = ["--http", "127.0.0.1:0", "--ephemeral", "--log", "info"];
        let mut server = Started::new(&[&http, &tls[..]].concat());
        server.until("a page for people").await;
        server.terminate();
        server.until("stopping").await;
        assert_eq!(
            server.said.contains("chmod 600"),
            is_told,
            "{}",
            server.said
        );
    }
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_told_at_the_start_and_by_readyz() {
    let http = ["--http", "127.0.0.1:0", "--log", "warn"];
    let mut server = Started::new(&[&http[..], &["--store", "redis://127.0.0.1:1"]].concat());
    let entrance = server.entrance().await;
    server.until("--store: it does not answer").await;
    let mut ready = entrance.send("GET", "/readyz", &[], b"").await;
    while ready.json()["store"] == "slow" {
        ready = entrance.send("GET", "/readyz", &[], b"").await;
    }
    let state = (ready.status, &ready.json()["store"]);
    assert_eq!(
        state,
        (200, &json!("unavailable")),
        "searches need no store"
    );
    let mut whole = Started::new(&[&http[..], &["--ephemeral"]].concat());
    let ready = whole
        .entrance()
        .await
        .send("GET", "/readyz", &[], b"")
        .await;
    assert_eq!(ready.json()["store"], "ok", "{ready:?}");
}

#[tokio::test]
async fn a_data_directory_that_is_none_is_told_at_the_start() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let http = ["--http", "127.0.0.1:0", "--data-dir", text(file.path())];
    let mut server = Started::new(&http);
    server.until("is not a directory").await;
}

#[tokio::test]
async fn the_name_of_the_program_chooses_the_lines_of_all_its_parts() {
    for (filter, is_logged) in [("fingerpost=info", true), ("fingerpost=warn", false)] {
        let http = ["--http", "127.0.0.1:0", "--ephemeral", "--log", filter];
        let mut server = Started::new(&http);
        let entrance = server.entrance().await;
        let foreign = [("Host", "evil.example")];
        assert_eq!(
            entrance.send("POST", "/mcp", &foreign, b"{}").await.status,
            403
        );
        server.terminate();
        let mut rest = String::new();
        while let Some(line) = server.lines.next_line().await.unwrap() {
            rest += &line;
        }
        assert_eq!(rest.contains("refused a request"), is_logged, "{rest}");
    }
}

#[tokio::test]
async fn a_second_signal_skips_the_delay() {
    let http = [
        "--http",
        "127.0.0.1:0",
        "--ephemeral",
        "--drain-delay",
        "600",
    ];
    let mut server = Started::new(&[&http[..], &["--log", "info"]].concat());
    server.until("a page for people").await;
    server.terminate();
    server.until("a second signal skips").await;
    server.terminate();
    let ended = tokio::time::timeout(PATIENCE, server.child.wait()).await;
    assert_eq!(ended.expect("it ends").unwrap().code(), Some(0));
}

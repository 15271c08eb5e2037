//! A server that everyone could use by mistake does not start.

use super::{ADA, token_file};
use crate::client::{Exit, program};

async fn exit(arguments: &[&str]) -> Exit {
    let mut command = program();
    command
        .args(["serve", "--ephemeral", "--http"])
        .args(arguments);
    let output = tokio::time::timeout(std::time::Duration::from_secs(20), command.output());
    Exit::from_output(&output.await.expect("the program ends").unwrap())
}

#[tokio::test]
async fn without_authentication_only_this_machine_is_served() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = exit(&[address]).await;
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        for way_out in ["--tokens", "127.0.0.1", "--insecure"] {
            assert!(refused.stderr.contains(way_out), "{}", refused.stderr);
        }
        let named = exit(&[address, "--subject-header", "x-user"]).await;
        assert_eq!(named.code, Some(2), "a header is no authentication");
    }
}

#[tokio::test]
async fn a_file_of_tokens_with_a_mistake_stops_the_start_and_is_not_quoted() {
    let file = token_file(&[("ada", ADA, "[\"admin\"]")]);
    let path = file.path().to_str().unwrap();
    let refused = exit(&["127.0.0.1:0", "--tokens", path]).await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("--tokens: [[token]] number 1: scopes may be"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains(ADA));
}

#[tokio::test]
async fn a_public_address_needs_authentication_too() {
    let public = ["127.0.0.1:0", "--public-url", "https://mcp.example.com"];
    let refused = exit(&public).await;
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    for way_out in [
        "--tokens",
        "--oauth-issuer",
        "--subject-header",
        "--insecure",
    ] {
        assert!(refused.stderr.contains(way_out), "{}", refused.stderr);
    }
    for way_out in [&["--subject-header", "x-user"][..], &["--insecure"]] {
        let arguments = [&["--ephemeral"], &public[1..], way_out].concat();
        let mut command = program();
        command
            .args(["serve", "--http", "127.0.0.1:0"])
            .args(arguments);
        assert!(starts(command).await, "{way_out:?}");
    }
    let local = ["serve", "--ephemeral", "--http", "127.0.0.1:0"];
    let mut command = program();
    command
        .args(local)
        .args(["--public-url", "http://localhost:8080"]);
    assert!(starts(command).await, "this machine only");
}

/// Whether a program begins to serve.
async fn starts(mut command: tokio::process::Command) -> bool {
    use tokio::io::{AsyncBufReadExt, BufReader};
    command
        .kill_on_drop(true)
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.contains("serving MCP at") {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn settings_for_access_tokens_need_an_issuer() {
    for (name, value) in [
        ("--oauth-audience", "https://mcp.example.com/mcp"),
        ("--oauth-scope-prefix", "fp/"),
        ("--oauth-default-scopes", "research"),
    ] {
        let refused = exit(&["127.0.0.1:0", name, value]).await;
        assert_eq!(refused.code, Some(2), "{}", refused.stderr);
        let needs = format!("{name} needs --oauth-issuer");
        assert!(refused.stderr.contains(&needs), "{}", refused.stderr);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_doctor_tells_that_everyone_can_read_the_tokens() {
    use std::os::unix::fs::PermissionsExt;
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    for (mode, is_told) in [(0o644, true), (0o640, false)] {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(file.path(), mode).unwrap();
        let mut command = program();
        command
            .args(["doctor", "--offline", "--ephemeral", "--tokens"])
            .arg(file.path());
        let told = Exit::from_output(&command.output().await.unwrap()).stdout;
        assert_eq!(told.contains("chmod 600"), is_told, "{told}");
        assert!(told.contains("http tokens"), "{told}");
    }
}

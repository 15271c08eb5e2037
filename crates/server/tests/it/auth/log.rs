//! What the operator learns of callers: who made a call that failed, and what was refused.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::ChildStderr;

use super::{ADA, BOB, bearer, token_file};
use crate::client::{HttpServer, program};

type Log = Lines<BufReader<ChildStderr>>;

/// A server that logs at the level info.
async fn server(arguments: &[&str]) -> (HttpServer, Log) {
    let mut command = program();
    command.args(["serve", "--http", "127.0.0.1:0", "--log", "info"]);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = loop {
        let line = log.next_line().await.unwrap().expect("a line");
        if line.contains("://") {
            break line;
        }
    };
    let address = line.split("://").nth(1).and_then(|it| it.split('/').next());
    let address = address.expect("an address").to_owned();
    (HttpServer::new(address, child), log)
}

/// The next line of the log with this message.
async fn line_with(log: &mut Log, message: &str) -> Value {
    loop {
        let line = log.next_line().await.unwrap().expect("a line");
        assert!(!line.contains("\"target\":\"rmcp"), "{line}");
        if line.contains(message) {
            return serde_json::from_str(&line).expect("a line of JSON");
        }
    }
}

#[tokio::test]
async fn the_operator_is_told_who_made_a_failed_call_and_other_users_are_not() {
    let file = token_file(&[
        ("ada", ADA, "[\"research\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let kept = tempfile::tempdir().unwrap();
    let folder = kept.path().to_str().unwrap();
    let tokens = file.path().to_str().unwrap();
    let (server, mut log) = server(&["--tokens", tokens, "--data-dir", folder]).await;
    let ada = bearer(ADA);
    let ada = [("Authorization", ada.as_str())];
    let call = json!({"name": "scrape_page", "arguments": {"url": "http://10.0.0.1/"}});
    server.modern_as(&ada, "tools/call", call).await;
    let line = line_with(&mut log, "call failed").await;
    assert_eq!(
        (&line["user"], &line["address"]),
        (&json!("ada"), &json!("127.0.0.0/24")),
        "{line}"
    );
    let id = line["request_id"].as_str().unwrap();
    let shown = loop {
        let shown = program()
            .args(["errors", "show", id, "--data-dir", folder])
            .output()
            .await
            .unwrap();
        // It is stored after the reply.
        if shown.status.success() {
            break serde_json::from_slice::<Value>(&shown.stdout).unwrap();
        }
    };
    assert_eq!(
        (&shown["user"], &shown["address"]),
        (&json!("ada"), &json!("127.0.0.0/24")),
        "{shown}"
    );
    let uri = "fingerpost://diagnostics/faults";
    let headers = [ada[0], ("Mcp-Name", uri)];
    // The list of a user's own failures is written after the record.
    let seen = loop {
        let seen = server
            .modern_as(&headers, "resources/read", json!({ "uri": uri }))
            .await;
        let seen = seen.json().to_string();
        if seen.contains(id) {
            break seen;
        }
    };
    assert!(!seen.contains("127.0.0.0"), "{seen}");
}

#[tokio::test]
async fn refused_requests_and_unknown_tools_are_in_the_log() {
    let file = token_file(&[("ada", ADA, "[\"patterns\"]")]);
    let tokens = file.path().to_str().unwrap();
    let more = ["--ephemeral", "--toolset", "research,patterns"];
    let (server, mut log) = server(&[&["--tokens", tokens], &more[..]].concat()).await;
    let ada = bearer(ADA);
    let ada = [("Authorization", ada.as_str())];
    let call = json!({"name": "health_check", "arguments": {}});
    let refused = server.modern_as(&ada, "tools/call", call).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    let line = line_with(&mut log, "refused a request").await;
    let id = line["request_id"].as_str().unwrap();
    assert_eq!(line["status"], 403, "{line}");
    assert!(
        refused.json()["instance"].as_str().unwrap().ends_with(id),
        "{refused:?}"
    );
    let call = json!({"name": "no_such", "arguments": {}});
    let unknown = server.modern_as(&ada, "tools/call", call).await.json();
    let line = line_with(&mut log, "there is no such tool").await;
    assert_eq!(unknown["error"]["data"]["requestId"], line["request_id"]);
    assert_eq!(
        (&line["tool"], &line["user"]),
        (&json!("no_such"), &json!("ada")),
        "{line}"
    );
}

//! A token that is added to the file while the server runs is hidden like one that was there at the
//! start.

use std::process::Stdio;

use serde_json::{Value, json};
use testkit::{Reply, Web};

use super::secrets_at_rest::walk;
use crate::{
    auth::{ADA, BOB, bearer, token_file, write_tokens},
    client::{HttpServer, program},
};

/// Has a page with the token in its text, and a search provider whose failure quotes it.
async fn quoting_web() -> Web {
    let web = Web::start().await;
    let words = "Goats climb because they can, and the grass is better. ".repeat(40);
    let page =
        format!("<html><body><article><p>{words} So says {BOB}.</p></article></body></html>");
    web.on(
        "/page",
        Reply::new(200, page).header("Content-Type", "text/html"),
    );
    let refusal = format!("Goats of {BOB} are asleep");
    web.on("/res/v1/web/search", Reply::new(500, refusal));
    web
}

async fn started(arguments: &[&str], web: &Web, log: &std::path::Path) -> HttpServer {
    let mut command = program();
    command
        .args(["serve", "--http", "127.0.0.1:0", "--browser", "never"])
        .args(["--allow-private", &format!("127.0.0.1:{}", web.port())])
        .args(arguments)
        .env("FINGERPOST_BRAVE_API_KEY", "BSA0123456789abcdef")
        .env("FINGERPOST_BRAVE_URL", web.url("/res/v1"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(log).unwrap());
    let child = command.spawn().unwrap();
    loop {
        let written = std::fs::read_to_string(log).unwrap();
        if let Some((_, rest)) = written.split_once("serving MCP at http://")
            && let Some((address, _)) = rest.split_once('/')
        {
            return HttpServer::new(address.to_owned(), child);
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_token_that_is_added_while_the_server_runs_is_in_no_reply_log_or_record() {
    let web = quoting_web().await;
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let file = token_file(&[("ada", ADA, "[\"research\", \"operator\"]")]);
    let arguments = [
        "--tokens",
        file.path().to_str().unwrap(),
        "--data-dir",
        data.to_str().unwrap(),
    ];
    let mut server = started(&arguments, &web, &log).await;
    let request = async |token: &str, method: &str, params: Value| {
        let authorization = bearer(token);
        let headers = [("Authorization", authorization.as_str())];
        server.modern_as(&headers, method, params).await
    };
    write_tokens(
        file.path(),
        &[
            ("ada", ADA, "[\"research\", \"operator\"]"),
            ("bob", BOB, "[\"research\"]"),
        ],
    );
    while request(BOB, "tools/list", json!({})).await.status != 200 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let read = json!({"name": "scrape_page", "arguments": {"url": web.url("/page")}});
    let page = request(ADA, "tools/call", read).await;
    assert!(page.body.contains("So says ***."), "{}", page.body);
    let search =
        json!({"name": "web_search", "arguments": {"query": "goats", "provider": "brave"}});
    let failed = request(ADA, "tools/call", search).await;
    let fault = &failed.json()["result"]["structuredContent"]["error"];
    let event = fault["eventId"].as_str().expect("a record").to_owned();
    let authorization = bearer(ADA);
    let headers = [("Authorization", authorization.as_str())];
    let path = format!("/api/faults/{event}");
    let record = server.send("GET", &path, &headers, b"").await;
    assert!(
        record.body.contains("Goats of *** are asleep"),
        "{}",
        record.body
    );
    for answer in [&page, &failed, &record] {
        assert!(!answer.body.contains(BOB), "{}", answer.body);
    }
    // The log is written by a thread of its own.
    for _ in 0..200 {
        let written = std::fs::read_to_string(&log).unwrap();
        if written.contains("Goats of *** are asleep") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    server.child.kill().await.unwrap();
    let written = std::fs::read_to_string(&log).unwrap();
    assert!(written.contains("Goats of *** are asleep"), "{written}");
    assert!(!written.contains(BOB), "{written}");
    let stored: Vec<u8> = walk(&data)
        .iter()
        .flat_map(|path| std::fs::read(path).unwrap())
        .collect();
    let stored = String::from_utf8_lossy(&stored);
    assert!(stored.contains("Goats of *** are asleep"));
    assert!(!stored.contains(BOB));
}

//! A user with many calls to one site, and another who reads the same site.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};

use crate::client::HttpServer;

async fn read(server: &HttpServer, user: &str, url: String) -> Value {
    let params = json!({"name": "scrape_page", "arguments": {"url": url}});
    let headers = [("X-User", user)];
    let answer = server.modern_as(&headers, "tools/call", params).await;
    answer.json()["result"].clone()
}

/// Six calls read from a site at a time, so the sixty take longer than any call may.
#[tokio::test]
async fn calls_of_one_user_to_a_site_do_not_keep_others_from_it() {
    let web = Web::start().await;
    let page = "<!doctype html><title>Page</title><main><p>words of it </p></main>".repeat(5);
    let wait = Duration::from_millis(1_500);
    let reply = Reply::html(200, page);
    web.on("*", Behavior::Slow { reply, wait });
    let host = web.address().to_string();
    let server = HttpServer::spawn(&[
        "--ephemeral",
        "--browser",
        "never",
        "--robots=false",
        "--subject-header",
        "x-user",
        "--deadline",
        "10",
        "--allow-private",
        &host,
    ])
    .await;
    let server = Arc::new(server);
    let mut crowd = tokio::task::JoinSet::new();
    for number in 0..60 {
        let (server, url) = (server.clone(), web.url(&format!("/eve/{number}")));
        crowd.spawn(async move { read(&server, "eve", url).await });
    }
    while web.connections() < 6 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let read = read(&server, "ada", web.url("/ada")).await;
    assert!(read.to_string().contains("words of it"), "{read}");
    let mut late = 0;
    while let Some(reply) = crowd.join_next().await {
        late += usize::from(reply.unwrap()["isError"] == true);
    }
    assert!(late > 0, "the premise: there was no room for all");
}

//! Several servers that share a store, as they run behind a load balancer, and how each of them ends.

mod balancer;
mod with_redis;

use std::time::Duration;

use serde_json::json;
use testkit::{Behavior, Reply, Web};

use crate::client::{HttpServer, terminate};

fn slow_page(wait: Duration) -> Behavior {
    Behavior::Slow {
        reply: Reply::new(200, "late words ".repeat(30)).header("Content-Type", "text/plain"),
        wait,
    }
}

#[tokio::test]
async fn a_server_that_stops_is_not_ready_and_still_serves_for_a_while() {
    let server = HttpServer::spawn(&["--ephemeral", "--drain-delay", "600"]).await;
    let ready = server.send("GET", "/readyz", &[], b"").await;
    assert_eq!(
        (ready.status, &ready.json()["status"]),
        (200, &json!("ready"))
    );
    terminate(&server.child);
    let mut refused = server.send("GET", "/readyz", &[], b"").await;
    while refused.status == 200 {
        refused = server.send("GET", "/readyz", &[], b"").await;
    }
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(
        refused.header("content-type"),
        Some("application/problem+json")
    );
    let alive = server.send("GET", "/healthz", &[], b"").await;
    assert_eq!(alive.status, 200, "it is alive: {alive:?}");
    let call = json!({"name": "health_check", "arguments": {}});
    let kept = [("Connection", "keep-alive")];
    let served = server.modern_as(&kept, "tools/call", call).await;
    assert_eq!(
        served.json()["result"]["isError"],
        json!(false),
        "{served:?}"
    );
    assert_eq!(
        served.header("connection"),
        Some("close"),
        "no balancer keeps the connection: {served:?}"
    );
}

#[tokio::test]
async fn a_call_that_a_stopping_server_cannot_finish_is_told_to_be_repeated() {
    let web = Web::start().await;
    web.on("/slow", slow_page(Duration::from_secs(120)));
    let opened = web.address().to_string();
    let mut server = HttpServer::spawn(&[
        "--ephemeral",
        "--browser",
        "never",
        "--deadline",
        "100",
        "--allow-private",
        &opened,
    ])
    .await;
    let call = json!({"name": "scrape_page", "arguments": {"url": web.url("/slow")}});
    let (answer, ()) = tokio::join!(server.modern("tools/call", call), async {
        while web.hits("/slow") == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        terminate(&server.child);
    });
    let result = answer.json()["result"].clone();
    assert_eq!(result["isError"], true, "{answer:?}");
    let error = &result["structuredContent"]["error"];
    assert_eq!(error["retryable"], true, "{answer:?}");
    assert!(error["retryAfterSeconds"].is_u64(), "{answer:?}");
    let next = &error["nextCalls"][0];
    assert_eq!(
        (&next["tool"], &next["arguments"]["url"]),
        (&json!("scrape_page"), &json!(web.url("/slow"))),
        "{answer:?}"
    );
    assert_eq!(server.child.wait().await.unwrap().code(), Some(0));
}

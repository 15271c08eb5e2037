//! How many calls each user may make.

use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};

use super::{ADA, BOB, bearer, token_file};
use crate::client::HttpServer;

async fn web() -> Web {
    let web = Web::start().await;
    let reply = Reply::html(
        200,
        "<article><h1>A page</h1><p>With enough text to be one.</p></article>",
    );
    web.on("/page", Behavior::Reply(reply));
    web
}

async fn server(web: &Web, file: &tempfile::NamedTempFile, more: &[&str]) -> HttpServer {
    let opened = web.address().to_string();
    let mut arguments = vec![
        "--tokens",
        file.path().to_str().unwrap(),
        "--allow-private",
        &opened,
    ];
    arguments.extend(["--robots=false", "--browser", "never"]);
    arguments.extend(more);
    HttpServer::spawn(&arguments).await
}

async fn call(server: &HttpServer, token: &str, tool: &str, arguments: Value) -> Value {
    let authorization = bearer(token);
    let headers = [("Authorization", authorization.as_str())];
    let params = json!({"name": tool, "arguments": arguments});
    let answer = server.modern_as(&headers, "tools/call", params).await;
    answer.json()["result"].clone()
}

async fn read(server: &HttpServer, token: &str, web: &Web) -> Value {
    call(
        server,
        token,
        "scrape_page",
        json!({"url": web.url("/page")}),
    )
    .await
}

/// The error of a refused call.
fn error(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let (_, json) = text.split_once("\n\n").expect("a sentence, then JSON");
    serde_json::from_str::<Value>(json).unwrap()["error"].clone()
}

#[tokio::test]
async fn a_user_above_the_rate_is_told_when_to_come_back_and_others_are_served() {
    let (web, file) = (
        web().await,
        token_file(&[
            ("ada", ADA, "[\"research\"]"),
            ("bob", BOB, "[\"research\"]"),
        ]),
    );
    let server = server(&web, &file, &["--ephemeral", "--calls-per-minute", "2"]).await;
    for _ in 0..2 {
        assert_eq!(read(&server, ADA, &web).await["isError"], false);
    }
    let refused = error(&read(&server, ADA, &web).await);
    assert_eq!(
        (&refused["kind"], &refused["reason"]),
        (&json!("rate_limited"), &json!("local_limit"))
    );
    assert_eq!(refused["retryable"], true);
    assert!(
        (1..=31).contains(&refused["retryAfterSeconds"].as_u64().unwrap()),
        "{refused}"
    );
    // A call that asks nobody is free, and so is everybody else.
    let health = call(&server, ADA, "health_check", json!({})).await;
    assert_eq!(health["isError"], false, "{health}");
    assert_eq!(read(&server, BOB, &web).await["isError"], false);
}

#[tokio::test]
async fn callers_above_the_rate_are_told_different_times_and_never_to_give_up() {
    let (web, file) = (web().await, token_file(&[("ada", ADA, "[\"research\"]")]));
    let server = server(&web, &file, &["--ephemeral", "--calls-per-minute", "4"]).await;
    for _ in 0..4 {
        assert_eq!(read(&server, ADA, &web).await["isError"], false);
    }
    let refused = async |number: u32| {
        let arguments = json!({"url": web.url(&format!("/page?{number}"))});
        error(&call(&server, ADA, "scrape_page", arguments).await)
    };
    let mut waits = Vec::new();
    for number in 0..3 {
        let error = refused(number).await;
        waits.push(error["retryAfterSeconds"].as_u64().unwrap());
    }
    assert!(waits[0] < waits[1] && waits[1] < waits[2], "{waits:?}");
    // Whoever comes too early is sent back to the same place in the line, however often.
    for _ in 0..4 {
        let error = refused(1).await;
        assert_eq!(error["retryable"], true, "{error}");
        assert!(
            error["retryAfterSeconds"].as_u64().unwrap() <= waits[1],
            "{error} {waits:?}"
        );
    }
}

#[tokio::test]
async fn a_user_above_the_rate_and_the_quota_is_told_of_the_quota_which_lasts_longer() {
    let (web, file) = (web().await, token_file(&[("ada", ADA, "[\"research\"]")]));
    let limits = [
        "--ephemeral",
        "--calls-per-minute",
        "4",
        "--calls-per-day",
        "4",
    ];
    let server = server(&web, &file, &limits).await;
    for _ in 0..4 {
        assert_eq!(read(&server, ADA, &web).await["isError"], false);
    }
    let refused = read(&server, ADA, &web).await;
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("4 calls a day for each user are used up."),
        "{text}"
    );
}

#[tokio::test]
async fn a_call_above_the_rate_does_not_use_up_the_quota() {
    let (web, file) = (web().await, token_file(&[("ada", ADA, "[\"research\"]")]));
    let limits = [
        "--ephemeral",
        "--calls-per-minute",
        "1",
        "--calls-per-day",
        "2",
    ];
    let server = server(&web, &file, &limits).await;
    assert_eq!(read(&server, ADA, &web).await["isError"], false);
    for _ in 0..3 {
        let refused = error(&read(&server, ADA, &web).await);
        assert!(
            refused["retryAfterSeconds"].as_u64().unwrap() <= 61,
            "{refused}"
        );
    }
}

mod with_redis {
    use super::*;

    /// A Redis of this test alone.
    struct Redis {
        child: std::process::Child,
        url: String,
    }

    impl Drop for Redis {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    async fn redis() -> Redis {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let child = std::process::Command::new("redis-server")
            .args([
                "--port",
                &port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
            ])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let redis = Redis {
            child,
            url: format!("redis://127.0.0.1:{port}/0"),
        };
        while tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_err()
        {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        redis
    }

    #[tokio::test]
    async fn two_servers_on_one_store_share_a_users_quota() {
        let redis = redis().await;
        let (web, file) = (web().await, token_file(&[("ada", ADA, "[\"research\"]")]));
        let more = ["--store", redis.url.as_str(), "--calls-per-day", "3"];
        let one = server(&web, &file, &more).await;
        let other = server(&web, &file, &more).await;
        for server in [&one, &other, &one] {
            assert_eq!(read(server, ADA, &web).await["isError"], false);
        }
        for server in [&other, &one] {
            let refused = error(&read(server, ADA, &web).await);
            assert_eq!(refused["reason"], "local_limit", "{refused}");
            let wait = refused["retryAfterSeconds"].as_u64().unwrap();
            assert!((1..=24 * 3_600 + 1).contains(&wait), "{refused}");
        }
    }
}

//! Two real servers, one real Redis, and a balancer that keeps no client at one server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{Reply, Web};

use super::{balancer::Balancer, slow_page};
use crate::{
    attacks::with_redis::{Redis, redis},
    client::{Answer, HttpEntrance, HttpServer, terminate},
};

const REVISION: &str = "2025-11-25";
const USER: &str = "X-User";

/// A request of a session of the older revisions.
async fn in_session(server: &HttpEntrance, session: &str, user: &str, message: &Value) -> Answer {
    let headers = [
        ("Mcp-Session-Id", session),
        ("MCP-Protocol-Version", REVISION),
        (USER, user),
    ];
    server
        .send("POST", "/mcp", &headers, message.to_string().as_bytes())
        .await
}

/// Begins a session and returns its id.
async fn begin(server: &HttpEntrance, user: &str) -> String {
    let params = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let begun = server
        .send(
            "POST",
            "/mcp",
            &[(USER, user)],
            hello.to_string().as_bytes(),
        )
        .await;
    assert_eq!(begun.status, 200, "{begun:?}");
    let session = begun.header("mcp-session-id").expect("an id").to_owned();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let noted = in_session(server, &session, user, &ready).await;
    assert_eq!(noted.status, 202, "{noted:?}");
    session
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

async fn server_on(redis: &Redis, more: &[&str]) -> HttpServer {
    let arguments = ["--store", redis.url.as_str(), "--browser", "never"];
    HttpServer::spawn(&[&arguments[..], more].concat()).await
}

#[tokio::test]
async fn a_session_begun_at_one_server_goes_on_at_another() {
    let redis = redis("noeviction").await;
    let (one, other) = tokio::join!(server_on(&redis, &[]), server_on(&redis, &[]));
    let session = begin(&one, "").await;
    let healthy = call("health_check", &json!({}));
    let mut at_once = healthy.clone();
    at_once["id"] = json!(3);
    let (first, second) = tokio::join!(
        in_session(&other, &session, "", &healthy),
        in_session(&other, &session, "", &at_once)
    );
    for answer in [first, second] {
        assert_eq!(
            answer.json()["result"]["structuredContent"]["server_healthy"],
            true,
            "{answer:?}"
        );
    }
    let headers = [("Mcp-Session-Id", session.as_str())];
    let ended = other.send("DELETE", "/mcp", &headers, b"").await;
    assert!(matches!(ended.status, 200 | 202 | 204), "{ended:?}");
    let third = server_on(&redis, &[]).await;
    let gone = in_session(&third, &session, "", &healthy).await;
    assert_eq!(gone.status, 404, "an ended session: {gone:?}");
    let unknown = in_session(&third, "no-such-session", "", &healthy).await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
}

#[tokio::test]
async fn requests_that_arrive_while_a_session_is_opened_are_answered() {
    const SESSIONS: usize = 40;
    const REQUESTS: u32 = 8;
    let redis = redis("noeviction").await;
    let (one, other) = tokio::join!(server_on(&redis, &[]), server_on(&redis, &[]));
    for _ in 0..SESSIONS {
        let session = begin(&one, "").await;
        let requests = (0..REQUESTS).map(|number| {
            let mut message = call("health_check", &json!({}));
            message["id"] = json!(number);
            let (other, session) = (&other, &session);
            async move {
                // One after the other while the first one opens the session.
                tokio::time::sleep(Duration::from_micros(700) * number).await;
                in_session(other, session, "", &message).await
            }
        });
        for answer in futures_util::future::join_all(requests).await {
            let reply = &answer.json()["result"]["structuredContent"];
            assert_eq!(reply["server_healthy"], true, "{answer:?}");
        }
    }
}

#[tokio::test]
async fn a_session_is_its_users_at_every_server() {
    let redis = redis("noeviction").await;
    let users = ["--subject-header", USER];
    let (one, other) = tokio::join!(server_on(&redis, &users), server_on(&redis, &users));
    let session = begin(&one, "ada").await;
    let healthy = call("health_check", &json!({}));
    let stranger = in_session(&other, &session, "bob", &healthy).await;
    assert_eq!(stranger.status, 404, "{stranger:?}");
    let owner = in_session(&other, &session, "ada", &healthy).await;
    assert_eq!(owner.status, 200, "{owner:?}");
    let stranger = in_session(&other, &session, "bob", &healthy).await;
    assert_eq!(stranger.status, 404, "also once it is open: {stranger:?}");
}

async fn end(server: &HttpEntrance, session: &str, user: &str) -> Answer {
    let headers = [("Mcp-Session-Id", session), (USER, user)];
    server.send("DELETE", "/mcp", &headers, b"").await
}

#[tokio::test]
async fn a_session_ended_at_one_server_ends_at_every_other() {
    for (flags, user) in [(&[][..], ""), (&["--subject-header", USER], "ada")] {
        let redis = redis("noeviction").await;
        let (one, other) = tokio::join!(server_on(&redis, flags), server_on(&redis, flags));
        let healthy = call("health_check", &json!({}));
        let (session, kept) = (begin(&one, user).await, begin(&one, user).await);
        for server in [&one, &other] {
            let open = in_session(server, &session, user, &healthy).await;
            assert_eq!(open.status, 200, "{open:?}");
        }
        let ended = end(&other, &session, user).await;
        assert_eq!(ended.status, 202, "{ended:?}");
        for server in [&one, &other, &one] {
            let gone = in_session(server, &session, user, &healthy).await;
            assert_eq!(gone.status, 404, "{gone:?}");
            let data = &gone.json()["error"]["data"];
            assert_eq!(data["kind"], "session_not_found", "{gone:?}");
        }
        let headers = [("Mcp-Session-Id", session.as_str()), (USER, user)];
        let stream = one.send("GET", "/mcp", &headers, b"").await;
        assert_eq!(stream.status, 404, "no stream either: {stream:?}");
        let again = end(&one, &session, user).await;
        assert_eq!(again.status, 404, "it has ended: {again:?}");
        let open = in_session(&one, &kept, user, &healthy).await;
        assert_eq!(open.status, 200, "another session goes on: {open:?}");
    }
}

#[tokio::test]
async fn a_store_that_lost_its_records_ends_no_open_session() {
    let redis = redis("noeviction").await;
    let one = server_on(&redis, &[]).await;
    let session = begin(&one, "").await;
    redis.command("FLUSHALL").await;
    let healthy = call("health_check", &json!({}));
    let open = in_session(&one, &session, "", &healthy).await;
    assert_eq!(open.status, 200, "{open:?}");
    assert_eq!(end(&one, &session, "").await.status, 202);
    let gone = in_session(&one, &session, "", &healthy).await;
    assert_eq!(gone.status, 404, "{gone:?}");
}

#[tokio::test]
async fn a_session_whose_end_cannot_be_stored_is_not_told_as_ended() {
    let redis = redis("noeviction").await;
    let one = server_on(&redis, &[]).await;
    let session = begin(&one, "").await;
    redis.command("REPLICAOF 127.0.0.1 1").await;
    let refused = end(&one, &session, "").await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (502, Some("5")),
        "{refused:?}"
    );
    redis.command("REPLICAOF NO ONE").await;
    let ended = end(&one, &session, "").await;
    assert_eq!(ended.status, 202, "the advice works: {ended:?}");
    let other = server_on(&redis, &[]).await;
    let gone = in_session(&other, &session, "", &call("health_check", &json!({}))).await;
    assert_eq!(gone.status, 404, "{gone:?}");
}

#[tokio::test]
async fn a_store_that_is_gone_is_told_with_a_wait() {
    let redis = redis("noeviction").await;
    let (one, other) = tokio::join!(server_on(&redis, &[]), server_on(&redis, &[]));
    let session = begin(&one, "").await;
    drop(redis);
    let healthy = call("health_check", &json!({}));
    let here = in_session(&one, &session, "", &healthy).await;
    assert_eq!(here.status, 200, "its own sessions go on: {here:?}");
    let refused = in_session(&other, &session, "", &healthy).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (502, Some("5")),
        "{refused:?}"
    );
    assert!(
        refused.json()["error"]["message"].is_string(),
        "{refused:?}"
    );
}

/// A server that is ended and started again at the same address.
struct Pod {
    server: HttpServer,
    address: String,
    arguments: Vec<String>,
}

impl Pod {
    async fn start(arguments: &[&str]) -> Pod {
        let server = HttpServer::spawn(arguments).await;
        Pod {
            address: server.address.clone(),
            server,
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    async fn end(&mut self) {
        terminate(&self.server.child);
        let code = self.server.child.wait().await.unwrap().code();
        assert_eq!(code, Some(0));
    }

    async fn start_again(&mut self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.server = HttpServer::spawn_at(&self.address, &arguments).await;
    }
}

/// What the clients of a test have in common.
struct Load {
    /// Where the balancer is.
    entrance: HttpEntrance,
    pages: Vec<String>,
    stop: AtomicBool,
    answered: AtomicUsize,
}

impl Load {
    /// One call in the client's era. A failure must have advice, and the advice must work.
    async fn call(&self, session: Option<&str>, tool: &str, arguments: &Value) -> Value {
        for attempt in 0..3 {
            let answer = match session {
                Some(session) => {
                    in_session(&self.entrance, session, "", &call(tool, arguments)).await
                }
                None => {
                    let params = json!({"name": tool, "arguments": arguments});
                    self.entrance.modern("tools/call", params).await
                }
            };
            assert_eq!(answer.status, 200, "a call was lost: {answer:?}");
            let result = answer.json()["result"].clone();
            self.answered.fetch_add(1, Ordering::Relaxed);
            if result["isError"] == false {
                return result;
            }
            let error = &result["structuredContent"]["error"];
            let wait = error["retryAfterSeconds"].as_u64();
            assert!(
                attempt < 2 && error["retryable"] == true && wait.is_some(),
                "a failure without advice that works: {result}"
            );
            tokio::time::sleep(Duration::from_secs(wait.unwrap_or_default())).await;
        }
        unreachable!("the last attempt returns or panics")
    }

    /// Calls until told to stop: pages, quick and slow, and the steps of a research session.
    async fn client(self: Arc<Self>, number: usize) -> usize {
        let session = match number % 2 {
            0 => None,
            _ => Some(begin(&self.entrance, "").await),
        };
        let session = session.as_deref();
        let goal = json!({"goal": format!("roads {number}"), "searchStep": "first"});
        let started = self.call(session, "sequential_search", &goal).await;
        let research = started["structuredContent"]["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        let mut steps = 1;
        while !self.stop.load(Ordering::Relaxed) {
            let page = json!({"url": self.pages[steps % self.pages.len()]});
            self.call(session, "scrape_page", &page).await;
            let step = json!({"sessionId": research, "searchStep": format!("step {steps}")});
            self.call(session, "sequential_search", &step).await;
            steps += 1;
        }
        let whole = json!({"sessionId": research, "limit": 200});
        let whole = self.call(session, "get_research_session", &whole).await;
        let kept = whole["structuredContent"]["steps"].as_u64();
        assert_eq!(kept, Some(steps as u64), "every step is there: {whole}");
        steps
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_loses_no_call() {
    const CLIENTS: usize = 12;
    let (web, redis) = (Web::start().await, redis("noeviction").await);
    web.on(
        "/quick",
        Reply::new(200, "quick words ".repeat(30)).header("Content-Type", "text/plain"),
    );
    web.on("/slow", slow_page(Duration::from_millis(700)));
    let opened = web.address().to_string();
    let arguments = [
        "--store",
        redis.url.as_str(),
        "--browser",
        "never",
        "--drain-delay",
        "1",
        "--allow-private",
        opened.as_str(),
    ];
    let (one, other) = tokio::join!(Pod::start(&arguments), Pod::start(&arguments));
    let mut pods = [one, other];
    let balancer = Balancer::start(pods.iter().map(|pod| pod.address.clone()).collect()).await;
    for index in 0..pods.len() {
        balancer.until_ready(index, true).await;
    }
    let load = Arc::new(Load {
        entrance: HttpEntrance {
            address: balancer.address.clone(),
        },
        pages: vec![web.url("/quick"), web.url("/slow")],
        stop: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
    });
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| tokio::spawn(Arc::clone(&load).client(number)))
        .collect();
    for round in 0..4 {
        let (pod, index) = (&mut pods[round % 2], round % 2);
        let before = balancer.served();
        // Both are at work before one of them ends.
        while balancer
            .served()
            .iter()
            .zip(&before)
            .any(|(now, before)| *now < before + CLIENTS)
        {
            assert!(
                !clients.iter().all(|client| client.is_finished()),
                "no client is left"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        pod.end().await;
        balancer.until_ready(index, false).await;
        pod.start_again().await;
        balancer.until_ready(index, true).await;
    }
    load.stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.expect("no call of this client was lost");
    }
    assert!(load.answered.load(Ordering::Relaxed) > CLIENTS * 8);
}

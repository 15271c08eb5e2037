//! The catalogue kept honest: every active case is provoked through the public surface, and nothing else is emitted.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use fault::{Case, State};
use serde_json::{Value, json};
use server::settings::Settings;
use testkit::{Act, Answer, Authority, Dns, Reply, Web};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::client::{Client, program};
use crate::tools::session;

/// What agents read: the JSON after the blank line of the first block.
pub fn machine(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("text in {result}"));
    let (_, object) = text.split_once("\n\n").unwrap_or_else(|| panic!("no object in {text}"));
    serde_json::from_str::<Value>(object).unwrap()["error"].clone()
}

fn name_of(error: &Value) -> String {
    format!("{}/{}", error["kind"].as_str().unwrap(), error["reason"].as_str().unwrap())
}

/// A server that may read the fake web and asks the fake DNS.
async fn reader(web: &Web, dns: &Dns, more: &[&str]) -> Client {
    let (allow, dns) = (format!("127.0.0.1:{}", web.port()), dns.address().to_string());
    let mut arguments = vec!["--ephemeral", "--deadline", "2", "--allow-private", &allow, "--dns", &dns];
    arguments.extend(more);
    let mut client = Client::spawn(&arguments);
    client.initialize("2025-11-25").await;
    client
}

/// Failing pages and the case each must end in.
fn pages(web: &Web) -> Vec<(&'static str, &'static str)> {
    let acts: Vec<(&'static str, Act, &'static str)> = vec![
        ("/401", Act::status(401), "auth_required/missing_credentials"),
        ("/402", Act::status(402), "auth_required/paywall"),
        ("/403", Act::status(403), "blocked/http_403"),
        ("/404", Act::html(404, "<h1>404</h1>"), "not_found/http_404"),
        ("/410", Act::status(410), "not_found/http_410"),
        ("/418", Act::status(418), "upstream_unavailable/bad_request"),
        ("/429", Act::status(429), "rate_limited/http_429"),
        ("/451", Act::status(451), "blocked/legal_block"),
        ("/500", Act::status(500), "upstream_unavailable/http_status"),
        ("/520", Act::status(520), "upstream_unavailable/http_status"),
        ("/529", Act::status(529), "upstream_unavailable/overloaded"),
        ("/empty", Act::html(200, "<html><body></body></html>"), "content_empty/empty"),
        ("/204", Act::status(204), "content_empty/empty"),
        ("/image", Reply::new(200, "\u{89}PNG").header("Content-Type", "image/png").into(), "validation/unsupported_type"),
        ("/encoding", Act::encoded("zstd", b"????".to_vec()), "validation/unsupported_type"),
        ("/headers", Act::HugeHeaders { bytes: 200_000 }, "upstream_unavailable/bad_shape"),
        ("/reset", Act::Reset, "network/connection_reset"),
        ("/short", Act::ShortBody { reply: Reply::new(200, "cut"), claim: 4_000 }, "network/truncated_body"),
        ("/stall", Act::StallHead, "network/timeout"),
        ("/loop", Act::redirect(302, "/loop"), "network/redirect_loop"),
        ("/inward", Act::redirect(302, "http://10.1.2.3/"), "validation/policy_private_address"),
    ];
    let wanted = acts.iter().map(|(path, _, name)| (*path, *name)).collect();
    for (path, act, _) in acts {
        web.on(path, act);
    }
    wanted
}

/// Arguments and names that fail before, or on the way to, any page.
fn addresses(web: &Web, plain_tls: &str, untrusted: &str, closed: &str) -> Vec<(Value, &'static str)> {
    let url = |url: &str| json!({ "url": url });
    vec![
        (json!({}), "validation/invalid_argument"),
        (url("https://"), "validation/invalid_url"),
        (url("not an address"), "validation/invalid_url"),
        (url("http://user:secret@example.com/"), "validation/invalid_url"),
        (url("ftp://example.com/"), "validation/policy_scheme"),
        (url("file:///etc/passwd"), "validation/policy_scheme"),
        (url("http://10.0.0.1/"), "validation/policy_private_address"),
        (url("http://localhost:9/"), "validation/policy_private_address"),
        (url("http://nowhere.example.com/"), "network/nxdomain"),
        (url("http://broken.example.com/"), "network/dns"),
        (url(closed), "network/connection_refused"),
        (url(plain_tls), "network/tls_handshake"),
        (url(untrusted), "network/tls_certificate"),
        (json!({"url": web.url("/forbidden/page")}), "validation/policy_robots"),
        (json!({"url": web.url("/long"), "max_chars": 200, "allow_truncate": false}), "validation/too_large"),
    ]
}

/// A port of ours that nobody listens on.
async fn closed_port() -> u16 {
    tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn every_active_case_is_emitted_and_no_other() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    dns.on("nowhere.example.com", Answer::Nxdomain).on("broken.example.com", Answer::Servfail);
    web.on("/robots.txt", Act::ok("User-agent: *\nDisallow: /forbidden/\n"));
    web.on("/long", Act::html(200, format!("<p>{}</p>", "words ".repeat(200))));
    let untrusted = Web::tls(&Authority::self_signed(&["127.0.0.1"])).await;
    let closed = closed_port().await;
    let also: Vec<String> = [untrusted.port(), closed].iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let mut client = reader(&web, &dns, &["--allow-private", &also[0], "--allow-private", &also[1]]).await;

    let mut emitted = BTreeSet::new();
    for (path, wanted) in pages(&web) {
        let result = client.call("scrape_page", json!({"url": web.url(path)})).await;
        assert_eq!(name_of(&machine(&result)), wanted, "{path}: {result}");
        emitted.insert(wanted.to_owned());
    }
    let plain_tls = format!("https://127.0.0.1:{}/", web.port());
    let refused = format!("http://127.0.0.1:{closed}/");
    for (arguments, wanted) in addresses(&web, &plain_tls, &untrusted.url("/"), &refused) {
        let result = client.call("scrape_page", arguments.clone()).await;
        assert_eq!(name_of(&machine(&result)), wanted, "{arguments}: {result}");
        emitted.insert(wanted.to_owned());
    }
    emitted.insert(internal().await);
    emitted.insert(local_limit().await);
    emitted.insert(cancelled(&web, &dns).await);
    emitted.insert(bad_setting().await);

    let active: BTreeSet<String> =
        Case::ALL.iter().map(|case| case.row()).filter(|row| row.state == State::Active).map(|row| row.name()).collect();
    assert_eq!(emitted, active);
}

async fn internal() -> String {
    let mut client = session(Settings::default()).await;
    name_of(&machine(&client.call("panics", json!({})).await))
}

async fn local_limit() -> String {
    let mut client = session(Settings { max_concurrent: 1, deadline: Duration::from_secs(1), ..Settings::default() }).await;
    let slow = client.begin("tools/call", json!({"name": "slow", "arguments": {"milliseconds": 500}})).await;
    let busy = client.call("slow", json!({})).await;
    client.reply(slow).await;
    name_of(&machine(&busy))
}

/// Nothing is sent for a withdrawn call; its line in the log tells how it ended.
async fn cancelled(web: &Web, dns: &Dns) -> String {
    let (allow, dns) = (format!("127.0.0.1:{}", web.port()), dns.address().to_string());
    let mut command = program();
    command.args(["serve", "--ephemeral", "--log-format", "json", "--allow-private", &allow, "--dns", &dns]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut client = Client::over(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    client.initialize("2025-11-25").await;
    let before = web.hits("/stall");
    let id = client.begin("tools/call", json!({"name": "scrape_page", "arguments": {"url": web.url("/stall")}})).await;
    while web.hits("/stall") == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    let line = tokio::time::timeout(Duration::from_secs(10), log.next_line()).await.expect("a line in time").unwrap().unwrap();
    let line: Value = serde_json::from_str(&line).unwrap();
    let fields = if line["fields"].is_object() { &line["fields"] } else { &line };
    assert!(fields["request_id"].as_str().unwrap().starts_with("req_"), "{line}");
    name_of(fields)
}

async fn bad_setting() -> String {
    let output = program().args(["serve", "--deadline", "soon"]).output().await.unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("--deadline") && told.contains("30"), "{told}");
    Case::BadSetting.row().name()
}

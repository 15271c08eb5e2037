//! Traces of calls: the real program, and a collector on loopback that reads what comes.

use std::time::Duration;

use lab::http::{Behavior, Reply};
use lab::{FaultMode, OrderedFault};
use serde_json::{Value, json};
use testkit::Web;

use crate::client::{Client, HttpServer, modern_meta, program};
use crate::searching;

const TRACES: &str = "/v1/traces";
const KEY: &str = "collector-key-0123456789";

async fn collector(behaviors: Vec<Behavior>) -> Web {
    let web = Web::start().await;
    web.on_each(TRACES, behaviors);
    web
}

fn accepted() -> Behavior {
    Behavior::json(200, &json!({"partialSuccess": {}}))
}

/// One span with its attributes as plain JSON.
#[derive(Debug, Clone)]
struct Span {
    raw: Value,
    attributes: serde_json::Map<String, Value>,
}

impl Span {
    fn text(&self, field: &str) -> &str {
        self.raw[field].as_str().unwrap_or_default()
    }

    fn attribute(&self, name: &str) -> &Value {
        self.attributes.get(name).unwrap_or(&Value::Null)
    }
}

/// Reads requests as a collector does, and checks the form of every field.
fn spans(collector: &Web) -> Vec<Span> {
    let mut all = Vec::new();
    for request in collector.seen_on(TRACES) {
        assert_eq!(request.header("content-type"), Some("application/json"));
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let resource = &body["resourceSpans"][0];
        let name = attributes(&resource["resource"])["service.name"].clone();
        assert_eq!(name, "research", "{body}");
        for span in resource["scopeSpans"][0]["spans"].as_array().unwrap() {
            let hex = |field: &str, length: usize| {
                let id = span[field].as_str().unwrap();
                assert_eq!(id.len(), length, "{span}");
                assert!(
                    u128::from_str_radix(id, 16).is_ok_and(|id| id != 0),
                    "{span}"
                );
            };
            hex("traceId", 32);
            hex("spanId", 16);
            let time = |field: &str| span[field].as_str().unwrap().parse::<u64>().unwrap();
            assert!(
                time("startTimeUnixNano") <= time("endTimeUnixNano"),
                "{span}"
            );
            assert!(
                time("startTimeUnixNano") > 1_700_000_000_000_000_000,
                "{span}"
            );
            all.push(Span {
                raw: span.clone(),
                attributes: attributes(span),
            });
        }
    }
    all
}

fn attributes(owner: &Value) -> serde_json::Map<String, Value> {
    let pair = |pair: &Value| {
        let value = match &pair["value"] {
            value if value["stringValue"].is_string() => value["stringValue"].clone(),
            value => json!(value["intValue"].as_str().unwrap().parse::<i64>().unwrap()),
        };
        (pair["key"].as_str().unwrap().to_owned(), value)
    };
    owner["attributes"]
        .as_array()
        .unwrap()
        .iter()
        .map(pair)
        .collect()
}

fn server(collector: &Web, flags: &[&str]) -> Client {
    let mut command = program();
    command
        .arg("serve")
        .args(flags)
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(""))
        .env(
            "OTEL_EXPORTER_OTLP_HEADERS",
            format!("x-key={KEY},authorization=Basic%20abc"),
        )
        .env("OTEL_SERVICE_NAME", "research");
    Client::from_command(command)
}

#[tokio::test]
async fn a_call_its_requests_and_its_retry_are_one_trace_that_continues_the_callers() {
    let (lab, collector) = (searching::lab().await, collector(vec![accepted()]).await);
    lab.fault(OrderedFault::new("brave", FaultMode::Internal).times(1));
    let flags = searching::flags(&lab, &["brave"]);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut client = server(&collector, &flags);
    let mut meta = modern_meta();
    meta["traceparent"] = json!("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let arguments = json!({"query": "private-words-of-a-user", "provider": "brave"});
    let call = json!({"name": "web_search", "arguments": arguments, "_meta": meta});
    let reply = client.request("tools/call", call).await;
    assert_eq!(reply["result"]["isError"], false, "{reply}");
    client.close_input();
    assert_eq!(
        client.exit_code().await,
        Some(0),
        "the end sends what waits"
    );

    let request = &collector.seen_on(TRACES)[0];
    assert_eq!(request.header("x-key"), Some(KEY));
    assert_eq!(request.header("authorization"), Some("Basic abc"));
    let all = spans(&collector);
    let one = |kind: u64| all.iter().find(|span| span.raw["kind"] == kind).unwrap();
    let (call, upstream) = (one(2), one(1));
    assert_eq!(call.text("name"), "tools/call web_search");
    assert_eq!(call.text("parentSpanId"), "00f067aa0ba902b7");
    assert_eq!(call.attribute("gen_ai.tool.name"), "web_search");
    assert_eq!(call.attribute("mcp.method.name"), "tools/call");
    assert_eq!(call.attribute("network.transport"), "pipe");
    assert_eq!(
        call.attribute("fingerpost.request_id"),
        &reply["result"]["_meta"]["requestId"]
    );
    assert_eq!(call.raw["status"], Value::Null);
    assert_eq!(upstream.text("name"), "brave");
    assert_eq!(upstream.text("parentSpanId"), call.text("spanId"));
    let requests: Vec<&Span> = all.iter().filter(|span| span.raw["kind"] == 3).collect();
    assert_eq!(requests.len(), 2, "{all:?}");
    let statuses: Vec<&Value> = requests
        .iter()
        .map(|it| it.attribute("http.response.status_code"))
        .collect();
    assert!(
        statuses[0].as_i64().unwrap() >= 500 && statuses[1] == 200,
        "{statuses:?}"
    );
    assert_eq!(
        requests[0].attribute("http.request.resend_count"),
        &Value::Null
    );
    assert_eq!(requests[1].attribute("http.request.resend_count"), 1);
    assert_eq!(
        requests[0].attribute("error.type").as_str(),
        Some(statuses[0].to_string().as_str())
    );
    for request in requests {
        assert_eq!(request.text("parentSpanId"), upstream.text("spanId"));
        assert_eq!(request.attribute("http.request.method"), "GET");
        assert_eq!(request.attribute("server.address"), "127.0.0.1");
    }
    for span in &all {
        assert_eq!(span.text("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
    }
    let sent = format!("{all:?}");
    for secret in ["private-words", KEY, "token", "api_key"] {
        assert!(!sent.contains(secret), "{secret} in {sent}");
    }
}

#[tokio::test]
async fn a_failed_call_over_http_continues_the_trace_of_its_header() {
    let collector = collector(vec![Behavior::status(503), accepted()]).await;
    let site = Web::start().await;
    site.on("*", Reply::html(404, "no such page"));
    let endpoint = format!("--otlp-endpoint={}", collector.url("/"));
    let allow = format!("--allow-private=127.0.0.1:{}", site.port());
    let flags = [
        "--ephemeral",
        "--robots=false",
        "--browser=never",
        "--service-name=research",
        &endpoint,
        &allow,
    ];
    let server = HttpServer::spawn(&flags).await;
    let url = site.url("/a?token=hunter2hunter2");
    let call = json!({"name": "scrape_page", "arguments": {"url": url}});
    let parent = (
        "traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    );
    let unsampled = (
        "traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
    );
    server
        .modern_as(&[unsampled], "tools/call", call.clone())
        .await;
    let answer = server.modern_as(&[parent], "tools/call", call).await;
    assert_eq!(answer.json()["result"]["isError"], true, "{answer:?}");
    for _ in 0..500 {
        if collector.hits(TRACES) > 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(collector.hits(TRACES), 2, "a 503 is tried again");
    let all = spans(&collector);
    let call = all.iter().rfind(|span| span.raw["kind"] == 2).unwrap();
    assert_eq!(call.text("traceId"), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(call.attribute("network.transport"), "tcp");
    assert_eq!(call.attribute("error.type"), "tool_error");
    assert_eq!(call.attribute("fingerpost.fault.kind"), "not_found");
    assert_eq!(call.raw["status"]["code"], 2);
    let calls = all.iter().filter(|span| span.raw["kind"] == 2).count();
    assert_eq!(
        calls, 2,
        "the same batch twice, and no call that its caller does not record"
    );
    assert!(!format!("{all:?}").contains("hunter2"), "{all:?}");
}

#[tokio::test]
async fn a_collector_that_never_answers_holds_up_neither_calls_nor_the_end() {
    let collector = collector(vec![Behavior::StallHead]).await;
    let mut client = server(&collector, &["--ephemeral"]);
    client.initialize("2025-11-25").await;
    for _ in 0..50 {
        let refused = client
            .call("scrape_page", json!({"url": "http://10.0.0.1/"}))
            .await;
        assert_eq!(refused["isError"], true, "{refused}");
    }
    client.close_input();
    assert_eq!(client.exit_code().await, Some(0));
    assert!(collector.hits(TRACES) > 0, "it was asked");
}

#[tokio::test]
async fn pages_that_are_read_at_once_keep_their_own_requests() {
    let (collector, site) = (collector(vec![accepted()]).await, Web::start().await);
    let paths = ["/a", "/b", "/c"];
    for (place, path) in paths.iter().enumerate() {
        let text = format!("<h1>Page</h1><p>{}</p>", "Words of a page. ".repeat(40));
        let reply = Reply::html(200, text);
        // The first page is the last to arrive.
        let wait = Duration::from_millis(if place == 0 { 600 } else { 0 });
        site.on(path, Behavior::Slow { reply, wait });
    }
    let allow = format!("--allow-private=127.0.0.1:{}", site.port());
    let flags = [
        "--ephemeral",
        "--robots=false",
        "--browser=never",
        "--toolset=web",
        &allow,
    ];
    let mut client = server(&collector, &flags);
    client.initialize("2025-11-25").await;
    let urls: Vec<String> = paths.iter().map(|path| site.url(path)).collect();
    let reply = client.call("fetch_content", json!({"urls": urls})).await;
    assert_eq!(reply["isError"], false, "{reply}");
    client.close_input();
    assert_eq!(client.exit_code().await, Some(0));

    let all = spans(&collector);
    let parent = |span: &Span| {
        let id = span.text("parentSpanId");
        all.iter().find(|other| other.text("spanId") == id).unwrap()
    };
    let requests: Vec<&Span> = all.iter().filter(|span| span.raw["kind"] == 3).collect();
    assert_eq!(requests.len(), 3, "{all:?}");
    let mut pages: Vec<&str> = Vec::new();
    for request in requests {
        let tier = parent(request);
        let page = parent(tier);
        assert_ne!(tier.text("name"), "page", "{all:?}");
        assert_eq!(page.text("name"), "page", "{all:?}");
        assert_eq!(parent(page).raw["kind"], 2, "{all:?}");
        pages.push(page.text("spanId"));
    }
    pages.sort_unstable();
    pages.dedup();
    assert_eq!(pages.len(), 3, "each request belongs to its own page");
}

#[tokio::test]
async fn the_standard_switches_turn_traces_off_and_ordinary_headers_are_not_secrets() {
    let collector = collector(vec![accepted()]).await;
    for (variable, value) in [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ] {
        let mut command = program();
        command
            .args(["serve", "--ephemeral"])
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(""))
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-scope-orgid=provider")
            .env(variable, value);
        let mut client = Client::from_command(command);
        client.initialize("2025-11-25").await;
        let arguments = json!({"query": "x", "provider": "nobody"});
        let refused = client.call("web_search", arguments).await;
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("provider"), "{text}");
        client.close_input();
        assert_eq!(client.exit_code().await, Some(0));
    }
    assert_eq!(collector.hits(TRACES), 0);
}

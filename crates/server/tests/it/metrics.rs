//! `/metrics`: what Prometheus reads, from the real program over HTTP.

use std::collections::BTreeMap;

use lab::http::{Behavior, Reply};
use lab::{FaultMode, OrderedFault, RunningLab, WaitForm};
use serde_json::json;
use testkit::Web;

use crate::client::HttpServer;
use crate::searching;

async fn server(lab: &RunningLab, more: &[&str]) -> HttpServer {
    let flags = searching::flags(lab, &["tavily", "brave"]);
    let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    flags.extend(["--browser", "never", "--robots=false"]);
    flags.extend(more);
    HttpServer::spawn(&flags).await
}

async fn call(server: &HttpServer, tool: &str, arguments: serde_json::Value) {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = server.modern("tools/call", params).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn page(server: &HttpServer) -> String {
    let answer = server.send("GET", "/metrics", &[], b"").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let kind = answer.header("content-type").unwrap();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    answer.body
}

/// Parses the text format strictly: every sample belongs to the family announced last, every
/// series comes once, and histograms add up.
fn samples(page: &str) -> BTreeMap<String, f64> {
    let mut samples = BTreeMap::new();
    let (mut family, mut kind) = ("", "");
    let mut announced = Vec::new();
    assert!(page.ends_with('\n'));
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            assert!(
                help.split_once(' ')
                    .is_some_and(|(_, text)| !text.is_empty()),
                "{line}"
            );
            continue;
        }
        if let Some(kinds) = line.strip_prefix("# TYPE ") {
            (family, kind) = kinds.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(!announced.contains(&family), "{line}");
            announced.push(family);
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let name = series.split('{').next().unwrap();
        let allowed: Vec<String> = match kind {
            "histogram" => ["_bucket", "_sum", "_count"]
                .map(|end| format!("{family}{end}"))
                .into(),
            _ => vec![family.to_owned()],
        };
        assert!(allowed.iter().any(|it| it == name), "{line} in {family}");
        assert_eq!(kind == "counter", family.ends_with("_total"), "{family}");
        if let Some(labels) = series
            .strip_prefix(name)
            .filter(|labels| !labels.is_empty())
        {
            let labels = labels
                .strip_prefix('{')
                .and_then(|it| it.strip_suffix('}'))
                .unwrap();
            for label in labels.split(',') {
                let (key, text) = label.split_once('=').unwrap();
                assert!(key.bytes().all(|b| b.is_ascii_lowercase()), "{line}");
                let text = text
                    .strip_prefix('"')
                    .and_then(|it| it.strip_suffix('"'))
                    .unwrap();
                assert!(!text.contains('"'), "{line}");
            }
        }
        let earlier = samples.insert(series.to_owned(), value.parse().unwrap());
        assert_eq!(earlier, None, "{line} comes twice");
    }
    for (series, count) in &samples {
        if let Some(rest) = series.strip_suffix(",le=\"+Inf\"}") {
            let whole = format!("{}}}", rest.replacen("_bucket{", "_count{", 1));
            assert_eq!(samples.get(&whole), Some(count), "{series}");
        }
    }
    samples
}

#[tokio::test]
async fn calls_faults_retries_breakers_and_caches_are_counted() {
    let lab = searching::lab().await;
    let site = Web::start().await;
    site.on(
        "/page",
        Behavior::ok("<h1>Title</h1><p>Some text of a page, long enough to be read.</p>"),
    );
    site.on("*", Reply::html(404, "no"));
    let allow = format!("--allow-private=127.0.0.1:{}", site.port());
    let server = server(&lab, &["--metrics", &allow]).await;
    let limited = OrderedFault::new("tavily", FaultMode::RateLimited);
    lab.fault(limited.wait(WaitForm::Seconds, 90));
    lab.fault(OrderedFault::new("brave", FaultMode::Internal).times(1));
    call(
        &server,
        "web_search",
        json!({"query": "rust", "provider": "tavily"}),
    )
    .await;
    call(
        &server,
        "web_search",
        json!({"query": "rust", "provider": "brave"}),
    )
    .await;
    call(
        &server,
        "web_search",
        json!({"query": "rust", "provider": "brave"}),
    )
    .await;
    call(&server, "scrape_page", json!({"url": site.url("/missing")})).await;
    call(&server, "scrape_page", json!({"url": "nonsense"})).await;
    let page = page(&server).await;
    let samples = samples(&page);
    let at = |series: &str| {
        samples
            .get(series)
            .copied()
            .unwrap_or_else(|| panic!("{series} in {page}"))
    };
    assert_eq!(
        at("fingerpost_calls_total{tool=\"web_search\",outcome=\"ok\"}"),
        2.0
    );
    assert_eq!(
        at("fingerpost_calls_total{tool=\"web_search\",outcome=\"failed\"}"),
        1.0
    );
    assert_eq!(
        at("fingerpost_calls_total{tool=\"scrape_page\",outcome=\"failed\"}"),
        2.0
    );
    assert_eq!(
        at("fingerpost_call_duration_seconds_count{tool=\"web_search\"}"),
        3.0
    );
    assert_eq!(at("fingerpost_calls_running"), 0.0);
    assert_eq!(
        at("fingerpost_faults_total{kind=\"rate_limited\",reason=\"http_429\"}"),
        1.0
    );
    assert_eq!(
        at("fingerpost_faults_total{kind=\"not_found\",reason=\"http_404\"}"),
        1.0
    );
    assert_eq!(at("fingerpost_retries_total{upstream=\"brave\"}"), 1.0);
    assert_eq!(
        at("fingerpost_upstream_answers_total{upstream=\"brave\",outcome=\"ok\"}"),
        1.0
    );
    assert_eq!(
        at("fingerpost_upstream_duration_seconds_count{upstream=\"brave\"}"),
        1.0
    );
    assert_eq!(at("fingerpost_breaker_open{provider=\"tavily\"}"), 1.0);
    assert_eq!(at("fingerpost_breaker_open{provider=\"brave\"}"), 0.0);
    assert_eq!(
        at("fingerpost_cache_lookups_total{cache=\"search\",result=\"hit\"}"),
        1.0
    );
    assert!(at("process_resident_memory_bytes") > 1e6);
    assert!(at("process_start_time_seconds") > 1.7e9);
    assert_eq!(at("fingerpost_log_lines_lost_total"), 0.0);
}

/// Names that callers and upstreams choose must not become series.
#[tokio::test]
async fn what_callers_send_makes_no_new_series() {
    let lab = searching::lab().await;
    let server = server(&lab, &["--metrics"]).await;
    let count = async |round: usize| {
        for number in 0..20 {
            let word = format!("secret-word-{round}-{number}");
            let query = json!({"query": &word, "provider": &word});
            call(&server, "web_search", query).await;
            call(
                &server,
                "scrape_page",
                json!({"url": format!("http://{word}.invalid/{word}")}),
            )
            .await;
            let unknown = json!({"name": &word, "arguments": {}});
            server.modern("tools/call", unknown).await;
        }
        let page = page(&server).await;
        assert!(!page.contains("secret-word"), "{page}");
        samples(&page).len()
    };
    let first = count(0).await;
    assert_eq!(count(1).await, first);
}

#[tokio::test]
async fn the_page_is_there_only_if_it_is_wanted_and_not_for_web_pages() {
    let lab = searching::lab().await;
    let closed = server(&lab, &[]).await;
    let answer = closed.send("GET", "/metrics", &[], b"").await;
    assert_eq!(answer.status, 404, "{answer:?}");
    let open = server(
        &lab,
        &["--metrics", "--allowed-origin=https://known.example"],
    )
    .await;
    for (headers, status) in [
        (vec![], 200),
        (vec![("Host", "10.1.2.3:8080")], 200),
        (vec![("Host", "known.example")], 200),
        (vec![("Host", "rebound.example")], 403),
        (vec![("Host", "rebound.example:80")], 403),
        (vec![("Origin", "https://evil.example")], 403),
        (vec![("Host", "")], 400),
    ] {
        let answer = open.send("GET", "/metrics", &headers, b"").await;
        assert_eq!(answer.status, status, "{headers:?}: {answer:?}");
    }
    let posted = open.send("POST", "/metrics", &[], b"{}").await;
    assert_eq!(posted.status, 405, "{posted:?}");
}

//! Many large pages at once: they share one budget, and what does not fit is told to wait.

use std::time::Duration;

use serde_json::json;
use testkit::{Answer, Dns, Reply, Web};

use crate::cases::machine;
use crate::client::Client;

/// As many of each host as are read at a time, so that none waits for its host.
const HOSTS: [&str; 2] = ["one.example", "two.example"];
const PAGES_OF_A_HOST: usize = 6;
const PAGE_MEGABYTES: usize = 24;
/// Far less than the pages together, and far more than the server with one of them.
const MOST_MEGABYTES: u64 = 200;

/// A page whose text is small, so that only its body counts.
fn large_page() -> Vec<u8> {
    let words = "Goats climb because they can, and the grass is better. ".repeat(40);
    let mut page = format!("<html><body><article><h1>Goats</h1><p>{words}</p><!--").into_bytes();
    page.resize(PAGE_MEGABYTES << 20, b' ');
    page.extend(b"--></article></body></html>");
    page
}

/// The most memory that the process ever had, in megabytes.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    kilobytes.unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test]
async fn large_pages_at_once_stay_within_the_budget_and_none_is_told_to_be_at_fault() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    let page = large_page();
    for host in HOSTS {
        dns.on(host, Answer::ip("127.0.0.1"));
    }
    for number in 0..PAGES_OF_A_HOST {
        let reply = Reply::new(200, page.clone()).header("Content-Type", "text/html");
        web.on(&format!("/{number}"), reply);
    }
    drop(page);
    let allow = format!("127.0.0.1:{}", web.port());
    let mut client = Client::spawn(&[
        "--ephemeral",
        "--robots=false",
        "--browser",
        "never",
        "--deadline",
        "25",
        "--dns",
        &dns.address().to_string(),
        "--max-memory",
        "32",
        "--allow-private",
        &allow,
    ]);
    client.initialize("2025-11-25").await;
    client.patience = Duration::from_secs(120);
    let mut calls = Vec::new();
    for host in HOSTS {
        for number in 0..PAGES_OF_A_HOST {
            let url = format!("http://{host}:{}/{number}", web.port());
            let arguments = json!({"url": url, "max_chars": 500});
            let params = json!({"name": "scrape_page", "arguments": arguments});
            calls.push(client.begin("tools/call", params).await);
        }
    }
    let mut read = 0;
    for call in calls {
        let result = client.reply(call).await["result"].clone();
        if result["isError"] == false {
            read += 1;
            continue;
        }
        let fault = machine(&result);
        assert_eq!(fault["reason"], "local_limit", "{result}");
        assert_eq!(fault["retryable"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("Wait"), "{result}");
    }
    assert!(read > 0);
    let peak = peak(client.pid());
    assert!(peak < MOST_MEGABYTES, "{peak} MB, {read} read");
}

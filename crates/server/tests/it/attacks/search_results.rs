//! A search result counts as the link of a public page: it does not lead into a private host that
//! the operator opened, and no reply advises to open one for it.

use serde_json::{Value, json};
use testkit::{Answer, Behavior, Dns, Web};

use crate::client::{Client, program};

fn page(words: &str) -> Behavior {
    Behavior::ok(format!(
        "<!doctype html><title>Page</title><main><h1>Page</h1><p>{}</p></main>",
        format!("{words} ").repeat(60)
    ))
}

/// Lets a provider answer with these results, in SearXNG's form.
fn answer_with(provider: &Web, urls: &[String]) {
    let result = |url: &String| json!({"url": url, "title": "T", "content": "S", "engines": ["a"]});
    let results: Vec<Value> = urls.iter().map(result).collect();
    let found = json!({"results": results, "suggestions": [], "unresponsive_engines": []});
    provider.on("/search", Behavior::json(200, &found));
}

/// A server that searches with this provider and whose callers may read both webs.
async fn client(dns: &Dns, provider: &Web, private: &Web, browser: &str) -> Client {
    let mut command = program();
    // For the browser.
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
        .args(["serve", "--ephemeral", "--robots=false", "--toolset", "all"])
        .args(["--dns", &dns.address().to_string()])
        .args(["--allow-private", &provider.address().to_string()])
        .args(["--allow-private", &private.address().to_string()])
        .args(["--searxng-url", &provider.url("/")])
        .args(["--browser", browser]);
    let mut client = Client::from_command(command);
    client.patience = std::time::Duration::from_secs(60);
    client.initialize("2025-11-25").await;
    client
}

async fn search(client: &mut Client, query: &str) -> Value {
    let arguments = json!({"query": query, "provider": "searxng", "max_pages": 2});
    client.call("search_and_scrape", arguments).await
}

/// Neither an address nor a name of the private host is read, and none is advised to be opened.
async fn private_results_are_refused(browser: &str) {
    let (dns, provider, private) = (Dns::start().await, Web::start().await, Web::start().await);
    dns.on("inside.example", Answer::ip("127.0.0.1"));
    private.on("*", page("secret"));
    let mut client = client(&dns, &provider, &private, browser).await;
    let inside = [
        private.url("/address"),
        private.url_as("inside.example", "/name"),
    ];
    answer_with(&provider, &inside);
    let reply = search(&mut client, "first").await;
    let text = reply.to_string();
    assert_eq!(reply["isError"], true, "{text}");
    let failures = &reply["structuredContent"]["scrapeFailures"];
    for failure in failures.as_array().unwrap() {
        assert_eq!(
            failure["error"]["reason"], "policy_private_address",
            "{text}"
        );
        assert_eq!(failure["error"]["retryable"], false, "{text}");
        let message = failure["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("This search result is not on the public internet: "));
        for word in ["127.0.0.1", "inside.example"] {
            assert!(!message.contains(word), "{message}");
        }
    }
    assert_eq!(failures.as_array().unwrap().len(), 2, "{text}");
    for word in ["--allow-private", "allow it", "operator"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert_eq!(private.connections(), 0, "{:?}", private.seen());
}

#[tokio::test]
async fn results_on_opened_hosts_are_refused() {
    private_results_are_refused("never").await;
}

#[tokio::test]
async fn a_page_that_a_caller_named_is_not_found_through_the_cache() {
    let (dns, provider, private) = (Dns::start().await, Web::start().await, Web::start().await);
    private.on("*", page("secret"));
    provider.on("/own", page("own"));
    let mut client = client(&dns, &provider, &private, "never").await;
    let inside = private.url("/named");
    let read = client.call("scrape_page", json!({"url": inside})).await;
    assert_eq!(read["isError"], false, "the caller may name it: {read}");
    answer_with(&provider, &[inside, provider.url("/own")]);
    let reply = search(&mut client, "second").await.to_string();
    assert!(reply.contains("own own"), "{reply}");
    assert!(!reply.contains("secret"), "{reply}");
}

#[tokio::test]
async fn no_next_call_names_a_private_result() {
    let (dns, provider, private) = (Dns::start().await, Web::start().await, Web::start().await);
    let mut client = client(&dns, &provider, &private, "never").await;
    let paths = ["/a", "/b", "/c", "/d"];
    answer_with(&provider, &paths.map(|path| private.url(path)));
    let reply = search(&mut client, "third").await;
    assert_eq!(reply["isError"], true, "{reply}");
    let suggested = reply["structuredContent"]["error"]["nextCalls"].to_string();
    assert!(!suggested.contains("127.0.0.1"), "{suggested}");
}

mod with_chromium {
    #[tokio::test]
    async fn results_on_opened_hosts_are_refused_in_the_browser() {
        super::private_results_are_refused("always").await;
    }
}

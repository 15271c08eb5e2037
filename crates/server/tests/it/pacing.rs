//! Providers that ask to be asked seldom: a search waits for its turn instead of failing.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::searching::{lab, server};

/// The providers of the web that need no key.
const KEYLESS: &[&str] = &["duckduckgo", "wikipedia", "hackernews", "github"];

/// Why the results of a query are not those of the whole web; `None` when they are.
fn mistake(found: &Value) -> Option<String> {
    let is_web = found["providers"] == json!(["duckduckgo"]);
    let has_results = found["results"].as_array().is_some_and(|it| !it.is_empty());
    (!is_web || !has_results || found.get("degraded").is_some()).then(|| found.to_string())
}

/// DuckDuckGo is asked once a second, so this takes about twenty seconds.
#[tokio::test]
async fn twenty_searches_in_a_row_get_results_of_the_whole_web_without_a_key() {
    let lab = lab().await;
    let mut client = server(&lab, KEYLESS, &["--index=false", "--deadline=30"]).await;
    let words: Vec<String> = (0..20).map(|n| format!("sodium battery note{n}")).collect();
    let result = client
        .call("web_search", json!({"queries": &words[..10]}))
        .await;
    let several = result["structuredContent"]["queries"].as_array().cloned();
    let mut found = several.unwrap_or_else(|| panic!("{result}"));
    for query in &words[10..] {
        let result = client.call("web_search", json!({"query": query})).await;
        found.push(result["structuredContent"].clone());
    }
    let mistakes: Vec<String> = found.iter().filter_map(mistake).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    assert_eq!(found.len(), 20);
    let asked: HashSet<String> = lab
        .seen("duckduckgo")
        .iter()
        .filter_map(|request| request.param("q").map(str::to_owned))
        .collect();
    assert_eq!((asked.len(), lab.count("duckduckgo")), (20, 20));
    assert_eq!(lab.count("wikipedia"), 0);
}

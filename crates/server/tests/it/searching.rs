//! Searching as an agent sees it: the real program over stdio, every provider in the lab.

use std::collections::BTreeSet;

use lab::{FaultMode, Lab, OrderedFault, RunningLab};
use serde_json::{Value, json};

use crate::cases::{machine, name_of};
use crate::client::{Client, program};

pub async fn lab() -> RunningLab {
    Lab::start(([127, 0, 0, 1], 0).into()).await.unwrap()
}

/// Flags that direct these providers to the lab, with keys, and disable all others.
pub fn flags(lab: &RunningLab, providers: &[&str]) -> Vec<String> {
    let mut flags = vec![
        "--ephemeral".to_owned(),
        "--deadline".to_owned(),
        "8".to_owned(),
    ];
    let known: BTreeSet<&str> = engine::search::providers()
        .iter()
        .map(|provider| provider.spec().id())
        .collect();
    let off: Vec<&str> = known
        .into_iter()
        .filter(|id| !providers.contains(id))
        .collect();
    if !off.is_empty() {
        flags.extend(["--disable-provider".to_owned(), off.join(",")]);
    }
    for (key, value) in lab.settings() {
        if providers
            .iter()
            .any(|id| key.starts_with(&format!("{id}-")))
        {
            flags.push(format!("--{key}={value}"));
        }
    }
    flags
}

pub async fn server(lab: &RunningLab, providers: &[&str], more: &[&str]) -> Client {
    let flags = flags(lab, providers);
    let arguments: Vec<&str> = flags
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    let mut client = Client::spawn(&arguments);
    client.initialize("2025-11-25").await;
    client
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The cases that only searches can end in.
pub async fn emitted() -> BTreeSet<String> {
    let lab = lab().await;
    let mut names = BTreeSet::new();
    for (mode, wanted) in [
        (FaultMode::Quota, "rate_limited/quota_exhausted"),
        (FaultMode::BadKey, "auth_required/bad_key"),
        (FaultMode::Forbidden, "auth_required/forbidden"),
    ] {
        let mut client = server(&lab, &["tavily"], &[]).await;
        lab.reset();
        lab.fault(OrderedFault::new("tavily", mode));
        let result = client
            .call("web_search", json!({"query": "rust", "provider": "tavily"}))
            .await;
        assert_eq!(name_of(&machine(&result)), wanted, "{result}");
        names.insert(wanted.to_owned());
    }
    lab.reset();
    let mut client = server(&lab, &["brave", "wikipedia"], &["--tavily-api-key=tvly-x"]).await;
    for (provider, wanted) in [
        ("altavista", "config/unknown_provider"),
        ("duckduckgo", "config/disabled_provider"),
    ] {
        let result = client
            .call("web_search", json!({"query": "rust", "provider": provider}))
            .await;
        assert_eq!(name_of(&machine(&result)), wanted, "{result}");
        names.insert(wanted.to_owned());
    }
    let mut keyless = Client::spawn(&["--ephemeral"]);
    keyless.initialize("2025-11-25").await;
    let result = keyless
        .call("web_search", json!({"query": "rust", "provider": "brave"}))
        .await;
    assert_eq!(name_of(&machine(&result)), "config/missing_key", "{result}");
    assert!(text_of(&result).contains("BRAVE_API_KEY"), "{result}");
    names.insert("config/missing_key".to_owned());
    names.insert(damaged_store().await);
    names
}

async fn damaged_store() -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fingerpost.sqlite");
    std::fs::write(
        &file,
        "not a database at all, but somebody's file ".repeat(100),
    )
    .unwrap();
    let mut client = Client::spawn(&["--data-dir", folder.path().to_str().unwrap()]);
    client.initialize("2025-11-25").await;
    let result = client
        .call("web_search", json!({"query": "rust", "provider": "local"}))
        .await;
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .starts_with("not a database"),
        "nothing is wiped"
    );
    name_of(&machine(&result))
}

#[tokio::test]
async fn every_kind_of_search_finds_something_in_the_lab() {
    let mut client = Client::spawn(&["--ephemeral", "--lab"]);
    client.initialize("2025-11-25").await;
    for (tool, query) in [
        ("web_search", "rust"),
        ("news_search", "battery"),
        ("academic_search", "sodium"),
        ("patent_search", "battery"),
        ("structured_search", "company"),
    ] {
        let result = client
            .call(tool, json!({"query": query, "max_results": 3}))
            .await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let found = &result["structuredContent"];
        assert!(
            found["resultCount"]
                .as_u64()
                .is_some_and(|count| (1..=3).contains(&count)),
            "{tool}: {result}"
        );
        assert!(
            found["results"][0]["url"]
                .as_str()
                .unwrap()
                .starts_with("http"),
            "{tool}: {result}"
        );
        assert!(
            text_of(&result).contains("untrusted external text")
                && text_of(&result).contains("\n1. "),
            "{result}"
        );
    }
}

#[tokio::test]
async fn search_and_scrape_reads_the_best_results_and_says_what_it_could_not() {
    let mut client = Client::spawn(&["--ephemeral", "--lab", "--browser", "never"]);
    client.initialize("2025-11-25").await;
    let result = client
        .call(
            "search_and_scrape",
            json!({"query": "rust", "max_pages": 2, "max_total_chars": 1000}),
        )
        .await;
    let text = text_of(&result);
    assert!(
        text.starts_with("Status: complete (2 of 2 pages read"),
        "{text}"
    );
    assert!(text.contains("\nAlso found: "), "{text}");
    let mut ours = text.lines().take_while(|line| !line.starts_with("---"));
    assert!(!ours.any(|line| line.starts_with('{')), "{text}");
    let facts = &result["_meta"];
    assert_eq!(
        (
            facts["sources"].as_array().unwrap().len(),
            &facts["scrapeFailures"]
        ),
        (2, &json!([]))
    );
    let nothing = client
        .call("search_and_scrape", json!({"query": "xyzzyplugh"}))
        .await;
    assert_eq!(
        (
            &nothing["isError"],
            &nothing["structuredContent"]["resultCount"]
        ),
        (&json!(false), &json!(0)),
        "{nothing}"
    );
    assert!(
        nothing["structuredContent"]["hints"]["suggestedActions"]
            .as_array()
            .is_some_and(|actions| (1..=3).contains(&actions.len()))
    );
}

#[tokio::test]
async fn auto_tries_the_next_provider_and_reports_every_attempt() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "tavily"], &[]).await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let result = client.call("web_search", json!({"query": "rust"})).await;
    let attempts = &result["structuredContent"]["attempts"];
    assert_eq!(
        (&attempts[0]["provider"], &attempts[0]["outcome"]),
        (&json!("brave"), &json!("failed")),
        "{result}"
    );
    assert_eq!(
        (&attempts[1]["provider"], &attempts[1]["outcome"]),
        (&json!("tavily"), &json!("answered")),
        "{result}"
    );
    let explicit = client
        .call("web_search", json!({"query": "rust", "provider": "brave"}))
        .await;
    let error = machine(&explicit);
    assert_eq!(
        (&error["reason"], &error["suggestedAction"]),
        (&json!("bad_key"), &json!("check_api_key")),
        "an explicit provider never falls back"
    );
    assert_eq!(error["alternatives"], json!(["tavily"]), "{error}");
    assert!(
        text_of(&explicit).contains("BRAVE_API_KEY"),
        "the setting is named: {explicit}"
    );
    assert_eq!(lab.count("tavily"), 1);
}

#[tokio::test]
async fn results_of_several_providers_are_fused_and_a_repeated_search_is_cached() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave", "tavily"], &[]).await;
    let fused = client
        .call(
            "web_search",
            json!({"query": "rust", "provider": "brave,tavily"}),
        )
        .await;
    let results = fused["structuredContent"]["results"]
        .as_array()
        .unwrap()
        .clone();
    assert!(
        results
            .iter()
            .any(|result| result["providers"] == json!(["brave", "tavily"])),
        "{fused}"
    );
    let urls: BTreeSet<&str> = results
        .iter()
        .map(|result| result["url"].as_str().unwrap())
        .collect();
    assert_eq!(urls.len(), results.len(), "each page once");
    let again = client
        .call(
            "web_search",
            json!({"query": "rust", "provider": "brave,tavily"}),
        )
        .await;
    assert!(again["structuredContent"]["ageSeconds"].is_u64(), "{again}");
    assert_eq!((lab.count("brave"), lab.count("tavily")), (1, 1));
}

#[tokio::test]
async fn bad_input_causes_no_request_and_is_refused_with_a_correction() {
    let lab = lab().await;
    let mut client = server(&lab, &["brave"], &["--toolset", "web"]).await;
    let cases = [
        (json!({}), "WEB_SEARCH_INVALID_QUERY", "query"),
        (json!({"query": "  "}), "WEB_SEARCH_INVALID_QUERY", "query"),
        (
            json!({"query": "語".repeat(10_000)}),
            "INVALID_INPUT",
            "500 characters",
        ),
        (json!({"query": "a\u{0}b"}), "INVALID_INPUT", "query"),
        (
            json!({"query": "a", "max_results": 0}),
            "INVALID_INPUT",
            "between 1 and 50",
        ),
        (
            json!({"query": "a", "max_results": 10_000}),
            "INVALID_INPUT",
            "between 1 and 50",
        ),
        (
            json!({"query": "a", "from_date": "2025-01-01", "to_date": "2024-01-01"}),
            "INVALID_INPUT",
            "before",
        ),
        (
            json!({"query": "a", "sites": ["a.example"], "exclude": ["a.example"]}),
            "INVALID_INPUT",
            "exclude",
        ),
        (
            json!({"query": "a", "lens": "progamming"}),
            "INVALID_INPUT",
            "programming",
        ),
        (
            json!({"query": "a", "time_range": "fortnight"}),
            "INVALID_INPUT",
            "day, week, month, year",
        ),
    ];
    for (arguments, code, says) in cases {
        let result = client.call("web_search", arguments.clone()).await;
        let error: Value = serde_json::from_str(text_of(&result)).unwrap();
        let shown: String = arguments.to_string().chars().take(80).collect();
        assert_eq!(error["error"]["code"], code, "{shown}: {result}");
        assert!(
            error["error"]["message"].as_str().unwrap().contains(says),
            "{shown}: {result}"
        );
    }
    let fits = client
        .call("web_search", json!({"query": "語".repeat(400)}))
        .await;
    assert_eq!(fits["isError"], false, "limits count characters: {fits}");
    assert_eq!(lab.count("brave"), 1, "only the good one was sent");
}

#[tokio::test]
async fn pages_that_were_read_are_found_offline() {
    let folder = tempfile::tempdir().unwrap();
    let (data, notes) = (folder.path().join("data"), folder.path().join("notes"));
    std::fs::create_dir_all(notes.join("sub")).unwrap();
    std::fs::write(
        notes.join("ibex.md"),
        "# Ibex\n\nA wild goat of the mountains.",
    )
    .unwrap();
    std::fs::write(notes.join("sub/cheese.txt"), "Cheese is made of milk.").unwrap();
    std::fs::write(notes.join(".hidden"), "ibex secret").unwrap();
    let (data, notes) = (data.to_str().unwrap(), notes.to_str().unwrap());
    let index = program()
        .args(["index", notes, "--data-dir", data])
        .output()
        .await
        .unwrap();
    assert!(
        String::from_utf8(index.stderr)
            .unwrap()
            .contains("2 indexed, 0 failed; the index holds 2")
    );
    let search = program()
        .args(["search", "ibex", "--provider", "local", "--data-dir", data])
        .output()
        .await
        .unwrap();
    let shown = String::from_utf8(search.stdout).unwrap();
    assert!(
        shown.contains("1. Ibex") && shown.contains("/ibex.md") && !shown.contains("secret"),
        "{shown}"
    );
    let mut client = Client::spawn(&["--data-dir", data]);
    client.initialize("2025-11-25").await;
    let found = client
        .call(
            "web_search",
            json!({"query": "cheese", "provider": "local"}),
        )
        .await;
    assert_eq!(found["structuredContent"]["resultCount"], 1, "{found}");
}

#[tokio::test]
async fn a_sitemap_is_indexed_page_by_page() {
    let (web, folder) = (testkit::Web::start().await, tempfile::tempdir().unwrap());
    let map = |inner: &str| {
        testkit::Reply::new(200, format!("<urlset>{inner}</urlset>"))
            .header("Content-Type", "application/xml")
    };
    web.on(
        "/sitemap.xml",
        map(&format!(
            "<url><loc>{}</loc></url><url><loc>{}</loc></url>",
            web.url("/more.xml"),
            web.url("/gone")
        )),
    );
    web.on(
        "/more.xml",
        map(&format!(
            "<url><loc> {} </loc></url>",
            web.url("/ibex?a=1&amp;b=2")
        )),
    );
    web.on("/ibex", testkit::Behavior::html(200, "<title>Ibex</title><h1>Ibex</h1><p>A wild goat of the mountains of Europe and Asia.</p>"));
    web.on("/gone", testkit::Behavior::status(404));
    let (data, allow) = (
        folder.path().to_str().unwrap(),
        format!("127.0.0.1:{}", web.port()),
    );
    let shared = [
        "--data-dir",
        data,
        "--allow-private",
        &allow,
        "--browser",
        "never",
    ];
    let index = program()
        .args(["index", &web.url("/sitemap.xml")])
        .args(shared)
        .output()
        .await
        .unwrap();
    let stderr = String::from_utf8(index.stderr).unwrap();
    assert!(
        stderr.contains("1 indexed, 1 failed; the index holds 1")
            && stderr.contains("/gone: Not found"),
        "{stderr}"
    );
    assert_eq!(web.seen_on("/ibex")[0].target.as_str(), "/ibex?a=1&b=2");
    let nothing = program()
        .args(["index", &web.url("/gone"), "--ephemeral"])
        .output()
        .await
        .unwrap();
    assert_eq!(
        nothing.status.code(),
        Some(2),
        "an index that is not kept is a mistake"
    );
}

#[tokio::test]
async fn the_doctor_says_what_is_missing_and_what_fails() {
    let lab = lab().await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let mut command = program();
    command
        .arg("doctor")
        .args(flags(&lab, &["brave", "wikipedia"]));
    let output = command.output().await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{shown}");
    let line = |name: &str| {
        shown
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("no {name} in {shown}"))
            .to_owned()
    };
    assert!(
        line("brave").contains("fails") && line("brave").contains("key"),
        "{shown}"
    );
    assert!(
        line("wikipedia").contains("ok") && line("duckduckgo").contains("off"),
        "{shown}"
    );
    let offline = program()
        .args(["doctor", "--offline", "--json"])
        .output()
        .await
        .unwrap();
    let rows: Vec<Value> = String::from_utf8(offline.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(row("exa")["state"], "not set up");
    assert!(
        row("exa")["advice"]
            .as_str()
            .unwrap()
            .contains("EXA_API_KEY")
    );
    assert_eq!(row("tavily")["state"], "set up");
    assert!(
        row("google")["advice"]
            .as_str()
            .unwrap()
            .contains("2027-01-01")
    );
}

#[tokio::test]
async fn keys_are_read_under_the_names_that_people_already_have() {
    let keys = [
        ("GITHUB_TOKEN", "github"),
        ("NCBI_API_KEY", "pubmed"),
        ("SEMANTIC_SCHOLAR_API_KEY", "semanticscholar"),
        ("BRAVE_API_KEY", "brave"),
        ("CORE_API_KEY", "core"),
    ];
    let mut command = program();
    command.args(["doctor", "--offline", "--ephemeral"]);
    for (variable, _) in keys {
        command.env(variable, "k3y-0f-s0me-0ne");
    }
    command
        .env("GOOGLE_API_KEY", "k3y-0f-s0me-0ne")
        .env("GOOGLE_CSE_ID", "017:abc")
        .env("SEARXNG_URL", "http://127.0.0.1:8888")
        .env("FINGERPOST_BRAVE_API_KEY", "k3y-0f-0ur-0wn");
    let output = command.output().await.unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for (variable, id) in keys {
        let origin = match variable {
            "BRAVE_API_KEY" => "FINGERPOST_BRAVE_API_KEY",
            other => other,
        };
        assert!(
            words.contains(&format!("Key from {origin}.")),
            "{id}: {shown}"
        );
    }
    for id in ["google", "searxng"] {
        let line = shown.lines().find(|line| line.starts_with(id)).unwrap();
        assert!(
            line.contains("set up") && !line.contains("not set up"),
            "{shown}"
        );
    }
    assert!(!shown.contains("k3y-0f"), "{shown}");

    let wrong = program()
        .args(["doctor", "--offline"])
        .env("SEARXNG_URL", "not an address")
        .output()
        .await
        .unwrap();
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(0), "another program's: {told}");
    assert!(
        told.contains("ignored SEARXNG_URL: \"not an address\""),
        "{told}"
    );
    assert!(!told.contains("FINGERPOST_SEARXNG_URL"), "{told}");
}

#[tokio::test]
async fn a_refused_key_is_named_as_the_operator_gave_it() {
    let lab = lab().await;
    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let mut without_key = flags(&lab, &["brave"]);
    without_key.retain(|flag| !flag.starts_with("--brave-api-key="));
    for name in ["BRAVE_API_KEY", "FINGERPOST_BRAVE_API_KEY"] {
        let mut command = program();
        command
            .args(["search", "sodium", "--provider", "brave"])
            .args(&without_key)
            .env(name, "k3y-0f-s0me-0ne");
        let output = command.output().await.unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        let words: Vec<&str> = told.split_whitespace().collect();
        let named = words
            .iter()
            .any(|word| word.trim_matches(['.', ';']) == name);
        assert!(named, "{name}: {told}");
    }
}

#[tokio::test]
async fn a_check_of_a_provider_says_what_its_answer_confirms_or_breaks() {
    let lab = lab().await;
    let check = |id: &'static str| {
        let mut command = program();
        command.args(["provider", "check", id, "--query", "sodium"]);
        command.args(flags(&lab, &["brave", "arxiv", "wikipedia"]));
        async move {
            let output = command.output().await.unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            (
                output.status.code(),
                text(output.stdout),
                text(output.stderr),
            )
        }
    };
    let (code, shown, _) = check("brave").await;
    assert_eq!(code, Some(0), "{shown}");
    for words in [
        "key from --brave-api-key",
        "Sent      GET http://127.0.0.1",
        "x-subscription-token: [hidden]",
        "Received  HTTP 200, application/json",
        "].title  text",
        "Read      ",
        "Confirmed the key is accepted",
        "Confirmed a success has the form that is expected",
        "Not seen  a refusal has its code at /error/code",
    ] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let (code, shown, _) = check("arxiv").await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("outermost element feed"), "{shown}");
    assert!(shown.contains("without a key"), "{shown}");

    lab.fault(OrderedFault::new("brave", FaultMode::BadKey));
    let (code, shown, _) = check("brave").await;
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("Broken    the key is accepted: "), "{shown}");
    assert!(
        shown.contains("Confirmed a refusal has its code at"),
        "{shown}"
    );
    lab.fault(OrderedFault::new("wikipedia", FaultMode::WrongShape));
    let (code, shown, _) = check("wikipedia").await;
    assert_eq!(code, Some(1), "{shown}");
    assert!(
        shown.contains("Broken    a success has the form that is expected"),
        "{shown}"
    );

    let (code, _, told) = check("brav").await;
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("did you mean brave?"), "{told}");
    let (code, _, told) = check("tavily").await;
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("turned off"), "{told}");
}

#[tokio::test]
async fn the_query_of_a_check_finds_something_at_every_provider() {
    let lab = lab().await;
    let providers = engine::search::providers();
    let ids: Vec<&str> = providers.iter().map(|it| it.spec().id()).collect();
    let mut without_results = Vec::new();
    for id in &ids {
        let mut command = program();
        command.args(["provider", "check", id, "--json"]);
        let output = command.args(flags(&lab, &ids)).output().await.unwrap();
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let read = shown["read"].as_str().unwrap_or("0 ").to_owned();
        if read.starts_with("0 ") {
            without_results.push(format!("{id}: {shown} {output:?}"));
        }
    }
    assert!(without_results.is_empty(), "{}", without_results.join("\n"));
}

#[tokio::test]
async fn without_a_network_the_doctor_says_so_once() {
    // It knows no name, as a resolver without a network.
    let dns = testkit::Dns::start().await;
    let output = program()
        .args(["doctor", "--ephemeral", "--dns", &dns.address().to_string()])
        .output()
        .await
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{shown}");
    let network = shown.matches("no name can be resolved").count();
    assert_eq!(network, 1, "{shown}");
    assert_eq!(shown.matches(" fails ").count(), 1, "{shown}");
    assert!(
        shown.contains("not reached") && !shown.contains("spelling"),
        "{shown}"
    );
    let is_narrow = |line: &str| line.chars().count() <= 80 || line.contains("https://");
    assert!(shown.lines().all(is_narrow), "{shown}");
}

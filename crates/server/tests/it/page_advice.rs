//! What a failure to read a page says: each cause in its own words, with advice that can be
//! followed, and one entry for each page of a call that reads several.

use serde_json::{Value, json};
use testkit::{Answer, Behavior, Dns, Reply, Web};

use crate::cases::{machine, name_of};
use crate::client::Client;

const ARTICLE: &str = "<html><head><title>A title</title></head><body><article><h1>A title</h1>\
    <p>Plain words that make a paragraph long enough to count as one. Plain words that make a paragraph long enough.</p>\
    <p>Plain words that make a paragraph long enough to count as one. Plain words that make a paragraph long enough.</p>\
    </article></body></html>";

async fn server(arguments: &[&str]) -> Client {
    let common = ["--ephemeral", "--deadline", "5", "--browser", "never"];
    let mut client = Client::spawn(&[&common, arguments].concat());
    client.initialize("2025-11-25").await;
    client
}

async fn reader(web: &Web, more: &[&str]) -> Client {
    let allow = format!("127.0.0.1:{}", web.port());
    server(&[&["--allow-private", &allow], more].concat()).await
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The sentence of a reply in the `dual` dialect.
fn sentence_of(result: &Value) -> &str {
    text_of(result).split_once("\n\n").unwrap().0
}

/// The whole object of a reply in the `dual` dialect, which its structured content repeats.
fn object_of(result: &Value) -> Value {
    let object = text_of(result).split_once("\n\n").unwrap().1;
    let object: Value = serde_json::from_str(object).unwrap();
    assert_eq!(object, result["structuredContent"], "the two forms agree");
    object
}

/// A web whose `/search` answers as SearXNG does, with these paths as results.
async fn with_results(paths: &[&str]) -> Web {
    let web = Web::start().await;
    let result = |path: &&str| json!({"url": web.url(path), "title": format!("About {path}"), "content": "A snippet.", "engines": ["a"]});
    let results: Vec<Value> = paths.iter().map(result).collect();
    web.on(
        "/search",
        Behavior::json(
            200,
            &json!({"results": results, "suggestions": [], "unresponsive_engines": []}),
        ),
    );
    web
}

async fn searcher(web: &Web) -> Client {
    reader(web, &["--searxng-url", &web.url("/")]).await
}

#[tokio::test]
async fn a_search_whose_pages_all_fail_keeps_its_results_and_tells_each_failure() {
    let web = with_results(&["/gone", "/broken", "/third"]).await;
    web.on("/gone", Behavior::status(404))
        .on("/broken", Behavior::status(500))
        .on("/third", Behavior::html(200, ARTICLE));
    let mut client = searcher(&web).await;
    let result = client
        .call(
            "search_and_scrape",
            json!({"query": "words", "provider": "searxng", "max_pages": 2}),
        )
        .await;
    assert_eq!(result["isError"], true, "{result}");
    let object = object_of(&result);
    assert_eq!(object["status"], "failed");
    assert_eq!(object["untrusted"], fault::UNTRUSTED_TEXTS, "{object}");
    let failures = object["scrapeFailures"].as_array().unwrap();
    assert_eq!(failures.len(), 2, "{object}");
    assert_eq!(failures[0]["url"], web.url("/gone"));
    assert_eq!(failures[0]["snippet"], "A snippet.");
    assert_eq!(name_of(&failures[0]["error"]), "not_found/http_404");
    assert_eq!(failures[0]["error"]["retryable"], false);
    assert_eq!(
        name_of(&failures[1]["error"]),
        "upstream_unavailable/http_status"
    );
    assert_eq!(failures[1]["error"]["retryable"], true);
    assert!(
        failures[1]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("500")
    );
    let others = object["otherResults"].as_array().unwrap();
    assert_eq!(others[0]["url"], web.url("/third"));
    let error = &object["error"];
    assert_eq!(
        error["retryable"], true,
        "one of the pages may come: {error}"
    );
    assert!(sentence_of(&result).starts_with("None of the 2 pages could be read. "));
    // The first suggestion works at once; the same call is listed with its wait.
    let next = &error["nextCalls"][0];
    let read = client
        .call(next["tool"].as_str().unwrap(), next["arguments"].clone())
        .await;
    assert_eq!(read["isError"], false, "{read}");
    assert_eq!(
        error["nextCalls"][1]["afterSeconds"],
        error["retryAfterSeconds"]
    );
}

#[tokio::test]
async fn the_wait_of_each_page_is_told_with_the_page() {
    let web = Web::start().await;
    web.on("/busy", Reply::new(429, "").header("Retry-After", "40"))
        .on("/down", Reply::new(503, "").header("Retry-After", "20"));
    let urls = json!({"urls": [web.url("/busy"), web.url("/down")]});
    let told = "Page 2 may be read again in 20 seconds, page 1 in 40 seconds.";
    for dialect in ["dual", "code", "agent"] {
        let flags = ["--toolset", "web", "--dialect", dialect];
        let mut client = reader(&web, &flags).await;
        let result = client.call("fetch_content", urls.clone()).await;
        assert!(text_of(&result).contains(told), "{dialect}: {result}");
        if dialect == "dual" {
            let object = object_of(&result);
            assert_eq!(object["error"]["retryAfterSeconds"], 20, "{object}");
            assert_eq!(
                name_of(&object["error"]),
                "upstream_unavailable/http_status"
            );
        }
    }
}

#[tokio::test]
async fn a_search_with_some_pages_read_lists_the_others_with_their_faults() {
    let web = with_results(&["/gone", "/page"]).await;
    web.on("/gone", Behavior::status(404))
        .on("/page", Behavior::html(200, ARTICLE));
    let mut client = searcher(&web).await;
    let result = client
        .call(
            "search_and_scrape",
            json!({"query": "words", "provider": "searxng", "max_pages": 2}),
        )
        .await;
    let text = text_of(&result);
    assert!(
        text.starts_with("Status: partial (1 of 2 pages read"),
        "{text}"
    );
    let not_read = format!("\nNot read: {}: ", web.url("/gone"));
    assert!(text.contains(&not_read) && !text.contains("\n{"), "{text}");
    let summary = &result["_meta"];
    assert_eq!(summary["sources"][0]["url"], web.url("/page"));
    let failure = &summary["scrapeFailures"][0];
    assert_eq!(failure["url"], web.url("/gone"));
    assert_eq!(name_of(&failure["error"]), "not_found/http_404");
    assert!(
        failure["error"]["message"].as_str().unwrap().len() > 10,
        "{failure}"
    );
}

#[tokio::test]
async fn several_addresses_that_all_fail_have_an_entry_each() {
    let web = Web::start().await;
    web.on("/gone", Behavior::status(404))
        .on("/secret", Behavior::status(403));
    let urls = json!({"urls": [web.url("/gone"), web.url("/secret"), "http://10.0.0.1/"]});
    let mut client = reader(&web, &["--toolset", "web", "--dialect", "dual"]).await;
    let result = client.call("fetch_content", urls.clone()).await;
    assert_eq!(result["isError"], true);
    let object = object_of(&result);
    assert_eq!(object["status"], "failed");
    let names: Vec<String> = object["scrapeFailures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| name_of(&entry["error"]))
        .collect();
    assert_eq!(
        names,
        [
            "not_found/http_404",
            "blocked/http_403",
            "validation/policy_private_address"
        ]
    );
    assert_eq!(object["error"]["retryable"], false);
    assert!(!text_of(&result).contains("Tried ("), "{result}");

    let mut client = reader(&web, &["--toolset", "web"]).await;
    let result = client.call("fetch_content", urls).await;
    let code: Value = serde_json::from_str(text_of(&result)).unwrap();
    let message = code["error"]["message"].as_str().unwrap();
    assert_eq!(code["error"].as_object().unwrap().len(), 2, "{code}");
    for page in ["None of the 3 pages", "Page 1: ", "Page 2: ", "Page 3: "] {
        assert!(message.contains(page), "{page}: {message}");
    }
}

#[tokio::test]
async fn only_the_addresses_that_may_be_read_later_are_asked_for_again() {
    let web = Web::start().await;
    let asks = |status, seconds| {
        Behavior::Reply(Reply::html(status, "Later.").header("Retry-After", seconds))
    };
    web.on("/gone", Behavior::status(404))
        .on("/limited", asks(429, 40))
        .on("/slow", asks(503, 90))
        .on("/down", asks(503, 7_200));
    let urls = ["/gone", "/limited", "/slow", "/down"].map(|path| web.url(path));
    let mut client = reader(&web, &["--toolset", "web", "--dialect", "dual"]).await;
    let result = client
        .call(
            "fetch_content",
            json!({"url": urls[0], "urls": urls[1..], "mode": "full"}),
        )
        .await;
    assert_eq!(
        machine(&result)["nextCalls"],
        json!([
            {"tool": "fetch_content", "arguments": {"url": web.url("/limited")}, "afterSeconds": 40},
            {"tool": "fetch_content", "arguments": {"url": web.url("/slow")}, "afterSeconds": 90},
        ])
    );
}

#[tokio::test]
async fn an_address_that_is_none_has_an_entry_and_the_others_are_read() {
    let web = Web::start().await;
    web.on("/article", Behavior::ok(ARTICLE));
    let mut client = reader(&web, &["--toolset", "web"]).await;
    let urls = json!({"urls": [web.url("/article"), "https://exa mple.com/", "not a url"]});
    let result = client.call("fetch_content", urls).await;
    let text = text_of(&result);
    assert!(text.contains("1 of 3 pages read"), "{text}");
    assert!(text.contains("# A title"), "{text}");
    assert!(
        text.contains("--- page 2 of 3: https://exa mple.com/"),
        "{text}"
    );
    assert_eq!(
        text.matches("CONTENT_FETCH_INVALID_URL").count(),
        2,
        "{text}"
    );
}

#[tokio::test]
async fn a_damaged_document_is_not_said_to_be_of_an_unreadable_type() {
    let web = Web::start().await;
    let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let damaged = [b"PK\x03\x04".as_slice(), &[0, 1, 2, 0xff].repeat(200)].concat();
    web.on(
        "/report.docx",
        Behavior::Reply(Reply::typed(200, docx, damaged)),
    );
    let mut client = reader(&web, &[]).await;
    let result = client
        .call("scrape_page", json!({"url": web.url("/report.docx")}))
        .await;
    assert_eq!(machine(&result)["reason"], "broken_document", "{result}");
}

#[tokio::test]
async fn a_short_key_and_a_search_engine_id_change_no_words_of_a_reply() {
    let mut client = server(&[
        "--brave-api-key",
        "k",
        "--google-cx",
        "page",
        "--tavily-api-key",
        "kind",
    ])
    .await;
    let result = client
        .call("scrape_page", json!({"url": "http://10.0.0.1/"}))
        .await;
    assert_eq!(
        name_of(&machine(&result)),
        "validation/policy_private_address"
    );
    assert!(!text_of(&result).contains("***"), "{result}");
}

#[tokio::test]
async fn only_what_an_operator_could_open_is_said_to_be_openable() {
    let mut client = server(&[]).await;
    for (url, opens, words) in [
        (
            "http://169.254.169.254/latest/meta-data/",
            false,
            "link-local",
        ),
        ("http://metadata.google.internal/", false, "cloud metadata"),
        ("http://168.63.129.16/", false, "cloud platform"),
        ("http://abcdefghij.onion/", false, "Tor"),
        ("http://192.0.2.1/", false, "documentation"),
        ("http://10.0.0.1/", true, "private network"),
        ("http://localhost:8080/", true, "this machine"),
        ("http://wiki/", true, "without a dot"),
    ] {
        let result = client.call("scrape_page", json!({"url": url})).await;
        let sentence = sentence_of(&result);
        assert_eq!(
            name_of(&machine(&result)),
            "validation/policy_private_address",
            "{url}"
        );
        assert_eq!(sentence.contains("operator"), opens, "{url}: {sentence}");
        assert!(sentence.contains(words), "{url}: {sentence}");
        assert!(sentence.contains("Do not retry"), "{url}: {sentence}");
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_used_says_what_is_wrong_with_it() {
    let mut client = server(&[]).await;
    for (url, words, advice) in [
        ("http://example.com:25/", "the port", "usual ports"),
        (
            "http://me:pw@example.com/",
            "user name or password",
            "without them",
        ),
        ("https:///path", "no usable host name", "check the spelling"),
    ] {
        let result = client.call("scrape_page", json!({"url": url})).await;
        let sentence = sentence_of(&result);
        assert_eq!(
            name_of(&machine(&result)),
            "validation/invalid_url",
            "{url}"
        );
        assert!(
            sentence.contains(words) && sentence.contains(advice),
            "{url}: {sentence}"
        );
    }
}

#[tokio::test]
async fn a_refused_redirect_is_not_blamed_on_the_address_that_was_given() {
    let web = Web::start().await;
    for (path, to) in [
        ("/inward", "http://10.1.2.3/"),
        ("/mail", "http://example.com:25/"),
        ("/file", "file:///etc/passwd"),
    ] {
        web.on(path, Behavior::redirect(302, to));
    }
    let mut client = reader(&web, &[]).await;
    for path in ["/inward", "/mail", "/file"] {
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
        let sentence = sentence_of(&result);
        assert!(sentence.contains("redirect"), "{path}: {sentence}");
        assert!(
            sentence.contains("use another source"),
            "{path}: {sentence}"
        );
        assert!(
            !sentence.contains("operator") && !sentence.contains("Give"),
            "{path}: {sentence}"
        );
    }
}

#[tokio::test]
async fn broken_answers_and_endless_redirects_are_told_apart() {
    let web = Web::start().await;
    web.on("/loop", Behavior::redirect(302, "/loop"));
    for hop in 0..8 {
        web.on(
            &format!("/hop{hop}"),
            Behavior::redirect(302, &format!("/hop{}", hop + 1)),
        );
    }
    web.on("/head", Behavior::HugeHeaders { bytes: 200_000 });
    let mut client = reader(&web, &[]).await;
    for (path, words) in [
        ("/loop", "(stopped after 1 redirect)"),
        ("/hop0", "(stopped after 5 redirects)"),
        ("/head", "the head of the answer is too large"),
    ] {
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
        let sentence = sentence_of(&result);
        assert!(sentence.contains(words), "{path}: {sentence}");
        assert!(sentence.contains("Do not retry"), "{path}: {sentence}");
    }
}

#[tokio::test]
async fn each_mistake_in_a_path_has_its_own_words() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    std::fs::create_dir(root.join("reports")).unwrap();
    let path = |name: &str| root.join(name).display().to_string();
    let mut client = server(&["--toolset", "web", "--allow-path", &path("")]).await;
    for (path, words) in [
        (path("missing.txt"), "does not name a file that exists"),
        (path("reports"), "names a directory"),
        ("/etc/hostname".to_owned(), "outside the directories"),
    ] {
        let result = client.call("convert_content", json!({"path": path})).await;
        assert!(text_of(&result).contains(words), "{path}: {result}");
    }
    let mut closed = server(&["--toolset", "web"]).await;
    let result = closed
        .call("convert_content", json!({"path": "/etc/hostname"}))
        .await;
    assert!(text_of(&result).contains("--allow-path"), "{result}");
}

#[tokio::test]
async fn a_wait_of_hours_is_advice_to_use_another_source() {
    let web = Web::start().await;
    let busy = |status| Reply::new(status, "").header("Retry-After", "7200");
    web.on("/429", Behavior::Reply(busy(429)))
        .on("/503", Behavior::Reply(busy(503)));
    let mut client = reader(&web, &[]).await;
    for path in ["/429", "/503"] {
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
        let (sentence, error) = (sentence_of(&result), machine(&result));
        assert!(
            sentence.contains("se another source") && sentence.contains("120 minutes"),
            "{path}: {sentence}"
        );
        assert_eq!(error["retryAfterSeconds"], 7200, "{error}");
        assert_eq!(error["suggestedAction"], "inform_user", "{error}");
        assert_eq!(web.hits(path), 1, "{path}");
    }
}

#[tokio::test]
async fn the_operators_domain_lists_hold_for_addresses_and_redirects() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    for name in [
        "open.example",
        "docs.open.example",
        "shut.open.example",
        "other.example",
    ] {
        dns.on(name, Answer::ip("127.0.0.1"));
    }
    let at = |host: &str, path: &str| format!("http://{host}:{}{path}", web.port());
    web.on("/page", Behavior::html(200, ARTICLE)).on(
        "/away",
        Behavior::redirect(302, &at("other.example", "/page")),
    );
    let dns_address = dns.address().to_string();
    let allow = format!("127.0.0.1/32:{}", web.port());
    let mut client = server(&[
        "--toolset",
        "research,web",
        "--dns",
        &dns_address,
        "--allow-private",
        &allow,
        "--allow-domain",
        "open.example",
        "--deny-domain",
        "shut.open.example",
    ])
    .await;
    for host in ["open.example", "docs.open.example"] {
        let read = client
            .call("scrape_page", json!({"url": at(host, "/page")}))
            .await;
        assert_eq!(read["isError"], false, "{host}: {read}");
    }
    let hits = web.hits("/page");
    for (tool, url) in [
        ("scrape_page", at("shut.open.example", "/page")),
        ("scrape_page", at("other.example", "/page")),
        ("scrape_page", at("open.example", "/away")),
        ("convert_content", at("other.example", "/page")),
    ] {
        let result = client.call(tool, json!({"url": url})).await;
        assert_eq!(result["isError"], true, "{url}: {result}");
        assert!(
            text_of(&result).contains("the operator does not allow"),
            "{url}: {result}"
        );
        if tool == "scrape_page" {
            let error = machine(&result);
            assert_eq!(name_of(&error), "validation/policy_domain", "{url}");
            assert_eq!(error["retryable"], false);
        }
    }
    assert_eq!(web.hits("/page"), hits, "no request was sent");
}

fn long_text() -> Behavior {
    let whole: String = (0..400).map(|line| format!("Line {line}.\n")).collect();
    Reply::new(200, whole)
        .header("Content-Type", "text/plain")
        .into()
}

#[tokio::test]
async fn a_page_that_is_cut_says_so_to_programs_and_is_stored_as_a_whole() {
    let web = Web::start().await;
    web.on("/long", long_text())
        .on("/short", Behavior::html(200, ARTICLE));
    let mut client = reader(&web, &["--toolset", "research,web"]).await;
    for tool in ["scrape_page", "fetch_content"] {
        let cut = client
            .call(tool, json!({"url": web.url("/long"), "max_chars": 1000}))
            .await;
        let meta = &cut["_meta"];
        assert_eq!(
            (&meta["truncated"], &meta["cursor"]),
            (&json!(true), &json!(1000)),
            "{tool}: {meta}"
        );
        let id = meta["responseId"].as_str().unwrap();
        assert!(
            text_of(&cut).contains(&format!("Response id: {id}")),
            "{cut}"
        );
        let rest = client
            .call(
                "get_search_content",
                json!({"responseId": id, "cursor": 1000, "max_chars": 100_000}),
            )
            .await;
        assert!(text_of(&rest).contains("Line 399."), "{rest}");
        assert_eq!(rest["_meta"]["truncated"], false);

        let whole = client.call(tool, json!({"url": web.url("/short")})).await;
        assert_eq!(whole["_meta"]["truncated"], false, "{tool}");
        // What has nothing to read on is stored for fetch_content only, as its callers expect.
        assert_eq!(
            text_of(&whole).contains("Response id"),
            tool == "fetch_content",
            "{whole}"
        );
    }
    let several = client
        .call(
            "fetch_content",
            json!({"urls": [web.url("/long"), web.url("/short")], "max_chars": 400}),
        )
        .await;
    assert_eq!(several["_meta"]["truncated"], true);
}

#[tokio::test]
async fn a_short_page_is_content_and_only_one_without_text_is_empty() {
    let web = Web::start().await;
    let plain = |text: &str| Reply::new(200, text).header("Content-Type", "text/plain");
    web.on("/ok", plain("OK"))
        .on("/status", Behavior::json(200, &json!({"status": "up"})))
        .on(
            "/hours",
            Behavior::html(
                200,
                "<html><head><title>Hours</title></head><body><h1>Hours</h1><p>We open at nine.</p></body></html>",
            ),
        )
        .on("/sodium-ion-batteries", plain(" \n\t"))
        .on(
            "/empty",
            Behavior::html(200, "<html><head><title>Hours</title></head><body></body></html>"),
        );
    for browser in [
        &["--browser", "never"][..],
        &["--browser", "auto", "--chrome-path", "/no/such/browser"],
    ] {
        let mut client = reader(&web, browser).await;
        for (path, words) in [
            ("/ok", "OK"),
            ("/status", "\"up\""),
            ("/hours", "We open at nine."),
        ] {
            let result = client
                .call("scrape_page", json!({"url": web.url(path)}))
                .await;
            assert_eq!(result["isError"], false, "{path}: {result}");
            assert!(text_of(&result).contains(words), "{path}: {result}");
        }
        for (path, search) in [
            ("/sodium-ion-batteries", Some("sodium ion batteries")),
            ("/empty", None),
        ] {
            let result = client
                .call("scrape_page", json!({"url": web.url(path)}))
                .await;
            let error = machine(&result);
            assert_eq!(name_of(&error), "content_empty/empty", "{path}");
            assert_eq!(
                (&error["retryable"], &error["suggestedAction"]),
                (&json!(false), &json!("inform_user")),
                "an empty page is empty again: {result}"
            );
            assert!(
                text_of(&result).contains("Do not retry; use another source."),
                "{result}"
            );
            assert_eq!(
                error["nextCalls"][0]["arguments"]["query"].as_str(),
                search,
                "{result}"
            );
            assert!(
                !text_of(&result).contains("no provider"),
                "tiers are no providers: {result}"
            );
        }
    }
}

#[tokio::test]
async fn a_page_that_needs_scripts_is_not_worth_a_retry_without_a_browser() {
    let web = Web::start().await;
    web.on(
        "/app",
        Behavior::html(
            200,
            "<!doctype html><html><head><title>App</title><script defer src=\"/main.js\"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=\"root\"></div></body></html>",
        ),
    );
    for browser in [
        &["--browser", "never"][..],
        &["--browser", "auto", "--chrome-path", "/no/such/browser"],
    ] {
        let mut client = reader(&web, browser).await;
        let arguments = json!({"url": web.url("/app")});
        let result = client.call("scrape_page", arguments.clone()).await;
        let error = machine(&result);
        assert_eq!(error["retryable"], false, "{error}");
        assert_eq!(error["suggestedAction"], "inform_user", "{error}");
        assert!(sentence_of(&result).contains("Do not retry"), "{result}");
        assert!(!text_of(&result).contains("no provider"), "{result}");
        let calls = error["nextCalls"].as_array().cloned().unwrap_or_default();
        assert!(
            calls.iter().all(|call| call["arguments"] != arguments),
            "the same call is not listed: {error}"
        );
    }
}

#[tokio::test]
async fn a_document_without_text_is_told_once_and_for_all() {
    let web = Web::start().await;
    for (path, media_type, bytes) in [
        (
            "/empty.pdf",
            "application/pdf",
            testkit::documents::pdf(&[""]),
        ),
        (
            "/empty.docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            testkit::documents::docx("<w:p></w:p>"),
        ),
    ] {
        let reply = Reply::new(200, bytes).header("Content-Type", media_type);
        web.on(path, Behavior::Reply(reply));
        let mut client = reader(&web, &[]).await;
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
        let (sentence, error) = (sentence_of(&result), machine(&result));
        assert_eq!(error["kind"], "content_empty", "{path}: {result}");
        assert_eq!(error["retryable"], false, "{path}: {result}");
        assert!(error.get("retryAfterSeconds").is_none(), "{path}: {error}");
        assert!(sentence.contains("Do not retry"), "{path}: {sentence}");
    }
}

#[tokio::test]
async fn other_dialects_say_whose_failure_it_is_and_how_long_to_wait() {
    let web = Web::start().await;
    let busy = |status| Reply::html(status, "Later.").header("Retry-After", "90");
    web.on("/limited", Behavior::Reply(busy(429)))
        .on("/down", Behavior::Reply(busy(503)));
    let allow = format!("127.0.0.1:{}", web.port());
    for (dialect, path, words) in [
        (
            "agent",
            "/limited",
            vec!["Server Error (429)", "90 seconds"],
        ),
        (
            "flat",
            "/down",
            vec!["API request failed: 503", "Wait 90 seconds", "127.0.0.1"],
        ),
    ] {
        let args = ["--ephemeral", "--browser", "never", "--dialect", dialect];
        let mut client = Client::spawn(&[&args[..], &["--allow-private", &allow]].concat());
        client.initialize("2025-11-25").await;
        let page = json!({"url": web.url(path)});
        let failed = client.call("scrape_page", page).await;
        let text = failed["content"][0]["text"].as_str().unwrap();
        for word in words {
            assert!(text.contains(word), "{word} in {text}");
        }
    }
}

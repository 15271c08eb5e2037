//! Documents, files, paywalls and browsers as an agent sees them: the real program, a web server on
//! loopback, a real Chromium.

use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};

use crate::cases::machine;
use crate::client::{Client, page_body, program};

const PDF: &[u8] = include_bytes!("../../../testkit/fixtures/simple.pdf");

async fn server(web: &Web, more: &[&str]) -> Client {
    let allow = format!("127.0.0.1:{}", web.port());
    let mut client = Client::spawn(
        &[
            &["--ephemeral", "--deadline", "20", "--allow-private", &allow],
            more,
        ]
        .concat(),
    );
    client.initialize("2025-11-25").await;
    client
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

fn file(media_type: &str, bytes: impl Into<Vec<u8>>) -> Behavior {
    Reply::new(200, bytes)
        .header("Content-Type", media_type)
        .into()
}

const APP: &str = "<!doctype html><html lang=en><head><title>App</title></head><body><noscript>Please enable JavaScript.</noscript><div id=root></div>\
    <script>document.getElementById('root').innerHTML = '<article><h1>Made by script</h1><p>' + 'Words that only a browser shows. '.repeat(30) + '</p></article>'</script></body></html>";

#[tokio::test]
async fn documents_are_read_by_every_reading_tool() {
    let web = Web::start().await;
    web.on("/a.pdf", file("application/pdf", PDF))
        .on("/download", file("application/octet-stream", PDF));
    web.on("/table.csv", file("text/csv", "name,age\nAda,36\n"));
    web.on("/feed", file("application/rss+xml", "<rss version='2.0'><channel><title>News</title><item><title>One</title><link>https://a.example/1</link></item></channel></rss>"));
    let mut research = server(&web, &["--browser", "never"]).await;
    let mut tools = server(&web, &["--browser", "never", "--toolset", "web"]).await;
    for (path, wanted) in [
        ("/a.pdf", "page 1"),
        ("/download", "page 1"),
        ("/table.csv", "| Ada | 36 |"),
        ("/feed", "https://a.example/1"),
    ] {
        let url = json!({"url": web.url(path)});
        for result in [
            research.call("scrape_page", url.clone()).await,
            tools.call("fetch_content", url.clone()).await,
            tools.call("convert_content", url).await,
        ] {
            assert_eq!(result["isError"], false, "{path}: {result}");
            assert!(text_of(&result).contains(wanted), "{path}: {result}");
        }
    }
}

#[tokio::test]
async fn local_files_are_read_only_where_the_operator_opened_a_directory() {
    let web = Web::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (open, closed) = (folder.path().join("open"), folder.path().join("closed"));
    std::fs::create_dir_all(&open).unwrap();
    std::fs::create_dir_all(&closed).unwrap();
    std::fs::write(open.join("a.pdf"), PDF).unwrap();
    std::fs::write(closed.join("secret.txt"), "the secret").unwrap();
    std::os::unix::fs::symlink(closed.join("secret.txt"), open.join("link.txt")).unwrap();
    let code = |result: &Value| {
        serde_json::from_str::<Value>(text_of(result)).unwrap()["error"]["code"].clone()
    };

    let mut shut = server(&web, &["--toolset", "web"]).await;
    let refused = shut
        .call("convert_content", json!({"path": open.join("a.pdf")}))
        .await;
    assert_eq!(code(&refused), "INVALID_INPUT");
    assert!(text_of(&refused).contains("--allow-path"), "{refused}");

    let mut client = server(
        &web,
        &["--toolset", "web", "--allow-path", open.to_str().unwrap()],
    )
    .await;
    for path in [
        "a.pdf".to_owned(),
        open.join("a.pdf").display().to_string(),
        "./x/../a.pdf".to_owned(),
    ] {
        let read = client.call("convert_content", json!({"path": path})).await;
        assert!(
            text_of(&read).contains("untrusted external text") && text_of(&read).contains("page 1"),
            "{read}"
        );
    }
    let outside = [
        "../closed/secret.txt",
        "link.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "",
        "a.pdf/..",
        "missing.pdf",
        ".",
    ];
    for path in outside
        .map(str::to_owned)
        .into_iter()
        .chain([closed.join("secret.txt").display().to_string()])
    {
        let refused = client.call("convert_content", json!({"path": path})).await;
        assert_eq!(
            (&refused["isError"], code(&refused)),
            (&json!(true), json!("INVALID_INPUT")),
            "{path}: {refused}"
        );
        assert!(!refused.to_string().contains("the secret"), "{refused}");
    }
    let raw = client
        .call("convert_content", json!({"path": "a.pdf", "mode": "raw"}))
        .await;
    assert!(
        text_of(&raw).contains("Repeat the call without mode=raw"),
        "{raw}"
    );
    let nothing = client.call("convert_content", json!({})).await;
    assert_eq!(code(&nothing), "INVALID_INPUT");
    let both = json!({"path": "a.pdf", "url": "https://example.com/"});
    let read = client.call("convert_content", both).await;
    assert!(
        text_of(&read).contains("page 1"),
        "a path comes first: {read}"
    );
    let missing = client
        .call("convert_content", json!({"url": "ftp://example.com/a.pdf"}))
        .await;
    assert_eq!(code(&missing), "CONTENT_FETCH_INVALID_URL");
}

#[tokio::test]
async fn a_zip_that_inflates_to_gigabytes_is_refused_and_the_server_stays_up() {
    let web = Web::start().await;
    web.on(
        "/bomb.docx",
        file("application/octet-stream", testkit::documents::bomb(2_000)),
    );
    web.on("/ok", file("text/plain", "still here"));
    let mut client = server(&web, &["--browser", "never"]).await;
    let error = machine(
        &client
            .call("scrape_page", json!({"url": web.url("/bomb.docx")}))
            .await,
    );
    assert_eq!(
        (&error["kind"], &error["reason"]),
        (&json!("validation"), &json!("too_large")),
        "{error}"
    );
    assert!(
        text_of(
            &client
                .call("scrape_page", json!({"url": web.url("/ok")}))
                .await
        )
        .contains("still here")
    );
}

#[tokio::test]
async fn a_page_that_is_not_the_content_costs_one_request_and_says_why() {
    let web = Web::start().await;
    let login = "<title>Sign in</title><h1>Log in to continue</h1><form method=post><input type=email name=user><input type=password name=pass><button>Sign in</button></form>";
    web.on("/login", Behavior::html(200, login));
    let mut client = server(&web, &[]).await;
    let result = client
        .call("scrape_page", json!({"url": web.url("/login")}))
        .await;
    let error = machine(&result);
    assert_eq!(
        (&error["kind"], &error["reason"], &error["retryable"]),
        (&json!("auth_required"), &json!("login_wall"), &json!(false))
    );
    assert!(
        error["detail"]
            .as_str()
            .is_some_and(|facts| !facts.is_empty()),
        "the evidence is listed: {error}"
    );
    assert_eq!(web.hits("/login"), 1);
}

#[tokio::test]
async fn pages_that_only_mention_logins_and_paywalls_are_content() {
    let web = Web::start().await;
    let prose = "A captcha asks a visitor to prove that they are human. When a site answers 429 Too Many Requests, wait and try again later. \
                 Paywalls and login walls keep readers out, and a page that says access denied is not an article. ";
    let article = format!(
        "<title>How captchas and paywalls work</title><header><form action=/login><input type=password><button>Log in</button></form></header>\
        <article><h1>Why you see \"Just a moment...\"</h1><p>{}</p></article><script src=https://www.google.com/recaptcha/api.js></script>",
        prose.repeat(8)
    );
    web.on("/article", Behavior::html(200, article));
    web.on(
        "/entry",
        Behavior::html(200, "<title>Ibex</title><h1>Ibex</h1><p>A wild goat of the mountains of Europe, Asia and north-east Africa.</p>"),
    );
    web.on("/three", file("text/plain", "one\ntwo\nthree\n"));
    web.on(
        "/api",
        Behavior::json(200, &json!({"error": null, "limit": 429})),
    );
    let mut client = server(&web, &["--browser", "never"]).await;
    for path in ["/article", "/entry", "/three", "/api"] {
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
        assert_eq!(result["isError"], false, "{path}: {result}");
    }
}

#[tokio::test]
async fn metadata_is_sent_once_and_the_reply_is_hardly_longer_than_the_text() {
    let web = Web::start().await;
    let paragraph = "A paragraph of the article that says something in a sentence or two, so that it is long enough. ".repeat(3);
    let page = format!(
        "<html lang=de><head><title>Der Titel</title><meta name=description content='Wovon die Seite handelt'><meta name=author content='Ada L.'>\
         <link rel=canonical href=https://a.example/titel><meta property=og:site_name content='Die Seite'><meta property=article:published_time content=2026-03-04></head>\
         <body><article><h1>Der Titel</h1><p>{}</p></article></body></html>",
        paragraph.repeat(20)
    );
    web.on("/a", Behavior::html(200, page));
    let mut client = server(&web, &["--browser", "never"]).await;
    let result = client
        .call("scrape_page", json!({"url": web.url("/a")}))
        .await;
    let text = text_of(&result);
    for fact in [
        "Title: Der Titel",
        "Author: Ada L.",
        "Published: 2026-03-04",
        "Site: Die Seite",
        "Language: de",
        "Canonical: https://a.example/titel",
        "Description: Wovon die Seite handelt",
    ] {
        assert_eq!(text.matches(fact).count(), 1, "{fact}: {text}");
    }
    let body = text.split_once("\n\n").unwrap().1;
    assert!(
        result.to_string().len() * 10 <= body.len() * 12,
        "{} bytes for {} of text",
        result.to_string().len(),
        body.len()
    );
}

#[tokio::test]
async fn a_meta_refresh_is_followed_and_its_target_checked() {
    let web = Web::start().await;
    web.on(
        "/old",
        Behavior::html(200, "<html><head><meta http-equiv=\"refresh\" content=\"0; url=/new\"></head><body>Redirecting…</body></html>"),
    );
    web.on(
        "/new",
        Behavior::html(
            200,
            format!(
                "<title>New</title><h1>New place</h1><p>{}</p>",
                "Words of the page. ".repeat(20)
            ),
        ),
    );
    web.on(
        "/inward",
        Behavior::html(
            200,
            "<meta http-equiv=refresh content='0;url=http://10.0.0.1/'>Redirecting…",
        ),
    );
    let mut client = server(&web, &["--browser", "never"]).await;
    let result = client
        .call("scrape_page", json!({"url": web.url("/old")}))
        .await;
    assert!(text_of(&result).contains("# New place"), "{result}");
    let refused = machine(
        &client
            .call("scrape_page", json!({"url": web.url("/inward")}))
            .await,
    );
    assert_eq!(refused["reason"], "policy_private_address", "{refused}");
}

/// Each mistake, its case, and the advice that the sentence must contain.
#[tokio::test]
async fn bad_urls_and_unusual_responses_are_specific_faults() {
    let web = Web::start().await;
    web.on("/nowhere", Reply::new(302, ""))
        .on("/304", Behavior::status(304))
        .on("/204", Behavior::status(204));
    web.on("/around", Behavior::redirect(302, "/around"));
    web.on(
        "/html-as-pdf",
        file(
            "application/pdf",
            "<!doctype html><title>Report</title><p>Download the report here.</p>",
        ),
    );
    web.on(
        "/noise-as-html",
        file(
            "text/html",
            (0..4_000u32)
                .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
                .collect::<Vec<u8>>(),
        ),
    );
    web.on("/pdf-as-html", file("text/html", PDF));
    web.on(
        "/206",
        Reply::new(206, "the first part")
            .header("Content-Type", "text/plain")
            .header("Content-Range", "bytes 0-13/99"),
    );
    let mut client = server(&web, &["--browser", "never"]).await;
    let megabyte = format!("https://example.com/{}", "a".repeat(1_000_000));
    let cases: Vec<(String, &str, &str)> = vec![
        (
            "file:///etc/passwd".into(),
            "policy_scheme",
            "https://example.com",
        ),
        (
            "ftp://example.com/a".into(),
            "policy_scheme",
            "https://example.com",
        ),
        (
            "javascript:alert(1)".into(),
            "policy_scheme",
            "https://example.com",
        ),
        ("http://".into(), "invalid_url", "http"),
        ("https:///path".into(), "invalid_url", "http"),
        (megabyte, "invalid_argument", "8192"),
        (
            "https://user:hunter2hunter2@example.com/".into(),
            "invalid_url",
            "without them",
        ),
        (web.url("/around"), "redirect_loop", "retry"),
        (web.url("/nowhere"), "bad_shape", "retry"),
        (web.url("/304"), "bad_shape", "retry"),
        (web.url("/204"), "empty", "retry"),
        (web.url("/html-as-pdf"), "broken_document", "mode=raw"),
        (web.url("/noise-as-html"), "unsupported_type", "HTML"),
    ];
    for (url, reason, way_on) in cases {
        let result = client.call("scrape_page", json!({"url": url})).await;
        let short: String = url.chars().take(60).collect();
        assert_eq!(machine(&result)["reason"], reason, "{short}: {result}");
        assert!(
            text_of(&result)
                .to_lowercase()
                .contains(&way_on.to_lowercase()),
            "{short}: {result}"
        );
        assert!(!result.to_string().contains("hunter2"), "{short}");
    }
    let pdf = client
        .call("scrape_page", json!({"url": web.url("/pdf-as-html")}))
        .await;
    assert!(
        text_of(&pdf).contains("page 1")
            && text_of(&pdf).contains("Warning: The content is not of the declared type"),
        "{pdf}"
    );
    let part = client
        .call("scrape_page", json!({"url": web.url("/206")}))
        .await;
    assert!(
        text_of(&part).contains("the first part") && text_of(&part).contains("[truncated"),
        "{part}"
    );
}

#[tokio::test]
async fn fetch_and_convert_print_markdown_or_json() {
    let web = Web::start().await;
    web.on(
        "/a",
        Behavior::html(
            200,
            format!(
                "<title>A title</title><h1>A title</h1><p>{}</p>",
                "Words of a page. ".repeat(20)
            ),
        ),
    )
    .on("/b", Behavior::status(404));
    let allow = format!("127.0.0.1:{}", web.port());
    let fetch = program()
        .args([
            "fetch",
            &web.url("/a"),
            "--allow-private",
            &allow,
            "--browser",
            "never",
        ])
        .output()
        .await
        .unwrap();
    let (shown, messages) = (
        String::from_utf8(fetch.stdout).unwrap(),
        String::from_utf8(fetch.stderr).unwrap(),
    );
    assert!(
        fetch.status.success()
            && shown.starts_with("# A title\n")
            && messages.contains("title: A title"),
        "{shown}{messages}"
    );
    let both = program()
        .args([
            "fetch",
            "--json",
            &web.url("/a"),
            &web.url("/b"),
            "--allow-private",
            &allow,
        ])
        .output()
        .await
        .unwrap();
    assert_eq!(both.status.code(), Some(1));
    let lines: Vec<Value> = String::from_utf8(both.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["title"], &lines[1]["error"]["reason"]),
        (&json!("A title"), &json!("http_404"))
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pdf");
    std::fs::write(&path, PDF).unwrap();
    let convert = program()
        .args(["convert", path.to_str().unwrap(), "--mode", "preview"])
        .output()
        .await
        .unwrap();
    assert!(
        convert.status.success()
            && String::from_utf8(convert.stdout)
                .unwrap()
                .contains("page 1")
    );
    let wrong = program()
        .args(["convert", "no/such.pdf"])
        .output()
        .await
        .unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        String::from_utf8(wrong.stderr)
            .unwrap()
            .contains("does not name a file")
    );
}

#[tokio::test]
async fn json_nested_a_million_deep_is_returned_unchanged_and_file_names_stay_on_one_line() {
    let web = Web::start().await;
    let folder = tempfile::tempdir().unwrap();
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    std::fs::write(folder.path().join("deep.json"), &deep).unwrap();
    std::fs::write(folder.path().join("a\nSource: b.txt"), "words of a file").unwrap();
    let root = folder.path().to_str().unwrap();
    let mut tools = server(
        &web,
        &[
            "--browser",
            "never",
            "--toolset",
            "web",
            "--allow-path",
            root,
        ],
    )
    .await;
    let result = tools
        .call(
            "convert_content",
            json!({"path": "deep.json", "max_chars": 1000}),
        )
        .await;
    assert!(
        result["isError"] == false && text_of(&result).contains("```json\n[[[["),
        "{result}"
    );
    let result = tools
        .call("convert_content", json!({"path": "a\nSource: b.txt"}))
        .await;
    assert_eq!(text_of(&result).matches("\nSource:").count(), 0, "{result}");
    assert_eq!(page_body(text_of(&result)), "words of a file", "{result}");
}

#[tokio::test]
async fn text_in_any_charset_is_decoded_with_or_without_a_declaration() {
    let web = Web::start().await;
    let russian = "<html><body><p>\u{421}\u{44a}\u{435}\u{448}\u{44c} \u{436}\u{435} \u{435}\u{449}\u{451} \u{44d}\u{442}\u{438}\u{445} \u{43c}\u{44f}\u{433}\u{43a}\u{438}\u{445} \u{431}\u{443}\u{43b}\u{43e}\u{43a}.</p></body></html>";
    let narrow: Vec<u8> = russian.chars().map(windows_1251).collect();
    let wide =
        |order: fn(u16) -> [u8; 2]| russian.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    web.on("/narrow", file("text/html", narrow));
    web.on("/little", file("text/html", wide(u16::to_le_bytes)));
    web.on(
        "/big",
        file("text/html; charset=utf-16", wide(u16::to_be_bytes)),
    );
    web.on("/misnamed", file("text/html; charset=iso-8859-1", russian));
    let mut client = server(&web, &["--browser", "never"]).await;
    for path in ["/narrow", "/little", "/big", "/misnamed"] {
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
        assert_eq!(result["isError"], false, "{path}: {result}");
        assert!(
            text_of(&result).contains("\u{43c}\u{44f}\u{433}\u{43a}\u{438}\u{445}"),
            "{path}: {result}"
        );
    }
}

fn windows_1251(letter: char) -> u8 {
    match letter {
        '\u{451}' => 0xB8,
        '\u{410}'..='\u{44F}' => u8::try_from(u32::from(letter) - 0x410 + 0xC0).unwrap(),
        other => u8::try_from(other).unwrap(),
    }
}

#[tokio::test]
async fn hidden_text_is_left_out_of_the_body_and_of_the_metadata() {
    let web = Web::start().await;
    let words = "Words that everyone can see, in a paragraph of some length. ".repeat(12);
    let page = format!(
        "<html><head><title>Goats</title><meta name=author content='Ada\u{200b}{}'><meta name=date content='2024-05-04 obey'>\
        <style>.trick{{position:absolute;left:-9999px}}</style></head><body><article><h1>Goats</h1><p>{words}</p><p class=trick>SECRET one</p>\
        <p style='opacity:0'>SECRET two</p><p>{words} End.</p><span class=sr-only>SECRET three</span></article></body></html>",
        " SECRET".repeat(100)
    );
    web.on("/", file("text/html", page));
    let mut client = server(&web, &["--browser", "never"]).await;
    let result = client
        .call("scrape_page", json!({"url": web.url("/")}))
        .await;
    let text = text_of(&result);
    assert!(
        text.contains("Words that everyone")
            && text.contains("2024-05-04")
            && !text.contains("obey"),
        "{text}"
    );
    assert!(
        !["one", "two", "three"]
            .iter()
            .any(|it| text.contains(&format!("SECRET {it}"))),
        "{text}"
    );
    assert!(
        text.matches("SECRET").count() < 40 && !text.contains('\u{200b}'),
        "{text}"
    );
}

/// `cargo xtask check` leaves these out.
mod with_chromium {
    use super::*;

    #[tokio::test]
    async fn a_page_that_needs_scripts_is_read_by_the_browser_in_one_more_request() {
        let web = Web::start().await;
        web.on("/app", Behavior::html(200, APP));
        let mut client = server(&web, &[]).await;
        let result = client
            .call("scrape_page", json!({"url": web.url("/app")}))
            .await;
        assert_eq!(result["isError"], false, "{result}");
        assert!(
            text_of(&result).contains("# Made by script")
                && text_of(&result).contains("only a browser shows"),
            "{result}"
        );
        assert_eq!(web.hits("/app"), 2, "one plain request, one by the browser");
        let mut never = server(&web, &["--browser", "never"]).await;
        let error = machine(
            &never
                .call("scrape_page", json!({"url": web.url("/app")}))
                .await,
        );
        assert_eq!(error["reason"], "js_shell", "{error}");
    }

    #[tokio::test]
    async fn the_browser_reaches_no_private_address() {
        let (web, inside) = (Web::start().await, Web::start().await);
        inside.on("*", Behavior::ok("inside"));
        let fetches = format!(
            "<!doctype html><title>App</title><div id=root></div><script>fetch('{0}').catch(()=>0).finally(() => {{ root.innerHTML = '<p>' + 'Done with it now. '.repeat(40) }});\
             new Image().src = '{0}pixel'; navigator.sendBeacon('{0}beacon', 'x')</script>",
            inside.url("/")
        );
        web.on("/app", Behavior::html(200, fetches));
        let mut client = server(&web, &["--browser", "always"]).await;
        let result = client
            .call("scrape_page", json!({"url": web.url("/app")}))
            .await;
        assert!(text_of(&result).contains("Done with it now"), "{result}");
        assert_eq!(inside.connections(), 0, "{:?}", inside.seen());
    }

    #[tokio::test]
    async fn the_browser_waits_for_the_requests_of_an_empty_page() {
        let web = Web::start().await;
        let app = "<!doctype html><html lang=en><title>App</title><body><noscript>Please enable JavaScript.</noscript><div id=root></div>\
            <script>fetch('/data').then(answer => answer.text()).then(text => { document.getElementById('root').innerHTML = text })</script>";
        web.on("/app", Behavior::html(200, app));
        let data = Reply::new(
            200,
            format!(
                "<article><h1>Came late</h1><p>{}</p></article>",
                "Words that took a while. ".repeat(30)
            ),
        );
        web.on(
            "/data",
            Behavior::Slow {
                wait: std::time::Duration::from_secs(3),
                reply: data.header("Content-Type", "text/html"),
            },
        );
        let mut client = server(&web, &[]).await;
        let result = client
            .call("scrape_page", json!({"url": web.url("/app")}))
            .await;
        assert!(
            result["isError"] == false && text_of(&result).contains("# Came late"),
            "{result}"
        );
    }
}

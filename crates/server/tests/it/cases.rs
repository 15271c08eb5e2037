//! Every active case of the catalogue is provoked through the public interface, and no other case
//! is emitted.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use fault::{Case, State};
use serde_json::{Value, json};
use server::settings::Settings;
use testkit::{Answer, Authority, Behavior, Dns, Reply, Web};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::client::{Client, program};
use crate::tools::session;

/// The JSON object that agents read: after the blank line of the first block.
pub fn machine(result: &Value) -> Value {
    let text = result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("text in {result}"));
    let object = text
        .split_once("\n\n")
        .and_then(|(_, object)| serde_json::from_str::<Value>(object).ok());
    object.unwrap_or_else(|| panic!("no object in {text}"))["error"].clone()
}

pub fn name_of(error: &Value) -> String {
    format!(
        "{}/{}",
        error["kind"].as_str().unwrap(),
        error["reason"].as_str().unwrap()
    )
}

/// A server that may read the fake web and uses the fake DNS.
async fn reader(web: &Web, dns: &Dns, more: &[&str]) -> Client {
    let (allow, dns) = (
        format!("127.0.0.1:{}", web.port()),
        dns.address().to_string(),
    );
    let mut arguments = vec![
        "--ephemeral",
        "--deadline",
        "2",
        "--browser",
        "never",
        "--allow-private",
        &allow,
        "--dns",
        &dns,
    ];
    arguments.extend(more);
    let mut client = Client::spawn(&arguments);
    client.initialize("2025-11-25").await;
    client
}

fn file(media_type: &str, bytes: &[u8]) -> Behavior {
    Reply::new(200, bytes)
        .header("Content-Type", media_type)
        .into()
}

const ARTICLE: &str = "<!doctype html><html><title>The report</title><h1>The report</h1><p>This page tells about the report and has a link to the file itself.</p></html>";
const CHALLENGE: &str = "<!doctype html><html><head><title>Just a moment...</title></head><body><div class=\"main-content\"><h1>Checking your browser before accessing</h1>\
    <p>This process is automatic. Your browser will redirect to your requested content shortly.</p><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/jsch/v1\"></script></div></body></html>";
const CAPTCHA: &str = "<html><head><title>Are you a robot?</title></head><body><h1>Please verify you are a human</h1><p>Complete the captcha to continue.</p>\
    <form action=\"/verify\" method=\"post\"><div class=\"g-recaptcha\" data-sitekey=\"k\"></div><script src=\"https://www.google.com/recaptcha/api.js\"></script><button>Continue</button></form></body></html>";
const CONSENT: &str = "<html lang=\"de\"><head><title>Bevor Sie fortfahren</title></head><body><h1>Wir verwenden Cookies</h1><p>Bitte stimmen Sie der Verwendung von Cookies zu, um fortzufahren.</p>\
    <form action=\"https://consent.example/save\"><button>Alle akzeptieren</button><button>Alle ablehnen</button><button>Einstellungen</button></form></body></html>";
const REGION: &str = "<html><head><title>Unavailable in your region</title></head><body><h1>This content is not available in your country</h1>\
    <p>We recognize you are attempting to access this website from a country belonging to the European Economic Area and therefore access cannot be granted at this time.</p></body></html>";
const DENIED: &str = "<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1><p>You don't have permission to access this page on this server.</p><p>Reference #18.2f</p></body></html>";
const LOGIN: &str = "<html><head><title>Sign in</title></head><body><h1>Log in to continue</h1><form method=\"post\" action=\"/login\"><input name=\"email\" type=\"email\"><input name=\"password\" type=\"password\"><button>Sign in</button></form><p>You must be logged in to view this page.</p></body></html>";
const SLOW_DOWN: &str = "<html><head><title>Too Many Requests</title></head><body><h1>Too many requests</h1><p>You have sent too many requests in a short time. Please slow down and try again later.</p></body></html>";
const WORKS: &str = "<html><head><title>Site under maintenance</title></head><body><h1>We'll be back soon!</h1><p>Sorry for the inconvenience, we are performing scheduled maintenance at the moment.</p></body></html>";
const BROKEN: &str = "<html><head><title>500 Internal Server Error</title></head><body><center><h1>500 Internal Server Error</h1></center><hr><center>nginx</center></body></html>";
const MISSING: &str = "<html><head><title>Page not found</title></head><body><h1>404</h1><p>Sorry, the page you are looking for does not exist.</p><a href=\"/\">Back to the home page</a></body></html>";
const SOLD: &str = "<html><head><title>example.com is for sale</title></head><body><h1>This domain is for sale</h1><p>Buy this domain now. The domain example.com is parked.</p><a href=\"https://sedo.com/search/details/?domain=example.com\">Make an offer</a></body></html>";
const DEFAULT: &str = "<!DOCTYPE html><html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p></body></html>";
const SHELL: &str = "<!doctype html><html><head><title>App</title><script defer src=\"/static/js/main.8f3a.js\"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=\"root\"></div></body></html>";

/// Failing pages, and the case that each must end in.
fn pages(web: &Web) -> Vec<(&'static str, &'static str)> {
    let acts: Vec<(&'static str, Behavior, &'static str)> = vec![
        (
            "/401",
            Behavior::status(401),
            "auth_required/missing_credentials",
        ),
        ("/402", Behavior::status(402), "auth_required/paywall"),
        ("/403", Behavior::status(403), "blocked/http_403"),
        (
            "/404",
            Behavior::html(404, "<h1>404</h1>"),
            "not_found/http_404",
        ),
        ("/410", Behavior::status(410), "not_found/http_410"),
        (
            "/418",
            Behavior::status(418),
            "upstream_unavailable/bad_request",
        ),
        ("/429", Behavior::status(429), "rate_limited/http_429"),
        ("/451", Behavior::status(451), "blocked/legal_block"),
        (
            "/500",
            Behavior::status(500),
            "upstream_unavailable/http_status",
        ),
        (
            "/520",
            Behavior::status(520),
            "upstream_unavailable/http_status",
        ),
        (
            "/529",
            Behavior::status(529),
            "upstream_unavailable/overloaded",
        ),
        (
            "/empty",
            Behavior::html(200, "<html><body></body></html>"),
            "content_empty/empty",
        ),
        ("/204", Behavior::status(204), "content_empty/empty"),
        (
            "/sound",
            Reply::new(200, "ID3\u{3}")
                .header("Content-Type", "audio/mpeg")
                .into(),
            "validation/unsupported_type",
        ),
        (
            "/encoding",
            Behavior::encoded("zstd", b"????".to_vec()),
            "validation/unsupported_type",
        ),
        (
            "/headers",
            Behavior::HugeHeaders { bytes: 200_000 },
            "upstream_unavailable/bad_shape",
        ),
        ("/reset", Behavior::Reset, "network/connection_reset"),
        (
            "/short",
            Behavior::ShortBody {
                reply: Reply::new(200, "cut"),
                claim: 4_000,
            },
            "network/truncated_body",
        ),
        ("/stall", Behavior::StallHead, "network/timeout"),
        (
            "/loop",
            Behavior::redirect(302, "/loop"),
            "network/redirect_loop",
        ),
        (
            "/pdf-scan",
            file(
                "application/pdf",
                include_bytes!("../../../testkit/fixtures/scan.pdf"),
            ),
            "content_empty/image_only_pdf",
        ),
        (
            "/pdf-cut",
            file("application/pdf", b"%PDF-1.7\n1 0 obj\n<<"),
            "content_empty/broken_document",
        ),
        (
            "/pdf-page",
            file("application/pdf", ARTICLE.as_bytes()),
            "content_empty/broken_document",
        ),
        (
            "/challenge",
            Behavior::html(200, CHALLENGE),
            "blocked/bot_challenge",
        ),
        ("/captcha", Behavior::html(200, CAPTCHA), "blocked/captcha"),
        (
            "/consent",
            Behavior::html(200, CONSENT),
            "blocked/consent_wall",
        ),
        ("/region", Behavior::html(200, REGION), "blocked/geo_block"),
        (
            "/denied",
            Behavior::html(200, DENIED),
            "blocked/access_denied",
        ),
        (
            "/login",
            Behavior::html(200, LOGIN),
            "auth_required/login_wall",
        ),
        (
            "/slow-down",
            Behavior::html(200, SLOW_DOWN),
            "rate_limited/rate_notice",
        ),
        (
            "/works",
            Behavior::html(200, WORKS),
            "upstream_unavailable/maintenance",
        ),
        (
            "/broken",
            Behavior::html(200, BROKEN),
            "upstream_unavailable/error_page",
        ),
        (
            "/missing",
            Behavior::html(200, MISSING),
            "not_found/soft_404",
        ),
        ("/sold", Behavior::html(200, SOLD), "not_found/parked"),
        (
            "/default",
            Behavior::html(200, DEFAULT),
            "not_found/default_page",
        ),
        (
            "/shell",
            Behavior::html(200, SHELL),
            "content_empty/js_shell",
        ),
        (
            "/deep/old-article",
            Behavior::redirect(302, "/"),
            "not_found/home_redirect",
        ),
        (
            "/inward",
            Behavior::redirect(302, "http://10.1.2.3/"),
            "validation/policy_private_address",
        ),
    ];
    let wanted = acts.iter().map(|(path, _, name)| (*path, *name)).collect();
    for (path, act, _) in acts {
        web.on(path, act);
    }
    wanted
}

/// Arguments and host names that fail before a page is reached.
fn addresses(
    web: &Web,
    plain_tls: &str,
    untrusted: &str,
    closed: &str,
) -> Vec<(Value, &'static str)> {
    let url = |url: &str| json!({ "url": url });
    vec![
        (json!({}), "validation/invalid_argument"),
        (url("https://"), "validation/invalid_url"),
        (url("not an address"), "validation/invalid_url"),
        (
            url("http://user:secret@example.com/"),
            "validation/invalid_url",
        ),
        (url("ftp://example.com/"), "validation/policy_scheme"),
        (url("file:///etc/passwd"), "validation/policy_scheme"),
        (url("http://10.0.0.1/"), "validation/policy_private_address"),
        (
            url("http://localhost:9/"),
            "validation/policy_private_address",
        ),
        (
            url("http://www.denied.example.com/"),
            "validation/policy_domain",
        ),
        (url("http://nowhere.example.com/"), "network/nxdomain"),
        (url("http://broken.example.com/"), "network/dns"),
        (url(closed), "network/connection_refused"),
        (url(plain_tls), "network/tls_handshake"),
        (url(untrusted), "network/tls_certificate"),
        (
            json!({"url": web.url("/forbidden/page")}),
            "validation/policy_robots",
        ),
        (
            json!({"url": web.url("/long"), "max_chars": 200, "allow_truncate": false}),
            "validation/too_large",
        ),
    ]
}

/// A loopback port on which nothing listens.
async fn closed_port() -> u16 {
    tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

#[tokio::test]
async fn every_active_case_is_emitted_and_no_other() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    dns.on("nowhere.example.com", Answer::Nxdomain)
        .on("broken.example.com", Answer::Servfail);
    web.on(
        "/robots.txt",
        Behavior::ok("User-agent: *\nDisallow: /forbidden/\n"),
    );
    web.on(
        "/",
        Behavior::html(
            200,
            format!(
                "<title>Home</title><h1>Home</h1><p>{}</p>",
                "Words of the front page. ".repeat(40)
            ),
        ),
    );
    web.on(
        "/long",
        Behavior::html(200, format!("<p>{}</p>", "words ".repeat(200))),
    );
    let untrusted = Web::tls(&Authority::self_signed(&["127.0.0.1"])).await;
    let closed = closed_port().await;
    let also: Vec<String> = [untrusted.port(), closed]
        .iter()
        .map(|port| format!("127.0.0.1:{port}"))
        .collect();
    let mut client = reader(
        &web,
        &dns,
        &[
            "--allow-private",
            &also[0],
            "--allow-private",
            &also[1],
            "--deny-domain",
            "denied.example.com",
        ],
    )
    .await;

    let mut emitted = BTreeSet::new();
    for (path, wanted) in pages(&web) {
        let result = client
            .call("scrape_page", json!({"url": web.url(path)}))
            .await;
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
    for (program, wanted) in [
        ("/no/such/browser", "browser_unavailable/not_installed"),
        ("/bin/false", "browser_unavailable/launch_failed"),
    ] {
        let mut client = reader(
            &web,
            &dns,
            &[
                "--browser",
                "auto",
                "--chrome-path",
                program,
                "--deadline",
                "10",
            ],
        )
        .await;
        let result = client
            .call("scrape_page", json!({"url": web.url("/shell")}))
            .await;
        assert_eq!(name_of(&machine(&result)), wanted, "{program}: {result}");
        emitted.insert(wanted.to_owned());
    }
    emitted.extend(crate::searching::emitted().await);
    emitted.extend(crate::sessions::emitted().await);
    emitted.insert(crate::deep_research::emitted().await);
    emitted.insert(internal().await);
    emitted.insert(local_limit().await);
    emitted.insert(cancelled(&web, &dns).await);
    emitted.insert(bad_setting().await);

    let active: BTreeSet<String> = Case::ALL
        .iter()
        .map(|case| case.row())
        .filter(|row| row.state == State::Active)
        .map(|row| row.name())
        .collect();
    assert_eq!(emitted, active);
}

async fn internal() -> String {
    let mut client = session(Settings::default()).await;
    name_of(&machine(&client.call("panics", json!({})).await))
}

async fn local_limit() -> String {
    let mut client = session(Settings {
        max_concurrent: 1,
        deadline: Duration::from_secs(1),
        ..Settings::default()
    })
    .await;
    let slow = client
        .begin(
            "tools/call",
            json!({"name": "slow", "arguments": {"milliseconds": 500}}),
        )
        .await;
    let busy = client.call("slow", json!({})).await;
    client.reply(slow).await;
    name_of(&machine(&busy))
}

/// No reply is sent for a cancelled call, so its case is read from the log.
async fn cancelled(web: &Web, dns: &Dns) -> String {
    let (allow, dns) = (
        format!("127.0.0.1:{}", web.port()),
        dns.address().to_string(),
    );
    let mut command = program();
    command.args([
        "serve",
        "--ephemeral",
        "--log-format",
        "json",
        "--allow-private",
        &allow,
        "--dns",
        &dns,
    ]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut client = Client::over(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    client.initialize("2025-11-25").await;
    let before = web.hits("/stall");
    let id = client
        .begin(
            "tools/call",
            json!({"name": "scrape_page", "arguments": {"url": web.url("/stall")}}),
        )
        .await;
    while web.hits("/stall") == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    let line = tokio::time::timeout(Duration::from_secs(10), log.next_line())
        .await
        .expect("a line in time")
        .unwrap()
        .unwrap();
    let line: Value = serde_json::from_str(&line).unwrap();
    let fields = if line["fields"].is_object() {
        &line["fields"]
    } else {
        &line
    };
    assert!(
        fields["request_id"].as_str().unwrap().starts_with("req_"),
        "{line}"
    );
    name_of(fields)
}

async fn bad_setting() -> String {
    let output = program()
        .args(["serve", "--deadline", "soon"])
        .output()
        .await
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("--deadline") && stderr.contains("30"),
        "{stderr}"
    );
    Case::BadSetting.row().name()
}

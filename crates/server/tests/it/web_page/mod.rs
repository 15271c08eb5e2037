//! The web page at `/`: who may see it, what it tells, and how it behaves in a browser.

mod browser;
mod with_chromium;

use lab::http::Reply;
use serde_json::{Value, json};
use testkit::Web;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{cases::machine, client::HttpServer};

/// A secret of the operator that a site sends back.
const KEY: &str = "tvly-Zq81mMv0pLkT93hYbX7c";

/// A server with its own data directory, and a site on this machine that it may read.
pub struct Site {
    pub server: HttpServer,
    pub web: Web,
    _data: tempfile::TempDir,
}

impl Site {
    pub async fn start(more: &[&str]) -> Site {
        let (web, data) = (Web::start().await, tempfile::tempdir().unwrap());
        web.on("*", Reply::new(404, "nothing here"));
        let allow = format!("127.0.0.1:{}", web.port());
        let mut arguments = vec![
            "--allow-private",
            &allow,
            "--robots=false",
            "--browser",
            "never",
        ];
        arguments.extend(["--data-dir", data.path().to_str().unwrap()]);
        arguments.extend(["--tavily-api-key", KEY]);
        arguments.extend(more);
        Site {
            server: HttpServer::spawn(&arguments).await,
            web,
            _data: data,
        }
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// Calls a tool over MCP and returns its result.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_as(&[], tool, arguments).await
    }

    pub async fn call_as(&self, headers: &[(&str, &str)], tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.server.modern_as(headers, "tools/call", params).await;
        answer.json()["result"].clone()
    }

    /// Lets a page fail with a server's error, and returns the id of the call.
    pub async fn fail(&self, path: &str) -> String {
        self.fail_as(&[], path).await
    }

    pub async fn fail_as(&self, headers: &[(&str, &str)], path: &str) -> String {
        self.web
            .on(path, Reply::new(503, format!("out of order, key {KEY}")));
        let url = json!({"url": self.web.url(path)});
        let failed = self.call_as(headers, "scrape_page", url).await;
        machine(&failed)["requestId"].as_str().unwrap().to_owned()
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Value {
        let answer = self.server.send("GET", path, headers, b"").await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        answer.json()
    }
}

impl browser::Browser {
    /// The name of the element that has the focus.
    pub async fn focused(&mut self) -> String {
        let name = "`${document.activeElement.tagName} ${document.activeElement.name || document.activeElement.getAttribute('class') || document.activeElement.id}`";
        self.evaluate(name).await.as_str().unwrap().to_owned()
    }

    pub async fn press_send(&mut self) {
        self.evaluate("document.getElementById('send').click()")
            .await;
    }
}

#[tokio::test]
async fn the_page_and_its_files_are_served_with_a_strict_policy() {
    let site = Site::start(&[]).await;
    for (path, kind) in [
        ("/", "text/html"),
        ("/page/app.js", "text/javascript"),
        ("/page/page.css", "text/css"),
        ("/page/icon.svg", "image/svg+xml"),
    ] {
        let file = site.server.send("GET", path, &[], b"").await;
        assert_eq!(file.status, 200, "{path}");
        assert!(
            file.header("content-type").unwrap().starts_with(kind),
            "{file:?}"
        );
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        let policy = file.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(
            policy.contains("require-trusted-types-for 'script'")
                && policy.contains("frame-ancestors 'none'")
        );
        let tag = file.header("etag").unwrap().to_owned();
        let again = site
            .server
            .send("GET", path, &[("If-None-Match", &tag)], b"")
            .await;
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
    for path in ["/page/none.js", "/page/..%2fmod.rs", "/api/none", "/page/"] {
        assert_eq!(
            site.server.send("GET", path, &[], b"").await.status,
            404,
            "{path}"
        );
    }
    let off = HttpServer::spawn(&["--page=false"]).await;
    for path in ["/", "/page/app.js", "/api/overview"] {
        assert_eq!(off.send("GET", path, &[], b"").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn other_sites_and_names_that_lead_here_are_refused() {
    let site = Site::start(&["--allowed-origin", "https://known.example"]).await;
    let own = site.origin();
    let get = async |path: &str, headers: &[(&str, &str)]| {
        site.server.send("GET", path, headers, b"").await.status
    };
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
    ] {
        for path in ["/", "/page/app.js", "/api/overview", "/api/events"] {
            assert_eq!(get(path, &[("Host", host)]).await, 403, "{host}{path}");
        }
    }
    for host in ["localhost", "known.example", "[::1]:80", "10.1.2.3"] {
        assert_eq!(get("/api/overview", &[("Host", host)]).await, 200, "{host}");
    }
    assert_eq!(
        get(
            "/",
            &[
                ("Origin", "https://evil.example"),
                ("Sec-Fetch-Site", "cross-site")
            ]
        )
        .await,
        200,
        "a link"
    );
    for headers in [
        [("Origin", "https://evil.example")],
        [("Origin", "null")],
        [("Origin", "http://localhost:3000")],
        [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")],
    ] {
        assert_eq!(get("/api/faults", &headers).await, 403, "{headers:?}");
    }
    let body = json!({"tool": "health_check", "arguments": {}}).to_string();
    let post = async |headers: &[(&str, &str)]| {
        site.server
            .send("POST", "/api/call", headers, body.as_bytes())
            .await
            .status
    };
    assert_eq!(post(&[("Origin", &own)]).await, 200);
    assert_eq!(post(&[("Origin", "https://known.example")]).await, 200);
    assert_eq!(post(&[]).await, 403, "no page at all");
    assert_eq!(post(&[("Origin", "http://localhost:3000")]).await, 403);
    assert_eq!(
        post(&[("Origin", &own), ("Sec-Fetch-Site", "cross-site")]).await,
        403
    );
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        assert_eq!(
            post(&[("Origin", &own), ("Content-Type", kind)]).await,
            415,
            "{kind}"
        );
    }
    assert_eq!(get("/api/call", &[]).await, 405);
    assert_eq!(site.get("/api/overview", &[]).await["calls"]["total"], 2);
}

#[tokio::test]
async fn a_call_is_tried_with_its_reply_in_every_dialect() {
    let site = Site::start(&[]).await;
    let call = async |body: &str| {
        let origin = site.origin();
        site.server
            .send("POST", "/api/call", &[("Origin", &origin)], body.as_bytes())
            .await
    };
    let url = site.web.url("/none");
    let tried = call(&json!({"tool": "scrape_page", "arguments": {"url": url}}).to_string())
        .await
        .json();
    assert_eq!(tried["dialect"], "dual");
    assert_eq!(tried["result"]["isError"], true);
    let dialects: Vec<&str> = tried["failures"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["dialect"].as_str())
        .collect();
    assert_eq!(
        dialects,
        [
            "dual", "code", "flat", "gated", "section", "agent", "problem"
        ]
    );
    assert_eq!(
        tried["failures"][0]["result"]["content"],
        tried["result"]["content"]
    );
    assert_eq!(tried["upstreams"][0]["upstream"], "html", "{tried}");
    assert_eq!(tried["upstreams"][0]["kind"], "not_found");
    let answered = call(&json!({"tool": "health_check", "arguments": {}}).to_string())
        .await
        .json();
    assert_eq!(
        (
            answered["failures"].as_array().unwrap().len(),
            &answered["result"]["isError"]
        ),
        (0, &json!(false))
    );
    for wrong in ["", "[]", "{}", "{\"tool\": 1}", "not json"] {
        assert_eq!(call(wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(
        call(&json!({"tool": "none", "arguments": {}}).to_string())
            .await
            .status,
        404
    );
    let large =
        json!({"tool": "scrape_page", "arguments": {"url": "x".repeat(1 << 20)}}).to_string();
    assert_eq!(call(&large).await.status, 413);
}

#[tokio::test]
async fn the_page_tells_what_happened_without_secrets() {
    let site = Site::start(&[]).await;
    let id = site.fail("/broken").await;
    let overview = site.get("/api/overview", &[]).await;
    assert_eq!(overview["calls"]["failed"], 1, "{overview}");
    // A minute may have begun between the start and the failure.
    let minutes = overview["history"]["hour"]["happened"].as_array().unwrap();
    let mut kinds = minutes.iter().map(|minute| &minute["faults"][0][0]);
    let is_told = kinds.any(|kind| kind == "upstream_unavailable");
    assert!(is_told, "{overview}");
    assert_eq!(
        overview["history"]["day"]["upstreams"][0]["id"], "html",
        "{overview}"
    );
    let tavily = overview["providers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["id"] == "tavily")
        .unwrap();
    assert_eq!(tavily["state"], "ready");
    let unset = overview["providers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["id"] == "brave")
        .unwrap();
    assert_eq!(
        (&unset["state"], &unset["setting"]),
        (&json!("unset"), &json!("FINGERPOST_BRAVE_API_KEY"))
    );
    let record = site.get(&format!("/api/faults/{id}"), &[]).await;
    assert!(
        record["upstream"][0]
            .as_str()
            .unwrap()
            .contains("out of order"),
        "{record}"
    );
    let all = site.get("/api/faults", &[]).await;
    assert_eq!(all["faults"][0]["requestId"], id.as_str(), "{all}");
    for told in [overview, record, all] {
        assert!(!told.to_string().contains(KEY), "{told}");
    }
    assert_eq!(
        site.server
            .send("GET", "/api/faults/req_none", &[], b"")
            .await
            .status,
        404
    );
    let missing = site
        .server
        .send("GET", "/api/sessions/ses_none", &[], b"")
        .await;
    assert_eq!(
        (missing.status, missing.header("content-type")),
        (404, Some("application/problem+json"))
    );
}

#[tokio::test]
async fn a_user_sees_their_own_failures_and_sessions_only() {
    let site = Site::start(&["--subject-header", "x-user"]).await;
    let (ada, bob) = ([("X-User", "ada")], [("X-User", "bob")]);
    let id = site.fail_as(&ada, "/broken").await;
    let begun = site
        .call_as(
            &ada,
            "sequential_search",
            json!({"searchStep": "one", "goal": "hers"}),
        )
        .await;
    let session = begun["structuredContent"]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let (record, steps) = (
        format!("/api/faults/{id}"),
        format!("/api/sessions/{session}"),
    );
    let own = site.get(&record, &ada).await;
    assert!(
        own.get("upstream").is_none() && own["upstreamTexts"] == 1,
        "{own}"
    );
    assert_eq!(
        site.get("/api/faults", &ada).await["faults"][0]["requestId"],
        id.as_str()
    );
    assert_eq!(site.get(&steps, &ada).await["goal"], "hers");
    assert_eq!(site.get("/api/faults", &bob).await["faults"], json!([]));
    assert_eq!(site.get("/api/sessions", &bob).await["sessions"], json!([]));
    for path in [&record, &steps] {
        assert_eq!(
            site.server.send("GET", path, &bob, b"").await.status,
            404,
            "{path}"
        );
    }
    let providers = site.get("/api/overview", &bob).await["providers"].clone();
    assert!(
        providers
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["state"] != "unset"),
        "{providers}"
    );
    for nobody in [&[][..], &[("X-User", " ")]] {
        assert_eq!(
            site.server
                .send("GET", "/api/faults", nobody, b"")
                .await
                .status,
            400
        );
    }
}

async fn events(site: &Site) -> tokio::net::TcpStream {
    let mut socket = tokio::net::TcpStream::connect(&site.server.address)
        .await
        .unwrap();
    let request = format!(
        "GET /api/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        site.server.address
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

async fn read_until(socket: &mut tokio::net::TcpStream, words: &str) -> String {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !text.contains(words) {
        let read = socket.read(&mut piece);
        let read = tokio::time::timeout(std::time::Duration::from_secs(20), read).await;
        let read = read.expect("words in time").unwrap();
        assert!(read > 0, "{words:?} never came: {text}");
        text.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    text
}

#[tokio::test]
async fn streams_tell_of_changes_are_limited_and_end_with_the_server() {
    let mut site = Site::start(&[]).await;
    let mut first = events(&site).await;
    let head = read_until(&mut first, "\n\n").await;
    assert!(
        head.contains("200 OK") && head.contains("content-type: text/event-stream"),
        "{head}"
    );
    read_until(&mut first, "event: overview").await;
    site.fail("/broken").await;
    read_until(&mut first, "\"failed\":1").await;
    let mut open = Vec::new();
    for _ in 0..15 {
        let mut socket = events(&site).await;
        read_until(&mut socket, "event: overview").await;
        open.push(socket);
    }
    let refused = site.server.send("GET", "/api/events", &[], b"").await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("30")),
        "{refused:?}"
    );
    drop(open.pop());
    let mut again = None;
    for _ in 0..200 {
        let mut socket = events(&site).await;
        let answer = read_until(&mut socket, "\r\n").await;
        if answer.contains("200 OK") {
            again = Some(socket);
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(
        again.is_some(),
        "a closed stream leaves its place to another"
    );
    let pid = rustix::process::Pid::from_raw(site.server.child.id().unwrap() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let mut rest = Vec::new();
    let ended = first.read_to_end(&mut rest);
    tokio::time::timeout(std::time::Duration::from_secs(8), ended)
        .await
        .expect("the stream ends")
        .unwrap();
    let exit =
        tokio::time::timeout(std::time::Duration::from_secs(8), site.server.child.wait()).await;
    assert!(exit.expect("the server ends").unwrap().success());
}

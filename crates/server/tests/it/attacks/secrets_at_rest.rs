//! Whoever reads the data directory, or the server of the store, finds neither our keys, though
//! every upstream echoes them, nor the tokens in addresses.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Reply, Web};

use crate::client::{Client, program};

/// A configured key with characters that JSON, HTML and URLs write in another way.
const KEY: &str = "BSA\"key<0123456789>abcdefXYZ";
const TOKEN: &str = "tok9f8e7d6c5b4a39281706f5e4d3c2b1a0";

fn server(web: &Web, arguments: &[&str]) -> Client {
    let mut command = program();
    let allow = format!("127.0.0.1:{}", web.port());
    command
        .args(["serve", "--browser", "never", "--toolset", "research,web"])
        .args(["--allow-private", &allow])
        .args(arguments)
        .env("FINGERPOST_BRAVE_API_KEY", KEY)
        .env("FINGERPOST_BRAVE_URL", web.url("/res/v1"));
    Client::from_command(command)
}

/// Pages that say the key in every way that is stored, and may be cached.
async fn echoing_web() -> Web {
    let web = Web::start().await;
    let escaped = KEY.replace('<', "&lt;");
    let words = "Goats climb because they can, and the grass is better. ".repeat(60);
    let page = format!(
        "<html><head><title>Goats {escaped}</title></head><body><article><h1>Goats {escaped}</h1>\
         <p>{words}</p><p>Your key is {escaped}, remember it.</p></article></body></html>"
    );
    let html = |page: &str| {
        Reply::new(200, page)
            .header("Content-Type", "text/html")
            .header("Cache-Control", "max-age=600")
    };
    web.on("/echo", html(&page));
    web.on("/plain", html(&page.replace(&escaped, "none")));
    let found = json!({"type": "search", "query": {"original": "goats"}, "web": {"results": [{
        "title": format!("Goats {KEY}"),
        "url": format!("https://goats.example/?access_token={TOKEN}"),
        "description": format!("climb with {KEY}"),
    }]}});
    web.on("/res/v1/web/search", testkit::Behavior::json(200, &found));
    web
}

/// Calls every tool that stores something.
async fn use_everything(client: &mut Client, web: &Web) {
    client.initialize("2025-11-25").await;
    let answered = |result: Value| {
        assert_eq!(result["isError"], false, "{result}");
        result
    };
    let begun = client
        .call(
            "sequential_search",
            json!({"goal": format!("use {KEY}"), "searchStep": format!("open https://goats.example/?access_token={TOKEN} first"), "query": "goats", "provider": "brave"}),
        )
        .await;
    let session = answered(begun)["structuredContent"]["sessionId"].clone();
    let address = |path: &str| web.url(&format!("{path}?access_token={TOKEN}"));
    for path in ["/echo", "/plain"] {
        let read = json!({"url": address(path), "sessionId": session, "max_chars": 1_000});
        answered(client.call("scrape_page", read).await);
    }
    let both = json!({"urls": [address("/echo"), web.url("/plain")]});
    let kept = answered(client.call("fetch_content", both).await);
    let id = kept["_meta"]["responseId"].clone();
    let again = json!({"responseId": id, "url": address("/echo")});
    let again = answered(client.call("get_search_content", again).await);
    assert!(again.to_string().contains("Your key is ***"), "{again}");
    let search = json!({"query": "goats", "provider": "brave"});
    answered(client.call("web_search", search).await);
    let local = json!({"query": "goats", "provider": "local"});
    let local = answered(client.call("web_search", local).await);
    assert!(
        local.to_string().contains("Goats"),
        "the index has it: {local}"
    );
}

fn assert_without_secrets(directory: &Path, wanted: &str) {
    let mut seen = Vec::new();
    for entry in walk(directory) {
        seen.extend(std::fs::read(&entry).unwrap());
        seen.push(b'\n');
    }
    let text = String::from_utf8_lossy(&seen);
    assert!(text.contains(wanted), "the files are the right ones");
    let in_json = serde_json::to_string(KEY).unwrap();
    for secret in [KEY, in_json.trim_matches('"'), TOKEN, "key<0123456789>"] {
        let place = text.find(secret);
        let around = place.map(|place| {
            let from = text.floor_char_boundary(place.saturating_sub(200));
            &text[from..text.ceil_char_boundary(place + secret.len())]
        });
        assert_eq!(around, None, "{secret}");
    }
}

pub(super) fn walk(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[tokio::test]
async fn the_data_directory_holds_no_key_and_no_token() {
    let web = echoing_web().await;
    let folder = tempfile::tempdir().unwrap();
    let mut client = server(&web, &["--data-dir", folder.path().to_str().unwrap()]);
    use_everything(&mut client, &web).await;
    client.close_input();
    client.rest().await;
    assert_without_secrets(folder.path(), "Goats climb because they can");
}

/// Ends the server with the test.
struct Redis {
    child: Child,
    port: u16,
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

mod with_redis {
    use super::*;

    /// A Redis that writes every change to a file, in plain text.
    async fn redis(folder: &Path) -> Redis {
        for _ in 0..20 {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            drop(listener);
            let child = Command::new("redis-server")
                .args([
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--port",
                    &port.to_string(),
                ])
                .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
                .arg(folder)
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut redis = Redis { child, port };
            for _ in 0..200 {
                if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return redis;
                }
                if redis.child.try_wait().unwrap().is_some() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        panic!("no Redis")
    }

    #[tokio::test]
    async fn the_server_of_the_store_gets_no_key_no_token_and_no_address_as_a_name() {
        let web = echoing_web().await;
        let folder = tempfile::tempdir().unwrap();
        let redis = redis(folder.path()).await;
        let store = format!("redis://127.0.0.1:{}/0", redis.port);
        let mut client = server(&web, &["--ephemeral", "--store", &store]);
        use_everything(&mut client, &web).await;
        // This page has no secret, so it is shared with other servers.
        let read = json!({"url": web.url("/plain")});
        client.call("scrape_page", read).await;
        client.close_input();
        client.rest().await;
        drop(redis);
        assert_without_secrets(folder.path(), "Goats climb because they can");
        for file in walk(folder.path()) {
            let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
            let mut names = text.lines().filter(|line| line.starts_with("fingerpost:"));
            assert_eq!(names.find(|name| name.contains("plain")), None);
        }
    }
}

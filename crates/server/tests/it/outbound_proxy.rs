//! The operator's proxy: pages, providers and the browser go through it, under the same rules as
//! without it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testkit::{Behavior, Reply, Web};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::cases::{machine, name_of};
use crate::client::Client;
use crate::searching::{flags, lab};

const ARTICLE: &str = "<html><body><article><h1>Tides</h1><p>The moon pulls the water of the oceans, and the shore sees \
    two high waters a day, about fifty minutes later each time.</p></article></body></html>";

/// `me:p4ssw0rd-x`.
const LOGIN: &str = "Basic bWU6cDRzc3cwcmQteA==";

/// A proxy that notes whom it was asked for.
struct Proxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// A proxy that speaks HTTP's CONNECT and wants a login.
    async fn http() -> Proxy {
        Proxy::start(|mut stream, asked| async move {
            let mut reader = BufReader::new(&mut stream);
            let (mut line, mut head) = (String::new(), Vec::new());
            while reader.read_line(&mut line).await.unwrap_or(0) > 2 {
                head.push(std::mem::take(&mut line));
            }
            let target = head
                .first()
                .and_then(|it| it.split(' ').nth(1))
                .unwrap_or("");
            asked.lock().unwrap().push(target.to_owned());
            let login = format!("Proxy-Authorization: {LOGIN}\r\n");
            if !head.contains(&login) {
                let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
                let _ = stream.write_all(refusal).await;
                return;
            }
            match TcpStream::connect(target).await {
                Ok(far) => {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                    copy(stream, far).await;
                }
                Err(_) => {
                    let _ = stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\n\r\n").await;
                }
            }
        })
        .await
    }

    /// A proxy that speaks SOCKS 5, without a login and for IPv4 addresses.
    async fn socks() -> Proxy {
        Proxy::start(|mut stream, asked| async move {
            let mut greeting = [0; 2];
            stream.read_exact(&mut greeting).await.unwrap();
            let mut methods = vec![0; usize::from(greeting[1])];
            stream.read_exact(&mut methods).await.unwrap();
            stream.write_all(&[5, 0]).await.unwrap();
            let mut request = [0; 10];
            stream.read_exact(&mut request).await.unwrap();
            if request[3] == 4 {
                asked.lock().unwrap().push("IPv6".to_owned());
                let _ = stream.write_all(&[5, 8, 0, 1, 0, 0, 0, 0, 0, 0]).await;
                return;
            }
            assert_eq!(request[3], 1, "an address and not a name");
            let ip: [u8; 4] = request[4..8].try_into().unwrap();
            let port = u16::from_be_bytes([request[8], request[9]]);
            let target = SocketAddr::from((ip, port));
            asked.lock().unwrap().push(target.to_string());
            match TcpStream::connect(target).await {
                Ok(far) => {
                    let _ = stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await;
                    copy(stream, far).await;
                }
                Err(_) => {
                    let _ = stream.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await;
                }
            }
        })
        .await
    }

    async fn start<F>(
        serve: impl Fn(TcpStream, Arc<Mutex<Vec<String>>>) -> F + Send + 'static,
    ) -> Proxy
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&log)));
            }
        });
        Proxy { address, asked }
    }
}

async fn copy(mut near: TcpStream, mut far: TcpStream) {
    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
}

async fn web() -> Web {
    let web = Web::start().await;
    web.on("/article", Behavior::Reply(Reply::html(200, ARTICLE)));
    web
}

/// A server whose connections go through this proxy.
async fn server(proxy: &str, more: &[&str]) -> Client {
    let mut flags = vec!["--ephemeral", "--browser", "never", "--robots=false"];
    flags.extend([
        "--allow-private",
        "127.0.0.1",
        "--allow-private",
        "localhost",
    ]);
    flags.extend(["--proxy", proxy]);
    flags.extend(more);
    let mut client = Client::spawn(&flags);
    client.initialize("2025-11-25").await;
    client
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

async fn read(client: &mut Client, url: &str) -> Value {
    client.call("scrape_page", json!({"url": url})).await
}

#[tokio::test]
async fn pages_are_read_through_an_http_proxy_that_is_asked_for_the_checked_address() {
    let (web, proxy) = (web().await, Proxy::http().await);
    let mut client = server(&format!("http://me:p4ssw0rd-x@{}", proxy.address), &[]).await;
    let port = web.address().port();
    let page = read(&mut client, &format!("http://localhost:{port}/article")).await;
    assert!(text_of(&page).contains("two high waters"), "{page}");
    let asked = proxy.asked();
    let is_address = |target: &String| target.parse::<SocketAddr>().is_ok();
    assert!(asked.iter().all(is_address), "{asked:?}");
    assert_eq!(asked.last(), Some(&format!("127.0.0.1:{port}")));

    let refused = read(&mut client, "http://10.0.0.1/").await;
    assert_eq!(
        name_of(&machine(&refused)),
        "validation/policy_private_address"
    );
    assert_eq!(proxy.asked(), asked, "the guard comes before the proxy");

    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dead = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let dead = read(&mut client, &dead).await;
    assert_eq!(
        name_of(&machine(&dead)),
        "network/connection_refused",
        "{dead}"
    );
}

#[tokio::test]
async fn a_proxy_that_refuses_or_is_not_there_is_the_operators_to_mend() {
    let (web, proxy) = (web().await, Proxy::http().await);
    let wrong = format!("http://me:wr0ng-w0rd@{}", proxy.address);
    let mute = Proxy::start(|stream, _| async move { drop(stream) }).await;
    let (mute_http, mute_socks) = (
        format!("http://{}", mute.address),
        format!("socks5://{}", mute.address),
    );
    for setting in [
        wrong.as_str(),
        "http://127.0.0.1:1",
        "socks5://127.0.0.1:1",
        &mute_http,
        &mute_socks,
    ] {
        let mut client = server(setting, &[]).await;
        let failed = read(&mut client, &web.url("/article")).await;
        let fault = machine(&failed);
        assert_eq!(name_of(&fault), "config/bad_setting", "{failed}");
        assert_eq!(fault["retryable"], false, "{failed}");
        let text = text_of(&failed);
        assert!(text.contains("The setting proxy does not work"), "{text}");
        assert!(text.contains("the outbound proxy"), "{text}");
        assert!(!failed.to_string().contains("wr0ng-w0rd"), "{failed}");
    }
}

#[tokio::test]
async fn a_proxy_that_never_answers_is_not_told_as_a_silent_site() {
    let web = web().await;
    let mute = Proxy::start(|stream, _| async move {
        tokio::time::sleep(std::time::Duration::from_secs(120)).await;
        drop(stream);
    })
    .await;
    for scheme in ["http", "socks5"] {
        let setting = format!("{scheme}://{}", mute.address);
        let mut client = server(&setting, &["--deadline", "2"]).await;
        let failed = read(&mut client, &web.url("/article")).await;
        let fault = machine(&failed);
        assert_eq!(name_of(&fault), "network/timeout", "{failed}");
        assert_eq!(fault["retryable"], true, "{failed}");
        let text = text_of(&failed);
        let says = "The outbound proxy of this server did not answer in time";
        assert!(text.starts_with(says), "{text}");
        assert!(text.contains("(setting proxy)"), "{text}");
        assert_eq!(web.connections(), 0);
    }
}

#[tokio::test]
async fn a_host_that_the_proxy_does_not_allow_is_told_as_that() {
    let web = web().await;
    let http = Proxy::start(|mut stream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").await;
        let _ = stream.read(&mut [0; 512]).await;
    });
    let socks = Proxy::start(|mut stream, _| async move {
        let _ = stream.read(&mut [0; 8]).await;
        let _ = stream.write_all(&[5, 0]).await;
        let _ = stream.read(&mut [0; 32]).await;
        let _ = stream.write_all(&[5, 2, 0, 1, 0, 0, 0, 0, 0, 0]).await;
    });
    let settings = [
        format!("http://{}", http.await.address),
        format!("socks5://{}", socks.await.address),
    ];
    for setting in settings {
        let mut client = server(&setting, &[]).await;
        let refused = read(&mut client, &web.url("/article")).await;
        assert_eq!(
            name_of(&machine(&refused)),
            "validation/policy_domain",
            "{refused}"
        );
        let text = text_of(&refused);
        assert!(text.contains("the outbound proxy does not allow"), "{text}");
    }
}

#[tokio::test]
async fn a_proxy_without_ipv6_is_asked_for_the_next_address() {
    let (web, proxy) = (web().await, Proxy::socks().await);
    let mut client = server(&format!("socks5://{}", proxy.address), &[]).await;
    let port = web.address().port();
    let page = read(&mut client, &format!("http://localhost:{port}/article")).await;
    assert!(text_of(&page).contains("two high waters"), "{page}");
    let reached = format!("127.0.0.1:{port}");
    let asked = proxy.asked();
    assert_eq!(asked.last(), Some(&reached), "{asked:?}");
}

#[tokio::test]
async fn socks_is_spoken_too_and_some_hosts_are_reached_directly() {
    let (web, proxy) = (web().await, Proxy::socks().await);
    let setting = format!("socks5://{}", proxy.address);
    let mut client = server(&setting, &[]).await;
    let page = read(&mut client, &web.url("/article")).await;
    assert!(text_of(&page).contains("two high waters"), "{page}");
    assert_eq!(proxy.asked(), [web.address().to_string()]);

    for direct in ["127.0.0.1", "127.0.0.0/8", "::1,127.0.0.1"] {
        let mut client = server(&setting, &["--no-proxy", direct]).await;
        let page = read(&mut client, &web.url("/article")).await;
        assert!(text_of(&page).contains("two high waters"), "{page}");
    }
    let only_tls = format!("https={setting}");
    let mut client = server(&only_tls, &[]).await;
    let page = read(&mut client, &web.url("/article")).await;
    assert!(text_of(&page).contains("two high waters"), "{page}");
    assert_eq!(proxy.asked().len(), 1, "all of these were direct");
}

#[tokio::test]
async fn a_dead_proxy_is_not_told_as_a_fault_of_the_provider() {
    let lab = lab().await;
    for id in ["searxng", "openserp", "wikipedia"] {
        let mut all = flags(&lab, &[id]);
        all.extend(["--proxy".to_owned(), "http://127.0.0.1:1".to_owned()]);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut client = Client::spawn(&all);
        client.initialize("2025-11-25").await;
        let query = json!({"query": "sodium", "provider": id});
        let failed = client.call("web_search", query).await;
        let text = text_of(&failed);
        assert!(text.contains("The setting proxy does not work"), "{text}");
    }
}

#[tokio::test]
async fn providers_are_asked_through_the_proxy() {
    let (lab, proxy) = (lab().await, Proxy::socks().await);
    let mut all = flags(&lab, &["wikipedia"]);
    all.extend(["--proxy".to_owned(), format!("socks5://{}", proxy.address)]);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut client = Client::spawn(&all);
    client.initialize("2025-11-25").await;
    let query = json!({"query": "sodium", "provider": "wikipedia"});
    let found = client.call("web_search", query).await;
    assert_ne!(found["isError"], true, "{found}");
    assert_eq!(proxy.asked().len(), 1, "{found}");
}

mod with_chromium {
    use super::*;

    const APP: &str = "<!doctype html><html lang=en><head><title>App</title></head><body><noscript>Please enable JavaScript.</noscript>\
        <div id=root></div><script>document.getElementById('root').innerHTML = '<article><h1>Made by script</h1><p>' + \
        'Words that only a browser shows. '.repeat(30) + '</p></article>'</script></body></html>";

    #[tokio::test]
    async fn the_browser_goes_through_the_proxy() {
        let (web, proxy) = (Web::start().await, Proxy::socks().await);
        web.on("/app", Behavior::Reply(Reply::html(200, APP)));
        let setting = format!("socks5://{}", proxy.address);
        let mut client = server(&setting, &["--browser", "auto", "--deadline", "60"]).await;
        let page = read(&mut client, &web.url("/app")).await;
        assert!(text_of(&page).contains("only a browser shows"), "{page}");
        let asked = proxy.asked();
        assert!(
            asked.len() >= 2,
            "our own request and the browser's: {asked:?}"
        );
        let target = web.address().to_string();
        assert!(asked.iter().all(|it| *it == target), "{asked:?}");
    }
}

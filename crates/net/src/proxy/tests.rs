#![allow(clippy::unwrap_used)]
#![allow(
    clippy::disallowed_methods,
    reason = "the browser's side of the tests, on loopback"
)]

use super::*;
use crate::request::ClientSettings;
use crate::{Client, guard::Policy};
use testkit::{Behavior, Reply, Web};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PUBLIC: &str = "93.184.216.34:80";
const PRIVATE: &str = "10.0.0.1:80";

/// A page whose name has these addresses.
fn page_at(addresses: &[&str]) -> CheckedTarget {
    CheckedTarget {
        target: Policy::default().target("http://page.example/").unwrap(),
        addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
    }
}

/// A proxy for a page at this address, where the operator opened these sites.
async fn proxy(webs: &[&Web], page: &str, max_bytes: u64) -> Proxy {
    let rules = webs
        .iter()
        .map(|web| web.address().to_string().parse().unwrap())
        .collect();
    let client = Client::new(ClientSettings {
        policy: Policy::new(rules),
        ..ClientSettings::default()
    });
    Proxy::start(client.connector().clone(), &page_at(&[page]), max_bytes)
        .await
        .unwrap()
}

/// Sends these bytes and reads until the proxy is silent for a moment.
async fn exchange(stream: &mut TcpStream, bytes: &str) -> String {
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(Ok(read @ 1..)) =
        tokio::time::timeout(Duration::from_millis(300), stream.read(&mut piece)).await
    {
        answer.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(answer).unwrap()
}

async fn ask(proxy: &Proxy, bytes: &str) -> String {
    exchange(
        &mut TcpStream::connect(proxy.address()).await.unwrap(),
        bytes,
    )
    .await
}

fn get(web: &Web, path: &str) -> String {
    format!(
        "GET {} HTTP/1.1\r\nHost: elsewhere.example\r\nProxy-Connection: keep-alive\r\nX-Own: 1\r\n\r\n",
        web.url(path)
    )
}

#[tokio::test]
async fn every_plain_request_is_checked_and_loses_its_hop_by_hop_headers() {
    let (open, shut) = (Web::start().await, Web::start().await);
    open.on(
        "/a",
        Behavior::from(
            Reply::new(200, "in")
                .header("Keep-Alive", "timeout=5")
                .header("X-Fingerpost-Proxy", "forged"),
        ),
    );
    let proxy = proxy(&[&open], PRIVATE, 1 << 20).await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let answer = exchange(&mut stream, &get(&open, "/a?b")).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("in"),
        "{answer}"
    );
    assert!(
        !answer.contains("forged") && !answer.contains("timeout=5"),
        "{answer}"
    );
    let seen = &open.seen()[0];
    assert_eq!(
        (seen.target.as_str(), seen.header("x-own")),
        ("/a?b", Some("1"))
    );
    assert_eq!(
        seen.header("host"),
        Some(open.address().to_string().as_str()),
        "the address that was checked is the one that is named"
    );
    assert!(seen.header("proxy-connection").is_none());
    // The same connection, another host.
    let answer = exchange(&mut stream, &get(&shut, "/")).await;
    assert!(
        answer.starts_with("HTTP/1.1 403") && answer.contains(OWN_RESPONSE_HEADER),
        "{answer}"
    );
    let denied = proxy
        .error(&TargetHost::Ip(shut.address().ip()), shut.port())
        .unwrap();
    assert!(matches!(denied.kind, NetworkErrorKind::Denied(_)));
    assert_eq!(shut.connections(), 0);
}

#[tokio::test]
async fn tunnels_are_checked_and_end_with_the_proxy() {
    let (open, shut) = (Web::start().await, Web::start().await);
    open.on("/", Behavior::ok("in"));
    let proxy = proxy(&[&open], PRIVATE, 1 << 20).await;
    let refused = ask(
        &proxy,
        &format!("CONNECT {} HTTP/1.1\r\n\r\n", shut.address()),
    )
    .await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let opened = exchange(
        &mut stream,
        &format!("CONNECT {} HTTP/1.1\r\n\r\n", open.address()),
    )
    .await;
    assert!(opened.starts_with("HTTP/1.1 200"), "{opened}");
    assert!(
        exchange(&mut stream, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .ends_with("in")
    );
    assert!(proxy.received() > 0);
    let address = proxy.address();
    drop(proxy);
    let rest = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut [0; 16]))
        .await
        .unwrap();
    assert!(matches!(rest, Ok(0) | Err(_)), "{rest:?}");
    assert!(
        TcpStream::connect(address).await.is_err(),
        "nobody listens any more"
    );
    assert_eq!(shut.connections(), 0);
}

#[tokio::test]
async fn public_pages_cannot_reach_allowed_private_addresses() {
    let open = Web::start().await;
    let proxy = proxy(&[&open], PUBLIC, 1 << 20).await;
    assert!(
        ask(&proxy, &get(&open, "/"))
            .await
            .starts_with("HTTP/1.1 403")
    );
    assert!(
        ask(
            &proxy,
            &format!("CONNECT {} HTTP/1.1\r\n\r\n", open.address())
        )
        .await
        .starts_with("HTTP/1.1 403")
    );
    assert_eq!(open.connections(), 0);
    for (addresses, may_be_public) in [
        (&[PUBLIC][..], true),
        (&[PRIVATE], false),
        (&[PRIVATE, PUBLIC], true),
    ] {
        assert_eq!(page_at(addresses).may_be_public(), may_be_public);
    }
}

#[tokio::test]
async fn requests_that_are_not_for_a_proxy_are_refused() {
    let open = Web::start().await;
    let proxy = proxy(&[&open], PRIVATE, 1 << 20).await;
    for request in [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET ftp://example.com/ HTTP/1.1\r\n\r\n",
        "CONNECT localhost:80 HTTP/1.1\r\n\r\n",
    ] {
        assert!(
            ask(&proxy, request).await.starts_with("HTTP/1.1 403"),
            "{request}"
        );
    }
    assert!(
        ask(&proxy, "\x16\x03\x01nonsense\r\n\r\n")
            .await
            .starts_with("HTTP/1.1 400")
    );
    assert_eq!(open.connections(), 0);
}

#[tokio::test]
async fn the_error_of_a_failed_connection_is_remembered() {
    let closed = { Web::start().await.address() };
    let client = Client::new(ClientSettings {
        policy: Policy::new(vec![closed.to_string().parse().unwrap()]),
        ..ClientSettings::default()
    });
    let proxy = Proxy::start(client.connector().clone(), &page_at(&[PRIVATE]), 1 << 20)
        .await
        .unwrap();
    // The fake web frees its port a moment after it is dropped.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(
        ask(&proxy, &format!("CONNECT {closed} HTTP/1.1\r\n\r\n"))
            .await
            .starts_with("HTTP/1.1 502")
    );
    assert_eq!(
        proxy
            .error(&TargetHost::Ip(closed.ip()), closed.port())
            .unwrap()
            .kind,
        NetworkErrorKind::Refused
    );
}

#[tokio::test]
async fn the_byte_limit_ends_a_response() {
    let open = Web::start().await;
    open.on("/", Behavior::Endless(Reply::new(200, "")));
    let proxy = proxy(&[&open], PRIVATE, 100_000).await;
    let answer = ask(&proxy, &get(&open, "/")).await;
    assert!(answer.len() < 120_000, "{}", answer.len());
    assert!(proxy.exhausted());
}

#[test]
fn hop_by_hop_headers_are_removed() {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("connection", "keep-alive, X-Mine"),
        ("x-mine", "1"),
        ("proxy-connection", "keep-alive"),
        ("accept", "*/*"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    headers.insert(OWN_RESPONSE_HEADER, HeaderValue::from_static("forged"));
    remove_hop_by_hop(&mut headers);
    assert_eq!(
        headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(),
        ["accept"]
    );
}

#[test]
fn a_refused_url_still_has_a_host_and_port() {
    assert_eq!(
        address_of("https://10.0.0.1/"),
        Some((TargetHost::Ip([10, 0, 0, 1].into()), 443))
    );
    assert_eq!(
        address_of("http://LOCALHOST.:81/"),
        Some((TargetHost::Name("localhost".into()), 81))
    );
}

#[test]
fn every_proxy_has_its_own_secret() {
    assert_ne!(fresh_number(), fresh_number());
}

//! Refusals: always a validation fault, never retryable, and nothing is sent.

use fault::{Case, Kind, Retry};
use net::{Client, ClientSettings, Request};
use testkit::{Answer, Behavior, Dns, Web};

use crate::support::{allow, client, client_of, client_with_dns, fails, get, policy};

#[tokio::test]
async fn a_refusal_sends_nothing_and_is_never_retryable() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    let port = web.port();
    let client = client_with_dns(&dns, &[]);
    let urls = [
        (web.url("/"), Case::PolicyPrivateAddress),
        (
            format!("http://[::ffff:127.0.0.1]:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://2130706433:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://localhost:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://app.localhost.:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://wiki.internal:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://intranet:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://[fe80::1%25lo]:{port}/"),
            Case::PolicyPrivateAddress,
        ),
        (
            "http://metadata.google.internal/".into(),
            Case::PolicyPrivateAddress,
        ),
        (
            format!("http://user:pw@example.com:{port}/"),
            Case::InvalidUrl,
        ),
        ("http://example.com:25/".into(), Case::InvalidUrl),
        (
            format!("http://example.com/{}", "a".repeat(9000)),
            Case::InvalidUrl,
        ),
        ("not a url".into(), Case::InvalidUrl),
        ("ftp://example.com/".into(), Case::PolicyScheme),
        ("file:///etc/passwd".into(), Case::PolicyScheme),
    ];
    for (url, expected) in urls {
        let (case, fault) = fails(&client, Request::get(&url)).await;
        assert_eq!(case, expected, "{url}");
        assert_eq!(
            (fault.kind(), fault.advice()),
            (Kind::Validation, Retry::Never),
            "{url}"
        );
    }
    assert_eq!((web.connections(), dns.total()), (0, 0));
}

#[tokio::test]
async fn long_urls_are_refused_for_the_right_reason() {
    let client = client(&[]);
    let url = format!("http://127.0.0.1/{}", "timeout429quota".repeat(400));
    assert_eq!(
        fails(&client, Request::get(url)).await.0,
        Case::PolicyPrivateAddress
    );
}

#[tokio::test]
async fn a_rule_with_a_port_allows_only_that_port() {
    let (open, shut) = (Web::start().await, Web::start().await);
    open.on("/", Behavior::ok("in"));
    shut.on("/", Behavior::ok("secret"));
    let client = client_of(&open);
    assert_eq!(get(&client, &open.url("/")).await.unwrap().body, "in");
    assert_eq!(
        fails(&client, Request::get(shut.url("/"))).await.0,
        Case::PolicyPrivateAddress
    );
    assert_eq!(shut.connections(), 0);
}

#[tokio::test]
async fn a_name_rule_allows_the_name_whatever_it_resolves_to() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/", Behavior::ok("wiki"));
    dns.on("wiki.internal", Answer::ip("127.0.0.1"));
    let client = client_with_dns(&dns, &[&format!("wiki.internal:{}", web.port())]);
    assert_eq!(
        get(&client, &web.url_as("wiki.internal", "/"))
            .await
            .unwrap()
            .body,
        "wiki"
    );
    assert_eq!(
        fails(&client, Request::get(web.url("/"))).await.0,
        Case::PolicyPrivateAddress,
        "the address itself stays shut"
    );
}

#[tokio::test]
async fn a_name_with_one_private_address_is_refused() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    dns.on("mixed.example", Answer::ips(&["127.0.0.1", "10.0.0.1"]));
    dns.on("mixed6.example", Answer::ips(&["127.0.0.1", "fd00::1"]));
    dns.on("private.example", Answer::ip("192.168.1.1"));
    dns.on("metadata.example", Answer::ip("169.254.169.254"));
    dns.on("nat64.example", Answer::ip("64:ff9b::7f00:1"));
    dns.on("mapped.example", Answer::ip("::ffff:10.0.0.1"));
    let client = client_with_dns(&dns, &[&allow(&web)]);
    for name in [
        "mixed.example",
        "mixed6.example",
        "private.example",
        "metadata.example",
        "nat64.example",
        "mapped.example",
    ] {
        let (case, fault) = fails(&client, Request::get(web.url_as(name, "/"))).await;
        assert_eq!(
            (case, fault.advice()),
            (Case::PolicyPrivateAddress, Retry::Never),
            "{name}"
        );
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn a_rebound_name_is_resolved_once_and_reached_at_the_checked_address() {
    let (public, secret, dns) = (Web::start().await, Web::start().await, Dns::start().await);
    public.on("/", Behavior::ok("public"));
    // The first address is allowed, the second is private. A second DNS query would be counted.
    dns.on_each(
        "rebind.example",
        vec![
            Answer::ip("127.0.0.1"),
            Answer::ip("127.0.0.2"),
            Answer::ip("10.0.0.1"),
        ],
    );
    let client = client_with_dns(&dns, &[&allow(&public)]);
    assert_eq!(
        get(&client, &public.url_as("rebind.example", "/"))
            .await
            .unwrap()
            .body,
        "public"
    );
    assert_eq!(dns.asked("rebind.example"), 1);
    // A new connection resolves the name again and checks the new address.
    let (case, _) = fails(&client, Request::get(secret.url_as("rebind.example", "/"))).await;
    assert_eq!(
        (case, secret.connections()),
        (Case::PolicyPrivateAddress, 0)
    );
    assert_eq!(dns.asked("rebind.example"), 2);
}

#[tokio::test]
async fn the_trusted_client_reaches_localhost_and_the_other_does_not() {
    let web = Web::start().await;
    web.on("/search", Behavior::json(200, &testkit_json()));
    let trusted = Client::trusted(ClientSettings::default());
    let pages = Client::new(ClientSettings {
        policy: policy(&[]),
        ..ClientSettings::default()
    });
    assert!(
        get(&trusted, &web.url("/search"))
            .await
            .unwrap()
            .is_success()
    );
    assert_eq!(
        fails(&pages, Request::get(web.url("/search"))).await.0,
        Case::PolicyPrivateAddress
    );
    assert_eq!(web.connections(), 1);
    assert!(web.seen()[0].header("referer").is_none());
}

fn testkit_json() -> serde_json::Value {
    serde_json::json!({"results": []})
}

#[tokio::test]
async fn proxy_variables_are_ignored() {
    // The client does not support proxies: the server sees its own Host, and a target in origin
    // form.
    let web = Web::start().await;
    web.on("/a", Behavior::ok("direct"));
    get(&client_of(&web), &web.url("/a?b=1")).await.unwrap();
    let seen = web.seen();
    assert_eq!(seen[0].target, "/a?b=1");
    assert_eq!(
        seen[0].header("host"),
        Some(web.address().to_string().as_str())
    );
}

#[tokio::test]
async fn checking_a_target_gives_its_addresses_without_connecting() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    dns.on("page.example", Answer::ips(&["127.0.0.1"]))
        .on("inside.example", Answer::ip("10.0.0.1"));
    let client = client_with_dns(&dns, &[&allow(&web)]);
    let checked = client
        .check_target(&Request::get(web.url_as("page.example", "/")))
        .await
        .unwrap();
    assert_eq!(checked.addresses, [web.address()]);
    for url in [
        "http://inside.example/",
        "http://10.0.0.1/",
        "http://localhost/",
    ] {
        assert_eq!(
            client
                .check_target(&Request::get(url))
                .await
                .unwrap_err()
                .case(),
            Case::PolicyPrivateAddress,
            "{url}"
        );
    }
    assert_eq!(web.connections(), 0);
}

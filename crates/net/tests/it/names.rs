//! How DNS answers are handled.

use std::time::Duration;

use fault::{Case, Phase, Retry};
use net::Request;
use testkit::{Answer, Behavior, Dns, Web};

use crate::support::{allow, client_with_dns, fails, fails_within, get};

#[tokio::test]
async fn a_name_that_does_not_exist_is_final() {
    let dns = Dns::start().await;
    let client = client_with_dns(&dns, &[]);
    let (case, fault) = fails(&client, Request::get("http://nowhere.example/")).await;
    assert_eq!(
        (case, fault.advice(), fault.seen_phase()),
        (Case::Nxdomain, Retry::Never, Some(Phase::Dns))
    );
    assert_eq!(fault.seen_host().unwrap().to_string(), "nowhere.example");
}

#[tokio::test]
async fn a_name_without_addresses_is_final_too() {
    let dns = Dns::start().await;
    dns.on("mailonly.example", Answer::Addresses(Vec::new()));
    let client = client_with_dns(&dns, &[]);
    assert_eq!(
        fails(&client, Request::get("http://mailonly.example/"))
            .await
            .0,
        Case::Nxdomain
    );
}

#[tokio::test]
async fn a_failing_dns_server_is_retryable() {
    let dns = Dns::start().await;
    dns.on("broken.example", Answer::Servfail)
        .on("shy.example", Answer::Refused);
    let client = client_with_dns(&dns, &[]);
    for name in ["broken.example", "shy.example"] {
        let (case, fault) = fails(&client, Request::get(format!("http://{name}/"))).await;
        assert_eq!(
            (case, fault.advice().is_possible()),
            (Case::Dns, true),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_silent_dns_server_meets_the_deadline() {
    let dns = Dns::start().await;
    dns.on("silent.example", Answer::Silence);
    let client = client_with_dns(&dns, &[]);
    let (case, fault) = fails_within(
        &client,
        "http://silent.example/",
        Duration::from_millis(400),
    )
    .await;
    assert_eq!(
        (case, fault.seen_phase()),
        (Case::Timeout, Some(Phase::Dns))
    );
}

#[tokio::test]
async fn a_late_private_address_refuses_the_name() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/", Behavior::ok("reached"));
    dns.on(
        "late.example",
        Answer::late_v6(&["127.0.0.1", "fd00::1"], Duration::from_millis(300)),
    );
    let client = client_with_dns(&dns, &[&allow(&web)]);
    assert_eq!(
        fails(&client, Request::get(web.url_as("late.example", "/")))
            .await
            .0,
        Case::PolicyPrivateAddress
    );
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn a_server_that_drops_questions_of_one_family_does_not_stop_the_other() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/", Behavior::ok("reached"));
    let dropped = Answer::late_v6(&["127.0.0.1"], Duration::from_secs(60));
    dns.on("v4only.example", dropped.clone())
        .on("hurried.example", dropped);
    let client = client_with_dns(&dns, &[&allow(&web)]);
    assert_eq!(
        get(&client, &web.url_as("v4only.example", "/"))
            .await
            .unwrap()
            .body,
        "reached"
    );
    // The families share a short deadline.
    let request = Request::get(web.url_as("hurried.example", "/")).within(Duration::from_secs(1));
    assert!(client.send(request).await.is_ok());
}

#[tokio::test]
async fn names_are_resolved_without_search_domains() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/", Behavior::ok("hi"));
    dns.on("www.example.com", Answer::ip("127.0.0.1"));
    let client = client_with_dns(&dns, &[&allow(&web)]);
    let response = get(&client, &web.url_as("WWW.Example.COM.", "/"))
        .await
        .unwrap();
    assert_eq!(response.final_url.host_str(), Some("www.example.com"));
    assert!(
        response.timings.dns.is_some()
            && response.timings.connect.is_some()
            && response.timings.tls.is_none()
    );
    assert!(dns.total() <= 2, "one question per family");
}

#[tokio::test]
async fn an_unreachable_address_does_not_hide_a_reachable_one() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/", Behavior::ok("alive"));
    // Nothing listens on the other loopback addresses.
    dns.on("twohomes.example", Answer::ips(&["127.0.0.9", "127.0.0.1"]));
    let client = client_with_dns(&dns, &["127.0.0.0/8"]);
    assert_eq!(
        get(&client, &web.url_as("twohomes.example", "/"))
            .await
            .unwrap()
            .body,
        "alive"
    );
}

#[tokio::test]
async fn ipv6_literals_are_reached() {
    let Some(web) = Web::start_v6().await else {
        return;
    };
    web.on("/", Behavior::ok("six"));
    let client = crate::support::client_of(&web);
    assert_eq!(get(&client, &web.url("/")).await.unwrap().body, "six");
}

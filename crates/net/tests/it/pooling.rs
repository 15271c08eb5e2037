//! Keep-alive: connections are reused, and a stale one does not cause a failure.

use std::time::Duration;

use fault::Case;
use net::{Client, ClientSettings, Request};
use testkit::{Answer, Behavior, Dns, Web};

use crate::support::{allow, client_of, client_with_dns, fails, get};

#[tokio::test]
async fn connections_are_reused() {
    let web = Web::start().await;
    web.on("/", Behavior::ok("again"));
    let client = client_of(&web);
    for _ in 0..5 {
        get(&client, &web.url("/")).await.unwrap();
    }
    assert_eq!((web.hits("/"), web.connections()), (5, 1));
}

#[tokio::test]
async fn thirty_reads_against_a_server_that_closes_idle_connections() {
    let web = Web::start().await;
    web.on("/", Behavior::ok("fine"));
    // As close to the race as a test can get: the server closes the connection just when the next
    // request is sent.
    web.close_idle_after(Duration::from_millis(5));
    let client = client_of(&web);
    for turn in 0..30 {
        let response = get(&client, &web.url("/")).await;
        assert!(
            response.is_ok(),
            "read {turn}: {:?}",
            response.err().map(|fault| fault.case())
        );
        tokio::time::sleep(Duration::from_millis(4 + turn % 4)).await;
    }
}

#[tokio::test]
async fn a_reused_connection_that_dies_is_retried_once_on_a_fresh_one() {
    let web = Web::start().await;
    web.on("/warm", Behavior::ok("warm"));
    // The server reads the second request and closes without sending a byte, like a stale
    // connection.
    for stale in [Behavior::Close, Behavior::Reset] {
        web.on_each("/", vec![stale, Behavior::ok("second try")]);
        let client = client_of(&web);
        let before = (web.hits("/"), web.connections());
        get(&client, &web.url("/warm")).await.unwrap();
        assert_eq!(
            get(&client, &web.url("/")).await.unwrap().body,
            "second try"
        );
        assert_eq!(
            (web.hits("/") - before.0, web.connections() - before.1),
            (2, 2)
        );
    }
}

#[tokio::test]
async fn a_body_where_none_may_be_does_not_spoil_the_next_response() {
    let web = Web::start().await;
    web.on("/page", Behavior::ok("the page"))
        .on("/204", Behavior::html(204, "a body"))
        .on("/304", Behavior::html(304, "a body"));
    let client = client_of(&web);
    for empty in ["/204", "/304"] {
        let _ = get(&client, &web.url(empty)).await;
        assert_eq!(
            get(&client, &web.url("/page")).await.unwrap().body,
            "the page",
            "after {empty}"
        );
    }
}

#[tokio::test]
async fn a_failure_of_the_second_attempt_is_reported() {
    let web = Web::start().await;
    web.on("/warm", Behavior::ok("warm"))
        .on("/", Behavior::Reset);
    let client = client_of(&web);
    get(&client, &web.url("/warm")).await.unwrap();
    assert_eq!(
        fails(&client, Request::get(web.url("/"))).await.0,
        Case::ConnectionReset
    );
    assert_eq!(web.hits("/"), 2);
}

#[tokio::test]
async fn a_response_that_has_started_is_not_requested_again() {
    let web = Web::start().await;
    web.on("/warm", Behavior::ok("warm")).on(
        "/",
        Behavior::Raw(b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()),
    );
    let client = client_of(&web);
    get(&client, &web.url("/warm")).await.unwrap();
    assert_eq!(
        fails(&client, Request::get(web.url("/"))).await.0,
        Case::ConnectionReset
    );
    assert_eq!(web.hits("/"), 1);
}

#[tokio::test]
async fn a_post_is_repeated_only_when_it_is_marked() {
    let web = Web::start().await;
    web.on("/warm", Behavior::ok("warm"))
        .on_each("/", vec![Behavior::Close, Behavior::ok("done")]);
    let client = Client::trusted(ClientSettings::default());
    get(&client, &web.url("/warm")).await.unwrap();
    assert_eq!(
        fails(&client, Request::post(web.url("/"), "q")).await.0,
        Case::ConnectionReset
    );
    assert_eq!(web.hits("/"), 1);
    web.on_each("/", vec![Behavior::Close, Behavior::ok("done")]);
    get(&client, &web.url("/warm")).await.unwrap();
    assert!(
        client
            .send(Request::post(web.url("/"), "q").replayable())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn trusted_and_checked_clients_share_no_connection() {
    let web = Web::start().await;
    web.on("/", Behavior::ok("x"));
    let (trusted, checked) = (Client::trusted(ClientSettings::default()), client_of(&web));
    get(&trusted, &web.url("/")).await.unwrap();
    get(&checked, &web.url("/")).await.unwrap();
    assert_eq!(web.connections(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_names_are_resolved_at_once() {
    let (web, dns) = (Web::start().await, Dns::start().await);
    web.on("/", Behavior::ok("x"));
    let client = client_with_dns(&dns, &[&allow(&web)]);
    let mut running = tokio::task::JoinSet::new();
    for number in 0..200 {
        let name = format!("n{number}.example");
        dns.on(&name, Answer::ip("127.0.0.1"));
        let (client, url) = (client.clone(), web.url_as(&name, "/"));
        running.spawn(async move {
            get(&client, &url)
                .await
                .map(|response| response.status)
                .map_err(|fault| fault.case())
        });
    }
    for outcome in running.join_all().await {
        assert_eq!(outcome, Ok(200));
    }
}

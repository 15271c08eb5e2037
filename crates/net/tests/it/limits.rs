//! Time: one deadline over everything, and a cancellation that is not a timeout.

use std::time::{Duration, Instant};

use fault::{Case, Origin, Phase, Retry, Size};
use net::{Client, ClientSettings, MemoryBudget, Request};
use testkit::{Behavior, Reply, Web};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::support::{GRACE, allow, client_of, fails, fails_within, policy};

const LIMIT: Duration = Duration::from_millis(400);

fn page(bytes: usize) -> Reply {
    Reply::new(200, vec![b'x'; bytes])
}

#[tokio::test]
async fn a_stalled_head_meets_the_deadline() {
    let web = Web::start().await;
    web.on("/", Behavior::StallHead);
    let (case, fault) = fails_within(&client_of(&web), &web.url("/"), LIMIT).await;
    assert_eq!(
        (case, fault.seen_phase()),
        (Case::Timeout, Some(Phase::Headers))
    );
    assert!(
        fault.sentence().as_str().contains("0.4 s"),
        "{}",
        fault.sentence()
    );
}

#[tokio::test]
async fn a_stalled_body_meets_the_deadline() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::StallBody {
            reply: page(1000),
            after: 10,
        },
    );
    let (case, fault) = fails_within(&client_of(&web), &web.url("/"), LIMIT).await;
    assert_eq!(
        (case, fault.seen_phase(), fault.seen_size()),
        (Case::Timeout, Some(Phase::Body), Some(Size::Bytes(10)))
    );
}

#[tokio::test]
async fn a_body_that_waited_for_memory_is_not_the_sites_timeout() {
    const BYTES: usize = 1 << 20;
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::StallBody {
            reply: page(BYTES),
            after: BYTES / 2,
        },
    );
    let memory = MemoryBudget::new(16 << 20);
    let client = Client::new(ClientSettings {
        policy: policy(&[&allow(&web)]),
        memory: memory.clone(),
        ..ClientSettings::default()
    });
    let mut taken = Vec::new();
    while let Ok(room) = timeout(Duration::from_millis(50), memory.reserve(BYTES as u64)).await {
        taken.push(room);
    }
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        drop(taken);
    });
    let limit = Duration::from_secs(3);
    let (case, fault) = fails_within(&client, &web.url("/"), limit).await;
    assert_eq!(case, Case::LocalLimit, "{}", fault.sentence());
}

#[tokio::test]
async fn a_dripping_body_meets_the_deadline() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::Drip {
            reply: page(10_000),
            piece: 1,
            every: Duration::from_millis(20),
        },
    );
    assert_eq!(
        fails_within(&client_of(&web), &web.url("/"), LIMIT).await.0,
        Case::Timeout
    );
}

#[tokio::test]
async fn an_endless_body_meets_the_deadline_or_the_cap() {
    let web = Web::start().await;
    web.on("/", Behavior::Endless(Reply::new(200, "")));
    web.on("/slow", Behavior::Endless(Reply::new(200, "x")));
    let client = client_of(&web);
    let response = client
        .send(
            Request::get(web.url("/"))
                .within(Duration::from_secs(10))
                .at_most(1 << 20, 1 << 20),
        )
        .await
        .unwrap();
    assert_eq!(
        (response.body.len(), response.truncated, response.raw_bytes),
        (1 << 20, true, 1 << 20)
    );
    let started = Instant::now();
    let request = Request::get(web.url("/slow"))
        .within(LIMIT)
        .at_most(u64::MAX, u64::MAX);
    assert_eq!(fails(&client, request).await.0, Case::Timeout);
    assert!(started.elapsed() < LIMIT + GRACE);
}

#[tokio::test]
async fn the_deadline_covers_redirects_together() {
    let web = Web::start().await;
    for step in 0..5 {
        let reply = Reply::new(302, "").header("Location", format!("/{}", step + 1));
        web.on(
            &format!("/{step}"),
            Behavior::Slow {
                reply,
                wait: Duration::from_millis(150),
            },
        );
    }
    let (case, _) = fails_within(&client_of(&web), &web.url("/0"), LIMIT).await;
    assert_eq!(case, Case::Timeout);
    assert!(web.seen().len() <= 3);
}

#[tokio::test]
async fn a_deadline_in_the_past_sends_nothing() {
    let web = Web::start().await;
    let (case, _) = fails(
        &client_of(&web),
        Request::get(web.url("/")).within(Duration::ZERO),
    )
    .await;
    assert_eq!((case, web.connections()), (Case::Timeout, 0));
}

#[tokio::test]
async fn cancelling_stops_at_once_and_is_not_a_timeout() {
    let web = Web::start().await;
    web.on("/head", Behavior::StallHead).on(
        "/body",
        Behavior::StallBody {
            reply: page(1000),
            after: 10,
        },
    );
    let client = client_of(&web);
    for path in ["/head", "/body"] {
        let cancel = CancellationToken::new();
        let (token, started) = (cancel.clone(), Instant::now());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            token.cancel();
        });
        let request = Request::get(web.url(path))
            .within(Duration::from_secs(30))
            .cancelled_by(cancel);
        let (case, fault) = fails(&client, request).await;
        assert_eq!(
            (case, fault.advice(), fault.origin()),
            (Case::Cancelled, Retry::Never, Origin::Local)
        );
        assert!(started.elapsed() < Duration::from_millis(100) + GRACE);
    }
}

#[tokio::test]
async fn cancelled_before_the_start_sends_nothing() {
    let web = Web::start().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (case, _) = fails(
        &client_of(&web),
        Request::get(web.url("/")).cancelled_by(cancel),
    )
    .await;
    assert_eq!((case, web.connections()), (Case::Cancelled, 0));
}

#[tokio::test]
async fn a_cancelled_request_past_its_deadline_counts_as_cancelled() {
    let web = Web::start().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = Request::get(web.url("/"))
        .within(Duration::ZERO)
        .cancelled_by(cancel);
    assert_eq!(fails(&client_of(&web), request).await.0, Case::Cancelled);
}

#[tokio::test]
async fn an_error_status_is_reported_even_when_its_body_stalls() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::StallBody {
            reply: Reply::new(503, "partly here").header("Retry-After", "9"),
            after: 6,
        },
    );
    let response = client_of(&web)
        .send(Request::get(web.url("/")).within(LIMIT))
        .await
        .unwrap();
    assert_eq!(
        (response.status, response.truncated, &response.body[..]),
        (503, true, &b"partly"[..])
    );
    assert_eq!(
        response.fault(Origin::Page).unwrap().advice(),
        Retry::After(Duration::from_secs(9))
    );
}

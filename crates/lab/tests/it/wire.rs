//! Connection faults, limits, and many clients at once.

use std::time::{Duration, Instant};

use lab::{FaultMode, OrderedFault};

use crate::client::{get, raw, raw_within, start};

const TARGET: &str = "/hackernews/search?query=sodium";

#[tokio::test]
async fn each_connection_fault_ends_in_its_own_way() {
    let lab = start().await;
    let mut seen = Vec::new();
    for mode in [
        FaultMode::Reset,
        FaultMode::Closed,
        FaultMode::Truncated,
        FaultMode::ResetBody,
        FaultMode::EmptyBody,
    ] {
        lab.clear();
        lab.fault(OrderedFault::new("hackernews", mode));
        let end = get(&lab, TARGET).await;
        let claimed: usize = end
            .header("Content-Length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        seen.push((mode, end.reset, end.status(), claimed > end.body().len()));
    }
    assert_eq!(
        seen,
        [
            (FaultMode::Reset, true, 0, false),
            (FaultMode::Closed, false, 0, false),
            (FaultMode::Truncated, false, 200, true),
            (FaultMode::ResetBody, true, 200, true),
            (FaultMode::EmptyBody, false, 200, false),
        ]
    );
}

#[tokio::test]
async fn a_stall_sends_only_its_first_part() {
    let lab = start().await;
    for (mode, status) in [(FaultMode::StalledHead, 0), (FaultMode::Stalled, 200)] {
        lab.clear();
        lab.fault(OrderedFault::new("hackernews", mode));
        let request = format!("GET {TARGET} HTTP/1.1\r\nHost: lab\r\n\r\n");
        let seen = raw_within(&lab, request.as_bytes(), Duration::from_millis(500)).await;
        assert_eq!((seen.status(), seen.reset), (status, false), "{mode:?}");
    }
}

#[tokio::test]
async fn a_slow_reply_is_late_and_complete() {
    let lab = start().await;
    lab.fault(OrderedFault::new("*", FaultMode::Slow).delay(Duration::from_millis(150)));
    let started = Instant::now();
    let late = get(&lab, TARGET).await;
    assert!(started.elapsed() >= Duration::from_millis(150) && late.json()["hits"].is_array());
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let lab = start().await;
    let one = format!("GET {TARGET} HTTP/1.1\r\nHost: lab\r\n\r\n");
    let last = format!("GET {TARGET} HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n");
    let seen = raw(&lab, format!("{one}{one}{last}").as_bytes()).await;
    assert_eq!(seen.text.matches("HTTP/1.1 200 OK").count(), 3);
    assert_eq!(lab.count("hackernews"), 3);
}

#[tokio::test]
async fn invalid_and_oversized_requests_are_refused() {
    let lab = start().await;
    let long = format!("GET /lab HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(70_000));
    let cases: [(&[u8], u16); 5] = [
        (b"nonsense\r\n\r\n", 400),
        (b"GET http://elsewhere.example/ HTTP/1.1\r\n\r\n", 400),
        (
            b"POST /lab/fault HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            411,
        ),
        (
            b"POST /lab/fault HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
            413,
        ),
        (long.as_bytes(), 431),
    ];
    for (bytes, status) in cases {
        assert_eq!(raw(&lab, bytes).await.status(), status, "{status}");
    }
}

#[tokio::test]
async fn many_clients_are_served_at_once() {
    let lab = std::sync::Arc::new(start().await);
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..300 {
        let lab = std::sync::Arc::clone(&lab);
        clients.spawn(async move { get(&lab, TARGET).await.status() });
    }
    let served = clients.join_all().await;
    assert!(served.iter().all(|status| *status == 200));
    assert_eq!(lab.count("hackernews"), 300);
}

#[tokio::test]
async fn dropping_the_lab_frees_its_port() {
    let lab = start().await;
    let address = lab.address();
    drop(lab);
    tokio::time::timeout(Duration::from_secs(5), async {
        while lab::Lab::start(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .unwrap();
}

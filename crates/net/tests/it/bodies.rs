//! Bodies: encodings, bombs, limits and wrong lengths.

use std::time::{Duration, Instant};

use fault::{Case, Retry};
use net::Request;
use testkit::{Behavior, Reply, Web, bodies};

use crate::support::{client_of, fails, get};

#[tokio::test]
async fn encodings_are_requested_and_decoded() {
    let web = Web::start().await;
    let plain = b"<p>Gr\xc3\xbc\xc3\x9fe</p>".repeat(1000);
    web.on("/gzip", Behavior::encoded("gzip", bodies::gzip(&plain)))
        .on(
            "/deflate",
            Behavior::encoded("deflate", bodies::zlib(&plain)),
        )
        .on(
            "/raw",
            Behavior::encoded("deflate", bodies::raw_deflate(&plain)),
        )
        .on(
            "/br",
            Behavior::encoded("br", bodies::brotli_stored(&plain)),
        )
        .on(
            "/two",
            Behavior::encoded("gzip, br", bodies::brotli_stored(&bodies::gzip(&plain))),
        )
        .on("/plain", Behavior::ok(plain.clone()));
    let client = client_of(&web);
    for path in ["/gzip", "/deflate", "/raw", "/br", "/two", "/plain"] {
        let response = get(&client, &web.url(path)).await.unwrap();
        assert!(response.body == plain && !response.truncated, "{path}");
    }
    assert_eq!(
        web.seen()[0].header("accept-encoding"),
        Some("gzip, deflate, br")
    );
}

#[tokio::test]
async fn bombs_are_truncated_at_the_limit_quickly() {
    let web = Web::start().await;
    web.on("/gzip", Behavior::encoded("gzip", bodies::gzip_bomb(200)))
        .on("/br", Behavior::encoded("br", bodies::brotli_bomb(64)))
        .on(
            "/both",
            Behavior::encoded("br, gzip", bodies::gzip(&bodies::brotli_bomb(64))),
        );
    let client = client_of(&web);
    for path in ["/gzip", "/br", "/both"] {
        let started = Instant::now();
        let response = client
            .send(Request::get(web.url(path)).at_most(10 << 20, 2 << 20))
            .await
            .unwrap();
        assert_eq!(
            (response.body.len(), response.truncated),
            (2 << 20, true),
            "{path}"
        );
        assert!(response.raw_bytes < 1 << 20);
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{path} took {:?}",
            started.elapsed()
        );
    }
}

#[tokio::test]
async fn limits_truncate_and_mark_the_body() {
    let web = Web::start().await;
    web.on("/", Behavior::ok("0123456789"));
    let client = client_of(&web);
    for (raw, decoded, kept, cut) in [
        (10, 10, 10, false),
        (9, 10, 9, true),
        (10, 9, 9, true),
        (0, 10, 0, true),
    ] {
        let response = client
            .send(Request::get(web.url("/")).at_most(raw, decoded))
            .await
            .unwrap();
        assert_eq!(
            (response.body.len(), response.truncated),
            (kept, cut),
            "{raw} {decoded}"
        );
    }
}

#[tokio::test]
async fn an_encoding_that_was_not_decoded_is_refused() {
    let web = Web::start().await;
    web.on("/zstd", Behavior::encoded("zstd", b"whatever".to_vec()))
        .on(
            "/deep",
            Behavior::encoded("gzip, gzip, gzip", bodies::gzip(b"x")),
        );
    let client = client_of(&web);
    for path in ["/zstd", "/deep"] {
        let (case, fault) = fails(&client, Request::get(web.url(path))).await;
        assert_eq!(
            (case, fault.advice()),
            (Case::UnsupportedType, Retry::Never),
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_error_status_outweighs_a_body_that_cannot_be_decoded() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::from(Reply::new(404, "??").header("Content-Encoding", "zstd")),
    );
    web.on(
        "/cut",
        Behavior::ShortBody {
            reply: Reply::new(500, "half"),
            claim: 100,
        },
    );
    let client = client_of(&web);
    let response = get(&client, &web.url("/")).await.unwrap();
    assert_eq!((response.status, response.truncated), (404, true));
    let response = get(&client, &web.url("/cut")).await.unwrap();
    assert_eq!(
        (response.status, response.truncated, &response.body[..]),
        (500, true, &b"half"[..])
    );
}

#[tokio::test]
async fn an_invalid_encoding_is_the_sites_fault() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::encoded("gzip", b"<html>not gzip</html>".to_vec()),
    );
    let (case, fault) = fails(&client_of(&web), Request::get(web.url("/"))).await;
    assert_eq!((case, fault.advice()), (Case::BadShape, Retry::Never));
}

#[tokio::test]
async fn an_incomplete_body_is_retryable() {
    let web = Web::start().await;
    let gzip = bodies::gzip(&b"some text that is long enough to cut ".repeat(100));
    web.on(
        "/length",
        Behavior::ShortBody {
            reply: Reply::new(200, "half of it"),
            claim: 1000,
        },
    )
    .on(
        "/chunks",
        Behavior::CutChunked(Reply::new(200, "half of it")),
    )
    .on(
        "/gzip",
        Behavior::encoded("gzip", gzip[..gzip.len() / 2].to_vec()),
    );
    let client = client_of(&web);
    for path in ["/length", "/chunks", "/gzip"] {
        let (case, fault) = fails(&client, Request::get(web.url(path))).await;
        assert_eq!(
            (case, fault.advice().is_possible()),
            (Case::TruncatedBody, true),
            "{path}"
        );
        assert!(fault.seen_size().is_some());
    }
}

#[tokio::test]
async fn our_own_limit_is_not_an_incomplete_body() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::ShortBody {
            reply: Reply::new(200, "half of it"),
            claim: 1000,
        },
    );
    let response = client_of(&web)
        .send(Request::get(web.url("/")).at_most(4, 4))
        .await
        .unwrap();
    assert_eq!(
        (&response.body[..], response.truncated),
        (&b"half"[..], true)
    );
}

#[tokio::test]
async fn a_body_that_ends_with_the_connection_is_complete() {
    let web = Web::start().await;
    web.on(
        "/",
        Behavior::from(Reply::new(200, "all of it").until_close()),
    );
    let response = get(&client_of(&web), &web.url("/")).await.unwrap();
    assert_eq!(
        (&response.body[..], response.truncated),
        (&b"all of it"[..], false)
    );
}

#[tokio::test]
async fn empty_responses_are_no_errors() {
    let web = Web::start().await;
    web.on("/204", Behavior::status(204))
        .on("/gzip", Behavior::encoded("gzip", Vec::new()));
    let client = client_of(&web);
    for path in ["/204", "/gzip"] {
        let response = get(&client, &web.url(path)).await.unwrap();
        assert!(response.body.is_empty() && !response.truncated, "{path}");
    }
}

//! Statuses of pages and of providers, and the waits in their responses.

use std::time::Duration;

use fault::{Action, Case, Kind, Origin, Retry};
use testkit::{Behavior, Reply, Web};

use crate::support::{client_of, get};

#[tokio::test]
async fn waits_are_read_from_headers_and_problem_documents() {
    let web = Web::start().await;
    let problem = r#"{"type":"https://example.com/p","title":"Slow down","status":429,"cloudflare_error":true,"error_code":1015,"retryable":true,"retry_after":30}"#;
    web.on(
        "/seconds",
        Behavior::from(Reply::new(429, "").header("Retry-After", "5")),
    )
    .on(
        "/date",
        Behavior::from(
            Reply::new(429, "")
                .header("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT")
                .header("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ),
    )
    .on(
        "/reset",
        Behavior::from(Reply::new(429, "").header("X-RateLimit-Reset", "12")),
    )
    .on(
        "/problem",
        Behavior::from(
            Reply::new(429, problem)
                .header("Content-Type", "application/problem+json; charset=utf-8"),
        ),
    )
    .on("/default", Behavior::status(429));
    let client = client_of(&web);
    for (path, seconds) in [
        ("/seconds", 5),
        ("/date", 60),
        ("/reset", 12),
        ("/problem", 30),
        ("/default", 60),
    ] {
        let fault = get(&client, &web.url(path))
            .await
            .unwrap()
            .fault(Origin::Provider)
            .unwrap();
        assert_eq!(
            (fault.kind(), fault.advice()),
            (
                Kind::RateLimited,
                Retry::After(Duration::from_secs(seconds))
            ),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_status_is_classified_by_its_sender() {
    let web = Web::start().await;
    for status in [401, 403, 404, 503] {
        web.on(
            &format!("/{status}"),
            Behavior::html(status, "rate limit quota timeout 429 captcha"),
        );
    }
    let client = client_of(&web);
    let table = [
        (
            401,
            Case::MissingCredentials,
            Action::InformUser,
            Case::BadKey,
            Action::CheckApiKey,
        ),
        (
            403,
            Case::Http403,
            Action::InformUser,
            Case::Forbidden,
            Action::CheckApiKey,
        ),
        (
            404,
            Case::Http404,
            Action::InformUser,
            Case::BadRequest,
            Action::BroadenQuery,
        ),
        (
            503,
            Case::HttpStatus,
            Action::RetryAfterDelay,
            Case::HttpStatus,
            Action::TryDifferentProvider,
        ),
    ];
    for (status, page, page_action, provider, provider_action) in table {
        let response = get(&client, &web.url(&format!("/{status}"))).await.unwrap();
        let (from_page, from_provider) = (
            response.fault(Origin::Page).unwrap(),
            response.fault(Origin::Provider).unwrap(),
        );
        assert_eq!(
            (from_page.case(), from_page.action()),
            (page, page_action),
            "{status}"
        );
        assert_eq!(
            (from_provider.case(), from_provider.action()),
            (provider, provider_action),
            "{status}"
        );
        assert_eq!(from_page.seen_status(), Some(status));
        assert_eq!(
            from_page.seen_host().unwrap().to_string(),
            web.address().to_string()
        );
    }
}

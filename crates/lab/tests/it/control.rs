//! Ordered faults, counters and keys over HTTP.

use lab::{FaultMode, OrderedFault};
use serde_json::json;

use crate::client::{get, send, start, start_local};

#[tokio::test]
async fn an_ordered_fault_happens_and_is_used_up() {
    let lab = start().await;
    let order = json!({"provider": "hackernews", "mode": "rate_limited", "times": 1, "retry_after": "seconds", "seconds": 9}).to_string();
    assert_eq!(
        send(&lab, "POST", "/lab/fault", "", &order).await.status(),
        200
    );
    let refused = get(&lab, "/hackernews/search?query=sodium").await;
    assert_eq!(
        (refused.status(), refused.header("Retry-After")),
        (429, Some("9"))
    );
    assert_eq!(
        get(&lab, "/hackernews/search?query=sodium").await.status(),
        200
    );
    assert_eq!(
        get(&lab, "/lab/counts").await.json(),
        json!({"counts": {"hackernews": 2}})
    );
    assert_eq!(send(&lab, "POST", "/lab/reset", "", "").await.status(), 200);
    assert!(lab.counts().is_empty() && lab.ordered_faults().is_empty());
}

#[tokio::test]
async fn the_overview_lists_what_can_be_used() {
    let lab = start().await;
    let overview = get(&lab, "/lab").await.json();
    assert_eq!(
        overview["apis"].as_array().unwrap().len(),
        lab::apis().len()
    );
    assert_eq!(
        overview["modes"].as_array().unwrap().len(),
        FaultMode::ALL.len()
    );
    // The example in the overview works as it is.
    assert_eq!(
        send(
            &lab,
            "POST",
            "/lab/fault",
            "",
            &overview["example"].to_string()
        )
        .await
        .status(),
        200
    );
}

#[tokio::test]
async fn a_bad_order_says_what_is_wrong_and_changes_nothing() {
    let lab = start().await;
    for order in [
        "",
        "[]",
        "{\"provider\":\"brave\"}",
        "{\"provider\":\"nobody\",\"mode\":\"reset\"}",
        "{\"provider\":\"*\",\"mode\":\"resets\"}",
    ] {
        let refused = send(&lab, "POST", "/lab/fault", "", order).await;
        assert_eq!(refused.status(), 400, "{order}");
        assert!(refused.json()["error"].is_string(), "{order}");
    }
    assert!(lab.ordered_faults().is_empty());
}

#[tokio::test]
async fn every_key_is_checked_as_the_api_checks_it() {
    let lab = start().await;
    let web = "/brave/web/search?q=sodium";
    let missing = get(&lab, web).await;
    assert_eq!(
        (missing.status(), &missing.json()["error"]["code"]),
        (422, &json!("VALIDATION"))
    );
    let wrong = send(&lab, "GET", web, "X-Subscription-Token: no\r\n", "").await;
    assert_eq!(
        (wrong.status(), &wrong.json()["error"]["code"]),
        (422, &json!("SUBSCRIPTION_TOKEN_INVALID"))
    );
    let key = format!("X-Subscription-Token: {}\r\n", lab::KEY);
    let right = send(&lab, "GET", web, &key, "").await;
    assert!(
        right.json()["web"]["results"]
            .as_array()
            .is_some_and(|results| !results.is_empty())
    );
    assert_eq!(right.header("X-RateLimit-Remaining"), Some("1, 1999"));
}

#[tokio::test]
async fn local_links_can_be_read_and_others_cannot() {
    let lab = start_local().await;
    let found = get(&lab, "/hackernews/search?query=fingerpost")
        .await
        .json();
    let url = found["hits"][0]["url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix(&lab.base_url()).unwrap();
    let page = get(&lab, path).await;
    assert_eq!(page.status(), 200);
    assert!(page.body().contains("<article>") && page.body().contains("fingerpost"));
    assert_eq!(get(&lab, "/pages/nowhere.example/x").await.status(), 404);
    assert_eq!(get(&lab, "/nobody/search").await.status(), 404);
    let elsewhere = start().await;
    let found = get(&elsewhere, "/hackernews/search?query=fingerpost")
        .await
        .json();
    assert!(
        found["hits"][0]["url"]
            .as_str()
            .unwrap()
            .starts_with("https://www.fingerposts.example/")
    );
}

#[tokio::test]
async fn the_settings_lead_to_every_api() {
    let lab = start().await;
    let settings = lab.settings();
    for api in lab::apis() {
        assert!(
            settings.contains(&(format!("{}-url", api.id), lab.url_of(api.id))),
            "{}",
            api.id
        );
        let has_key = settings
            .iter()
            .any(|(name, _)| *name == format!("{}-api-key", api.id));
        assert_eq!(has_key, api.key != lab::KeyLocation::None, "{}", api.id);
    }
}

#[tokio::test]
async fn requests_are_remembered_as_the_api_saw_them() {
    let lab = start().await;
    lab.fault(OrderedFault::new("tavily", FaultMode::Internal));
    send(
        &lab,
        "POST",
        "/tavily/search",
        "X-Mark: yes\r\n",
        "{\"query\":\"x\"}",
    )
    .await;
    let seen = lab.seen("tavily");
    assert_eq!(
        (seen.len(), seen[0].path.as_str(), seen[0].header("x-mark")),
        (1, "/search", Some("yes"))
    );
    assert_eq!(seen[0].json().unwrap()["query"], "x");
}

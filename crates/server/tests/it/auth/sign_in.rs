//! The browser's way in: a form, a cookie, and what the cookie is good for.

use super::{ADA, BOB, assert_problem, token_file, write_tokens};
use crate::client::{Answer, HttpServer};

async fn server(file: &tempfile::NamedTempFile) -> HttpServer {
    let path = file.path().to_str().unwrap();
    HttpServer::spawn(&["--ephemeral", "--tokens", path]).await
}

async fn sign_in(server: &HttpServer, token: &str, to: &str, origin: Option<&str>) -> Answer {
    let own = format!("http://{}", server.address);
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Origin", origin.unwrap_or(&own)),
    ];
    let form = format!("to={to}&token={token}");
    server
        .send("POST", "/sign-in", &headers, form.as_bytes())
        .await
}

fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").expect("a cookie");
    set.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_in_the_form_becomes_a_cookie_that_holds_no_token() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file).await;
    let form = server
        .send("GET", "/sign-in?to=/x%22%3E%3Cscript%3E", &[], b"")
        .await;
    assert_eq!(form.status, 200);
    assert!(
        form.body.contains("type=\"password\"") && !form.body.contains("<script>"),
        "{form:?}"
    );
    let policy = form.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    let signed_in = sign_in(&server, ADA, "/there", None).await;
    assert_eq!(
        (signed_in.status, signed_in.header("location")),
        (303, Some("/there"))
    );
    let set = signed_in.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(set.contains(part), "{part} in {set}");
    }
    assert!(!set.contains(ADA) && !set.contains("Secure"), "{set}");
}

#[tokio::test]
async fn wrong_tokens_and_forms_of_other_sites_are_refused() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file).await;
    let wrong = sign_in(&server, BOB, "/", None).await;
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    assert!(
        wrong.body.contains("role=\"alert\"") && !wrong.body.contains(BOB),
        "{wrong:?}"
    );
    for origin in [
        "https://evil.example",
        "http://127.0.0.1:1.evil.example",
        "null",
    ] {
        let foreign = sign_in(&server, ADA, "/", Some(origin)).await;
        assert_problem(&foreign, 403, "blocked", "access_denied");
        assert_eq!(foreign.header("set-cookie"), None);
    }
    let elsewhere = sign_in(&server, ADA, "//evil.example/", None).await;
    assert_eq!(elsewhere.header("location"), Some("/"));
    let large = sign_in(&server, &"a".repeat(40_000), "/", None).await;
    assert_problem(&large, 400, "validation", "invalid_argument");
}

/// MCP clients send their token; a cookie would let pages act for the user.
#[tokio::test]
async fn a_cookie_is_no_way_into_mcp() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file).await;
    let cookie = cookie(&sign_in(&server, ADA, "/", None).await);
    let headers = [("Cookie", cookie.as_str())];
    let refused = server
        .modern_as(&headers, "tools/list", serde_json::json!({}))
        .await;
    assert_problem(&refused, 401, "auth_required", "missing_credentials");
    write_tokens(file.path(), &[("bob", BOB, "[\"research\"]")]);
    let out = [
        ("Cookie", cookie.as_str()),
        ("Origin", "https://evil.example"),
    ];
    let foreign = server.send("POST", "/sign-out", &out, b"").await;
    assert_problem(&foreign, 403, "blocked", "access_denied");
    let out = server.send("POST", "/sign-out", &headers, b"").await;
    assert_eq!(
        (out.status, out.header("location")),
        (303, Some("/sign-in"))
    );
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
}

async fn opened(server: &HttpServer, cookie: &str) -> u16 {
    let headers = [("Cookie", cookie), ("Accept", "text/html")];
    server.send("GET", "/", &headers, b"").await.status
}

#[tokio::test]
async fn many_sign_ins_of_one_user_end_none_of_another() {
    let file = token_file(&[
        ("ada", ADA, "[\"research\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let server = server(&file).await;
    let bob = cookie(&sign_in(&server, BOB, "/", None).await);
    let first = cookie(&sign_in(&server, ADA, "/", None).await);
    assert_eq!(opened(&server, &first).await, 200);
    let mut last = String::new();
    for _ in 0..100 {
        last = cookie(&sign_in(&server, ADA, "/", None).await);
    }
    assert_eq!(opened(&server, &first).await, 303, "the oldest gave way");
    assert_eq!(opened(&server, &last).await, 200);
    assert_eq!(opened(&server, &bob).await, 200);
}

#[tokio::test]
async fn a_browser_that_says_another_site_asks_is_believed() {
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let server = server(&file).await;
    let own = format!("http://{}", server.address);
    for (site, status) in [
        ("cross-site", 403),
        ("same-site", 403),
        ("same-origin", 303),
    ] {
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Origin", own.as_str()),
            ("Sec-Fetch-Site", site),
        ];
        let form = format!("to=/&token={ADA}");
        let answer = server
            .send("POST", "/sign-in", &headers, form.as_bytes())
            .await;
        assert_eq!(answer.status, status, "{site}: {answer:?}");
    }
}

#[tokio::test]
async fn a_signed_in_browser_names_users_only_as_its_token_may() {
    let file = token_file(&[
        ("proxy", ADA, "[\"research\", \"proxy\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let path = file.path().to_str().unwrap();
    let arguments = [
        "--ephemeral",
        "--tokens",
        path,
        "--subject-header",
        "x-user",
    ];
    let server = HttpServer::spawn(&arguments).await;
    let (proxy, bob) = (
        cookie(&sign_in(&server, ADA, "/", None).await),
        cookie(&sign_in(&server, BOB, "/", None).await),
    );
    let status = async |cookie: &str, user: &str| {
        let headers = [("Cookie", cookie), ("X-User", user)];
        server
            .send("GET", "/api/overview", &headers, b"")
            .await
            .status
    };
    assert_eq!(
        (status(&bob, "").await, status(&bob, "ada").await),
        (200, 403)
    );
    assert_eq!(
        (status(&proxy, "").await, status(&proxy, "ada").await),
        (400, 200)
    );
}

#[tokio::test]
async fn a_token_that_may_not_see_the_page_begins_no_sign_in() {
    let file = token_file(&[
        ("prometheus", ADA, "[\"metrics\"]"),
        ("bob", BOB, "[\"research\"]"),
    ]);
    let server = server(&file).await;
    let refused = sign_in(&server, ADA, "/", None).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(refused.header("set-cookie").is_none(), "{refused:?}");
    assert!(
        refused.body.contains("Sign in with another token"),
        "{refused:?}"
    );
    // A token that loses its scopes later leads to the form too.
    let cookie = cookie(&sign_in(&server, BOB, "/", None).await);
    write_tokens(file.path(), &[("bob", BOB, "[\"metrics\"]")]);
    let headers = [("Cookie", cookie.as_str()), ("Accept", "text/html")];
    let mut page = server.send("GET", "/", &headers, b"").await;
    for _ in 0..50 {
        if page.status != 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        page = server.send("GET", "/", &headers, b"").await;
    }
    assert!(page.body.contains("type=\"password\""), "{page:?}");
}

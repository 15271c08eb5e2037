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

//! Access tokens of a real authorization server on loopback: which are accepted, and how the others
//! are refused.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{
    AuthorizationServer, SigningKey,
    authorization_server::{seconds_from_now, sign_with_secret, unsigned},
};

use super::{ADA, assert_problem, bearer, token_file};
use crate::client::{Answer, HttpServer};

const PUBLIC: &str = "https://mcp.example.com";
const AUDIENCE: &str = "https://mcp.example.com/mcp";

async fn server(issuer: &str, more: &[&str]) -> HttpServer {
    let mut arguments = vec![
        "--ephemeral",
        "--oauth-issuer",
        issuer,
        "--public-url",
        PUBLIC,
    ];
    arguments.extend(more);
    HttpServer::spawn(&arguments).await
}

async fn list(server: &HttpServer, token: &str) -> Answer {
    let authorization = bearer(token);
    let headers = [("Authorization", authorization.as_str())];
    server.modern_as(&headers, "tools/list", json!({})).await
}

async fn call(server: &HttpServer, token: &str, tool: &str) -> Answer {
    let authorization = bearer(token);
    let headers = [("Authorization", authorization.as_str())];
    let params = json!({"name": tool, "arguments": {}});
    server.modern_as(&headers, "tools/call", params).await
}

fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

/// What one token says under the signature of another.
fn spliced(says: &str, signed: &str) -> String {
    let (payload, signature) = (says.rsplit_once('.'), signed.rsplit_once('.'));
    format!("{}.{}", payload.unwrap().0, signature.unwrap().1)
}

fn without(claims: &Value, name: &str) -> Value {
    let mut claims = claims.clone();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

#[tokio::test]
async fn tokens_for_this_server_are_accepted_and_all_others_say_what_is_wrong() {
    let (key, other) = (SigningKey::p256("one"), SigningKey::p256("one"));
    let edwards = SigningKey::ed25519("two");
    let authority = AuthorizationServer::start(&[&key, &edwards]).await;
    let server = server(&authority.issuer(), &[]).await;
    let good = authority.claims("ada", AUDIENCE, "research openid");
    let accepted = [
        key.sign(&good),
        edwards.sign(&good),
        key.sign(&with(
            &good,
            "aud",
            json!(["https://other.example", AUDIENCE]),
        )),
        key.sign(&with(
            &good,
            "iss",
            json!(format!("{}/", authority.issuer())),
        )),
        key.sign_with(&json!({"alg": "ES256", "typ": "JWT"}), &good),
        key.sign(&with(&without(&good, "scope"), "scp", json!(["research"]))),
        key.sign(&with(&good, "exp", json!(seconds_from_now(-10)))),
        key.sign(&with(&good, "nbf", json!(seconds_from_now(10)))),
    ];
    for token in &accepted {
        let answer = call(&server, token, "health_check").await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let header = |algorithm: &str| json!({"alg": algorithm, "kid": "one", "typ": "at+jwt"});
    let expired = with(&good, "exp", json!(seconds_from_now(-60)));
    let refused = [
        (
            key.sign(&with(&good, "aud", json!("https://other.example/mcp"))),
            "another server",
        ),
        (key.sign(&with(&good, "aud", json!([]))), "another server"),
        (key.sign(&without(&good, "aud")), "another server"),
        (
            key.sign(&with(&good, "aud", json!(format!("{AUDIENCE}/")))),
            "another server",
        ),
        (
            key.sign(&with(&good, "iss", json!("https://evil.example"))),
            "another issuer",
        ),
        (key.sign(&without(&good, "iss")), "another issuer"),
        (key.sign(&expired), "expired"),
        (key.sign(&without(&good, "exp")), "a claim"),
        (key.sign(&with(&good, "exp", json!("tomorrow"))), "a claim"),
        (
            key.sign(&with(&good, "exp", json!("9999999999"))),
            "a claim",
        ),
        (
            key.sign(&with(&good, "nbf", json!(seconds_from_now(90)))),
            "not valid yet",
        ),
        (key.sign(&with(&good, "nbf", json!(true))), "a claim"),
        (key.sign(&without(&good, "sub")), "a claim"),
        (key.sign(&with(&good, "sub", json!(""))), "a claim"),
        (other.sign(&good), "not signed with a key"),
        (
            format!("{}.", unsigned(&header("none"), &good)),
            "algorithm",
        ),
        (
            format!("{}.", unsigned(&header("None"), &good)),
            "algorithm",
        ),
        (
            sign_with_secret(&header("HS256"), &good, key.public_bytes()),
            "algorithm",
        ),
        (
            sign_with_secret(
                &header("HS256"),
                &good,
                key.public()["x"].as_str().unwrap().as_bytes(),
            ),
            "algorithm",
        ),
        (
            key.sign_with(&header("RS256"), &good),
            "not signed with a key",
        ),
        (
            key.sign_with(&header("ES384"), &good),
            "not signed with a key",
        ),
        (
            key.sign_with(&json!({"alg": "ES256", "kid": "two"}), &good),
            "not signed with a key",
        ),
        (
            key.sign_with(
                &json!({"alg": "ES256", "kid": "one", "typ": "logout+jwt"}),
                &good,
            ),
            "does not know",
        ),
        (
            key.sign_with(&json!({"alg": "ES256", "kid": "one", "crit": ["x"]}), &good),
            "does not know",
        ),
        (
            key.sign_with(
                &json!({"alg": "ES256", "kid": "one", "jwk": other.public()}),
                &good,
            )
            .replace('.', ".."),
            "does not know",
        ),
        (format!("{}x", key.sign(&good)), "does not know"),
        (
            spliced(&key.sign(&good), &key.sign(&expired)),
            "not signed with a key",
        ),
        ("a.b.c".to_owned(), "does not know"),
        (ADA.to_owned(), "does not know"),
        (
            format!("{}.{}", key.sign(&good), "a".repeat(9_000)),
            "longer",
        ),
    ];
    for (token, why) in refused {
        let answer = list(&server, &token).await;
        let challenge = assert_problem(&answer, 401, "auth_required", "bad_key");
        assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
        assert!(challenge.contains(why), "{why} in {challenge}");
        assert!(answer.json()["detail"].as_str().unwrap().contains(why));
        assert!(!answer.body.contains(&token), "no token is repeated");
    }
}

#[tokio::test]
async fn a_client_learns_where_to_get_a_token_and_which_scopes_to_ask_for() {
    let key = SigningKey::p256("one");
    let authority = AuthorizationServer::start(&[&key]).await;
    let issuer = authority.issuer();
    let more = [
        "--toolset",
        "research,patterns",
        "--oauth-scope-prefix",
        "fp/",
    ];
    let server = server(&issuer, &more).await;
    let refused = server.modern("tools/list", json!({})).await;
    let challenge = assert_problem(&refused, 401, "auth_required", "missing_credentials");
    assert_eq!(
        challenge,
        format!(
            "Bearer realm=\"fingerpost\", scope=\"fp/research fp/patterns\", resource_metadata=\"{PUBLIC}/.well-known/oauth-protected-resource/mcp\""
        )
    );
    for path in ["", "/mcp"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let document = server.send("GET", &path, &[], b"").await;
        assert_eq!(document.status, 200, "{document:?}");
        assert_eq!(document.header("access-control-allow-origin"), Some("*"));
        let document = document.json();
        let asked = [("Access-Control-Request-Headers", "mcp-protocol-version")];
        let allowed = server.send("OPTIONS", &path, &asked, b"").await;
        let headers = allowed.header("access-control-allow-headers");
        assert_eq!((allowed.status, headers), (204, Some("*")), "{allowed:?}");
        assert_eq!(document["resource"], AUDIENCE);
        assert_eq!(document["authorization_servers"], json!([issuer]));
        assert_eq!(
            document["scopes_supported"],
            json!(["fp/research", "fp/patterns"])
        );
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
    }
    // A token without a scope is told which one a call needs, and a new token has it.
    let little = key.sign(&authority.claims("ada", AUDIENCE, "fp/patterns research"));
    assert_eq!(
        call(&server, &little, "list_analysis_rules").await.status,
        200
    );
    let refused = call(&server, &little, "health_check").await;
    let challenge = assert_problem(&refused, 403, "auth_required", "forbidden");
    assert!(
        challenge.contains(
            "error=\"insufficient_scope\", scope=\"fp/research fp/patterns\", resource_metadata="
        ),
        "{challenge}"
    );
    let more = key.sign(&authority.claims("ada", AUDIENCE, "fp/patterns fp/research"));
    assert_eq!(call(&server, &more, "health_check").await.status, 200);
}

#[tokio::test]
async fn a_new_key_is_found_and_invented_ones_do_not_make_the_server_ask_each_time() {
    let (old, new) = (SigningKey::p256("old"), SigningKey::p256("new"));
    let authority = AuthorizationServer::start(&[&old]).await;
    let server = server(&authority.issuer(), &[]).await;
    let claims = authority.claims("ada", AUDIENCE, "research");
    assert_eq!(list(&server, &old.sign(&claims)).await.status, 200);
    assert_eq!(authority.key_requests(), 1);
    for number in 0..50 {
        let invented = SigningKey::p256(&format!("invented-{number}")).sign(&claims);
        let status = list(&server, &invented).await.status;
        assert!(matches!(status, 401 | 503), "{status}");
    }
    let asked = authority.key_requests();
    assert!(
        asked < 25,
        "50 invented keys made the server ask {asked} times"
    );
    authority.publish(&[&old, &new]);
    // A token of a key that nobody has looked for yet is not thrown away: its client is told to wait.
    let token = new.sign(&claims);
    let mut answer = list(&server, &token).await;
    while answer.status != 200 {
        assert_problem(&answer, 503, "upstream_unavailable", "http_status");
        let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds <= 5, "{seconds}");
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        answer = list(&server, &token).await;
    }
    assert_eq!(list(&server, &old.sign(&claims)).await.status, 200);
}

#[tokio::test]
async fn while_the_keys_cannot_be_read_a_client_is_told_when_to_try_again() {
    let key = SigningKey::p256("one");
    let authority = AuthorizationServer::start(&[&key]).await;
    authority.fail(500);
    let server = server(&authority.issuer(), &[]).await;
    let token = key.sign(&authority.claims("ada", AUDIENCE, "research"));
    let refused = list(&server, &token).await;
    let challenge = assert_problem(&refused, 503, "upstream_unavailable", "http_status");
    assert_eq!(challenge, "", "another token would change nothing");
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert_eq!(refused.json()["retryAfterSeconds"], seconds);
    authority.publish(&[&key]);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    assert_eq!(
        list(&server, &token).await.status,
        200,
        "advice is a promise"
    );
    // Known keys stay in use while the authorization server fails.
    authority.fail(500);
    assert_eq!(list(&server, &token).await.status, 200);
    let unknown = SigningKey::p256("unknown").sign(&authority.claims("ada", AUDIENCE, "research"));
    // It may be signed with a key that could not be read.
    let unknown = list(&server, &unknown).await;
    assert_problem(&unknown, 503, "upstream_unavailable", "http_status");
}

#[tokio::test]
async fn a_key_that_was_replaced_is_found_whether_tokens_name_it_or_not() {
    let header = json!({"alg": "ES256", "typ": "at+jwt"});
    for id in [None, Some("one")] {
        let (old, new) = (SigningKey::p256("one"), SigningKey::p256("one"));
        let authority = AuthorizationServer::start(&[&old]).await;
        let server = server(&authority.issuer(), &[]).await;
        let claims = authority.claims("ada", AUDIENCE, "research");
        let sign = |key: &SigningKey| match id {
            Some(_) => key.sign(&claims),
            None => key.sign_with(&header, &claims),
        };
        assert_eq!(list(&server, &sign(&old)).await.status, 200);
        authority.publish(&[&new]);
        let mut tries = 0;
        while list(&server, &sign(&new)).await.status != 200 {
            tries += 1;
            assert!(tries < 50, "{id:?}");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        assert_ne!(list(&server, &sign(&old)).await.status, 200);
    }
}

#[tokio::test]
async fn metadata_of_another_issuer_and_keys_at_private_addresses_are_not_used() {
    let key = SigningKey::p256("one");
    let authority = AuthorizationServer::start(&[&key]).await;
    let elsewhere = AuthorizationServer::start(&[&key]).await;
    let claims = authority.claims("ada", AUDIENCE, "research");
    for (issuer, keys) in [
        (
            "https://evil.example".to_owned(),
            format!("{}/jwks", authority.issuer()),
        ),
        (authority.issuer(), format!("{}/jwks", elsewhere.issuer())),
        (
            authority.issuer(),
            elsewhere.issuer().replace("http:", "https:"),
        ),
    ] {
        authority.publish_metadata(&json!({"issuer": issuer, "jwks_uri": keys}));
        let server = server(&authority.issuer(), &[]).await;
        let refused = list(&server, &key.sign(&claims)).await;
        assert_problem(&refused, 503, "upstream_unavailable", "http_status");
    }
    assert_eq!(elsewhere.key_requests(), 0);
}

#[tokio::test]
async fn users_of_both_kinds_of_token_are_kept_apart() {
    let key = SigningKey::p256("one");
    let authority = AuthorizationServer::start(&[&key]).await;
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let path = file.path().to_str().unwrap();
    let more = ["--tokens", path, "--oauth-default-scopes", "research"];
    let server = server(&authority.issuer(), &more).await;
    let issued = key.sign(&authority.claims("ada", AUDIENCE, ""));
    let sessions = |token: String, tool: &'static str, arguments: Value| {
        let server = &server;
        async move {
            let authorization = bearer(&token);
            let headers = [("Authorization", authorization.as_str())];
            let params = json!({"name": tool, "arguments": arguments});
            server
                .modern_as(&headers, "tools/call", params)
                .await
                .json()
        }
    };
    let begun = sessions(
        issued.clone(),
        "sequential_search",
        json!({"goal": "my own"}),
    )
    .await;
    assert_eq!(begun["result"]["isError"], false, "{begun}");
    for (token, count) in [(issued, 1), (ADA.to_owned(), 0)] {
        let list = sessions(token, "get_research_session", json!({})).await;
        let sessions = &list["result"]["structuredContent"]["sessions"];
        assert_eq!(sessions.as_array().map(Vec::len), Some(count), "{list}");
    }
}

#[tokio::test]
async fn an_access_token_signs_a_browser_in() {
    let key = SigningKey::p256("one");
    let authority = AuthorizationServer::start(&[&key]).await;
    let server = server(&authority.issuer(), &[]).await;
    let token = key.sign(&authority.claims("ada", AUDIENCE, "research"));
    let origin = format!("http://{}", server.address);
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Origin", origin.as_str()),
    ];
    let form = format!("to=/&token={token}");
    let signed_in = server
        .send("POST", "/sign-in", &headers, form.as_bytes())
        .await;
    assert_eq!(signed_in.status, 303, "{signed_in:?}");
    let cookie = signed_in.header("set-cookie").unwrap();
    assert!(
        cookie.contains("; Secure"),
        "the public address is https: {cookie}"
    );
    let expired = with(
        &authority.claims("ada", AUDIENCE, "research"),
        "exp",
        json!(seconds_from_now(-60)),
    );
    let form = format!("to=/&token={}", key.sign(&expired));
    let refused = server
        .send("POST", "/sign-in", &headers, form.as_bytes())
        .await;
    assert_eq!(refused.status, 401);
    assert!(refused.body.contains("it has expired"), "{refused:?}");
}

#[tokio::test]
async fn a_sign_in_ends_when_the_operator_no_longer_trusts_its_issuer() {
    let key = SigningKey::p256("one");
    let authority = AuthorizationServer::start(&[&key]).await;
    let file = token_file(&[("ada", ADA, "[\"research\"]")]);
    let (folder, tokens) = (tempfile::tempdir().unwrap(), file.path().to_str().unwrap());
    let kept = ["--data-dir", folder.path().to_str().unwrap()];
    let issuer = authority.issuer();
    let trusting = ["--oauth-issuer", &issuer, "--public-url", PUBLIC];
    let opened = async |server: &HttpServer, cookie: &str| {
        let headers = [("Cookie", cookie)];
        let page = server.send("GET", "/api/overview", &headers, b"").await;
        page.status
    };
    let first = HttpServer::spawn(&[&kept[..], &trusting[..]].concat()).await;
    let origin = format!("http://{}", first.address);
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Origin", origin.as_str()),
    ];
    let token = key.sign(&authority.claims("ada", AUDIENCE, "research"));
    let form = format!("to=/&token={token}");
    let signed_in = first
        .send("POST", "/sign-in", &headers, form.as_bytes())
        .await;
    let cookie = signed_in.header("set-cookie").expect("a cookie");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(opened(&first, cookie).await, 200);
    drop(first);
    let again = HttpServer::spawn(&[&kept[..], &trusting[..]].concat()).await;
    assert_eq!(opened(&again, cookie).await, 200, "the store has it");
    drop(again);
    let without = HttpServer::spawn(&[&kept[..], &["--tokens", tokens]].concat()).await;
    assert_eq!(opened(&without, cookie).await, 401);
    drop(without);
    let other = AuthorizationServer::start(&[&key]).await.issuer();
    let trusting = ["--oauth-issuer", &other, "--public-url", PUBLIC];
    let other = HttpServer::spawn(&[&kept[..], &trusting[..]].concat()).await;
    assert_eq!(opened(&other, cookie).await, 401);
}

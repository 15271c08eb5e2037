//! Who may use an HTTP server: tokens, scopes, sign-ins, and how each refusal reads.

mod limits;
mod log;
mod oauth;
mod sign_in;
mod start;
mod streams;
mod tls;
mod tokens;

use serde_json::Value;

use crate::client::Answer;

/// Tokens of the test files. They look like nothing that is masked by its shape.
pub const ADA: &str = "ada-ada-ada-ada-ada-ada-ada-ada-0001";
pub const BOB: &str = "bob-bob-bob-bob-bob-bob-bob-bob-0002";

/// A file of tokens, each `(name, token, scopes as TOML)`.
pub fn token_file(entries: &[(&str, &str, &str)]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    write_tokens(file.path(), entries);
    file
}

pub fn write_tokens(path: &std::path::Path, entries: &[(&str, &str, &str)]) {
    let tables = entries.iter().map(|(name, token, scopes)| {
        format!("[[token]]\nname = \"{name}\"\ntoken = \"{token}\"\nscopes = {scopes}\n")
    });
    std::fs::write(path, tables.collect::<String>()).unwrap();
}

pub fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// Checks that a refusal is problem details with a kind of the catalogue, and returns its challenge.
pub fn assert_problem(answer: &Answer, status: u16, kind: &str, reason: &str) -> String {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json"),
        "{answer:?}"
    );
    let body: Value = answer.json();
    assert_eq!(body["status"], status, "{body}");
    assert_eq!(
        (&body["kind"], &body["reason"]),
        (&kind.into(), &reason.into()),
        "{body}"
    );
    assert!(
        body["retryable"].is_boolean() && body["suggestedAction"].is_string(),
        "{body}"
    );
    let detail = body["detail"].as_str().unwrap();
    assert!(detail.len() > 40 && detail.ends_with('.'), "{detail}");
    let challenge = answer.header("www-authenticate");
    challenge.unwrap_or_default().to_owned()
}
